"""When repeated readings of one tile are sure."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from rules.tiles import Tile
from vision.steady_evidence import CLASSES, Agreement, Evidence, Standing

FREELY = (Tile.S1, Tile.EAST, Tile.WEST, Tile.RED, Tile.GREEN, Tile.PLUM, Tile.WINTER)
AGREEMENT = Agreement(reads=2, spacing_s=0.1, confidence=0.95, patience_s=2.0)


def reading(best: Tile, confidence: float, second: float = 0.0) -> npt.NDArray[np.float64]:
    """Log-probabilities with `confidence` for one face, `second` for the next, the rest spread evenly."""
    chances = np.full(CLASSES, (1 - confidence - second) / (CLASSES - 2))
    chances[best], chances[(best + 1) % CLASSES] = confidence, second
    return np.asarray(np.log(np.maximum(chances, 1e-6)), np.float64)


def standings(log_probabilities: npt.NDArray[np.float64], count: int) -> list[Standing]:
    evidence = Evidence(first_at=0.0)
    told = []
    for number in range(count):
        evidence.add(number * 0.1, log_probabilities, AGREEMENT)
        told.append(evidence.standing(number * 0.1, AGREEMENT))
    return told


def test_two_readings_over_the_confidence_are_sure() -> None:
    assert standings(reading(Tile.S3, 0.96), 2) == [Standing.OPEN, Standing.SURE]


def test_a_face_far_before_all_others_is_sure_after_many_readings() -> None:
    told = standings(reading(Tile.S2, 0.93, 0.01), 6)
    assert told[:3] == [Standing.OPEN] * 3
    assert told[3] is Standing.SURE


@given(st.sampled_from(FREELY), st.floats(0.5, 0.949), st.integers(1, 60))
def test_a_face_that_makers_draw_freely_gets_no_surer_by_being_looked_at_again(
    face: Tile, confidence: float, count: int
) -> None:
    assert Standing.SURE not in standings(reading(face, confidence), count)


def test_a_face_that_makers_draw_freely_is_not_sure_beside_another_such_face() -> None:
    chances = np.full(CLASSES, 1e-6)
    chances[Tile.EAST], chances[Tile.SOUTH] = 0.97, 0.03
    assert Standing.SURE not in standings(np.log(chances), 60)
    chances[Tile.SOUTH], chances[Tile.P1] = 1e-6, 0.03
    assert standings(np.log(chances), 2)[1] is Standing.SURE


def test_a_wind_must_be_farther_from_another_wind_than_from_other_faces() -> None:
    chances = np.full(CLASSES, 1e-6)
    chances[Tile.SOUTH], chances[Tile.EAST] = 0.995, 0.005
    assert Standing.SURE not in standings(np.log(chances), 60)
    chances[Tile.EAST], chances[Tile.PLUM] = 1e-6, 0.005
    assert standings(np.log(chances), 2)[1] is Standing.SURE


def test_a_white_dragon_is_not_sure_where_it_may_be_a_back() -> None:
    chances = np.full(CLASSES, 1e-6)
    chances[Tile.WHITE], chances[Tile.BACK] = 0.985, 0.015
    assert Standing.SURE not in standings(np.log(chances), 60)
    chances[Tile.WHITE], chances[Tile.BACK] = 0.995, 0.005
    assert standings(np.log(chances), 2)[1] is Standing.SURE


def test_no_face_is_sure_where_it_may_be_one_that_makers_draw_freely() -> None:
    chances = np.full(CLASSES, 1e-6)
    chances[Tile.P6], chances[Tile.PLUM] = 0.97, 0.03
    assert Standing.SURE not in standings(np.log(chances), 60)
    chances[Tile.PLUM], chances[Tile.P5] = 1e-6, 0.03
    assert standings(np.log(chances), 2)[1] is Standing.SURE


def test_a_near_rival_is_never_sure_however_often_it_is_read() -> None:
    assert Standing.SURE not in standings(reading(Tile.P7, 0.81, 0.18), 60)


@given(st.floats(0.03, 0.94), st.floats(0.0, 0.5), st.integers(1, 12))
def test_nothing_is_sure_below_both_bounds(confidence: float, second: float, count: int) -> None:
    second = min(second, 1 - confidence)
    told = standings(reading(Tile.M1, confidence, second), count)
    clear = confidence >= 0.8 and second <= confidence / 20
    assert clear or Standing.SURE not in told


def test_readings_that_change_their_mind_are_not_sure() -> None:
    evidence = Evidence(first_at=0.0)
    for number in range(8):
        evidence.add(number * 0.1, reading((Tile.S1, Tile.S7)[number % 2], 0.99), AGREEMENT)
    assert evidence.standing(0.8, AGREEMENT) is Standing.OPEN
