"""What host and board say to each other: commands, answers and reports, with one table of opcodes. Pure.

A command gets three answers: the link's ACK (the frame arrived), ``Accepted`` or ``Rejected`` (the board
begins, or nothing moves), and after ``Accepted`` one of ``Done`` and ``Failed``. Reports come unasked.
How the fields become bytes stands in :mod:`firmware_bridge.encoding`; this file is the vocabulary.
"""

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Final

from firmware_bridge.faults import FaultCode
from firmware_bridge.states import (
    Buzz,
    Capability,
    FailCause,
    Key,
    Lamp,
    Profile,
    Region,
    RejectReason,
    ResetCause,
    Severity,
    State,
)

PROTOCOL: Final = (1, 0)
"""Major and minor version. Hosts move nothing on a board of another major version."""

Four = tuple[int, int, int, int]


# ---- commands ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenHatch:
    """Raise the centre so that tiles can be pushed in. Done when it is open."""


@dataclass(frozen=True, slots=True)
class CloseHatch:
    """Lower the centre. Done when it is closed."""


@dataclass(frozen=True, slots=True)
class StartCycle:
    """Close the hatch, lower the carriers, shuffle and build walls below. Done when all walls are staged.

    ``stacks``: stacks of two tiles for seats 0..3; twice their sum is the number of tiles expected.
    """

    stacks: Four = (17, 17, 17, 17)


@dataclass(frozen=True, slots=True)
class RaiseWalls:
    """Lift the staged walls to the table top. Done when they are up."""


@dataclass(frozen=True, slots=True)
class LowerWalls:
    """Lower the (empty) carriers. Done when they are down."""


@dataclass(frozen=True, slots=True)
class RollDice:
    """Roll one or two dice. Done when they lie still; ``DiceRolled`` tells the values."""

    count: int = 2


@dataclass(frozen=True, slots=True)
class Lamps:
    """Set the ready lamp and the four seat lamps, and sound the buzzer once."""

    ready: Lamp = Lamp.OFF
    seats: tuple[Lamp, Lamp, Lamp, Lamp] = (Lamp.OFF, Lamp.OFF, Lamp.OFF, Lamp.OFF)
    buzz: Buzz = Buzz.NONE


@dataclass(frozen=True, slots=True)
class GetStatus:
    """Ask for a ``Status`` report; it comes before Done."""


@dataclass(frozen=True, slots=True)
class GetCounters:
    """Ask for a ``Counters`` report; it comes before Done."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Protective stop: every motion ends now. Accepted in every state."""


@dataclass(frozen=True, slots=True)
class ClearStop:
    """Leave the protective stop. Accepted only after a key was pressed at the table since the stop."""


Command = (
    OpenHatch
    | CloseHatch
    | StartCycle
    | RaiseWalls
    | LowerWalls
    | RollDice
    | Lamps
    | GetStatus
    | GetCounters
    | Stop
    | ClearStop
)


@dataclass(frozen=True, slots=True)
class Request:
    """A command under its ``op_id`` (0..2**32-1). The board executes an op_id once until its next boot."""

    op_id: int
    command: Command


# ---- answers -----------------------------------------------------------------------------------------


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
    fault: FaultCode = FaultCode.NONE


Answer = Accepted | Rejected | Done | Failed


# ---- reports -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Booted:
    """Who the board is: the first report after every connection.

    A ``boot_id`` other than the last one says that the board has restarted since. ``uid`` is the board's own
    32-bit number, ``cause`` the reason of its last start, ``firmware`` its version text.
    """

    boot_id: int
    cause: ResetCause
    protocol: tuple[int, int]
    profile: Profile
    capabilities: Capability
    uid: int
    firmware: str


@dataclass(frozen=True, slots=True)
class Status:
    """State of every region at one moment; ``staged``: tiles ready below on sides 0..3."""

    safety: State
    hatch: State
    walls: State
    lower: State
    dice: State
    staged: Four
    cycles: int


@dataclass(frozen=True, slots=True)
class StateChanged:
    """A region has entered ``state``; ``region`` is always ``state.region``."""

    region: Region
    state: State


@dataclass(frozen=True, slots=True)
class TileCount:
    """While sorting: side 0..3 holds ``n`` of ``target`` tiles."""

    side: int
    n: int
    target: int


@dataclass(frozen=True, slots=True)
class CycleDone:
    """All walls are staged: the board's ``cycle_id``, tiles on sides 0..3, duration in milliseconds."""

    cycle_id: int
    counts: Four
    ms: int


@dataclass(frozen=True, slots=True)
class WallsUp:
    """The walls stand on the table: tiles on sides 0..3."""

    counts: Four


