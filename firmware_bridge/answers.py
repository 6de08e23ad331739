"""What a board says to a command. Pure."""

from dataclasses import dataclass

from firmware_bridge.faults import FaultCode, UnknownFault
from firmware_bridge.states import FailCause, RejectReason


@dataclass(frozen=True, slots=True)
class Accepted:
    """The board begins the command."""

    op_id: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """The board does not begin the command; nothing has moved."""

    op_id: int
    reason: RejectReason


@dataclass(frozen=True, slots=True)
class Done:
    """The command has reached its end."""

    op_id: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The command was begun and did not reach its end; ``fault`` names the fault where the cause is one."""

    op_id: int
    cause: FailCause
    fault: FaultCode | UnknownFault = FaultCode.NONE


Answer = Accepted | Rejected | Done | Failed
