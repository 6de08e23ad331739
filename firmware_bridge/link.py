"""A reliable link over an unreliable wire: every message arrives once and in order, or the link is lost.

Pure: bytes and the time (seconds of any steady clock) come as arguments. The same class plays the host and
the board. Usage: ``receive(data, now)`` or ``on_timer(now)``, then send ``data_to_send(now)``, take
``events()``, and come back at ``next_timer()``.

Both directions are sequenced, acknowledged and retransmitted. A connection begins with RESET and RESET_ACK
under a session number the host picks; the board changes over only when the first frame of the new session
arrives, so that a RESET that was under way for long ends nothing. Frames of other sessions, or that name
another boot of the board, are answered with NO_SESSION, which tells a host at once that the board has
restarted.
"""

import struct
from collections import deque
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Final

from firmware_bridge.capture_ring import CaptureRing
from firmware_bridge.errors import LinkFull
from firmware_bridge.frames import DELIMITER, PAYLOAD_LIMIT, FrameDecoder, encode_frame
from firmware_bridge.sequence import HELD_BITS, SEQUENCES, Inbox, Outbox

HEADER: Final = struct.Struct("<BHHHB")
"""Kind, session, sequence number, next number expected, bits of those after it that are already held."""

MESSAGE_LIMIT: Final = PAYLOAD_LIMIT - HEADER.size
"""Longest message, bytes."""

VERSION: Final = (1, 0)
"""Version of the link, major and minor, told in RESET and RESET_ACK."""

LEAST_WINDOW: Final = 2
"""Frames an end must be able to hold: one of them is kept for urgent messages."""

_RESET = struct.Struct("<BBB")
_RESET_ACK = struct.Struct("<IBBB")
_BOOT = struct.Struct("<I")


class Kind(IntEnum):
    """Kinds of frames. RESET and RESET_ACK end with the sender's window in frames."""

    RESET = 1
    RESET_ACK = 2
    DATA = 3
    ALIVE = 4
    NO_SESSION = 5


_LEAST_BODY: Final[dict[int, int]] = {
    Kind.RESET: _RESET.size,
    Kind.RESET_ACK: _RESET_ACK.size,
    Kind.DATA: 1,
    Kind.ALIVE: _BOOT.size,
    Kind.NO_SESSION: _BOOT.size,
}
"""Bytes a body must have at least; a frame with less is ignored, as one of another kind is."""


class Role(Enum):
    """Which end of the wire: the host picks sessions, the board follows."""

    HOST = "host"
    BOARD = "board"


class Phase(Enum):
    """DOWN: no session; ASKING: the host repeats RESET; UP: messages flow."""

    DOWN = "down"
    ASKING = "asking"
    UP = "up"


@dataclass(frozen=True, slots=True)
class Timing:
    """Times in seconds. ``lost_after``: without a valid frame; ``stalled_after``: without progress."""

    rto_min: float = 0.025
    rto_max: float = 0.25
    heartbeat: float = 0.25
    lost_after: float = 3.0
    stalled_after: float = 6.0


class LostReason(Enum):
    """Why a link was lost."""

    NO_ANSWER = "the board does not answer"
    SILENCE = "no valid frame for too long"
    STALLED = "messages are not acknowledged"
    RESTARTED = "the other side has restarted"
    ENDED = "the board has ended the session"


@dataclass(frozen=True, slots=True)
class Connected:
    """A session has begun. ``boot_id``: the board's; ``version``: the peer's link version."""

    session: int
    boot_id: int
    version: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Received:
    """The next message of the other side."""

    message: bytes


@dataclass(frozen=True, slots=True)
class Lost:
    """The session has ended; what was not acknowledged may or may not have arrived."""

    reason: LostReason


LinkEvent = Connected | Received | Lost


@dataclass(frozen=True, slots=True)
class LinkStats:
    """Counts since the link was made; times in seconds.

    ``duplicates``: messages that had arrived before; ``ignored``: good frames that mean nothing here (of
    another kind, session or boot, or too short).
    """

    frames_sent: int
    frames_received: int
    retransmitted: int
    duplicates: int
    bad_frames: int
    garbage_bytes: int
    round_trip: float | None
    rto: float
    ignored: int = 0


