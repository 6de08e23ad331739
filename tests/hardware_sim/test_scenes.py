"""Made-up scenes are physically possible, their truth is true, and the tiles in them are found and named."""

from __future__ import annotations

import numpy as np
import pytest

from hardware_sim.camera_lens import lens_for, top_quad
from hardware_sim.scene import FLAT_DOWN, FLAT_UP, STANDING, Arm, Scene, SceneTile, seat_angle, seat_point
from hardware_sim.scene_networks import Score, add, match, score_scenes, share
from hardware_sim.scenes import random_scene, true_tiles
from rules.tiles import Tile
from vision.name import Named

DEVELOPED_ON = range(100, 1000)  # seeds looked at while vision and simulator were written
SHORT_SEED, LONG_SEED = 5000, 9000  # and seeds that were not


def test_a_seed_is_one_scene() -> None:
    assert random_scene(5)[0] == random_scene(5)[0]
    assert random_scene(5)[0] != random_scene(6)[0]


@pytest.mark.parametrize("seed", range(100, 108))
def test_no_two_tiles_share_a_place(seed: int) -> None:
    scene, truth = random_scene(seed)
    lying = [tile for tile in truth if tile.body.pose is not STANDING]
    middles = np.array([(tile.body.x, tile.body.y) for tile in lying])
    for i, tile in enumerate(lying):
        for j in np.flatnonzero(np.hypot(*(middles - middles[i]).T) < 60):
            if j > i and tile.body.z == lying[j].body.z:
                assert share(tile.quad, lying[j].quad) < 0.03, (tile.body, lying[j].body)
    assert len({tile.id for tile in scene.tiles}) == len(scene.tiles)


@pytest.mark.parametrize("seed", range(100, 108))
def test_all_that_must_be_found_lies_in_the_picture(seed: int) -> None:
    _, truth = random_scene(seed)
    asked = np.array([tile.quad for tile in truth if tile.must_find])
    assert len(asked) >= 1
    assert asked.min() > 0
    assert (asked < (1920, 1080)).all()


def test_walls_racks_and_covered_tiles_need_not_be_found() -> None:
    rack = SceneTile(0, Tile.M1, *seat_point(0, 0, 382), seat_angle(0), 0, STANDING)
    wall = SceneTile(1, Tile.M2, *seat_point(1, 0, 284), seat_angle(1), 22, FLAT_DOWN)
    meld = SceneTile(2, Tile.M3, *seat_point(2, 300, 334), seat_angle(2), 0, FLAT_DOWN)
    pond = SceneTile(3, Tile.M4, *seat_point(3, 0, 184), seat_angle(3), 0, FLAT_UP)
    under = SceneTile(4, Tile.M5, 0, 184)
    truth = true_tiles(Scene((rack, wall, meld, pond, under), arms=(Arm(0, 0, 150),)), lens_for(1))
    assert [tile.must_find for tile in truth] == [False, False, True, True, False]
    assert [str(tile.tile) for tile in truth] == ["back", "back", "back", "4m", "5m"]


def test_the_score_counts_what_is_found_missed_false_and_misnamed() -> None:
    lens = lens_for(1)
    scene = Scene(
        (SceneTile(0, Tile.M1, 0, 150), SceneTile(1, Tile.M2, 80, 150), SceneTile(2, Tile.M3, 160, 150))
    )
    truth = true_tiles(scene, lens)
    far = top_quad(lens, SceneTile(9, Tile.M1, 0, -150))
    half_off = top_quad(lens, SceneTile(9, Tile.M1, 175, 150))
    matches = match([truth[1].quad, far, truth[0].quad, half_off], truth, lens)
    assert sorted(matches.pairs) == [(0, 1), (2, 0)]
    assert matches.missed == (2,)
    assert matches.false == (1, 3)
    sure = Named(Tile.M1, Tile.M1, 1.0, np.zeros(44, np.float32))
    score = Score()
    add(score, truth, matches, [sure] * 4)
    assert (score.asked, score.found, score.false, score.named, score.sure_wrong) == (3, 2, 2, 1, 1)
    assert score.confusions == {"2m as 1m": 1}


def test_a_find_on_a_rack_is_neither_found_nor_false() -> None:
    lens = lens_for(1)
    rack = SceneTile(0, Tile.M1, *seat_point(0, 0, 382), seat_angle(0), 0, STANDING)
    truth = true_tiles(Scene((rack,)), lens)
    slanted = lens.pixels([(-15, 365, 20), (15, 365, 20), (15, 393, 41), (-15, 393, 41)])
    matches = match([slanted], truth, lens)
    assert (matches.missed, matches.false) == ((), ())


def check(score: Score) -> None:
    assert score.recall >= 0.995, score
    assert score.false_share <= 0.001, score


@pytest.mark.timeout(300)
def test_tiles_are_found_in_a_few_new_scenes() -> None:
    assert SHORT_SEED not in DEVELOPED_ON
    check(score_scenes(12, SHORT_SEED))


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_tiles_are_found_in_two_hundred_new_scenes() -> None:
    assert LONG_SEED not in DEVELOPED_ON
    check(score_scenes(200, LONG_SEED))
