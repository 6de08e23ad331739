"""The two halves of a sequenced stream: messages that go out and messages that come in. Pure.

Numbers count from 0 modulo 65536 in every session. An acknowledgement is the next number expected plus one
bit for each of the eight numbers after it that has arrived early, so that only what is missing is sent
again.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

SEQUENCES: Final = 1 << 16
"""Sequence (and session) numbers wrap here."""

HELD_BITS: Final = 8
"""Messages after the next expected one whose arrival an acknowledgement can tell; bounds the window."""

OUTBOX_LIMIT: Final = 256
"""Messages that may wait for the window."""

FIRST_RTO: Final = 0.1
"""Retransmission time before anything was measured, seconds."""


@dataclass(slots=True)
class _Flight:
    """A message on its way: when it was first sent, when to send it again, and the time to wait then."""

    message: bytes
    sent_at: float
    due: float
    wait: float
    again: bool = False


class Outbox:
    """Messages to send, numbered as they first go out, kept until they are acknowledged.

    The time to wait before sending again follows the measured round trip (mean plus four deviations) within
    ``rto_min..rto_max`` and doubles for a message each time it is sent again; later messages wait as long,
    until one is answered that was sent once (else a round trip longer than the wait would never be
    measured).
    """

    def __init__(self, window: int, rto_min: float, rto_max: float) -> None:
        self.retransmitted = 0
        self.round_trip: float | None = None
        self.waiting_since: float | None = None
        self._deviation = 0.0
        self._backed_off = 0.0
        self._rto_min = rto_min
        self._rto_max = rto_max
        self.clear(window)

    def clear(self, window: int) -> None:
        """Forget all messages and number from 0 again; what was measured stays."""
        self._window = window
        self._oldest = 0
        self._next = 0
        self._flights: dict[int, _Flight] = {}
        self._queue: deque[bytes] = deque()
        self._urgent: deque[bytes] = deque()
        self.waiting_since = None

    @property
    def rto(self) -> float:
        """Time to wait for an acknowledgement, seconds."""
        measured = FIRST_RTO if self.round_trip is None else self.round_trip + 4 * self._deviation
        return min(max(measured, self._rto_min, self._backed_off), self._rto_max)

    def put(self, message: bytes, *, urgent: bool) -> bool:
        """Queue a message; False when too many wait already."""
        queue = self._urgent if urgent else self._queue
        if len(queue) >= OUTBOX_LIMIT:
            return False
        queue.append(message)
        return True

    def next_due(self) -> float | None:
        """When something is to be sent again, or None."""
        return min((flight.due for flight in self._flights.values()), default=None)

    def take(self, now: float) -> list[tuple[int, bytes]]:
        """Numbered messages to put on the wire now: those due again, then new ones as the window allows."""
        out = []
        for seq, flight in self._flights.items():
            if flight.due <= now:
                flight.again = True
                flight.wait = min(2 * flight.wait, self._rto_max)
                flight.due = now + flight.wait
                self._backed_off = flight.wait
                self.retransmitted += 1
                out.append((seq, flight.message))
        while self._urgent and self._open(self._window):
            out.append(self._launch(self._urgent.popleft(), now))
        while self._queue and self._open(self._window - 1):
            out.append(self._launch(self._queue.popleft(), now))
        return out

    def acknowledge(self, expected: int, held: int, now: float) -> None:
        """The other side expects number ``expected`` and holds those of the bits ``held`` after it.

        Numbers that were never sent (an old frame from elsewhere) change nothing.
        """
        span = (self._next - self._oldest) % SEQUENCES
        step = (expected - self._oldest) % SEQUENCES
        if step > span:
            return
        for offset in range(step):
            self._arrived((self._oldest + offset) % SEQUENCES, now)
        self._oldest = expected
        for bit in range(HELD_BITS):
            if held >> bit & 1:
                self._arrived((expected + 1 + bit) % SEQUENCES, now)
        if step:
            self.waiting_since = now if self._flights else None

    def _arrived(self, seq: int, now: float) -> None:
        flight = self._flights.pop(seq, None)
        if flight is None or flight.again:
            return  # an answer to a message sent twice does not say which of the two it answers
        self._backed_off = 0.0
        sample = now - flight.sent_at
        if self.round_trip is None:
            self.round_trip, self._deviation = sample, sample / 2
        else:
            self._deviation += (abs(sample - self.round_trip) - self._deviation) / 4
            self.round_trip += (sample - self.round_trip) / 8

    def _open(self, window: int) -> bool:
        return (self._next - self._oldest) % SEQUENCES < window

    def _launch(self, message: bytes, now: float) -> tuple[int, bytes]:
        seq = self._next
        self._next = (seq + 1) % SEQUENCES
        self._flights[seq] = _Flight(message, now, now + self.rto, self.rto)
        if self.waiting_since is None:
            self.waiting_since = now
        return seq, message


class Inbox:
    """Messages that arrive: handed on in order, once; early ones are held, at most ``window`` of them."""

    def __init__(self, window: int) -> None:
        self.duplicates = 0
        self._window = window
        self.clear()

    def clear(self) -> None:
        """Expect number 0."""
        self.expected = 0
        self._early: dict[int, bytes] = {}

    @property
    def held(self) -> int:
        """Bits of the numbers after ``expected`` that are held already."""
        return sum(1 << ((seq - self.expected - 1) % SEQUENCES) for seq in self._early)

    def take(self, seq: int, message: bytes) -> list[bytes]:
        """Messages that are now next in order, after number ``seq`` has arrived; none when it is a repeat."""
        ahead = (seq - self.expected) % SEQUENCES
        if ahead >= self._window or seq in self._early:
            self.duplicates += 1
            return []
        self._early[seq] = message
        ready = []
        while self.expected in self._early:
            ready.append(self._early.pop(self.expected))
            self.expected = (self.expected + 1) % SEQUENCES
        return ready