@dataclass(frozen=True, slots=True)
class Frame:
    """A good frame in its parts; ``kind`` is one of Kind, ``body`` as long as that needs."""

    kind: int
    session: int
    seq: int
    ack: int
    held: int
    body: bytes


def parse_frame(payload: bytes) -> Frame | None:
    """The frame in ``payload``; None where it is of an unknown kind or too short."""
    if len(payload) < HEADER.size:
        return None
    kind, session, seq, ack, held = HEADER.unpack_from(payload)
    body = payload[HEADER.size :]
    if len(body) < _LEAST_BODY.get(kind, MESSAGE_LIMIT + 1):
        return None
    return Frame(kind, session, seq, ack, held, body)


class Link:
    """One end of the link.

    ``session``: the host's first session number; callers pick it at random so that no two processes share
    one. ``boot_id``: the board's. ``window``: frames this end's receive buffer holds (2..8); the other side
    has no more under way, and one of them is kept for urgent messages. ``ring``: the last frames each way.
    """

    def __init__(
        self,
        role: Role,
        *,
        session: int = 0,
        boot_id: int = 0,
        window: int = 8,
        timing: Timing | None = None,
    ) -> None:
        if not LEAST_WINDOW <= window <= HELD_BITS:
            raise ValueError(f"window of {window} frames, expected {LEAST_WINDOW}..{HELD_BITS}")
        self.role = role
        self.phase = Phase.DOWN
        self.boot_id = boot_id
        self.peer_version = (0, 0)
        self.timing = timing or Timing()
        self.ring = CaptureRing()
        self._session = session % SEQUENCES
        self._offered: int | None = None
        self._ended: int | None = None
        self._window = window
        self._peer_window = window
        self._decoder = FrameDecoder()
        self._inbox = Inbox(window)
        self._outbox = Outbox(window, self.timing.rto_min, self.timing.rto_max)
        self._answer: int | None = None
        self._refusal: int | None = None
        self._events: deque[LinkEvent] = deque()
        self._answer_owed = False
        self._since = 0.0
        self._heard_at = 0.0
        self._spoke_at = 0.0
        self._ask_at = 0.0
        self._ask_every = self.timing.rto_max
        self._sent = 0
        self._ignored = 0

    # ---- for the caller ------------------------------------------------------------------------------

    @property
    def stats(self) -> LinkStats:
        """Counts so far."""
        counts, outbox = self._decoder.counts, self._outbox
        return LinkStats(
            self._sent,
            counts.frames,
            outbox.retransmitted,
            self._inbox.duplicates,
            counts.bad_frames,
            counts.garbage_bytes,
            outbox.round_trip,
            outbox.rto,
            self._ignored,
        )

    @property
    def session(self) -> int:
        """Number of the session that is up or asked for; of the last one while there is none."""
        return self._session

    def connect(self, now: float) -> None:
        """Host: begin (or begin anew) with a fresh session."""
        self._session = (self._session + 1) % SEQUENCES
        self.phase = Phase.ASKING
        self._since = self._ask_at = now
        self._ask_every = self.timing.rto_min

    def close(self) -> None:
        """End the session without a word; nothing is sent until the next one."""
        if self.phase is Phase.UP:
            self._ended = self._session
        self.phase = Phase.DOWN
        self._outbox.clear(self._window)

    def send(self, message: bytes, *, urgent: bool = False) -> None:
        """Queue ``message`` (1..MESSAGE_LIMIT bytes); urgent ones pass the others and use the kept slot.

        Raises LinkFull when too much waits, ValueError when the message is too long or no session is up.
        """
        if not 1 <= len(message) <= MESSAGE_LIMIT:
            raise ValueError(f"message of {len(message)} bytes, expected 1..{MESSAGE_LIMIT}")
        if self.phase is not Phase.UP:
            raise ValueError("no session is up")
        if not self._outbox.put(message, urgent=urgent):
            raise LinkFull("too many messages wait for the other side")

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the wire."""
        for payload, stuffed, size in self._decoder.pieces(data):
            self.ring.received(stuffed, size, now)
            if payload is None:
                continue
            frame = parse_frame(payload)
            if frame is None or not self._on_frame(frame, now):
                self._ignored += 1

    def events(self) -> list[LinkEvent]:
        """Events since the last call, in order."""
        events = list(self._events)
        self._events.clear()
        return events

    def next_timer(self) -> float | None:
        """When to call ``on_timer`` and ``data_to_send`` next; None while only bytes change anything."""
        if self.phase is Phase.ASKING:
            return min(self._ask_at, self._since + self.timing.lost_after)
        if self.phase is Phase.DOWN:
            return None
        times = [self._spoke_at + self.timing.heartbeat, self._lost_at()]
        due = self._outbox.next_due()
        return min(times if due is None else [*times, due])

    def on_timer(self, now: float) -> None:
        """Notice that the link is lost; everything else waits for ``data_to_send``."""
        if self.phase is Phase.ASKING and now >= self._since + self.timing.lost_after:
            self._lose(LostReason.NO_ANSWER, now)
        elif self.phase is Phase.UP and now >= self._lost_at():
            silent = now >= self._heard_at + self.timing.lost_after
            self._lose(LostReason.SILENCE if silent else LostReason.STALLED, now)

    def data_to_send(self, now: float) -> bytes:
        """Bytes for the wire now: answers, retransmissions due, new messages as the window allows."""
        frames = self._session_answers()
        if self.phase is Phase.ASKING and now >= self._ask_at:
            self._ask_at = now + self._ask_every
            self._ask_every = min(2 * self._ask_every, self.timing.rto_max)
            # A leading zero ends whatever noise stands before a connection.
            reset = self._about_session(Kind.RESET, self._session, _RESET.pack(*VERSION, self._window))
            frames.append(DELIMITER + reset)
        if self.phase is Phase.UP:
            frames += self._session_frames(now)
        self._sent += len(frames)
        for frame in frames:
            self.ring.sent(frame, now)
        return b"".join(frames)

    # ---- frames --------------------------------------------------------------------------------------

    def _session_answers(self) -> list[bytes]:
        """Board: what it owes to those who speak of sessions; several RESETs in one turn get one answer."""
        frames = []
        if self._answer is not None:
            body = _RESET_ACK.pack(self.boot_id, *VERSION, self._window)
            frames.append(self._about_session(Kind.RESET_ACK, self._answer, body))
        if self._refusal is not None:
            frames.append(self._about_session(Kind.NO_SESSION, self._refusal, _BOOT.pack(self.boot_id)))
        self._answer = self._refusal = None
        return frames

    def _session_frames(self, now: float) -> list[bytes]:
        """Messages that are due, or ALIVE where something is owed."""
        frames = [self._in_session(Kind.DATA, message, seq) for seq, message in self._outbox.take(now)]
        if not frames and (self._answer_owed or now >= self._spoke_at + self.timing.heartbeat):
            frames.append(self._in_session(Kind.ALIVE, _BOOT.pack(self.boot_id)))
        if frames:
            self._answer_owed = False
            self._spoke_at = now
        return frames

    def _in_session(self, kind: Kind, body: bytes, seq: int = 0) -> bytes:
        head = HEADER.pack(kind, self._session, seq, self._inbox.expected, self._inbox.held)
        return encode_frame(head + body)

    def _about_session(self, kind: Kind, session: int, body: bytes) -> bytes:
        return encode_frame(HEADER.pack(kind, session, 0, 0, 0) + body)

    def _on_frame(self, frame: Frame, now: float) -> bool:
        """Take a frame; False when it means nothing here."""
        host = self.role is Role.HOST
        match frame.kind:
            case Kind.DATA | Kind.ALIVE:
                return self._on_session_frame(frame, now)
            case Kind.RESET if not host:
                return self._on_reset(frame, now)
            case Kind.RESET_ACK if host and frame.session == self._session:
                return self._on_reset_ack(frame, now)
            case Kind.NO_SESSION if host and frame.session == self._session:
                return self._on_no_session(frame, now)
        return False

    def _on_reset(self, frame: Frame, now: float) -> bool:
        """Board: offer the session; a repeat gets the same answer again.

        The session that ended last is not offered again: its messages could arrive a second time.
        """
        major, minor, window = _RESET.unpack_from(frame.body)
        if window < LEAST_WINDOW or frame.session == self._ended:
            return False
        if self.phase is Phase.UP and frame.session == self._session:
            self._heard_at = now
        else:
            self._offered = frame.session
            self.peer_version = (major, minor)
            self._peer_window = window
        self._answer = frame.session
        return True

    def _on_reset_ack(self, frame: Frame, now: float) -> bool:
        """Host: the session is up; the frame owed now makes the board change over."""
        boot_id, major, minor, window = _RESET_ACK.unpack_from(frame.body)
        if self.phase is not Phase.ASKING or window < LEAST_WINDOW:
            return False
        self.boot_id, self.peer_version, self._peer_window = boot_id, (major, minor), window
        self._begin(now)
        return True

    def _on_no_session(self, frame: Frame, now: float) -> bool:
        """Host: the board knows nothing of the session; by its boot_id it has restarted, or given it up."""
        if self.phase is not Phase.UP:
            return False
        same = _BOOT.unpack_from(frame.body) == (self.boot_id,)
        self._lose(LostReason.ENDED if same else LostReason.RESTARTED, now)
        return True

    def _on_session_frame(self, frame: Frame, now: float) -> bool:
        another_boot = frame.kind == Kind.ALIVE and self._is_foreign(*_BOOT.unpack_from(frame.body))
        if self.role is Role.BOARD and frame.session == self._offered and not another_boot:
            if self.phase is Phase.UP:
                self._ended = self._session
                self._events.append(Lost(LostReason.RESTARTED))
            self._session, self._offered = frame.session, None
            self._begin(now)
        if self.phase is not Phase.UP or frame.session != self._session or another_boot:
            return self._on_strange_frame(frame, now)
        self._heard_at = now
        self._outbox.acknowledge(frame.ack, frame.held, now)
        if frame.kind == Kind.DATA:
            self._answer_owed = True
            self._events.extend(Received(message) for message in self._inbox.take(frame.seq, frame.body))
        return True

    def _is_foreign(self, boot_id: int) -> bool:
        """Whether an ALIVE names another start of the board; a host may name none (0)."""
        return boot_id != self.boot_id and (self.role is Role.HOST or boot_id != 0)

    def _on_strange_frame(self, frame: Frame, now: float) -> bool:
        """A frame of another session or boot: the board says so, a host sees that the board has restarted."""
        if self.role is Role.BOARD:
            self._refusal = frame.session
        elif self.phase is Phase.UP and frame.session == self._session:
            self._lose(LostReason.RESTARTED, now)
            return True
        return False

    # ---- sessions ------------------------------------------------------------------------------------

    def _begin(self, now: float) -> None:
        self.phase = Phase.UP
        self._heard_at = self._spoke_at = now
        self._inbox.clear()
        self._outbox.clear(min(self._peer_window, HELD_BITS))
        self._answer_owed = True
        self._events.append(Connected(self._session, self.boot_id, self.peer_version))

    def _lose(self, reason: LostReason, now: float) -> None:
        self._events.append(Lost(reason))
        self._outbox.clear(self._window)
        if self.role is Role.HOST:
            self.connect(now)
        else:
            self._ended = self._session
            self.phase = Phase.DOWN

    def _lost_at(self) -> float:
        silent = self._heard_at + self.timing.lost_after
        waiting = self._outbox.waiting_since
        return silent if waiting is None else min(silent, waiting + self.timing.stalled_after)
