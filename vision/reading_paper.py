"""Whether a tile that was named white has the paper of the tiles about it, or is a grey back.

A namer sees each tile with its paper made white, so that a grey back looks like a blank white dragon to it.
Beside other tiles a back is darker than paper; that is all there is to tell them apart. Pure.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from rules.tiles import Tile
from vision.images import Image

Chances = npt.NDArray[np.float64]
"""(44,), of tiles 0..42 and "not a tile"."""
Quads = npt.NDArray[np.float32]
"""(N, 4, 2) pixels."""

DARK: Final = (
    0.72  # of the paper about it: a lamp's mirror image or a shadow's edge makes less of a difference
)
ABOUT: Final = 6.0  # sides of a tile within which the light is much the same
FEW: Final = 3  # tiles that show what paper looks like there
STEPS: Final = np.linspace(-0.7, 0.7, 7)  # where a tile is sampled, from its middle to its edge
PAPER: Final = 80  # percentile of a tile's brightness that is paper
LIGHT: Final = 75  # percentile of the tiles' papers: some are backs


def doubt_dark_whites(image: Image, quads: Quads, rows: npt.NDArray[np.intp], chances: list[Chances]) -> None:
    """Share the chance of white with that of a back where a tile is too dark for paper; in place.

    Args:
        image: the picture.
        quads: all tiles found there.
        rows: which of them `chances` belong to.
        chances: of the named ones.
    """
    white = [k for k, chance in enumerate(chances) if int(chance.argmax()) == Tile.WHITE]
    if not white:
        return
    levels = paper_levels(image, quads)
    middles = quads.mean(axis=1)
    side = float(np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)))
    for k in white:
        row = rows[k]
        near = np.linalg.norm(middles - middles[row], axis=1) < ABOUT * side
        near[row] = False
        if near.sum() >= FEW and levels[row] < DARK * np.percentile(levels[near], LIGHT):
            half = chances[k][Tile.WHITE] / 2
            chances[k] = chances[k].copy()
            chances[k][[Tile.WHITE, Tile.BACK]] += (-half, half)


def paper_levels(image: Image, quads: Quads) -> npt.NDArray[np.float64]:
    """(N,): how bright the paper of tiles is, 0..255."""
    across, down = (axis.ravel() for axis in np.meshgrid(STEPS, STEPS))
    middle = quads.mean(axis=1)
    right = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 4
    below = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 4
    spots = middle[:, None] + across[:, None] * right[:, None] + down[:, None] * below[:, None]
    index = np.round(spots).astype(np.intp)
    x, y = np.clip(index[..., 0], 0, image.shape[1] - 1), np.clip(index[..., 1], 0, image.shape[0] - 1)
    return np.asarray(np.percentile(image[y, x].mean(axis=-1), PAPER, axis=1), np.float64)
