"""The table of messages: opcode, class and fields of each. Codec and document are made from it. Pure."""

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any, Final

from firmware_bridge import answers, commands, reports
from firmware_bridge.faults import FaultCode, UnknownFault
from firmware_bridge.states import (
    Buzz,
    Capability,
    Entry,
    FailCause,
    Key,
    Lamp,
    Motor,
    Profile,
    Region,
    RejectReason,
    ResetCause,
    Severity,
    State,
    StatusFlag,
)


@dataclass(frozen=True, slots=True)
class Field:
    """One field on the wire.

    ``wire``: u8, u16 or u32 (little-endian), ``xN`` after it for exactly N of them, ``x*`` for as many as
    are left, or ``text`` (UTF-8 to the end of the message). ``kind`` makes the number an enumeration member
    or a bool, several of them bytes; ``unknown`` takes numbers that ``kind`` does not know. ``low..high``:
    allowed values (of a text: its length in bytes). ``most``: how many at most where the wire is ``x*``.
    ``absent``: the number that stands for None. ``default``: the value when an older board's message ends
    before this field; None where every version has it.
    """

    name: str
    wire: str
    meaning: str
    kind: type[IntEnum] | type[IntFlag] | type[bool] | type[bytes] | None = None
    low: int = 0
    high: int | None = None
    most: int | None = None
    absent: int | None = None
    default: Any = None
    unknown: type[UnknownFault] | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """One kind of message: its class and fields in order.

    Commands also have the longest time to Done in seconds, the minor version ``since`` which they exist, and
    the capabilities of which a board ``needs`` one (none: every board).
    """

    cls: type
    fields: tuple[Field, ...] = ()
    limit_s: float = 0.0
    since: int = 0
    needs: Capability = Capability.NONE


_CYCLES = Field("cycles", "u32", "cycles since the board was made")
_FAULT = Field("code", "u16", "which fault", FaultCode, unknown=UnknownFault)
_SEVERITY = Field("severity", "u8", "what it does to the machine", Severity)
_SIDE = Field("side", "u8", "side", high=3)
_FAULT_SIDE = Field("side", "u8", "side, 255 where none", high=3, absent=255)
_EVIDENCE = Field("evidence", "u16", "a number the code explains")
_SEAT = Field("seat", "u8", "seat", high=3)
_KEY = (Field("key", "u8", "which key", Key), Field("seat", "u8", "seat it belongs to", high=3))
_TEST = Field("test", "u8", "number of the test", low=1, high=15)
_ROLL = Field("roll", "u32", "number of the virtual roll since the start")
_CONFIG = (
    Field("tiles", "u8", "tiles of a set"),
    Field("stacks", "u8x4", "stacks for seats 0..3"),
    Field("dealt", "u8", "tiles dealt into each hand"),
)
_ROLLS: Final = Capability.DICE | Capability.VIRTUAL_DICE | Capability.DICE_SPUN

