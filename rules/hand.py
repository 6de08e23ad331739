"""Winning hands with wild tiles: four sets and a pair, seven pairs, and what a hand waits for.

Each suit is looked at by itself. If all its natural tiles must be placed, all that matters is how many sets
cover them, once without a pair and once beside one: wild tiles fill whatever is missing, and how many are
missing follows from the number of tiles. A hand wins if its suits together need no more sets than it must
have. So four look-ups in `suit_tables` decide, whatever the number of wild tiles. Wild tiles may stand for a
fifth copy.
"""

from __future__ import annotations

from array import array
from enum import StrEnum
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from rules import suit_tables as fields
from rules.tiles import KINDS, Tile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rules.events import Meld

SETS: Final = 4
"""Sets of a full hand, beside the pair."""

# One integer per tile; their sum holds the count of each kind in five bits and, above those, four keys. The
# sum begins with a bias that lets a fifth copy reach the highest bit of its field.
_COUNT_BITS: Final = 5
_BIAS: Final = sum(11 << _COUNT_BITS * kind for kind in range(KINDS))
_KEY_BITS: Final = 24
_KEYS: Final = _COUNT_BITS * KINDS
_SECOND, _THIRD, _FOURTH = _KEY_BITS, 2 * _KEY_BITS, 3 * _KEY_BITS
_KEY_MASK: Final = (1 << _KEY_BITS) - 1
_STRANGE: Final = 1 << (_KEYS + 4 * _KEY_BITS)
_BAD: Final = sum(16 << _COUNT_BITS * kind for kind in range(KINDS)) | 15 * _STRANGE


def _tile_code(kind: int) -> int:
    block, rank = divmod(kind, 9) if kind < 27 else (3, kind - 27)
    weight: int = fields.BASE**rank
    return (1 << _COUNT_BITS * kind) + (weight << _KEYS + _KEY_BITS * block)


_CODES: Final = (*(_tile_code(kind) for kind in range(KINDS)), *[_STRANGE] * (44 - KINDS))
"""By tile number; flowers, backs and (at the end, so that -1 finds it) UNKNOWN have a bit of their own."""


class Form(StrEnum):
    """A way in which fourteen tiles are complete."""

    STANDARD = "standard"
    """Four sets and a pair."""
    TRIPLETS = "triplets"
    """Four sets and a pair without a run."""
    SEVEN_PAIRS = "seven_pairs"
    """Seven pairs, nothing declared; four equal tiles count as two pairs."""


class Counted(NamedTuple):
    """A hand's concealed tiles, counted, wild tiles apart.

    Attributes:
        size: number of tiles, wild ones included.
        wilds: number of wild tiles.
        word: the sum of the words of the four blocks; see `suit_tables` for its fields.
        keys: the keys of the four blocks, one above the other.
    """

    size: int
    wilds: int
    word: int
    keys: int

    @property
    def blocks(self) -> int:
        """The blocks that hold a tile that is not wild: a bit each for 万, 筒, 条 and the honours (8)."""
        keys = self.keys
        return (
            (keys & _KEY_MASK != 0)
            | (keys >> _SECOND & _KEY_MASK != 0) << 1
            | (keys >> _THIRD & _KEY_MASK != 0) << 2
            | (keys >> _FOURTH != 0) << 3
        )


def count(tiles: Iterable[Tile], wild: Tile | None = None) -> Counted:
    """Count up to fourteen concealed tiles.

    Raises:
        ValueError: a tile is unknown, a flower or a back, or more than four are of a kind, or too many.
    """
    return Counted(*_counted(tiles, wild))


