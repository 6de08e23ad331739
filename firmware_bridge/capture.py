"""Captures: the last frames of a link as a text that people read, and that is played to a host again. Pure.

A capture is the fixture of a test and the better half of a bug report. Its first line is ``longzhuo capture
1``; lines ``key: value`` follow (``board``: what Booted said, in hexadecimal; ``lost_after_s``; whatever else
is of use), then an empty line, then one frame a line::

    0.000120 > 00040134120101010102010608...  RESET session 0x1234 window 8

Seconds since the first line, the direction (``>`` the host sent it, ``<`` it came from the board, ``!``
something happened to the port), the bytes as they were on the wire, and for people what they mean.
"""

import math
import re
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum, Flag
from typing import Any, Final

from firmware_bridge.capture_ring import CLOSED, OPENED, CaptureRing, Direction, Entry
from firmware_bridge.encoding import decode_from_board, decode_from_host, encode
from firmware_bridge.errors import BoardError, MalformedMessage
from firmware_bridge.frames import FrameDecoder
from firmware_bridge.link import Frame, Kind, parse_frame
from firmware_bridge.messages import Booted, Notice, Request

FIRST_LINE: Final = "longzhuo capture 1"
SKIPPED: Final = "bytes"
"""Stands for bytes that were too many for a frame, after their number."""

_BYTES: Final = rf"(?:((?:[0-9a-f]{{2}})+)|(\d{{1,9}}){SKIPPED})(?:  .*)?"
_NOTE: Final = rf"((?:{OPENED}|{CLOSED}).*)"
_LINE: Final = re.compile(rf"(\d{{1,9}}\.\d{{1,9}}) (?:([<>]) {_BYTES}|! {_NOTE})")


class BadCapture(BoardError):
    """A text is no capture; says which line, and what was expected."""


@dataclass(frozen=True, slots=True)
class Capture:
    """Frames and notes in order, times from 0; ``board``: who the board said it is, where that is known."""

    entries: tuple[Entry, ...]
    board: Booted | None = None
    lost_after_s: float = 3.0
    about: dict[str, str] = field(default_factory=dict)


def capture_of(
    ring: CaptureRing, board: Booted | None, *, lost_after_s: float = 3.0, about: dict[str, str] | None = None
) -> Capture:
    """What ``ring`` holds now."""
    entries = ring.entries()
    first = entries[0].at if entries else 0.0
    told = tuple(Entry(each.at - first, each.direction, each.data, each.skipped) for each in entries)
    return Capture(told, board, lost_after_s, about or {})


def format_capture(capture: Capture) -> str:
    """The capture as a text."""
    head = [FIRST_LINE]
    if capture.board is not None:
        head.append(f"board: {encode(Notice(0, 0, capture.board)).hex()}")
    head.append(f"lost_after_s: {capture.lost_after_s:g}")
    head += [f"{key}: {' '.join(value.split())}" for key, value in capture.about.items()]
    return "\n".join([*head, "", *map(_line, capture.entries)]) + "\n"


def parse_capture(text: str) -> Capture:
    """The capture in ``text``. Raises BadCapture."""
    lines = text.splitlines()
    if not lines or lines[0] != FIRST_LINE:
        raise BadCapture(f'capture line 1: expected "{FIRST_LINE}"')
    end = lines.index("") if "" in lines else len(lines)
    about: dict[str, str] = {}
    for number, line in enumerate(lines[1:end], 2):
        key, colon, value = line.partition(": ")
        if not colon:
            raise BadCapture(f'capture line {number}: expected "key: value" or an empty line')
        about[key] = value
    entries = tuple(_entry(line, number) for number, line in enumerate(lines[end + 1 :], end + 2))
    return Capture(entries, _board(about), _lost_after(about), about)


def described(entry: Entry) -> str:
    """What an entry means, for people."""
    if entry.skipped:
        return "garbage without an end"
    frame = frame_in(entry)
    if frame is None:
        return "damaged, or of no kind that is known"
    return _DESCRIBED[Kind(frame.kind)](frame, entry.direction)


