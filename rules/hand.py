"""Winning hands with wild tiles: four sets and a pair, seven pairs, and what a hand waits for.

Each suit is looked at by itself. If all its natural tiles must be placed, all that matters is how many sets
cover them, once without a pair and once with it: wild tiles fill whatever is missing, and how many are
missing follows from the number of tiles. A hand wins if its suits together need no more sets than it must
have. Wild tiles may stand for a fifth copy.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final

from rules.tiles import KINDS, Tile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rules.events import Meld

SETS: Final = 4
"""Sets of a full hand, beside the pair."""

Counts = tuple[int, ...]
"""How many natural tiles of each of the 34 kinds."""


class Form(StrEnum):
    """A way in which fourteen tiles are complete."""

    STANDARD = "standard"
    """Four sets and a pair."""
    TRIPLETS = "triplets"
    """Four sets and a pair without a run."""
    SEVEN_PAIRS = "seven_pairs"
    """Seven pairs, nothing declared; four equal tiles count as two pairs."""


def count_kinds(tiles: Iterable[Tile], wild: Tile | None = None) -> tuple[Counts, int]:
    """The natural tiles counted by kind, and the number of wild tiles.

    Raises:
        ValueError: a tile is unknown, a flower or a back, or there are more than four of a kind.
    """
    counts = [0] * KINDS
    for tile in tiles:
        if not 0 <= tile < KINDS:
            raise ValueError(f"{tile} can't be part of a winning hand")
        counts[tile] += 1
        if counts[tile] > 4:
            raise ValueError(f"more than four {tile}")
    wilds = 0
    if wild is not None:
        wilds, counts[wild] = counts[wild], 0
    return tuple(counts), wilds


@cache
def _sets_needed(suit: Counts) -> int:
    """The least number of sets that cover all tiles of a suit (nine counts), wild tiles filling the gaps."""
    first = next((rank for rank, number in enumerate(suit) if number), None)
    if first is None:
        return 0
    best = 1 + _sets_needed(_less(suit, first, min(3, suit[first])))
    for low in range(max(0, first - 2), min(first, 6) + 1):
        rest = suit
        for rank in range(low, low + 3):
            rest = _less(rest, rank, min(1, rest[rank]))
        best = min(best, 1 + _sets_needed(rest))
    return best


def _less(suit: Counts, rank: int, number: int) -> Counts:
    return (*suit[:rank], suit[rank] - number, *suit[rank + 1 :])


@cache
def _suit_class(suit: Counts) -> tuple[int, int]:
    """Sets needed without a pair, and beside a pair (if the same, the pair is of wild tiles)."""
    alone = _sets_needed(suit)
    pairs = (_sets_needed(_less(suit, rank, min(2, n))) for rank, n in enumerate(suit) if n)
    return alone, min((alone, *pairs))


@cache
def _triplet_class(block: Counts) -> tuple[int, int]:
    """The same where every set is of equal tiles; for any block of kinds, honours included."""
    alone = sum((n + 2) // 3 for n in block)
    saved = any((max(0, n - 2) + 2) // 3 < (n + 2) // 3 for n in block)
    return alone, alone - saved


def _covers(classes: Sequence[tuple[int, int]], sets: int) -> bool:
    needed = sum(alone for alone, _ in classes)
    saved = any(paired < alone for alone, paired in classes)
    return needed - saved <= sets


def _melds(melds: Sequence[Meld] | int) -> int:
    return melds if isinstance(melds, int) else len(melds)


def forms(
    tiles: Iterable[Tile], melds: Sequence[Meld] | int = 0, wild: Tile | None = None
) -> frozenset[Form]:
    """All forms that the concealed tiles, the winning one included, complete beside the declared sets.

    `melds` are the declared sets or just their number. Wild tiles are given by their own face.

    Raises:
        ValueError: the number of tiles does not fit the number of sets, or a tile is impossible.
    """
    declared = _melds(melds)
    held = tuple(tiles)
    sets = SETS - declared
    if len(held) != 3 * sets + 2 or sets < 0:
        raise ValueError(f"{len(held)} tiles with {declared} declared sets, expected {3 * sets + 2}")
    counts, wilds = count_kinds(held, wild)
    found = set()
    if _covers(_standard(counts), sets):
        found.add(Form.STANDARD)
    no_run = isinstance(melds, int) or all(meld.tiles[0] is meld.tiles[1] for meld in melds)
    if no_run and _covers([_triplet_class(counts)], sets):
        found.add(Form.TRIPLETS)
    if not declared and sum(n % 2 for n in counts) <= wilds:
        found.add(Form.SEVEN_PAIRS)
    return frozenset(found)


def _standard(counts: Counts) -> list[tuple[int, int]]:
    suits = [_suit_class(counts[start : start + 9]) for start in (0, 9, 18)]
    return [*suits, _triplet_class(counts[27:])]


def is_win(tiles: Iterable[Tile], melds: Sequence[Meld] | int = 0, wild: Tile | None = None) -> bool:
    """Whether the concealed tiles, the winning one included, are four sets and a pair or seven pairs.

    Raises:
        ValueError: as `forms`.
    """
    return not forms(tiles, melds, wild).isdisjoint({Form.STANDARD, Form.SEVEN_PAIRS})


def waits(
    tiles: Iterable[Tile], melds: Sequence[Meld] | int = 0, wild: Tile | None = None
) -> tuple[Tile, ...]:
    """The kinds that complete the concealed tiles before the draw (thirteen with no set declared).

    A kind whose four copies are all in the hand is not listed.

    Raises:
        ValueError: as `forms`, for one tile less.
    """
    held = tuple(tiles)
    sets = SETS - _melds(melds)
    if len(held) != 3 * sets + 1:
        raise ValueError(f"{len(held)} tiles with {SETS - sets} declared sets, expected {3 * sets + 1}")
    free = (Tile(kind) for kind in range(KINDS) if held.count(Tile(kind)) < 4)
    return tuple(tile for tile in free if is_win((*held, tile), melds, wild))
