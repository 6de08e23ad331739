"""What all parts of a simulated machine share: states, faults, tiles, time, what there is to tell. Pure."""

from collections import deque
from random import Random
from typing import Final

from firmware_bridge.answers import Done, Failed
from firmware_bridge.commands import Lamps
from firmware_bridge.faults import FAULTS, FaultCode
from firmware_bridge.reports import Fault, FaultCleared, Report, StateChanged
from firmware_bridge.states import FailCause, Motor, Region, Severity, State
from hardware_sim.mechanics_causes import Causes
from hardware_sim.mechanics_facts import HALTED, MOVING, Durations
from hardware_sim.mechanics_memory import Memory
from hardware_sim.mechanics_motion import Motion, MotionFails, Steps, Timeline
from hardware_sim.mechanics_profiles import Detail, MachineKind
from hardware_sim.mechanics_tiles import Tiles

EVIDENCE_MAX: Final = 0xFFFF

STOPPED: Final = (State.PROTECTIVE_STOP, State.STOP_CHAIN_OPEN)
"""Safety states in which nothing moves."""

MOMENTARY: Final = (FaultCode.HAT_03, FaultCode.WAL_03)
"""Faults whose cause may be gone before they are told: the hand is out of the hatch."""

_WAYS: Final = {
    Motor.HATCH: (State.HATCH_OPENING, State.HATCH_CLOSING),
    Motor.WALLS: (State.WALLS_RAISING, State.WALLS_LOWERING),
    Motor.DICE: (State.DICE_ROLLING,),
}
_UNDER_WAY: Final = (State.SORTING, State.TOPUP_PAUSED, State.CLEARING)
"""States of the lower half that end with a stop."""

_AT_REST: Final = {
    Region.SAFETY: State.OPERATIONAL,
    Region.HATCH: State.HATCH_CLOSED,
    Region.WALLS: State.WALLS_DOWN,
    Region.LOWER: State.EMPTY,
    Region.DICE: State.DICE_STILL,
}

Item = Report | Done | Failed
"""Something the machine tells."""


