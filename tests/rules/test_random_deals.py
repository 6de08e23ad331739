"""Thousands of random deals: no legal move is refused, no tile is lost, every deal ends in an account."""

from __future__ import annotations

import sys
import time
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import pytest
from random_dealer import varied

from rules.events import (
    Barred,
    Claimed,
    Discarded,
    Drew,
    FalseWin,
    KongDeclared,
    MeldKind,
    WallExhausted,
    Won,
)
from rules.scoring import Unsettled, settle
from rules.sets import available, load
from rules.state import Phase, public
from rules.table import is_legal, kong_to_rob, options, runs_with
from rules.tiles import KINDS, SEATS, Tile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from random_dealer import Dealer

    from rules.events import Event
    from rules.ruleset import RuleSet
    from rules.settlement import Settlement
    from rules.state import TableState
    from rules.tiles import Seat

EACH = 100
"""Deals of one test; the tests together play a thousand of each rule set."""
PARTS = 10


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


def accounts(
    state: TableState, rules: RuleSet, answers: Mapping[str, str] | None = None
) -> list[tuple[Settlement, tuple[str, ...]]]:
    """The account of a won deal, or one for every answer that people may give; with what was asked."""
    told = dict(answers or {})
    try:
        return [(settle(state, rules, None, told), tuple(told))]
    except Unsettled as missing:
        assert missing.question not in told  # noqa: PT017 - nothing is asked twice
        assert missing.candidates  # noqa: PT017 - a question has answers
        given = [{**told, missing.question: answer} for answer in missing.candidates]
        return [account for each in given for account in accounts(state, rules, each)]


def counted_as(event: Event) -> str | None:
    """What is counted of an event."""
    if isinstance(event, Claimed | KongDeclared):
        return str(event.kind)
    return type(event).__name__ if isinstance(event, FalseWin | Barred) else None


def play(dealer: Dealer) -> Counter[str]:
    """Play one deal, checking every event; what it showed."""
    rules = dealer.rules
    shown: set[str | None] = set()
    for before, event, state in dealer.play():
        assert size(state) + state.wall.left == len(rules.tiles)
        shown.add(counted_as(event))
        if isinstance(event, FalseWin) and rules.fine is not None:
            paid = rules.fine(before, event, (100, 100, 100, 100))
            assert sum(paid) == 0
            assert paid[event.seat] == min(paid) < 0
    assert state.phase is Phase.OVER
    assert lies(state) + Counter(dealer.wall) == Counter(rules.tiles)
    if isinstance(state.result, WallExhausted):
        assert state.wall.left <= rules.reserve(state.kongs)
        shown.add("drawn")
    else:
        assert isinstance(state.result, Won)
        shown.update(ends(state, rules))
    return Counter(each for each in shown if each is not None)


def ends(state: TableState, rules: RuleSet) -> set[str]:
    """How a deal was won and what for, and what people are asked who do not see the hands."""
    ((account, asked),) = accounts(state, rules)
    assert not asked
    assert sum(account.payments) == 0
    assert account.payments[account.winner] > 0
    assert account.lines
    answered = accounts(public(state), rules)
    assert account.payments in [other.payments for other, _ in answered]
    assert all(sum(other.payments) == 0 for other, _ in answered)
    told = (line.zh for line in (*account.lines, *account.reasons))
    return {account.how, *told, *(question for _, questions in answered for question in questions)}


@cache
def part_of(name: str, part: int) -> Counter[str]:
    """What a hundred deals showed; played once, whoever asks."""
    rules = load(name)
    shown: Counter[str] = Counter()
    for number in range(EACH):
        shown += play(varied(rules, 1_000_000 + EACH * part + number))
    return shown


WAYS = ("discard", "selfdraw", "feima", "silong", "shilianfeng")
"""Ways to win on both tables."""


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
def test_the_moves_open_to_a_player_are_exactly_those_that_the_table_takes(name: str) -> None:
    rules = load(name)
    won = 0
    for seed in range(10):
        for _, _, state in varied(rules, 5_000_000 + seed).play():
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
@pytest.mark.parametrize("part", range(PARTS))
def test_a_thousand_deals_of_each_rule_set_end_in_an_account_or_a_drawn_hand(name: str, part: int) -> None:
    shown = part_of(name, part)
    assert sum(shown[way] for way in (*WAYS, "robkong", "quanfeng_survive", "drawn")) == EACH
    assert min(shown["discard"], shown["selfdraw"], shown["drawn"]) > 5


def least(text: str) -> dict[str, int]:
    words = text.split()
    return {name: int(number) for name, number in zip(words[::2], words[1::2], strict=True)}


BOTH = least(
    """
    drawn 100 discard 100 selfdraw 100 robkong 1 feima 5 silong 5 shilianfeng 5
    chi 200 peng 200 kong 50 added_kong 30 concealed_kong 20
    平胡 200 对对胡 20 有龙七对 10 无龙清七对 1 大乱/十三幺 5 有龙七风 1 无龙七风 3 清一色 3 混一色 5
    抛花 50 独吊/单吊 10 杠头开花/杠上花 5 无龙 30 龙×1 100 龙×2 50 龙×3 10
    全交 30 放炮双倍 100 三家同付 100 包三家：热炮 3 包三家：抢杠 1 包三家：拦飞马 1 intercept_feima 1
    """
)
"""In how many of a thousand deals each of these comes at least, on both tables."""
ONLY = {
    "cixi-card": least(
        """
        FalseWin 50 Barred 50 quanfeng_survive 10 全风 10 无龙清一色 2 天胡 5 地胡 20 上堂 100 统付 50
        拦杠/热炮加龙 5 拦飞马加龙 3 关风向加龙 2 包三家：关风向 2 guan_fengxiang 2
        """
    ),
    "cixi-platform": least("全风向 10 拦飞马付一百 1"),
}
"""The same for what one table knows and the other does not."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", available())
def test_those_deals_show_every_kind_of_end(name: str) -> None:
    shown: Counter[str] = Counter()
    for part in range(PARTS):
        shown += part_of(name, part)
    rare = {each: shown[each] for each, least in {**BOTH, **ONLY[name]}.items() if shown[each] < least}
    assert not rare, shown
    others = [each for table, marks in ONLY.items() if table != name for each in marks]
    assert not [each for each in others if shown[each]], shown


@pytest.mark.long
@pytest.mark.timeout(6 * 3600)
@pytest.mark.parametrize("name", available())
def test_a_hundred_thousand_deals_of_each_rule_set(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    rules, shown, start = load(name), Counter[str](), time.monotonic()
    for seed in range(100_000):
        shown += play(varied(rules, seed))
        if seed % 5_000 == 4_999:
            with capsys.disabled():
                minutes = (time.monotonic() - start) / 60
                sys.stdout.write(f"\n{name}: {seed + 1} deals, {minutes:.1f} min")
                sys.stdout.flush()
    with capsys.disabled():
        sys.stdout.write(f"\n{name}: {dict(shown.most_common())}\n")
    assert sum(shown[way] for way in (*WAYS, "robkong", "quanfeng_survive", "drawn")) == 100_000
    assert not {each for each, least in {**BOTH, **ONLY[name]}.items() if shown[each] < 20 * least}, shown
