"""Tables over all ways in which a suit's or the honours' natural tiles can lie in a hand.

A block is a suit (nine counts) or the honours (seven counts); its key is the number with those counts as
digits in base five, the first kind lowest. For each key the table gives a word: numbers in fields of their
own, so that the words of the four blocks of a hand can be added. What each field means:

=============  ==============================================================================
field          number
=============  ==============================================================================
`SETS`         least number of sets that cover all tiles, wild tiles filling the gaps
`SAVES`        1 where a pair saves one of these sets
`TRIPLETS`     the same for sets of equal tiles only
`TRIPLET_SAVES`  1 where a pair saves one of those
`ODD`          kinds with an odd number of tiles
`CLOSE`        1 where two tiles are equal or, in a suit, less than three apart
`SUITS`        1 where the block is a suit and holds a tile
`HONOURS`      kinds of honours
`COPIES`       1 where a kind has more than two tiles
=============  ==============================================================================

`build` computes the tables; what it gives is committed beside this module, and `load` reads that.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

import numpy as np
import numpy.typing as npt

RANKS: Final = 9
HONOUR_KINDS: Final = 7
BASE: Final = 5
MOST_TILES: Final = 14
RUN: Final = 3
FILE: Final = "suits.npz"

SETS: Final = 0
SAVES: Final = 4
TRIPLETS: Final = 7
TRIPLET_SAVES: Final = 11
ODD: Final = 14
CLOSE: Final = 18
SUITS: Final = 21
HONOURS: Final = 23
COPIES: Final = 26
"""First bit of each field; the next field's first bit ends it, the last one has three bits."""

Words = npt.NDArray[np.uint32]
Classes = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Tables:
    """A class for every key of a block (0 for impossible ones), and the word of every class."""

    suit: Classes
    suit_words: Words
    honour: Classes
    honour_words: Words


def build() -> Tables:
    """Compute the tables from nothing (about a second)."""
    suit, suit_words = _classes(RANKS, is_suit=True)
    honour, honour_words = _classes(HONOUR_KINDS, is_suit=False)
    return Tables(suit, suit_words, honour, honour_words)


@cache
def load() -> Tables:
    """The committed tables."""
    content = resources.files("rules.data").joinpath(FILE).read_bytes()
    with np.load(io.BytesIO(content)) as stored:
        return Tables(stored["suit"], stored["suit_words"], stored["honour"], stored["honour_words"])


SAME: Final = 0
LOW: Final = 9
LOWEST: Final = 18
FREE: Final = 27
ODD_RANKS: Final = 36
SAVER: Final = 45
NOTHING: Final = 46
"""First bit of the masks of `wait_masks`: nine bits each, one of `SAVER`, none from `NOTHING` on."""

Masks = npt.NDArray[np.uint64]


@cache
def wait_masks() -> tuple[Masks, Masks]:
    """For every key of a suit and of the honours: which ranks can be added, and the sets needed then.

    With m sets needed now, three masks say by which rank still m sets are needed (`SAME`), m sets beside a
    pair or fewer (`LOW`), or m - 1 beside a pair (`LOWEST`). `FREE` are the ranks with less than four copies,
    the only ones in the other masks; `ODD_RANKS` those with one or three. `SAVER` is 1 where a pair saves one
    of the m sets.
    """
    tables = load()
    return (
        _wait_masks(tables.suit, tables.suit_words, RANKS),
        _wait_masks(tables.honour, tables.honour_words, HONOUR_KINDS),
    )


def _wait_masks(classes: Classes, words: Words, kinds: int) -> Masks:
    blocks = _blocks(kinds)
    sets, saves = words & np.uint32(15), words >> np.uint32(SAVES) & np.uint32(1)
    now = sets[classes[blocks.keys]]
    masks = np.zeros(len(blocks.keys), dtype=np.uint64)
    for rank in range(kinds):
        copies = blocks.counts[:, rank]
        free = copies < 4
        after = classes[blocks.keys + np.where(free, BASE**rank, 0)]
        same, saved = (sets[after] == now) & free, (saves[after] == 1) & free
        ranks = {SAME: same, LOW: same | saved, LOWEST: same & saved, FREE: free, ODD_RANKS: copies % 2 == 1}
        for start, holds in ranks.items():
            masks |= holds.astype(np.uint64) << np.uint64(start + rank)
    masks |= saves[classes[blocks.keys]].astype(np.uint64) << np.uint64(SAVER)
    by_key = np.zeros(len(classes), dtype=np.uint64)
    by_key[blocks.keys] = masks
    return by_key


