"""The camera goes dark at any moment: what was not certain then is looked at again when it is back."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from steady_table import ACTIONS, Watch, at_rest, do, texts

from rules.tiles import Tile
from vision.observations import Settled

DARK_S = 4.0


def true_whenever_at_rest(watch: Watch, pictures: int) -> None:
    """Whenever the table is told to be at rest, what lies there has been told; in the end it is at rest."""
    for _ in range(pictures):
        settled = watch.settled
        watch.picture()
        if watch.settled > settled:
            assert watch.lying() == texts(watch.table.tiles)
    assert isinstance(watch.told[-1], Settled)


@pytest.mark.parametrize("seen", range(8))
def test_a_tile_taken_so_many_pictures_before_the_dark_is_missed_afterwards(seen: int) -> None:
    watch = at_rest({"pond 0": Tile.P5, "pond 1": Tile.M1})
    del watch.table.tiles["pond 0"]
    watch.pictures(seen)
    watch.dark(DARK_S)
    true_whenever_at_rest(watch, 12)
    assert watch.lying() == {"pond 1": "1m"}


@pytest.mark.parametrize("seen", range(8))
def test_a_tile_put_down_so_many_pictures_before_the_dark_is_told_afterwards(seen: int) -> None:
    watch = at_rest({"pond 1": Tile.M1})
    watch.table.tiles["pond 0"] = Tile.P5
    watch.pictures(seen)
    watch.dark(DARK_S)
    true_whenever_at_rest(watch, 12)
    assert watch.lying() == {"pond 0": "5p", "pond 1": "1m"}


@pytest.mark.parametrize("seen", range(6))
def test_a_tile_taken_from_under_an_arm_before_the_dark_is_missed_afterwards(seen: int) -> None:
    watch = at_rest({"pond 0": Tile.P5, "pond 1": Tile.M1})
    watch.table.arm_over = "pond 0"
    watch.pictures(5)
    del watch.table.tiles["pond 0"]
    watch.table.arm_over = None
    watch.pictures(seen)
    watch.dark(DARK_S)
    true_whenever_at_rest(watch, 12)
    assert watch.lying() == {"pond 1": "1m"}


@settings(max_examples=60, deadline=None)
@given(ACTIONS, st.lists(st.integers(0, 6), min_size=8, max_size=8), st.integers(0, 7))
@example([("put", "pond 0", Tile.P5), ("take", "pond 0", None)], [6] * 8, 1)
def test_the_dark_may_come_at_any_moment_and_what_is_told_in_the_end_is_what_lies_there(
    actions: list[tuple[str, str | None, Tile | None]], pauses: list[int], dark_after: int
) -> None:
    watch = at_rest()
    for number, (action, pause) in enumerate(zip(actions, pauses, strict=False)):
        do(watch.table, action)
        if number != dark_after:
            watch.pictures(pause)
            continue
        watch.pictures(pause // 2)
        watch.dark(DARK_S)
    watch.table.arm_over = None
    watch.pictures(15)
    assert watch.lying() == texts(watch.table.tiles)
