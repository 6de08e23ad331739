"""How tiles lie on a photograph: rows, groups of tiles that touch, and which of them are turned. Pure.

A row runs as the tiles in it stand side by side, whatever its slope on the picture; it is read from the
picture's left to its right, and rows from its top to its bottom. So the photograph is to be taken from the
side of the player whose tiles they are, and rows lie more across it than upright.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

APART: Final = 0.17
"""Tiles of a row belong together while the space between them is less than this part of their width: tiles
of 31 mm that touch lie within 2 mm of each other, sets lie 8 mm apart, a winning tile 15."""
TURNED: Final = 1.34
"""A turned tile is wider for its height than most by at least this; without errors it would be 1.8."""
LEVEL: Final = 0.5
"""Tiles are in one row where their middles differ in height by less than this part of their height, ..."""
REACH: Final = 4.0
"""... and lie within so many widths of each other."""


@dataclass(frozen=True, slots=True)
class Group:
    """Tiles that touch, by their index, from left to right; `turned`: those that lie across."""

    tiles: tuple[int, ...]
    turned: frozenset[int]


Row = tuple[Group, ...]


def rows_of(quads: Sequence[NDArray[np.floating]]) -> tuple[Row, ...]:
    """The rows of tiles at quads (4, 2) px: corners TL, TR, BR, BL of the upright tile or a half turn."""
    if not len(quads):
        return ()
    lie = _Lie.of(np.asarray(quads, np.float64))
    return tuple(_groups(lie, row) for row in _rows(lie))


@dataclass(frozen=True, slots=True, eq=False)
class _Lie:
    """N tiles in a frame in which rows run along the first axis: middles (N, 2), sizes along both (N, 2)."""

    middles: Floats
    sizes: Floats
    turned: NDArray[np.bool_]

    @classmethod
    def of(cls, quads: Floats) -> _Lie:
        middles = quads.mean(axis=1)
        across = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
        up = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]) / 2
        along = _direction(middles, across, up)
        frame = np.array([along, (-along[1], along[0])])
        spans = np.abs(np.stack([across @ frame.T, up @ frame.T], axis=1))
        # What a tile takes along the row and across it, without what a slight turn of it adds.
        sizes = spans.max(axis=1)
        # A camera that looks from the side shortens all alike, so that tiles are compared with each other.
        shapes = sizes[:, 0] / np.maximum(sizes[:, 1], 1e-9)
        return cls(middles @ frame.T, sizes, shapes > TURNED * np.median(shapes))


def _direction(middles: Floats, across: Floats, up: Floats) -> Floats:
    """The unit vector of rows, to the right: from each tile to the one that stands beside it."""
    if len(middles) == 1:
        vectors = across
    else:
        away = middles[None] - middles[:, None]
        far = np.hypot(away[..., 0], away[..., 1])
        # From a low camera rows are nearer to each other than tiles of one row.
        far[np.abs(away[..., 1]) >= np.abs(away[..., 0])] = np.inf
        near = far.argmin(axis=1)
        touching = far.min(axis=1) < 0.8 * (np.hypot(*across.T) + np.hypot(*up.T))
        vectors = away[np.arange(len(middles)), near][touching] if touching.any() else across
    # Turned tiles stand lower than their neighbours, so that some vectors are askew: the middle one counts.
    vectors = np.where(vectors[:, :1] < 0, -vectors, vectors)
    turn = float(np.median(np.arctan2(vectors[:, 1], vectors[:, 0])))
    return np.array([np.cos(turn), np.sin(turn)])


def _rows(lie: _Lie) -> list[list[int]]:
    """The tiles of each row; rows from top to bottom."""
    number = len(lie.middles)
    row_of = list(range(number))
    for i in range(number):
        for j in range(i):
            width, height = np.minimum(lie.sizes[i], lie.sizes[j])
            along, down = np.abs(lie.middles[i] - lie.middles[j])
            if down < LEVEL * height and along < REACH * width:
                row_of = [row_of[i] if row == row_of[j] else row for row in row_of]
    rows = [[k for k in range(number) if row_of[k] == row] for row in dict.fromkeys(row_of)]
    return sorted(rows, key=lambda row: float(lie.middles[row, 1].mean()))


def _groups(lie: _Lie, row: list[int]) -> Row:
    """A row's tiles from left to right, parted where there is a space."""
    ordered = sorted(row, key=lambda k: float(lie.middles[k, 0]))
    groups = [[ordered[0]]]
    for last, this in pairwise(ordered):
        half = (lie.sizes[last, 0] + lie.sizes[this, 0]) / 2
        space = lie.middles[this, 0] - lie.middles[last, 0] - half
        width = (lie.sizes[last].min() + lie.sizes[this].min()) / 2
        if space > APART * width:
            groups.append([])
        groups[-1].append(this)
    return tuple(Group(tuple(g), frozenset(k for k in g if lie.turned[k])) for g in groups)
