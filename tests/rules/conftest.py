"""Whole random deals with known hands, for every test that needs one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pytest

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

Hand = tuple[Tile, ...]
Taste = Callable[[Tile, Hand, Tile | None], int]
"""How much a player would rather keep a tile of his hand, given the wild tile."""


def ties(tile: Tile, hand: Hand, wild: Tile | None) -> int:
    """How much a tile is worth beside the others in hand: equal ones, near ones, most if it is wild."""
    near = sum(tile.is_suited and other.suit == tile.suit and abs(other - tile) < 3 for other in hand)
    return near + 2 * hand.count(tile) + 100 * (tile is wild)


def honours_first(tile: Tile, hand: Hand, wild: Tile | None) -> int:
    return ties(tile, hand, wild) - 50 * tile.is_honour


def honours_last(tile: Tile, hand: Hand, wild: Tile | None) -> int:
    return ties(tile, hand, wild) + 50 * tile.is_honour


def one_suit(tile: Tile, hand: Hand, wild: Tile | None) -> int:
    return ties(tile, hand, wild) + 5 * sum(other.suit == tile.suit for other in hand)


def equal_tiles(tile: Tile, hand: Hand, wild: Tile | None) -> int:
    return hand.count(tile) + 100 * (tile is wild)


def apart(tile: Tile, hand: Hand, wild: Tile | None) -> int:
    return 200 * (tile is wild) - ties(tile, hand, wild)


@dataclass(frozen=True)
class Style:
    """How a player plays; all numbers are shares of the chances that he takes.

    `wins` are wins on plain discards, `draws` by the own draw, `rare` all others: robbed kongs, discards and
    draws after a kong, single waits, wins by the own discard. `care` is how often he throws what his taste
    keeps least, `wrong` how often the table rules against him.
    """

    wins: float = 0.7
    draws: float = 0.7
    rare: float = 0.7
    claims: float = 0.7
    care: float = 0.7
    wrong: float = 0.0
    taste: Taste = ties


PLAIN = Style()
QUIET = Style(wins=0.05, draws=0.3, claims=0.05)
KONGS = Style(wins=0.0, draws=0.2, rare=1.0, claims=1.0, care=1.0, taste=equal_tiles)
LURKS = Style(wins=0.0, draws=0.0, rare=1.0, care=1.0)
STYLES = (
    PLAIN,
    Style(claims=1.0, wins=0.2, rare=1.0, taste=equal_tiles),
    Style(wins=0.1, rare=1.0),
    Style(care=0.0),
    Style(wrong=0.02),
)


def of_honours(rng: random.Random, wild: Tile, pool: list[Tile]) -> list[list[Tile]]:
    return [rng.sample([tile for tile in pool if tile.is_honour or tile is wild], 13)]


def ten_honours(rng: random.Random, wild: Tile, pool: list[Tile]) -> list[list[Tile]]:
    """Honours that nobody else can claim: three of some kinds."""
    kinds = rng.sample([tile for tile in set(pool) if tile.is_honour and tile is not wild], 4)
    return [[tile for tile in kinds for _ in range(min(3, pool.count(tile)))]]


def dragons(rng: random.Random, wild: Tile, _pool: list[Tile]) -> list[list[Tile]]:
    return [[wild] * rng.choice([3, 4])]


def of_one_suit(rng: random.Random, _wild: Tile, pool: list[Tile]) -> list[list[Tile]]:
    suit = rng.choice("mps")
    return [rng.sample([tile for tile in pool if tile.suit == suit], 13)]


def of_pairs(rng: random.Random, _wild: Tile, pool: list[Tile]) -> list[list[Tile]]:
    kinds = sorted(tile for tile in set(pool) if pool.count(tile) > 2)
    suit = rng.choice("mps")
    if rng.random() < 0.3:
        kinds = [tile for tile in kinds if tile.suit == suit]
    return [[tile for tile in rng.sample(kinds, 6) for _ in range(2)]]


def scattered(rng: random.Random, _wild: Tile, _pool: list[Tile]) -> list[list[Tile]]:
    low = [rng.choice([0, 1, 2]) + 9 * suit for suit in range(3)]
    suited = [Tile(start + step) for start in low for step in (0, 3, 6)]
    honours = [Tile(kind) for kind in range(27, 34)]
    return [rng.sample(suited, 6) + honours if rng.random() < 0.5 else suited + rng.sample(honours, 4)]


def of_triplets(rng: random.Random, wild: Tile, pool: list[Tile]) -> list[list[Tile]]:
    kinds = [tile for tile in sorted(set(pool)) if tile is not wild and pool.count(tile) > 2]
    return [[tile for tile in rng.sample(kinds, 4) for _ in range(3)] + [wild]]


def complete(rng: random.Random, wild: Tile, pool: list[Tile]) -> list[list[Tile]]:
    return [[*four_sets(rng, wild, pool), wild, rng.choice([tile for tile in pool if tile is not wild])]]


def waits_for_all(rng: random.Random, wild: Tile, pool: list[Tile]) -> list[list[Tile]]:
    return [[*four_sets(rng, wild, pool), wild]]


def four_sets(rng: random.Random, wild: Tile, pool: list[Tile]) -> list[Tile]:
    while True:
        tiles: list[Tile] = []
        for _ in range(4):
            first = rng.choice(pool)
            steps = (0, 1, 2) if first.is_suited and first % 9 < 7 else (0, 0, 0)
            tiles += [Tile(first + step) for step in steps]
        if wild not in tiles and not Counter(tiles) - Counter(pool):
            return tiles


def kong_to_rob(rng: random.Random, wild: Tile, pool: list[Tile]) -> list[list[Tile]]:
    """One waits for the ends of a run; the others can make a triplet of one, and its fourth tile is drawn."""
    inner = rng.choice([Tile(9 * suit + rank) for suit in range(3) for rank in range(1, 7)])
    low, high = Tile(inner - 1), Tile(inner + 2)
    while True:
        sets = four_sets(rng, wild, pool)[3:]
        waiting = [
            *sets,
            inner,
            Tile(inner + 1),
            *rng.sample([tile for tile in pool if tile is not wild], 1) * 2,
        ]
        if low not in waiting and high not in waiting:
            return [waiting, [low, low], [high, high], [low, high]]


def four_pairs(rng: random.Random, wild: Tile, pool: list[Tile]) -> list[list[Tile]]:
    """One can make four triplets of what the others throw and is then left with one of two near tiles."""
    kinds = [tile for tile in sorted(set(pool)) if tile is not wild and pool.count(tile) > 3]
    last = rng.choice(
        [tile for tile in kinds if Tile(tile + 1) in kinds and tile.suit == Tile(tile + 1).suit]
    )
    near = Tile(last + 1)
    made = rng.sample([tile for tile in kinds if tile not in {last, near}], 4)
    own = [tile for tile in made for _ in range(2)] + [last, near]
    return [own, [*made[:2], last, near], [*made[1:3], last, near], [*made[2:], last, near]]


Gift = Callable[[random.Random, Tile, list[Tile]], list[list[Tile]]]
"""Tiles that players are dealt on purpose: from the wild tile and all tiles but the indicator."""


GIFTS: tuple[tuple[Gift, Style, Style], ...] = (
    (of_honours, Style(claims=0.3, rare=1.0, care=1.0, taste=honours_last), QUIET),
    (ten_honours, Style(wins=0.0, claims=0.0, care=1.0, taste=honours_first), QUIET),
    (dragons, PLAIN, QUIET),
    (of_one_suit, Style(taste=one_suit), QUIET),
    (of_pairs, Style(claims=0.0, care=1.0, taste=equal_tiles), QUIET),
    (scattered, Style(wins=1.0, claims=0.0, care=1.0, taste=apart), Style(0.0, 0.0, care=0.0)),
    (complete, PLAIN, QUIET),
    (waits_for_all, Style(wins=0.4, claims=0.1), QUIET),
    (of_triplets, KONGS, QUIET),
    (of_pairs, KONGS, LURKS),
    *[(four_pairs, replace(KONGS, draws=0.0, taste=ties), replace(KONGS, claims=0.1, rare=0.1))] * 4,
    *[(kong_to_rob, replace(LURKS, claims=0.0), replace(KONGS, draws=0.0))] * 5,
)
"""What a player is dealt, how he plays then, and how the others do."""


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

    def play(self) -> Iterator[tuple[TableState, Event, TableState]]:
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
    """A function (rules, seed) that makes the dealer of one random deal with players of all kinds."""
    return varied
