"""What a board tells unasked, or because it was asked to: one class per report. Pure."""

from dataclasses import dataclass

from firmware_bridge.commands import Four
from firmware_bridge.faults import FaultCode, UnknownFault
from firmware_bridge.states import (
    Capability,
    Entry,
    Key,
    Loss,
    Profile,
    Region,
    ResetCause,
    Severity,
    State,
    StatusFlag,
)


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
    flags: StatusFlag = StatusFlag.NONE


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
    """The dice lie still: one or two values 1..6; none where a camera reads them."""

    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KeyPressed:
    """A key went down at seat 0..3 (the console's lift keys report the seat they stand beside)."""

    key: Key
    seat: int


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault has come up. ``side`` 0..3 where one side is meant; ``evidence``: a number for technicians."""

    code: FaultCode | UnknownFault
    severity: Severity
    side: int | None = None
    evidence: int = 0


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """A fault is gone."""

    code: FaultCode | UnknownFault


@dataclass(frozen=True, slots=True)
class Counters:
    """Counts since the board was made; ``jams`` of sides 0..3, ``last_cycle_ms`` of the last whole cycle."""

    cycles: int
    openings: int
    lifts: int
    rolls: int
    motor_s: int
    faults: int
    jams: Four = (0, 0, 0, 0)
    last_cycle_ms: int = 0
    boots: int = 0


@dataclass(frozen=True, slots=True)
class ReportsLost:
    """Before the reports sent again: older ones than number ``first`` are no longer kept."""

    first: int


@dataclass(frozen=True, slots=True)
class FaultRecord:
    """One fault of the log: in which boot, when on that boot's clock, and whether it is gone."""

    boot_id: int
    at_ms: int
    code: FaultCode | UnknownFault
    severity: Severity
    side: int | None
    evidence: int
    cleared: bool


@dataclass(frozen=True, slots=True)
class DictionaryEntry:
    """Entry ``index`` of ``entries``: the board's own words for a command, report or fault.

    A fault's text is ``severity|中文|English``. A text that is longer than 32 bytes goes on in the next entry
    with the same kind and code.
    """

    index: int
    entries: int
    kind: Entry
    code: int
    text: str


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration: in force, or ``pending`` until the next sorting begins.

    ``crc``: CRC-32 of the six bytes tiles, stacks, dealt.
    """

    tiles: int
    stacks: Four
    dealt: int
    pending: bool
    crc: int


@dataclass(frozen=True, slots=True)
class ConfigApplied:
    """A configuration is in force from now on."""

    tiles: int
    stacks: Four
    dealt: int


@dataclass(frozen=True, slots=True)
class SideDone:
    """While sorting: side 0..3 is complete with ``n`` tiles, ``ms`` after sorting began."""

    side: int
    n: int
    ms: int


@dataclass(frozen=True, slots=True)
class KeyReleased:
    """A key went up at seat 0..3."""

    key: Key
    seat: int


@dataclass(frozen=True, slots=True)
class Travel:
    """Hatch or carriers took ``ms`` for a whole travel; more than ``bound_ms`` is slow."""

    region: Region
    ms: int
    bound_ms: int


@dataclass(frozen=True, slots=True)
class DiceCommitted:
    """The seed of virtual roll number ``roll`` is drawn; ``digest`` is its SHA-256."""

    roll: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class DiceRevealed:
    """The seed of virtual roll number ``roll``."""

    roll: int
    seed: bytes


@dataclass(frozen=True, slots=True)
class SelfTestResult:
    """How a self test ended; ``evidence``: a number for technicians."""

    test: int
    passed: bool
    evidence: int


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """The board's side of the link since its start: frames sent, sent again, received, damaged."""

    sent: int
    retransmitted: int
    received: int
    damaged: int


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The link is gone (made by the host, never on the wire); ``Booted`` follows when it is back.

    ``reason`` says why in words, ``loss`` for programs.
    """

    reason: str
    loss: Loss = Loss.LINK


@dataclass(frozen=True, slots=True)
class Missed:
    """A report of the time without a link (handed on by the host): its number and the board's clock."""

    number: int
    at_ms: int
    report: "Report"


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
    | ReportsLost
    | FaultRecord
    | DictionaryEntry
    | Config
    | ConfigApplied
    | SideDone
    | KeyReleased
    | Travel
    | DiceCommitted
    | DiceRevealed
    | SelfTestResult
    | LinkCounts
    | Disconnected
    | Missed
)
