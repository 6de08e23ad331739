"""What goes on at a table beside play: sleeves, cups, shadows, lamps, nudges, and a camera that is slow."""

from __future__ import annotations

import pytest
from steady_table import AGREEMENT, CELLS, GEOMETRY, Table, Watch, at_rest

from rules.tiles import Tile
from vision.observations import Appeared, Settled
from vision.steady import Steady

LYING = {"pond 0": Tile.P5, "pond 0 beside": Tile.M1, "pond 1": Tile.S9, "meld 2": Tile.WHITE}
KNOWN = {"pond 0": "5p", "pond 0 beside": "1m", "pond 1": "9s", "meld 2": "P"}
CUP = ((0.0, 196.0, 42.0), (40, 60, 150))


def test_an_arm_that_rests_over_a_pond_for_ten_seconds_retires_nothing_and_nothing_settles() -> None:
    watch = at_rest(LYING)
    settled = watch.settled
    watch.table.arm_over = "pond 0"
    watch.seconds(10)
    assert (watch.lying(), watch.gone, watch.settled) == (KNOWN, set(), settled)
    watch.table.arm_over = None
    watch.seconds(1)
    assert (watch.lying(), watch.gone, watch.settled) == (KNOWN, set(), settled + 1)


def test_a_thing_left_upon_a_pond_holds_the_game_up_for_a_while_only() -> None:
    watch = at_rest(LYING)
    settled = watch.settled
    watch.table.things = [CUP]
    watch.seconds(10)
    assert watch.settled == settled
    watch.seconds(10)
    assert watch.settled == settled + 1
    assert (watch.lying(), watch.gone) == (KNOWN, set())
    watch.table.tiles["indicator"] = Tile.RED
    watch.seconds(2)
    assert watch.lying() == KNOWN | {"indicator": "C"}
    assert watch.settled == settled + 2


def test_a_tile_taken_from_under_a_cup_is_missed_when_the_cup_is_gone() -> None:
    watch = at_rest(LYING)
    watch.table.things = [CUP]
    watch.seconds(20)
    watch.table.things = []
    del watch.table.tiles["pond 0"]
    watch.seconds(2)
    assert watch.lying() == {place: text for place, text in KNOWN.items() if place != "pond 0"}


def test_a_cup_put_down_on_bare_cloth_is_no_tile_and_hides_none() -> None:
    watch = at_rest(LYING)
    watch.table.things = [((-60.0, 60.0, 38.0), (40, 60, 150))]
    watch.seconds(5)
    assert (watch.lying(), watch.gone) == (KNOWN, set())
    assert isinstance(watch.told[-1], Settled)


def test_dusk_falls_slowly_and_nothing_is_told() -> None:
    watch = at_rest(LYING)
    told = len(watch.told)
    for number in range(300):
        watch.table.light = 1.0 - 0.6 * number / 300
        watch.picture()
    assert len(watch.told) == told
    watch.table.tiles["indicator"] = Tile.RED
    watch.seconds(1.5)
    assert watch.lying() == KNOWN | {"indicator": "C"}


@pytest.mark.parametrize("light", [0.5, 1.18])
def test_a_lamp_is_switched_and_all_tiles_keep_their_ids(light: float) -> None:
    watch = at_rest(LYING)
    known = dict(watch.known)
    watch.table.light = light
    watch.seconds(3)
    assert watch.known == known
    watch.table.tiles["indicator"] = Tile.RED
    watch.seconds(1.5)
    assert watch.lying() == KNOWN | {"indicator": "C"}
    assert isinstance(watch.told[-1], Settled)


def test_a_shadow_that_passes_takes_no_tile_away() -> None:
    watch = at_rest(LYING)
    for number in range(80):
        watch.table.shadow = -420.0 + 840.0 * number / 80
        watch.picture()
    watch.seconds(3)
    assert (watch.lying(), watch.gone) == (KNOWN, set())
    assert isinstance(watch.told[-1], Settled)


def test_a_tile_the_finder_overlooks_in_a_shadow_that_stays_is_still_there() -> None:
    watch = at_rest(LYING)
    watch.table.shadow = 60.0
    for _ in range(60):
        watch.picture(blind=("pond 0", "meld 2"))
    assert (watch.lying(), watch.gone) == (KNOWN, set())
    assert isinstance(watch.told[-1], Settled)


def test_a_tile_taken_in_the_shadow_is_missed() -> None:
    watch = at_rest(LYING)
    watch.table.shadow = 60.0
    watch.seconds(2)
    del watch.table.tiles["pond 0"]
    watch.seconds(2)
    assert "pond 0" not in watch.lying()


def test_a_tile_nudged_by_five_millimetres_is_the_same_tile() -> None:
    watch = at_rest(LYING)
    known = dict(watch.known)
    watch.table.nudged["pond 0"] = (-4.0, 3.0)
    watch.seconds(2)
    assert watch.known == known
    assert isinstance(watch.told[-1], Settled)


@pytest.mark.parametrize(("fps", "within_s"), [(10.0, 0.5), (5.0, 0.8), (3.0, 1.1), (2.0, 1.6)])
def test_a_discard_that_lies_a_second_and_a_half_is_read_by_a_slow_camera_too(
    fps: float, within_s: float
) -> None:
    steady = Steady(GEOMETRY, CELLS, settle_s=0.25, agreement=AGREEMENT)
    watch = Watch(Table(dict(LYING)), steady, step_s=1 / fps)
    watch.seconds(8)
    watch.table.tiles["pond 0 left"] = Tile.RED
    put_down = watch.at
    watch.seconds(3)
    (appeared,) = [one for one in watch.told if isinstance(one, Appeared) and one.tile == "C"]
    assert appeared.at - put_down <= within_s
