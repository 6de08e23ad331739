"""The hands that benchmarks run on: half of them win, with 0 to 4 wild tiles put in; always the same."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from rules.hand import is_win
from rules.tiles import KINDS, Tile

DECK = [Tile(kind) for kind in range(KINDS) for _ in range(4)]
WILD = Tile.RED


@dataclass(frozen=True)
class Hands:
    """Hands of fourteen tiles without wild ones, the same with wild ones, and which of the first win."""

    natural: list[tuple[Tile, ...]]
    wild: dict[int, list[tuple[Tile, ...]]]
    winning: list[tuple[Tile, ...]]


def hands(number: int, seed: int = 1) -> Hands:
    """Half winning hands (a tenth of them pairs), a quarter random deals, a quarter wins spoilt by a tile."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    winning = [_win(rng) for _ in range(number // 2)]
    spoilt = [_spoilt(rng, hand) for hand in winning[: number // 4]]
    dealt = [_without_wild(rng) for _ in range(number // 4)]
    natural = [*winning, *spoilt, *dealt]
    rng.shuffle(natural)
    return Hands(
        natural, {count: [_wilder(rng, hand, count) for hand in natural] for count in range(5)}, winning
    )


def _win(rng: random.Random) -> tuple[Tile, ...]:
    while True:
        tiles: list[Tile] = []
        for _ in range(4):
            kind = rng.randrange(KINDS)
            run = kind < 27 and kind % 9 < 7 and rng.random() < 0.7
            tiles += [Tile(kind + step) for step in range(3)] if run else [Tile(kind)] * 3
        tiles += [Tile(rng.randrange(KINDS))] * 2
        if rng.random() < 0.1:
            tiles = [Tile(kind) for kind in rng.sample(range(KINDS), 7) for _ in range(2)]
        if max(Counter(tiles).values()) <= 4 and WILD not in tiles:
            rng.shuffle(tiles)
            return tuple(tiles)


def _without_wild(rng: random.Random) -> tuple[Tile, ...]:
    return tuple(rng.sample([tile for tile in DECK if tile is not WILD], 14))


def _spoilt(rng: random.Random, hand: tuple[Tile, ...]) -> tuple[Tile, ...]:
    while True:
        other = Tile(rng.choice([kind for kind in range(KINDS) if kind != WILD]))
        spoilt = (*hand[:-1], other)
        if spoilt.count(other) <= 4 and not is_win(spoilt):
            return spoilt


def _wilder(rng: random.Random, hand: tuple[Tile, ...], count: int) -> tuple[Tile, ...]:
    tiles = list(hand)
    for place in rng.sample(range(14), count):
        tiles[place] = WILD
    return tuple(tiles)
