"""The true geometry of the simulated camera: millimetres of the table to pixels and back. Pure.

A point is (x, y, h): x and y as in `scene`, h the height above the cloth. The controller never sees this; it
finds its own homography from the corner markers. Tests compare the two. Tables are drawn as a pinhole sees
them; `Lens.bend` says where a lens with distortion puts a pixel.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from hardware_sim.scene import FLAT_UP, STANDING, TILE_DEPTH, TILE_HEIGHT, TILE_WIDTH, SceneTile, up_vector

Points: TypeAlias = npt.NDArray[np.float64]
Bend: TypeAlias = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]
"""For each pixel of the picture (H, W) the x and the y of the pinhole's pixel that is seen there."""

PICTURE_WIDTH = 1920
PICTURE_HEIGHT = 1080
SIZE: Final = (PICTURE_WIDTH, PICTURE_HEIGHT)
"""Of the usual picture, pixels; some presets have others."""


@dataclass(frozen=True, eq=False)
class Lens:
    """A pinhole camera above the table: `matrix` (3, 4) takes (x, y, h, 1) to homogeneous pixels.

    `inner` (3, 3): its camera matrix; `size`: width and height of its picture; `distortion`: the first radial
    coefficient.
    """

    matrix: Points
    place: tuple[float, float, float]
    inner: Points
    size: tuple[int, int] = SIZE
    distortion: float = 0.0

    @property
    def scale(self) -> float:
        """How many times as high as the usual picture this one is."""
        return self.size[1] / PICTURE_HEIGHT

    def bend(self, pixels: npt.ArrayLike) -> Points:
        """Return where pixels (N, 2) of the pinhole are seen through the lens."""
        given = np.asarray(pixels, np.float64)
        if not self.distortion:
            return given
        middle, focal = self.inner[:2, 2], self.inner[0, 0]
        away = (given - middle) / focal
        return np.asarray(
            middle + focal * away * (1 + self.distortion * (away**2).sum(axis=1, keepdims=True))
        )

    def pixels(self, points: npt.ArrayLike) -> Points:
        """Return the pixels (N, 2) of points (N, 3) in mm; a pixel's centre has whole coordinates."""
        given = np.asarray(points, np.float64)
        seen = given @ self.matrix[:, :3].T + self.matrix[:, 3]
        return np.asarray(seen[:, :2] / seen[:, 2:])

    def plane(self, height: float) -> Points:
        """Return the homography (3, 3) from (x, y) mm on the plane at `height` mm to pixels."""
        return np.column_stack(
            (self.matrix[:, 0], self.matrix[:, 1], self.matrix[:, 2] * height + self.matrix[:, 3])
        )

    def millimetres(self, pixels: npt.ArrayLike, height: float = TILE_DEPTH) -> Points:
        """Return (x, y) in mm (N, 2) of pixels (N, 2), taken to lie on the plane at `height`."""
        given = np.asarray(pixels, np.float64)
        ones = np.ones((len(given), 1))
        seen = np.hstack((given, ones)) @ np.linalg.inv(self.plane(height)).T
        return np.asarray(seen[:, :2] / seen[:, 2:])


def lens_for(seed: int, size: tuple[int, int] = SIZE, distortion: float = 0.0) -> Lens:
    """Return a table's camera: about 1.2 m above it, nearly centred and straight, each seed its own way."""
    width, height = size
    scale = height / PICTURE_HEIGHT
    chance = np.random.default_rng((seed, 1))
    distance = 1200.0 + chance.uniform(-25, 25)
    place = np.array([chance.uniform(-38, 38), chance.uniform(-38, 38), -distance])
    target = np.array([chance.uniform(-4, 4), chance.uniform(-4, 4), 0.0])
    roll = np.radians(chance.uniform(-1.1, 1.1))
    ahead = (target - place) / np.linalg.norm(target - place)
    across = np.array([np.cos(roll), np.sin(roll), 0.0])
    across -= ahead * (across @ ahead)
    across /= np.linalg.norm(across)
    turn = np.stack((across, np.cross(ahead, across), ahead))
    focal = height * distance / (878.0 + chance.uniform(-6, 8))
    inner = np.array(
        [
            [focal, 0, width / 2 + scale * chance.uniform(-12, 12)],
            [0, focal, height / 2 + scale * chance.uniform(-3, 3)],
            [0, 0, 1],
        ]
    )
    flat = inner @ turn
    down = flat * np.array([1.0, 1.0, -1.0])  # height counts upwards, the camera's axis downwards
    matrix = np.column_stack((down, -flat @ place))
    return Lens(matrix, (float(place[0]), float(place[1]), float(distance)), inner, size, distortion)


def bend_of(lens: Lens) -> Bend | None:
    """Return what `cv2.remap` makes a lens's picture of a pinhole's with, None where the lens is straight."""
    if not lens.distortion:
        return None
    width, height = lens.size
    x, y = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
    middle, focal = lens.inner[:2, 2], lens.inner[0, 0]
    bent = (np.stack((x, y), axis=-1) - middle) / focal
    straight = bent
    for _ in range(4):
        straight = bent / (1 + lens.distortion * (straight**2).sum(axis=-1, keepdims=True))
    seen = (middle + focal * straight).astype(np.float32)
    return np.ascontiguousarray(seen[..., 0]), np.ascontiguousarray(seen[..., 1])


def top_quad(lens: Lens, tile: SceneTile) -> Points:
    """Return the corners (4, 2) in pixels of the upper side of a tile: TL, TR, BR, BL of the upright face.

    A STANDING tile's upper side is the narrow one, 31 x 22.
    """
    height = TILE_HEIGHT if tile.pose is STANDING else TILE_DEPTH
    half = (TILE_DEPTH if tile.pose is STANDING else TILE_HEIGHT) / 2
    up = np.array(up_vector(tile.angle))
    right = np.array([-up[1], up[0]])
    middle = np.array([tile.x, tile.y])
    corners = [
        middle + right * a * TILE_WIDTH / 2 + up * b * half for a, b in ((-1, 1), (1, 1), (1, -1), (-1, -1))
    ]
    return lens.bend(lens.pixels([(*corner, tile.z + height) for corner in corners]))


def is_face_up(tile: SceneTile) -> bool:
    """Whether the camera can read the tile."""
    return tile.pose is FLAT_UP
