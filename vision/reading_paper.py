"""Whether a tile that was named white has the paper of the tiles about it, or is a grey back.

A namer sees each tile with its paper made white, so that a grey back looks like a blank white dragon to it.
Beside other tiles' faces a back is darker than paper, or has another colour; that is all there is to tell
them apart. Pure.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from rules.tiles import Tile
from vision.images import Image
from vision.reading_seen import Seen

Levels = npt.NDArray[np.float64]
"""(3,) or (N, 3) levels of blue, green and red, 0..255."""
Quads = npt.NDArray[np.float32]
"""(N, 4, 2) pixels."""

DARK: Final = 0.83
"""Of the paper near it, in the colour in which it has least. In simulated light 170 white dragons had 0.9 or
more, 2500 backs 0.8 or less. A lamp's mirror image or a shadow's edge makes less of a difference."""
DARK_AFAR: Final = 0.72
"""The same where only paper farther off is to be seen, which may be lit otherwise."""
SAME: Final = 0.12
"""Where no paper is to be seen, a tile whose colours are this near to those of the backs may be one."""
ABOUT: Final = 6.0  # sides of a tile within which the light is much the same
BLANK: Final = frozenset({int(Tile.WHITE), int(Tile.BACK)})
NEAREST: Final = 5  # papers of which the middle one counts: a lamp at one side lights them otherwise afar
FEW: Final = 3  # tiles that show what paper looks like there
STEPS: Final = np.linspace(-0.7, 0.7, 7)  # where a tile is sampled, from its middle to its edge
PAPER: Final = 80  # percentile of a tile's brightness that is paper


def doubt_dark_whites(image: Image, seen: Seen) -> None:
    """Share the chance of white with that of a back where a tile is no paper by its colour.

    Changes the chances in place. Paper is what has a face: what neither the finder nor the namer took for a
    back, and was not named white either.
    """
    white = [k for k, chance in enumerate(seen.chances) if int(chance.argmax()) == Tile.WHITE]
    if not white:
        return
    levels = paper_levels(image, seen.quads)
    middles = seen.quads.mean(axis=1)
    side = float(np.median(np.linalg.norm(seen.quads[:, 1] - seen.quads[:, 0], axis=1)))
    blank = {int(seen.rows[k]) for k, chance in enumerate(seen.chances) if int(chance.argmax()) in BLANK}
    paper = ~seen.is_back
    paper[list(blank)] = False
    for k in white:
        row = seen.rows[k]
        away = np.linalg.norm(middles - middles[row], axis=1)
        nearest = np.argsort(np.where(paper, away, np.inf))[: min(NEAREST, paper.sum())]
        near = nearest[away[nearest] < ABOUT * side]
        if not _is_paper(levels[row], levels[near], levels[nearest], levels[seen.is_back]):
            half = seen.chances[k][Tile.WHITE] / 2
            seen.chances[k] = seen.chances[k].copy()
            seen.chances[k][[Tile.WHITE, Tile.BACK]] += (-half, half)


def _is_paper(level: Levels, near: Levels, nearest: Levels, backs: Levels) -> bool:
    """Whether a tile's colours go with the papers near it, else with the nearest, else are not the backs'."""
    for papers, least in ((near, DARK), (nearest, DARK_AFAR)):
        if len(papers) >= FEW:
            return bool((level >= least * np.median(papers, axis=0)).all())
    return not len(backs) or bool(np.abs(level / np.median(backs, axis=0) - 1).max() > SAME)


def paper_levels(image: Image, quads: Quads) -> Levels:
    """(N, 3): how bright the paper of tiles is in each colour, 0..255."""
    across, down = (axis.ravel() for axis in np.meshgrid(STEPS, STEPS))
    middle = quads.mean(axis=1)
    right = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 4
    below = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 4
    spots = middle[:, None] + across[:, None] * right[:, None] + down[:, None] * below[:, None]
    index = np.round(spots).astype(np.intp)
    x, y = np.clip(index[..., 0], 0, image.shape[1] - 1), np.clip(index[..., 1], 0, image.shape[0] - 1)
    return np.asarray(np.percentile(image[y, x], PAPER, axis=1), np.float64)
