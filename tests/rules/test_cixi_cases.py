"""The worked cases of Cixi mahjong in ``cases/cixi.json`` come out as written there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rules.cases import desk_of, example
from rules.deal import deal_blocks
from rules.events import DealStarted, Discarded, Drew, IndicatorTurned
from rules.sets import load
from rules.sets.cixi.ruling import dragon_of
from rules.table import apply, new_table
from rules.tiles import Seat, Tile

CASES = json.loads((Path(__file__).parent / "cases" / "cixi.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES["examples"], ids=lambda case: case["id"])
def test_example(case: dict[str, Any]) -> None:
    # Articles: §1, §5, §6, §7, §8, §13, R2, R14, R16, R22, R33, R38, R42.
    expected = {**case["expected"], "reason": None}
    found = example(case, load(f"cixi-{case['profile']}"))
    if expected["valid"]:
        assert sorted(found["patterns"]) == sorted(expected["patterns"])
    else:
        assert found["reason"]
    compared = expected.keys() - {"patterns", "reason"}
    assert {key: found[key] for key in compared} == {key: expected[key] for key in compared}
    assert dragon_of(Tile.parse(case["indicator"])) is Tile.parse(case["wildcard"])


@pytest.mark.parametrize("case", CASES["events"], ids=lambda case: case["kind"])
def test_event(case: dict[str, Any]) -> None:
    # Articles: §2, §3, §10, R4, R5, R6, R36.
    found = desk_of(load(f"cixi-{case.get('profile', 'card')}")).answer(case)
    assert found
    assert {key: case[key] for key in found} == found


def events(kind: str) -> list[dict[str, Any]]:
    return [event for event in CASES["events"] if event["kind"] == kind]


def test_tiles_left_after_the_deal() -> None:
    # Articles: §3, R8, R40.
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
