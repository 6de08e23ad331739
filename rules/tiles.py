"""Tiles and seats, and how they are written as text.

Notation: ``1m``-``9m`` 万, ``1p``-``9p`` 筒, ``1s``-``9s`` 条, ``E S W N C F P``
for 东南西北中发白, ``1f``-``8f`` flowers, ``back`` a tile face down, ``?`` a tile that is not known.
Runs are written short: ``345m 456p 22s EE``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

HONOUR_LETTERS: Final = "ESWNCFP"
SUIT_LETTERS: Final = "mps"
FLOWER_LETTER: Final = "f"
BACK_WORD: Final = "back"
UNKNOWN_SIGN: Final = "?"
KINDS: Final = 34
"""Number of tile kinds that are neither flowers nor backs; their values are 0..33."""

_SUIT_ZH: Final = {"m": "万", "p": "筒", "s": "条"}
_RANK_ZH: Final = "一二三四五六七八九"
_HONOUR_ZH: Final = "东南西北中发白"
_FLOWER_ZH: Final = "梅兰菊竹春夏秋冬"


class Tile(IntEnum):
    """One tile face; 0..33 are the playing kinds, 34..41 the flowers."""

    UNKNOWN = -1
    M1 = 0
    M2 = 1
    M3 = 2
    M4 = 3
    M5 = 4
    M6 = 5
    M7 = 6
    M8 = 7
    M9 = 8
    P1 = 9
    P2 = 10
    P3 = 11
    P4 = 12
    P5 = 13
    P6 = 14
    P7 = 15
    P8 = 16
    P9 = 17
    S1 = 18
    S2 = 19
    S3 = 20
    S4 = 21
    S5 = 22
    S6 = 23
    S7 = 24
    S8 = 25
    S9 = 26
    EAST = 27
    SOUTH = 28
    WEST = 29
    NORTH = 30
    RED = 31
    GREEN = 32
    WHITE = 33
    PLUM = 34
    ORCHID = 35
    CHRYSANTHEMUM = 36
    BAMBOO = 37
    SPRING = 38
    SUMMER = 39
    AUTUMN = 40
    WINTER = 41
    BACK = 42

    @property
    def is_suited(self) -> bool:
        """Whether the tile has a suit and a rank."""
        return 0 <= self < 27

    @property
    def is_honour(self) -> bool:
        """Whether the tile is one of 东南西北中发白."""
        return 27 <= self < 34

    @property
    def is_flower(self) -> bool:
        """Whether the tile is one of the eight flowers."""
        return 34 <= self < 42

    @property
    def suit(self) -> str | None:
        """``"m"``, ``"p"`` or ``"s"``; None for tiles without a suit."""
        return SUIT_LETTERS[self // 9] if self.is_suited else None

    @property
    def rank(self) -> int | None:
        """1..9 of a suited tile, 1..8 of a flower; None for the others."""
        if self.is_suited:
            return self % 9 + 1
        return self - 33 if self.is_flower else None

    @property
    def zh(self) -> str:
        """The Chinese name: ``五筒``, ``东``, ``中``, ``梅``."""
        if self.is_suited:
            return _RANK_ZH[self % 9] + _SUIT_ZH[SUIT_LETTERS[self // 9]]
        if self.is_honour:
            return _HONOUR_ZH[self - 27]
        if self.is_flower:
            return _FLOWER_ZH[self - 34]
        return "背" if self is Tile.BACK else "？"

    @classmethod
    def parse(cls, text: str) -> Tile:
        """Read one tile (``"5p"``, ``"E"``, ``"3f"``, ``"back"``, ``"?"``).

        Raises:
            ValueError: the text is not exactly one tile.
        """
        tile = _BY_TEXT.get(text.strip())
        if tile is None:
            raise ValueError(f"not a tile: {text!r} (expected 1m-9m, 1p-9p, 1s-9s, E S W N C F P, 1f-8f)")
        return tile

    def __str__(self) -> str:
        return _TEXT[self]


def _text(tile: Tile) -> str:
    if tile.is_suited:
        return f"{tile % 9 + 1}{SUIT_LETTERS[tile // 9]}"
    if tile.is_honour:
        return HONOUR_LETTERS[tile - 27]
    if tile.is_flower:
        return f"{tile - 33}{FLOWER_LETTER}"
    return BACK_WORD if tile is Tile.BACK else UNKNOWN_SIGN


_TEXT: Final = {tile: _text(tile) for tile in Tile}
_BY_TEXT: Final = {text: tile for tile, text in _TEXT.items()}


def parse_tiles(text: str) -> tuple[Tile, ...]:
    """Read a run of tiles such as ``"345m 456p 22s EE ? back"``, in the order written.

    Raises:
        ValueError: digits without a suit letter, or a sign that is no tile.
    """
    tiles: list[Tile] = []
    digits = ""
    rest = text
    while rest:
        if not digits and rest.startswith(BACK_WORD):
            tiles.append(Tile.BACK)
            rest = rest[len(BACK_WORD) :]
            continue
        sign, rest = rest[0], rest[1:]
        if sign in "123456789":
            digits += sign
        elif digits and sign in SUIT_LETTERS + FLOWER_LETTER:
            tiles += [Tile.parse(digit + sign) for digit in digits]
            digits = ""
        elif not digits and (sign in HONOUR_LETTERS or sign == UNKNOWN_SIGN):
            tiles.append(Tile.parse(sign))
        elif digits or not sign.isspace():
            raise ValueError(f"not tiles: {text!r} at {digits + sign!r} (expected for instance 345m 22s EE)")
    if digits:
        raise ValueError(f"not tiles: {text!r} ends with {digits!r} without a suit (m, p, s or f)")
    return tuple(tiles)


def format_tiles(tiles: Iterable[Tile]) -> str:
    """Write tiles in the given order, neighbours of one suit together; the inverse of `parse_tiles`."""
    groups: list[tuple[str, str]] = []
    for tile in tiles:
        text = str(tile)
        if tile.is_suited or tile.is_flower:
            digit, letter = text[0], text[1]
            if groups and groups[-1][1] == letter:
                groups[-1] = (groups[-1][0] + digit, letter)
            else:
                groups.append((digit, letter))
        elif groups and len(text) == 1 and groups[-1] == (text * len(groups[-1][0]), ""):
            groups[-1] = (groups[-1][0] + text, "")
        else:
            groups.append((text, ""))
    return " ".join(head + letter for head, letter in groups)


class Seat(IntEnum):
    """A chair at the table, 0..3 in playing order (counter-clockwise)."""

    S0 = 0
    S1 = 1
    S2 = 2
    S3 = 3

    @property
    def next(self) -> Seat:
        """The player after this one (下家)."""
        return self.after(1)

    @property
    def opposite(self) -> Seat:
        """The player across (对家)."""
        return self.after(2)

    @property
    def previous(self) -> Seat:
        """The player before this one (上家)."""
        return self.after(3)

    def after(self, steps: int) -> Seat:
        """The seat that many turns later."""
        return SEATS[(self + steps) % 4]

    def distance(self, other: Seat) -> int:
        """Turns from this seat to the other, 0..3."""
        return (other - self) % 4

    def wind(self, dealer: Seat) -> Tile:
        """This seat's wind when `dealer` deals: 东 for the dealer, then 南, 西, 北 in playing order."""
        return Tile(Tile.EAST + (self - dealer) % 4)


SEATS: Final = tuple(Seat)
