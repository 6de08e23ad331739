"""Rulings of Cixi mahjong at their borders, where reading an article otherwise comes out otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cixi_deals import LAP, PLAIN, SINGLE, START

from rules.deal import deals_kept
from rules.events import IllegalEvent
from rules.record import parse_record
from rules.scoring import Settlement, settle
from rules.sets import load
from rules.sets.cixi.options import CARD, PLATFORM
from rules.sets.cixi.payment import account
from rules.sets.cixi.price import refusal
from rules.sets.cixi.win import Flag, How, Win
from rules.table import replay
from rules.tiles import Seat, Tile, parse_tiles

if TYPE_CHECKING:
    from rules.state import TableState


def play(record: str, name: str, chosen: dict[str, object] | None = None) -> TableState:
    return replay(parse_record(record), load(name, chosen or {}))


def settled(record: str, name: str, chosen: dict[str, object] | None = None, **answers: str) -> Settlement:
    return settle(play(record, name, chosen), load(name, chosen or {}), None, answers)


def win(hand: str, tile: str, how: How = How.SELFDRAW, flags: frozenset[Flag] = frozenset()) -> Win:
    """A win of seat 1 with 2m as the dragon, on a discard of seat 0."""
    giver = None if how is How.SELFDRAW else Seat.S0
    tiles, won = parse_tiles(hand), Tile.parse(tile)
    return Win(
        seat=Seat.S1,
        dealer=Seat.S0,
        how=how,
        wild=Tile.M2,
        hand=tiles,
        tile=won,
        from_seat=giver,
        flags=flags,
    )


def lines(given: Win) -> dict[str, int]:
    found = account(given, CARD, None).lines
    return {line.zh: line.value for line in found if line.article != "§1"}


@pytest.mark.parametrize("name", ["cixi-card", "cixi-platform"])
def test_claims_of_different_opponents_are_not_added(name: str) -> None:
    # Articles: R10.
    record = START + "discard 0 5p\nclaim 3 peng 555p took 5p from 0\ndiscard 3 E\ndraw 0\n"
    record += "discard 0 6p\nclaim 3 peng 666p took 6p from 0\ndiscard 3 S\ndraw 0\ndiscard 0 W\ndraw 1\n"
    other = record + "discard 1 7p\nclaim 3 peng 777p took 7p from 1\ndiscard 3 N\ndraw 0\ndiscard 0 1s\n"
    assert settled(other + "win 3 hand 123s 99s on 1s from 0", name).payments[3] > 0


@pytest.mark.parametrize(
    ("hand", "named"),
    [
        ("147m 258p 369s ESWNC", "大乱/十三幺"),
        ("158m 269p 37s ESWNCF", "大乱/十三幺"),
        ("147m 258p 39s 22m ESWN", "大乱/十三幺"),
        ("17m 147p 369s 22m ESWC", "大乱/十三幺"),
        ("137m 258p 369s ESWNC", None),
        ("347m 258p 369s ESWNC", None),
        ("148m 258p 368s ESWNC", None),
        ("147m 258p 369s ESWNN", None),
    ],
)
def test_scattered_tiles_are_all_different_and_three_apart_and_dragons_anywhere(
    hand: str, named: str | None
) -> None:
    # Articles: §5, R14.
    given = win(hand, "E")
    assert refusal(given, CARD) == (None if named else "not a complete hand")
    assert refusal(given, PLATFORM) == refusal(given, CARD)
    if named:
        assert set(lines(given)) == {named}


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("147m 258p 3s ESWNCFP", {"无龙七风": 6}),
        ("147m 258p 3s 2m ESWNCF", {"有龙七风": 6}),
        ("147m 258p 3s 22m ESWNC", {"有龙七风": 6}),
        ("147m 258p 39s 2m ESWNC", {"大乱/十三幺": 1}),
    ],
)
def test_seven_honours_count_dragons_for_missing_ones_and_stand_on_scattered_tiles(
    hand: str, expected: dict[str, int]
) -> None:
    # Articles: R15, R18.
    assert lines(win(hand, "E")) == expected


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("222m 147m ESWNCFP 2m", {"有龙七风": 6}),
        ("1133m 44m 5566m EE 2m E", {"有龙七对": 1, "混一色": 1}),
        ("111m 333m 444m EEE SS", {"对对胡": 1, "混一色": 1}),
        ("111m 333m 2m 44m EEE SS", {"对对胡": 1, "混一色": 1}),
        ("11m 33m 2m 4m 55m 66m 77m 88m", {"有龙七对": 1, "清一色": 5}),
        ("345m 345m 345m 2m 6m 77m 2m", {"对对胡": 1, "清一色": 5}),
        ("345m 345m 456m 89m 2m 77m", {"平胡": 0, "清一色": 5}),
    ],
)
def test_one_shape_at_most_one_colour_and_every_other_line_adds(hand: str, expected: dict[str, int]) -> None:
    # Articles: §6, §13, R22.
    given = win(hand, "E" if "E" in hand else "7m", How.DISCARD)
    assert {name: value for name, value in lines(given).items() if name != "抛花"} == expected


@pytest.mark.parametrize(
    ("thrown", "won", "payer"),
    [
        ("7s", "7s", None),
        ("6s", "7s", 0),
        ("9s", "7s", 0),
        ("8s", "7s", 0),
        ("4s", "7s", None),
        ("7p", "8s", None),
        ("C", "C", None),
        ("C", "F", None),
        ("9s", "1m", None),
    ],
)
def test_near_is_one_or_two_away_in_the_same_suit_never_the_same_tile_nor_an_honour(
    thrown: str, won: str, payer: int | None
) -> None:
    # Articles: R27.
    record = SINGLE + f"discard 3 {thrown}\ndraw 0\ndiscard 0 {won}\nwin 3 hand {won} {won} on {won} from 0"
    found = settled(record, "cixi-platform")
    assert found.payer == payer
    assert found.payments == ((-78, 0, 0, 78) if payer == 0 else (-26, -13, -13, 52))


def honours(number: int, before: str = "") -> str:
    """A deal in which the dealer throws something, then so many honours, and nobody claims."""
    own = [*before.split(), *("E", "S", "W", "N", "C", "F", "P", "E", "S", "W", "N")[:number]]
    others = iter([f"{rank}{suit}" for suit in "ps" for rank in range(1, 10)] * 2)
    moves = [f"discard 0 {own[0]}"]
    for tile in own[1:]:
        for seat in (1, 2, 3):
            moves += [f"draw {seat}", f"discard {seat} {next(others)}"]
        moves += ["draw 0", f"discard 0 {tile}"]
    return START + "\n".join(moves) + "\nwin 0 hand on ?"


def test_nine_honours_are_no_ten_and_only_a_card_table_takes_any_ten_in_a_row() -> None:
    # Articles: R32.
    for name in ("cixi-card", "cixi-platform"):
        assert settled(honours(10), name).jackpot
        with pytest.raises(IllegalEvent, match="ten own honours"):
            play(honours(9), name)
    assert settled(honours(10, "5p"), "cixi-card").jackpot
    with pytest.raises(IllegalEvent, match="ten own honours"):
        play(honours(10, "5p"), "cixi-platform")
    with pytest.raises(IllegalEvent, match="ten own honours"):
        play(honours(11), "cixi-platform")
    assert settled(honours(11), "cixi-card").jackpot


@pytest.mark.parametrize("name", ["cixi-card", "cixi-platform"])
def test_an_honour_that_another_took_breaks_the_row_of_ten(name: str) -> None:
    # Articles: R32, R39.
    first, rest = honours(10).split("draw 1", maxsplit=1)
    taken = (
        f"{first}claim 1 peng EEE took E from 0\ndiscard 1 9m\ndraw 2{rest.split('draw 2', maxsplit=1)[1]}"
    )
    with pytest.raises(IllegalEvent, match="ten own honours"):
        play(taken, name)
    first, rest = honours(11).split("draw 1", maxsplit=1)
    later = (
        f"{first}claim 1 peng EEE took E from 0\ndiscard 1 9m\ndraw 2{rest.split('draw 2', maxsplit=1)[1]}"
    )
    later = later.replace("discard 0 E", "discard 0 F").replace("discard 0 F", "discard 0 E", 1)
    if name == "cixi-card":
        assert settled(later, name).jackpot
    else:
        with pytest.raises(IllegalEvent, match="ten own honours"):
            play(later, name)


def test_an_honour_that_was_held_back_costs_nothing_where_a_set_wins_with_it() -> None:
    # Articles: §7, R30.
    record = START + LAP.replace("0 E", "0 5s") + "discard 0 C\n"
    found = settled(record + "win 2 hand 123m 456p 789s 55m CCC on C from 0", "cixi-card")
    assert (found.payer, found.payments) == (None, (-18, -9, 36, -9)) or found.dragons
    assert "关风向加龙" not in {line.zh for line in found.lines}


@pytest.mark.parametrize(
    ("winner", "name", "kept", "dealer"),
    [
        (0, "cixi-card", 3, 0),
        (2, "cixi-card", 0, 2),
        (0, "cixi-platform", 3, 0),
        (2, "cixi-platform", 0, 1),
    ],
)
def test_a_dealer_who_wins_keeps_the_deal_once_more_and_anybody_else_begins_at_none(
    winner: int, name: str, kept: int, dealer: int
) -> None:
    # Articles: §10, R21, R37.
    record = "deal 0 kept 2\nindicator 1m\n" + LAP
    end = (
        f"win 0 hand {PLAIN} 5p on 5p" if winner == 0 else f"discard 0 5p\nwin 2 hand {PLAIN} 5p on 5p from 0"
    )
    state, rules = play(record + end, name), load(name)
    assert (int(rules.next_dealer(state)), deals_kept(state, rules)) == (dealer, kept)


@pytest.mark.parametrize(
    "hand", ["3457777p 345s 456m 2m", "1111m 2m 345p 678s 555s", "EEEE 2m 123m 456p 789s"]
)
def test_a_dragon_scores_as_a_fifth_copy(hand: str) -> None:
    # Articles: R41.
    given = win(hand, "5s" if "555s" in hand else "6m" if "456m" in hand else "9s")
    assert refusal(given, CARD) is None
    assert "平胡" in lines(given)


def test_the_dealers_drawn_tile_is_the_last_of_the_dealt_fourteen() -> None:
    # Articles: R44.
    hands = "345m 345p 678p 789s 2m W | ????????????? | ????????????? | ?????????????"
    for name in ("cixi-card", "cixi-platform"):
        state = play(f"deal 0 hands {hands}\nindicator 1m", name)
        assert state.drawn is Tile.WEST
        with pytest.raises(IllegalEvent, match="drawn tile is not"):
            play(f"deal 0 hands {hands}\nindicator 1m\nwin 0 hand 2345m 345678p 789s W on 3m", name)
    dealt = settled(
        f"deal 0 hands {hands}\nindicator 1m\nwin 0 hand 2345m 345678p 789s W on W", "cixi-platform"
    )
    assert "抛花" in {line.zh for line in dealt.lines}


def test_the_stake_multiplies_the_flat_amounts_too() -> None:
    # Articles: R44.
    feima = SINGLE + "discard 3 5p\nwin 3 hand 2m on ?"
    flat = {"stake": 3, "feima": "flat34"}
    assert settled(feima, "cixi-platform", flat).payments == (-102, -102, -102, 306)
    stopped = SINGLE + "discard 3 5p\nwin 1 hand 345m 46p 345s 678s 99s 5p on 5p from 3"
    found = settled(stopped, "cixi-platform", {"stake": 3}, intercept_feima="yes")
    assert found.payments == (0, 300, 0, -300)


DEFAULTS = """
value_table seed seed
qifeng stacks stacks
qifeng_dragon any any
four_as_two_pairs True True
paohua_discard refuse plain_win
paohua_autowin True False
feima_when any_discard any_discard
feima formula formula
intercept flat100 formula
mirror 0 5
adjacency on_becoming_single off
guan_fengxiang False True
tianhu False True
dihu False True
shangtang off any
tongfu False True
pure_suit_jackpot False True
quanfeng at_win after_discard
shilianfeng_window first any
shilianfeng_own_claim allowed kills
zhahu off fixed24
kong_counts_as_claim True True
pass_win_lock False False
reserve 34 0
drawn_dealer stay stay
next_dealer rotate winner
indicator_place head_next head_next
cap_at_stack False True
stake 1 1
start_points 0 100
"""


def test_every_option_has_the_value_of_its_profile() -> None:
    # Articles: §12, §14, R17.
    rows = [line.split() for line in DEFAULTS.split("\n") if line]
    for column, name in ((1, "cixi-platform"), (2, "cixi-card")):
        assert {key: str(value) for key, value in load(name).options.items()} == {
            row[0]: row[column] for row in rows
        }
