"""Whole random deals with known hands, for every test that needs one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from rules.events import (
    Claimed,
    DealStarted,
    Discarded,
    Drew,
    Event,
    FlowerShown,
    IndicatorTurned,
    WallExhausted,
    Won,
)
from rules.ruleset import RuleSet
from rules.table import Phase, TableState, apply, is_exhausted, new_table, options, strongest
from rules.tiles import SEATS, Seat, Tile


@dataclass
class Dealer:
    """Plays one deal: a shuffled wall, players who like wins, then claims, and throw what fits least."""

    rules: RuleSet
    rng: random.Random
    eager: float = 0.7
    wall: list[Tile] = field(default_factory=list)
    """The tiles that are not dealt or drawn yet."""

    def play(self) -> Iterator[tuple[TableState, Event, TableState]]:
        """Every event with the state before and after it."""
        self.wall = wall = list(self.rules.tiles)
        self.rng.shuffle(wall)
        dealer = Seat(self.rng.randrange(4))
        sizes = [self.rules.hand_size + (seat is dealer) for seat in SEATS]
        hands = tuple(tuple(wall.pop() for _ in range(size)) for size in sizes)
        state = new_table(self.rules)
        opening: list[Event] = [DealStarted(dealer, (1, 2), 0, hands)]
        if self.rules.wild_of is not None:
            opening.append(IndicatorTurned(wall.pop()))
        for event in opening:
            before, state = state, apply(state, event, self.rules)
            yield before, event, state
        while state.phase is not Phase.OVER:
            event = self._next(state, wall)
            before, state = state, apply(state, event, self.rules)
            yield before, event, state

    def _next(self, state: TableState, wall: list[Tile]) -> Event:
        if state.phase is Phase.TURN:
            moves = [event for seat in SEATS for event in options(state, seat, self.rules)]
            flower = next((event for event in moves if isinstance(event, FlowerShown)), None)
            if flower is not None:
                return FlowerShown(flower.seat, flower.tile, wall.pop(0))
            return self._move(state, moves)
        offers = [event for seat in SEATS for event in options(state, seat, self.rules)]
        wishes = [e for e in offers if isinstance(e, Won | Claimed) and self.rng.random() < self.eager]
        chosen = strongest(state, wishes, self.rules)
        if chosen is not None:
            return chosen
        if is_exhausted(state, self.rules):
            return WallExhausted()
        draw = next((event for event in offers if isinstance(event, Drew)), None)
        if draw is None:
            # The discarder wins by his discard, or another has to take it.
            return next(event for event in offers if event == strongest(state, offers, self.rules))
        return Drew(draw.seat, wall.pop(0 if draw.replacement else -1), draw.replacement)

    def _move(self, state: TableState, moves: list[Event]) -> Event:
        wins = [move for move in moves if isinstance(move, Won)]
        if wins and self.rng.random() < self.eager:
            return wins[0]
        others = [move for move in moves if not isinstance(move, Won | Discarded)]
        if others and self.rng.random() < self.eager:
            return self.rng.choice(others)
        # A hand that must win by itself may have no discard.
        discards = [move for move in moves if isinstance(move, Discarded)]
        if not discards or self.rng.random() > self.eager:
            return self.rng.choice(discards or moves)
        hand = state.hands[state.turn].concealed
        return min(discards, key=lambda move: (ties(move.tile, hand, state.wild), self.rng.random()))


def ties(tile: Tile, hand: tuple[Tile, ...], wild: Tile | None) -> int:
    """How much a tile is worth beside the others in hand: equal ones, near ones, most if it is wild."""
    near = sum(tile.is_suited and other.suit == tile.suit and abs(other - tile) < 3 for other in hand)
    return near + 2 * hand.count(tile) + 100 * (tile is wild)


PlayDeal = Callable[[RuleSet, int], Iterator[tuple[TableState, Event, TableState]]]


@pytest.fixture(scope="session")
def play_deal() -> PlayDeal:
    """A function (rules, seed) that plays one deal event by event; each deal is played once for all tests."""
    played: dict[tuple[str, int], list[tuple[TableState, Event, TableState]]] = {}

    def play(rules: RuleSet, seed: int) -> Iterator[tuple[TableState, Event, TableState]]:
        key = (rules.name, seed)
        if key not in played:
            played[key] = list(Dealer(rules, random.Random(seed)).play())  # noqa: S311 - repeatable, no secret
        return iter(played[key])

    return play


@pytest.fixture(scope="session")
def new_dealer() -> Callable[[RuleSet, int], Dealer]:
    """A function (rules, seed) that makes the dealer of one random deal."""
    return lambda rules, seed: Dealer(rules, random.Random(seed))  # noqa: S311 - repeatable, no secret
