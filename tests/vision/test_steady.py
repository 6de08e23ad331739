"""Laws of the eyes' memory: what appears was read often enough, what is hidden stays, what is told is true.

A small drawn table (480 x 270) gives the looks; the readings are the truth, spoilt as the test wants.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from steady_table import (
    ACTIONS,
    AGREEMENT,
    CELLS,
    GEOMETRY,
    STEP_S,
    Watch,
    at_rest,
    do,
    in_a_part,
    sighting,
    texts,
)

from rules.tiles import Tile
from vision.observations import Appeared, Settled
from vision.steady import Steady
from vision.steady_evidence import NOT_A_TILE
from vision.steady_gate import looks_of


def test_a_tile_appears_after_it_was_still_and_two_readings_agreed() -> None:
    watch = at_rest()
    put_down = watch.at
    watch.table.tiles["pond 0"] = Tile.P5
    watch.pictures(8)
    (appeared,) = [o for o in watch.told if isinstance(o, Appeared)]
    assert (appeared.tile, round(appeared.x), round(appeared.y)) == ("5p", 0, 184)
    assert appeared.at - put_down == pytest.approx(0.3)  # still for 0.2 s, read twice 0.1 s apart
    assert watch.told[-1] == Settled(at=appeared.at)


def test_an_idle_table_reads_nothing() -> None:
    watch = at_rest({"pond 0": Tile.M1, "indicator": Tile.P5})
    watch.parts = 0
    told = len(watch.told)
    watch.pictures(30)
    assert watch.parts == 0
    assert len(watch.told) == told


def test_only_the_part_that_changed_is_read() -> None:
    watch = at_rest({"pond 1": Tile.M1})
    watch.table.tiles["meld 2"] = Tile.P5
    for _ in range(8):
        plan = watch.steady.look(watch.at, looks_of(watch.table.picture()))
        assert not in_a_part(plan, "pond 1")
        for observation in watch.steady.take(plan, [sighting("meld 2", Tile.P5)] if plan.parts else []):
            watch.keep(observation)
        watch.at += STEP_S
    assert watch.lying() == {"pond 1": "1m", "meld 2": "5p"}


def test_readings_closer_together_than_the_spacing_count_once() -> None:
    watch = Watch(steady=Steady(GEOMETRY, CELLS, settle_s=0.2, agreement=replace(AGREEMENT, spacing_s=0.35)))
    watch.pictures(12)
    watch.table.tiles["pond 0"] = Tile.P5
    put_down = watch.at
    watch.pictures(12)
    (appeared,) = watch.known.values()
    assert appeared.at - put_down >= 0.2 + 0.35 - 1e-6


def test_a_moved_tile_vanishes_and_appears_under_another_id() -> None:
    watch = at_rest({"pond 0": Tile.P5})
    (before,) = watch.known
    watch.table.tiles = {"meld 2": Tile.P5}
    watch.pictures(8)
    (after,) = watch.known
    assert watch.gone == {before}
    assert after != before
    assert isinstance(watch.told[-1], Settled)


def test_a_tile_under_a_resting_arm_stays_and_the_table_does_not_settle() -> None:
    watch = at_rest({"pond 0": Tile.P5})
    settled = watch.settled
    watch.table.arm_over = "pond 0"
    watch.pictures(40)
    assert watch.lying() == {"pond 0": "5p"}
    assert watch.settled == settled
    watch.table.arm_over = None
    watch.pictures(8)
    assert watch.settled == settled + 1
    assert not watch.gone


def test_a_tile_taken_by_an_arm_vanishes_when_the_arm_is_gone() -> None:
    watch = at_rest({"pond 0": Tile.P5, "pond 1": Tile.M1})
    watch.table.arm_over = "pond 0"
    watch.pictures(5)
    del watch.table.tiles["pond 0"]
    watch.pictures(5)
    assert not watch.gone
    watch.table.arm_over = None
    watch.pictures(6)
    assert watch.lying() == {"pond 1": "1m"}


def test_a_tile_taken_from_between_two_others_vanishes() -> None:
    watch = at_rest({"pond 0": Tile.P5, "pond 0 beside": Tile.M1, "pond 0 left": Tile.S9})
    del watch.table.tiles["pond 0"]
    watch.pictures(8)
    assert watch.lying() == {"pond 0 beside": "1m", "pond 0 left": "9s"}
    assert isinstance(watch.told[-1], Settled)


def test_an_arm_that_rests_over_plain_cloth_keeps_the_table_unsettled() -> None:
    watch = at_rest()
    settled = watch.settled
    watch.table.arm_over = "pond 0"
    watch.pictures(15)
    assert watch.settled == settled


def test_a_tile_the_finder_overlooks_stays_while_its_place_looks_the_same() -> None:
    watch = at_rest({"pond 0": Tile.P5})
    watch.table.tiles["pond 0 beside"] = Tile.M1
    for _ in range(10):
        watch.picture(blind=("pond 0",))
    assert watch.lying() == {"pond 0": "5p", "pond 0 beside": "1m"}
    assert isinstance(watch.told[-1], Settled)


def test_a_single_wrong_reading_is_outvoted() -> None:
    watch = at_rest()
    watch.table.tiles["pond 0"] = Tile.P5
    watch.pictures(2)
    watch.picture(taken_for={"pond 0": Tile.M1})
    watch.pictures(15)
    assert watch.lying() == {"pond 0": "5p"}
    assert not watch.gone


def test_readings_that_stay_unsure_are_told_as_unsure_with_candidates() -> None:
    watch = at_rest()
    watch.table.tiles["pond 0"] = Tile.P5
    for _ in range(20):
        watch.picture(sure=0.6)
    (appeared,) = watch.known.values()
    assert appeared.tile == "?"
    face, chance = appeared.candidates[0]
    assert face == "5p"
    assert chance == pytest.approx(0.6, abs=0.01)
    assert isinstance(watch.told[-1], Settled)


def test_a_tile_told_as_unsure_is_read_again_until_it_is_sure() -> None:
    watch = at_rest()
    watch.table.tiles["pond 0"] = Tile.P5
    for _ in range(30):
        watch.picture(sure=0.6)
    assert watch.lying() == {"pond 0": "?"}
    watch.pictures(150)
    assert watch.lying() == {"pond 0": "5p"}
    parts = watch.parts
    watch.pictures(30)
    assert watch.parts == parts


def test_a_tile_that_stays_unsure_on_an_idle_table_is_read_seldomer_and_at_once_when_something_changes() -> (
    None
):
    watch = at_rest()
    watch.table.tiles["pond 0"] = Tile.P5
    watch.step_s = 0.5
    read = []
    for _ in range(4):
        parts = watch.parts
        for _ in range(60):
            watch.picture(sure=0.6)
        read.append(watch.parts - parts)
    assert watch.lying() == {"pond 0": "?"}
    assert read[0] > 15
    assert 6 <= read[-1] <= 7
    watch.table.nudged["pond 0"] = (3.0, 0.0)
    parts = watch.parts
    watch.pictures(5)
    assert watch.parts > parts


def test_another_face_at_the_same_place_is_told_anew() -> None:
    watch = at_rest({"pond 0": Tile.P5})
    watch.table.tiles["pond 0"] = Tile.WHITE
    watch.pictures(10)
    assert watch.lying() == {"pond 0": "5p"}
    watch.pictures(30)
    assert watch.lying() == {"pond 0": "P"}
    assert len(watch.gone) == 1


def test_a_face_told_at_rest_is_not_changed_by_what_is_read_while_something_half_covers_it() -> None:
    watch = at_rest({"pond 0": Tile.P5})
    settled = watch.settled
    watch.table.tiles["pond 0"] = Tile.WHITE  # as it looks under a sleeve
    for _ in range(15):
        watch.picture(taken_for={"pond 0": Tile.M1})
    assert watch.settled == settled
    watch.table.tiles["pond 0"] = Tile.P5
    watch.pictures(6)
    assert watch.lying() == {"pond 0": "5p"}
    assert not watch.gone
    assert watch.settled == settled + 1


def test_a_tile_laid_beside_somebodys_belongings_is_read() -> None:
    watch = Watch()
    watch.table.arm_over = "pond 0"  # something that stays
    watch.pictures(60)
    watch.table.tiles["pond 1"] = Tile.M1
    watch.pictures(8)
    assert watch.lying() == {"pond 1": "1m"}
    assert isinstance(watch.told[-1], Settled)


def test_things_that_are_no_tiles_never_appear() -> None:
    watch = at_rest()
    watch.table.tiles["loose"] = Tile.M1
    plan_sightings = [
        replace(sighting("loose", Tile.M1), log_probabilities=np.log(np.eye(44)[NOT_A_TILE] + 1e-6))
    ]
    for _ in range(50):
        plan = watch.steady.look(watch.at, looks_of(watch.table.picture()))
        for observation in watch.steady.take(plan, plan_sightings):
            watch.keep(observation)
        watch.at += STEP_S
    assert not watch.known
    assert isinstance(watch.told[-1], Settled)


def test_a_knocked_camera_reads_everything_again_and_keeps_the_ids() -> None:
    watch = at_rest({"pond 0": Tile.P5, "meld 2": Tile.BACK})
    before = dict(watch.known)
    watch.steady.move(CELLS)
    watch.parts = 0
    watch.pictures(8)
    assert watch.parts > 0
    assert watch.known == before


@settings(max_examples=40, deadline=None)
@given(ACTIONS, st.lists(st.integers(1, 6), min_size=8, max_size=8))
def test_whatever_happens_what_is_told_in_the_end_is_what_lies_there(
    actions: list[tuple[str, str | None, Tile | None]], pauses: list[int]
) -> None:
    watch = at_rest()
    for action, pause in zip(actions, pauses, strict=False):
        do(watch.table, action)
        watch.pictures(pause)
    watch.table.arm_over = None
    watch.pictures(15)
    assert watch.lying() == texts(watch.table.tiles)
    assert watch.settled > 0


@settings(max_examples=40, deadline=None)
@given(ACTIONS, st.lists(st.integers(1, 6), min_size=8, max_size=8))
def test_a_settled_table_was_told_truly_and_nothing_untouched_ever_vanishes(
    actions: list[tuple[str, str | None, Tile | None]], pauses: list[int]
) -> None:
    watch = at_rest({"pond 1": Tile.S9})
    (kept,) = watch.known
    for action, pause in zip(actions, pauses, strict=False):
        if "pond 1" in action and action[0] != "cover":
            continue
        do(watch.table, action)
        for _ in range(pause):
            before = len(watch.told)
            watch.picture()
            if any(isinstance(observation, Settled) for observation in watch.told[before:]):
                lying = watch.lying()
                truth = texts(watch.table.tiles)
                # Racks are always touched: a hand that is just being laid open is not waited for.
                assert lying == {
                    place: text for place, text in truth.items() if place in lying or "hand" not in place
                }
    assert kept in watch.known


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["seen", "overlooked", "mistaken"]), min_size=1, max_size=12))
def test_nothing_appears_without_two_agreeing_readings_in_a_row(readings: list[str]) -> None:
    watch = at_rest()
    watch.table.tiles["pond 0"] = Tile.P5
    watch.pictures(1)
    faces: list[str] = []
    for reading in readings:
        named = {"pond 0": Tile.P5 if reading == "seen" else Tile.M1}
        plan = watch.steady.look(watch.at, looks_of(watch.table.picture()))
        seen = [] if reading == "overlooked" else [sighting("pond 0", named["pond 0"])]
        if plan.parts and seen:
            faces.append(str(named["pond 0"]))
        before = set(watch.known)
        for observation in watch.steady.take(plan, seen if plan.parts else []):
            watch.keep(observation)
        for number in set(watch.known) - before:
            tile = watch.known[number].tile
            assert tile == "?" or faces[-2:] == [tile, tile]
        watch.at += STEP_S
