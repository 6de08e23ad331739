"""Every option of Cixi mahjong changes what it names, and its default is what the worked cases expect."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from rules.cases import example
from rules.deal import deals_kept, indicator_index
from rules.events import Claimed, DealStarted, Discarded, Drew, MeldKind, WallExhausted
from rules.record import parse_record
from rules.sets import load
from rules.sets.cixi.options import CARD, PLATFORM, Options
from rules.state import Phase
from rules.table import apply, is_exhausted, options, replay
from rules.tiles import Seat, Tile

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parent / "cases" / "cixi.json").read_text(encoding="utf-8"))[
        "examples"
    ]
}
SAME_EITHER_WAY = {"A014", "B015", "B017"}
FOUND = tuple[set[str], int | None, list[int]]


def judged(name: str, chosen: dict[str, Any], **changes: Any) -> FOUND | str:
    case = {**CASES[name], **changes}
    found = example(case, load(f"cixi-{case['profile']}", chosen))
    return (set(found["patterns"]), found["D"], found["payments"]) if found["valid"] else str(found["reason"])


@pytest.mark.parametrize(
    ("name", "chosen", "expected"),
    [
        # Articles: value_table R17.
        ("A037", {"value_table": "program"}, ({"无龙清七对"}, 9, [60, -30, -15, -15])),
        ("A036", {"value_table": "program"}, ({"有龙七对", "抛花"}, 11, [102, -34, -34, -34])),
        ("A012", {"value_table": "program"}, ({"大乱/十三幺"}, 6, [48, -12, -24, -12])),
        ("A014", {"value_table": "program"}, ({"无龙七风"}, 8, [84, -28, -28, -28])),
        ("A046", {"value_table": "program"}, ({"对对胡"}, 2, [32, -8, -16, -8])),
        ("A008", {"value_table": "program"}, ({"平胡"}, 2, [32, -16, -8, -8])),
        ("B047", {"value_table": "program"}, ({"平胡", "天胡"}, 12, [108, -36, -36, -36])),
        ("B045", {"value_table": "program"}, ({"平胡", "地胡"}, 11, [-34, -34, 102, -34])),
        ("B035", {"value_table": "program"}, ({"平胡", "上堂"}, 3, [54, -18, -18, -18])),
        # Articles: qifeng, qifeng_dragon R18, R15.
        ("B015", {"qifeng": "replaces"}, ({"有龙七风"}, 7, [78, -26, -26, -26])),
        ("B017", {"qifeng": "replaces"}, ({"无龙七风"}, 8, [84, -28, -28, -28])),
        ("B015", {"qifeng_dragon": "own_face"}, ({"有龙七风"}, 8, [84, -28, -28, -28])),
        ("B015", {"qifeng_dragon": "never"}, ({"大乱/十三幺"}, 3, [54, -18, -18, -18])),
        # Articles: paohua_discard R42, R24.
        (
            "B061",
            {"paohua_discard": "refuse"},
            "a hand that every tile completes (抛花) wins by its own draw only",
        ),
        (
            "B062",
            {"paohua_discard": "refuse"},
            "a hand that every tile completes (抛花) wins by its own draw only",
        ),
        # Articles: feima §7, intercept R26, mirror R25.
        ("A031", {"feima": "flat34", "stake": 2}, ({"平胡", "抛花", "独吊/单吊"}, 11, [204, -68, -68, -68])),
        ("A032", {"intercept": "formula"}, ({"平胡", "拦飞马加龙"}, 12, [-108, 108, 0, 0])),
        ("B028", {"intercept": "flat100"}, ({"平胡"}, 1, [-100, 100, 0, 0])),
        ("A043", {"mirror": 5}, ({"平胡", "拦杠/热炮加龙"}, 7, [0, -78, 0, 78])),
        ("B032", {"mirror": 0}, ({"平胡"}, 1, [0, -42, 0, 42])),
        # Articles: adjacency R27, guan_fengxiang R30, tianhu, dihu, shangtang R21, tongfu R23.
        ("A021", {"adjacency": "off"}, ({"平胡", "独吊/单吊"}, 7, [52, -13, -26, -13])),
        ("B056", {"guan_fengxiang": "off"}, ({"大乱/十三幺"}, 3, [-9, 36, -9, -18])),
        ("B047", {"tianhu": "off"}, ({"平胡"}, 2, [48, -16, -16, -16])),
        ("B045", {"dihu": "off"}, ({"平胡"}, 1, [-14, -7, 28, -7])),
        ("B036", {"shangtang": "off"}, ({"平胡"}, 1, [28, -7, -7, -14])),
        ("B065", {"shangtang": "dealer_only"}, ({"平胡"}, 1, [-7, -7, 28, -14])),
        ("B021", {"tongfu": "off"}, ({"无龙清七对"}, 7, [52, -26, -13, -13])),
        # Articles: pure_suit_jackpot, cap_at_stack R38.
        ("B053", {"pure_suit_jackpot": "off"}, ({"平胡", "清一色"}, 7, [78, -26, -26, -26])),
        ("B029", {"cap_at_stack": "off"}, ({"平胡", "拦飞马加龙"}, 11, [-102, 102, 0, 0])),
        # Articles: quanfeng R31, shilianfeng R32.
        ("A017", {"quanfeng": "after_discard"}, "not a complete hand"),
        ("B048", {"quanfeng": "at_win"}, "not only honours and dragons are left"),
    ],
)
def test_an_option_changes_the_price(name: str, chosen: dict[str, Any], expected: FOUND | str) -> None:
    # Articles: §6, §12, R15, R17, R18, R25, R26.
    assert judged(name, chosen) == expected
    assert judged(name, {}) != expected or name in SAME_EITHER_WAY


@pytest.mark.parametrize(
    ("wild", "dragon", "shape"),
    [
        ("any", "2m", "有龙七风"),
        ("own_face", "2m", "大乱/十三幺"),
        ("own_face", "P", "有龙七风"),
        ("never", "P", "大乱/十三幺"),
    ],
)
def test_a_dragon_stands_for_a_missing_honour_for_its_own_face_or_for_none(
    wild: str, dragon: str, shape: str
) -> None:
    # Articles: R15.
    indicator = {"2m": "1m", "P": "F"}[dragon]
    hand = ["1p", "4p", "7p", "2s", "5s", "8s", "3m", *"ESWNC", dragon]
    found = judged("B015", {"qifeng_dragon": wild}, indicator=indicator, concealed=hand, winning_tile="F")
    assert isinstance(found, tuple)
    assert found[0] == {shape}


def test_four_equal_tiles_are_two_pairs_unless_the_table_asks_for_seven_different_ones() -> None:
    # Articles: R13.
    assert isinstance(judged("B023", {}), tuple)
    assert judged("B023", {"four_as_two_pairs": "off"}) == "not a complete hand"


def test_a_hand_that_is_all_of_one_wait_needs_different_pairs_too() -> None:
    hand = ["3s", "1m", "1m", "1m", "1m", "3p", "3p", "4p", "4p", "5s", "5s", "7s", "7s"]
    with_quad = judged("A036", {}, concealed=hand)
    assert isinstance(with_quad, tuple)
    assert "抛花" in with_quad[0]
    assert judged("A036", {"four_as_two_pairs": "off"}, concealed=hand) == "not a complete hand"


def test_own_claims_kill_ten_honours_on_the_card_table_and_the_window_is_the_first_ten_on_the_platform() -> (
    None
):
    # Articles: R32.
    row = CASES["B051"]["flags"]
    claimed = {**row, "own_chi_peng": 1}
    assert judged("B051", {}, flags=claimed) == "not ten own honours in a row without a claim"
    assert isinstance(judged("B051", {"shilianfeng_own_claim": "allowed"}, flags=claimed), tuple)
    longer = {**row, "honour_discards": [*row["honour_discards"], "N"]}
    assert isinstance(judged("B051", {}, flags=longer), tuple)
    assert isinstance(judged("B051", {"shilianfeng_window": "first"}, flags=longer), str)


def test_feima_after_the_claim_only() -> None:
    late = {**CASES["B041"]["flags"], "late_feima": True}
    assert isinstance(judged("B041", {}, flags=late), tuple)
    assert "claim of the fourth set" in str(judged("B041", {"feima_when": "after_claim"}, flags=late))


START = "deal 1 kept 2\nindicator 1m\n"


def drawn_out(rules_name: str, chosen: dict[str, Any]) -> tuple[int, Seat, int]:
    """Tiles left in the wall where a deal ends, the next dealer, and the deals he has kept."""
    rules = load(rules_name, chosen)
    state = replay(parse_record(START), rules)
    pond = [tile for tile in rules.tiles if tile not in {Tile.M1, Tile.M2}]
    state = apply(state, Discarded(Seat.S1, pond.pop()), rules)
    while not is_exhausted(state, rules):
        seat = state.turn.next
        state = apply(apply(state, Drew(seat), rules), Discarded(seat, pond.pop()), rules)
    over = apply(state, WallExhausted(), rules)
    return over.wall.left, rules.next_dealer(over), deals_kept(over, rules)


@pytest.mark.parametrize(
    ("name", "chosen", "expected"),
    [
        ("cixi-card", {}, (0, 1, 2)),
        ("cixi-platform", {}, (34, 1, 2)),
        ("cixi-platform", {"reserve": 0, "drawn_dealer": "pass"}, (0, 2, 0)),
        ("cixi-card", {"drawn_dealer": "pass"}, (0, 2, 0)),
    ],
)
def test_a_drawn_hand_leaves_the_reserve_and_names_the_next_dealer(
    name: str, chosen: dict[str, Any], expected: tuple[int, int, int]
) -> None:
    # Articles: §10, R21, R36, R37.
    assert drawn_out(name, chosen) == expected


def test_kongs_count_as_claims_unless_the_table_says_otherwise() -> None:
    # Articles: R10.
    record = "deal 0\nindicator 1m\n"
    for tile, nxt in (("5p", "E"), ("6p", "S")):
        kong = tile[0] * 4 + "p"
        record += f"discard 0 {tile}\nclaim 3 kong {kong} took {tile} from 0\ndraw 3 replacement\n"
        record += f"discard 3 {nxt}\ndraw 0\n"
    third = "discard 0 7p\nclaim 3 peng 777p took 7p from 0"
    free = load("cixi-platform", {"kong_counts_as_claim": "off"})
    assert replay(parse_record(record + third), free).phase is Phase.TURN
    state = replay(parse_record(record + "discard 0 7p"), load("cixi-platform"))
    assert state.hands[3].melds[0].kind is MeldKind.KONG
    assert not any(isinstance(event, Claimed) for event in options(state, Seat.S3, load("cixi-platform")))


def test_the_place_of_the_indicator() -> None:
    # Articles: R8.
    assert indicator_index((3, 4), load("cixi-card")) == 0
    assert indicator_index((3, 4), load("cixi-card", {"indicator_place": "tail_stack"})) == -28


def test_every_option_stands_in_the_rule_set_under_its_name() -> None:
    # Articles: §14.
    for name, defaults in (("cixi-card", CARD), ("cixi-platform", PLATFORM)):
        rules = load(name)
        assert rules.options == {field.name: getattr(defaults, field.name) for field in fields(Options)}
        assert isinstance(replay((DealStarted(Seat.S0),), rules).dealer, Seat)