def frame_in(entry: Entry) -> Frame | None:
    """The good frame of an entry; None where it holds something else."""
    for payload in FrameDecoder().feed(entry.data):
        return parse_frame(payload)
    return None


def text_of(value: object) -> str:
    """A message as the code would write it."""
    match value:
        case Flag():
            return f"{type(value).__name__}(0x{value.value:X})"
        case Enum():
            return f"{type(value).__name__}.{value.name}"
        case tuple():
            return f"({', '.join(map(text_of, value))})"
        case bytes():
            return value.hex()
    if not is_dataclass(value):
        return repr(value)
    envelope = isinstance(value, Request | Notice)
    parts: list[tuple[str, Any]] = [(each.name, getattr(value, each.name)) for each in fields(value)]
    told = [text_of(part) if envelope else f"{name}={text_of(part)}" for name, part in parts]
    return f"{type(value).__name__}({', '.join(told)})"


def _line(entry: Entry) -> str:
    start = f"{entry.at:.6f} {entry.direction.value}"
    if entry.direction is Direction.NOTE:
        return f"{start} {entry.data.decode(errors='replace')}"
    data = f"{entry.skipped}{SKIPPED}" if entry.skipped else entry.data.hex()
    return f"{start} {data}  {described(entry)}"


def _entry(line: str, number: int) -> Entry:
    found = _LINE.fullmatch(line)
    if found is None:
        raise BadCapture(
            f"capture line {number}: expected SECONDS, a direction (> or <) and bytes in hexadecimal, "
            f'or SECONDS and "! {OPENED}" or "! {CLOSED} WHY"'
        )
    at, sign, data, skipped, note = found.groups()
    if note is not None:
        return Entry(float(at), Direction.NOTE, note.encode())
    return Entry(float(at), Direction(sign), bytes.fromhex(data or ""), int(skipped or 0))


def _board(about: dict[str, str]) -> Booted | None:
    told = about.pop("board", None)
    if told is None:
        return None
    try:
        message = decode_from_board(bytes.fromhex(told))
    except (ValueError, MalformedMessage):
        message = None
    if not (isinstance(message, Notice) and isinstance(message.report, Booted)):
        raise BadCapture("capture: board: expected a Booted report in hexadecimal")
    return message.report


def _lost_after(about: dict[str, str]) -> float:
    told = about.pop("lost_after_s", "3")
    try:
        seconds = float(told)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise BadCapture(f"capture: lost_after_s: expected seconds, found {told!r}")
    return seconds


def _reset(frame: Frame, _: Direction) -> str:
    return f"RESET session 0x{frame.session:04x} window {frame.body[2]}"


def _reset_ack(frame: Frame, _: Direction) -> str:
    return f"RESET_ACK session 0x{frame.session:04x} boot 0x{_boot(frame):08x} window {frame.body[6]}"


def _no_session(frame: Frame, _: Direction) -> str:
    return f"NO_SESSION session 0x{frame.session:04x} boot 0x{_boot(frame):08x}"


def _alive(frame: Frame, _: Direction) -> str:
    return f"ALIVE {_acknowledged(frame)}"


def _data(frame: Frame, direction: Direction) -> str:
    decode = decode_from_host if direction is Direction.SENT else decode_from_board
    try:
        told = text_of(decode(frame.body))
    except MalformedMessage as error:
        told = f"not known: {error}"
    return f"DATA {frame.seq} {_acknowledged(frame)} {told}"


_DESCRIBED: Final = {
    Kind.RESET: _reset,
    Kind.RESET_ACK: _reset_ack,
    Kind.NO_SESSION: _no_session,
    Kind.ALIVE: _alive,
    Kind.DATA: _data,
}


def _acknowledged(frame: Frame) -> str:
    return f"ack {frame.ack}" + (f" held {frame.held:08b}" if frame.held else "")


def _boot(frame: Frame) -> int:
    return int.from_bytes(frame.body[:4], "little")
