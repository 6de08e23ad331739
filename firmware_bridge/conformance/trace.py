"""The frames that went over the wire, and what they say in words. Pure."""

import struct
from collections import deque
from dataclasses import dataclass
from typing import Final

from firmware_bridge.encoding import decode_from_board, decode_from_host
from firmware_bridge.errors import MalformedMessage
from firmware_bridge.frames import FrameDecoder
from firmware_bridge.link import HEADER, Kind

KEPT: Final = 400
SHOWN: Final = 14
HEX_LIMIT: Final = 80
TO_BOARD: Final = ">"
FROM_BOARD: Final = "<"


@dataclass(frozen=True, slots=True)
class Frame:
    """A good frame: its header and body, when it came, and its bytes with the zero at their end."""

    at: float
    kind: int
    session: int
    seq: int
    ack: int
    held: int
    body: bytes
    raw: bytes


@dataclass(frozen=True, slots=True)
class Traced:
    """Bytes of one frame (or what stood in its place), ``direction`` seen from the host."""

    at: float
    direction: str
    raw: bytes


class Trace:
    """The last frames each way."""

    def __init__(self) -> None:
        self._kept: deque[Traced] = deque(maxlen=KEPT)
        self._counts = {TO_BOARD: 0, FROM_BOARD: 0}

    def add(self, at: float, direction: str, raw: bytes) -> None:
        """Bytes that went over the wire at ``at``."""
        self._counts[direction] += 1
        self._kept.append(Traced(at, direction, raw))

    def count(self, direction: str) -> int:
        """How many frames went this way since the beginning."""
        return self._counts[direction]

    def last(self, direction: str) -> bytes:
        """The last frame that went this way; empty where there was none."""
        return next((one.raw for one in reversed(self._kept) if one.direction == direction), b"")

    def lines(self, count: int = SHOWN) -> tuple[str, ...]:
        """The last frames: time, direction, bytes, words."""
        return tuple(line(traced) for traced in list(self._kept)[-count:])


def line(traced: Traced) -> str:
    """One frame for people: seconds, direction, hexadecimal, meaning."""
    text = traced.raw[:HEX_LIMIT].hex(" ")
    more = f" .. {len(traced.raw)} bytes" if len(traced.raw) > HEX_LIMIT else ""
    meaning = "; ".join(describe(payload, traced.direction) for payload in FrameDecoder().feed(traced.raw))
    return f"{traced.at:9.3f} {traced.direction} {text}{more}  | {meaning or 'no good frame'}"


def parsed(payload: bytes, raw: bytes, at: float) -> Frame | None:
    """The frame in ``payload``; None when it is shorter than a header."""
    if len(payload) < HEADER.size:
        return None
    kind, session, seq, ack, held = HEADER.unpack_from(payload)
    return Frame(at, kind, session, seq, ack, held, payload[HEADER.size :], raw)


def describe(payload: bytes, direction: str) -> str:
    """A payload in words."""
    frame = parsed(payload, b"", 0.0)
    if frame is None:
        return f"payload of {len(payload)} bytes"
    name = Kind(frame.kind).name if frame.kind in set(Kind) else f"kind {frame.kind}"
    head = f"{name} session {frame.session:#06x}"
    if frame.kind == Kind.DATA:
        return f"{head} {frame.seq} ack {frame.ack}{_held(frame)}: {words(frame.body, direction)}"
    if frame.kind == Kind.ALIVE:
        return f"{head} ack {frame.ack}{_held(frame)}"
    if frame.kind == Kind.RESET_ACK and len(frame.body) >= 7:
        return f"{head} boot {struct.unpack_from('<I', frame.body)[0]:#010x} window {frame.body[6]}"
    if frame.kind == Kind.RESET and len(frame.body) >= 3:
        return f"{head} window {frame.body[2]}"
    return head


def words(message: bytes, direction: str) -> str:
    """A message in words, or its bytes where it is none."""
    try:
        decoded = decode_from_host(message) if direction == TO_BOARD else decode_from_board(message)
    except MalformedMessage as error:
        return f"{message.hex(' ')} ({error})"
    return str(decoded)


def _held(frame: Frame) -> str:
    return f" held {frame.held:08b}" if frame.held else ""
