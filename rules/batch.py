"""Win tests and waits of many hands at once, with the same answers as `rules.hand`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from rules import suit_tables as fields
from rules.hand import ALONE, SAVED, SETS
from rules.tiles import KINDS, Tile

if TYPE_CHECKING:
    from collections.abc import Mapping

CHUNK: Final = 4096
"""Hands per step: larger temporaries leave the cache and cost many times more."""

Counts = npt.NDArray[np.uint8]
"""Shape (hands, 34): natural tiles of each kind, wild tiles left out."""
Wilds = npt.NDArray[np.uint8]
"""Shape (hands,): wild tiles of each hand."""
Flags = npt.NDArray[np.bool_]
_Words = npt.NDArray[np.uint32]
_Keys = npt.NDArray[np.int32]

_BLOCK_OF: Final = np.array([kind // 9 for kind in range(KINDS)])
_WEIGHT_OF: Final = np.array([fields.BASE ** (kind % 9) for kind in range(KINDS)])


def count(tiles: npt.NDArray[np.int_], wild: Tile | None = None) -> tuple[Counts, Wilds]:
    """Counts and wild tiles of hands given as tile numbers 0..33, shape (hands, tiles).

    Raises:
        ValueError: a number is no playing tile, or a hand has more than four of a kind.
    """
    if tiles.size and (tiles.min() < 0 or tiles.max() >= KINDS):
        raise ValueError("a hand holds a tile that can't be part of a win")
    rows = np.arange(len(tiles))[:, None]
    flat = np.bincount((rows * KINDS + tiles).ravel(), minlength=len(tiles) * KINDS)
    counts = flat.reshape(len(tiles), KINDS).astype(np.uint8)
    if counts.size and counts.max() > 4:
        raise ValueError("a hand has more than four of a kind")
    wilds = np.zeros(len(tiles), dtype=np.uint8)
    if wild is not None:
        wilds = counts[:, wild].copy()
        counts[:, wild] = 0
    return counts, wilds


def is_win(counts: Counts, wilds: Wilds, melds: int = 0) -> Flags:
    """Which hands, the winning tile included, are four sets and a pair or (with no set declared) seven pairs.

    The number of tiles is the caller's care: 14 less 3 for each declared set.
    """
    result = np.empty(len(counts), dtype=np.bool_)
    for start in range(0, len(counts), CHUNK):
        part = slice(start, start + CHUNK)
        word = _words(_keys(counts[part])).sum(axis=0, dtype=np.uint32)
        result[part] = _wins(word, wilds[part], SETS - melds)
    return result


def waits(counts: Counts, wilds: Wilds, melds: int = 0, wild: Tile | None = None) -> Flags:
    """Which of the 34 kinds complete each hand before the draw, shape (hands, 34); see `rules.hand.waits`."""
    result = np.empty((len(counts), KINDS), dtype=np.bool_)
    for start in range(0, len(counts), CHUNK):
        part = slice(start, start + CHUNK)
        keys = _keys(counts[part])
        word = _words(keys).sum(axis=0, dtype=np.uint32)
        _waits(result[part], keys, word, wilds[part], SETS - melds)
        if wild is not None:
            by_wild = _wins(word, wilds[part] + np.uint8(1), SETS - melds)
            result[part, wild] = by_wild & (wilds[part] < 4)
    return result


@cache
def _matrix() -> npt.NDArray[np.float32]:
    """Counts times this are the keys of the four blocks, exactly: all are below 2^24."""
    matrix = np.zeros((KINDS, 4), dtype=np.float32)
    matrix[np.arange(KINDS), _BLOCK_OF] = _WEIGHT_OF
    return matrix


@cache
def _word_tables() -> tuple[_Words, _Words]:
    tables = fields.load()
    return tables.suit_words[tables.suit], tables.honour_words[tables.honour]


def _keys(counts: Counts) -> _Keys:
    """Shape (4, hands)."""
    keys = counts.astype(np.float32) @ _matrix()
    return np.ascontiguousarray(keys.T).astype(np.int32)


def _words(keys: _Keys) -> _Words:
    suits, honours = _word_tables()
    return np.stack([suits[keys[0]], suits[keys[1]], suits[keys[2]], honours[keys[3]]])


def _wins(word: _Words, wilds: Wilds, sets: int) -> Flags:
    saved = (word & np.uint32(7 << fields.SAVES)) != 0
    standard: Flags = (word & np.uint32(15)) - saved <= sets
    if sets < SETS:
        return standard
    pairs: Flags = (word >> np.uint32(fields.ODD) & np.uint32(15)) <= wilds
    return standard | pairs


def _waits(found: Flags, keys: _Keys, total: _Words, wilds: Wilds, sets: int) -> None:
    """Fill in the waits of hands whose blocks have these keys and, together, these words."""
    spare = sets - (total & np.uint32(15)).astype(np.int8)
    savers = total >> np.uint32(fields.SAVES) & np.uint32(7)
    alone, saved = _shifts(ALONE)[spare], _shifts(SAVED)[spare]
    odd = (total >> np.uint32(fields.ODD) & np.uint32(15)).astype(np.int8)
    pairs = np.full(len(wilds), fields.NOTHING, dtype=np.uint64)
    if sets == SETS:
        pairs[odd - 1 <= wilds] = fields.ODD_RANKS
        pairs[odd + 1 <= wilds] = fields.FREE
    for block, (first, end) in enumerate(((0, 9), (9, 18), (18, 27), (27, KINDS))):
        masks = fields.wait_masks()[block == 3][keys[block]]
        own = (masks >> np.uint64(fields.SAVER)) & np.uint64(1)
        ranks = masks >> np.where(savers > own, saved, alone) | masks >> pairs
        found[:, first:end] = _bits()[(ranks & np.uint64(511)).astype(np.int64), : end - first]


def _shifts(by_spare: Mapping[int, int]) -> npt.NDArray[np.uint64]:
    """The shift for every number of spare sets; a negative one counts from the end."""
    size = max(by_spare) - min(by_spare) + 1
    shifts = np.zeros(size, dtype=np.uint64)
    for spare, shift in by_spare.items():
        shifts[spare] = shift
    return shifts


@cache
def _bits() -> Flags:
    """The nine bits of every mask, shape (512, 9)."""
    bits: Flags = np.arange(512)[:, None] >> np.arange(9) & 1 == 1
    return bits
