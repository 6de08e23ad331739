"""Whole random deals with known hands, for every test that needs one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from random_gifts import GIFTS, Gift
from random_players import PLAIN, STYLES, Hand, Style

from rules.events import (
    Barred,
    Claimed,
    DealStarted,
    Discarded,
    Drew,
    Event,
    FalseWin,
    FlowerShown,
    IndicatorTurned,
    KongDeclared,
    WallExhausted,
    Won,
)
from rules.log import is_barred
from rules.ruleset import RuleSet
from rules.table import Phase, TableState, apply, is_exhausted, new_table, options, strongest
from rules.tiles import SEATS, Seat, Tile

Step = tuple[TableState, Event, TableState]
"""An event with the state before and after it."""
PlayDeal = Callable[[RuleSet, int], Iterator[Step]]
"""Plays one deal of a rule set, by its seed."""


@dataclass
class Dealer:
    """Plays one deal: a shuffled wall, players who like wins, then claims, and throw what fits least."""

    rules: RuleSet
    rng: random.Random
    styles: tuple[Style, ...] = (PLAIN,) * 4
    gift: Gift | None = None
    """What the first player of `favoured` is dealt."""
    favoured: Seat = Seat.S0
    kept: int = 0
    wall: list[Tile] = field(default_factory=list)
    """The tiles that are not dealt or drawn yet."""

    def play(self) -> Iterator[Step]:
        """Every event with the state before and after it."""
        self.wall = wall = list(self.rules.tiles)
        self.rng.shuffle(wall)
        dealer = Seat(self.rng.randrange(4))
        given = self._give(wall)
        sizes = [self.rules.hand_size + (seat is dealer) for seat in SEATS]
        hands = tuple(
            (*held, *(wall.pop() for _ in range(size - len(held))))
            for size, held in ((size, given[seat][:size]) for seat, size in zip(SEATS, sizes, strict=True))
        )
        state = new_table(self.rules)
        opening: list[Event] = [DealStarted(dealer, (1, 2), self.kept, hands)]
        if self.rules.wild_of is not None:
            opening.append(IndicatorTurned(wall.pop()))
        for event in opening:
            before, state = state, apply(state, event, self.rules)
            yield before, event, state
        while state.phase is not Phase.OVER:
            event = self._ruling(state) or self._next(state, wall)
            before, state = state, apply(state, event, self.rules)
            yield before, event, state

    def _give(self, wall: list[Tile]) -> list[Hand]:
        """Take what is dealt on purpose out of the wall, and lay the indicator where it is turned."""
        given: list[Hand] = [(), (), (), ()]
        if self.gift is None or self.rules.wild_of is None:
            return given
        indicator = self.rng.choice(wall)
        wall.remove(indicator)
        hands = self.gift(self.rng, self.rules.wild_of(indicator), list(wall))
        if Counter(tile for hand in hands for tile in hand) - Counter(wall):
            hands = []
        for step, hand in enumerate(hands):
            seat = self.favoured.after(step)
            given[seat] = tuple(hand[: self.rules.hand_size])
            for tile in given[seat]:
                wall.remove(tile)
        wall.insert(len(wall) - (4 * self.rules.hand_size + 1 - sum(map(len, given))), indicator)
        return given

    def _ruling(self, state: TableState) -> FalseWin | Barred | None:
        """Now and then a player is found to have done wrong, where the rule set knows it."""
        if self.rules.fine is None or state.phase not in {Phase.TURN, Phase.CLAIM}:
            return None
        for seat in SEATS:
            wrong = self.styles[seat].wrong
            if wrong and self.rng.random() < wrong and not is_barred(state, seat):
                if self.rng.random() < 0.5:
                    return Barred(seat, "a tile short")
                return FalseWin(seat, state.hands[seat].concealed)
        return None

    def _next(self, state: TableState, wall: list[Tile]) -> Event:
        if state.phase is Phase.TURN:
            moves = [event for seat in SEATS for event in options(state, seat, self.rules)]
            flower = next((event for event in moves if isinstance(event, FlowerShown)), None)
            if flower is not None:
                return FlowerShown(flower.seat, flower.tile, wall.pop(0))
            return self._move(state, moves)
        offers = [event for seat in SEATS for event in options(state, seat, self.rules)]
        wishes = [
            event
            for event in offers
            if isinstance(event, Won | Claimed) and self.rng.random() < self._share(state, event)
        ]
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

    def _share(self, state: TableState, event: Won | Claimed) -> float:
        style = self.styles[event.seat]
        if isinstance(event, Claimed):
            return style.claims
        plain = state.phase is Phase.CLAIM and event.from_seat is not None
        hot = any(
            isinstance(e, KongDeclared) or (isinstance(e, Claimed) and e.kind.is_kong) for e in state.log[-3:]
        )
        givers = (event.seat, state.turn)
        single = any(len(state.hands[seat].melds) == 4 for seat in givers)
        return style.wins if plain and not hot and not single else style.rare

    def _move(self, state: TableState, moves: list[Event]) -> Event:
        style = self.styles[state.turn]
        wins = [move for move in moves if isinstance(move, Won)]
        replaced = isinstance(state.log[-1], Drew) and state.log[-1].replacement
        if wins and self.rng.random() < (style.rare if replaced else style.draws):
            return wins[0]
        others = [move for move in moves if not isinstance(move, Won | Discarded)]
        if others and self.rng.random() < style.claims:
            return self.rng.choice(others)
        # A hand that must win by itself may have no discard.
        discards = [move for move in moves if isinstance(move, Discarded)]
        if not discards or self.rng.random() > style.care:
            return self.rng.choice(discards or moves)
        hand = state.hands[state.turn].concealed
        return min(discards, key=lambda move: (style.taste(move.tile, hand, state.wild), self.rng.random()))


def varied(rules: RuleSet, seed: int) -> Dealer:
    """The dealer of one random deal with players of all kinds; in most deals one of them has a gift."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    kept = rng.choice([0, 0, 0, 1, 2])
    if rng.random() < 0.4:
        first, second, third, fourth = (rng.choice(STYLES) for _ in SEATS)
        return Dealer(rules, rng, (first, second, third, fourth), kept=kept)
    gift, style, others = rng.choice(GIFTS)
    favoured = Seat(rng.randrange(4))
    styles = tuple(style if seat is favoured else others for seat in SEATS)
    return Dealer(rules, rng, styles, gift, favoured, kept)
