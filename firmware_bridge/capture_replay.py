"""Plays a capture to a host engine again: the same frames at the same times give the same reports. Pure.

The replayed host picks its own session, op_ids and message numbers, and may begin in the middle; so what came
from the board is told to it under the numbers that it uses itself. Everything else stays as it was: damaged
frames, repetitions, silence, other boots, the port that went and came back.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from firmware_bridge.capture import BadCapture, Capture, frame_in
from firmware_bridge.capture_ring import CLOSED, OPENED, Direction, Entry
from firmware_bridge.encoding import decode_from_board, decode_from_host, encode
from firmware_bridge.errors import BoardError, MalformedMessage
from firmware_bridge.frames import DELIMITER, FrameDecoder, encode_frame
from firmware_bridge.host import Finished, Host
from firmware_bridge.link import HEADER, Frame, Kind, Phase, Timing, parse_frame
from firmware_bridge.messages import Answer, Booted, Command, Notice, Report
from firmware_bridge.sequence import SEQUENCES
from firmware_bridge.states import Capability

TOLERANCE_S: Final = 2e-6
"""Times of a capture are rounded to microseconds: a link is lost so much earlier."""

ASKS: Final = Capability.DICTIONARY | Capability.REPLAY
"""What makes a host ask on its own account when a session begins."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A report that the replayed host hands on, ``at`` seconds of the capture."""

    at: float
    report: Report


def replay(capture: Capture) -> Iterator[Replayed]:
    """The reports that a host makes of ``capture``, in order.

    A capture that begins in the middle of a session is replayed from the first moment at which the host
    waited for nothing; the board's Booted comes first then. Raises BadCapture where the capture does not say
    which board it was.
    """
    replayer = _Replayer(capture)
    for entry in replayer.entries:
        yield from replayer.play(entry)


@dataclass(slots=True)
class _Numbers:
    """The numbers of one captured session, and of the replayed one that stands for it.

    ``first_received``: captured number of what is the board's message 0 in the replayed session. ``sent``:
    number after the last message of the captured host; ``acked``: what the board last expected of it. The
    same of the replayed host.
    """

    session: int | None = None
    first_received: int = 0
    sent: int = 0
    acked: int | None = None
    replayed_sent: int = 0
    replayed_acked: int = 0

    def acknowledged(self, ack: int) -> int:
        """What the replayed host is told where the captured one was told ``ack``."""
        steps = 0 if self.acked is None else _ahead(ack, self.acked)
        if ack == self.sent:
            self.replayed_acked = self.replayed_sent
        elif steps > 0:
            self.replayed_acked = min(self.replayed_acked + steps, self.replayed_sent)
        if self.acked is None or steps > 0:
            self.acked = ack
        return self.replayed_acked % SEQUENCES


