"""The last frames of a link in both directions, as they were on the wire. Pure; bounded; cheap to keep."""

from collections import deque
from dataclasses import dataclass
from enum import Enum
from itertools import count
from typing import Final

FRAMES_KEPT: Final = 200
"""Frames kept of each direction."""

NOTES_KEPT: Final = 50
"""Openings and endings of the port that are kept."""

OPENED: Final = "opened"
CLOSED: Final = "closed"
"""First words of the notes about a port; the reason may follow."""


class Direction(Enum):
    """Which way a frame went, as seen by the end that keeps it; NOTE: something happened to the port."""

    SENT = ">"
    RECEIVED = "<"
    NOTE = "!"


@dataclass(frozen=True, slots=True)
class Entry:
    """One frame with its zero bytes, or a note (UTF-8), at ``at`` seconds of the link's clock.

    ``skipped``: length of bytes without a zero that were too many for a frame and were not kept.
    """

    at: float
    direction: Direction
    data: bytes
    skipped: int = 0


class CaptureRing:
    """Keeps the last ``kept`` frames of each direction."""

    def __init__(self, kept: int = FRAMES_KEPT) -> None:
        self._numbers = count()
        # Plain tuples: this runs for every frame, and is looked at hardly ever.
        self._sent: deque[tuple[int, float, bytes, int]] = deque(maxlen=kept)
        self._received: deque[tuple[int, float, bytes, int]] = deque(maxlen=kept)
        self._notes: deque[tuple[int, float, bytes, int]] = deque(maxlen=NOTES_KEPT)

    def sent(self, frame: bytes, at: float) -> None:
        """A frame went out."""
        self._sent.append((next(self._numbers), at, frame, 0))

    def received(self, stuffed: bytes, size: int, at: float) -> None:
        """``size`` bytes and a zero came in; ``stuffed``: these bytes, empty where they were too many."""
        frame = stuffed + b"\x00" if stuffed else b""
        self._received.append((next(self._numbers), at, frame, 0 if stuffed else size))

    def note(self, text: str, at: float) -> None:
        """Something happened to the port."""
        self._notes.append((next(self._numbers), at, text.encode(), 0))

    def entries(self) -> list[Entry]:
        """All that is kept, in the order in which it happened."""
        parts = (
            (Direction.SENT, self._sent),
            (Direction.RECEIVED, self._received),
            (Direction.NOTE, self._notes),
        )
        numbered = [(kept, direction) for direction, part in parts for kept in part]
        return [
            Entry(at, direction, data, skipped)
            for (_, at, data, skipped), direction in sorted(numbered, key=lambda each: each[0][0])
        ]
