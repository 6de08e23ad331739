"""The simulated players: always legal, mostly winning, and the same for the same seed."""

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware_sim.layout_bodies import face
from hardware_sim.players import Temper, on_discard, on_kong, on_turn, unseen_by
from hardware_sim.players_shape import acceptance, changed, distance
from hardware_sim.truth import DealTruth, deal_truth, first_match, next_match, settled
from hardware_sim.world_memory import play_deal
from rules import sets
from rules.events import (
    Claimed,
    DealStarted,
    Discarded,
    Drew,
    Event,
    IndicatorTurned,
    KongDeclared,
    MeldKind,
    Won,
)
from rules.hand import is_win
from rules.record import parse_event
from rules.ruleset import RuleSet
from rules.table import Hand, TableState, apply, claims_from, new_table, replay
from rules.tiles import KINDS, Seat, Tile, parse_tiles

if TYPE_CHECKING:
    from hardware_sim.scene import Scene

CARD = sets.load("cixi-card")
PLATFORM = sets.load("cixi-platform")


async def play_match(rules: RuleSet, deals: int, *, seed: int = 0) -> list[DealTruth]:
    match, told = first_match(rules), []
    for number in range(deals):
        _, played = await play_deal(seed + number, rules, match=match)
        told.append(deal_truth(number, played.state, match, rules, fetched=played.fetched))
        match = next_match(match, played.state, settled(played.state, match, rules), rules)
    return told


@pytest.mark.parametrize(("rules", "number"), [(CARD, 60), (PLATFORM, 20)], ids=["card", "platform"])
async def test_most_deals_are_won_in_different_ways(rules: RuleSet, number: int) -> None:
    deals = await play_match(rules, number)
    won = [deal for deal in deals if deal.how == "won"]
    assert len(won) >= 0.8 * number
    assert not any(deal.how == "unsettled" for deal in deals)
    drawn_by_self = sum(deal.from_seat is None for deal in won)
    assert 0.1 * number < drawn_by_self < 0.5 * number
    assert {deal.fetched for deal in won if deal.from_seat is not None} == {True, False}
    kinds = {kind for deal in deals for melds in deal.melds for kind, _, _ in melds}
    assert {"chi", "peng"} < kinds
    assert kinds & {"kong", "added_kong", "concealed_kong"}


HIDDEN = "?" * 13
FEIMA = (
    "discard 0 1s|claim 3 peng 111s took 1s from 0|discard 3 N|draw 0|"
    "discard 0 E|claim 3 peng EEE took E from 0|discard 3 N|draw 0|discard 0 S|draw 1|"
    "discard 1 4p|claim 3 peng 444p took 4p from 1|discard 3 W|draw 0|discard 0 P|draw 1|"
    "discard 1 P|draw 2|discard 2 7m|claim 3 chi 789m took 7m from 2"
)


@pytest.mark.parametrize("temper", Temper)
@pytest.mark.parametrize("rules", [CARD, PLATFORM], ids=["card", "platform"])
def test_whoever_must_win_does(rules: RuleSet, temper: Temper) -> None:
    def at(hands: str, record: str) -> TableState:
        lines = [f"deal 0 hands {hands}", "indicator 1m", *record.split("|")]
        return replay(tuple(parse_event(line) for line in lines), rules)

    four = at(f"{'?' * 14} | 222m 147p 258s ESWN | {HIDDEN} | {HIDDEN}", "discard 0 C|draw 1 2m")
    two = at(f"{'?' * 14} | {HIDDEN} | {HIDDEN} | 11s EE 44p 89m 2m NNW 2m", FEIMA)
    rng = Random(1)  # noqa: S311 - repeatable
    for state in (four, two) if rules is CARD else (two,):
        won = on_turn(state, rules, rng, temper)
        assert isinstance(won, Won)
        assert apply(state, won, rules).result == won
    one = at(f"{'?' * 14} | {HIDDEN} | {HIDDEN} | 11s EE 44p 89m 2m NNW 5p", f"{FEIMA}|discard 3 5p")
    far = Hand(parse_tiles("147m 147p 147s ESWN"))
    known = replace(one, hands=(far, far, far, one.hands[3]))
    assert on_discard(known, rules, rng, temper) == Won(Seat.S3, (Tile.M2,))
    waiting = replace(known, hands=(far, Hand(parse_tiles("345m 67p 345s 678s 99s")), far, one.hands[3]))
    stopped = on_discard(waiting, rules, rng, temper)
    assert isinstance(stopped, Won)
    assert stopped.seat is (Seat.S3 if rules is CARD else Seat.S1)


async def test_an_idle_table_mostly_draws() -> None:
    plays = [await play_deal(seed, CARD, temper=Temper.IDLE) for seed in range(10)]
    exhausted = [played.state for _, played in plays if not isinstance(played.state.result, Won)]
    assert len(exhausted) >= 5
    assert {state.wall.left for state in exhausted} == {0}


