"""The game around a win, event by event: dice, claims and their limit, kongs, a passed win."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cixi_deals import (
    BOTH,
    CARD,
    HIDDEN,
    LAP,
    PLAIN,
    PLATFORM,
    SINGLE,
    START,
    THREE_SETS,
    at,
    names,
    refused,
    settled,
)

from rules.deal import dice_break, first_dealer, indicator_index
from rules.events import Discarded, Drew, KongDeclared, MeldKind, Won
from rules.record import parse_record
from rules.scoring import settle
from rules.sets import load
from rules.table import options, replay, strongest
from rules.tiles import SEATS, Seat, Tile, parse_tiles

if TYPE_CHECKING:
    from rules.ruleset import RuleSet


# §2, §3


@BOTH
def test_every_indicator_gives_the_next_tile_of_its_cycle(rules: RuleSet) -> None:
    # Articles: §2.
    assert rules.wild_of is not None
    cycles = ("123456789m", "123456789p", "123456789s", "ESWN", "CFP")
    for cycle in map(parse_tiles, cycles):
        for place, tile in enumerate(cycle):
            assert rules.wild_of(tile) is cycle[(place + 1) % len(cycle)]


@BOTH
def test_one_die_names_the_first_dealer_whoever_throws(rules: RuleSet) -> None:
    # Articles: R4.
    steps = {1: 0, 2: 1, 3: 2, 4: 3, 5: 0, 6: 1}
    for thrower in SEATS:
        assert {die: first_dealer(thrower, die, rules) for die in steps} == {
            die: Seat((thrower + step) % 4) for die, step in steps.items()
        }


def test_the_dice_name_the_wall_counted_from_the_dealer_and_the_stacks_that_are_passed() -> None:
    # Articles: R5, R6.
    for dealer in SEATS:
        for first in range(1, 7):
            for second in range(1, 7):
                found = dice_break(dealer, (first, second))
                assert found.owner is Seat((dealer + first + second - 1) % 4)
                assert (found.passed, found.first) == (first + second, first + second + 1)


def test_a_tail_indicator_is_the_upper_tile_of_its_stack() -> None:
    # Articles: R8.
    rules = load("cixi-card", {"indicator_place": "tail_stack"})
    stacks = [(stack, level) for stack in range(68) for level in ("upper", "lower")]
    left = stacks[53:]
    for total in range(2, 13):
        first = max(1, total - 6)
        stack, level = left[indicator_index((first, total - first), rules)]
        assert (68 - stack, level) == (2 * total, "upper")
    state = replay(parse_record("deal 0 dice 3 4\nindicator 1m"), rules)
    assert state.wall.left == 82


@BOTH
def test_dragons_are_in_no_declared_set_and_are_never_taken(rules: RuleSet) -> None:
    # Articles: R3.
    hands = f"2222m 13m 147p 147s EE | 1133m 555p 147s ESW | {HIDDEN} | {HIDDEN}"
    record = f"deal 0 hands {hands}\nindicator 1m\n"
    assert "wild" in refused(START + "declare 0 concealed_kong 2m", rules)
    assert not any(isinstance(move, KongDeclared) for move in options(at(record, rules), Seat.S0, rules))
    if rules is PLATFORM:
        assert "may not be discarded" in refused(record + "discard 0 2m", rules)
        return
    away = at(
        record.replace("2222m 13m", "22m 13m 99p").replace("1133m 555p", "1133m 22m 5p") + "discard 0 2m",
        rules,
    )
    assert [type(move) for move in options(away, Seat.S1, rules)] == [Drew]


# §4: order and limit of claims

TWO_CLAIMS = (
    START
    + "discard 0 5p\nclaim 3 peng 555p took 5p from 0\ndiscard 3 E\ndraw 0\n"
    + "discard 0 6p\nclaim 3 kong 6666p took 6p from 0\ndraw 3 replacement\ndiscard 3 S\ndraw 0\n"
)


def test_the_third_set_from_one_opponent_is_refused_or_marks_its_maker() -> None:
    # Articles: R10.
    third = TWO_CLAIMS + "discard 0 7p\nclaim 3 peng 777p took 7p from 0\n"
    assert "already" in refused(third, PLATFORM)
    won = third + "discard 3 W\ndraw 0\ndiscard 0 9s\nwin 3 hand 234s 99s on 9s from 0"
    assert "3 or more claims" in refused(won)
    assert settled(won, load("cixi-card", {"kong_counts_as_claim": "off"})).winner is Seat.S3


@BOTH
def test_an_added_and_a_concealed_kong_are_no_claims_and_a_win_is_never_limited(rules: RuleSet) -> None:
    # Articles: R10.
    record = START + "discard 0 5p\nclaim 3 peng 555p took 5p from 0\ndiscard 3 E\ndraw 0\ndiscard 0 S\n"
    record += (
        "draw 1\ndiscard 1 S\ndraw 2\ndiscard 2 S\ndraw 3\ndeclare 3 added_kong 5p\ndraw 3 replacement\n"
    )
    record += "declare 3 concealed_kong 9s\ndraw 3 replacement\ndiscard 3 W\ndraw 0\n"
    record += "discard 0 6p\nclaim 3 peng 666p took 6p from 0\ndiscard 3 W\ndraw 0\ndiscard 0 8m\n"
    assert settled(record + "win 3 hand 678m 44m on 8m from 0", rules).winner is Seat.S3


@BOTH
def test_after_a_claim_comes_a_discard_and_no_kong(rules: RuleSet) -> None:
    # Articles: §4.
    hands = f"{'?' * 14} | 55p 7777s 123m 4m 9m EE | {HIDDEN} | {HIDDEN}"
    record = f"deal 0 hands {hands}\nindicator C\ndiscard 0 5p\nclaim 1 peng 555p took 5p from 0\n"
    assert {type(move) for move in options(at(record, rules), Seat.S1, rules)} == {Discarded}
    assert "after a claim" in refused(record + "declare 1 concealed_kong 7s", rules)


@pytest.mark.parametrize(
    ("rules", "second", "third", "winner"),
    [
        # 七对 of the 统付 list goes before a plain hand that sits nearer.
        (CARD, "345m 46p 345s 678s 99s", "11m 33m 5p 77s 44s 66s 88p", Seat.S2),
        (PLATFORM, "345m 46p 345s 678s 99s", "11m 33m 5p 77s 44s 66s 88p", Seat.S2),
        # Of equal rank the nearer.
        (CARD, "345m 46p 345s 678s 99s", "678m 46p 123s 456s 77p", Seat.S1),
        # One suit without dragons is a jackpot at a card table, on the platform of the 统付 list.
        (CARD, "11m 33m 5p 77s 44s 66s 88p", "123p 46p 678p 111p 99p", Seat.S2),
        (PLATFORM, "11m 33m 5p 77s 44s 66s 88p", "123p 46p 678p 111p 99p", Seat.S1),
    ],
)
def test_of_several_wins_the_rank_decides_then_the_seat(
    rules: RuleSet, second: str, third: str, winner: Seat
) -> None:
    # Articles: §4, §11, R9.
    record = f"deal 0 hands {'?' * 14} | {second} | {third} | {HIDDEN}\nindicator C\n"
    lap = "draw 1 E\ndiscard 1 E\ndraw 2 E\ndiscard 2 E\ndraw 3\ndiscard 3 N\ndraw 0\n"
    state = at(f"{record}discard 0 9m\n{lap}discard 0 5p", rules)
    offers = [move for seat in SEATS for move in options(state, seat, rules)]
    assert sum(isinstance(move, Won) for move in offers) == 2
    chosen = strongest(state, offers, rules)
    assert isinstance(chosen, Won)
    assert chosen.seat is winner


# R11


LOCKED = load("cixi-card", {"pass_win_lock": "on"})
HAND = "345m 46p 456s 789s CC"


@pytest.mark.parametrize(
    ("between", "locked"),
    [
        ("draw 1\ndiscard 1 5p\nwin 2 hand {} 5p on 5p from 1", True),
        # An own draw opens it.
        (
            "draw 1\ndiscard 1 F\ndraw 2\ndiscard 2 F\ndraw 3\ndiscard 3 5p\nwin 2 hand {} 5p on 5p from 3",
            False,
        ),
    ],
)
def test_a_passed_win_locks_till_the_own_next_draw(between: str, *, locked: bool) -> None:
    # Articles: R11.
    record = START + LAP + "discard 0 5p\n" + between.format(HAND)
    assert settled(record).winner is Seat.S2
    if locked:
        assert "locks" in refused(record, LOCKED)
    else:
        assert settled(record, LOCKED).winner is Seat.S2


def test_a_claim_of_the_tile_that_was_passed_opens_no_lock() -> None:
    """Seat 2 waits for C, pengs it instead, and wins on the next discard of another tile."""
    record = START + LAP + "discard 0 C\nclaim 2 peng CCC took C from 0\ndiscard 2 6p\ndraw 3\ndiscard 3 4p\n"
    won = record + "win 2 hand 345m 44p 456s 789s on 4p from 3"
    assert settled(won).winner is Seat.S2
    assert settled(won, LOCKED).winner is Seat.S2
    complete = (
        START + LAP + "discard 0 C\nclaim 2 peng CCC took C from 0\ndiscard 2 9p\ndraw 3\ndiscard 3 4p\n"
    )
    again = complete + "win 2 hand 345m 44p 456s 789s on 4p from 3"
    assert settled(again).winner is Seat.S2
    passed = complete.replace("discard 2 9p", "discard 2 4p").replace("discard 3 4p", "discard 3 6p")
    twice = passed + "win 2 hand 345m 66p 456s 789s on 6p from 3"
    assert settled(twice, LOCKED).winner is Seat.S2


def test_a_kong_that_was_not_robbed_locks_too() -> None:
    # Articles: R11.
    record = (
        START + "discard 0 5p\nclaim 1 peng 555p took 5p from 0\ndiscard 1 E\ndraw 2\ndiscard 2 W\ndraw 3\n"
        "discard 3 W\ndraw 0\ndiscard 0 W\ndraw 1\ndeclare 1 added_kong 5p\ndraw 1 replacement\n"
        "discard 1 2p\nwin 2 hand 345m 34p 456s 789s CC 2p on 2p from 1"
    )
    assert settled(record).winner is Seat.S2
    assert "locks" in refused(record, LOCKED)


# §7: kongs

PENG_OF_1 = (
    START + "discard 0 6s\nclaim 1 peng 666s took 6s from 0\ndiscard 1 E\ndraw 2\ndiscard 2 W\ndraw 3\n"
    "discard 3 W\ndraw 0\ndiscard 0 W\ndraw 1\n"
)
ROBBER = "456m 789s 123s 567s 99p"
KONGS = {
    "claimed": START + LAP + "discard 0 8p\nclaim 2 kong 8888p took 8p from 0\ndraw 2 replacement\n",
    "concealed": START + LAP + "discard 0 8p\ndraw 1\ndiscard 1 8s\ndraw 2\ndeclare 2 concealed_kong 9m\n"
    "draw 2 replacement\n",
    "added": START + "discard 0 8p\nclaim 2 peng 888p took 8p from 0\ndiscard 2 E\ndraw 3\ndiscard 3 W\n"
    "draw 0\ndiscard 0 W\ndraw 1\ndiscard 1 W\ndraw 2\ndeclare 2 added_kong 8p\ndraw 2 replacement\n",
}


@BOTH
def test_only_an_added_kong_can_be_robbed(rules: RuleSet) -> None:
    # Articles: R24.
    robbed = at(PENG_OF_1 + f"declare 1 added_kong 6s\nwin 3 hand {ROBBER} on 6s from 1", rules)
    assert [(meld.kind, len(meld.tiles)) for meld in robbed.hands[1].melds] == [(MeldKind.PENG, 3)]
    assert Tile.S6 in robbed.hands[3].concealed
    assert settle(robbed, rules).payer == 1
    concealed = START + LAP + "declare 0 concealed_kong 6s\n"
    assert "no kong to rob" in refused(concealed + f"win 3 hand {ROBBER} on 6s from 0", rules)
    claimed = START + LAP + "discard 0 6s\nclaim 1 kong 6666s took 6s from 0\n"
    assert "no kong to rob" in refused(claimed + f"win 3 hand {ROBBER} on 6s from 1", rules)
    after = PENG_OF_1 + "declare 1 added_kong 6s\ndraw 1 replacement\n"
    assert refused(after + f"win 3 hand {ROBBER} on 6s from 1", rules)


def test_a_robbed_kong_is_no_kong_of_the_reserve() -> None:
    state = at(PENG_OF_1 + f"declare 1 added_kong 6s\nwin 3 hand {ROBBER} on 6s from 1", PLATFORM)
    assert (state.kongs, PLATFORM.reserve(state.kongs)) == (0, 34)


@BOTH
@pytest.mark.parametrize("kind", KONGS)
def test_the_first_discard_after_any_kong_is_hot_and_the_second_is_not(rules: RuleSet, kind: str) -> None:
    # Articles: §7, R25.
    won = f"win 1 hand {PLAIN} 5p on 5p from 2"
    hot = settled(KONGS[kind] + "discard 2 5p\n" + won, rules)
    assert hot.payer == 2
    assert ("拦杠/热炮加龙" in names(hot)) == (rules is CARD)
    lap = "discard 2 N\ndraw 3\ndiscard 3 N\ndraw 0\ndiscard 0 F\ndraw 1\ndiscard 1 F\ndraw 2\n"
    cold = settled(KONGS[kind] + lap + "discard 2 5p\n" + won, rules)
    assert (cold.payer, names(cold)) == (None, {"平胡"})


@BOTH
@pytest.mark.parametrize("kind", KONGS)
def test_a_replacement_that_wins_adds_five_once(rules: RuleSet, kind: str) -> None:
    # Articles: R20.
    hand = "456m 678s 345s 77s on 7s"
    one = settled(KONGS[kind] + f"win 2 hand {hand}", rules)
    assert (names(one), one.total) == ({"平胡", "杠头开花/杠上花"}, 7)
    two = KONGS[kind] + "declare 2 concealed_kong 1p\ndraw 2 replacement\nwin 2 hand 456m 678s 77s on 7s"
    assert settled(two, rules).total == 7
    later = "discard 2 N\ndraw 3\ndiscard 3 N\ndraw 0\ndiscard 0 F\ndraw 1\ndiscard 1 F\ndraw 2\n"
    assert settled(KONGS[kind] + later + f"win 2 hand {hand}", rules).total == 2


def test_who_waits_for_all_robs_a_kong_at_a_card_table_only_and_without_the_five() -> None:
    # Articles: R42.
    record = PENG_OF_1 + "declare 1 added_kong 6s\nwin 3 hand 2m 456m 789s 123s 777p 6s on 6s from 1"
    assert "own draw only" in refused(record, PLATFORM)
    found = settled(record)
    assert (names(found), found.total, found.payer) == ({"平胡", "拦杠/热炮加龙"}, 6, 1)


# R27

BY_KONG = (
    THREE_SETS + "discard 1 W\ndraw 2\ndiscard 2 W\ndraw 3\ndeclare 3 concealed_kong 9m\ndraw 3 replacement\n"
)


@pytest.mark.parametrize("start", [SINGLE, BY_KONG], ids=["claim", "concealed kong"])
@pytest.mark.parametrize(
    ("thrown", "won", "near"),
    [
        ("5s", "7s", True),
        ("5s", "6s", True),
        ("5s", "4s", True),
        ("5s", "3s", True),
        ("5s", "5s", False),
        ("5s", "8s", False),
        ("9p", "2s", False),
        ("5p", "6s", False),
        ("F", "C", False),
        ("8s", "9s", True),
    ],
)
def test_a_tile_near_the_discard_of_becoming_single_costs_its_giver_for_three(
    start: str, thrown: str, won: str, *, near: bool
) -> None:
    # Articles: R27.
    pair = won + won if won in "ESWNCFP" else won[0] * 2 + won[1]
    record = f"{start}discard 3 {thrown}\ndraw 0\ndiscard 0 {won}\nwin 3 hand {pair} on {won} from 0"
    found = settled(record, PLATFORM)
    assert (found.payer == 0) is near
    assert found.payments[0] == (-3 * found.point_each if near else -found.point_each)  # type: ignore[operator]
    assert settled(record, load("cixi-platform", {"adjacency": "off"})).payer is None
