"""Lays parts of a picture side by side at the network's scale, so that one forward pass reads them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.find_peaks import Peaks

    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]

Box = tuple[int, int, int, int]
"""x, y, w, h px."""

GRAIN: Final = 8
"""Parts begin at multiples of this, px at the network's scale: so its map has them all alike."""
GAP: Final = 8
"""So much of the picture beyond a part's right and lower edge is seen with it, at least, px there."""
STEP: Final = 64
"""Inputs are multiples of this wide and high, so that few sizes occur and buffers are kept."""
HALF: Final = 0.5
"""A picture that is made smaller than this is halved first, so that no detail is skipped."""
SPARSE: Final = 32
"""Every so many pixels suffice to tell what colour most of a picture is."""
EDGE: Final = 1.0
"""Finds that come this near to an edge, px at the network's scale, are cut by it."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Parts laid side by side.

    Attributes:
        picture: (H, W, 3) BGR at the network's scale.
        scale: of it to the whole picture.
        origins: (N, 2) the parts' upper left corners in the whole picture, px.
        places: (N, 2) where they are on the sheet, px.
        sizes: (N, 2) their widths and heights on the sheet, px.
        open_edges: (N, 4) left, top, right, bottom: inf where the edge is the whole picture's, which cuts
            nothing that could be seen elsewhere, else 0.
    """

    picture: Picture
    scale: float
    origins: Floats
    places: Floats
    sizes: Floats
    open_edges: Floats

    def whole(self, peaks: Peaks) -> Peaks:
        """Finds on the sheet as finds of the whole picture; without those that an edge cuts."""
        inside = peaks.centres[:, None] - self.places
        owns = np.all((inside >= 0) & (inside < self.sizes), axis=2)
        rows = np.flatnonzero(np.any(owns, axis=1))
        owner = np.argmax(owns[rows], axis=1)
        peaks = peaks.chosen(rows)
        reach = np.abs(peaks.ups) + np.abs(peaks.acrosses)
        at = peaks.centres - self.places[owner]
        away = np.hstack([at - reach, self.sizes[owner] - at - reach]) + self.open_edges[owner]
        kept = (away > EDGE).all(axis=1)
        shift = self.origins[owner] * self.scale - self.places[owner]
        return peaks.chosen(kept).shifted(shift[kept]).moved(self.scale, (0.0, 0.0))


def sheet_of(image: Picture, parts: Sequence[Box], scale: float) -> Sheet:
    """Lay parts of a picture, one or more that lie within it, on one sheet at a scale."""
    boxes = np.asarray(parts, np.float32).reshape(-1, 4)
    low, sizes = boxes[:, :2], np.ceil(boxes[:, 2:] * scale)
    whole = np.array((image.shape[1], image.shape[0]), np.float32)
    ends = np.hstack([low <= 0, low + boxes[:, 2:] >= whole])
    blocks = [(-(-(int(w) + GAP) // GRAIN), -(-(int(h) + GAP) // GRAIN)) for w, h in sizes]
    (wide, high), places = packed(blocks)
    if len(parts) == 1:
        blocks = [(wide, high)]
    sheet = np.empty((high * GRAIN, wide * GRAIN, 3), np.uint8)
    ground = np.median(image[::SPARSE, ::SPARSE].reshape(-1, 3), axis=0)
    cv2.rectangle(sheet, (0, 0, sheet.shape[1], sheet.shape[0]), [float(c) for c in ground], cv2.FILLED)
    for box, (x, y), (w, h) in zip(boxes, places, blocks, strict=True):
        part = sheet[y * GRAIN : (y + h) * GRAIN, x * GRAIN : (x + w) * GRAIN]
        part[:] = _seen(image, (float(box[0]), float(box[1])), scale, (w * GRAIN, h * GRAIN))
    at = np.asarray(places, np.float32).reshape(-1, 2) * GRAIN
    return Sheet(sheet, scale, low, at, sizes, np.where(ends, np.inf, 0.0).astype(np.float32))


def _seen(image: Picture, origin: tuple[float, float], scale: float, size: tuple[int, int]) -> Picture:
    """A part (size: w, h px) of a picture at a scale, from a point of the picture on."""
    x, y = (int(v) for v in origin)
    part = image[y : y + int(size[1] / scale) + 2, x : x + int(size[0] / scale) + 2]
    while scale < HALF:
        part = cv2.resize(
            part, (-(-part.shape[1] // 2), -(-part.shape[0] // 2)), interpolation=cv2.INTER_AREA
        ).astype(np.uint8)
        scale *= 2
    seen = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)[: size[1], : size[0]]
    below, right = size[1] - seen.shape[0], size[0] - seen.shape[1]
    if below or right:
        seen = cv2.copyMakeBorder(seen, 0, below, 0, right, cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.uint8)


def packed(blocks: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], list[tuple[int, int]]]:
    """Lay blocks (w, h) without overlaps: the sheet's width and height, and each block's x and y.

    All are counts of `GRAIN`; the sheet's sides are multiples of `STEP` px.
    """
    unit = STEP // GRAIN
    least = -(-max(w for w, _ in blocks) // unit)
    area = sum(w * h for w, h in blocks)
    most = max(least, round(1.5 * area**0.5 / unit))
    sheets = [_in_columns(blocks, width * unit, unit) for width in range(least, most + 1)]
    return min(sheets, key=lambda sheet: (sheet[0][0] * sheet[0][1], abs(sheet[0][0] - sheet[0][1])))


def _in_columns(
    blocks: Sequence[tuple[int, int]], wide: int, unit: int
) -> tuple[tuple[int, int], list[tuple[int, int]]]:
    """Lay blocks on a sheet so wide, the highest first, each where it comes to lie uppermost."""
    filled = np.zeros(wide, np.int64)
    places = [(0, 0)] * len(blocks)
    for k in sorted(range(len(blocks)), key=lambda k: (-blocks[k][1], -blocks[k][0])):
        w, h = blocks[k]
        tops = sliding_window_view(filled, w).max(axis=1)
        x = int(tops.argmin())
        places[k] = (x, int(tops[x]))
        filled[x : x + w] = tops[x] + h
    return (wide, -(-int(filled.max()) // unit) * unit), places