class Machine:
    """The state that upper half, lower half, dice and safety work on."""

    def __init__(
        self, random: Random, kind: MachineKind, durations: Durations, tiles: Tiles, speed: float
    ) -> None:
        self.random = random
        self.kind = kind
        self.durations = durations
        self.detail = Detail.INSTANT
        self.tiles = tiles
        self.memory = Memory(kind.settings)
        self.causes = Causes(random)
        self.timeline = Timeline(speed, self._ended)
        self.states: dict[Region, State] = dict(_AT_REST)
        self.faults: dict[FaultCode, Fault] = {}
        self.capabilities = kind.capabilities
        self.below: frozenset[Motor] = frozenset()
        self.jogged: Motor | None = None
        self.key_since_stop = False
        self.lamps = Lamps()
        self.boot_id = 0
        self.boot_at = 0.0
        self.out: deque[tuple[float, Item]] = deque()

    # ---- time ----------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """The moment that the machine has reached."""
        return self.timeline.now

    def ms(self, seconds: float) -> int:
        """Milliseconds on the board's clock of ``seconds`` of a real machine."""
        return round(1000 * seconds / self.timeline.speed)

    def spawn(
        self, steps: Steps, op_id: int | None = None, *, by_host: bool = False, outside: bool = False
    ) -> Motion:
        """Let a motion begin now."""
        return self.timeline.add(Motion(steps, self.now, op_id, by_host, outside))

    # ---- telling -------------------------------------------------------------------------------------

    def report(self, report: Report) -> None:
        """Tell something."""
        self.out.append((self.now, report))

    def answer(
        self, motion: Motion, cause: FailCause | None = None, fault: FaultCode = FaultCode.NONE
    ) -> None:
        """Tell how the command of a motion ended (Done, or why not), once."""
        if motion.op_id is not None:
            op_id, motion.op_id = motion.op_id, None
            self.out.append((self.now, Done(op_id) if cause is None else Failed(op_id, cause, fault)))

    def enter(self, state: State) -> None:
        """A region has a new state."""
        if self.timeline.running is not None and state in HALTED:
            self.timeline.running.state = state
        if self.states[state.region] is not state:
            self.states[state.region] = state
            self.report(StateChanged(state.region, state))

    # ---- faults --------------------------------------------------------------------------------------

    def raise_fault(self, code: FaultCode, side: int | None = None, evidence: int = 0) -> None:
        """A fault comes up and does what its severity says; one that stands already is not told again."""
        if code not in self.faults:
            fault = Fault(code, FAULTS[code].severity, side, max(0, min(int(evidence), EVIDENCE_MAX)))
            self.faults[code] = fault
            self.memory.note_fault(fault, self.boot_id, round(1000 * (self.now - self.boot_at)))
            self.report(fault)
        if FAULTS[code].severity is Severity.PROTECTIVE_STOP:
            self.stop_all(FailCause.FAULT, code)

    def clear_fault(self, code: FaultCode) -> None:
        """A fault goes; nothing happens when it was not there."""
        if self.faults.pop(code, None) is not None:
            self.memory.note_cleared(code)
            self.report(FaultCleared(code))

    # ---- moving and stopping -------------------------------------------------------------------------

    @property
    def safety(self) -> State:
        """State of the safety region."""
        return self.states[Region.SAFETY]

    @property
    def lower(self) -> State:
        """State of the lower half."""
        return self.states[Region.LOWER]

    @property
    def able(self) -> State:
        """The state of a machine that may move."""
        return State.DEGRADED if FaultCode.SEN_01 in self.faults else State.OPERATIONAL

    @property
    def reach_moves(self) -> bool:
        """Whether hatch or carriers move."""
        return any(state in MOVING for state in self.states.values())

    @property
    def motors(self) -> frozenset[Motor]:
        """The motors that run at this moment."""
        now = set(self.states.values())
        running = {motor for motor, states in _WAYS.items() if now.intersection(states)}
        jogged = set() if self.jogged is None else {self.jogged}
        return self.below | running | jogged

    def stop_all(self, cause: FailCause, fault: FaultCode = FaultCode.NONE) -> None:
        """Every motion ends now; the machine is stopped until somebody clears it."""
        self.key_since_stop = False
        chain = FaultCode.EST_01 in self.faults
        self.enter(State.STOP_CHAIN_OPEN if chain else State.PROTECTIVE_STOP)
        self.halt([one for one in self.timeline.motions if not one.outside], cause, fault)
        if self.lower in _UNDER_WAY:
            self.enter(State.LOWER_UNKNOWN if self.below else self.rest_below())
        self.below, self.jogged = frozenset(), None

    def halt(self, motions: list[Motion], cause: FailCause, fault: FaultCode = FaultCode.NONE) -> None:
        """End these motions where they are; the one that is running ends by itself."""
        for motion in motions:
            if motion is not self.timeline.running:
                self.timeline.drop(motion)
        self.settle_states(motions)
        for motion in motions:
            if motion is not self.timeline.running:
                self.answer(motion, cause, fault)

    def settle_states(self, motions: list[Motion]) -> None:
        """What was moved by ``motions`` is half way now."""
        moved = {motion.state for motion in motions}
        for state in list(self.states.values()):
            if state in HALTED and state in moved:
                self.enter(HALTED[state])

    def cut(self) -> None:
        """The supply goes: all ends where it is, without a word, and the board forgets what stood."""
        for motion in [one for one in self.timeline.motions if not one.outside]:
            self.timeline.drop(motion)
        half_way = {region: HALTED.get(state, state) for region, state in self.states.items()}
        chain = State.STOP_CHAIN_OPEN if FaultCode.EST_01 in self.faults else State.OPERATIONAL
        self.states.update({**half_way, Region.SAFETY: chain})
        self.count_below()
        self.below, self.jogged, self.key_since_stop, self.lamps = frozenset(), None, False, Lamps()
        self.faults.clear()
        self.out.clear()

    def count_below(self) -> None:
        """What a board that starts says about its lower half: how many tiles lie there only sorting tells."""
        self.states[Region.LOWER] = State.LOWER_UNKNOWN if self.tiles.inside else State.EMPTY

    def rest_below(self) -> State:
        """The state of a lower half where nothing turns."""
        if sum(self.tiles.staged):
            return State.SHORT
        return State.LOADED if self.tiles.loose else State.EMPTY

    def _ended(self, motion: Motion, failure: MotionFails | None) -> None:
        if failure is None:
            self.answer(motion)
            return
        self.settle_states([motion])
        if FAULTS[failure.fault].severity is Severity.STOP_CYCLE and self.lower is State.SORTING:
            self.below = frozenset()
            self.enter(State.JAMMED)
        self.raise_fault(failure.fault, failure.side, failure.evidence)
        self.answer(motion, FailCause.FAULT, failure.fault)
        if failure.fault in MOMENTARY and not self.causes.there(failure.fault):
            self.clear_fault(failure.fault)
