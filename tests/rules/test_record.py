"""A deal written as text reads back to the same events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rules.events import DealStarted, Drew, FlowerShown, Won
from rules.record import format_event, format_record, parse_event, parse_record
from rules.sets import load
from rules.table import replay
from rules.tiles import Seat, Tile, parse_tiles

if TYPE_CHECKING:
    from random_dealer import PlayDeal

LINES = """\
deal 2
deal 0 dice 3 4 kept 2
deal 3 dice 6 1
deal 1 kept 12 hands 123m | E | 5p ? | back 1f
indicator 1m
draw 1
draw 1 5p
draw 1 5p replacement
draw 1 replacement
discard 3 back
claim 1 chi 456p took 5p from 0
declare 1 added_kong 5p
declare 1 concealed_kong E
win 2 hand 123m 55p on 5p from 1
win 2 hand 123m 55p on ?
win 2 hand on ?
exhausted
flower 1 1f
flower 3 8f for 5p
false_win 2 hand 123m 55p
false_win 1 hand
barred 2 because a tile too many
"""


def test_every_kind_of_line_reads_back() -> None:
    assert format_record(parse_record(LINES)) == LINES


def test_a_line_says_what_its_words_say() -> None:
    deal, replaced, won, self_drawn, flower = parse_record(
        "deal 0 dice 6 1 kept 2\ndraw 1 5p replacement\nwin 2 hand 123m 55p on 5p from 1\n"
        "win 2 hand 5p on 5p\nflower 1 8f for 5p"
    )
    assert deal == DealStarted(Seat.S0, (6, 1), 2)
    assert replaced == Drew(Seat.S1, Tile.P5, replacement=True)
    assert won == Won(Seat.S2, parse_tiles("123m 55p"), Tile.P5, Seat.S1)
    assert self_drawn == Won(Seat.S2, (Tile.P5,), Tile.P5, None)
    assert flower == FlowerShown(Seat.S1, Tile.WINTER, Tile.P5)


def test_empty_lines_and_remarks_are_skipped() -> None:
    assert parse_record("# a remark\n\nexhausted\n") == parse_record("exhausted")


@pytest.mark.parametrize("seed", range(5))
def test_a_whole_deal_reads_back_and_replays_to_the_same_state(seed: int, play_deal: PlayDeal) -> None:
    rules = load("cixi-card")
    *_, (_, _, state) = play_deal(rules, seed)
    text = format_record(state.log)
    assert parse_record(text) == state.log
    assert replay(parse_record(text), rules) == state


@pytest.mark.parametrize(
    "line",
    ["", "sleep", "discard 4 5p", "discard 1 5x", "claim 1 pung 555p took 5p from 0", "draw 1 5p again"],
)
def test_a_line_that_is_no_event_is_refused_with_its_text(line: str) -> None:
    with pytest.raises(ValueError, match="not an event") as error:
        parse_event(line)
    assert "\n" not in str(error.value)


def test_one_event_is_one_line() -> None:
    assert all("\n" not in format_event(event) for event in parse_record(LINES))
