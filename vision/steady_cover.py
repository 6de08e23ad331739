"""What hides the cloth: arms and things that are no tiles, told by colour, size and what changed.

A cell looks like cloth when its colour shares are near those of most of the cloth; shadows and lamps change
the brightness more than the shares. Blocks of three by three cells that look otherwise, and where no tile
is known, are something foreign: walls and racks show only thinner edges there. A sleeve may have the
cloth's colour, so what changed since the table was last at rest and hangs together with something foreign
is hidden too.
"""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.steady_gate import Looks, Mask

CLOTH_SHARE: Final = 0.045
CLOTH_LUMA: Final = (0.3, 1.8)  # times the cloth's usual brightness
ABOUT: Final = 6  # cells about a tile in which its light is measured ...
LEAST_BARE: Final = 12  # ... on so many cells of cloth at least
BLOCK: Final = np.ones((3, 3), np.uint8)

Colour = npt.NDArray[np.float32]
"""(3,), BGR."""


def cloth_colour(looks: Looks, calm: Mask) -> Colour:
    """The colour of most of the cloth."""
    return np.asarray(np.median(looks[calm], axis=0), np.float32)


def like_cloth(colours: npt.NDArray[np.float32], cloth: Colour) -> npt.NDArray[np.bool_]:
    """Which of the colours (..., 3) may be cloth, in light or shadow."""
    luma = colours.mean(axis=-1) / float(cloth.mean())
    shares = colours / (colours.sum(axis=-1, keepdims=True) + 1.0)
    apart = np.abs(shares - cloth / cloth.sum()).max(axis=-1)
    return np.asarray((luma > CLOTH_LUMA[0]) & (luma < CLOTH_LUMA[1]) & (apart < CLOTH_SHARE))


def light_about(now: Looks, before: Looks, cloth: Mask, place: tuple[int, int]) -> float:
    """How much brighter the bare cloth about a cell (row, column) has become: a shadow may lie there.

    1 where too little cloth is to be seen.
    """
    row, column = place
    near = np.s_[max(0, row - ABOUT) : row + ABOUT + 1, max(0, column - ABOUT) : column + ABOUT + 1]
    bare = cloth[near]
    if bare.sum() < LEAST_BARE:
        return 1.0
    return float(np.median((now[near][bare].sum(axis=1) + 3.0) / (before[near][bare].sum(axis=1) + 3.0)))


def foreign(looks: Looks, among: Mask) -> Mask:
    """Cells `among` those without tiles that belong to something larger which isn't cloth."""
    odd = among & ~like_cloth(looks, cloth_colour(looks, among))
    return np.asarray(cv2.morphologyEx(odd.astype(np.uint8), cv2.MORPH_OPEN, BLOCK) > 0)


def hidden(strange: Mask, changed: Mask) -> Mask:
    """The foreign cells and all that changed together with them."""
    return _joined(strange | changed, strange)


def reaching_in(changed: Mask, *, rim: Mask, inner: Mask) -> Mask:
    """What changed from the table's rim to its inner parts: arms, wherever they are over."""
    from_rim = _joined(changed, rim)
    return from_rim & _joined(from_rim, inner)


def _joined(cells: Mask, seeds: Mask) -> Mask:
    """The connected parts of `cells` that hold any of the seeds."""
    if not (cells & seeds).any():
        return np.zeros_like(cells)
    _, labels = cv2.connectedComponents(cells.astype(np.uint8))
    touched = np.unique(labels[cells & seeds])
    return np.asarray(np.isin(labels, touched[touched > 0]))
