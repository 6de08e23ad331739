"""The host's side of the conversation: commands under way, reports, connections. Pure: time is an argument.

A command that is under way when the link goes is asked for again, under the same op_id, when the same boot
of the board answers within ``resume_within_s``; the board does not execute it twice. After a restart of the
board no command is repeated: it ends with LinkLost.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from firmware_bridge.encoding import decode_from_board, encode, limit_s
from firmware_bridge.errors import (
    BoardError,
    CommandFailed,
    CommandRefused,
    LinkLost,
    MalformedMessage,
    WrongVersion,
)
from firmware_bridge.link import VERSION, Connected, Link, Lost, LostReason, Received, Role, Timing
from firmware_bridge.messages import (
    PROTOCOL,
    Accepted,
    Answer,
    Booted,
    Command,
    Disconnected,
    Done,
    Failed,
    Notice,
    Rejected,
    Report,
    Request,
    Stop,
)
from firmware_bridge.states import FailCause

OP_IDS: Final = 1 << 32


@dataclass(frozen=True, slots=True)
class Finished:
    """The command under ``op_id`` has ended: Done, or the error to raise."""

    op_id: int
    result: Done | BoardError


Outcome = Finished | Report


@dataclass(slots=True)
class _Operation:
    command: Command
    boot_id: int
    deadline: float
    give_up_at: float | None = field(default=None)


class Host:
    """One board as its host knows it.

    ``trouble``: why the board is not there (the last reason, while it is there); ``reopen``: the port
    should be closed and opened anew; ``malformed``: messages that this version does not know. ``session``
    and ``first_op_id`` are picked at random by the caller, so that two processes share none.
    """

    def __init__(
        self,
        *,
        session: int,
        first_op_id: int,
        timing: Timing | None = None,
        resume_within_s: float = 10.0,
    ) -> None:
        self.link = Link(Role.HOST, session=session, timing=timing)
        self.identity: Booted | None = None
        self.malformed = 0
        self.reopen = False
        self.trouble = LostReason.NO_ANSWER.value
        self._next_op_id = first_op_id % OP_IDS
        self._resume_within_s = resume_within_s
        self._operations: dict[int, _Operation] = {}
        self._outcomes: deque[Outcome] = deque()
        self._ready = False
        self._told_lost = False

    @property
    def ready(self) -> bool:
        """True while the link is up and the board has said who it is."""
        return self._ready

    def port_opened(self, now: float) -> None:
        """Bytes can flow: ask for a session."""
        self.reopen = False
        self.link.connect(now)

    def port_closed(self, why: str, now: float) -> None:
        """The port is gone or could not be opened."""
        self.link.close()
        self._down(why, now)

    def request(self, command: Command, now: float, within_s: float | None = None) -> int:
        """Send ``command``; its end comes as Finished with the op_id returned here.

        Raises LinkLost while the board is not there, WrongVersion when its protocol is another one,
        MalformedMessage when a field is out of range, LinkFull.
        """
        if not self._ready or self.identity is None:
            raise LinkLost("not connected")
        for board, own in ((self.identity.protocol, PROTOCOL), (self.link.peer_version, VERSION)):
            if board[0] != own[0]:
                raise WrongVersion(board, own)
        op_id = self._next_op_id
        self._send(op_id, command)
        self._next_op_id = (op_id + 1) % OP_IDS
        limit = limit_s(command) if within_s is None else within_s
        self._operations[op_id] = _Operation(command, self.identity.boot_id, now + limit)
        return op_id

    def forget(self, op_id: int) -> None:
        """Nobody waits for ``op_id`` any more."""
        self._operations.pop(op_id, None)

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the port."""
        self.link.receive(data, now)
        self._take_events(now)

    def on_timer(self, now: float) -> None:
        """Let time pass: a lost link, commands that take too long."""
        self.link.on_timer(now)
        self._take_events(now)
        for op_id, operation in list(self._operations.items()):
            if operation.give_up_at is not None and now >= operation.give_up_at:
                self._finish(op_id, LinkLost("the board did not come back in time"))
            elif now >= operation.deadline:
                self._finish(op_id, CommandFailed(FailCause.NO_ANSWER))

    def next_timer(self) -> float | None:
        """When to call ``on_timer`` and ``data_to_send`` next."""
        times = [self.link.next_timer()]
        for operation in self._operations.values():
            times += [operation.deadline, operation.give_up_at]
        return min((time for time in times if time is not None), default=None)

    def data_to_send(self, now: float) -> bytes:
        """Bytes for the port."""
        return self.link.data_to_send(now)

    def outcomes(self) -> list[Outcome]:
        """Ends of commands and reports since the last call, in order."""
        outcomes = list(self._outcomes)
        self._outcomes.clear()
        return outcomes

    # ---- inside --------------------------------------------------------------------------------------

    def _take_events(self, now: float) -> None:
        for event in self.link.events():
            match event:
                case Received(message):
                    self._on_message(message)
                case Connected():
                    self._told_lost = False
                case Lost(reason):
                    # A restarted board is still there; for all else the port is opened anew: it may be
                    # another.
                    self.reopen = self.reopen or reason is not LostReason.RESTARTED
                    self._down(self._explain(reason), now)

    def _explain(self, reason: LostReason) -> str:
        stats = self.link.stats
        if reason is LostReason.NO_ANSWER and stats.garbage_bytes and not stats.frames_received:
            return f"no valid frame, {stats.garbage_bytes} bytes of something else (another speed or device?)"
        return reason.value

    def _on_message(self, data: bytes) -> None:
        try:
            message = decode_from_board(data)
        except MalformedMessage:
            self.malformed += 1  # a newer board may report what this version does not know
            return
        if isinstance(message, Notice):
            self._on_report(message.report)
        else:
            self._on_answer(message)

    def _on_report(self, report: Report) -> None:
        if isinstance(report, Booted):
            self.identity = report
            self._ready = True
        self._outcomes.append(report)
        if isinstance(report, Booted):
            self._resume(report)

    def _resume(self, booted: Booted) -> None:
        for op_id, operation in list(self._operations.items()):
            if operation.boot_id != booted.boot_id:
                self._finish(op_id, LinkLost("the board has restarted"))
            elif operation.give_up_at is not None:
                operation.give_up_at = None
                self._send(op_id, operation.command)

    def _on_answer(self, answer: Answer) -> None:
        match answer:
            case Done(op_id):
                self._finish(op_id, answer)
            case Rejected(op_id, reason):
                self._finish(op_id, CommandRefused(reason))
            case Failed(op_id, cause, fault):
                self._finish(op_id, CommandFailed(cause, fault))
            case Accepted():
                pass

    def _finish(self, op_id: int, result: Done | BoardError) -> None:
        if self._operations.pop(op_id, None) is not None:
            self._outcomes.append(Finished(op_id, result))

    def _send(self, op_id: int, command: Command) -> None:
        self.link.send(encode(Request(op_id, command)), urgent=isinstance(command, Stop))

    def _down(self, why: str, now: float) -> None:
        self.trouble = why
        was_ready, self._ready = self._ready, False
        for operation in self._operations.values():
            if operation.give_up_at is None:
                operation.give_up_at = now + self._resume_within_s
        if was_ready or not self._told_lost:
            self._outcomes.append(Disconnected(why))
        self._told_lost = True
