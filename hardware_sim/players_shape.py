"""How far a hand is from winning: the one number the simulated players think in.

Counts are tuples of 34 numbers (copies of each kind held, wild tiles taken out beforehand). The distance is
the number of tiles still needed for four sets and a pair or for seven pairs: 0 is a winning fourteen, 1 a
waiting thirteen. It is a heuristic of the players only; whether a hand has won is asked of the rules.
"""

from functools import lru_cache

Counts = tuple[int, ...]
Blocks = tuple[int, int, int]
"""(complete sets, two-tile partials of a set, pairs kept as the pair: 0 or 1)."""

HONOURS = slice(27, 34)
SUITS = (slice(0, 9), slice(9, 18), slice(18, 27))
NO_BLOCKS: Blocks = (0, 0, 0)


@lru_cache(maxsize=1 << 16)
def distance(counts: Counts, *, melds: int, wilds: int) -> int:
    """Tiles still needed to win with `melds` sets already laid down and `wilds` wild tiles held."""
    best = _sets_distance(counts, melds, wilds)
    if melds == 0:
        best = min(best, _pairs_distance(counts, wilds))
    return best


def acceptance(counts: Counts, unseen: Counts, *, melds: int, wilds: int) -> int:
    """How many unseen tiles bring a hand that has just discarded nearer to winning."""
    here = distance(counts, melds=melds, wilds=wilds)
    held, total = sum(counts) + 1, 0
    alone: bool | None = None  # tiles that go with no other of the hand all bring it equally far
    for group in (*SUITS, HONOURS):
        rest: tuple[Blocks, ...] | None = None
        for kind in range(group.start, group.stop):
            if unseen[kind] == 0:
                continue
            single = _is_alone(counts, kind)
            if single and alone is not None:
                total += unseen[kind] * alone
                continue
            if rest is None:
                rest = _blocks_beside(counts, group)
            more = changed(counts, kind, 1)
            blocks = _merge(rest, (_honour_blocks if group is HONOURS else _suit_blocks)(more[group]))
            needed = _least_needed(blocks, 4 - melds, held) - wilds
            if melds == 0:
                needed = min(needed, _pairs_distance(more, wilds))
            total += unseen[kind] * (needed < here)
            if single:
                alone = needed < here
    return total


def _blocks_beside(counts: Counts, group: slice) -> tuple[Blocks, ...]:
    """How the tiles outside one suit, or outside the honours, can be cut."""
    merged = (NO_BLOCKS,) if group is HONOURS else _honour_blocks(counts[HONOURS])
    for suit in SUITS:
        if suit is not group:
            merged = _merge(merged, _suit_blocks(counts[suit]))
    return merged


def _is_alone(counts: Counts, kind: int) -> bool:
    """Whether the hand holds nothing that this kind could make a set or a pair with."""
    if kind >= HONOURS.start:
        return counts[kind] == 0
    first = kind - kind % 9
    return not any(counts[max(first, kind - 2) : min(first + 9, kind + 3)])


def changed(counts: Counts, kind: int, by: int) -> Counts:
    """The counts with `by` more tiles of `kind`."""
    return (*counts[:kind], counts[kind] + by, *counts[kind + 1 :])


def _pairs_distance(counts: Counts, wilds: int) -> int:
    twos, threes = counts.count(2), counts.count(3)
    pairs = twos + threes + 2 * counts.count(4)
    singles = counts.count(1) + threes
    lacking = max(0, 7 - pairs)
    return lacking + max(0, lacking - singles) - wilds


def _sets_distance(counts: Counts, melds: int, wilds: int) -> int:
    return _least_needed(_hand_blocks(counts), 4 - melds, sum(counts)) - wilds


@lru_cache(maxsize=1 << 15)
def _least_needed(cuts: tuple[Blocks, ...], wanted: int, held: int) -> int:
    return min(_needed(blocks, wanted, held) for blocks in cuts)


def _needed(blocks: Blocks, wanted: int, held: int) -> int:
    """Tiles needed when the hand is cut into these blocks; a tile in none may start a set or the pair."""
    sets = min(blocks[0], wanted)
    partials = min(blocks[1], wanted - sets)
    pair = blocks[2]
    starts = (wanted - sets - partials) + (1 - pair)
    loose = held - 3 * sets - 2 * partials - 2 * pair
    return partials + 2 * (wanted - sets - partials) + (1 - pair) + max(0, starts - loose)


@lru_cache(maxsize=1 << 16)
def _hand_blocks(counts: Counts) -> tuple[Blocks, ...]:
    merged = _honour_blocks(counts[HONOURS])
    for suit in SUITS:
        merged = _merge(merged, _suit_blocks(counts[suit]))
    return merged


@lru_cache(maxsize=1 << 16)
def _merge(left: tuple[Blocks, ...], right: tuple[Blocks, ...]) -> tuple[Blocks, ...]:
    return _best({(a[0] + b[0], a[1] + b[1], a[2] + b[2]) for a in left for b in right if a[2] + b[2] <= 1})


def _best(blocks: set[Blocks]) -> tuple[Blocks, ...]:
    """Only the blocks that no others are at least as good as in all three numbers."""
    kept: list[Blocks] = []
    # From the largest down: what is better than a tuple stands before it.
    for a in sorted(blocks, reverse=True):
        if not any(b[1] >= a[1] and b[2] >= a[2] for b in kept):
            kept.append(a)
    return tuple(reversed(kept))


@lru_cache(maxsize=1 << 12)
def _honour_blocks(counts: Counts) -> tuple[Blocks, ...]:
    merged: tuple[Blocks, ...] = (NO_BLOCKS,)
    for count in counts:
        if count >= 3:
            merged = _merge(merged, ((1, 0, 0), (0, 0, 1)))
        elif count == 2:
            merged = _merge(merged, ((0, 0, 1), (0, 1, 0)))
    return merged


@lru_cache(maxsize=1 << 16)
def _suit_blocks(counts: Counts) -> tuple[Blocks, ...]:
    """Every useful way to cut nine counts of one suit into blocks."""
    first = next((rank for rank, count in enumerate(counts) if count), None)
    if first is None:
        return (NO_BLOCKS,)
    found: set[Blocks] = set(_suit_blocks(changed(counts, first, -1)))
    for shape, block in _SHAPES:
        rest = _without(counts, first, shape)
        if rest is not None:
            for more in _suit_blocks(rest):
                if block[2] + more[2] <= 1:
                    found.add((block[0] + more[0], block[1] + more[1], block[2] + more[2]))
    return _best(found)


_SHAPES: tuple[tuple[tuple[int, ...], Blocks], ...] = (
    ((0, 0, 0), (1, 0, 0)),
    ((0, 1, 2), (1, 0, 0)),
    ((0, 0), (0, 1, 0)),
    ((0, 0), (0, 0, 1)),
    ((0, 1), (0, 1, 0)),
    ((0, 2), (0, 1, 0)),
)
"""Offsets from the lowest tile, and the block they make."""


def _without(counts: Counts, first: int, shape: tuple[int, ...]) -> Counts | None:
    rest = list(counts)
    for offset in shape:
        rank = first + offset
        if rank > 8 or rest[rank] == 0:
            return None
        rest[rank] -= 1
    return tuple(rest)