COMMANDS: Final[dict[int, Layout]] = {
    0x01: Layout(commands.OpenHatch, limit_s=15.0),
    0x02: Layout(commands.CloseHatch, limit_s=15.0),
    0x03: Layout(
        commands.StartCycle,
        (Field("stacks", "u8x4", "stacks for seats 0..3", low=0, high=20),),
        limit_s=300.0,
    ),
    0x04: Layout(commands.RaiseWalls, limit_s=20.0),
    0x05: Layout(commands.LowerWalls, limit_s=20.0),
    0x06: Layout(
        commands.RollDice,
        (Field("count", "u8", "number of dice", low=1, high=2),),
        limit_s=20.0,
        needs=_ROLLS,
    ),
    0x07: Layout(
        commands.Lamps,
        (
            Field("ready", "u8", "ready lamp", Lamp),
            Field("seats", "u8x4", "lamps of seats 0..3", Lamp),
            Field("buzz", "u8", "buzzer, once", Buzz),
        ),
        limit_s=5.0,
        needs=Capability.LAMPS,
    ),
    0x08: Layout(commands.GetStatus, limit_s=5.0),
    0x09: Layout(commands.GetCounters, limit_s=5.0, needs=Capability.COUNTERS),
    0x0A: Layout(
        commands.GetReports,
        (Field("first", "u32", "number of the first report wanted"),),
        limit_s=10.0,
        since=1,
        needs=Capability.REPLAY,
    ),
    0x0B: Layout(commands.GetFaults, limit_s=10.0, since=1, needs=Capability.FAULT_LOG),
    0x0C: Layout(
        commands.GetDictionary,
        (
            Field("first", "u16", "index of the first entry wanted"),
            Field("count", "u8", "entries wanted", low=1, high=8),
        ),
        limit_s=5.0,
        since=1,
        needs=Capability.DICTIONARY,
    ),
    0x0D: Layout(commands.SetConfig, _CONFIG, limit_s=5.0, since=1, needs=Capability.CONFIG),
    0x0E: Layout(commands.GetConfig, limit_s=5.0, since=1, needs=Capability.CONFIG),
    0x0F: Layout(commands.GetLink, limit_s=5.0, since=1),
    0x10: Layout(commands.Stop, limit_s=5.0),
    0x11: Layout(commands.ClearStop, limit_s=5.0),
    0x12: Layout(commands.PauseCycle, limit_s=20.0, since=1),
    0x13: Layout(commands.ResumeCycle, limit_s=20.0, since=1),
    0x14: Layout(commands.AbortCycle, limit_s=20.0, since=1),
    0x15: Layout(commands.Home, limit_s=60.0, since=1),
    0x16: Layout(commands.ClearJam, (_SIDE,), limit_s=60.0, since=1),
    0x18: Layout(commands.DiceCommit, limit_s=5.0, since=1, needs=Capability.VIRTUAL_DICE),
    0x19: Layout(
        commands.DiceEntropy,
        (_SEAT, Field("entropy", "u8x16", "the seat's bytes", bytes)),
        limit_s=5.0,
        since=1,
        needs=Capability.VIRTUAL_DICE,
    ),
    0x1A: Layout(commands.DiceReveal, limit_s=5.0, since=1, needs=Capability.VIRTUAL_DICE),
    0x1C: Layout(commands.Lock, limit_s=5.0, since=1, needs=Capability.LOCK),
    0x1D: Layout(commands.Unlock, limit_s=5.0, since=1, needs=Capability.LOCK),
    0x20: Layout(commands.MaintenanceBegin, limit_s=5.0, since=1, needs=Capability.MAINTENANCE),
    0x21: Layout(commands.MaintenanceEnd, limit_s=5.0, since=1, needs=Capability.MAINTENANCE),
    0x22: Layout(
        commands.Jog,
        (
            Field("motor", "u8", "which motor", Motor),
            Field("forward", "u8", "1 forward, 0 back", bool, high=1),
            Field("ms", "u16", "milliseconds", low=1, high=500),
        ),
        limit_s=5.0,
        since=1,
        needs=Capability.MAINTENANCE,
    ),
    0x23: Layout(commands.SelfTest, (_TEST,), limit_s=60.0, since=1, needs=Capability.MAINTENANCE),
    0x24: Layout(
        commands.Lease, (Field("ms", "u16", "milliseconds", low=250, high=3000),), limit_s=5.0, since=1
    ),
}
"""Opcodes of commands: opcode u8, op_id u32, then the fields."""

ANSWERS: Final[dict[int, Layout]] = {
    0x40: Layout(answers.Accepted),
    0x41: Layout(answers.Rejected, (Field("reason", "u8", "why nothing moves", RejectReason),)),
    0x42: Layout(answers.Done),
    0x43: Layout(
        answers.Failed,
        (
            Field("cause", "u8", "why it ended early", FailCause),
            Field("fault", "u16", "the fault, 0 where none", FaultCode, unknown=UnknownFault),
        ),
    ),
}
"""Opcodes of answers: opcode u8, op_id u32, then the fields."""

