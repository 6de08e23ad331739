"""What a hand of Cixi mahjong is: its shape, its colour, whether any tile wins."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Final

from rules.hand import Counted, Form, count, forms, waits_for_all
from rules.settlement import Line
from rules.suit_tables import CLOSE, COPIES, HONOURS, RANKS
from rules.tiles import KINDS, Tile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rules.events import Meld

    from .options import Options

HONOUR_KINDS: Final = 7
SUIT_BLOCKS: Final = 7
"""The bits of the three suits in what `blocks_of` gives."""


class Shape(Enum):
    """The shapes; a hand has exactly one, the best."""

    STANDARD = ("平胡", "four sets and a pair", "§5 std")
    TRIPLETS = ("对对胡", "all triplets", "§6 对对胡")
    PAIRS = ("有龙七对", "seven pairs with dragons", "§6 有龙七对")
    CLEAR_PAIRS = ("无龙清七对", "seven pairs without dragons", "§6 无龙清七对")
    SCATTERED = ("大乱/十三幺", "scattered tiles", "§5 R14")
    SEVEN_HONOURS = ("有龙七风", "all seven honours with dragons", "§6 R18")
    CLEAR_SEVEN_HONOURS = ("无龙七风", "all seven honours without dragons", "§6 R18")

    @property
    def is_scattered(self) -> bool:
        """大乱 or 七风."""
        return self in (Shape.SCATTERED, Shape.SEVEN_HONOURS, Shape.CLEAR_SEVEN_HONOURS)

    @property
    def is_pairs(self) -> bool:
        """Seven pairs, with dragons or without."""
        return self in (Shape.PAIRS, Shape.CLEAR_PAIRS)


@dataclass(frozen=True, slots=True)
class Prices:
    """One table of values in dragon units (龙)."""

    triplets: int = 1
    half_flush: int = 1
    flush: int = 5
    scattered: int = 1
    pairs: int = 1
    clear_pairs: int = 5
    seven_honours: int = 5
    paohua: int = 5
    single: int = 5
    after_kong: int = 5
    first_discard: int = 5
    kept: int = 5
    intercept: int = 10
    guan_fengxiang: int = 5


PRICES: Final = {
    "seed": Prices(),
    "program": Prices(
        triplets=0,
        half_flush=0,
        pairs=5,
        clear_pairs=7,
        scattered=5,
        seven_honours=1,
        first_discard=10,
        kept=2,
    ),
}


class Colour(Enum):
    """Suits of melds and plain tiles; dragons are neutral."""

    PURE = "pure"
    HALF = "half"
    NONE = "none"


def shape_values(options: Options) -> dict[Shape, int]:
    """The value of each shape under the options."""
    return _shape_values(options.value_table, options.qifeng)


@cache
def _shape_values(value_table: str, qifeng: str) -> dict[Shape, int]:
    prices = PRICES[value_table]
    stacked = prices.scattered + prices.seven_honours
    return {
        Shape.STANDARD: 0,
        Shape.TRIPLETS: prices.triplets,
        Shape.PAIRS: prices.pairs,
        Shape.CLEAR_PAIRS: prices.clear_pairs,
        Shape.SCATTERED: prices.scattered,
        Shape.SEVEN_HONOURS: prices.seven_honours if qifeng == "replaces" else stacked,
        Shape.CLEAR_SEVEN_HONOURS: stacked,
    }


def shapes(held: Counted, melds: Sequence[Meld], wild: Tile, options: Options) -> tuple[Shape, ...]:
    """All shapes of the concealed tiles, the winning one included; of equal value the better first."""
    found: list[Shape] = []
    complete = forms(held, melds)
    if Form.TRIPLETS in complete:
        found.append(Shape.TRIPLETS)
    if Form.STANDARD in complete:
        found.append(Shape.STANDARD)
    if Form.SEVEN_PAIRS in complete and (options.four_as_two_pairs or not held.word >> COPIES & 7):
        found.append(Shape.PAIRS if held.wilds else Shape.CLEAR_PAIRS)
    if not melds and not held.word >> CLOSE & 7:
        found.append(Shape.SCATTERED)
        if _all_honours_there(held, wild, options):
            found.append(Shape.SEVEN_HONOURS if held.wilds else Shape.CLEAR_SEVEN_HONOURS)
    return tuple(found)


def best_shape(held: Counted, melds: Sequence[Meld], wild: Tile, options: Options) -> Shape | None:
    """The shape of the highest value, None where the hand is not complete."""
    found = shapes(held, melds, wild, options)
    if len(found) < 2:
        return found[0] if found else None
    return max(found, key=shape_values(options).__getitem__)


def _all_honours_there(held: Counted, wild: Tile, options: Options) -> bool:
    dragons = held.wilds
    if options.qifeng_dragon == "own_face":
        dragons = int(wild.is_honour and dragons > 0)
    elif options.qifeng_dragon == "never":
        dragons = 0
    return (held.word >> HONOURS & 7) + dragons >= HONOUR_KINDS


def blocks_of(held: Counted, melds: Sequence[Meld]) -> int:
    """The blocks that the tiles other than dragons lie in, as `Counted.blocks`; one tile of a set tells."""
    found = held.blocks
    for meld in melds:
        found |= 1 << _BLOCK_OF[meld.tiles[0]]
    return found


COLOURS: Final = tuple(
    (Colour.HALF if found & ~SUIT_BLOCKS else Colour.PURE)
    if found & SUIT_BLOCKS in {1, 2, 4}
    else Colour.NONE
    for found in range(16)
)
"""清一色, 混一色 or neither, by the blocks."""


def all_honours(hand: Iterable[Tile], melds: Sequence[Meld], wild: Tile) -> bool:
    """Whether all tiles are honours or dragons (全风)."""
    # Of most hands the first tile tells: a loop is left sooner than a generator is made.
    for tile in hand:
        if _BLOCK_OF[tile] < _HONOUR_BLOCK and tile is not wild:
            return False
    return all(_BLOCK_OF[meld.tiles[0]] >= _HONOUR_BLOCK for meld in melds)


_HONOUR_BLOCK: Final = Tile.EAST // RANKS
_BLOCK_OF: Final = {tile: tile // RANKS for tile in Tile}


def is_complete(hand: Sequence[Tile], melds: Sequence[Meld], wild: Tile, options: Options) -> bool:
    """Whether the concealed tiles, the winning one included, have any shape."""
    return bool(shapes(count(hand, wild), melds, wild, options))


def any_tile_wins(before: Sequence[Tile], melds: Sequence[Meld], wild: Tile, options: Options) -> bool:
    """抛花: the concealed tiles before the draw win with every one of the 34 kinds."""
    if wild not in before:
        return False
    if options.four_as_two_pairs:
        # Scattered tiles never wait for one that they hold: only sets and pairs can wait for every kind.
        return waits_for_all(before, melds, wild)
    return all(_wins_with(before, Tile(kind), melds, wild, options) for kind in range(KINDS))


def _wins_with(
    before: Sequence[Tile], tile: Tile, melds: Sequence[Meld], wild: Tile, options: Options
) -> bool:
    # A fifth copy can't be drawn; whether "any tile" wins does not hang on it.
    return before.count(tile) == 4 or is_complete((*before, tile), melds, wild, options)


def shape_line(shape: Shape, options: Options) -> Line:
    """The shape as a line of the settlement."""
    return _shape_lines(options.value_table, options.qifeng)[shape]


@cache
def _shape_lines(value_table: str, qifeng: str) -> dict[Shape, Line]:
    return {
        shape: Line(zh, en, value, article)
        for shape, value in _shape_values(value_table, qifeng).items()
        for zh, en, article in [shape.value]
    }
