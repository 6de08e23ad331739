"""Thousands of random deals: no legal move is refused, no tile is lost, every deal ends in an account."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from rules.events import Claimed, Discarded, Drew, KongDeclared, MeldKind, WallExhausted, Won
from rules.scoring import Unsettled, settle
from rules.sets import available, load
from rules.state import Phase
from rules.table import is_legal, kong_to_rob, options, runs_with
from rules.tiles import KINDS, SEATS, Tile

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Dealer

    from rules.events import Event
    from rules.ruleset import RuleSet
    from rules.settlement import Settlement
    from rules.state import TableState
    from rules.tiles import Seat

    NewDealer = Callable[[RuleSet, int], Dealer]

EACH = 100
"""Deals of one test; the tests together play a thousand of each rule set."""


def lies(state: TableState) -> Counter[Tile]:
    """Every tile that is not in the wall."""
    found = Counter(tile for pond in state.ponds for tile in pond)
    for hand in state.hands:
        found.update(hand.concealed)
        found.update(tile for meld in hand.melds for tile in meld.tiles)
    if state.indicator is not None:
        found[state.indicator] += 1
    return found


def size(state: TableState) -> int:
    """How many tiles are not in the wall."""
    held = sum(len(hand.concealed) + sum(len(meld.tiles) for meld in hand.melds) for hand in state.hands)
    return held + sum(map(len, state.ponds)) + (state.indicator is not None)


def accounts(state: TableState, rules: RuleSet) -> list[Settlement]:
    """The account of a won deal, or one for every answer that people may give."""
    try:
        return [settle(state, rules)]
    except Unsettled as missing:
        return [settle(state, rules, None, {missing.question: answer}) for answer in missing.candidates]


def play(dealer: Dealer) -> str:
    """Play one deal, checking every event; how it ended."""
    rules = dealer.rules
    for _, _, state in dealer.play():
        assert size(state) + state.wall.left == len(rules.tiles)
    assert state.phase is Phase.OVER
    assert lies(state) + Counter(dealer.wall) == Counter(rules.tiles)
    if isinstance(state.result, WallExhausted):
        assert state.wall.left <= rules.reserve(state.kongs)
        return "drawn"
    for account in accounts(state, rules):
        assert sum(account.payments) == 0
        assert account.payments[account.winner] > 0
        assert account.lines
    return account.how


def thinkable(state: TableState, seat: Seat) -> list[Event]:
    """Every event of a seat that could be legal in some state with these tiles, and many that could not."""
    concealed = state.hands[seat].concealed
    tile = Tile.UNKNOWN if state.drawn is None else state.drawn
    events: list[Event] = [
        Drew(seat),
        Drew(seat, replacement=True),
        Won(seat, concealed),
        Won(seat, concealed, tile),
    ]
    for kind in map(Tile, range(KINDS)):
        events.append(Discarded(seat, kind))
        events += [KongDeclared(seat, kong, kind) for kong in (MeldKind.CONCEALED_KONG, MeldKind.ADDED_KONG)]
    offered = [
        (giver, tile) for giver, tile in [state.last_discard or (seat, Tile.UNKNOWN)] if giver is not seat
    ]
    robbed = kong_to_rob(state)
    if robbed is not None and robbed.seat is not seat:
        offered.append((robbed.seat, robbed.tile))
    for giver, taken in offered:
        events.append(Won(seat, tuple(sorted((*concealed, taken))), taken, giver))
        events += [Claimed(seat, MeldKind.PENG, (taken,) * 3, taken, giver)]
        events += [Claimed(seat, MeldKind.KONG, (taken,) * 4, taken, giver)]
        events += [Claimed(seat, MeldKind.CHI, run, taken, giver) for run in runs_with(taken)]
    return events


@pytest.mark.parametrize("name", available())
def test_the_moves_open_to_a_player_are_exactly_those_that_the_table_takes(
    name: str, new_dealer: NewDealer
) -> None:
    rules = load(name)
    won = 0
    for seed in range(10):
        for _, _, state in new_dealer(rules, 5_000_000 + seed).play():
            if state.phase not in {Phase.TURN, Phase.CLAIM, Phase.DRAW}:
                continue
            for seat in SEATS:
                legal = {event for event in thinkable(state, seat) if is_legal(state, event, rules)}
                found = options(state, seat, rules)
                assert len(found) == len(set(found))
                # A win by the own draw can be told without its tile too.
                assert set(found) <= legal
                assert {kind_of(event) for event in legal} == {kind_of(event) for event in found}
                won += any(isinstance(event, Won) for event in found)
    assert won > 5


def kind_of(event: Event) -> Event | type[Won]:
    return Won if isinstance(event, Won) else event


@pytest.mark.parametrize("name", available())
@pytest.mark.parametrize("part", range(10))
def test_a_thousand_deals_of_each_rule_set_end_in_an_account_or_a_drawn_hand(
    name: str, part: int, new_dealer: NewDealer
) -> None:
    rules = load(name)
    ends = Counter(play(new_dealer(rules, 1_000_000 + EACH * part + number)) for number in range(EACH))
    assert sum(ends.values()) == EACH
    assert len(ends) > 2


@pytest.mark.long
@pytest.mark.timeout(6 * 3600)
@pytest.mark.parametrize("name", available())
def test_a_hundred_thousand_deals_of_each_rule_set(
    name: str, new_dealer: NewDealer, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = load(name)
    ends = Counter(play(new_dealer(rules, seed)) for seed in range(100_000))
    with capsys.disabled():
        sys.stdout.write(f"\n{name}: {dict(ends)}\n")
    assert sum(ends.values()) == 100_000
    assert set(ends) >= {"selfdraw", "discard", "robkong"}
