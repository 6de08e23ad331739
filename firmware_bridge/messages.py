"""The whole vocabulary in one place, and the envelopes it travels in. Pure.

Commands, answers and reports are defined in the modules of these names; how they become bytes stands in
:mod:`firmware_bridge.layouts` and :mod:`firmware_bridge.encoding`.
"""

from dataclasses import dataclass
from typing import Final

from firmware_bridge.answers import Accepted, Answer, Done, Failed, Rejected
from firmware_bridge.commands import (
    AbortCycle,
    ClearJam,
    ClearStop,
    CloseHatch,
    Command,
    DiceCommit,
    DiceEntropy,
    DiceReveal,
    Four,
    GetConfig,
    GetCounters,
    GetDictionary,
    GetFaults,
    GetLink,
    GetReports,
    GetStatus,
    Home,
    Jog,
    Lamps,
    Lease,
    Lock,
    LowerWalls,
    MaintenanceBegin,
    MaintenanceEnd,
    OpenHatch,
    PauseCycle,
    RaiseWalls,
    ResumeCycle,
    RollDice,
    SelfTest,
    SetConfig,
    StartCycle,
    Stop,
    Unlock,
)
from firmware_bridge.reports import (
    Booted,
    Config,
    ConfigApplied,
    Counters,
    CycleDone,
    DiceCommitted,
    DiceRevealed,
    DiceRolled,
    DictionaryEntry,
    Disconnected,
    Fault,
    FaultCleared,
    FaultRecord,
    KeyPressed,
    KeyReleased,
    LinkCounts,
    Missed,
    Report,
    ReportsLost,
    SelfTestResult,
    SideDone,
    StateChanged,
    Status,
    TileCount,
    Travel,
    WallsUp,
)

__all__ = [
    "PROTOCOL",
    "AbortCycle",
    "Accepted",
    "Answer",
    "Booted",
    "ClearJam",
    "ClearStop",
    "CloseHatch",
    "Command",
    "Config",
    "ConfigApplied",
    "Counters",
    "CycleDone",
    "DiceCommit",
    "DiceCommitted",
    "DiceEntropy",
    "DiceReveal",
    "DiceRevealed",
    "DiceRolled",
    "DictionaryEntry",
    "Disconnected",
    "Done",
    "Failed",
    "Fault",
    "FaultCleared",
    "FaultRecord",
    "Four",
    "FromBoard",
    "FromHost",
    "GetConfig",
    "GetCounters",
    "GetDictionary",
    "GetFaults",
    "GetLink",
    "GetReports",
    "GetStatus",
    "Home",
    "Jog",
    "KeyPressed",
    "KeyReleased",
    "Lamps",
    "Lease",
    "LinkCounts",
    "Lock",
    "LowerWalls",
    "MaintenanceBegin",
    "MaintenanceEnd",
    "Message",
    "Missed",
    "Notice",
    "OpenHatch",
    "PauseCycle",
    "RaiseWalls",
    "Rejected",
    "Report",
    "ReportsLost",
    "Request",
    "ResumeCycle",
    "RollDice",
    "SelfTest",
    "SelfTestResult",
    "SetConfig",
    "SideDone",
    "StartCycle",
    "StateChanged",
    "Status",
    "Stop",
    "TileCount",
    "Travel",
    "Unlock",
    "WallsUp",
]

PROTOCOL: Final = (1, 1)
"""Major and minor version. Hosts move nothing on a board of another major version."""


@dataclass(frozen=True, slots=True)
class Request:
    """A command under its ``op_id`` (0..2**32-1). The board executes an op_id once until its next boot."""

    op_id: int
    command: Command


@dataclass(frozen=True, slots=True)
class Notice:
    """A report as it travels: its number (from 1 since boot) and the board's clock, ms since boot."""

    number: int
    at_ms: int
    report: Report


FromHost = Request
FromBoard = Answer | Notice
Message = FromHost | FromBoard
