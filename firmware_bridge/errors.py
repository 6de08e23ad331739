"""What can go wrong with a board, as seen by those who use it. Pure."""

from firmware_bridge.faults import FAULTS, FaultCode
from firmware_bridge.states import FailCause, RejectReason


class BoardError(Exception):
    """Parent of all errors of this package."""


class MalformedMessage(BoardError):
    """Bytes are no message of this protocol, or a message's field is out of its range."""


class BadUrl(BoardError):
    """A board's address is neither a path, ``serial://PATH`` nor ``socket://HOST:PORT``."""


class PortUnavailable(BoardError):
    """A port could not be opened; the text says which and why."""


class PortFull(BoardError):
    """A port's queue has no room because the peer does not read."""


class LinkFull(BoardError):
    """Too many messages wait for the other side of a link."""


class WrongVersion(BoardError):
    """The board speaks another major version of the protocol; nothing is moved on it."""

    def __init__(self, board: tuple[int, int], host: tuple[int, int]) -> None:
        older = "the board's firmware" if board < host else "this program"
        super().__init__(
            f"board speaks protocol {board[0]}.{board[1]}, this program {host[0]}.{host[1]}: update {older}"
        )


class LinkLost(BoardError):
    """The board does not answer, has restarted, or its port is gone.

    Whether a command that was under way has moved the machine is not known then.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"link to the board lost: {reason}")
        self.reason = reason


class CommandRefused(BoardError):
    """The board did not begin the command; nothing has moved."""

    def __init__(self, reason: RejectReason) -> None:
        super().__init__(f"board refuses: {reason.name}")
        self.reason = reason


class CommandFailed(BoardError):
    """The board began the command and could not finish it; the machine may have moved."""

    def __init__(self, cause: FailCause, fault: FaultCode = FaultCode.NONE) -> None:
        words = FAULTS[fault].en if fault in FAULTS else cause.name
        super().__init__(f"board failed: {words}" + (f" ({fault.label})" if fault else ""))
        self.cause = cause
        self.fault = fault
