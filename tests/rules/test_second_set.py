"""Another game is only another rule set: 144 tiles, flowers, no wild tile, a minimum, other payments.

Whole deals of it run through the same engine, tracker search and settlement as every other game.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rules.events import (
    Claimed,
    Discarded,
    Event,
    FalseWin,
    FlowerShown,
    IllegalEvent,
    MeldKind,
    WallExhausted,
    Won,
)
from rules.explain import Seen, explain
from rules.hand import Form, forms
from rules.record import format_record, parse_record
from rules.ruleset import RuleSet
from rules.scoring import settle
from rules.settlement import Line, Settlement
from rules.state import Balances, Phase, TableState, public
from rules.table import apply, options, replay
from rules.tiles import SEATS, Seat, Tile, parse_tiles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from random_dealer import PlayDeal

MINIMUM = 2


def lines(state: TableState, won: Won) -> tuple[Line, ...]:
    hand = state.hands[won.seat]
    if len(won.hand) + 3 * len(hand.melds) != 14:
        return ()
    complete = forms(won.hand, hand.melds)
    found = [
        (Form.TRIPLETS in complete, Line("碰碰和", "all triplets", 3, "2")),
        (Form.SEVEN_PAIRS in complete, Line("七对", "seven pairs", 3, "3")),
        (Form.STANDARD in complete, Line("平和", "plain", 1, "1")),
        (won.from_seat is None, Line("自摸", "self-draw", 1, "4")),
    ]
    flowers = [Line(flower.zh, "flower", 1, "5") for flower in hand.flowers]
    return (*(line for holds, line in found if holds), *flowers) if complete else ()


def refuses_win(state: TableState, won: Won) -> str | None:
    value = sum(line.value for line in lines(state, won))
    return None if value >= MINIMUM else f"{value} points, the minimum is {MINIMUM}"


def account(
    before: TableState, won: Won, _balances: Balances | None, _answers: Mapping[str, str]
) -> Settlement:
    found = lines(before, won)
    value = sum(line.value for line in found)
    losers = [seat for seat in SEATS if seat is not won.seat and won.from_seat in {None, seat}]
    first, second, third, fourth = (
        value * len(losers) if seat is won.seat else -value * (seat in losers) for seat in SEATS
    )
    return Settlement(
        winner=won.seat,
        from_seat=won.from_seat,
        how="discard" if won.from_seat is not None else "selfdraw",
        hand=won.hand,
        melds=before.hands[won.seat].melds,
        tile=won.tile,
        lines=found,
        dragons=0,
        total=value,
        unit=None,
        point_each=value,
        payments=(first, second, third, fourth),
    )


GARDEN = RuleSet(
    name="garden",
    zh="花园",
    en="garden",
    tiles=(*(Tile(kind) for kind in range(34) for _ in range(4)), *(Tile(kind) for kind in range(34, 42))),
    claims={MeldKind.PENG: 1, MeldKind.KONG: 1},
    wild_of=None,
    claims_per_opponent=None,
    reserve=lambda kongs: 14 + kongs,
    start_points=500,
    first_dealer={die: die % 4 for die in range(1, 7)},
    refuses_win=refuses_win,
    win_rank=lambda _state, _won: 1,
    may_discard=lambda _state, _seat, tile: not tile.is_flower,
    refuses_claim=lambda _state, _claim: None,
    settle=account,
    next_dealer=lambda state: state.dealer.next,
    match_over=lambda balances, _settlement: min(balances) < 0,
    fine=None,
)


@pytest.mark.parametrize("seed", range(40))
def test_whole_deals_run_through_the_same_engine(seed: int, play_deal: PlayDeal) -> None:
    for _, _, state in play_deal(GARDEN, seed):
        known = Counter(tile for pond in state.ponds for tile in pond)
        for hand in state.hands:
            known.update([*hand.concealed, *hand.flowers, *(t for meld in hand.melds for t in meld.tiles)])
        assert known.total() + state.wall.left == 144
        assert all(number <= (1 if tile.is_flower else 4) for tile, number in known.items())
    assert state.phase is Phase.OVER
    assert replay(public(state).log, GARDEN) == public(state)
    assert parse_record(format_record(state.log)) == state.log
    if isinstance(state.result, Won):
        assert sum(settle(state, GARDEN).payments) == 0
    else:
        assert isinstance(state.result, WallExhausted)
        assert state.wall.left <= 14 + state.kongs


def test_a_flower_that_is_the_last_tile_of_the_wall_stays_in_hand() -> None:
    hidden = " | ".join(["?" * 13] * 3)
    state = replay(parse_record(f"deal 0 hands 123m 456p 789s EEE 5p 1f | {hidden}"), GARDEN)
    assert options(state, Seat.S0, GARDEN) == (FlowerShown(Seat.S0, Tile.PLUM),)
    empty = replace(state, wall=replace(state.wall, drawn=144))
    moves = options(empty, Seat.S0, GARDEN)
    assert {type(move) for move in moves} == {Discarded}
    assert Discarded(Seat.S0, Tile.PLUM) not in moves
    for wrong in (FlowerShown(Seat.S0, Tile.PLUM), Won(Seat.S0, state.hands[0].concealed)):
        with pytest.raises(IllegalEvent, match="flower"):
            apply(empty, wrong, GARDEN)


def test_a_flower_may_replace_a_flower_or_the_fourth_tile_of_a_kong() -> None:
    state = replay(parse_record("deal 0\nflower 0 1f for 2f\nflower 0 2f for 5p\n"), GARDEN)
    assert (len(state.hands[0].flowers), state.wall.left, state.drawn) == (2, 144 - 53 - 2, Tile.P5)
    kong = parse_record("declare 0 concealed_kong E\ndraw 0 3f replacement\nflower 0 3f for 6p\ndiscard 0 6p")
    for event in kong:
        state = apply(state, event, GARDEN)
    assert (len(state.hands[0].flowers), state.phase, state.wall.left) == (3, Phase.CLAIM, 144 - 53 - 4)


def test_some_of_those_deals_are_won(play_deal: PlayDeal) -> None:
    ends = [list(play_deal(GARDEN, seed))[-1][2].result for seed in range(40)]
    assert any(isinstance(result, Won) for result in ends)


def test_a_flower_seen_beside_the_sets_implies_the_draw_before_it() -> None:
    state = replay(parse_record("deal 0\ndiscard 0 5p"), GARDEN)
    seen = Seen(meld_added=((Seat.S1, (Tile.PLUM,)),), pond_added=((Seat.S1, Tile.EAST),))
    assert explain(state, seen, GARDEN) == (parse_record("draw 1\nflower 1 1f\ndiscard 1 E"),)


@pytest.mark.parametrize(
    "event",
    [
        Claimed(Seat.S1, MeldKind.CHI, parse_tiles("456p"), Tile.P5, Seat.S0),
        Won(Seat.S1, parse_tiles("123m 456p 789s EEE 55p"), Tile.P5, Seat.S0),
        FalseWin(Seat.S1),
        FlowerShown(Seat.S1, Tile.PLUM),
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_this_game_does_not_know_is_refused(event: Event) -> None:
    state = replay(parse_record("deal 0\ndiscard 0 5p"), GARDEN)
    with pytest.raises(IllegalEvent):
        apply(state, event, GARDEN)


def test_a_flower_can_be_shown_by_anybody_before_the_first_discard_only() -> None:
    state = replay(parse_record("deal 0\nflower 2 1f"), GARDEN)
    assert state.hands[2].flowers == (Tile.PLUM,)
    assert state.wall.left == 144 - 53 - 1
    for wrong in ("flower 2 1f", "flower 0 5p"):
        with pytest.raises(IllegalEvent):
            apply(state, parse_record(wrong)[0], GARDEN)
    later = replay(parse_record("deal 0\ndiscard 0 E\ndraw 1"), GARDEN)
    with pytest.raises(IllegalEvent, match="turn"):
        apply(later, FlowerShown(Seat.S2, Tile.PLUM), GARDEN)
