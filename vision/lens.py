"""What a lens does to lines: radial and tangential distortion, forwards and back. Pure."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from vision.images import Matrix, Points

EXACT: Final = 1e-10  # of a ray, where undoing a distortion ends
LONGEST_SEARCH: Final = 60


@dataclass(frozen=True, slots=True, eq=False)
class Lens:
    """What a camera does wherever it stands.

    Attributes:
        camera: (3, 3) camera matrix.
        distortion: k1, k2, p1, p2, k3 as OpenCV has them, or empty where lines stay straight.
    """

    camera: Matrix
    distortion: tuple[float, ...] = ()

    def bent(self, pixels: Points) -> Points:
        """(N, 2) pixels of a camera without distortion to those of this one."""
        if not self.distortion:
            return pixels
        rays = self._rays(pixels)
        radial, aside = self._bend(rays)
        return self._pixels(rays * radial[:, None] + aside)

    def straight(self, pixels: Points) -> Points:
        """Inverse of `bent`."""
        if not self.distortion:
            return pixels
        seen = self._rays(pixels)
        rays = seen
        for _ in range(LONGEST_SEARCH):
            radial, aside = self._bend(rays)
            before, rays = rays, (seen - aside) / radial[:, None]
            if np.abs(rays - before).max(initial=0.0) < EXACT:
                break
        return self._pixels(rays)

    def folds_at(self, size: tuple[int, int]) -> bool:
        """Whether two rays meet in one pixel somewhere in a picture of (width, height) `size`."""
        if not self.distortion:
            return False
        corners = np.asarray([(0, 0), (size[0], 0), size, (0, size[1])], np.float64)
        farthest = float(np.hypot(*self._rays(corners).T).max()) * 1.3
        k1, k2, _, _, k3 = self.distortion
        squares = np.linspace(0.0, farthest, 200) ** 2
        slope = 1 + squares * (3 * k1 + squares * (5 * k2 + squares * 7 * k3))
        return bool((slope <= 0).any())

    def _bend(self, rays: Points) -> tuple[npt.NDArray[np.float64], Points]:
        """(N,) stretch of each ray and (N, 2) what is added to it."""
        k1, k2, p1, p2, k3 = self.distortion
        x, y = rays.T
        square = x * x + y * y
        radial = 1 + square * (k1 + square * (k2 + square * k3))
        aside = (2 * p1 * x * y + p2 * (square + 2 * x * x), p1 * (square + 2 * y * y) + 2 * p2 * x * y)
        return radial, np.column_stack(aside)

    def _rays(self, pixels: Points) -> Points:
        rays: Points = (pixels - self.camera[:2, 2]) / self.camera.diagonal()[:2]
        return rays

    def _pixels(self, rays: Points) -> Points:
        pixels: Points = rays * self.camera.diagonal()[:2] + self.camera[:2, 2]
        return pixels


def camera_matrix(focal: float, size: tuple[int, int]) -> Matrix:
    """(3, 3) of a camera with square pixels that looks through the middle of its picture."""
    return np.asarray([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1]])
