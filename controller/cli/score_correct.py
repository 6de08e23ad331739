"""What a person says about a reading: another tile, another place, who gave a set's tile. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from controller.cli.score_reading import LETTERS, Read, SetRead
from rules.events import MeldKind
from rules.tiles import Seat, Tile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from controller.cli.score_reading import Reading

HELP: Final = """回车 Enter: 都对 all is right. 改正 corrections, some on one line or one after the other:
  3=5p         第3张是5筒 tile 3 is 5p          3=         第3张不是牌 tile 3 is none
  +5p          漏了一张 a tile was missed       win=14     胡的是第14张 the winning tile (win=none)
  set=11,12,13 这几张是面子 a declared set      hand=11,12 这几张在手里 belong to the hand
  A=from1      面子A的牌来自座位1 given by seat 1    A=added 转弯杠   A=claimed 点杠
  q            不算了 leave, nothing is scored"""
KINDS: Final = {"added": MeldKind.ADDED_KONG, "claimed": MeldKind.KONG}


class BadCorrection(ValueError):
    """A correction that makes no sense; the text says why."""


def corrected(reading: Reading, line: str) -> Reading:
    """The reading after the corrections of a line, which blanks part.

    Raises:
        BadCorrection: one of them makes no sense; none of them counts then.
    """
    for word in line.split():
        reading = _one(reading, word)
    return reading


def _one(reading: Reading, word: str) -> Reading:
    if word.startswith("+"):
        return _added(reading, _tile(word[1:]))
    name, sign, value = word.partition("=")
    if not sign:
        raise BadCorrection(f"{word}: expected for instance 3=5p")
    if name.lower() in PLACES:
        return PLACES[name.lower()](reading, value)
    letter = name.upper()
    if letter and letter in LETTERS[: len(reading.sets)]:
        return _about_set(reading, LETTERS.index(letter), value)
    (number,) = _numbers(reading, name)
    if value:
        return replace(reading, tiles={**reading.tiles, number: Read(_tile(value), sure=True)})
    bare = _without(reading, (number,))
    out = tuple(k for k in bare.out if k != number)
    return replace(bare, tiles={k: read for k, read in bare.tiles.items() if k != number}, out=out)


def _tile(text: str) -> Tile:
    try:
        tile = Tile.parse(text)
    except ValueError as error:
        raise BadCorrection(str(error)) from None
    if tile is Tile.UNKNOWN:
        raise BadCorrection(f"{text!r}: expected a tile such as 5p")
    return tile


def _numbers(reading: Reading, text: str) -> tuple[int, ...]:
    """Numbers of tiles with commas between them."""
    words = text.split(",")
    known = {str(k): k for k in reading.tiles}
    wrong = [word for word in words if word not in known]
    if wrong:
        raise BadCorrection(f"{wrong[0]!r}: no tile has this number; the tiles are {_range(reading)}")
    return tuple(dict.fromkeys(known[word] for word in words))


def _range(reading: Reading) -> str:
    return f"{min(reading.tiles)} to {max(reading.tiles)}" if reading.tiles else "none"


def _without(reading: Reading, numbers: tuple[int, ...]) -> Reading:
    """Tiles lifted from where they are; a set that loses one goes, and its others belong to nothing."""
    left = [each for each in reading.sets if not set(each.tiles) & set(numbers)]
    loose = [k for each in reading.sets if each not in left for k in each.tiles if k not in numbers]
    return replace(
        reading,
        hand=tuple(k for k in reading.hand if k not in numbers),
        win=None if reading.win in numbers else reading.win,
        sets=tuple(left),
        out=(*(k for k in reading.out if k not in numbers), *loose),
    )


def _added(reading: Reading, tile: Tile) -> Reading:
    number = max(reading.tiles, default=0) + 1
    return replace(
        reading,
        tiles={**reading.tiles, number: Read(tile, sure=True)},
        hand=(*reading.hand, number),
        unclear=(),
    )


def _in_hand(reading: Reading, value: str) -> Reading:
    numbers = _numbers(reading, value)
    bare = _without(reading, numbers)
    return replace(bare, hand=tuple(sorted((*bare.hand, *numbers))), unclear=())


def _won(reading: Reading, value: str) -> Reading:
    before = () if reading.win is None else (reading.win,)
    if value.lower() == "none":
        return replace(reading, hand=(*reading.hand, *before), win=None)
    (number,) = _numbers(reading, value)[:1]
    bare = _without(reading, (number,))
    back = () if bare.win is None else (bare.win,)
    return replace(bare, hand=(*bare.hand, *back), win=number)


def _as_set(reading: Reading, value: str) -> Reading:
    numbers = _numbers(reading, value)
    if len(numbers) not in {3, 4}:
        raise BadCorrection(f"{len(numbers)} tiles: a set has three, a kong four")
    bare = _without(reading, numbers)
    if len(bare.sets) == len(LETTERS):
        raise BadCorrection(f"there are {len(LETTERS)} sets already")
    return replace(bare, sets=(*bare.sets, SetRead(numbers)), unclear=())


def _about_set(reading: Reading, place: int, value: str) -> Reading:
    each = reading.sets[place]
    if value in KINDS:
        if len(each.tiles) != 4:
            raise BadCorrection(f"{LETTERS[place]} has {len(each.tiles)} tiles, a kong has four")
        each = replace(each, kong=KINDS[value])
    elif value.removeprefix("from") in {"0", "1", "2", "3"}:
        each = replace(each, giver=Seat(int(value.removeprefix("from"))))
    else:
        raise BadCorrection(f"{LETTERS[place]}={value}: expected from0 to from3, added or claimed")
    sets = (*reading.sets[:place], each, *reading.sets[place + 1 :])
    return replace(reading, sets=sets)


PLACES: Final[Mapping[str, Callable[[Reading, str], Reading]]] = {
    "win": _won,
    "set": _as_set,
    "hand": _in_hand,
}
"""What moves tiles, by its word."""
