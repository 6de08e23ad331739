"""Eyes look at pictures one by one, at the times they are given; a knocked camera is noticed and forgiven."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from controller.models import load
from hardware_sim.render import Renderer
from hardware_sim.scene import FLAT_DOWN, FLAT_UP, Scene, SceneTile, seat_angle, seat_point
from rules.tiles import Tile
from vision.find import Finder
from vision.images import Frame
from vision.name import Namer
from vision.observations import (
    Appeared,
    CameraBack,
    CameraLost,
    CameraTrouble,
    Observation,
    Settled,
    Vanished,
)
from vision.reading_eyes import Eyes, SightSettings

GEOMETRY = load("longzhuo840")
SETTINGS = SightSettings(settle_s=0.15, reads=2, spacing_s=0.1)


def lying(number: int, tile: Tile, seat: int, u: float, v: float) -> SceneTile:
    x, y = seat_point(seat, u, v)
    return SceneTile(number, tile, x, y, seat_angle(seat))


POND = tuple(
    lying(i, tile, 0, -100 + 31.3 * i, 184) for i, tile in enumerate((Tile.P5, Tile.M1, Tile.S7, Tile.RED))
)
MELD = (
    lying(10, Tile.M2, 1, 339, 334),
    replace(lying(11, Tile.M3, 1, 302.5, 339.5), angle=0.0),
    lying(12, Tile.M4, 1, 266, 334),
)
KONG = tuple(
    replace(lying(20 + i, Tile.S3, 2, 339 - 31.2 * i, 333), pose=FLAT_DOWN if i in {0, 3} else FLAT_UP)
    for i in range(4)
)
SCENE = Scene(tiles=(*POND, *MELD, *KONG))


def new_eyes() -> Eyes:
    return Eyes(GEOMETRY, SETTINGS, Finder(), Namer())


def watch(eyes: Eyes, renderer: Renderer, scene: Scene, *, start: float, pictures: int) -> list[Observation]:
    told: list[Observation] = []
    for number in range(pictures):
        told += eyes.look(Frame(renderer.picture(scene), start + 0.1 * number, number))
    return told


@pytest.mark.parametrize("seed", [2, 3, 7])
def test_a_table_is_read_wholly_and_in_place(seed: int) -> None:
    told = watch(new_eyes(), Renderer(seed), SCENE, start=10.0, pictures=8)
    seen = [observation for observation in told if isinstance(observation, Appeared)]
    assert isinstance(told[-1], Settled)
    assert len(seen) == len(SCENE.tiles)
    for body in SCENE.tiles:
        nearest = min(seen, key=lambda s: np.hypot(s.x - body.x, s.y - body.y))
        assert np.hypot(nearest.x - body.x, nearest.y - body.y) < 4.0
        assert nearest.tile == ("back" if body.pose is FLAT_DOWN else str(body.tile))
        if body.pose is not FLAT_DOWN:
            assert abs((nearest.angle - body.angle + 90) % 180 - 90) < 10


def test_a_knocked_camera_keeps_the_tiles_it_knew() -> None:
    eyes = new_eyes()
    before = watch(eyes, Renderer(2), SCENE, start=10.0, pictures=8)
    after = watch(eyes, Renderer(9), SCENE, start=11.0, pictures=25)
    known = {observation.id for observation in before if isinstance(observation, Appeared)}
    gone = {observation.id for observation in after if isinstance(observation, Vanished)}
    assert isinstance(after[-1], Settled)
    assert len(known) == len(SCENE.tiles)
    assert not gone
    assert not [observation for observation in after if isinstance(observation, Appeared)]


def test_without_markers_there_is_no_table_and_later_there_may_be() -> None:
    eyes = new_eyes()
    bare = np.full((1080, 1920, 3), 90, np.uint8)
    told = [one for number in range(30) for one in eyes.look(Frame(bare, 1.0 + 0.1 * number, number))]
    (lost,) = told
    assert isinstance(lost, CameraLost)
    assert lost.trouble is CameraTrouble.WRONG_DEVICE
    assert lost.at == pytest.approx(2.5)
    assert "0 of the table's 4" in lost.reason
    told = watch(eyes, Renderer(3), Scene(tiles=POND[:1]), start=5.0, pictures=8)
    assert isinstance(told[0], CameraBack)
    assert [observation.tile for observation in told if isinstance(observation, Appeared)] == ["5p"]


def test_parts_of_the_last_picture_show_their_place_from_straight_above() -> None:
    eyes = new_eyes()
    areas = {"pond": (-120, 160, 160, 60), "cloth": (-60, 60, 50, 50)}
    assert eyes.views(areas, height=22.0) == {}
    watch(eyes, Renderer(2), SCENE, start=10.0, pictures=8)
    views = eyes.views(areas, height=22.0)
    assert {name: view.shape for name, view in views.items()} == {"pond": (60, 160, 3), "cloth": (50, 50, 3)}
    # Four white tiles lie in the pond, in the other part is only cloth.
    assert views["pond"].max() > views["cloth"].max() + 50