def packed(tables: Tables) -> bytes:
    """The content of the committed file."""
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        suit=tables.suit,
        suit_words=tables.suit_words,
        honour=tables.honour,
        honour_words=tables.honour_words,
    )
    return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class _Blocks:
    """All blocks that a hand can have: their keys, rising, and their counts, shape (blocks, kinds)."""

    keys: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int8]

    def taken(self, kinds: range, most: int) -> npt.NDArray[np.int64]:
        """Which block each becomes when up to `most` tiles of each of these kinds are taken away."""
        keys = self.keys.copy()
        for kind in kinds:
            keys -= np.minimum(self.counts[:, kind], most) * np.int64(BASE**kind)
        return np.searchsorted(self.keys, keys)


def _blocks(kinds: int) -> _Blocks:
    keys = np.zeros(1, dtype=np.int64)
    sums = np.zeros(1, dtype=np.int8)
    for kind in range(kinds):
        more = np.arange(BASE)
        keys = (keys + more[:, None] * BASE**kind).ravel()
        sums = (sums + more[:, None].astype(np.int8)).ravel()
        keys, sums = keys[sums <= MOST_TILES], sums[sums <= MOST_TILES]
    counts = np.stack([keys // BASE**kind % BASE for kind in range(kinds)], axis=1)
    return _Blocks(keys, counts.astype(np.int8))


def _words(blocks: _Blocks, *, is_suit: bool) -> Words:
    counts = blocks.counts
    kinds = counts.shape[1]
    sets = _least_sets(blocks, runs=is_suit)
    paired = np.min([sets[blocks.taken(range(kind, kind + 1), 2)] for kind in range(kinds)], axis=0)
    held = counts > 0
    close = (counts > 1).any(axis=1)
    if is_suit:
        for gap in (1, 2):
            close |= (held[:, :-gap] & held[:, gap:]).any(axis=1)
    fields = {
        SETS: sets,
        SAVES: paired < sets,
        TRIPLETS: ((counts + 2) // 3).sum(axis=1),
        TRIPLET_SAVES: (held & (counts != 3)).any(axis=1),
        ODD: (counts % 2).sum(axis=1),
        CLOSE: close,
        SUITS: held.any(axis=1) & is_suit,
        HONOURS: held.sum(axis=1) * (not is_suit),
        COPIES: (counts > 2).any(axis=1),
    }
    words = np.zeros(len(counts), dtype=np.uint32)
    for shift, value in fields.items():
        words |= value.astype(np.uint32) << np.uint32(shift)
    return words


def _least_sets(blocks: _Blocks, *, runs: bool) -> npt.NDArray[np.int64]:
    kinds = blocks.counts.shape[1]
    smaller = [blocks.taken(range(kind, kind + 1), 3) for kind in range(kinds)]
    if runs:
        smaller += [blocks.taken(range(low, low + RUN), 1) for low in range(kinds - RUN + 1)]
    sets = np.full(len(blocks.keys), MOST_TILES, dtype=np.int64)
    sets[0] = 0
    while True:
        fewer = sets.copy()
        for places in smaller:
            np.minimum(fewer, 1 + sets[places], out=fewer)
        fewer[0] = 0
        if np.array_equal(fewer, sets):
            return sets
        sets = fewer


def _classes(kinds: int, *, is_suit: bool) -> tuple[Classes, Words]:
    """The distinct words, and for every key the number of its word."""
    blocks = _blocks(kinds)
    distinct, numbers = np.unique(_words(blocks, is_suit=is_suit), return_inverse=True)
    classes = np.zeros(BASE**kinds, dtype=np.uint16)
    classes[blocks.keys] = numbers
    return classes, distinct
