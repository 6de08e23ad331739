"""Events as text, one a line: journals, golden games and the simulator's truth are written so.

=====================================================  ==================================================
line                                                   event
=====================================================  ==================================================
``deal 0 dice 3 4 kept 1 hands 123m…|…|…|…``           DealStarted; dice, kept and hands may be missing
``indicator 1m``                                       IndicatorTurned
``draw 2``, ``draw 2 5p``, ``draw 2 ? replacement``    Drew
``discard 2 5p``                                       Discarded
``flower 2 1f``, ``flower 2 1f for 5p``                FlowerShown
``claim 2 peng 555p took 5p from 1``                   Claimed
``declare 2 added_kong 5p``                            KongDeclared
``win 2 hand 123m 55p on 5p from 1``                   Won by a discard or a robbed kong
``win 2 hand 123m 55p on 5p``, ``… on ?``              Won otherwise
``exhausted``                                          WallExhausted
``false_win 2 hand 123m 55p``                          FalseWin; the tiles may be missing
``barred 2 because a tile too many``                   Barred
=====================================================  ==================================================
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rules.events import (
    Barred,
    Claimed,
    DealStarted,
    Discarded,
    Drew,
    Event,
    FalseWin,
    FlowerShown,
    IndicatorTurned,
    KongDeclared,
    MeldKind,
    WallExhausted,
    Won,
)
from rules.tiles import Seat, Tile, format_tiles, parse_tiles

if TYPE_CHECKING:
    from collections.abc import Iterable

_DEAL = re.compile(r"deal ([0-3])(?: dice ([1-6]) ([1-6]))?(?: kept (\d+))?(?: hands (.+))?")
_INDICATOR = re.compile(r"indicator (\S+)")
_DRAW = re.compile(r"draw ([0-3])(?: ((?!replacement)\S+))?( replacement)?")
_DISCARD = re.compile(r"discard ([0-3]) (\S+)")
_CLAIM = re.compile(r"claim ([0-3]) (\w+) (.+) took (\S+) from ([0-3])")
_DECLARE = re.compile(r"declare ([0-3]) (\w+) (\S+)")
_WIN = re.compile(r"win ([0-3]) hand(?: (.+?))? on (\S+)(?: from ([0-3]))?")
_FALSE_WIN = re.compile(r"false_win ([0-3]) hand(?: (.+))?")
_FLOWER = re.compile(r"flower ([0-3]) (\S+)(?: for (\S+))?")
_BARRED = re.compile(r"barred ([0-3]) because (.+)")


def format_event(event: Event) -> str:  # noqa: C901, PLR0911 - one case a kind of event
    """Write one event as one line, without a newline."""
    match event:
        case DealStarted():
            return _format_deal(event)
        case IndicatorTurned(tile):
            return f"indicator {tile}"
        case Drew(seat, tile, replacement):
            return f"draw {seat}{_known('', tile)}{' replacement' if replacement else ''}"
        case Discarded(seat, tile):
            return f"discard {seat} {tile}"
        case Claimed(seat, kind, tiles, taken, from_seat):
            return f"claim {seat} {kind} {format_tiles(tiles)} took {taken} from {from_seat}"
        case KongDeclared(seat, kind, tile):
            return f"declare {seat} {kind} {tile}"
        case Won(seat, hand, tile, from_seat):
            shown = f" {format_tiles(hand)}" if hand else ""
            source = f" from {from_seat}" if from_seat is not None else ""
            return f"win {seat} hand{shown} on {tile}{source}"
        case WallExhausted():
            return "exhausted"
        case FalseWin(seat, hand):
            return f"false_win {seat} hand {format_tiles(hand)}".strip()
        case FlowerShown(seat, tile, replacement):
            return f"flower {seat} {tile}{_known(' for', replacement)}"
        case Barred(seat, reason):
            return f"barred {seat} because {reason}"


def _known(words: str, tile: Tile) -> str:
    return f"{words} {tile}" if tile is not Tile.UNKNOWN else ""


def _format_deal(event: DealStarted) -> str:
    words = [f"deal {event.dealer}"]
    if event.dice is not None:
        words.append(f"dice {event.dice[0]} {event.dice[1]}")
    if event.kept:
        words.append(f"kept {event.kept}")
    if event.hands is not None:
        words.append("hands " + " | ".join(format_tiles(hand) for hand in event.hands))
    return " ".join(words)


def parse_event(line: str) -> Event:
    """Read one line of `format_event`.

    Raises:
        ValueError: the line is no event; the message quotes it.
    """
    text = line.strip()
    parse = _PARSERS.get(text.split(" ", 1)[0])
    try:
        event = parse(text) if parse is not None else None
    except ValueError as error:
        raise ValueError(f"not an event: {line!r}: {error}") from None
    if event is None:
        raise ValueError(f"not an event: {line!r} (expected for instance 'discard 2 5p')")
    return event


def format_record(events: Iterable[Event]) -> str:
    """Write a whole deal, one event a line."""
    return "".join(f"{format_event(event)}\n" for event in events)


def parse_record(text: str) -> tuple[Event, ...]:
    """Read a whole deal; empty lines and lines that begin with ``#`` are skipped.

    Raises:
        ValueError: a line is no event.
    """
    lines = (line.strip() for line in text.splitlines())
    return tuple(parse_event(line) for line in lines if line and not line.startswith("#"))


def _seat(text: str) -> Seat:
    return Seat(int(text))


def _parse_deal(text: str) -> Event | None:
    found = _DEAL.fullmatch(text)
    if found is None:
        return None
    dealer, first, second, kept, hands = found.groups()
    dice = None if first is None else (int(first), int(second))
    dealt = None if hands is None else tuple(parse_tiles(hand) for hand in hands.split("|"))
    return DealStarted(_seat(dealer), dice, int(kept or 0), dealt)


def _parse_indicator(text: str) -> Event | None:
    found = _INDICATOR.fullmatch(text)
    return found and IndicatorTurned(Tile.parse(found[1]))


def _parse_draw(text: str) -> Event | None:
    found = _DRAW.fullmatch(text)
    return found and Drew(_seat(found[1]), Tile.parse(found[2] or "?"), replacement=found[3] is not None)


def _parse_discard(text: str) -> Event | None:
    found = _DISCARD.fullmatch(text)
    return found and Discarded(_seat(found[1]), Tile.parse(found[2]))


def _parse_claim(text: str) -> Event | None:
    found = _CLAIM.fullmatch(text)
    return found and Claimed(
        _seat(found[1]),
        MeldKind(found[2]),
        parse_tiles(found[3]),
        Tile.parse(found[4]),
        _seat(found[5]),
    )


def _parse_declare(text: str) -> Event | None:
    found = _DECLARE.fullmatch(text)
    return found and KongDeclared(_seat(found[1]), MeldKind(found[2]), Tile.parse(found[3]))


def _parse_win(text: str) -> Event | None:
    found = _WIN.fullmatch(text)
    if found is None:
        return None
    source = None if found[4] is None else _seat(found[4])
    return Won(_seat(found[1]), parse_tiles(found[2] or ""), Tile.parse(found[3]), source)


def _parse_flower(text: str) -> Event | None:
    found = _FLOWER.fullmatch(text)
    return found and FlowerShown(_seat(found[1]), Tile.parse(found[2]), Tile.parse(found[3] or "?"))


def _parse_false_win(text: str) -> Event | None:
    found = _FALSE_WIN.fullmatch(text)
    return found and FalseWin(_seat(found[1]), parse_tiles(found[2] or ""))


def _parse_barred(text: str) -> Event | None:
    found = _BARRED.fullmatch(text)
    return found and Barred(_seat(found[1]), found[2])


def _parse_exhausted(text: str) -> Event | None:
    return WallExhausted() if text == "exhausted" else None


_PARSERS = {
    "deal": _parse_deal,
    "indicator": _parse_indicator,
    "draw": _parse_draw,
    "discard": _parse_discard,
    "claim": _parse_claim,
    "declare": _parse_declare,
    "win": _parse_win,
    "exhausted": _parse_exhausted,
    "false_win": _parse_false_win,
    "flower": _parse_flower,
    "barred": _parse_barred,
}
