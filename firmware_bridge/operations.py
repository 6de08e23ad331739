"""The host's commands that have not ended: how long to wait for each, over a lost link too. Pure."""

from dataclasses import dataclass

from firmware_bridge.errors import BoardError, CommandFailed, LinkLost
from firmware_bridge.messages import Command, StartCycle
from firmware_bridge.states import FailCause


@dataclass(slots=True)
class Operation:
    """A command under way until ``deadline``. ``own``: asked by the host itself, nobody waits for its end."""

    command: Command
    boot_id: int
    deadline: float
    own: bool
    give_up_at: float | None = None


class Operations:
    """All commands under way, by their op_id."""

    def __init__(self, resume_within_s: float) -> None:
        self._resume_within_s = resume_within_s
        self._under_way: dict[int, Operation] = {}
        self._paused_at: float | None = None

    def add(self, op_id: int, operation: Operation) -> None:
        """The command of ``operation`` was sent under ``op_id``."""
        self._under_way[op_id] = operation

    def pop(self, op_id: int) -> Operation | None:
        """The operation ``op_id``, which has ended; None where nobody waits for it."""
        return self._under_way.pop(op_id, None)

    def waits_for(self, kind: type[Command]) -> bool:
        """Whether somebody other than the host itself waits for a command of this kind."""
        return any(isinstance(one.command, kind) and not one.own for one in self._under_way.values())

    def link_down(self, now: float) -> None:
        """The link is gone: wait a while for the board; what the host asked for itself it asks anew."""
        for op_id, operation in list(self._under_way.items()):
            if operation.own:
                del self._under_way[op_id]
            elif operation.give_up_at is None:
                operation.give_up_at = now + self._resume_within_s

    def link_up(self, boot_id: int) -> tuple[list[tuple[int, Command]], list[tuple[int, BoardError]]]:
        """The board is back: what to send again under its old op_id, and what ends as a restart ended it."""
        again: list[tuple[int, Command]] = []
        lost: list[tuple[int, BoardError]] = []
        for op_id, operation in self._under_way.items():
            if operation.boot_id != boot_id:
                lost.append((op_id, LinkLost("the board has restarted")))
            elif operation.give_up_at is not None:
                operation.give_up_at = None
                again.append((op_id, operation.command))
        return again, lost

    def cycle_paused(self, now: float) -> None:
        """The cycle stands for a top-up: its time stands too."""
        if self._paused_at is None:
            self._paused_at = now

    def cycle_resumed(self, now: float) -> None:
        """The cycle goes on, or has ended."""
        if self._paused_at is not None:
            for operation in self._cycles():
                operation.deadline += now - self._paused_at
            self._paused_at = None

    def overdue(self, now: float) -> list[tuple[int, BoardError]]:
        """Operations that take too long, and the error each ends with."""
        ended: list[tuple[int, BoardError]] = []
        for op_id, operation in self._under_way.items():
            if operation.give_up_at is not None and now >= operation.give_up_at:
                ended.append((op_id, LinkLost("the board did not come back in time")))
            elif now >= operation.deadline and not self._stands(operation):
                ended.append((op_id, CommandFailed(FailCause.NO_ANSWER)))
        return ended

    def next_timer(self) -> float | None:
        """When something may be overdue next."""
        deadlines = [one.deadline for one in self._under_way.values() if not self._stands(one)]
        give_ups = [one.give_up_at for one in self._under_way.values() if one.give_up_at is not None]
        return min([*deadlines, *give_ups], default=None)

    def _stands(self, operation: Operation) -> bool:
        return self._paused_at is not None and isinstance(operation.command, StartCycle)

    def _cycles(self) -> list[Operation]:
        return [one for one in self._under_way.values() if isinstance(one.command, StartCycle)]
