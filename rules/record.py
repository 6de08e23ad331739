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
``entered drawn``                                      Entered
``entered 2 discard hand 123m 55p on 5p from 1``       Entered; then may come ``with peng 777s from 0 / …``
                                                       and ``flags NAME=VALUE / …``
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
    Entered,
    Event,
    FalseWin,
    Flag,
    FlowerShown,
    IndicatorTurned,
    KongDeclared,
    Meld,
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


_ENTERED = re.compile(
    r"entered (?:drawn|([0-3]) (\w+) hand(?: (.+?))? on (\S+)(?: from ([0-3]))?"
    r"(?: with (.+?))?(?: flags (.+))?)"
)
_MELD = re.compile(r"(\w+) (.+?)(?: from ([0-3]))?")


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
        case Entered():
            return _format_entered(event)


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


def _format_entered(event: Entered) -> str:
    if event.seat is None:
        return "entered drawn"
    words = [f"entered {event.seat} {event.how} hand {format_tiles(event.hand)}".rstrip(), f"on {event.tile}"]
    if event.from_seat is not None:
        words.append(f"from {event.from_seat}")
    if event.melds:
        words.append("with " + " / ".join(map(format_meld, event.melds)))
    if event.flags:
        told = (
            f"{name}={str(value).lower() if isinstance(value, bool) else value}"
            for name, value in event.flags
        )
        words.append("flags " + " / ".join(told))
    return " ".join(words)


def format_meld(meld: Meld) -> str:
    """A declared set, such as ``peng 555p from 1``."""
    source = "" if meld.taken_from is None else f" from {meld.taken_from}"
    return f"{meld.kind} {format_tiles(meld.tiles)}{source}"


def parse_meld(text: str) -> Meld:
    """Read a declared set of `format_meld`; whether it is one is the rules' to say.

    Raises:
        ValueError: it is none, such as ``peng 555p from 1``.
    """
    found = _MELD.fullmatch(text.strip())
    if found is None or found[1] not in set(MeldKind):
        raise ValueError(f"not a set: {text!r} (expected for instance 'peng 555p from 1')")
    source = None if found[3] is None else _seat(found[3])
    return Meld(MeldKind(found[1]), tuple(sorted(parse_tiles(found[2]))), source)


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


def _parse_entered(text: str) -> Event | None:
    found = _ENTERED.fullmatch(text)
    if found is None:
        return None
    if found[1] is None:
        return Entered(None)
    return Entered(
        _seat(found[1]),
        found[2],
        parse_tiles(found[3] or ""),
        tuple(map(parse_meld, (found[6] or "").split(" / "))) if found[6] else (),
        Tile.parse(found[4]),
        None if found[5] is None else _seat(found[5]),
        tuple(map(_parse_flag, found[7].split(" / "))) if found[7] else (),
    )


def _parse_flag(text: str) -> Flag:
    name, _, value = text.partition("=")
    if value in {"true", "false"}:
        return name, value == "true"
    return name, int(value) if value.isdecimal() else value


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
    "entered": _parse_entered,
}
