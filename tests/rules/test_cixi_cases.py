"""The worked cases of Cixi mahjong in ``cases/cixi.json`` come out as written there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rules.deal import deal_blocks, dice_break, first_dealer
from rules.events import DealStarted, Discarded, Drew, IndicatorTurned, Meld, MeldKind, WallExhausted, Won
from rules.sets import load
from rules.sets.cixi.options import CARD, PLATFORM
from rules.sets.cixi.payment import account
from rules.sets.cixi.price import refusal
from rules.sets.cixi.ruling import dragon_of
from rules.sets.cixi.win import Flag, How, Win
from rules.state import TableState
from rules.table import apply, new_table
from rules.tiles import Seat, Tile

CASES = json.loads((Path(__file__).parent / "cases" / "cixi.json").read_text(encoding="utf-8"))
OPTIONS = {"card": CARD, "platform": PLATFORM}
KINDS = {"jia": MeldKind.ADDED_KONG, "an": MeldKind.CONCEALED_KONG, "dian": MeldKind.KONG}
DISTANCE = {"thrower": 0, "dealer": 0, "next": 1, "opposite": 2, "previous": 3}


def meld_of(case: dict[str, Any]) -> Meld:
    kind = KINDS[case["kind"]] if case["type"] == "gang" else MeldKind(case["type"])
    source = None if case["from"] is None else Seat(case["from"])
    return Meld(kind, tuple(sorted(map(Tile.parse, case["tiles"]))), source)


def win_of(case: dict[str, Any]) -> Win:
    flags, tile = case["flags"], case["winning_tile"]
    honours = tuple(map(Tile.parse, flags.get("honour_discards", ())))
    known = {flag.value for flag in Flag}
    return Win(
        seat=Seat(case["winner"]),
        dealer=Seat(case["dealer"]),
        how=How(case["how"]),
        wild=Tile.parse(case["wildcard"]),
        hand=tuple(map(Tile.parse, [*case["concealed"], *([tile] if tile else [])])),
        melds=tuple(map(meld_of, case["melds"])),
        tile=Tile.parse(tile) if tile else Tile.UNKNOWN,
        from_seat=None if case["discarder"] is None else Seat(case["discarder"]),
        flags=frozenset(Flag(name) for name, value in flags.items() if name in known and value),
        kept=flags.get("shangtang", 0),
        honours=honours,
        honours_claimed=flags.get("claimed", False),
        own_claims=flags.get("own_chi_peng", 0),
        discards=len(honours),
    )


@pytest.mark.parametrize("case", CASES["examples"], ids=lambda case: case["id"])
def test_example(case: dict[str, Any]) -> None:
    expected = case["expected"]
    win, options = win_of(case), OPTIONS[case["profile"]]
    assert dragon_of(Tile.parse(case["indicator"])) is win.wild
    reason = refusal(win, options)
    assert (reason is None) == expected["valid"], reason
    if reason is not None:
        return
    balances = case.get("balances")
    result = account(win, options, None if balances is None else tuple(balances))
    patterns = {line.zh for line in result.lines if line.article != "§1"}
    computed = {
        "valid": True,
        "jackpot": result.jackpot,
        "patterns": patterns,
        "dragon_tiles": result.dragons,
        "D": result.total,
        "unit": result.unit,
        "point_each": result.point_each,
        "payer": result.payer,
        "tongfu": result.all_pay,
        "payments": list(result.payments),
    }
    wanted = {**expected, "patterns": set(expected["patterns"])}
    assert {key: computed[key] for key in wanted} == wanted


def events(kind: str) -> list[dict[str, Any]]:
    return [event for event in CASES["events"] if event["kind"] == kind]


@pytest.mark.parametrize("case", events("indicator"), ids=lambda case: case["indicator"])
def test_indicator_names_the_dragon(case: dict[str, Any]) -> None:
    assert str(dragon_of(Tile.parse(case["indicator"]))) == case["wildcard"]


@pytest.mark.parametrize("case", events("wall_break"), ids=lambda case: str(case["dice_sum"]))
def test_wall_break(case: dict[str, Any]) -> None:
    total = case["dice_sum"]
    for first in range(max(1, total - 6), min(6, total - 1) + 1):
        found = dice_break(Seat.S1, (first, total - first))
        assert Seat.S1.distance(found.owner) == DISTANCE[case["wall_owner_relative"]]
        assert found.passed == case["skip_stacks_from_right"]
        assert found.first == case["first_stack_taken"]


@pytest.mark.parametrize("case", events("first_dealer"), ids=lambda case: str(case["die"]))
def test_first_dealer(case: dict[str, Any]) -> None:
    dealer = first_dealer(Seat.S2, case["die"], load("cixi-card"))
    assert Seat.S2.distance(dealer) == DISTANCE[case["dealer_relative"]]


@pytest.mark.parametrize("case", events("next_dealer"), ids=str)
def test_next_dealer(case: dict[str, Any]) -> None:
    rules = load(f"cixi-{case['profile']}")
    started = apply(new_table(rules), DealStarted(Seat(case["dealer"])), rules)
    winner = case["winner"]
    result = WallExhausted() if winner is None else Won(Seat(winner), ())
    over = TableState(**{**_fields(started), "result": result})
    assert rules.next_dealer(over) == case["next_dealer"]


def _fields(state: TableState) -> dict[str, Any]:
    return {name: getattr(state, name) for name in state.__slots__}


@pytest.mark.parametrize("case", events("drawn_hand"), ids=str)
def test_drawn_hand(case: dict[str, Any]) -> None:
    reserve = load(f"cixi-{case['profile']}").reserve(case["kongs"])
    assert (reserve // 2, reserve) == (case["reserve_stacks"], case["reserve_tiles"])


def test_tiles_left_after_the_deal() -> None:
    (case,) = events("tiles_left_after_deal")
    rules = load("cixi-card")
    state = apply(new_table(rules), DealStarted(Seat.S0), rules)
    assert (len(rules.tiles), state.wall.drawn, state.wall.left) == (
        case["total"],
        case["dealt"],
        case["left"],
    )
    state = apply(state, IndicatorTurned(Tile.M1), rules)
    assert state.wall.left == case["drawable"]
    assert sum(number for _, number in deal_blocks(Seat.S0, rules)) == case["dealt"]
    draws = [0, 0, 0, 0]
    pond = [tile for tile in rules.tiles if tile not in {Tile.M1, Tile.M2}]
    state = apply(state, Discarded(Seat.S0, pond.pop()), rules)
    while state.wall.left:
        seat = state.turn.next
        state = apply(apply(state, Drew(seat), rules), Discarded(seat, pond.pop()), rules)
        draws[seat] += 1
    # The source counts the indicator among the tiles that are drawn: one draw more, by the last player.
    assert draws == [
        case["per_seat"]["dealer"],
        *[case["per_seat"]["others"]] * 2,
        case["per_seat"]["others"] - 1,
    ]
