"""Thousands of random deals: no legal move is refused, no tile is lost, every deal ends in an account."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from rules.events import WallExhausted
from rules.scoring import Unsettled, settle
from rules.sets import available, load
from rules.state import Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Dealer

    from rules.ruleset import RuleSet
    from rules.settlement import Settlement
    from rules.state import TableState
    from rules.tiles import Tile

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
