"""Laws of whole deals: other suits and other seats change nothing else; a wrong event changes nothing."""

from __future__ import annotations

import random
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_dealer import varied

from rules.deal import deals_kept
from rules.events import (
    Barred,
    Claimed,
    DealStarted,
    Discarded,
    Drew,
    FalseWin,
    FlowerShown,
    IllegalEvent,
    IndicatorTurned,
    KongDeclared,
    MeldKind,
    WallExhausted,
    Won,
)
from rules.record import format_event, parse_event
from rules.scoring import Unsettled, settle
from rules.sets import available, load
from rules.state import Balances, Hand, Phase, TableState, public
from rules.table import apply, new_table, options, replay, strongest
from rules.tiles import SEATS, Seat, Tile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rules.events import Event
    from rules.ruleset import RuleSet
    from rules.settlement import Settlement

SEEDS = st.integers(0, 1 << 40)
NAMES = st.sampled_from(available())
BALANCES = st.tuples(*[st.integers(0, 200)] * 4)


class Mapping:
    """Carries events, states and accounts over to other faces and other seats."""

    def __init__(self, faces: dict[Tile, Tile] | None = None, turn: int = 0) -> None:
        self.faces = faces or {}
        self.turn = turn

    def __call__(self, value: Any) -> Any:
        """The value with every tile and seat in it carried over."""
        if isinstance(value, Tile):
            return self.faces.get(value, value)
        if isinstance(value, Seat):
            return value.after(self.turn)
        if isinstance(value, Enum) or not (is_dataclass(value) or isinstance(value, tuple)):
            return value
        if isinstance(value, tuple):
            return tuple(self(each) for each in value)
        assert not isinstance(value, type)
        carried = {field.name: self(getattr(value, field.name)) for field in fields(value)}
        return type(value)(**self._by_seat_and_sorted(value, carried))

    def _by_seat_and_sorted(self, value: Any, carried: dict[str, Any]) -> dict[str, Any]:
        for name in _BY_SEAT.get(type(value).__name__, ()):
            carried[name] = self.seats(carried[name])
        for name in _SORTED.get(type(value).__name__, ()):
            carried[name] = tuple(sorted(carried[name]))
        return carried

    def seats(self, four: Any) -> Any:
        """What belongs to seats 0..3, given to the seats that they become."""
        return None if four is None else tuple(four[(seat - self.turn) % 4] for seat in SEATS)


_BY_SEAT = {"TableState": ("hands", "ponds"), "DealStarted": ("hands",), "Settlement": ("payments",)}
"""Fields that hold one item a seat."""
_SORTED = {"Hand": ("concealed",), "Won": ("hand",), "Settlement": ("hand",)}
"""Fields whose tiles are sorted whatever they are called."""


def renamings() -> list[Mapping]:
    """All renamings of the suits; the winds, and 中发白, each go round with them."""
    found = []
    for number, order in enumerate(permutations(range(3))):
        faces = {
            Tile(9 * suit + rank): Tile(9 * order[suit] + rank) for suit in range(3) for rank in range(9)
        }
        faces |= {Tile(27 + wind): Tile(27 + (wind + number) % 4) for wind in range(4)}
        faces |= {Tile(31 + colour): Tile(31 + (colour + number) % 3) for colour in range(3)}
        found.append(Mapping(faces))
    return found


CHANGES = [*renamings()[1:], *(Mapping(turn=turn) for turn in (1, 2, 3)), Mapping(renamings()[4].faces, 3)]


def ends_of(state: TableState, rules: RuleSet, balances: Balances) -> dict[tuple[str, str], Settlement]:
    """The account of a won deal, or one for every answer to what people are asked about it."""
    try:
        return {("", ""): settle(state, rules, balances)}
    except Unsettled as missing:
        answers = [{missing.question: candidate} for candidate in missing.candidates]
        return {next(iter(each.items())): settle(state, rules, balances, each) for each in answers}


def carried(answer: tuple[str, str], change: Mapping) -> tuple[str, str]:
    """A question and its answer; tiles are renamed, other answers stay."""
    question, text = answer
    return question, str(change(Tile.parse(text))) if question == "drawn_tile" else text


def told(state: TableState) -> tuple[object, ...]:
    """Everything of a state but its log, which is told by its length: it has been compared before."""
    return (len(state.log), *(getattr(state, each.name) for each in fields(state) if each.name != "log"))


