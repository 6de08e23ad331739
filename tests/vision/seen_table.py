"""Pictures of a bare table as a known camera sees it, for tests: cheap, and any lens may be before it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from controller.models import load
from vision.lens import Lens, camera_matrix
from vision.rectify import Rectification

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vision.images import Image, Matrix

GEOMETRY = load("longzhuo840")
SIZE: Final = (1920, 1080)
CLOTH: Final = (70, 110, 40)
PLAN: Final = 2  # px a mm
HALF: Final = 520  # mm of the plan to each side


def camera(
    *,
    size: tuple[int, int] = SIZE,
    focal: float = 1450.0,
    tilt: tuple[float, float, float] = (0.4, -0.6, 0.5),
    place: tuple[float, float, float] = (12.0, -9.0, 1200.0),
    distortion: tuple[float, ...] = (),
) -> Rectification:
    """Degrees of tilt about x and y and of turn; mm off the middle, and height."""
    rotation = np.asarray(cv2.Rodrigues(np.radians(np.asarray(tilt)))[0], np.float64)
    at = np.asarray([place[0], place[1], -place[2]])
    return Rectification(camera_matrix(focal, size), rotation, -rotation @ at, 0.0, (), distortion)


def plan(
    markers: Mapping[int, int] | None = None,
    *,
    quarters: Mapping[int, int] | None = None,
    printed: float = 1.0,
    cloth: tuple[int, int, int] = CLOTH,
) -> Image:
    """The table from straight above: a floor, a dark frame, the cloth, markers.

    `markers`: number of the marker that lies at the place of each number (all at their own by default);
    `quarters`: quarter turns of those that are turned, by place; `printed`: size of the print.
    """
    table = _ground(cloth).copy()
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side = round(40 * PLAN * printed)
    for place, number in (markers if markers is not None else {n: n for n in range(4)}).items():
        x, y = GEOMETRY.markers.centres[place]
        code = np.rot90(
            cv2.aruco.generateImageMarker(dictionary, number, side), (quarters or {}).get(place, 0)
        )
        table[_span(y - 26, y + 26), _span(x - 26, x + 26)] = 245
        top, left = (round((v + HALF) * PLAN - side / 2) for v in (y, x))
        table[top : top + side, left : left + side] = code[..., None]
    return table


@lru_cache(maxsize=2)
def _ground(cloth: tuple[int, int, int]) -> Image:
    """The table without markers."""
    table = np.full((2 * HALF * PLAN, 2 * HALF * PLAN, 3), (120, 140, 150), np.uint8)
    for half, colour in ((480, (40, 40, 42)), (426, (20, 20, 20)), (420, cloth)):
        table[_span(-half, half), _span(-half, half)] = colour
    grain = np.random.default_rng(3).integers(0, 16, (*table.shape[:2], 1), np.uint8)
    return np.asarray(table + grain, np.uint8)


def _span(low: float, high: float) -> slice:
    return slice(round((low + HALF) * PLAN), round((high + HALF) * PLAN))


def lay_tile(table: Image, x: float, y: float) -> Image:
    """A bright tile of 31 x 41.5 mm about (x, y)."""
    table = table.copy()
    table[_span(y - 20.75, y + 20.75), _span(x - 15.5, x + 15.5)] = (225, 235, 238)
    return table


def seen(table: Image, by: Rectification, size: tuple[int, int] = SIZE) -> Image:
    """The plan as a camera shows it."""
    to_mm = np.asarray([[1 / PLAN, 0, 0.5 / PLAN - HALF], [0, 1 / PLAN, 0.5 / PLAN - HALF], [0, 0, 1]])
    return shown(table, by.plane(0.0) @ to_mm, by.lens, size)


def shown(flat: Image, to_px: Matrix, lens: Lens, size: tuple[int, int]) -> Image:
    """Something flat as a lens shows it; `to_px` takes its pixels to those of a lens that bends nothing."""
    if not lens.distortion:
        picture = cv2.warpPerspective(flat, to_px, size, flags=cv2.INTER_LINEAR, borderValue=(90, 90, 90))
        return np.asarray(cv2.GaussianBlur(picture, (3, 3), 0.6), np.uint8)
    # Every eighth pixel is enough: a lens bends gently.
    across, down = np.meshgrid(*(np.arange(n // 8) * 8 + 3.5 for n in size))
    straight = lens.straight(np.column_stack((across.ravel(), down.ravel())))
    there = np.column_stack((straight, np.ones(len(straight)))) @ np.linalg.inv(to_px).T
    maps = (there[:, :2] / there[:, 2:]).astype(np.float32).reshape(*across.shape, 2)
    fine = np.asarray(cv2.resize(maps, size, interpolation=cv2.INTER_CUBIC))
    picture = cv2.remap(flat, fine[..., 0], fine[..., 1], cv2.INTER_LINEAR, borderValue=(90, 90, 90))
    return np.asarray(cv2.GaussianBlur(picture, (3, 3), 0.6), np.uint8)
