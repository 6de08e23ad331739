"""A laid-open hand as it was read from a photograph: tiles in hand, the one that won, declared sets. Pure.

Numbers of tiles are those people see, from 1 on; sets have letters. What is not certain is a doubt in words.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from rules.events import MeldKind
from rules.legality import forms_set
from rules.tiles import Tile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rules.events import Meld
    from rules.tiles import Seat
    from vision.laid import Group, Row

LETTERS: Final = "ABCD"
FULL: Final = 14
"""Tiles of a winning hand, where every set counts three."""


@dataclass(frozen=True, slots=True)
class Read:
    """One tile: its likeliest name, whether it is certain, how likely, and the next likeliest."""

    tile: Tile
    sure: bool
    confidence: float = 1.0
    instead: Tile | None = None


@dataclass(frozen=True, slots=True)
class SetRead:
    """A declared set: its tiles by number from left to right, the place of its one turned tile among them.

    `kong` and `giver` are what a person has said: which kind of open kong it is, and who gave the tile.
    """

    tiles: tuple[int, ...]
    turned: int | None = None
    kong: MeldKind | None = None
    giver: Seat | None = None

    def kind(self, names: tuple[Tile, ...]) -> MeldKind | None:
        """The kind of set, None where it is none or its tiles do not tell.

        The fourth tile of an added kong lies at the left end of the peng, so that it may look like a claimed
        one.
        """
        kind = read_kind(names)
        if kind is MeldKind.KONG:
            return self.kong or {0: MeldKind.KONG, 2: MeldKind.ADDED_KONG}.get(self._place)
        return kind

    @property
    def _place(self) -> int:
        return -1 if self.turned is None else self.turned

    def back(self, names: tuple[Tile, ...]) -> int | None:
        """How many seats before the winner the giver sits: the turned tile lies where it came from."""
        match self.kind(names):
            case MeldKind.CHI:
                return 1
            case MeldKind.PENG:
                return {0: 1, 1: 2, 2: 3}.get(self._place)
            case MeldKind.KONG:
                return {0: 1, 1: 2, 3: 3}.get(self._place)
            case MeldKind.ADDED_KONG:
                return {1: 1, 2: 2, 3: 3}.get(self._place)
        return None


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that was read; `hand` and `out` hold numbers of tiles, left to right, `win` one of them.

    `out` are tiles that lie beside and belong to nothing; `unclear` are doubts about how the tiles lie;
    `typed` are sets that a person has typed and the photograph does not show.
    """

    tiles: dict[int, Read]
    hand: tuple[int, ...]
    win: int | None
    sets: tuple[SetRead, ...] = ()
    out: tuple[int, ...] = ()
    unclear: tuple[str, ...] = ()
    typed: tuple[Meld, ...] = ()

    def faces(self, numbers: Iterable[int]) -> tuple[Tile, ...]:
        """The names of tiles."""
        return tuple(self.tiles[k].tile for k in numbers)

    @property
    def size(self) -> int:
        """Tiles of the hand with the winning one, where every set counts three."""
        return len(self.hand) + (self.win is not None) + 3 * (len(self.sets) + len(self.typed))


def reading_of(rows: Sequence[Row], reads: Sequence[Read]) -> tuple[Reading, list[int]]:
    """What rows of groups are: the hand, the winning tile apart at its right, declared sets, and the rest.

    Groups hold indices into `reads`; the tiles are numbered in the order hand, winning tile, sets, rest,
    which is given beside the reading: the index of tile 1, of tile 2, ...
    """
    groups = [group for row in rows for group in row]
    laid, plain = _declared(groups, reads)
    main = max(plain, key=lambda g: len(g.tiles), default=None)
    home = next((row for row in rows if main in row), ())
    in_row = [g for g in plain if g in home]
    rest = [g for g in plain if g not in home]
    unclear = []
    extra = _undeclared(in_row, rest, main, len(laid), reads)
    if extra:
        unclear.append("没有横放的牌，当作面子 sets without a turned tile: taken for declared")
    in_row = [g for g in in_row if g not in extra]
    out = [g for g in rest if g not in extra]
    apart = in_row.pop().tiles[0] if len(in_row) > 1 and len(in_row[-1].tiles) == 1 else None
    hand = [k for g in in_row for k in g.tiles]
    sets = sorted((*laid, *extra), key=groups.index)
    left = [k for g in out for k in g.tiles]
    won = [] if apart is None else [apart]
    order = [*hand, *won, *(k for g in sets for k in g.tiles), *left]
    number = {index: k for k, index in enumerate(order, start=1)}
    reading = Reading(
        tiles={number[k]: reads[k] for k in order},
        hand=tuple(number[k] for k in hand),
        win=None if apart is None else number[apart],
        sets=tuple(_set(g, number) for g in sets),
        out=tuple(number[k] for k in left),
        unclear=tuple(unclear),
    )
    return reading, order


def _set(group: Group, number: Mapping[int, int]) -> SetRead:
    turned = [place for place, k in enumerate(group.tiles) if k in group.turned]
    return SetRead(tuple(number[k] for k in group.tiles), turned[0] if len(turned) == 1 else None)


def _declared(groups: Sequence[Group], reads: Sequence[Read]) -> tuple[list[Group], list[Group]]:
    """Groups that are sets by a turned tile or by backs, and the others."""
    laid = [g for g in groups if len(g.tiles) in {3, 4} and (g.turned or _is_concealed(_names(g, reads)))]
    return laid, [g for g in groups if g not in laid]


