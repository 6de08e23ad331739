"""Makes characters heavier as a typeface's black weight does: strokes grow, but counters stay open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 0.55
"""Between two strokes the distance to ink has a gradient below this; beside one stroke it is 1."""


def _ridges(away: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The middle lines of what lies between strokes, of a map of distances to ink."""
    smooth = cv2.GaussianBlur(away, (0, 0), 1.0)
    across, down = (cv2.Sobel(smooth, cv2.CV_32F, x, 1 - x, ksize=3, scale=1 / 8) for x in (1, 0))
    return np.asarray((np.hypot(across, down) < LEVEL) & (away > 1.5), np.bool_)


def heavy(cover: NDArray[np.uint8], reach: int, gap: int) -> NDArray[np.uint8]:
    """A character's coverage grown by `reach` px; `gap` px wide lines stay free between its strokes."""
    wide = np.pad(cover, reach + 2)
    away = cv2.distanceTransform((wide < 128).astype(np.uint8), cv2.DIST_L2, 5).astype(np.float32)
    between = _ridges(away) & (away < 2 * reach)
    kept = cv2.dilate(between.astype(np.uint8), np.ones((gap,) * 2, np.uint8)) > 0
    grown = (away < reach) & ~(kept & (wide < 128))
    return np.asarray(np.where(grown, 255, 0), np.uint8)