REPORTS: Final[dict[int, Layout]] = {
    0x80: Layout(
        reports.Booted,
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
        reports.Status,
        (
            Field("safety", "u8", "state of the safety region", State),
            Field("hatch", "u8", "state of the hatch", State),
            Field("walls", "u8", "state of the wall carriers", State),
            Field("lower", "u8", "state of the lower half", State),
            Field("dice", "u8", "state of the dice", State),
            Field("staged", "u8x4", "tiles staged on sides 0..3"),
            _CYCLES,
            Field("flags", "u8", "what else holds, bits", StatusFlag, default=StatusFlag.NONE),
        ),
    ),
    0x82: Layout(
        reports.StateChanged,
        (Field("region", "u8", "which region", Region), Field("state", "u8", "its new state", State)),
    ),
    0x83: Layout(
        reports.TileCount, (_SIDE, Field("n", "u8", "tiles there"), Field("target", "u8", "tiles wanted"))
    ),
    0x84: Layout(
        reports.CycleDone,
        (
            Field("cycle_id", "u32", "the board's number of this cycle"),
            Field("counts", "u8x4", "tiles on sides 0..3"),
            Field("ms", "u32", "duration in milliseconds"),
        ),
    ),
    0x85: Layout(reports.WallsUp, (Field("counts", "u8x4", "tiles on sides 0..3"),)),
    0x86: Layout(
        reports.DiceRolled, (Field("values", "u8x*", "none, one or two dice", low=1, high=6, most=2),)
    ),
    0x87: Layout(reports.KeyPressed, _KEY),
    0x88: Layout(reports.Fault, (_FAULT, _SEVERITY, _FAULT_SIDE, _EVIDENCE)),
    0x89: Layout(reports.FaultCleared, (_FAULT,)),
    0x8A: Layout(
        reports.Counters,
        (
            _CYCLES,
            Field("openings", "u32", "hatch openings"),
            Field("lifts", "u32", "wall lifts"),
            Field("rolls", "u32", "dice rolls"),
            Field("motor_s", "u32", "seconds of the drum motor"),
            Field("faults", "u32", "faults"),
            Field("jams", "u16x4", "jams of sides 0..3", default=(0, 0, 0, 0)),
            Field("last_cycle_ms", "u32", "duration of the last whole cycle, ms", default=0),
            Field("boots", "u32", "starts of the firmware", default=0),
        ),
    ),
    0x8B: Layout(reports.ReportsLost, (Field("first", "u32", "number of the oldest report kept"),)),
    0x8C: Layout(
        reports.FaultRecord,
        (
            Field("boot_id", "u32", "boot in which it came up"),
            Field("at_ms", "u32", "when, on that boot's clock"),
            _FAULT,
            _SEVERITY,
            _FAULT_SIDE,
            _EVIDENCE,
            Field("cleared", "u8", "1 when it is gone", bool, high=1),
        ),
    ),
    0x8D: Layout(
        reports.DictionaryEntry,
        (
            Field("index", "u16", "number of this entry, from 0"),
            Field("entries", "u16", "number of all entries"),
            Field("kind", "u8", "what the code is", Entry),
            Field("code", "u16", "opcode or fault code"),
            Field("text", "text", "name or words", high=32),
        ),
    ),
    0x8E: Layout(
        reports.Config,
        (
            *_CONFIG,
            Field("pending", "u8", "0 in force, 1 waits for the next sorting", bool, high=1),
            Field("crc", "u32", "CRC-32 of tiles, stacks and dealt (six bytes)"),
        ),
    ),
    0x8F: Layout(reports.ConfigApplied, _CONFIG),
    0x91: Layout(
        reports.SideDone,
        (_SIDE, Field("n", "u8", "tiles there"), Field("ms", "u32", "milliseconds since sorting began")),
    ),
    0x92: Layout(reports.KeyReleased, _KEY),
    0x93: Layout(
        reports.Travel,
        (
            Field("region", "u8", "HATCH or WALLS", Region),
            Field("ms", "u16", "milliseconds of this travel"),
            Field("bound_ms", "u16", "milliseconds beyond which it is slow"),
        ),
    ),
    0x94: Layout(reports.DiceCommitted, (_ROLL, Field("digest", "u8x32", "SHA-256 of the seed", bytes))),
    0x95: Layout(reports.DiceRevealed, (_ROLL, Field("seed", "u8x32", "the seed", bytes))),
    0x96: Layout(
        reports.SelfTestResult,
        (
            _TEST,
            Field("passed", "u8", "1 passed, 0 failed", bool, high=1),
            Field("evidence", "u16", "a number the test explains"),
        ),
    ),
    0x97: Layout(
        reports.LinkCounts,
        (
            Field("sent", "u32", "frames sent"),
            Field("retransmitted", "u32", "messages sent again"),
            Field("received", "u32", "good frames received"),
            Field("damaged", "u32", "damaged frames received"),
        ),
    ),
}
"""Opcodes of reports: opcode u8, number u32, milliseconds since boot u32, then the fields."""
