"""Firmware of other protocol versions: the link of this version with the messages of that one. Pure."""

from typing import Final

from firmware_bridge.encoding import SIZES
from firmware_bridge.errors import MalformedMessage
from firmware_bridge.layouts import ANSWERS, COMMANDS, REPORTS, Layout
from firmware_bridge.link import Link, LinkEvent, Received, Role, Timing
from firmware_bridge.messages import PROTOCOL, Booted, Counters, GetStatus, StartCycle, Status, Stop
from firmware_bridge.states import Capability

NOTICE_HEAD: Final = 9
REQUEST_HEAD: Final = 5
NO_COMMAND: Final = 0x3F
"""An opcode that no version uses for a command."""

NEWEST_OF_1_0: Final = next(opcode for opcode, layout in REPORTS.items() if layout.cls is Counters)
"""Reports were numbered in the order in which they came."""

FIRST_CAPABILITIES: Final = Capability.DICE | Capability.SEAT_KEYS | Capability.LAMPS | Capability.COUNTERS
"""All that 1.0 knew."""

FOR_EVER: Final = frozenset(
    {*ANSWERS, *(code for code, row in REPORTS.items() if row.cls in {Booted, Status})}
)
"""What a board of any major version says in the same way."""


def link_for(version: tuple[int, int], boot_id: int, timing: Timing | None) -> Link:
    """A board's link over which it speaks ``version``."""
    if version == PROTOCOL:
        return Link(Role.BOARD, boot_id=boot_id, timing=timing)
    kind = OldLink if version[0] == PROTOCOL[0] else OtherLink
    return kind(Role.BOARD, boot_id=boot_id, timing=timing)


class OldLink(Link):
    """A board of protocol 1.0: it says nothing that came later and understands nothing that came later."""

    _reports = 0

    def send(self, message: bytes, *, urgent: bool = False) -> None:
        """Leave out reports and fields that are newer."""
        if self._says(message[0]):
            super().send(self._numbered(_shortened(message)), urgent=urgent)

    def events(self) -> list[LinkEvent]:
        """As always; what the board does not understand is an opcode it does not know."""
        return [
            Received(self._heard(one.message)) if isinstance(one, Received) else one
            for one in super().events()
        ]

    def _numbered(self, message: bytes) -> bytes:
        """What is left out has no number."""
        if message[0] in ANSWERS:
            return message
        self._reports += 1
        return message[:1] + self._reports.to_bytes(4, "little") + message[5:]

    def _says(self, opcode: int) -> bool:
        return opcode <= NEWEST_OF_1_0

    def _heard(self, message: bytes) -> bytes:
        layout = COMMANDS.get(message[0])
        if layout is None or (layout.since == 0 and not _is_as_set(layout, message)):
            return message
        return bytes((NO_COMMAND,)) + message[1:]


class OtherLink(OldLink):
    """A board of another major version: only what is the same for ever means anything."""

    def _says(self, opcode: int) -> bool:
        return opcode in FOR_EVER

    def _heard(self, message: bytes) -> bytes:
        layout = COMMANDS.get(message[0])
        known = layout is not None and layout.cls in {GetStatus, Stop}
        return message if known else bytes((NO_COMMAND,)) + message[1:]


def _is_as_set(layout: Layout, message: bytes) -> bool:
    fields = message[REQUEST_HEAD:]
    return layout.cls is StartCycle and len(fields) >= 4 and not any(fields[:4])


def _shortened(message: bytes) -> bytes:
    """The message without the fields that were appended later."""
    layout = REPORTS.get(message[0])
    if layout is None or all(field.default is None for field in layout.fields):
        return message
    size = NOTICE_HEAD
    for field in layout.fields:
        if field.default is not None:
            break
        integer, _, count = field.wire.partition("x")
        if integer not in SIZES or count == "*":
            raise MalformedMessage(f"{field.name}: no field can be appended after it")
        size += SIZES[integer] * int(count or 1)
    return message[:size]
