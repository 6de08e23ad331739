"""What a board keeps over restarts: counts, settings, the lock, the fault log, learnt travels. Pure."""

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Final

from firmware_bridge.faults import FaultCode
from firmware_bridge.reports import Counters, Fault, FaultRecord
from firmware_bridge.states import State
from hardware_sim.mechanics_profiles import Settings

LOGGED: Final = 16
"""Faults in the log."""

LEARNT_FROM: Final = 5
"""So many travels before the board trusts them more than the maker's time ..."""
TRAVELS: Final = 20
"""... of which it remembers so many."""
BOUND: Final = 1.5
"""A travel of more than so many usual ones is slow."""

JAMS: Final = frozenset(
    {
        FaultCode.FED_01,
        FaultCode.HED_01,
        FaultCode.HED_02,
        FaultCode.HED_04,
        FaultCode.CHN_02,
        FaultCode.PSH_01,
    }
)
"""Faults that count as a jam of their side."""


@dataclass(slots=True)
class Memory:
    """All of it; times are seconds of a real machine.

    ``settings``: in force; ``pending``: from the next sorting on; ``damaged``: what is stored adds up to
    nothing.
    """

    settings: Settings
    pending: Settings | None = None
    damaged: bool = False
    locked: bool = False
    cycles: int = 0
    openings: int = 0
    lifts: int = 0
    rolls: int = 0
    faults: int = 0
    boots: int = 0
    motor_s: float = 0.0
    last_cycle_ms: int = 0
    jams: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    log: deque[FaultRecord] = field(default_factory=lambda: deque(maxlen=LOGGED))
    travels: dict[State, deque[float]] = field(default_factory=dict)

    def counters(self) -> Counters:
        """As GetCounters tells it."""
        a, b, c, d = self.jams
        return Counters(
            self.cycles,
            self.openings,
            self.lifts,
            self.rolls,
            int(self.motor_s),
            self.faults,
            (a, b, c, d),
            self.last_cycle_ms,
            self.boots,
        )

    def note_fault(self, fault: Fault, boot_id: int, at_ms: int) -> None:
        """A fault has come up."""
        self.faults += 1
        if fault.code in JAMS:
            self.jams[fault.side or 0] += 1
        self.log.append(
            FaultRecord(boot_id, at_ms, fault.code, fault.severity, fault.side, fault.evidence, cleared=False)
        )

    def note_cleared(self, code: FaultCode) -> None:
        """A fault has gone."""
        for at, record in enumerate(self.log):
            if record.code is code:
                self.log[at] = replace(record, cleared=True)

    def bound_s(self, goal: State, usual_s: float) -> float:
        """Beyond how many seconds a travel to ``goal`` is slow."""
        learnt = self.travels.get(goal, ())
        mean = sum(learnt) / len(learnt) if len(learnt) >= LEARNT_FROM else usual_s
        return BOUND * mean

    def note_travel(self, goal: State, took_s: float) -> None:
        """Learn from a travel that was as it should be."""
        self.travels.setdefault(goal, deque(maxlen=TRAVELS)).append(took_s)
