"""A doubtful tile makes those names doubtful that it wavers between, where they are near."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.models.longzhuo840 import MODEL
from rules.tiles import Tile
from vision.joint import ONE_SET, Chances, Reading
from vision.joint_doubts import confused, too_near
from vision.observations import Appeared, Observation, Vanished
from vision.steady_evidence import Agreement
from vision.steady_tracks import Look, Sighting, Tracks

AGREEMENT = Agreement(reads=2, spacing_s=0.1, confidence=0.95, patience_s=1.0)
EAST, SOUTH, P5 = Tile.EAST, Tile.SOUTH, Tile.P5
BIRD, PLUM = Tile.S1, Tile.PLUM


def chances(**by_name: float) -> Chances:
    made = np.full(44, 1e-7)
    for name, chance in by_name.items():
        made[Tile[name]] = chance
    return made


WAVERING = chances(EAST=0.6, SOUTH=0.4)


@pytest.mark.parametrize(("south", "fallen"), [(1e-6, {1}), (0.0015, {1}), (0.003, {0, 1}), (0.04, {0, 1})])
def test_a_name_stands_only_far_apart_from_what_another_tile_wavers_between(
    south: float, fallen: set[int]
) -> None:
    readings = [Reading(EAST, chances(EAST=1 - south, SOUTH=south)), Reading(SOUTH, WAVERING)]
    assert too_near(readings, [WAVERING], ONE_SET) == fallen


def test_where_no_tile_wavers_every_name_stands() -> None:
    assert not too_near([Reading(EAST, chances(EAST=0.95, SOUTH=0.05))], [], ONE_SET)


def test_doubts_about_other_faces_do_not_count() -> None:
    reading = Reading(EAST, chances(EAST=0.96, SOUTH=0.03, P5=0.01))
    assert not too_near([reading], [chances(S1=0.6, PLUM=0.4), chances(SOUTH=0.5, P5=0.5)], ONE_SET)


def test_a_doubt_with_one_likely_face_is_about_it_and_the_next() -> None:
    assert confused([chances(S1=0.94, PLUM=0.05, EAST=0.01)]) == {(BIRD, PLUM), (PLUM, BIRD)}


def test_what_was_relied_on_before_may_be_nearer() -> None:
    far = chances(EAST=0.99, SOUTH=0.01)
    new, known = Reading(EAST, far), Reading(EAST, far, support=2.0)
    assert too_near([new, known], [WAVERING], ONE_SET) == {0}


def test_a_flower_that_a_doubtful_tile_may_be_too_must_be_very_far_from_it() -> None:
    flower = Reading(PLUM, chances(PLUM=0.999, S1=0.0005))
    plain = Reading(PLUM, chances(PLUM=0.999999, S1=1e-6))
    assert too_near([flower], [chances(S1=0.6, PLUM=0.39)], ONE_SET) == {0}
    assert too_near([plain], [chances(S1=0.6, PLUM=0.39)], ONE_SET) == set()
    assert too_near([flower], [chances(S1=0.92, PLUM=0.07)], ONE_SET) == set()


def test_of_four_tiles_and_a_doubtful_fifth_the_names_must_be_very_far_from_it() -> None:
    easts = [Reading(EAST, chances(EAST=0.999, SOUTH=0.0005)) for _ in range(4)]
    assert too_near(easts, [WAVERING], ONE_SET) == {0, 1, 2, 3}
    assert too_near(easts[:3], [WAVERING], ONE_SET) == set()


@given(st.lists(st.floats(1e-6, 1.0), min_size=44, max_size=44), st.floats(0.5, 0.9999))
def test_more_doubts_never_make_a_name_stand(other: list[float], sure: float) -> None:
    readings = [Reading(EAST, chances(EAST=sure, SOUTH=1 - sure)), Reading(P5, chances(P5=sure, P6=1 - sure))]
    doubts = [WAVERING, np.asarray(other) / sum(other)]
    assert too_near(readings, doubts[:1], ONE_SET) <= too_near(readings, doubts, ONE_SET)


def told(seen: dict[float, Chances], *, before: Tracks | None = None, at: float = 0.0) -> dict[float, str]:
    """What a table with tiles at some x of a pond is told to show when it has settled."""
    tracks = before or Tracks(MODEL, AGREEMENT)
    observations: list[Observation] = []
    for number in range(8):
        sightings = [Sighting(x, 184.0, 0.0, np.log(chance)) for x, chance in seen.items()]
        observations += tracks.take(
            at + 0.2 * number, sightings, covered=lambda *_: True, look=lambda _: Look.EMPTY
        )
    observations += tracks.settle(at + 2.0)
    lying: dict[int, Appeared] = {}
    for one in observations:
        if isinstance(one, Appeared):
            lying[one.id] = one
        elif isinstance(one, Vanished):
            lying.pop(one.id, None)
    return {one.x: one.tile for one in lying.values()}


def test_a_settled_table_tells_no_name_that_its_own_doubts_concern() -> None:
    near, far = chances(SOUTH=0.9978, EAST=0.0022), chances(SOUTH=0.9999, EAST=1e-5)
    assert told({0.0: near, 40.0: far, 80.0: WAVERING}) == {0.0: "?", 40.0: "S", 80.0: "?"}
    assert told({0.0: near, 40.0: far}) == {0.0: "S", 40.0: "S"}


def test_a_name_is_told_when_the_doubt_is_gone() -> None:
    tracks = Tracks(MODEL, AGREEMENT)
    near = chances(SOUTH=0.9978, EAST=0.0022)
    assert told({0.0: near, 80.0: WAVERING}, before=tracks) == {0.0: "?", 80.0: "?"}
    assert told({0.0: near}, before=tracks, at=10.0) == {0.0: "S"}