def _counted(tiles: Iterable[Tile], wild: Tile | None) -> tuple[int, int, int, int]:
    held = tuple(tiles)
    size = len(held)
    # Of several tiles an item getter gives all codes in one step.
    codes = itemgetter(*held)(_CODES) if size > 1 else map(_CODES.__getitem__, held)
    code = sum(codes, _BIAS)
    if code & _BAD or size > 14:
        raise ValueError(_fault(held))
    wilds = 0
    if wild is not None:
        wilds = (code >> _COUNT_BITS * wild & 31) - 11
        code -= wilds * _CODES[wild]
    keys = code >> _KEYS
    suits, honours = _tables()
    word = (
        suits[keys & _KEY_MASK]
        + suits[keys >> _SECOND & _KEY_MASK]
        + suits[keys >> _THIRD & _KEY_MASK]
        + honours[keys >> _FOURTH]
    )
    return size, wilds, word, keys


def _fault(held: tuple[Tile, ...]) -> str:
    for tile in held:
        if not 0 <= tile < KINDS:
            return f"{tile} can't be part of a winning hand"
        if held.count(tile) > 4:
            return f"more than four {tile}"
    return f"{len(held)} tiles are more than a hand holds"


@cache
def _tables() -> tuple[array[int], array[int]]:
    """The word of every key: of suits, of the honours."""
    tables = fields.load()
    return (
        array("I", tables.suit_words[tables.suit].tobytes()),
        array("I", tables.honour_words[tables.honour].tobytes()),
    )


def _is_standard(word: int, sets: int) -> bool:
    return (word & 15) - (word & _ANY_SAVES != 0) <= sets


def _is_triplets(word: int, sets: int) -> bool:
    return (word >> fields.TRIPLETS & 15) - (word & _ANY_TRIPLET_SAVES != 0) <= sets


def _is_pairs(word: int, wilds: int) -> bool:
    return word >> fields.ODD & 15 <= wilds


def _sets_to_form(size: int, melds: Sequence[Meld] | int, drawn: int) -> int:
    declared = melds if isinstance(melds, int) else len(melds)
    sets = SETS - declared
    if sets < 0 or size != 3 * sets + 1 + drawn:
        expected = f"expected {3 * sets + 1 + drawn}" if sets >= 0 else "expected at most 4 sets"
        raise ValueError(f"{size} tiles with {declared} declared sets, {expected}")
    return sets


def forms(
    tiles: Iterable[Tile] | Counted, melds: Sequence[Meld] | int = 0, wild: Tile | None = None
) -> frozenset[Form]:
    """All forms that the concealed tiles, the winning one included, complete beside the declared sets.

    `melds` are the declared sets or just their number. Wild tiles are given by their own face.

    Raises:
        ValueError: the number of tiles does not fit the number of sets, or a tile is impossible.
    """
    held = tiles if isinstance(tiles, Counted) else count(tiles, wild)
    sets = _sets_to_form(held.size, melds, 1)
    word = held.word
    found = _STANDARD if _is_standard(word, sets) else 0
    if _is_triplets(word, sets) and (
        isinstance(melds, int) or all(meld.tiles[0] is meld.tiles[1] for meld in melds)
    ):
        found |= _TRIPLETS
    if sets == SETS and _is_pairs(word, held.wilds):
        found |= _SEVEN_PAIRS
    return _FORMS[found]


_STANDARD, _TRIPLETS, _SEVEN_PAIRS = 1, 2, 4
_FORMS: Final = tuple(
    frozenset(form for bit, form in enumerate(Form) if found >> bit & 1) for found in range(8)
)
"""The forms of every combination of these bits."""


def is_win(tiles: Iterable[Tile], melds: Sequence[Meld] | int = 0, wild: Tile | None = None) -> bool:
    """Whether the concealed tiles, the winning one included, are four sets and a pair or seven pairs.

    Raises:
        ValueError: as `forms`.
    """
    size, wilds, word, _ = _counted(tiles, wild)
    sets = _sets_to_form(size, melds, 1)
    if (word & 15) - (word & _ANY_SAVES != 0) <= sets:
        return True
    return sets == SETS and word >> _ODD & 15 <= wilds


