"""Watches the board's frames: whole, numbered, of one boot. Pure."""

import struct
from collections.abc import Iterator
from typing import Final

from firmware_bridge.conformance.requirement import Requirement
from firmware_bridge.conformance.trace import Frame
from firmware_bridge.conformance.watched import Broken
from firmware_bridge.frames import FRAME_LIMIT
from firmware_bridge.link import Kind

LINK_RULES: Final = (
    Requirement(
        id="FRAME-01", title="the board's frames are whole: COBS, CRC-32, at most 64 bytes", section="2"
    ),
    Requirement(id="SES-01", title="boot_id is the same in every frame of a boot", section="3.1"),
    Requirement(
        id="LINK-01", title="a number always stands for the same message in a session", section="3.3"
    ),
)

DAMAGED_SHARE: Final = 0.01
FEW: Final = 3
_BOOT_AT: Final = {Kind.RESET_ACK: 0, Kind.ALIVE: 0, Kind.NO_SESSION: 0}


class LinkWatch:
    """One board's frames."""

    def __init__(self) -> None:
        self._good = self._bad = 0
        self._session: int | None = None
        self._boot_id: int | None = None
        self._bodies: dict[int, bytes] = {}

    def session_begins(self, session: int, boot_id: int) -> None:
        """Numbers count from 0 again."""
        del boot_id
        self._session = session
        self._bodies.clear()

    def damaged(self, raw: bytes) -> Iterator[Broken]:
        """A line may damage a few; a board must not."""
        self._bad += 1
        if self._bad > FEW and self._bad > DAMAGED_SHARE * (self._good + self._bad):
            of = self._good + self._bad
            yield Broken("FRAME-01", f"{self._bad} of {of} frames are damaged, the last: {raw[:70].hex(' ')}")

    def frame(self, frame: Frame) -> Iterator[Broken]:
        """A good frame."""
        self._good += 1
        if len(frame.raw) > FRAME_LIMIT:
            yield Broken("FRAME-01", f"a frame of {len(frame.raw)} bytes, expected at most {FRAME_LIMIT}")
        if frame.kind in _BOOT_AT and len(frame.body) >= 4:
            (boot_id,) = struct.unpack_from("<I", frame.body)
            known = self._boot_id
            self._boot_id = boot_id if known is None else known
            if boot_id != self._boot_id:
                name = Kind(frame.kind).name
                yield Broken(
                    "SES-01", f"{name} says boot_id {boot_id:#010x}, before it was {known or 0:#010x}"
                )
        if frame.kind == Kind.DATA and frame.session == self._session:
            known_body = self._bodies.setdefault(frame.seq, frame.body)
            if known_body != frame.body:
                yield Broken(
                    "LINK-01",
                    f"message {frame.seq} is {frame.body.hex(' ')}, and was {known_body.hex(' ')} before",
                )