async def test_a_deal_replays_and_nobody_throws_a_wild_tile_or_claims_too_often() -> None:
    for deal in await play_match(CARD, 15, seed=200):
        events = tuple(parse_event(text) for text in deal.events)
        state = replay(events, CARD)
        assert deal.wild is not None
        wild = Tile.parse(deal.wild)
        assert not any(isinstance(event, Discarded) and event.tile is wild for event in events)
        pairs = [(a, b) for a in Seat for b in Seat if a is not b]
        assert max(claims_from(state, seat, giver) for seat, giver in pairs) <= 2
        if isinstance(state.result, Won):
            melds = state.hands[state.result.seat].melds
            assert is_win(state.result.hand, melds, state.wild)


async def test_the_same_seed_plays_the_same_deal() -> None:
    heard: list[list[Event]] = [[], [], []]
    for seed, told in zip((31, 31, 32), heard, strict=True):
        await play_deal(seed, CARD, tell=told.append)
    assert heard[0] == heard[1]
    assert heard[0] != heard[2]


ROBBED = 20305
"""A deal in which a kong is robbed; that is one of some thousand."""
QUIET = ("147m 258p 369s ESWN", "258m 369p 147s ESWC", "369m 147p 258s ESNC")


def chance() -> Random:
    return Random(1)  # noqa: S311 - a game


def table(*hands: str, indicator: str = "5p") -> TableState:
    dealt = DealStarted(Seat.S0, (3, 4), 0, tuple(parse_tiles(hand) for hand in hands))
    return apply(apply(new_table(CARD), dealt, CARD), IndicatorTurned(Tile.parse(indicator)), CARD)


def test_a_complete_hand_wins_by_self_draw_and_tells_the_drawn_tile() -> None:
    state = table("123m 456m 789p PPP 11s", *QUIET)
    assert on_turn(state, CARD, chance()) == Won(Seat.S0, state.hands[0].concealed, Tile.S1)


def test_a_win_on_a_discard_goes_before_a_peng() -> None:
    state = table("147m 258p 369s ESWN 2s", "123m 456m 789p 13s PP", QUIET[1], "369m 147p 22s 58s SN E")
    state = apply(state, Discarded(Seat.S0, Tile.S2), CARD)
    hand = tuple(sorted((*state.hands[1].concealed, Tile.S2)))
    assert on_discard(state, CARD, chance()) == Won(Seat.S1, hand, Tile.S2, Seat.S0)
    # An idle table claims nothing, but even there nobody lets a win go by.
    assert on_discard(state, CARD, chance(), Temper.IDLE) == Won(Seat.S1, hand, Tile.S2, Seat.S0)


def test_a_peng_goes_before_a_chi_and_an_idle_table_makes_neither() -> None:
    state = table("147m 258p 369s ESWN 5s", "46s 123p 678p 789m 1m E", QUIET[1], "55s 123m 456m 789p 1s 9s")
    state = apply(state, Discarded(Seat.S0, Tile.S5), CARD)
    claimed = on_discard(state, CARD, chance())
    assert claimed == Claimed(Seat.S3, MeldKind.PENG, (Tile.S5,) * 3, Tile.S5, Seat.S0)
    assert on_discard(state, CARD, chance(), Temper.IDLE) is None


def test_a_useful_discard_is_taken_for_a_chi_and_a_useless_one_left() -> None:
    state = table("147m 258p 369s ESWN 5s", "46s 123p 678p 789m 1m E", *QUIET[1:])
    useful = apply(state, Discarded(Seat.S0, Tile.S5), CARD)
    chi = Claimed(Seat.S1, MeldKind.CHI, parse_tiles("456s"), Tile.S5, Seat.S0)
    assert on_discard(useful, CARD, chance()) == chi
    assert on_discard(apply(state, Discarded(Seat.S0, Tile.WEST), CARD), CARD, chance()) is None


def test_four_equal_tiles_that_cost_nothing_are_declared() -> None:
    state = table("FFFF 123m 456m 789p E", *QUIET)
    assert on_turn(state, CARD, chance()) == KongDeclared(Seat.S0, MeldKind.CONCEALED_KONG, Tile.GREEN)


def with_a_kong(second: str) -> TableState:
    """Seat 3 has laid the fourth 2s to his peng; `second` are the tiles of seat 1."""
    state = table("147m 258p 369s ESWN 2s", second, QUIET[1], "369m 147p 22s 58s SN E")
    events: tuple[Event, ...] = (
        Discarded(Seat.S0, Tile.S2),
        Claimed(Seat.S3, MeldKind.PENG, (Tile.S2,) * 3, Tile.S2, Seat.S0),
        Discarded(Seat.S3, Tile.EAST),
    )
    for seat in (Seat.S0, Seat.S1, Seat.S2):
        events += (Drew(seat, Tile.M8), Discarded(seat, Tile.M8))
    events += (Drew(Seat.S3, Tile.S2), KongDeclared(Seat.S3, MeldKind.ADDED_KONG, Tile.S2))
    for event in events:
        state = apply(state, event, CARD)
    return state