def waits(
    tiles: Iterable[Tile], melds: Sequence[Meld] | int = 0, wild: Tile | None = None
) -> tuple[Tile, ...]:
    """The kinds that complete the concealed tiles before the draw (thirteen with no set declared).

    A kind whose four copies are all among the concealed tiles is not listed.

    Raises:
        ValueError: as `forms`, for one tile less.
    """
    size, wilds, word, keys = _counted(tiles, wild)
    sets = _sets_to_form(size, melds, 0)
    odd = word >> _ODD & 15
    pairs = sets == SETS and odd - 1 <= wilds
    spare = sets - (word & 15)
    if spare < -1 and not pairs:
        return ()
    suits, honours = _wait_tables()
    blocks = (
        suits[keys & _KEY_MASK],
        suits[keys >> _SECOND & _KEY_MASK],
        suits[keys >> _THIRD & _KEY_MASK],
        honours[keys >> _FOURTH],
    )
    savers = word >> fields.SAVES & 7
    alone, saved = ALONE[spare], SAVED[spare]
    if savers == 1:
        found = [ranks >> (alone if ranks >> fields.SAVER & 1 else saved) for ranks in blocks]
    else:
        shift = saved if savers else alone
        found = [ranks >> shift for ranks in blocks]
    if pairs:
        shift = fields.FREE if odd < wilds else fields.ODD_RANKS
        found = [mask | ranks >> shift for mask, ranks in zip(found, blocks, strict=True)]
    if wild is not None:
        block, bit = _PLACES[wild]
        by_wild = pairs or spare + (savers > 0) >= 0
        found[block] = found[block] | bit if by_wild and wilds < 4 else found[block] & ~bit
    first, second, third, fourth = found
    of_first, of_second, of_third, of_fourth = _TILES_OF
    return (
        of_first[first & _RANKS]
        + of_second[second & _RANKS]
        + of_third[third & _RANKS]
        + of_fourth[fourth & _RANKS]
    )


def waits_for_all(tiles: Iterable[Tile], melds: Sequence[Meld] | int = 0, wild: Tile | None = None) -> bool:
    """Whether every kind completes the tiles before the draw, kinds aside whose four copies they hold.

    They do exactly if the natural tiles need no more sets than there are to form, so that any tile and a wild
    one are the pair, or if a wild tile is left when each odd tile has one, for seven pairs. Otherwise an
    honour that is not held, and there always is one, completes nothing.

    Raises:
        ValueError: as `waits`.
    """
    size, wilds, word, _ = _counted(tiles, wild)
    sets = _sets_to_form(size, melds, 0)
    return word & 15 <= sets or (sets == SETS and word >> _ODD & 15 < wilds)


@cache
def _wait_tables() -> tuple[array[int], array[int]]:
    suits, honours = fields.wait_masks()
    return array("Q", suits.tobytes()), array("Q", honours.tobytes())


_RANKS: Final = 511
_TILES: Final = tuple(Tile(kind) for kind in range(KINDS))
_TILES_OF: Final = tuple(
    tuple(
        tuple(tile for rank, tile in enumerate(_TILES[start : start + 9]) if mask >> rank & 1)
        for mask in range(512)
    )
    for start in (0, 9, 18, 27)
)
ALONE: Final = {
    spare: fields.FREE if spare > 0 else {0: fields.LOW, -1: fields.LOWEST}.get(spare, fields.NOTHING)
    for spare in range(-14, SETS + 1)
}
"""First bit of the ranks that complete a block, by the sets that are to spare if no pair saves one."""
SAVED: Final = {
    spare: fields.FREE if spare >= 0 else {-1: fields.SAME}.get(spare, fields.NOTHING)
    for spare in range(-14, SETS + 1)
}
"""The same for a block beside one whose pair saves a set."""
_ODD: Final = fields.ODD
_ANY_SAVES: Final = 7 << fields.SAVES
_ANY_TRIPLET_SAVES: Final = 7 << fields.TRIPLET_SAVES
_PLACES: Final = tuple((kind // 9, 1 << kind % 9) for kind in range(KINDS))
