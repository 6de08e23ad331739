"""Where tiles may lie: what of a picture is not bare cloth, as few rectangles.

A cell of the grid is bare where its mean colour is like the cloth's and where it shows no more contrast than
the cloth does: a back of the cloth's own colour has edges and a shadow. In doubt a cell is not bare.
"""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.images import Image
from vision.steady import Part, Plan
from vision.steady_cover import like_cloth
from vision.steady_gate import Mask

FINE: Final = 6
"""Pixels of a cell's side at which contrast is measured."""
LEAST_CONTRAST: Final = 9.0
"""Levels between the darkest and the lightest pixel of a cell that may be bare all the same ..."""
CLOTH_CONTRAST: Final = 1.6
"""... and so many times as much as most of the cloth shows."""
AROUND: Final = 3
"""Cells about all that may be a tile that are searched with it: half a tile's diagonal is less."""
PIECE: Final = 60
"""Cells of cloth that are rather searched than that there is another piece."""

RIM: Final = 2
"""Lines are left out so many cells from the edges of what is asked for."""
LEAST_CELLS: Final = 3
"""Fewer cells in a heap are noise."""
MANY: Final = 1 << 30
WORTH: Final = 0.9
"""Smaller rectangles are searched if all of them are less than this of the plan's parts."""

Edges = tuple[int, int, int, int]
"""Left, top, right, bottom, in cells; right and bottom are not included."""


def pieces(image: Image, plan: Plan) -> tuple[Part, ...]:
    """The rectangles of a picture in which the plan's tiles are searched; none where there is only cloth.

    They are the plan's own parts where that is hardly more to search.
    """
    rows, columns = plan.reach.shape
    bounds = _bounds(plan.reach)
    if bounds is None:
        return ()
    x, y = bounds[:2]
    out = []
    for left, top, right, bottom in cut(_wanted(image, plan, bounds)):
        box = (x + left - AROUND, y + top - AROUND, x + right + AROUND, y + bottom + AROUND)
        limits = (columns, rows, columns, rows)
        edges = (min(max(edge, 0), limit) for edge, limit in zip(box, limits, strict=True))
        out.append(Part(*(round(edge * plan.cell) for edge in edges)))
    return tuple(out) if _area(out) < WORTH * _area(plan.parts) else plan.parts


def _area(parts: Sequence[Part]) -> int:
    return sum((part.right - part.left) * (part.bottom - part.top) for part in parts)


def _wanted(image: Image, plan: Plan, bounds: Edges) -> Mask:
    """Cells within bounds that may belong to tiles the plan asks for."""
    left, top, right, bottom = bounds
    some = np.s_[top:bottom, left:right]
    pixels = [round(edge * plan.cell) for edge in bounds]
    contrast = _contrast(image[pixels[1] : pixels[3], pixels[0] : pixels[2]], (bottom - top, right - left))
    reach, like = plan.reach[some], like_cloth(plan.looks[some], plan.cloth)
    plain = contrast[like & reach]
    usual = float(np.median(plain)) if len(plain) else 0.0
    odd = reach & (~like | (contrast > max(LEAST_CONTRAST, CLOTH_CONTRAST * usual)))
    return _without_lines(odd, reach)


def _without_lines(odd: Mask, reach: Mask) -> Mask:
    """What is odd, without lines along the edges of what is asked for: walls, rails and rims show there.

    A tile that is asked for has three cells by three within those edges. Single cells elsewhere are noise.
    """
    cells = odd.astype(np.uint8)
    thick = cv2.morphologyEx(cells, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8), borderValue=0) > 0
    framed = np.pad(reach.astype(np.uint8), 1)
    inner = cv2.erode(framed, np.ones((2 * RIM + 1, 2 * RIM + 1), np.uint8))[1:-1, 1:-1] > 0
    _, labels, stats, _ = cv2.connectedComponentsWithStats(cells)
    large = stats[:, cv2.CC_STAT_AREA] >= LEAST_CELLS
    return np.asarray(thick | (odd & inner & large[labels]))


def _contrast(image: Image, shape: tuple[int, int]) -> npt.NDArray[np.uint8]:
    """Levels between the darkest and the lightest pixel in and just around each cell."""
    size = (shape[1] * FINE, shape[0] * FINE)
    grey = cv2.cvtColor(cv2.resize(image, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    kernel = np.ones((FINE + 1, FINE + 1), np.uint8)
    middle = np.s_[FINE // 2 :: FINE, FINE // 2 :: FINE]
    light, dark = cv2.dilate(grey, kernel)[middle], cv2.erode(grey, kernel)[middle]
    return np.asarray(cv2.subtract(light, dark), np.uint8)


def cut(mask: Mask) -> list[Edges]:
    """Rectangles that hold all of a mask, cut apart where that saves most of what is searched."""
    bounds = _bounds(mask)
    if bounds is None:
        return []
    left, top, right, bottom = bounds
    inner = mask[top:bottom, left:right]
    down, row = _best_cut(inner)
    across, column = _best_cut(inner.T)
    if min(down, across) + PIECE >= _cost(right - left, bottom - top):
        return [bounds]
    at = (0, row) if down <= across else (column, 0)
    first = inner[:row] if down <= across else inner[:, :column]
    halves = ((first, 0, 0), (inner[at[1] :, at[0] :], *at))
    return [
        (left + x + a, top + y + b, left + x + c, top + y + d)
        for half, x, y in halves
        for a, b, c, d in cut(half)
    ]


def _bounds(mask: Mask) -> Edges | None:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _cost(wide: npt.ArrayLike, high: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Cells that are searched for rectangles of so many."""
    return np.asarray((np.asarray(wide) + 2 * AROUND) * (np.asarray(high) + 2 * AROUND), np.int64)


def _best_cut(mask: Mask) -> tuple[int, int]:
    """The cells that are searched when a mask is cut before a row, and the row where they are fewest."""
    if len(mask) < 2:
        return MANY, 0
    above, below = _costs_down(mask), _costs_down(mask[::-1])[::-1]
    costs = above[:-1] + below[1:]
    row = int(costs.argmin())
    return int(costs[row]), row + 1


def _costs_down(mask: Mask) -> npt.NDArray[np.int64]:
    """(rows,): cells that are searched for all of a mask down to each row; its first row is not empty."""
    filled, columns = mask.any(axis=1), mask.shape[1]
    first = np.where(filled, mask.argmax(axis=1), columns)
    last = np.where(filled, columns - mask[:, ::-1].argmax(axis=1), 0)
    wide = np.maximum.accumulate(last) - np.minimum.accumulate(first)
    lowest = np.maximum.accumulate(np.where(filled, np.arange(1, len(mask) + 1), 0))
    return _cost(wide, lowest)
