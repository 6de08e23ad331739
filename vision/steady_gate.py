"""Where a picture is still: a coarse grid of cells, and when the look of each last changed.

A cell is about half a tile wide (12 pixels of a 1080 line picture), so that the camera's noise averages out
while a tile that moves by a millimetre shows. Slow changes of the whole picture's brightness (exposure,
lamps) are taken out by one gain per colour. Each cell is compared with a running mean of its looks.
"""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.images import Image

Looks = npt.NDArray[np.float32]
"""(rows, columns, 3): mean colour of each cell, 0..255."""

Mask = npt.NDArray[np.bool_]
"""(rows, columns)."""

ROWS: Final = 90
# A cell has changed when a colour's mean differs by 5 levels and 4 %: noise stays below 2 levels, a tile that
# was nudged by half a millimetre gives 6.
CHANGE_LEVELS: Final = 5.0
CHANGE_SHARE: Final = 0.04
MOST_GAIN: Final = 1.3
GAIN_STEP: Final = 7
FOLLOW: Final = 0.3  # how far the remembered look of a still cell follows each picture: noise averages out


def looks_of(image: Image) -> Looks:
    """The mean colours of a picture's cells: 90 rows, and columns of the same width."""
    height, width = image.shape[:2]
    columns = round(width / height * ROWS)
    # Of a large picture every other line is enough to average over, in half the time.
    some = image[::2] if height > 4 * ROWS else image
    return np.asarray(cv2.resize(some, (columns, ROWS), interpolation=cv2.INTER_AREA), np.float32)


def differs(now: Looks, before: Looks, among: Mask) -> Mask:
    """Cells that look otherwise than before, apart from a change of the light over the cells `among`."""
    expected = before * gain_of(now, before, among)
    apart = np.abs(now - expected)
    apart -= CHANGE_SHARE * expected
    over = apart > CHANGE_LEVELS
    return np.asarray(over[..., 0] | over[..., 1] | over[..., 2])


def gain_of(now: Looks, before: Looks, among: Mask) -> npt.NDArray[np.float32]:
    """(3,): how much brighter the cells `among` are now, by the median of a part of them; within limits."""
    some = np.flatnonzero(among)[::GAIN_STEP]
    if not len(some):
        return np.ones(3, np.float32)
    ratio = (now.reshape(-1, 3)[some] + 1.0) / (before.reshape(-1, 3)[some] + 1.0)
    return np.asarray(np.clip(np.median(ratio, axis=0), 1 / MOST_GAIN, MOST_GAIN), np.float32)


def grown(mask: Mask, cells: int) -> Mask:
    """The mask and everything within `cells` cells of it."""
    kernel = np.ones((2 * cells + 1, 2 * cells + 1), np.uint8)
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel) > 0)


class Gate:
    """Remembers when each cell last moved; time comes with the pictures.

    Args:
        cloth: the cells whose brightness stands for the light on the table.
    """

    def __init__(self, cloth: Mask) -> None:
        self._cloth = cloth
        self._anchor: Looks | None = None
        self._moved_at = np.full(cloth.shape, np.inf)

    def feed(self, at: float, looks: Looks) -> Mask:
        """Take the next picture's looks; returns the cells that moved since they last did."""
        if self._anchor is None:
            self._anchor = looks.copy()
            self._moved_at[:] = at
            return np.ones(self._cloth.shape, np.bool_)
        moved = differs(looks, self._anchor, self._cloth)
        self._anchor += FOLLOW * (looks - self._anchor)
        self._anchor[moved] = looks[moved]
        self._moved_at[moved] = at
        return moved

    def still(self, at: float, for_s: float) -> Mask:
        """The cells that haven't moved for `for_s` seconds."""
        # Times are differences of large numbers; a microsecond of grace keeps `at - moved_at == for_s` true.
        return np.asarray(at - self._moved_at >= for_s - 1e-6)
