"""Watches the states the board tells of, and what must hold always. Pure."""

from collections.abc import Iterator
from typing import Final

from firmware_bridge.conformance.requirement import Requirement
from firmware_bridge.conformance.watched import Broken
from firmware_bridge.faults import FAULTS, FaultCode
from firmware_bridge.messages import (
    Booted,
    Fault,
    FaultCleared,
    Report,
    SideDone,
    StateChanged,
    Status,
    TileCount,
)
from firmware_bridge.states import Region, State

MACHINE_RULES: Final = (
    Requirement(id="STATE-01", title="StateChanged names the state's own region", section="7"),
    Requirement(id="STATE-02", title="StateChanged comes for changes only", section="7"),
    Requirement(id="STATE-03", title="Status agrees with the changes that were told", section="7"),
    Requirement(id="STATE-04", title="nothing below turns while the hatch is not closed", section="8"),
    Requirement(
        id="STATE-05", title="walls rise only from STAGED or OVER with the hatch closed", section="8"
    ),
    Requirement(id="STATE-06", title="hatch and carriers do not move at the same time", section="8"),
    Requirement(id="FAULT-01", title="a fault has the severity of the table", section="13"),
    Requirement(id="FAULT-02", title="a fault stands once, and is cleared when it stood", section="13"),
)

HATCH_MOVES: Final = frozenset({State.HATCH_OPENING, State.HATCH_CLOSING})
WALLS_MOVE: Final = frozenset({State.WALLS_RAISING, State.WALLS_LOWERING})
TURNING: Final = frozenset({State.SORTING, State.CLEARING})
RAISABLE: Final = frozenset({State.STAGED, State.OVER})


class MachineWatch:
    """The states of all regions as they were told last."""

    def __init__(self) -> None:
        self._states: dict[Region, State] = {}
        self._faults: set[int] = set()

    def session_begins(self) -> None:
        """What happened without a session is not known; the hello tells how it stands."""
        self._states.clear()
        self._faults.clear()

    def report(self, report: Report) -> Iterator[Broken]:
        """A new report."""
        match report:
            case Booted():
                self.session_begins()
            case Status():
                yield from self._status(report)
            case StateChanged(region, state):
                yield from self._changed(region, state)
            case TileCount() | SideDone():
                hatch = self._states.get(Region.HATCH, State.HATCH_CLOSED)
                if hatch is not State.HATCH_CLOSED:
                    yield Broken("STATE-04", f"{report} while the hatch is {hatch.name}")
            case Fault():
                yield from self._fault(report)
            case FaultCleared(code):
                # LNK-01 comes and goes while nobody listens.
                if int(code) not in self._faults and code is not FaultCode.LNK_01:
                    yield Broken("FAULT-02", f"{report}: it did not stand")
                self._faults.discard(int(code))

    def _status(self, status: Status) -> Iterator[Broken]:
        told = (status.safety, status.hatch, status.walls, status.lower, status.dice)
        for region, state in zip(Region, told, strict=True):
            known = self._states.get(region, state)
            if state.region is not region:
                yield Broken("STATE-01", f"Status says {state.name} for {region.name}")
            if known is not state:
                yield Broken("STATE-03", f"Status says {state.name}, told before was {known.name}")
            self._states[region] = state

    def _changed(self, region: Region, state: State) -> Iterator[Broken]:
        if state.region is not region:
            yield Broken("STATE-01", f"{state.name} is told for region {region.name}")
            return
        before = dict(self._states)
        if before.get(region) is state:
            yield Broken("STATE-02", f"StateChanged says {state.name} again")
        self._states[region] = state
        hatch = before.get(Region.HATCH, State.HATCH_CLOSED)
        if state in TURNING and hatch is not State.HATCH_CLOSED:
            yield Broken("STATE-04", f"{state.name} while the hatch is {hatch.name}")
        if state is State.WALLS_RAISING:
            lower = before.get(Region.LOWER, State.STAGED)
            if lower not in RAISABLE or hatch is not State.HATCH_CLOSED:
                yield Broken("STATE-05", f"WALLS_RAISING while below is {lower.name}, hatch {hatch.name}")
        moving = {self._states.get(Region.HATCH), self._states.get(Region.WALLS)}
        if moving & HATCH_MOVES and moving & WALLS_MOVE:
            yield Broken("STATE-06", " and ".join(sorted(one.name for one in moving if one)))

    def _fault(self, fault: Fault) -> Iterator[Broken]:
        if isinstance(fault.code, FaultCode) and fault.code in FAULTS:
            severity = FAULTS[fault.code].severity
            if fault.severity is not severity:
                yield Broken("FAULT-01", f"{fault}: expected {severity.name}")
        code = int(fault.code)
        if code in self._faults:
            yield Broken("FAULT-02", f"{fault} stands already")
        self._faults.add(code)