@dataclass(frozen=True, slots=True)
class DiceRolled:
    """The dice lie still: one or two values 1..6."""

    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A key went down at seat 0..3 (the console's lift keys report the seat they stand beside)."""

    key: Key
    seat: int


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault has come up. ``side`` 0..3 where one side is meant; ``evidence``: a number for technicians."""

    code: FaultCode
    severity: Severity
    side: int | None = None
    evidence: int = 0


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """A fault is gone."""

    code: FaultCode


@dataclass(frozen=True, slots=True)
class Counters:
    """Since the board was made: cycles, hatch openings, wall lifts, dice rolls, motor seconds, faults."""

    cycles: int
    openings: int
    lifts: int
    rolls: int
    motor_s: int
    faults: int


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The link is gone (made by the host, never on the wire); ``Booted`` follows when it is back."""

    reason: str


Report = (
    Booted
    | Status
    | StateChanged
    | TileCount
    | CycleDone
    | WallsUp
    | DiceRolled
    | KeyPressed
    | Fault
    | FaultCleared
    | Counters
    | Disconnected
)


@dataclass(frozen=True, slots=True)
class Notice:
    """A report as it travels: its number (from 1 since boot) and the board's clock, ms since boot."""

    number: int
    at_ms: int
    report: Report


FromHost = Request
FromBoard = Answer | Notice
Message = FromHost | FromBoard


# ---- the table ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Field:
    """One field on the wire.

    ``wire``: u8, u16 or u32 (little-endian), ``xN`` after it for exactly N of them, ``x*`` for as many as
    are left, or ``text`` (UTF-8 to the end of the message). ``kind`` makes the number an enumeration
    member. ``low..high``: allowed values (of a text: its length in bytes). ``absent``: the number that
    stands for None.
    """

    name: str
    wire: str
    meaning: str
    kind: type[IntEnum] | type[IntFlag] | None = None
    low: int = 0
    high: int | None = None
    absent: int | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """One kind of message: its class and fields in order; commands also have the longest time to Done."""

    cls: type
    fields: tuple[Field, ...] = ()
    limit_s: float = 0.0


_CYCLES = Field("cycles", "u32", "cycles since the board was made")

COMMANDS: Final[dict[int, Layout]] = {
    0x01: Layout(OpenHatch, limit_s=15.0),
    0x02: Layout(CloseHatch, limit_s=15.0),
    0x03: Layout(
        StartCycle, (Field("stacks", "u8x4", "stacks for seats 0..3", low=0, high=20),), limit_s=300.0
    ),
    0x04: Layout(RaiseWalls, limit_s=20.0),
    0x05: Layout(LowerWalls, limit_s=20.0),
    0x06: Layout(RollDice, (Field("count", "u8", "number of dice", low=1, high=2),), limit_s=20.0),
    0x07: Layout(
        Lamps,
        (
            Field("ready", "u8", "ready lamp", Lamp),
            Field("seats", "u8x4", "lamps of seats 0..3", Lamp),
            Field("buzz", "u8", "buzzer, once", Buzz),
        ),
        limit_s=5.0,
    ),
    0x08: Layout(GetStatus, limit_s=5.0),
    0x09: Layout(GetCounters, limit_s=5.0),
    0x10: Layout(Stop, limit_s=5.0),
    0x11: Layout(ClearStop, limit_s=5.0),
}
"""Opcodes of commands: opcode u8, op_id u32, then the fields."""

ANSWERS: Final[dict[int, Layout]] = {
    0x40: Layout(Accepted),
    0x41: Layout(Rejected, (Field("reason", "u8", "why nothing moves", RejectReason),)),
    0x42: Layout(Done),
    0x43: Layout(
        Failed,
        (
            Field("cause", "u8", "why it ended early", FailCause),
            Field("fault", "u16", "the fault, 0 where none", FaultCode),
        ),
    ),
}
"""Opcodes of answers: opcode u8, op_id u32, then the fields."""

REPORTS: Final[dict[int, Layout]] = {
    0x80: Layout(
        Booted,
        (
            Field("boot_id", "u32", "number of this boot, another at every start"),
            Field("cause", "u8", "why the firmware started", ResetCause),
            Field("protocol", "u8x2", "protocol version: major, minor"),
            Field("profile", "u8", "kind of machine", Profile),
            Field("capabilities", "u16", "what the board can do, bits", Capability),
            Field("uid", "u32", "the board's own number"),
            Field("firmware", "text", "version of the firmware", high=20),
        ),
    ),
    0x81: Layout(
        Status,
        (
            Field("safety", "u8", "state of the safety region", State),
            Field("hatch", "u8", "state of the hatch", State),
            Field("walls", "u8", "state of the wall carriers", State),
            Field("lower", "u8", "state of the lower half", State),
            Field("dice", "u8", "state of the dice", State),
            Field("staged", "u8x4", "tiles staged on sides 0..3"),
            _CYCLES,
        ),
    ),
    0x82: Layout(
        StateChanged,
        (Field("region", "u8", "which region", Region), Field("state", "u8", "its new state", State)),
    ),
    0x83: Layout(
        TileCount,
        (
            Field("side", "u8", "side", high=3),
            Field("n", "u8", "tiles there"),
            Field("target", "u8", "tiles wanted"),
        ),
    ),
    0x84: Layout(
        CycleDone,
        (
            Field("cycle_id", "u32", "the board's number of this cycle"),
            Field("counts", "u8x4", "tiles on sides 0..3"),
            Field("ms", "u32", "duration in milliseconds"),
        ),
    ),
    0x85: Layout(WallsUp, (Field("counts", "u8x4", "tiles on sides 0..3"),)),
    0x86: Layout(DiceRolled, (Field("values", "u8x*", "one or two dice", low=1, high=6),)),
    0x87: Layout(
        KeyPressed, (Field("key", "u8", "which key", Key), Field("seat", "u8", "seat it belongs to", high=3))
    ),
    0x88: Layout(
        Fault,
        (
            Field("code", "u16", "which fault", FaultCode),
            Field("severity", "u8", "what it does to the machine", Severity),
            Field("side", "u8", "side, 255 where none", high=3, absent=255),
            Field("evidence", "u16", "a number the code explains"),
        ),
    ),
    0x89: Layout(FaultCleared, (Field("code", "u16", "which fault", FaultCode),)),
    0x8A: Layout(
        Counters,
        (
            _CYCLES,
            Field("openings", "u32", "hatch openings"),
            Field("lifts", "u32", "wall lifts"),
            Field("rolls", "u32", "dice rolls"),
            Field("motor_s", "u32", "seconds of the drum motor"),
            Field("faults", "u32", "faults"),
        ),
    ),
}
"""Opcodes of reports: opcode u8, number u32, milliseconds since boot u32, then the fields."""