def _undeclared(
    in_row: list[Group], rest: list[Group], main: Group | None, laid: int, reads: Sequence[Read]
) -> list[Group]:
    """Sets without a turned tile: of other rows; beside the hand only where the number of tiles says so."""
    others = [g for g in rest if read_kind(_names(g, reads))]
    beside = [g for g in in_row if g is not main and read_kind(_names(g, reads))]
    left = sum(len(g.tiles) for g in in_row if g not in beside)
    if beside and left + 3 * (len(beside) + len(others) + laid) == FULL:
        return others + beside
    return others


def _names(group: Group, reads: Sequence[Read]) -> tuple[Tile, ...]:
    return tuple(reads[k].tile for k in group.tiles)


def _is_concealed(names: tuple[Tile, ...]) -> bool:
    """Two backs and two like faces, as a concealed kong is laid."""
    faces = [name for name in names if name is not Tile.BACK]
    return len(names) == 4 and len(faces) == 2 and faces[0] is faces[1]


def read_kind(names: tuple[Tile, ...]) -> MeldKind | None:
    """The kind of set that faces form, a kong as a claimed one."""
    if _is_concealed(names):
        return MeldKind.CONCEALED_KONG
    ordered = tuple(sorted(names))
    return next((k for k in (MeldKind.CHI, MeldKind.PENG, MeldKind.KONG) if forms_set(k, ordered)), None)


def unsure(reading: Reading) -> list[str]:
    """What a person has to look at, and settles by saying that all is right."""
    names = [k for k, read in reading.tiles.items() if not read.sure and k not in reading.out]
    found = list(reading.unclear)
    if names:
        found.append(f"不确定 not sure: {_listed(names)}")
    if reading.out:
        found.append(f"不算在内 left out: {_listed(reading.out)}")
    return found


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def faults(reading: Reading, copies: Mapping[Tile, int], *, needs_tile: bool) -> list[str]:
    """What can't be as it is and has to be corrected.

    Args:
        reading: what was read.
        copies: how many of each tile there are in the game, less what is known to lie elsewhere.
        needs_tile: the winning tile has to be known.
    """
    found = []
    backs = [k for k in (*reading.hand, reading.win) if k is not None and reading.tiles[k].tile is Tile.BACK]
    if backs:
        found.append(f"背朝上 lies face down: {_listed(backs)}")
    for letter, each in zip(LETTERS, reading.sets, strict=False):
        found += _set_faults(letter, each, reading.faces(each.tiles))
    return found + _too_many(reading, copies) + _wrong_count(reading, needs_tile=needs_tile)


def _set_faults(letter: str, each: SetRead, names: tuple[Tile, ...]) -> list[str]:
    shown = " ".join(map(str, names))
    if read_kind(names) is None:
        return [f"{letter}: {shown} 不成面子 is no set"]
    kind = each.kind(names)
    if kind is None:
        return [
            f"{letter}: {shown} 点杠还是转弯杠 a claimed or an added kong? {letter}=claimed, {letter}=added"
        ]
    if kind is not MeldKind.CONCEALED_KONG and each.giver is None and each.back(names) is None:
        return [f"{letter}: {shown} 谁打出的 who gave the tile? {letter}=from0 … {letter}=from3"]
    return []


def _too_many(reading: Reading, copies: Mapping[Tile, int]) -> list[str]:
    held = Counter(reading.faces((*reading.hand, *(() if reading.win is None else (reading.win,)))))
    for each in reading.sets:
        held.update(set_tiles(reading.faces(each.tiles)))
    for meld in reading.typed:
        held.update(meld.tiles)
    return [
        f"{number} 张 {tile}，最多 there can be at most {copies.get(tile, 0)}"
        for tile, number in held.items()
        if tile is not Tile.BACK and number > copies.get(tile, 0)
    ]


def set_tiles(names: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """The tiles of a set, sorted; backs of a concealed kong are the tiles between them."""
    if _is_concealed(names):
        return (next(name for name in names if name is not Tile.BACK),) * 4
    return tuple(sorted(names))


def _wrong_count(reading: Reading, *, needs_tile: bool) -> list[str]:
    sets = len(reading.sets) + len(reading.typed)
    if sets > len(LETTERS):
        return [f"{sets} 个面子 declared sets, a hand has at most {len(LETTERS)}"]
    missing = FULL - reading.size
    if missing == 0:
        if needs_tile and reading.win is None:
            return ["不知道胡的是哪张 which tile won? win=NUMBER"]
        return []
    parts = f"手牌 hand {len(reading.hand)}, 胡牌 winning {int(reading.win is not None)}, 面子 sets {sets}"
    text = (
        f"{parts}: {reading.size} 张，应为 tiles, expected {FULL} (面子、杠都算三张 every set counts three)"
    )
    if missing > 0:
        return [f"{text}; 少 {missing} 张 {missing} missing"]
    return [f"{text}; 多 {-missing} 张 {-missing} too many"]


def confirmed(reading: Reading) -> Reading:
    """The reading after a person has said that it is right."""
    tiles = {k: replace(read, sure=True) for k, read in reading.tiles.items() if k not in reading.out}
    return replace(reading, tiles=tiles, out=(), unclear=())
