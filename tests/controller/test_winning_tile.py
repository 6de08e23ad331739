"""A win with a tile that was never read is asked about: exactly that tile, the likeliest first."""

from typing import Literal

import pytest
from test_doubts import HAND, Eyes, upright

from controller.public import DoubtItem, Settlement
from firmware_bridge.messages import KeyPressed
from firmware_bridge.states import Key
from rules.record import format_event
from vision.zones import table_point

WAITS_FOR_EW = "2p 3p 4p 2s 3s 4s 6s 7s 8s E E W W"


def settlement(eyes: Eyes) -> Settlement:
    shown = eyes.last("state/settlement")
    assert isinstance(shown, Settlement)
    return shown


def show_apart(eyes: Eyes, winner: int) -> None:
    """The winner lays his hand open, and W apart at its right."""
    eyes.show(winner, HAND)
    place = table_point(winner, -220.0 + 31.2 * 13 + 20.0, 382.0)  # type: ignore[arg-type]
    eyes.lay("W", *place, angle=upright(winner))


def likelihoods(item: DoubtItem) -> list[float]:
    return [chance for chance in item.likelihoods if chance is not None]


def test_a_discard_won_before_it_was_read_is_the_tile_that_lies_apart(eyes: Eyes) -> None:
    eyes.discard(0, "9m")
    eyes.look()
    show_apart(eyes, 2)
    eyes.look(6.0)
    item = eyes.doubt()
    assert item.kind == "winning_tile"
    assert item.candidates[0] == "二号位打西 (discards W)，三号位和二号位的西 (wins on W)"
    assert likelihoods(item)[0] > 0.9
    assert sum(likelihoods(item)) <= 1.0
    assert item.resolved_by == ("look", "person")
    (row,) = eyes.evening.log.doubts(1)
    assert (row.likelihoods, row.resolved_by) == (item.likelihoods, item.resolved_by)
    assert eyes.evening.log.outcomes() == []
    eyes.answer("choose", 0)
    (outcome,) = eyes.evening.log.outcomes()
    assert (outcome.how, outcome.winner, outcome.from_seat, outcome.tile) == ("won", 2, 1, "W")


@pytest.mark.parametrize("winner", [3, 0])
def test_who_could_not_have_drawn_the_tile_that_lies_apart_has_won_it(
    eyes: Eyes, winner: Literal[0, 3]
) -> None:
    """Seat 1 was to discard: of seats 3 and 0 more than one discard would have to lie there unread."""
    eyes.discard(0, "9m")
    eyes.look()
    show_apart(eyes, winner)
    eyes.look(3.0)
    assert eyes.evening.log.outcomes() == []
    eyes.look(6.0)
    (outcome,) = eyes.evening.log.outcomes()
    assert (outcome.how, outcome.winner, outcome.from_seat, outcome.tile) == ("won", winner, 1, "W")
    assert eyes.evening.log.doubts(1) == []


@pytest.mark.parametrize("winner", [3, 0])
def test_where_the_last_discard_has_the_winning_face_it_may_be_that_very_tile(
    eyes: Eyes, winner: Literal[0, 3]
) -> None:
    """After a dark stretch a discard that was taken may be thought to lie there still."""
    eyes.discard(0, "W")
    eyes.look()
    show_apart(eyes, winner)
    eyes.look(9.0)
    assert eyes.evening.log.outcomes() == []
    assert eyes.doubt().kind == "winning_tile"


def test_the_key_that_ends_the_hand_takes_nothing_from_the_question(eyes: Eyes) -> None:
    eyes.discard(0, "9m")
    eyes.look()
    show_apart(eyes, 2)
    eyes.look()
    eyes.evening.tell(KeyPressed(Key.LIFT, 1))
    eyes.evening.wait(6.0)
    assert eyes.doubt().kind == "winning_tile"


def test_a_discard_won_before_it_was_read_may_be_each_tile_of_the_hand(eyes: Eyes) -> None:
    eyes.discard(0, "9m")
    eyes.look()
    eyes.show(2, HAND + " W")
    eyes.look(6.0)
    item = eyes.doubt()
    assert len(likelihoods(item)) == len(item.candidates)
    assert likelihoods(item) == sorted(likelihoods(item), reverse=True)
    assert 0.5 < sum(likelihoods(item)) <= 1.0
    assert "西" in item.candidates[0]


def test_a_misread_discard_that_was_won_is_one_of_those_the_hand_waits_for(eyes: Eyes) -> None:
    eyes.discard(0, "S", candidates="S W")
    eyes.look()
    eyes.show(1, WAITS_FOR_EW)
    eyes.look(6.0)
    item = eyes.doubt()
    assert [text.rpartition("(")[2] for text in item.candidates] == [
        "wins on W)",
        "false win)",
        "wins on E)",
    ] or item.candidates[0].endswith("(wins on W)")
    assert sum(likelihoods(item)) <= 1.0
    assert eyes.evening.log.outcomes() == []
    eyes.answer("choose", 0)
    assert eyes.told()[0] == "discard 0 W"
    (outcome,) = eyes.evening.log.outcomes()
    assert (outcome.how, outcome.tile, sum(outcome.payments)) == ("won", "W", 0)
    assert settlement(eyes).tile == "W"


def test_the_question_ends_when_the_tile_is_read_after_all(eyes: Eyes) -> None:
    number = eyes.discard(0, "S")
    eyes.look()
    eyes.show(1, WAITS_FOR_EW)
    eyes.look(6.0)
    assert eyes.doubt().kind == "winning_tile"
    eyes.take(number)
    eyes.discard(0, "W")
    eyes.look(16.0)
    (outcome,) = eyes.evening.log.outcomes()
    assert (outcome.how, outcome.tile) == ("won", "W")
    assert [format_event(event) for event in eyes.evening.session.table.log][2] == "discard 0 W"
