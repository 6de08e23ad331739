"""Joint decoding: a set has four of a kind, and the reading that is most likely wrong is the one in doubt."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.tiles import Tile
from vision.joint import FACES, ONE_SET, Limits, Reading, copies_left, unsure_together

P5, P6, P4 = Tile.parse("5p"), Tile.parse("6p"), Tile.parse("4p")


def read(face: Tile, confidence: float, *, instead: Tile | None = None, **more: float) -> Reading:
    """A reading of `face`; the rest of the probability is `instead`'s, or spread over everything."""
    chances = np.full(44, (1 - confidence) / 43)
    if instead is not None:
        chances[:] = 1e-6
        chances[instead] = 1 - confidence
    chances[face] = confidence
    return Reading(face, chances, **more)  # type: ignore[arg-type]


CERTAINTIES = st.floats(0.6, 0.99999)
READINGS = st.lists(
    st.builds(
        lambda face, confidence, named: (
            read(face, confidence) if named else Reading(None, np.full(44, 1 / 44))
        ),
        st.sampled_from((P4, P5, P6, Tile.EAST, Tile.PLUM, Tile.BACK)),
        CERTAINTIES,
        st.booleans() | st.just(value=True),
    ),
    max_size=24,
)


def sure_counts(readings: Sequence[Reading], unsure: frozenset[int]) -> Counter[Tile | None]:
    return Counter(r.name for k, r in enumerate(readings) if k not in unsure and r.name is not None)


@given(READINGS)
def test_no_face_is_sure_more_often_than_the_set_has_it(readings: list[Reading]) -> None:
    counts = sure_counts(readings, unsure_together(readings, Limits()))
    assert all(counts[face] <= ONE_SET[face] for face in FACES)


@given(READINGS, st.randoms(use_true_random=False))
def test_the_order_of_the_readings_does_not_matter(readings: list[Reading], random: object) -> None:
    order = list(range(len(readings)))
    random.shuffle(order)  # type: ignore[attr-defined]
    unsure = unsure_together(readings, Limits())
    again = unsure_together([readings[k] for k in order], Limits())
    assert {order[k] for k in again} == unsure


@given(READINGS)
def test_only_readings_of_a_face_there_is_too_much_of_become_unsure(readings: list[Reading]) -> None:
    before = Counter(r.name for r in readings if r.name is not None)
    unsure = unsure_together(readings, Limits())
    assert all(before[name] > ONE_SET[name] for k in unsure if (name := readings[k].name) is not None)


@given(READINGS)
def test_whoever_stays_sure_is_more_certain_than_whoever_does_not(readings: list[Reading]) -> None:
    unsure = unsure_together(readings, Limits())
    for face in FACES:
        odds = {
            k: max(r.chances[face] / (1 - r.chances[face]), 0)
            for k, r in enumerate(readings)
            if r.name is face
        }
        gone = [value for k, value in odds.items() if k in unsure]
        kept = [value for k, value in odds.items() if k not in unsure]
        assert not gone or not kept or max(gone) < min(kept)


@given(READINGS, st.data())
def test_more_certainty_makes_nothing_unsure_where_nothing_is_too_much(
    readings: list[Reading], data: st.DataObject
) -> None:
    counts = Counter(r.name for r in readings if r.name is not None)
    if not readings or any(counts[face] > ONE_SET[face] for face in FACES):
        return
    k = data.draw(st.integers(0, len(readings) - 1))
    name = readings[k].name
    if name is not None:
        readings[k] = read(name, 0.999999)
    assert unsure_together(readings, Limits()) == frozenset()


@given(
    st.lists(CERTAINTIES, min_size=5, max_size=7, unique_by=lambda p: round(float(np.log(p / (1 - p))) * 2))
)
def test_of_five_the_least_certain_is_the_one(confidences: list[float]) -> None:
    least = sorted(range(len(confidences)), key=lambda k: confidences[k])[: len(confidences) - 4]
    unsure = unsure_together([read(P5, p) for p in confidences], Limits())
    # Those that are nearly as certain as the last one go with it.
    edge = np.log(confidences[least[-1]] / (1 - confidences[least[-1]])) + 0.25
    nearly = {k for k, p in enumerate(confidences) if np.log(p / (1 - p)) < edge}
    assert set(least) <= unsure == nearly


def test_five_that_are_equally_certain_are_all_unsure() -> None:
    assert unsure_together([read(P5, 0.99)] * 5, Limits()) == frozenset(range(5))


def test_a_reading_that_can_be_nothing_else_stays() -> None:
    """All 6p lie there: what may only be one of them is a 5p; the one that may be a 4p is in doubt."""
    sixes = [read(P6, 0.9999)] * 4
    fives = [read(P5, 0.97, instead=P6), read(P5, 0.98, instead=P4), *[read(P5, 0.999)] * 3]
    assert unsure_together([*sixes, *fives], Limits()) == {5}
    assert unsure_together(fives, Limits()) == {0}


def test_what_a_tile_was_before_speaks_for_it() -> None:
    fives = [read(P5, 0.98, support=2.0), read(P5, 0.99), *[read(P5, 0.9999)] * 3]
    assert unsure_together(fives, Limits()) == {1}


def test_the_hidden_tiles_of_a_concealed_kong_count() -> None:
    kong = [read(P5, 0.999, stands_for=2)] * 2
    assert unsure_together(kong, Limits()) == frozenset()
    assert unsure_together([*kong, read(P5, 0.97)], Limits()) == {2}


def test_a_flower_lies_there_once_and_the_set_in_play_decides() -> None:
    flowers = [read(Tile.PLUM, 0.99), read(Tile.PLUM, 0.97)]
    assert unsure_together(flowers, Limits()) == {1}
    without = {tile: number for tile, number in ONE_SET.items() if not tile.is_flower}
    assert unsure_together(flowers, Limits(without)) == {0, 1}


def test_what_lies_elsewhere_is_not_to_be_had_again() -> None:
    left = copies_left(ONE_SET, [P5, P5])
    fives = [read(P5, 0.9), read(P5, 0.99), read(P5, 0.999)]
    assert unsure_together(fives, Limits(left)) == {0}


def test_backs_are_as_many_as_they_like() -> None:
    assert unsure_together([read(Tile.BACK, 0.9)] * 70, Limits()) == frozenset()


@pytest.mark.parametrize(("shown", "doubted"), [(14, 0), (15, 1), (16, 2)])
def test_a_hand_has_no_fifteenth_tile(shown: int, doubted: int) -> None:
    hand = [read(FACES[k], 1 - 0.3 / 2**k) for k in range(shown)]
    unsure = unsure_together(hand, Limits(groups=((frozenset(range(shown)), 14),)))
    assert unsure == frozenset(range(doubted))
