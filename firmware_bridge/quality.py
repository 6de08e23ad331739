"""How good a link is, and when to warn before it fails. Pure.

The measure is the share of frames that had to be sent again or came damaged, of about the last thousand
frames of both directions.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from firmware_bridge.faults import FaultCode
from firmware_bridge.link import LinkStats
from firmware_bridge.reports import Fault, FaultCleared
from firmware_bridge.states import Severity

WINDOW: Final = 1000
STEP: Final = 50
"""Frames judged together, and how finely the window moves on."""

BAD_SHARE: Final = 0.01
BAD_LEAST: Final = 10
"""More than this share, and at least so many frames: the link is bad. Half of either: it is good again."""


@dataclass(frozen=True, slots=True)
class _Mark:
    frames: int
    bad: int


class Quality:
    """Watches one link; the caller looks at it now and then."""

    def __init__(self) -> None:
        self._marks: deque[_Mark] = deque(maxlen=WINDOW // STEP)
        self._now = _Mark(0, 0)
        self._warned = False
        self._heard = 0

    @property
    def per_mille(self) -> int:
        """Frames of a thousand that were sent again or came damaged."""
        frames, bad = self._window()
        return round(1000 * bad / frames) if frames else 0

    def begin(self, stats: LinkStats) -> None:
        """A connection begins: what was lost with the one before does not count against it."""
        self._now = _mark(stats)
        self._heard = stats.frames_received + stats.bad_frames
        self._marks.clear()
        self._marks.append(self._now)

    def look(self, stats: LinkStats) -> Fault | FaultCleared | None:
        """Take the counts as they are now; the warning when the link has become bad, or its end.

        While nothing comes in, nothing is judged: the other side has gone, which says nothing about the line.
        """
        heard = stats.frames_received + stats.bad_frames
        if heard == self._heard:
            return None
        self._heard = heard
        self._now = _mark(stats)
        if not self._marks or self._now.frames >= self._marks[-1].frames + STEP:
            self._marks.append(self._now)
        frames, bad = self._window()
        if not self._warned and bad >= BAD_LEAST and bad > BAD_SHARE * frames:
            self._warned = True
            return Fault(FaultCode.LNK_02, Severity.WARN, evidence=self.per_mille)
        if self._warned and frames >= WINDOW // 4 and 2 * bad <= max(BAD_LEAST, BAD_SHARE * frames):
            self._warned = False
            return FaultCleared(FaultCode.LNK_02)
        return None

    def _window(self) -> tuple[int, int]:
        first = self._marks[0] if self._marks else self._now
        return self._now.frames - first.frames, self._now.bad - first.bad


def _mark(stats: LinkStats) -> _Mark:
    return _Mark(
        stats.frames_sent + stats.frames_received + stats.bad_frames, stats.retransmitted + stats.bad_frames
    )