def _ahead(number: int, other: int) -> int:
    """How far ``number`` is beyond ``other``, going round; negative when it is behind."""
    return (number - other + SEQUENCES // 2) % SEQUENCES - SEQUENCES // 2


class _Replayer:
    def __init__(self, capture: Capture) -> None:
        self._host = Host(session=0, first_op_id=0, timing=Timing(lost_after=capture.lost_after_s))
        self._numbers = _Numbers()
        self._op_ids: dict[int, int] = {}
        self._open = False
        self._asked: list[tuple[int, Command]] = []
        self._stands_for: tuple[Booted, Booted] | None = None
        self.entries = capture.entries
        if not _begins_with_a_session(capture.entries):
            self._begin_in_the_middle(capture)

    def play(self, entry: Entry) -> Iterator[Replayed]:
        """Let one entry happen."""
        if entry.direction is Direction.RECEIVED:
            self._host.receive(self._translated(entry), entry.at)
        else:
            self._host.on_timer(entry.at + TOLERANCE_S)
            if entry.direction is Direction.NOTE:
                self._port(entry.data.decode(errors="replace"), entry.at)
            else:
                self._say(frame_in(entry), entry.at)
        yield from self._told(entry.at)

    # ---- the host's side -----------------------------------------------------------------------------

    def _port(self, note: str, now: float) -> None:
        word, _, why = note.partition(" ")
        if word == OPENED:
            self._open = True
            self._host.port_opened(now)
        elif word == CLOSED:
            self._open = False
            self._host.port_closed(why or None, now)

    def _say(self, frame: Frame | None, now: float) -> None:
        """The captured host sent a frame: say the same, where the replayed one does not do it by itself."""
        if frame is None:
            return
        if frame.kind == Kind.RESET and frame.session != self._numbers.session:
            if not self._open or self._host.link.phase is not Phase.ASKING:
                self._port(OPENED, now)
            self._numbers = _Numbers(frame.session)
        elif frame.kind == Kind.DATA and _ahead(frame.seq + 1, self._numbers.sent) > 0:
            self._numbers.sent = (frame.seq + 1) % SEQUENCES
            self._command(frame.body, now)

    def _command(self, message: bytes, now: float) -> None:
        try:
            request = decode_from_host(message)
        except MalformedMessage:
            return
        self._pump(now)
        if request.op_id in self._op_ids:
            return
        for op_id, command in self._asked:
            if command == request.command:
                self._asked.remove((op_id, command))
                self._op_ids[request.op_id] = op_id
                return
        try:
            self._op_ids[request.op_id] = self._host.request(request.command, now)
        except BoardError:
            return  # it was given to a board that the capture does not show
        self._pump(now)
        self._asked = [
            (op_id, command) for op_id, command in self._asked if op_id not in self._op_ids.values()
        ]

    def _pump(self, now: float) -> None:
        """Let the replayed host send; what it sends goes nowhere."""
        for payload in FrameDecoder().feed(self._host.data_to_send(now)):
            frame = parse_frame(payload)
            if frame is not None and frame.kind == Kind.DATA and frame.seq == self._numbers.replayed_sent:
                self._numbers.replayed_sent = (frame.seq + 1) % SEQUENCES
                request = decode_from_host(frame.body)
                self._asked.append((request.op_id, request.command))

    def _told(self, now: float) -> Iterator[Replayed]:
        for outcome in self._host.outcomes():
            if not isinstance(outcome, Finished):
                yield Replayed(now, self._original(outcome))
        self._pump(now)

    def _original(self, report: Report) -> Report:
        if self._stands_for is not None and report == self._stands_for[0]:
            return self._stands_for[1]
        return report

    # ---- the board's side ----------------------------------------------------------------------------

    def _translated(self, entry: Entry) -> bytes:
        if entry.skipped:
            return b"\xff" * entry.skipped + DELIMITER
        frame = frame_in(entry)
        if frame is None:
            return entry.data
        numbers, link = self._numbers, self._host.link
        if frame.session != numbers.session:
            session = frame.session if frame.session != link.session else (frame.session + 1) % SEQUENCES
            return encode_frame(HEADER.pack(frame.kind, session, frame.seq, 0, 0) + frame.body)
        seq = (frame.seq - numbers.first_received) % SEQUENCES if frame.kind == Kind.DATA else 0
        ack = numbers.acknowledged(frame.ack) if frame.kind in (Kind.DATA, Kind.ALIVE) else 0
        body = self._message(frame.body) if frame.kind == Kind.DATA else frame.body
        return encode_frame(HEADER.pack(frame.kind, link.session, seq, ack, 0) + body)

    def _message(self, data: bytes) -> bytes:
        """The board's message under the op_id that the replayed host has given."""
        try:
            message = decode_from_board(data)
        except MalformedMessage:
            return data
        if isinstance(message, Notice) or message.op_id not in self._op_ids:
            return data
        answer: Answer = replace(message, op_id=self._op_ids[message.op_id])
        return encode(answer)

    # ---- captures that begin in the middle -----------------------------------------------------------

    def _begin_in_the_middle(self, capture: Capture) -> None:
        start = _first_calm(capture.entries)
        if start is None:
            return
        number, frame = start
        if capture.board is None:
            raise BadCapture("capture begins in the middle of a session and does not say which board it was")
        now = capture.entries[number].at
        quiet = replace(capture.board, capabilities=capture.board.capabilities & ~ASKS)
        self._stands_for = (quiet, capture.board)
        self._port(OPENED, now)
        self._numbers = _Numbers(frame.session, (frame.ack - 1) % SEQUENCES)
        link = self._host.link
        reset_ack = quiet.boot_id.to_bytes(4, "little") + bytes((1, 0, 8))
        hello = encode(Notice(0, 0, quiet))
        for kind, body in ((Kind.RESET_ACK, reset_ack), (Kind.DATA, hello)):
            self._host.receive(encode_frame(HEADER.pack(kind, link.session, 0, 0, 0) + body), now)
        if link.phase is not Phase.UP:
            raise AssertionError("a host takes the offer it has asked for")
        self._numbers.sent = frame.seq if frame.kind == Kind.DATA else _next_sent(capture.entries[number:])
        self.entries = capture.entries[number:]


def _begins_with_a_session(entries: tuple[Entry, ...]) -> bool:
    """Whether the first frame that came from the board answers the first RESET, or none came at all."""
    frames = [(entry.direction, frame) for entry in entries if (frame := frame_in(entry)) is not None]
    sent = next((frame for direction, frame in frames if direction is Direction.SENT), None)
    came = next((frame for direction, frame in frames if direction is Direction.RECEIVED), None)
    begins = sent is not None and sent.kind == Kind.RESET
    return not frames or (begins and (came is None or came.kind in (Kind.RESET_ACK, Kind.NO_SESSION)))


def _first_calm(entries: tuple[Entry, ...]) -> tuple[int, Frame] | None:
    """Where the host first said what it has received, with nothing held, after something was received."""
    received = False
    for number, entry in enumerate(entries):
        frame = frame_in(entry)
        received = received or entry.direction is Direction.RECEIVED
        in_session = frame is not None and frame.kind in (Kind.DATA, Kind.ALIVE) and not frame.held
        if received and frame is not None and in_session and entry.direction is Direction.SENT:
            return number, frame
    return None


def _next_sent(entries: tuple[Entry, ...]) -> int:
    """Number of the next message that the host sends for the first time, as far as can be seen."""
    for entry in entries:
        frame = frame_in(entry)
        if frame is None:
            continue
        if entry.direction is Direction.RECEIVED and frame.kind in (Kind.DATA, Kind.ALIVE):
            return frame.ack
        if frame.kind == Kind.DATA:
            return frame.seq
    return 0