@settings(max_examples=30, deadline=None)
@given(SEEDS, NAMES, st.sampled_from(CHANGES), BALANCES)
def test_other_suits_and_other_seats_change_nothing_but_names_and_seats(
    seed: int, name: str, change: Mapping, balances: Balances
) -> None:
    rules, rng = load(name), random.Random(seed)  # noqa: S311 - repeatable, no secret
    other = new_table(rules)
    for before, event, after in varied(rules, seed).play():
        if rng.random() < 0.3:
            assert_same_moves(before, other, change, rules)
        other = apply(other, change(event), rules)
        assert told(other) == told(change(after))
    assert other == change(after)
    assert rules.next_dealer(other) is change(rules.next_dealer(after))
    assert deals_kept(other, rules) == deals_kept(after, rules)
    if isinstance(after.result, Won):
        assert_same_account(after, other, change, rules, balances)
        assert rules.match_over(change.seats(balances), None) == rules.match_over(balances, None)


def assert_same_account(
    state: TableState, other: TableState, change: Mapping, rules: RuleSet, balances: Balances
) -> None:
    """The same account, lines and reasons, and the same questions, whether the hands are known or not."""
    for seen in (replace, public):
        ends = ends_of(seen(state), rules, balances)
        others = ends_of(seen(other), rules, change.seats(balances))
        assert others == {carried(answer, change): change(account) for answer, account in ends.items()}
        assert all(sum(account.payments) == 0 for account in ends.values())


def assert_same_fine(state: TableState, event: FalseWin, change: Mapping, rules: RuleSet) -> None:
    assert rules.fine is not None
    balances = (100, 31, 5, 60)
    fined = rules.fine(state, event, balances)
    assert rules.fine(change(state), change(event), change.seats(balances)) == change.seats(fined)


@pytest.mark.parametrize("name", available())
def test_wins_of_all_kinds_cost_the_same_in_other_suits_and_seats(name: str) -> None:
    rules, names, shown = load(name), renamings(), set()
    for seed in range(150):
        change = Mapping(names[seed % len(names)].faces, turn=1 + seed % 3)
        steps = list(varied(rules, 3_000_000 + seed).play())
        for before, event, _ in steps:
            if isinstance(event, FalseWin):
                assert_same_fine(before, event, change, rules)
        state = steps[-1][2]
        if isinstance(state.result, Won):
            other = replay(tuple(change(event) for event in state.log), rules)
            assert_same_account(state, other, change, rules, (100, 37, 5, 258))
            shown |= {line.zh for line in settle(state, rules).lines}
    assert len(shown) > 15


def assert_same_moves(state: TableState, other: TableState, change: Mapping, rules: RuleSet) -> None:
    """The same moves are open, the same refused, and of several wishes the same is carried out."""
    wishes: list[Event] = []
    for seat in SEATS:
        moves = options(state, seat, rules)
        assert {change(move) for move in moves} == set(options(other, change(seat), rules))
        wishes += moves
    chosen = strongest(state, wishes, rules)
    found = strongest(other, [change(wish) for wish in reversed(wishes)], rules)
    kinds = {type(each) for each in (chosen, found)}
    assert len(kinds) == 1
    if isinstance(chosen, Won) or chosen is None:
        assert found == (chosen and change(chosen))
    if state.phase is Phase.CLAIM:
        for event in refusable(state):
            assert outcome(other, change(event), rules) == outcome(state, event, rules)


def refusable(state: TableState) -> Iterator[Event]:
    """Claims and wins of the last discard that are mostly wrong."""
    assert state.last_discard is not None
    giver, tile = state.last_discard
    for seat in SEATS:
        yield Claimed(seat, MeldKind.PENG, (tile,) * 3, tile, giver)
        yield Claimed(seat, MeldKind.KONG, (tile,) * 4, tile, giver)
        yield Won(seat, tuple(sorted((*state.hands[seat].concealed, tile))), tile, giver)
        yield Discarded(seat, tile)
        yield Drew(seat)


def outcome(state: TableState, event: Event, rules: RuleSet) -> bool:
    """Whether the event can happen."""
    try:
        apply(state, event, rules)
    except IllegalEvent:
        return False
    return True


