"""The host's end of the wire, frame by frame: keeps to the protocol where it is told to, and nowhere else."""

import contextlib
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Protocol

from firmware_bridge.conformance.trace import FROM_BOARD, TO_BOARD, Frame, Trace, parsed
from firmware_bridge.conformance.wire import Wire
from firmware_bridge.frames import DELIMITER, FrameDecoder, encode_frame
from firmware_bridge.link import HEADER, VERSION, Kind
from firmware_bridge.sequence import SEQUENCES, Inbox

WINDOW: Final = 8
HEARTBEAT_S: Final = 0.2
REPEAT_S: Final = 0.15
REPEATS: Final = 20
PIECE: Final = 1024
RESET_AFTER_S: Final = (0.025, 0.05, 0.1, 0.2)


class NoSession(Exception):
    """The board answers no RESET, or does not begin the session."""


@dataclass(frozen=True, slots=True)
class Manners:
    """What the probe does of itself: acknowledge, send ALIVE, send again what was not acknowledged."""

    acks: bool = True
    heartbeats: bool = True
    repeats: bool = True


POLITE: Final = Manners()
SILENT: Final = Manners(acks=False, heartbeats=False, repeats=False)


@dataclass(frozen=True, slots=True)
class Heard:
    """A message of the board, handed on in order: when, in which session, its number there, its bytes."""

    at: float
    session: int
    seq: int
    data: bytes


@dataclass(slots=True)
class _Sent:
    message: bytes
    due: float
    left: int = REPEATS


class Observer(Protocol):
    """Looks at everything that goes over the wire."""

    def session_begins(self, probe: "Probe") -> None:
        """The probe has sent the first frame of a session."""

    def damaged(self, probe: "Probe", raw: bytes) -> None:
        """What came is no good frame."""

    def frame(self, probe: "Probe", frame: Frame) -> None:
        """A good frame has come."""

    def asked(self, probe: "Probe", message: bytes) -> None:
        """A message was sent to the board, perhaps again."""

    def heard(self, probe: "Probe", heard: Heard) -> None:
        """The next message of the board."""