def test_whoever_waits_for_the_fourth_tile_of_a_kong_robs_it() -> None:
    waiting = with_a_kong("123m 456m 789p 13s PP")
    hand = tuple(sorted((*waiting.hands[1].concealed, Tile.S2)))
    assert on_kong(waiting, CARD) == Won(Seat.S1, hand, Tile.S2, Seat.S3)
    assert on_kong(with_a_kong("123m 456m 789p 14s PP"), CARD) is None


async def test_a_robbed_tile_is_taken_from_the_kong_to_the_hand_of_whoever_wins_with_it() -> None:
    looked: list[Scene] = []
    table, played = await play_deal(ROBBED, CARD, look=looked.append)
    kong, won = played.state.log[-2:]
    assert isinstance(kong, KongDeclared)
    assert isinstance(won, Won)
    assert (kong.kind, won.from_seat, won.tile) == (MeldKind.ADDED_KONG, kong.seat, kong.tile)
    assert played.fetched
    bodies = table.bodies
    (peng,) = (meld for meld in bodies.melds[kong.seat] if face(meld.bodies[0]) is kong.tile)
    assert bodies.apart is not None
    assert (len(peng.bodies), face(bodies.apart)) == (3, kong.tile)
    assert len(looked[-1].tiles) == len(looked[0].tiles)


def test_the_least_useful_tile_is_thrown() -> None:
    state = table("123m 456m 789p 45s 99s N", *QUIET)
    assert on_turn(state, CARD, chance()) == Discarded(Seat.S0, Tile.NORTH)


def test_unseen_tiles_are_those_neither_held_nor_open() -> None:
    unseen = unseen_by(table("147m 258p 369s ESWN 5s", *QUIET, indicator="9s"), Seat.S0)
    told = {str(tile): unseen[tile] for tile in (Tile.M1, Tile.S1, Tile.S9, Tile.M2)}
    # One held; the wild tile; one held and the indicator; neither.
    assert told == {"1m": 3, "1s": 0, "9s": 2, "2m": 4}


def counts_of(text: str) -> tuple[int, ...]:
    tiles = parse_tiles(text)
    return tuple(tiles.count(Tile(kind)) for kind in range(KINDS))


@pytest.mark.parametrize(
    ("hand", "melds", "wilds", "needs"),
    [
        ("123m 456m 789p PPP 11s", 0, 0, 0),
        ("123m 456m 789p PPP 1s", 0, 0, 1),
        ("123m 456m 789p PP 11s", 0, 0, 1),
        ("123m 456m 79p PPP 11s", 0, 1, 0),
        ("11m 22m 33p 44p 55s 66s 7s", 0, 0, 1),
        ("1111m 33p 44p 55s 66s 77s", 0, 0, 0),
        ("1111m 33p 44p", 2, 0, 1),
        ("147m 258p 369s ESWN", 0, 0, 7),
        ("E", 4, 0, 1),
        ("E", 4, 1, 0),
    ],
)
def test_distances(hand: str, melds: int, wilds: int, needs: int) -> None:
    assert distance(counts_of(hand), melds=melds, wilds=wilds) == needs


def test_acceptance_counts_every_unseen_tile_that_helps() -> None:
    hand = counts_of("123m 456m 78p PPP 11s")
    unseen = tuple(4 - count for count in hand)
    assert acceptance(hand, unseen, melds=0, wilds=0) == 8  # 6p and 9p
    assert changed(hand, Tile.M1, 1)[Tile.M1] == 2


RUN = st.integers(0, 20).map(lambda n: [9 * (n // 7) + n % 7 + step for step in range(3)])
TRIPLET = st.integers(0, KINDS - 1).map(lambda kind: [kind] * 3)
PAIR = st.integers(0, KINDS - 1).map(lambda kind: [kind] * 2)
FOUR_SETS = st.tuples(st.lists(st.one_of(RUN, TRIPLET), min_size=4, max_size=4), PAIR).map(
    lambda parts: [*(kind for part in parts[0] for kind in part), *parts[1]]
)
SEVEN_PAIRS = st.lists(PAIR, min_size=7, max_size=7).map(
    lambda pairs: [kind for pair in pairs for kind in pair]
)
NEARLY = st.one_of(FOUR_SETS, SEVEN_PAIRS).filter(lambda kinds: max(map(kinds.count, kinds)) <= 4)


@given(NEARLY, st.integers(0, KINDS - 1), st.integers(0, 3), st.integers(0, 13), st.integers(0, KINDS - 1))
def test_distance_nothing_is_what_the_rules_call_a_win(
    kinds: list[int], wild: int, wilds: int, place: int, stray: int
) -> None:
    """Tiles of a complete hand are made wild, and one becomes another tile."""
    held = [*([wild] * wilds), *kinds[wilds:]]
    held[place] = stray
    if max(map(held.count, held)) > 4:
        return
    counts = [held.count(kind) for kind in range(KINDS)]
    wild_held, counts[wild] = counts[wild], 0
    tiles = tuple(Tile(kind) for kind in held)
    assert (distance(tuple(counts), melds=0, wilds=wild_held) <= 0) == is_win(tiles, 0, Tile(wild))
