"""What a host may ask of a board of another version or with other capabilities. Pure."""

from typing import Final

from firmware_bridge.encoding import layout_of
from firmware_bridge.errors import NotSupported, WrongVersion
from firmware_bridge.link import VERSION
from firmware_bridge.messages import PROTOCOL, Booted, Command, GetStatus, Report, StartCycle, Status, Stop

FOR_EVER: Final = (GetStatus, Stop)
"""Commands that are the same in all major versions."""

READABLE: Final = (Booted, Status)
"""Reports that are the same in all major versions."""


def is_readable(report: Report, trouble: WrongVersion | None) -> bool:
    """Whether ``report`` means what this version thinks it means."""
    return trouble is None or isinstance(report, READABLE)


def version_trouble(board: Booted, link_version: tuple[int, int]) -> WrongVersion | None:
    """Why ``board`` can only be read: its major version, or its link's, is another one."""
    for other, own in ((board.protocol, PROTOCOL), (link_version, VERSION)):
        if other[0] != own[0]:
            return WrongVersion(other, own)
    return None


def check_supported(command: Command, board: Booted) -> None:
    """Raises NotSupported when ``board`` is too old for ``command`` or lacks what it needs."""
    layout = layout_of(command)
    name = type(command).__name__
    as_set = isinstance(command, StartCycle) and not any(command.stacks)
    since = 1 if as_set else layout.since
    if board.protocol[1] < since:
        words = "StartCycle with stacks of 0" if as_set else name
        raise NotSupported(f"{words} came with protocol 1.{since}, this board speaks {_version(board)}")
    if layout.needs and not layout.needs & board.capabilities:
        wanted = " or ".join(str(bit.name) for bit in layout.needs)
        raise NotSupported(f"{name} needs a board with {wanted}; this one has none of it")


def _version(board: Booted) -> str:
    return ".".join(map(str, board.protocol))
