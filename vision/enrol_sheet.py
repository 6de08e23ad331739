"""A picture of all tiles that were learned, face by face, for people to check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rules.tiles import Tile
from vision.draw_sign import sign
from vision.name import NOT_A_TILE, SIDE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.enrol_views import Known

    Picture = NDArray[np.uint8]

GAP: Final = 4
GROUND: Final = 40
COLUMNS: Final = 3
"""Faces beside each other."""
MOST: Final = 6
"""Tiles of a face that are shown."""


def sheet(known: Known) -> Picture:
    """A BGR picture: each face's sign, and beside it the tiles that were said to show it."""
    faces = [int(k) for k in np.unique(known.faces) if k < NOT_A_TILE]
    signs = [sign(Tile(k), SIDE) for k in faces]
    high, wide = SIDE + GAP, (MOST + 1) * (SIDE + GAP) + 3 * GAP
    rows = -(-len(faces) // COLUMNS)
    out = np.full((rows * high + GAP, COLUMNS * wide + GAP, 3), GROUND, np.uint8)
    for n, (face, mark) in enumerate(zip(faces, signs, strict=True)):
        # Down the columns, so that a suit stays together.
        x, y = GAP + n // rows * wide, GAP + n % rows * high
        out[y : y + SIDE, x : x + mark.shape[1]] = mark
        for k, crop in enumerate(known.crops[known.faces == face][:MOST]):
            left = x + (k + 1) * (SIDE + GAP)
            out[y : y + SIDE, left : left + SIDE] = crop
    return out
