"""Tiles that players of random deals are dealt on purpose, so that rare hands come often enough."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from random_players import (
    KONGS,
    LURKS,
    PLAIN,
    QUIET,
    Style,
    apart,
    equal_tiles,
    honours_first,
    honours_last,
    one_suit,
    ties,
)

from rules.tiles import Tile

Gift = Callable[[random.Random, Tile, list[Tile]], list[list[Tile]]]
"""Tiles that players are dealt on purpose: from the wild tile and all tiles but the indicator."""


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
