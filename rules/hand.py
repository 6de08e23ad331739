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
from typing import TYPE_CHECKING, Final, NamedTuple

from rules import suit_tables as fields
from rules.tiles import KINDS, Tile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rules.events import Meld

SETS: Final = 4
"""Sets of a full hand, beside the pair."""

# One integer per tile; their sum holds the count of each kind in four bits and, above those, four keys.
_COUNT_BITS: Final = 4
_KEY_BITS: Final = 24
_KEYS: Final = _COUNT_BITS * KINDS
_KEY_MASK: Final = (1 << _KEY_BITS) - 1
_STRANGE: Final = 1 << (_KEYS + 4 * _KEY_BITS + 4)
_ONES: Final = sum(1 << (_COUNT_BITS * kind) for kind in range(KINDS))


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
        code: the count of each kind in four bits, then the keys of the four blocks.
    """

    size: int
    wilds: int
    word: int
    code: int


def count(tiles: Iterable[Tile], wild: Tile | None = None) -> Counted:
    """Count up to fourteen concealed tiles.

    Raises:
        ValueError: a tile is unknown, a flower or a back, or more than four are of a kind, or too many.
    """
    held = tuple(tiles)
    code = sum(map(_CODES.__getitem__, held))
    if code >= _STRANGE or len(held) > 14 or ((code >> 2 & (code | code >> 1)) | code >> 3) & _ONES:
        raise ValueError(_fault(held))
    wilds = 0
    if wild is not None:
        wilds = code >> _COUNT_BITS * wild & 7
        code -= wilds * _CODES[wild]
    return Counted(len(held), wilds, sum(_block_words(code)), code)


def _fault(held: tuple[Tile, ...]) -> str:
    for tile in held:
        if not 0 <= tile < KINDS:
            return f"{tile} can't be part of a winning hand"
        if held.count(tile) > 4:
            return f"more than four {tile}"
    return f"{len(held)} tiles are more than a hand holds"


@cache
def _tables() -> tuple[array[int], list[int], array[int], list[int]]:
    tables = fields.load()
    suits, honours = (array("H", classes.tobytes()) for classes in (tables.suit, tables.honour))
    return suits, tables.suit_words.tolist(), honours, tables.honour_words.tolist()


def _block_words(code: int) -> tuple[int, int, int, int]:
    suits, suit_words, honours, honour_words = _tables()
    keys = code >> _KEYS
    return (
        suit_words[suits[keys & _KEY_MASK]],
        suit_words[suits[keys >> _KEY_BITS & _KEY_MASK]],
        suit_words[suits[keys >> 2 * _KEY_BITS & _KEY_MASK]],
        honour_words[honours[keys >> 3 * _KEY_BITS]],
    )


def _is_standard(word: int, sets: int) -> bool:
    return (word & 15) - (word & _ANY_SAVES != 0) <= sets


def _is_triplets(word: int, sets: int) -> bool:
    return (word >> fields.TRIPLETS & 15) - (word & _ANY_TRIPLET_SAVES != 0) <= sets


def _is_pairs(word: int, wilds: int) -> bool:
    return word >> fields.ODD & 15 <= wilds


def _sets_to_form(size: int, melds: Sequence[Meld] | int, *, drawn: int) -> int:
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
    sets = _sets_to_form(held.size, melds, drawn=1)
    found = set()
    if _is_standard(held.word, sets):
        found.add(Form.STANDARD)
    no_run = isinstance(melds, int) or all(meld.tiles[0] is meld.tiles[1] for meld in melds)
    if no_run and _is_triplets(held.word, sets):
        found.add(Form.TRIPLETS)
    if sets == SETS and _is_pairs(held.word, held.wilds):
        found.add(Form.SEVEN_PAIRS)
    return frozenset(found)


def is_win(tiles: Iterable[Tile], melds: Sequence[Meld] | int = 0, wild: Tile | None = None) -> bool:
    """Whether the concealed tiles, the winning one included, are four sets and a pair or seven pairs.

    Raises:
        ValueError: as `forms`.
    """
    size, wilds, word, _ = count(tiles, wild)
    sets = _sets_to_form(size, melds, drawn=1)
    return _is_standard(word, sets) or (sets == SETS and _is_pairs(word, wilds))


def waits(
    tiles: Iterable[Tile], melds: Sequence[Meld] | int = 0, wild: Tile | None = None
) -> tuple[Tile, ...]:
    """The kinds that complete the concealed tiles before the draw (thirteen with no set declared).

    A kind whose four copies are all among the concealed tiles is not listed.

    Raises:
        ValueError: as `forms`, for one tile less.
    """
    size, wilds, word, code = count(tiles, wild)
    sets = _sets_to_form(size, melds, drawn=0)
    found: tuple[Tile, ...] = ()
    keys = code >> _KEYS
    for block, own in enumerate(_block_words(code)):
        need = own & 15
        spare = sets - (word & 15) + need
        mask = (
            _NONE
            if spare < need - 1
            else _wait_mask(block, keys & _KEY_MASK, need, spare, (word - own) & _ANY_SAVES)
        )
        if mask:
            found += _TILES_OF[block][mask]
        keys >>= _KEY_BITS
    pairs = sets == SETS and (word >> fields.ODD & 15) - 1 <= wilds
    if pairs:
        found = tuple(sorted({*found, *_pair_waits(code, word, wilds)}))
    if wild is None:
        return found
    by_wild = _is_standard(word, sets) or (sets == SETS and _is_pairs(word, wilds + 1))
    return tuple(sorted({*found, wild} if by_wild and wilds < 4 else {*found} - {wild}))


def _wait_mask(block: int, key: int, need: int, spare: int, saved: int) -> int:
    """The ranks of a block that complete the hand: bits, lowest first.

    The block needs `need` sets, may have `spare`, and a pair in another block saves one if `saved`.
    """
    masks = _wait_tables()[block == 3][key]
    if saved:
        spare += 1
    if need < spare:
        return _free_ranks(block, key)
    if saved:
        return masks >> fields.SAME & _RANKS if need == spare else _NONE
    if need == spare:
        return masks >> fields.LOW & _RANKS
    return masks >> fields.LOWEST & _RANKS


def _free_ranks(block: int, key: int) -> int:
    mask = 0
    for rank in range(7 if block == 3 else 9):
        if key // fields.BASE**rank % fields.BASE < 4:
            mask |= 1 << rank
    return mask


@cache
def _wait_tables() -> tuple[array[int], array[int]]:
    suits, honours = fields.wait_masks()
    return array("I", suits.tobytes()), array("I", honours.tobytes())


def _pair_waits(code: int, word: int, wilds: int) -> list[Tile]:
    """The kinds that leave no more odd kinds than there are wild tiles."""
    any_kind = (word >> fields.ODD & 15) + 1 <= wilds
    counts = ((tile, code >> _COUNT_BITS * tile & 7) for tile in _TILES)
    return [tile for tile, number in counts if number % 2 or (any_kind and number < 4)]


_NONE: Final = 0
_RANKS: Final = 511
_TILES: Final = tuple(Tile(kind) for kind in range(KINDS))
_TILES_OF: Final = tuple(
    tuple(
        tuple(tile for rank, tile in enumerate(_TILES[start : start + 9]) if mask >> rank & 1)
        for mask in range(512)
    )
    for start in (0, 9, 18, 27)
)
_ANY_SAVES: Final = 7 << fields.SAVES
_ANY_TRIPLET_SAVES: Final = 7 << fields.TRIPLET_SAVES
