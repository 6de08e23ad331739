"""Outlines put tiles right that a finder saw a few millimetres off, or lying across where they lie along."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from controller.models import load
from hardware_sim.render import Renderer
from hardware_sim.scene import Scene, SceneTile, seat_angle, seat_point
from rules.tiles import Tile
from vision.rectify import rectify_picture
from vision.rectify_fit import Outlines, Poses, corners_of, poses_of

if TYPE_CHECKING:
    from collections.abc import Callable

GEOMETRY = load("longzhuo840")
TILE = GEOMETRY.tile


def body(number: int, seat: int, u: float, v: float, turn: float = 0.0) -> SceneTile:
    x, y = seat_point(seat, u, v)
    return SceneTile(number, Tile(number), x, y, (seat_angle(seat) + turn) % 360)


MELD = (body(0, 1, 339, 334), body(1, 1, 302.5, 339.5, 90.0), body(2, 1, 266, 334))
ROW = tuple(body(10 + i, 0, -60 + 31.2 * i, 184 + 0.3 * i, 1.5) for i in range(4))
ALONE = (body(20, 2, 0, 100, 33.0),)
BODIES = (*MELD, *ROW, *ALONE)
TRUE = np.asarray([(tile.x, tile.y, np.radians(tile.angle)) for tile in BODIES])


def turned(a: float, b: float) -> float:
    """Degrees between two directions of a long side."""
    return float(abs((np.degrees(a - b) + 90) % 180 - 90))


@pytest.fixture(scope="module", params=[1, 7])
def outlines_from(request: pytest.FixtureRequest) -> Callable[[Poses], Outlines]:
    """Gives outlines for the tiles as they seem to lie, on a green and on a grey cloth."""
    image = Renderer(request.param).picture(Scene(tiles=BODIES))
    rectification = rectify_picture(image, GEOMETRY)
    middle = image[300:780, 560:1360].reshape(-1, 3)
    cloth = np.median(middle[::53], axis=0).astype(np.float32)
    return lambda poses: Outlines(image, rectification, TILE, poses, cloth=cloth)


def test_tiles_a_few_millimetres_off_are_put_right(outlines_from: Callable[[Poses], Outlines]) -> None:
    chance = np.random.default_rng(5)
    seem = TRUE + np.column_stack(
        (chance.uniform(-3, 3, (len(TRUE), 2)), np.radians(chance.uniform(-4, 4, len(TRUE))))
    )
    outlines = outlines_from(seem)
    for i, true in enumerate(TRUE):
        fitted = outlines.fitted(i)
        before = float(np.hypot(*(seem[i, :2] - true[:2])))
        assert np.hypot(*(fitted[:2] - true[:2])) < max(2.0, 0.8 * before)
        assert turned(fitted[2], true[2]) < 6


def test_a_tile_taken_to_lie_across_is_turned_back(outlines_from: Callable[[Poses], Outlines]) -> None:
    seem = TRUE.copy()
    seem[1, 2] += np.pi / 2
    fitted = outlines_from(seem).fitted(1)
    assert turned(fitted[2], TRUE[1, 2]) < 6


def test_tiles_that_lie_along_are_not_turned(outlines_from: Callable[[Poses], Outlines]) -> None:
    outlines = outlines_from(TRUE)
    assert all(turned(outlines.fitted(i)[2], true[2]) < 6 for i, true in enumerate(TRUE))


def test_corners_and_poses_are_inverse() -> None:
    assert np.allclose(poses_of(corners_of(TRUE, TILE))[:, :2], TRUE[:, :2])
    assert all(
        turned(a, b) < 1e-6 for a, b in zip(poses_of(corners_of(TRUE, TILE))[:, 2], TRUE[:, 2], strict=True)
    )