class Probe:
    """One host on one wire. ``session``: the first session number; ``observer`` sees all."""

    def __init__(self, wire: Wire, *, session: int, observer: Observer) -> None:
        self.wire = wire
        self.trace = Trace()
        self.observer = observer
        self.manners = POLITE
        self.session = session % SEQUENCES
        self.up = False
        self.boot_id = 0
        self.board_window = WINDOW
        self.link_version = (0, 0)
        self.board_ack = self.last_ack = 0
        self.next_seq = 0
        self.frames: list[Frame] = []
        self.heard: list[Heard] = []
        self.spoke_at = 0.0
        self._decoder = FrameDecoder()
        self._inbox = Inbox(WINDOW)
        self._shown = (0, 0)
        self._owed = False
        self._unacked: dict[int, _Sent] = {}

    # ---- time ----------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Seconds of the wire."""
        return self.wire.now

    async def until(self, condition: Callable[[], object], within: float) -> bool:
        """Go on until ``condition()`` holds; False when that has not come within so many seconds."""
        deadline = self.now + within
        while True:
            await self._housekeeping()
            if condition():
                return True
            if self.now >= deadline:
                return False
            self._take(await self.wire.receive(min(deadline, self._next_due())))

    async def run(self, seconds: float) -> None:
        """Go on for so long."""
        await self.until(lambda: False, seconds)

    @contextlib.contextmanager
    def acting(self, manners: Manners) -> Iterator[None]:
        """With other manners inside."""
        before, self.manners = self.manners, manners
        try:
            yield
        finally:
            self.manners = before

    # ---- sending -------------------------------------------------------------------------------------

    async def send_raw(self, data: bytes) -> None:
        """Any bytes."""
        self.trace.add(self.now, TO_BOARD, data)
        self.spoke_at = self.now
        for start in range(0, len(data), PIECE):
            await self.wire.send(data[start : start + PIECE])

    async def reset(self, session: int, window: int = WINDOW, more: bytes = b"") -> None:
        """One RESET, with a zero before it."""
        body = bytes((*VERSION, window)) + more
        await self.send_raw(DELIMITER + encode_frame(head(Kind.RESET, session) + body))

    async def alive(
        self, *, session: int | None = None, ack: int | None = None, held: int | None = None
    ) -> None:
        """One ALIVE; what is not given is as it should be."""
        await self.send_raw(self.alive_frame(session=session, ack=ack, held=held))

    def alive_frame(
        self, *, session: int | None = None, ack: int | None = None, held: int | None = None
    ) -> bytes:
        """The bytes of :meth:`alive`."""
        return encode_frame(self._head(Kind.ALIVE, session, 0, ack, held) + struct.pack("<I", self.boot_id))

    def data_frame(self, message: bytes, seq: int, *, session: int | None = None) -> bytes:
        """The bytes of a DATA frame."""
        return encode_frame(self._head(Kind.DATA, session, seq) + message)

    async def data(self, message: bytes, seq: int, *, session: int | None = None) -> None:
        """One DATA frame, never sent again."""
        self.observer.asked(self, message)
        await self.send_raw(self.data_frame(message, seq, session=session))

    async def message(self, message: bytes) -> int:
        """The next message, sent again until it is acknowledged; gives its number."""
        seq = self.next_seq
        self.next_seq = (seq + 1) % SEQUENCES
        self._unacked[seq] = _Sent(message, self.now + REPEAT_S)
        await self.data(message, seq)
        return seq

    def claim(self, message: bytes) -> int:
        """The next number, for ``message``, which is sent by other means than :meth:`message`."""
        seq = self.next_seq
        self.next_seq = (seq + 1) % SEQUENCES
        self.observer.asked(self, message)
        return seq

    # ---- sessions ------------------------------------------------------------------------------------

    async def offer(self, within: float, window: int = WINDOW) -> Frame:
        """Ask for a new session: the RESET_ACK. Raises NoSession."""
        self.session = (self.session + 1) % SEQUENCES
        self.up = False
        mark, deadline = len(self.frames), self.now + within
        for wait in (*RESET_AFTER_S, *(0.25 for _ in range(100))):
            await self.reset(self.session, window)
            if await self.until(lambda: self._offers(mark), min(wait, max(0.0, deadline - self.now))):
                break
            if self.now >= deadline:
                raise NoSession(f"no RESET_ACK for session {self.session:#06x} within {within:g} s")
        answer = self._offers(mark)[0]
        if len(answer.body) < 7:
            raise NoSession(f"RESET_ACK with a body of {len(answer.body)} bytes, expected 7")
        boot_id, major, minor, self.board_window = struct.unpack_from("<IBBB", answer.body)
        self.boot_id, self.link_version = boot_id, (major, minor)
        return answer

    async def begin(self, within: float = 3.0, window: int = WINDOW) -> Frame:
        """A new session, up on this side; its first frame is sent. Raises NoSession."""
        answer = await self.offer(within, window)
        self.enter()
        await self.alive()
        return answer

    def enter(self) -> None:
        """The offered session is up on this side: everything counts from 0."""
        self.up, self.next_seq, self.board_ack, self.last_ack = True, 0, 0, 0
        self._inbox = Inbox(WINDOW)
        self._shown, self._owed = (0, 0), False
        self._unacked.clear()
        self.observer.session_begins(self)

    def leave(self) -> None:
        """Send nothing more of one's own accord."""
        self.up = False

    @property
    def expected(self) -> int:
        """Number of the board's next message."""
        return self._inbox.expected

    # ---- inside --------------------------------------------------------------------------------------

    def _offers(self, mark: int) -> list[Frame]:
        return [
            frame
            for frame in self.frames[mark:]
            if frame.kind == Kind.RESET_ACK and frame.session == self.session
        ]

    def _head(
        self, kind: Kind, session: int | None, seq: int, ack: int | None = None, held: int | None = None
    ) -> bytes:
        if self.manners.acks:
            self._shown = (self._inbox.expected, self._inbox.held)
        own_ack, own_held = self._shown
        session = self.session if session is None else session
        ack = own_ack if ack is None else ack % SEQUENCES
        return HEADER.pack(kind, session, seq % SEQUENCES, ack, own_held if held is None else held)

    async def _housekeeping(self) -> None:
        if not self.up:
            return
        if self.manners.repeats:
            for seq, sent in list(self._unacked.items()):
                if sent.due <= self.now and sent.left:
                    self._unacked[seq] = replace(sent, due=self.now + REPEAT_S, left=sent.left - 1)
                    await self.send_raw(self.data_frame(sent.message, seq))
        owed = self._owed and self.manners.acks
        if owed or (self.manners.heartbeats and self.now >= self.spoke_at + HEARTBEAT_S):
            self._owed = False
            await self.alive()

    def _next_due(self) -> float:
        due = self.now + HEARTBEAT_S
        if self.up and self.manners.heartbeats:
            due = self.spoke_at + HEARTBEAT_S
        if self.up and self.manners.repeats:
            due = min([due, *(sent.due for sent in self._unacked.values() if sent.left)])
        return max(due, self.now)

    def _take(self, data: bytes) -> None:
        for piece in self._decoder.pieces(data):
            raw = piece.stuffed + DELIMITER
            self.trace.add(self.now, FROM_BOARD, raw)
            frame = None if piece.payload is None else parsed(piece.payload, raw, self.now)
            if frame is None:
                self.observer.damaged(self, raw)
                continue
            self.frames.append(frame)
            self.observer.frame(self, frame)
            self._on_frame(frame)

    def _on_frame(self, frame: Frame) -> None:
        if not self.up or frame.session != self.session or frame.kind not in (Kind.DATA, Kind.ALIVE):
            return
        self.last_ack = frame.ack
        ahead = (frame.ack - self.board_ack) % SEQUENCES
        if ahead <= (self.next_seq - self.board_ack) % SEQUENCES:
            self.board_ack = frame.ack
            for seq in list(self._unacked):
                if (seq - frame.ack) % SEQUENCES >= SEQUENCES // 2:
                    del self._unacked[seq]
        if frame.kind == Kind.DATA:
            self._owed = True
            first = self._inbox.expected
            for offset, message in enumerate(self._inbox.take(frame.seq, frame.body)):
                heard = Heard(frame.at, frame.session, (first + offset) % SEQUENCES, message)
                self.heard.append(heard)
                self.observer.heard(self, heard)


def head(kind: int, session: int, seq: int = 0, ack: int = 0, held: int = 0) -> bytes:
    """A frame's header."""
    return HEADER.pack(kind, session % SEQUENCES, seq % SEQUENCES, ack % SEQUENCES, held)
