"""The host's side of the conversation: commands under way, reports, connections. Pure: time is an argument.

A command that is under way when the link goes is asked for again, under the same op_id, when the same boot
of the board answers within ``resume_within_s``; the board does not execute it twice. After a restart of the
board no command is repeated: it ends with LinkLost.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from firmware_bridge.abilities import FOR_EVER, check_supported, is_readable, version_trouble
from firmware_bridge.capture_ring import CLOSED, OPENED
from firmware_bridge.catch_up import CatchUp
from firmware_bridge.encoding import decode_from_board, encode, limit_s
from firmware_bridge.errors import (
    BoardError,
    CommandFailed,
    CommandRefused,
    LinkFull,
    LinkLost,
    MalformedMessage,
    NoValidFrame,
    PortHeld,
    WrongBoard,
    WrongVersion,
)
from firmware_bridge.link import Connected, Link, Lost, LostReason, Received, Role, Timing
from firmware_bridge.messages import (
    Accepted,
    Answer,
    Booted,
    Command,
    Disconnected,
    Done,
    Failed,
    GetDictionary,
    Notice,
    Rejected,
    Report,
    Request,
    StateChanged,
    Status,
    Stop,
)
from firmware_bridge.operations import Operation, Operations
from firmware_bridge.states import Loss, Region, State

OP_IDS: Final = 1 << 32


@dataclass(frozen=True, slots=True)
class Finished:
    """The command under ``op_id`` has ended: Done, or the error to raise."""

    op_id: int
    result: Done | BoardError


Outcome = Finished | Report


class Host:
    """One board as its host knows it.

    ``error``: why the board is not there (the last reason, while it is there); ``reopen``: the port should
    be closed and opened anew; ``malformed``: messages that this version does not know. ``session`` and
    ``first_op_id`` are picked at random by the caller, so that two processes share none.

    ``uid``: the only board that is accepted; None: the first that answers, and from then on no other. A
    board that says 0 has no number: it is accepted where none is expected.

    ``read_only``: why the board can only be read, where its major version is another one.

    ``history``: what the board has kept of the time before this host came is asked for and handed on too.
    """

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        *,
        session: int,
        first_op_id: int,
        timing: Timing | None = None,
        resume_within_s: float = 10.0,
        uid: int | None = None,
        history: bool = False,
    ) -> None:
        self.link = Link(Role.HOST, session=session, timing=timing)
        self.identity: Booted | None = None
        self.malformed = 0
        self.reopen = False
        self.uid = uid
        self.error = LinkLost(LostReason.NO_ANSWER.value)
        self.read_only: WrongVersion | None = None
        self._next_op_id = first_op_id % OP_IDS
        self._operations = Operations(resume_within_s)
        self._catch_up = CatchUp(history=history)
        self._outcomes: deque[Outcome] = deque()
        self._ready = False
        self._refused = False
        self._told: set[type[LinkLost]] = set()
        self._bytes = 0
        self._before = self.link.stats

    @property
    def trouble(self) -> str:
        """Why the board is not there, in words."""
        return self.error.reason

    @property
    def ready(self) -> bool:
        """True while the link is up and the board has said who it is."""
        return self._ready

    def port_opened(self, now: float) -> None:
        """Bytes can flow: ask for a session."""
        self.reopen = self._refused = False
        self._bytes = 0
        self._before = self.link.stats
        self.link.ring.note(OPENED, now)
        self.link.connect(now)

    def port_closed(self, why: str | LinkLost | None, now: float) -> None:
        """The port is gone or could not be opened; None: for the reason that is already known."""
        if isinstance(why, str):
            why = LinkLost(why, Loss.PORT)
        self.link.ring.note(f"{CLOSED} {why.reason if why else ''}".rstrip(), now)
        self.link.close()
        self._down(why or self.error, now)

    def request(self, command: Command, now: float, within_s: float | None = None) -> int:
        """Send ``command``; its end comes as Finished with the op_id returned here.

        Raises LinkLost while the board is not there, WrongVersion when its protocol is another one (it can
        be asked for its status and stopped), NotSupported when it does not know the command,
        MalformedMessage when a field is out of range, LinkFull.
        """
        if not self._ready or self.identity is None:
            raise self.lost()
        if self.read_only is not None and not isinstance(command, FOR_EVER):
            raise WrongVersion(self.read_only.board, self.read_only.host)
        if self.read_only is None:
            check_supported(command, self.identity)
        limit = limit_s(command) if within_s is None else within_s
        return self._give(command, now + limit)

    def lost(self) -> LinkLost:
        """The error to raise for the link as it is."""
        match self.error:
            case WrongBoard(found=found, expected=expected):
                return WrongBoard(found, expected)
            case NoValidFrame(received=received, crc_errors=crc_errors):
                return NoValidFrame(received, crc_errors)
            case PortHeld(reason=reason):
                return PortHeld(reason)
            case error:
                return LinkLost(error.reason, error.loss)

    def forget(self, op_id: int) -> None:
        """Nobody waits for ``op_id`` any more."""
        self._operations.pop(op_id)

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the port."""
        self._bytes += len(data)
        self.link.receive(data, now)
        self._take_events(now)

    def on_timer(self, now: float) -> None:
        """Let time pass: a lost link, commands that take too long."""
        self.link.on_timer(now)
        self._take_events(now)
        for op_id, error in self._operations.overdue(now):
            self._finish(op_id, error, now)

    def next_timer(self) -> float | None:
        """When to call ``on_timer`` and ``data_to_send`` next."""
        times = (self.link.next_timer(), self._operations.next_timer())
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
                    self._on_message(message, now)
                case Connected():
                    pass
                case Lost(reason):
                    # A board that has restarted or ended the session is still there; for all else the port
                    # is opened anew: it may be another.
                    self.reopen = self.reopen or reason not in (LostReason.RESTARTED, LostReason.ENDED)
                    self._down(self._explain(reason), now)

    def _explain(self, reason: LostReason) -> LinkLost:
        """Say what came since the port was opened, where that was nothing of a board."""
        before, stats = self._before, self.link.stats
        if self._bytes and stats.frames_received == before.frames_received:
            return NoValidFrame(self._bytes, stats.bad_frames - before.bad_frames)
        return LinkLost(reason.value)

    def _on_message(self, data: bytes, now: float) -> None:
        if self._refused:
            return
        try:
            message = decode_from_board(data)
        except MalformedMessage:
            self.malformed += 1  # a newer board may report what this version does not know
            return
        if isinstance(message, Notice):
            self._on_notice(message, now)
        else:
            self._on_answer(message, now)

    def _on_notice(self, notice: Notice, now: float) -> None:
        if isinstance(notice.report, Booted):
            self._on_booted(notice.report, notice.number, now)
        elif self._ready and is_readable(notice.report, self.read_only):
            wanted = self._operations.waits_for(GetDictionary)
            for report in self._catch_up.taken(notice, entries_wanted=wanted):
                self._on_report(report, now)

    def _on_report(self, report: Report, now: float) -> None:
        match report:
            case StateChanged(Region.LOWER, state) | Status(lower=state):
                self._on_lower(state, now)
        self._outcomes.append(report)

    def _on_lower(self, state: State, now: float) -> None:
        """The time of a cycle stands while it is paused."""
        if state is State.TOPUP_PAUSED:
            self._operations.cycle_paused(now)
        else:
            self._operations.cycle_resumed(now)

    def _on_booted(self, booted: Booted, number: int, now: float) -> None:
        if self.uid not in (None, booted.uid):
            self._refuse(booted.uid, self.uid or 0, now)
            return
        self.identity = booted
        self.uid = self.uid or booted.uid or None
        self.read_only = version_trouble(booted, self.link.peer_version)
        self._ready = True
        self._told.clear()
        self._outcomes.append(booted)
        self._resume(booted, now)
        self._ask(self._catch_up.booted(booted, number, can_ask=self.read_only is None), now)

    def _refuse(self, found: int, expected: int, now: float) -> None:
        """Leave a board alone that is another table's."""
        self._refused = self.reopen = True
        self.link.close()
        self._down(WrongBoard(found, expected), now)

    def _resume(self, booted: Booted, now: float) -> None:
        again, lost = self._operations.link_up(booted.boot_id)
        for op_id, error in lost:
            self._finish(op_id, error, now)
        for op_id, command in again:
            self._send(op_id, command)

    def _on_answer(self, answer: Answer, now: float) -> None:
        match answer:
            case Done(op_id):
                self._finish(op_id, answer, now)
            case Rejected(op_id, reason):
                self._finish(op_id, CommandRefused(reason), now)
            case Failed(op_id):
                told = self._catch_up.failed(answer)
                self._finish(op_id, CommandFailed(told.cause, told.fault), now)
            case Accepted():
                pass

    def _finish(self, op_id: int, result: Done | BoardError, now: float) -> None:
        operation = self._operations.pop(op_id)
        if operation is None:
            return
        if operation.own:
            self._ask(self._catch_up.ended(operation.command, result), now)
        else:
            self._outcomes.append(Finished(op_id, result))

    # ---- sending -------------------------------------------------------------------------------------

    def _ask(self, commands: list[Command], now: float) -> None:
        """Send what the host wants to know itself; where there is no room it does without."""
        for command in commands:
            try:
                self._give(command, now + limit_s(command), own=True)
            except LinkFull:
                self._catch_up.ended(command, LinkLost("no room"))

    def _give(self, command: Command, deadline: float, *, own: bool = False) -> int:
        op_id = self._next_op_id
        self._send(op_id, command)
        self._next_op_id = (op_id + 1) % OP_IDS
        boot_id = self.link.boot_id if self.identity is None else self.identity.boot_id
        self._operations.add(op_id, Operation(command, boot_id, deadline, own))
        return op_id

    def _send(self, op_id: int, command: Command) -> None:
        self.link.send(encode(Request(op_id, command)), urgent=isinstance(command, Stop))

    def _down(self, error: LinkLost, now: float) -> None:
        self.error = error
        was_ready, self._ready = self._ready, False
        self._operations.link_down(now)
        if was_ready or type(error) not in self._told:
            self._outcomes.append(Disconnected(error.reason, error.loss))
        self._told.add(type(error))
