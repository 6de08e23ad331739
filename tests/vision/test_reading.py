"""Eyes over a real stream: the simulated camera's pictures become observations, and its failures are told."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from controller.models import load
from hardware_sim.camera import SimCamera
from hardware_sim.camera_lens import lens_for
from hardware_sim.render import Renderer
from hardware_sim.scene import FLAT_DOWN, Scene, SceneTile, seat_angle, seat_point
from rules.tiles import Tile
from vision.camera import NoPicture
from vision.observations import (
    Appeared,
    CameraBack,
    CameraLost,
    CameraTrouble,
    Observation,
    Settled,
    Vanished,
)
from vision.reading import PictureSight, SightSettings, open_sight
from vision.rectify import rectify_picture

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

GEOMETRY = load("longzhuo840")
QUICK = SightSettings(settle_s=0.15, reads=2, spacing_s=0.1, timeout_s=1.0, retry_s=0.1)
LIMIT_S = 40.0


def lying(number: int, tile: Tile, seat: int, u: float, v: float) -> SceneTile:
    x, y = seat_point(seat, u, v)
    return SceneTile(number, tile, x, y, seat_angle(seat))


FIRST = (
    lying(1, Tile.P5, 0, -100, 184),
    lying(2, Tile.M1, 1, -60, 184),
    lying(3, Tile.S7, 2, 0, 184),
    lying(4, Tile.EAST, 3, 100, 333),
    lying(5, Tile.RED, 3, 135, 333),
)


class Watcher:
    """Keeps what a sight says, and waits for what it should say."""

    def __init__(self, sight: PictureSight) -> None:
        self._observations = aiter(sight)
        self.known: dict[int, Appeared] = {}

    async def until(self, kind: type[Observation]) -> Observation:
        async with asyncio.timeout(LIMIT_S):
            while True:
                observation = await anext(self._observations)
                if isinstance(observation, Appeared):
                    self.known[observation.id] = observation
                elif isinstance(observation, Vanished):
                    del self.known[observation.id]
                if isinstance(observation, kind):
                    return observation

    def faces(self) -> list[str]:
        return sorted(appeared.tile for appeared in self.known.values())


@asynccontextmanager
async def watching(camera: SimCamera) -> AsyncIterator[tuple[Watcher, PictureSight]]:
    sight = open_sight(camera.url, GEOMETRY, QUICK)
    assert isinstance(sight, PictureSight)
    async with sight:
        yield Watcher(sight), sight


async def test_tiles_are_told_where_they_lie_and_again_where_they_move() -> None:
    async with SimCamera(seed=1) as camera:
        camera.show(Scene(tiles=FIRST))
        async with watching(camera) as (watcher, sight):
            await watcher.until(Settled)
            assert watcher.faces() == ["1m", "5p", "7s", "C", "E"]
            for body in FIRST:
                away = min(np.hypot(seen.x - body.x, seen.y - body.y) for seen in watcher.known.values())
                assert away < 4.0
            moved = lying(3, Tile.S7, 0, 200, 333)
            camera.show(Scene(tiles=(*FIRST[:2], moved, *FIRST[3:])))
            before = set(watcher.known)
            await watcher.until(Settled)
            assert len(before - set(watcher.known)) == 1
            (new,) = (watcher.known[number] for number in set(watcher.known) - before)
            assert new.tile == "7s"
            assert np.hypot(new.x - moved.x, new.y - moved.y) < 4.0
            assert sight.read_fps > 0
            assert sight.stats.tiles_named >= 6


async def test_walls_racks_and_a_closed_hand_tell_nothing() -> None:
    backs = [
        SceneTile(
            10 + 2 * i + top, Tile.M1, *seat_point(0, 31.0 * i - 120, 284), z=22.0 * top, pose=FLAT_DOWN
        )
        for i in range(8)
        for top in (0, 1)
    ]
    async with SimCamera(seed=2) as camera:
        camera.show(Scene(tiles=tuple(backs)))
        async with watching(camera) as (watcher, _):
            await watcher.until(Settled)
            assert watcher.known == {}


async def test_a_camera_that_goes_away_is_lost_and_comes_back_with_the_same_tiles() -> None:
    async with SimCamera(seed=1) as camera:
        camera.show(Scene(tiles=FIRST[:1]))
        async with watching(camera) as (watcher, _):
            await watcher.until(Settled)
            before = dict(watcher.known)
            camera.drop(refuse=True)
            lost = await watcher.until(CameraLost)
            assert isinstance(lost, CameraLost)
            assert camera.url in lost.reason
            camera.accept()
            await watcher.until(CameraBack)
            assert watcher.known == before


async def test_pictures_without_a_table_say_what_is_missing(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((540, 960, 3), 90, np.uint8))
    settings = SightSettings(timeout_s=0.5)
    async with open_sight(str(tmp_path), GEOMETRY, settings) as sight:
        lost = await anext(aiter(sight))
    assert isinstance(lost, CameraLost)
    assert "corner markers" in lost.reason
    assert lost.trouble is CameraTrouble.WRONG_DEVICE


async def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoPicture, match="expected"):
        async with open_sight(str(tmp_path), GEOMETRY, QUICK):
            pass


@pytest.mark.parametrize("seed", range(1, 7))
def test_the_simulated_cameras_true_place_is_found_to_a_millimetre(seed: int) -> None:
    lens = lens_for(seed)
    found = rectify_picture(Renderer(seed).picture(Scene()), GEOMETRY)
    grid = np.asarray([(x, y, 22.0) for x in (-380, 0, 380) for y in (-380, 0, 380)])
    assert np.hypot(*(found.to_mm(lens.pixels(grid), height=22.0) - grid[:, :2]).T).max() < 1.0
