"""The upper half of a machine: the hatch in the middle, and the carriers that lift the walls. Pure."""

from dataclasses import dataclass
from typing import Final

from firmware_bridge.faults import FaultCode
from firmware_bridge.reports import Travel, WallsUp
from firmware_bridge.states import Region, State
from hardware_sim.mechanics_machine import EVIDENCE_MAX, STOPPED, Machine
from hardware_sim.mechanics_motion import MotionFails, Steps
from hardware_sim.mechanics_profiles import Detail

BLOCKED_AFTER: Final = 3.0
"""A switch that is not met in so many usual travels is never met."""
SLOW: Final = 2.0
"""How much longer a stiff lift takes."""
BACK_S: Final = 0.2
"""A hatch that has caught something goes back for so long."""
OVERRUN_S: Final = 0.5
"""A lift that does not stop is cut off after so long."""
PINCH_MA: Final = 1800
SWITCH: Final = {State.HATCH_OPEN: 1, State.HATCH_CLOSED: 2, State.WALLS_UP: 3, State.WALLS_DOWN: 4}
"""Numbers of the position switches."""


@dataclass(frozen=True, slots=True)
class Way:
    """A travel: from where, its state meanwhile, and the faults it can end with."""

    start: State
    moving: State
    blocked: FaultCode
    slow: FaultCode


WAYS: Final = {
    State.HATCH_OPEN: Way(State.HATCH_CLOSED, State.HATCH_OPENING, FaultCode.HAT_01, FaultCode.HAT_04),
    State.HATCH_CLOSED: Way(State.HATCH_OPEN, State.HATCH_CLOSING, FaultCode.HAT_02, FaultCode.HAT_04),
    State.WALLS_UP: Way(State.WALLS_DOWN, State.WALLS_RAISING, FaultCode.WAL_01, FaultCode.WAL_04),
    State.WALLS_DOWN: Way(State.WALLS_UP, State.WALLS_LOWERING, FaultCode.WAL_02, FaultCode.WAL_04),
}

HOME_CLEARS: Final = (FaultCode.HAT_01, FaultCode.HAT_02, FaultCode.WAL_01, FaultCode.WAL_02)
"""Faults that are over when Home has got through."""


class Upper:
    """Travels of hatch and carriers, each a motion."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def travel(self, goal: State) -> Steps:
        """Move hatch or carriers to ``goal``; nothing moves when they are there."""
        machine, way = self._machine, WAYS[goal]
        start = machine.states[goal.region]
        if start is goal:
            return
        usual = machine.durations.hatch if goal.region is Region.HATCH else machine.durations.walls
        machine.enter(way.moving)
        yield from self._caught(goal, usual)
        yield from self._blocked(way, usual)
        took = usual * self._stiffness(way)
        yield took
        yield from self._by_time(goal, usual)
        yield from self._overrun(goal)
        self._arrive(goal, took, usual, whole=start is way.start)

    def raise_walls(self) -> Steps:
        """Lift what is staged; carriers that are not down are lowered first."""
        machine = self._machine
        yield from self.travel(State.WALLS_DOWN)
        yield from self.travel(State.WALLS_UP)
        counts = machine.tiles.staged
        machine.tiles.lift()
        machine.enter(machine.rest_below())
        machine.report(WallsUp(counts))

    def home(self) -> Steps:
        """The hatch first, then the carriers; a blocked one ends it."""
        yield from self.travel(State.HATCH_CLOSED)
        yield from self.travel(State.WALLS_DOWN)
        for code in HOME_CLEARS:
            self._machine.clear_fault(code)

    def _caught(self, goal: State, usual: float) -> Steps:
        """A hand in the closing hatch: the current steps up, the hatch goes back and all stops."""
        machine = self._machine
        if goal is State.HATCH_CLOSED and machine.causes.acts(FaultCode.HAT_03):
            yield usual / 2
            machine.enter(State.HATCH_OPENING)
            yield BACK_S
            raise MotionFails(FaultCode.HAT_03, evidence=PINCH_MA)

    def _blocked(self, way: Way, usual: float) -> Steps:
        machine = self._machine
        cause = machine.causes.acts(way.blocked)
        waited = 0.0
        while cause is not None and machine.causes.stands(cause):
            if waited >= BLOCKED_AFTER * usual:
                raise MotionFails(way.blocked, evidence=machine.ms(waited))
            yield usual / 5
            waited += usual / 5

    def _stiffness(self, way: Way) -> float:
        """How many usual travels this one takes."""
        noisy = self._machine.detail is Detail.NOISY
        wobble = self._machine.random.uniform(0.9, 1.15) if noisy else 1.0
        return wobble * (SLOW if self._machine.causes.acts(way.slow) else 1.0)

    def _by_time(self, goal: State, usual: float) -> Steps:
        """A switch that stays silent where the lift must be long there: go on by time, and say so."""
        machine = self._machine
        cause = machine.causes.acts(FaultCode.SEN_01)
        if cause is not None:
            yield usual
        if cause is not None and machine.causes.stands(cause):
            machine.raise_fault(FaultCode.SEN_01, evidence=SWITCH[goal])
            if machine.safety not in STOPPED:
                machine.enter(State.DEGRADED)

    def _overrun(self, goal: State) -> Steps:
        machine = self._machine
        if goal.region is Region.WALLS and machine.causes.acts(FaultCode.WAL_03):
            yield OVERRUN_S
            raise MotionFails(FaultCode.WAL_03, evidence=machine.ms(OVERRUN_S))

    def _arrive(self, goal: State, took: float, usual: float, *, whole: bool) -> None:
        machine, memory = self._machine, self._machine.memory
        memory.openings += goal is State.HATCH_OPEN
        memory.lifts += goal is State.WALLS_UP
        machine.enter(goal)
        if not whole:
            return
        bound = memory.bound_s(goal, usual)
        took_ms, bound_ms = (min(machine.ms(seconds), EVIDENCE_MAX) for seconds in (took, bound))
        machine.report(Travel(goal.region, took_ms, bound_ms))
        if took > bound:
            machine.raise_fault(WAYS[goal].slow, evidence=took_ms)
        else:
            memory.note_travel(goal, took)
            machine.clear_fault(WAYS[goal].slow)
