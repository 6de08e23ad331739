"""The state machine of a deal: what may happen happens, what may not changes nothing, no tile is lost."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from cixi_deals import CARD, PLATFORM, START, at
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.events import (
    Claimed,
    DealStarted,
    Discarded,
    Drew,
    Event,
    IllegalEvent,
    IndicatorTurned,
    KongDeclared,
    MeldKind,
    WallExhausted,
    Won,
)
from rules.record import parse_record
from rules.scoring import Unsettled, settle
from rules.sets import available, load
from rules.state import Phase, TableState, public
from rules.table import apply, new_table, options, replay, strongest
from rules.tiles import SEATS, Seat, Tile, parse_tiles

if TYPE_CHECKING:
    from random_dealer import PlayDeal

    from rules.ruleset import RuleSet

RULES = [load(name) for name in available()]


def tiles_known(state: TableState) -> Counter[Tile]:
    counted = Counter(tile for pond in state.ponds for tile in pond)
    for hand in state.hands:
        counted.update(hand.concealed)
        counted.update(tile for meld in hand.melds for tile in meld.tiles)
    if state.indicator is not None:
        counted[state.indicator] += 1
    return counted


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("seed", range(25))
def test_no_tile_is_lost_or_made_in_a_random_deal(seed: int, rules: RuleSet, play_deal: PlayDeal) -> None:
    # Articles: R1.
    for _, _, state in play_deal(rules, seed):
        known = tiles_known(state)
        assert known.total() + state.wall.left == len(rules.tiles)
        assert max(known.values()) <= 4
        on_turn = state.turn if state.phase in {Phase.TURN, Phase.DEALT} else None
        shown = state.result.seat if isinstance(state.result, Won) else None
        if state.phase is not Phase.OVER:
            sizes = [hand.size - (seat is on_turn) for seat, hand in zip(SEATS, state.hands, strict=True)]
            assert sizes == [rules.hand_size] * 4
        assert shown is None or state.hands[shown].size in {rules.hand_size, rules.hand_size + 1}


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("seed", range(25))
def test_the_public_log_of_a_random_deal_replays_to_the_public_state(
    seed: int, rules: RuleSet, play_deal: PlayDeal
) -> None:
    *_, (_, _, state) = play_deal(rules, seed)
    assert replay(public(state).log, rules) == public(state)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("seed", range(40))
def test_every_won_deal_settles_to_zero_or_says_what_is_missing(
    seed: int, rules: RuleSet, play_deal: PlayDeal
) -> None:
    *_, (_, _, state) = play_deal(rules, seed)
    if not isinstance(state.result, Won):
        assert isinstance(state.result, WallExhausted)
        return
    balances = (100, 37, 5, 258)
    try:
        account = settle(state, rules, balances)
    except Unsettled as missing:
        assert missing.candidates  # noqa: PT017 - either way is right, and each is checked
        accounts = [settle(state, rules, balances, {missing.question: c}) for c in missing.candidates]
        assert len({account.payments for account in accounts}) > 1
        return
    assert sum(account.payments) == 0
    assert account.payments[account.winner] > 0
    assert settle(public(state), rules, balances) == account
    if rules is CARD:
        assert all(points + paid >= 0 for points, paid in zip(balances, account.payments, strict=True))


EVENTS = st.one_of(
    st.builds(DealStarted, st.sampled_from(SEATS)),
    st.builds(IndicatorTurned, st.sampled_from(list(Tile))),
    st.builds(Drew, st.sampled_from(SEATS), st.sampled_from(list(Tile)), st.booleans()),
    st.builds(Discarded, st.sampled_from(SEATS), st.sampled_from(list(Tile))),
    st.builds(
        Claimed,
        st.sampled_from(SEATS),
        st.sampled_from(list(MeldKind)),
        st.sampled_from(
            [parse_tiles("555p"), parse_tiles("456p"), parse_tiles("5555p"), parse_tiles("45p"), ()]
        ),
        st.just(Tile.P5),
        st.sampled_from(SEATS),
    ),
    st.builds(
        KongDeclared, st.sampled_from(SEATS), st.sampled_from(list(MeldKind)), st.sampled_from(list(Tile))
    ),
    st.builds(
        Won,
        st.sampled_from(SEATS),
        st.sampled_from(
            [(), parse_tiles("2m 46p 456p 789s 23s 555p"), parse_tiles("?"), parse_tiles("back")]
        ),
        st.sampled_from(list(Tile)),
        st.sampled_from([None, *SEATS]),
    ),
    st.just(WallExhausted()),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(EVENTS, max_size=30))
def test_any_event_is_applied_or_refused_in_words_and_changes_nothing(events: list[Event]) -> None:
    state = at("deal 0\nindicator 1m\ndiscard 0 5p")
    for event in events:
        before = repr(state)
        try:
            after = apply(state, event, CARD)
        except IllegalEvent as refused:
            assert str(refused)  # noqa: PT017 - legal events are no failure here
            assert repr(state) == before
        else:
            assert after.log[-1] == event
            assert tiles_known(after).total() + after.wall.left == 136
            state = after


def refused(record: str, event: str, rules: RuleSet = CARD) -> str:
    state = at(record, rules)
    with pytest.raises(IllegalEvent) as error:
        apply(state, parse_record(event)[0], rules)
    return str(error.value)


@pytest.mark.parametrize(
    ("record", "event", "words"),
    [
        ("", "discard 0 5p", "can't happen in phase ready"),
        (START, "discard 1 5p", "turn"),
        (START, "draw 1", "phase turn"),
        (START, "discard 0 back", "can't be discarded"),
        (START + "discard 0 5p", "draw 2", "seat 1's turn"),
        (START + "discard 0 5p", "draw 1 replacement", "after a kong and only then"),
        (START + "discard 0 5p\nclaim 1 kong 5555p took 5p from 0", "draw 1", "after a kong and only then"),
        (START + "discard 0 8m", "claim 1 chi 89m 1p took 8m from 0", "no chi"),
        (START + "discard 0 9s", "claim 1 chi 9s ES took 9s from 0", "no chi"),
        (START + "discard 0 5p", "claim 2 chi 456p took 5p from 0", "next player"),
        (START + "discard 0 5p", "claim 2 peng 555p took 5p from 1", "not the last discard"),
        (START + "discard 0 5p", "claim 0 peng 555p took 5p from 0", "own discard"),
        (START + "discard 0 5p", "claim 1 chi 567s took 5p from 0", "no chi"),
        (START + "discard 0 5p", "exhausted", "82 tiles are left"),
        (START + "discard 0 2m", "claim 1 peng 222m took 2m from 0", "wild"),
        (START + "discard 0 1m", "claim 1 chi 123m took 1m from 0", "wild"),
        (START + "discard 0 1m", "claim 1 kong 1111m took 1m from 0", "copies of 1m"),
        (START, "declare 0 added_kong 5p", "no peng"),
        (START + "discard 0 5p\nclaim 1 peng 555p took 5p from 0", "declare 1 concealed_kong E", "draw"),
        (START + "discard 0 5p", "win 1 hand 147m 258p 369s 11s EE 5p on 5p from 0", "not a complete hand"),
        (START + "discard 0 5p", "win 1 hand 55p on 5p from 0", "2 tiles are shown"),
        (START + "discard 0 2m", "win 1 hand 22m 46p 456p 789s 23s 55p on 2m from 0", "discarded dragon"),
    ],
)
def test_what_the_rules_forbid_is_refused_with_the_reason(record: str, event: str, words: str) -> None:
    # Articles: §4, R1, R3.
    assert words in refused(record, event)


def test_the_tile_of_a_self_draw_is_in_the_hand_and_is_the_one_drawn() -> None:
    record = START + "discard 0 E\ndraw 1"
    hand = "win 1 hand 2m 46p 456p 789s 23s 555p on"
    assert "9p is not in the hand" in refused(record, f"{hand} 9p")
    assert "drawn tile is not 5p" in refused(f"{record} 6p", f"{hand} 5p")
    assert at(f"{record}\n{hand} 5p").phase is Phase.OVER


@pytest.mark.parametrize("turned", range(4))
def test_the_nearest_seat_after_the_discarder_wins_wherever_he_sits(turned: int) -> None:
    giver = Seat(turned)
    state = at(f"deal {turned}\nindicator 1m\ndiscard {turned} 5p")
    hand = parse_tiles("345m 678m 46p 999s FF 5p")
    offers = [Won(giver.after(step), hand, Tile.P5, giver) for step in (3, 1, 2)]
    assert strongest(state, offers, CARD) == offers[1]
    assert strongest(state, offers[::2], CARD) == offers[2]


def test_a_player_without_the_tile_cannot_discard_it() -> None:
    hands = "123456789m 1234p 5p | 123456789s 1234p | 123456789m EEEE | 123456789s SSSS"
    record = f"deal 0 hands {hands}\nindicator 9p\n"
    assert "holds no 7s" in refused(record, "discard 0 7s")
    assert at(record + "discard 0 5p").hands[0].concealed == parse_tiles("123456789m 1234p")


def test_only_the_platform_refuses_a_discarded_dragon_and_a_third_claim() -> None:
    # Articles: R10.
    assert at(START + "discard 0 2m").phase is Phase.CLAIM
    assert "may not" in refused(START, "discard 0 2m", PLATFORM)
    pengs = START
    for tile, nxt in (("5p", "E"), ("6p", "S")):
        pengs += (
            f"discard 0 {tile}\nclaim 3 peng {tile[0] * 3}p took {tile} from 0\ndiscard 3 {nxt}\ndraw 0\n"
        )
    third = "claim 3 peng 777p took 7p from 0"
    assert "2 discards of seat 0" in refused(pengs + "discard 0 7p", third, PLATFORM)
    assert at(pengs + "discard 0 7p\n" + third).turn is Seat.S3


def test_a_robbed_kong_is_undone_and_its_tile_goes_to_the_winner() -> None:
    # Articles: R24.
    state = at(
        START + "discard 0 6s\nclaim 1 peng 666s took 6s from 0\ndiscard 1 E\ndraw 2\ndiscard 2 W\ndraw 3\n"
        "discard 3 W\ndraw 0\ndiscard 0 W\ndraw 1\ndeclare 1 added_kong 6s\n"
        "win 3 hand 456m 789s 123s 567s 99p on 6s from 1\n"
    )
    assert [meld.kind for meld in state.hands[1].melds] == [MeldKind.PENG]
    assert state.kongs == 0
    account = settle(state, CARD, None)
    assert (account.how, account.payer, account.payments) == ("robkong", 1, (0, -78, 0, 78))


def test_wins_go_before_claims_and_the_nearest_of_equal_wins_counts() -> None:
    # Articles: §4, §11.
    state = at(START + "discard 0 5p")
    hand = parse_tiles("345m 678m 46p 999s FF 5p")
    far, near = Won(Seat.S3, hand, Tile.P5, Seat.S0), Won(Seat.S2, hand, Tile.P5, Seat.S0)
    peng = Claimed(Seat.S1, MeldKind.PENG, parse_tiles("555p"), Tile.P5, Seat.S0)
    chi = Claimed(Seat.S1, MeldKind.CHI, parse_tiles("456p"), Tile.P5, Seat.S0)
    assert strongest(state, [chi, far, peng, near], CARD) == near
    assert strongest(state, [chi, Claimed(Seat.S3, *_peng())], CARD) == Claimed(Seat.S3, *_peng())
    assert strongest(state, [], CARD) is None


def _peng() -> tuple[MeldKind, tuple[Tile, ...], Tile, Seat]:
    return MeldKind.PENG, parse_tiles("555p"), Tile.P5, Seat.S0


def test_options_are_exactly_the_legal_events_of_a_known_hand() -> None:
    hands = "5p C 123456789m 123s | 46p 555m 789s EEE 57p | 55p 234567s 11s SSS | ?????????????"
    state = at(f"deal 0 hands {hands}\nindicator 9p\ndiscard 0 5p")
    assert {type(event).__name__ for event in options(state, Seat.S1, CARD)} == {"Claimed", "Drew"}
    chis = [event.tiles for event in options(state, Seat.S1, CARD) if isinstance(event, Claimed)]
    assert chis == [parse_tiles("456p"), parse_tiles("567p")]
    kinds = [event.kind for event in options(state, Seat.S2, CARD) if isinstance(event, Claimed)]
    assert kinds == [MeldKind.PENG]
    assert options(state, Seat.S0, CARD) == ()


def test_an_empty_table_deals_no_cards() -> None:
    state = new_table(CARD)
    assert state.phase is Phase.READY
    assert all(options(state, seat, CARD) == () for seat in SEATS)