TILES = st.sampled_from(list(Tile))
HANDS = st.lists(TILES, max_size=15).map(tuple)
SEATED = st.sampled_from(SEATS)
KINDS = st.sampled_from(list(MeldKind))
GARBAGE = st.one_of(
    st.builds(DealStarted, SEATED, st.none(), st.integers(-2, 2), st.none() | st.tuples(*[HANDS] * 4)),
    st.builds(DealStarted, SEATED, st.none(), st.just(0), st.lists(HANDS, max_size=5).map(tuple)),
    st.builds(DealStarted, SEATED, st.tuples(st.integers(0, 7), st.integers(0, 7))),
    st.builds(DealStarted, SEATED, st.none(), st.just(0), st.just(((Tile.M1,) * 14, *[(Tile.M2,) * 13] * 3))),
    st.builds(IndicatorTurned, TILES),
    st.builds(Drew, SEATED, TILES, st.booleans()),
    st.builds(FlowerShown, SEATED, TILES, TILES),
    st.builds(Discarded, SEATED, TILES),
    st.builds(Claimed, SEATED, KINDS, HANDS, TILES, SEATED),
    st.builds(Claimed, SEATED, KINDS, TILES.flatmap(lambda tile: st.just((tile,) * 3)), TILES, SEATED),
    st.builds(KongDeclared, SEATED, KINDS, TILES),
    st.builds(KongDeclared, SEATED, st.just(MeldKind.CONCEALED_KONG), st.just(Tile.UNKNOWN)),
    st.builds(Won, SEATED, HANDS, TILES, st.none() | SEATED),
    st.builds(WallExhausted),
    st.builds(FalseWin, SEATED, HANDS),
    st.builds(Barred, SEATED, st.just("a tile too many")),
    st.sampled_from([None, "discard 0 5p", 7, Tile.M1, ()]),
)


def pointed(state: TableState, wrong: Any) -> Any:
    """The same event about the last discard, the drawn tile or the seat on turn."""
    tile = state.last_discard[1] if state.last_discard else state.drawn
    if isinstance(wrong, Claimed) and state.last_discard:
        return replace(wrong, taken=state.last_discard[1], from_seat=state.last_discard[0])
    if isinstance(wrong, Won) and tile is not None:
        return replace(wrong, tile=tile)
    return replace(wrong, seat=state.turn) if hasattr(wrong, "seat") else wrong


@settings(max_examples=60, deadline=None)
@given(SEEDS, NAMES, st.sampled_from([public, replace]), st.lists(GARBAGE, min_size=20, max_size=60))
def test_an_illegal_event_changes_nothing_and_is_refused_in_words(
    seed: int, name: str, seen: Callable[[TableState], TableState], wrongs: list[Any]
) -> None:
    rules, rng = load(name), random.Random(seed)  # noqa: S311 - repeatable, no secret
    states = [after for _, _, after in varied(rules, seed).play()]
    for wrong in wrongs:
        begins = isinstance(wrong, DealStarted)
        state = seen(new_table(rules) if begins else rng.choice(states))
        for event in (wrong, pointed(state, wrong)):
            same, written = replace(state), repr(state)
            try:
                after = apply(state, event, rules)
            except IllegalEvent as refused:
                assert str(refused)  # noqa: PT017 - legal events are no failure here
                assert "\n" not in str(refused)  # noqa: PT017
            else:
                assert_sound(after, event, rules)
            assert state == same
            assert repr(state) == written


def assert_sound(state: TableState, event: Event, rules: RuleSet) -> None:
    """What garbage may do where it happens to be legal: one event more, and still all tiles are there."""
    assert state.log[-1] == event
    assert parse_event(format_event(event)) == event
    counted = sum(map(len, state.ponds)) + (state.indicator is not None) + sum(map(number, state.hands))
    assert counted + state.wall.left == len(rules.tiles)
    assert Tile.UNKNOWN not in [tile for hand in state.hands for meld in hand.melds for tile in meld.tiles]


def number(hand: Hand) -> int:
    return len(hand.concealed) + sum(len(meld.tiles) for meld in hand.melds)


def test_the_laws_see_a_changed_tile_and_a_changed_seat() -> None:
    rules = load("cixi-card")
    *_, (_, _, state) = varied(rules, 3).play()
    for change in CHANGES:
        assert change(state) != state
    assert Mapping()(state) == state
    with pytest.raises(AssertionError):
        assert_sound(replace(state, ponds=((), (), (), ())), state.log[-1], rules)
