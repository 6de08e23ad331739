"""What can go wrong with a board, as seen by those who use it. Pure."""

from firmware_bridge.faults import FaultCode, UnknownFault, words
from firmware_bridge.states import FailCause, Loss, RejectReason


class BoardError(Exception):
    """Parent of all errors of this package."""


class MalformedMessage(BoardError):
    """Bytes are no message of this protocol, or a message's field is out of its range."""


class BadUrl(BoardError):
    """A board's address is of no known kind, or the USB backend named for it can't be used."""


class PortUnavailable(BoardError):
    """A port could not be opened; the text says which and why."""


class PortBusy(PortUnavailable):
    """Another program holds the port; the text says which, where that is known."""


class PortFull(BoardError):
    """A port's queue has no room because the peer does not read."""


class LinkFull(BoardError):
    """Too many messages wait for the other side of a link."""


class WrongVersion(BoardError):
    """The board speaks another major version of the protocol; nothing is moved on it.

    ``zh``: the same in Chinese. ``board``, ``host``: the versions, major and minor.
    """

    def __init__(self, board: tuple[int, int], host: tuple[int, int]) -> None:
        older = "the board's firmware" if board < host else "this program"
        super().__init__(
            f"board speaks protocol {board[0]}.{board[1]}, this program {host[0]}.{host[1]}: update {older}"
        )
        versions = f"控制板协议 {board[0]}.{board[1]}，本程序 {host[0]}.{host[1]}"
        self.zh = f"{versions}：请升级{'控制板固件' if board < host else '本程序'}，在此之前只显示状态"
        self.board = board
        self.host = host


class LinkLost(BoardError):
    """The board does not answer, has restarted, or its port is gone.

    Whether a command that was under way has moved the machine is not known then. ``reason`` says why in
    words, ``loss`` for programs.
    """

    def __init__(self, reason: str, loss: Loss = Loss.LINK) -> None:
        super().__init__(f"link to the board lost: {reason}")
        self.reason = reason
        self.loss = loss


class PortHeld(LinkLost):
    """Another program holds the board's port."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, Loss.HELD)


class WrongBoard(LinkLost):
    """Another board than the expected one answers; nothing is moved on it. Numbers are the boards' uids."""

    def __init__(self, found: int, expected: int) -> None:
        super().__init__(
            f"another board answers (uid 0x{found:08x}, expected 0x{expected:08x}): "
            "is its cable plugged into another table's port?",
            Loss.WRONG_BOARD,
        )
        self.found = found
        self.expected = expected


class NoValidFrame(LinkLost):
    """Bytes come, and none of them is a frame: another baud rate, or no board of this kind."""

    def __init__(self, received: int, crc_errors: int) -> None:
        super().__init__(
            f"no valid frame, {received} bytes, {crc_errors} CRC errors (another baud rate or device?)",
            Loss.NOISE,
        )
        self.received = received
        self.crc_errors = crc_errors


class CommandRefused(BoardError):
    """The board did not begin the command; nothing has moved."""

    def __init__(self, reason: RejectReason) -> None:
        super().__init__(f"board refuses: {reason.name}")
        self.reason = reason


class NotSupported(BoardError):
    """This board does not know the command, so that it was not sent; nothing has moved."""


class CommandFailed(BoardError):
    """The board began the command and could not finish it; the machine may have moved."""

    def __init__(self, cause: FailCause, fault: FaultCode | UnknownFault = FaultCode.NONE) -> None:
        text = words(fault).en if int(fault) else cause.name
        super().__init__(f"board failed: {text}" + (f" ({fault.label})" if int(fault) else ""))
        self.cause = cause
        self.fault = fault
