"""What moves in a simulated table: hatch, carriers, drum and walls below, dice. Pure: time is an argument.

Every motion is a generator that yields how long its next step takes (seconds of a real machine) and changes
the state between the steps; :class:`Mechanics` runs them by the time given, ``speed`` times as fast.
"""

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from random import Random

from firmware_bridge.faults import FAULTS, FaultCode
from firmware_bridge.messages import (
    ClearStop,
    CloseHatch,
    Command,
    Counters,
    CycleDone,
    DiceRolled,
    Done,
    Failed,
    Fault,
    FaultCleared,
    GetCounters,
    GetStatus,
    KeyPressed,
    Lamps,
    LowerWalls,
    OpenHatch,
    RaiseWalls,
    Report,
    RollDice,
    StartCycle,
    StateChanged,
    Status,
    Stop,
    TileCount,
    WallsUp,
)
from firmware_bridge.states import FailCause, Key, Region, RejectReason, State
from hardware_sim.mechanics_facts import (
    ALLOWED_IN_STOP,
    FOUR_PORT,
    HALTED,
    MOVING,
    TILE_NUMBERS,
    Durations,
    Still,
)

Steps = Generator[float, None, None]


@dataclass(slots=True)
class _Motion:
    op_id: int
    steps: Steps
    due: float
    state: State | None = None


class _Fails(Exception):
    """A motion ends with this fault."""

    def __init__(self, fault: FaultCode) -> None:
        super().__init__(fault.label)
        self.fault = fault


class Mechanics:
    """One machine with ``tiles`` tiles on its table top at first; what happens goes to :meth:`take`."""

    def __init__(
        self, random: Random, *, speed: float = 1.0, tiles: int = 136, durations: Durations = FOUR_PORT
    ) -> None:
        self.speed = speed
        self.table = tiles
        self.drum = 0
        self.staged = [0, 0, 0, 0]
        self.dice: tuple[int, ...] = ()
        self.lamps = Lamps()
        self.faults: dict[FaultCode, Fault] = {}
        self.states: dict[Region, State] = {
            Region.SAFETY: State.OPERATIONAL,
            Region.HATCH: State.HATCH_CLOSED,
            Region.WALLS: State.WALLS_DOWN,
            Region.LOWER: State.EMPTY,
            Region.DICE: State.DICE_STILL,
        }
        self._random = random
        self._durations = durations
        self._motions: list[_Motion] = []
        self._out: deque[Report | Done | Failed] = deque()
        self._key_since_stop = False
        self._cycles = self._openings = self._lifts = self._rolls = self._fault_count = 0
        self._motor_s = 0.0
        self._now = 0.0
        self._running: _Motion | None = None

    # ---- what the board's firmware does with it ------------------------------------------------------

    def take(self) -> list[Report | Done | Failed]:
        """What has happened since the last call, in order."""
        out = list(self._out)
        self._out.clear()
        return out

    def start(self, op_id: int, command: Command, now: float) -> RejectReason | None:
        """Begin ``command``; its Done or Failed comes by :meth:`take`. A reason: nothing was begun."""
        self.advance(now)
        if self.states[Region.SAFETY] is State.PROTECTIVE_STOP and not isinstance(command, ALLOWED_IN_STOP):
            return RejectReason.STOPPED
        motion = self._begin(command)
        if isinstance(motion, RejectReason):
            return motion
        self._motions.append(_Motion(op_id, motion, now))
        self.advance(now)
        return None

    def advance(self, now: float) -> None:
        """Run all motions up to ``now``."""
        while self._motions:
            motion = min(self._motions, key=lambda one: one.due)
            if motion.due > now:
                break
            self._now = motion.due
            self._step(motion)
        self._now = max(self._now, now)

    def next_timer(self) -> float | None:
        """When the next step of a motion ends."""
        return min((motion.due for motion in self._motions), default=None)

    def host_lost(self, now: float) -> None:
        """The host is gone: what moves in reach of hands stops, an enclosed shuffle goes on."""
        self.advance(now)
        if any(state in MOVING for state in self.states.values()):
            self._halt(FailCause.HOST_LOST, regions=(Region.HATCH, Region.WALLS))
        self.raise_fault(FaultCode.LNK_01)

    def host_back(self) -> None:
        """The host is there (again)."""
        self.clear_fault(FaultCode.LNK_01)

    def power_cut(self) -> None:
        """The supply is gone in the middle of whatever goes on; nobody hears of it."""
        self._halt(FailCause.STOPPED, regions=tuple(Region))
        self._out.clear()
        self.faults.clear()

    def status(self) -> Status:
        """State of every region."""
        states, (a, b, c, d) = self.states, self.staged
        return Status(
            states[Region.SAFETY],
            states[Region.HATCH],
            states[Region.WALLS],
            states[Region.LOWER],
            states[Region.DICE],
            (a, b, c, d),
            self._cycles,
        )

    def counters(self) -> Counters:
        """Counts since the machine was made."""
        return Counters(
            self._cycles, self._openings, self._lifts, self._rolls, int(self._motor_s), self._fault_count
        )

    def raise_fault(self, code: FaultCode, side: int | None = None, evidence: int = 0) -> None:
        """A fault comes up; one that is there already is not reported again."""
        if code not in self.faults:
            self.faults[code] = Fault(code, FAULTS[code].severity, side, evidence)
            self._fault_count += 1
            self._out.append(self.faults[code])

    def clear_fault(self, code: FaultCode) -> None:
        """A fault goes; nothing happens when it was not there."""
        if self.faults.pop(code, None) is not None:
            self._out.append(FaultCleared(code))

    # ---- what people at the table do with it ---------------------------------------------------------

    def press(self, key: Key, seat: int) -> None:
        """Somebody presses a key."""
        if not 0 <= seat <= 3:
            raise ValueError(f"seat {seat}, expected 0..3")
        self._key_since_stop = True
        self._out.append(KeyPressed(key, seat))

    def load(self, tiles: int) -> None:
        """Push tiles through the open hatch. Raises ValueError when it is closed or there are not so many."""
        if self.states[Region.HATCH] is not State.HATCH_OPEN:
            raise ValueError("the hatch is not open")
        if not 0 <= tiles <= self.table:
            raise ValueError(f"{tiles} tiles pushed in, expected 0..{self.table} (those on the table)")
        self.table -= tiles
        self.drum += tiles
        if self.drum and self.states[Region.LOWER] is State.EMPTY:
            self._enter(State.LOADED)

    # ---- commands ------------------------------------------------------------------------------------

    def _begin(self, command: Command) -> Steps | RejectReason:
        begun: Steps | RejectReason
        match command:
            case OpenHatch():
                begun = self._reach_busy() or self._below_busy() or self._open_hatch()
            case CloseHatch():
                begun = self._reach_busy() or self._close_hatch()
            case StartCycle(stacks):
                begun = self._cannot_sort(stacks) or self._sort([2 * number for number in stacks])
            case RaiseWalls():
                begun = self._cannot_raise() or self._raise_walls()
            case LowerWalls():
                begun = self._reach_busy() or self._lower_walls()
            case RollDice(count):
                begun = self._dice_busy() or self._roll(count)
            case Stop() | ClearStop() | Lamps() | GetStatus() | GetCounters():
                begun = self._begin_still(command)
            case _:
                begun = RejectReason.UNSUPPORTED
        return begun

    def _begin_still(self, command: Still) -> Steps | RejectReason:
        """Commands that move nothing."""
        match command:
            case Stop():
                return self._stop()
            case ClearStop():
                return self._clear_stop() if self._key_since_stop else RejectReason.NEEDS_LOCAL_KEY
            case Lamps():
                return self._now_do(lambda: setattr(self, "lamps", command))
            case GetStatus():
                return self._now_do(lambda: self._out.append(self.status()))
            case GetCounters():
                return self._now_do(lambda: self._out.append(self.counters()))

    def _dice_busy(self) -> RejectReason | None:
        return RejectReason.BUSY if self.states[Region.DICE] is State.DICE_ROLLING else None

    def _reach_busy(self) -> RejectReason | None:
        moving = any(state in MOVING for state in self.states.values())
        return RejectReason.BUSY if moving else None

    def _below_busy(self) -> RejectReason | None:
        return RejectReason.WRONG_STATE if self.states[Region.LOWER] is State.SORTING else None

    def _cannot_sort(self, stacks: tuple[int, int, int, int]) -> RejectReason | None:
        if 2 * sum(stacks) not in TILE_NUMBERS:
            return RejectReason.BAD_ARGUMENT
        if self._reach_busy() or self._below_busy():
            return RejectReason.BUSY
        if self.states[Region.LOWER] is State.STAGED:
            return RejectReason.WRONG_STATE
        return RejectReason.NO_TILES if self.drum + sum(self.staged) == 0 else None

    def _cannot_raise(self) -> RejectReason | None:
        if self.states[Region.HATCH] is not State.HATCH_CLOSED:
            return RejectReason.HATCH_NOT_CLOSED
        if self.states[Region.LOWER] not in (State.STAGED, State.OVER):
            return RejectReason.NOT_STAGED
        return self._reach_busy()

    # ---- motions -------------------------------------------------------------------------------------

    def _now_do(self, action: Callable[[], None]) -> Steps:
        action()
        yield from ()

    def _open_hatch(self) -> Steps:
        if self.states[Region.HATCH] is not State.HATCH_OPEN:
            self._enter(State.HATCH_OPENING)
            yield self._durations.hatch
            self._openings += 1
            self._enter(State.HATCH_OPEN)

    def _close_hatch(self) -> Steps:
        if self.states[Region.HATCH] is not State.HATCH_CLOSED:
            self._enter(State.HATCH_CLOSING)
            yield self._durations.hatch
            self._enter(State.HATCH_CLOSED)

    def _lower_walls(self) -> Steps:
        if self.states[Region.WALLS] is not State.WALLS_DOWN:
            self._enter(State.WALLS_LOWERING)
            yield self._durations.walls
            self._enter(State.WALLS_DOWN)

    def _raise_walls(self) -> Steps:
        yield from self._lower_walls()
        self._enter(State.WALLS_RAISING)
        yield self._durations.walls
        self._lifts += 1
        a, b, c, d = self.staged
        self.table += sum(self.staged)
        self.staged = [0, 0, 0, 0]
        self._enter(State.LOADED if self.drum else State.EMPTY)
        self._enter(State.WALLS_UP)
        self._out.append(WallsUp((a, b, c, d)))

    def _roll(self, count: int) -> Steps:
        self._enter(State.DICE_ROLLING)
        yield self._random.uniform(*self._durations.dice)
        self._rolls += 1
        self.dice = tuple(self._random.randint(1, 6) for _ in range(count))
        self._enter(State.DICE_STILL)
        self._out.append(DiceRolled(self.dice))

    def _sort(self, targets: list[int]) -> Steps:
        """Close, lower the carriers, then build: each stack takes its share of the cycle's time."""
        began = self._now
        yield from self._close_hatch()
        yield from self._lower_walls()
        self.clear_fault(FaultCode.CNT_01)
        self.clear_fault(FaultCode.CNT_02)
        self._enter(State.SORTING)
        order = [side for side in range(4) for _ in range((targets[side] - self.staged[side] + 1) // 2)]
        self._random.shuffle(order)
        each = self._random.uniform(*self._durations.cycle) / max(1, sum(targets) // 2)
        for side in order:
            yield each
            self._motor_s += each
            self._stack(side, targets[side])
        missing = sum(targets) - sum(self.staged)
        if missing > 0:
            yield self._durations.missing_after
        self._finish_cycle(missing, began)

    def _stack(self, side: int, target: int) -> None:
        tiles = min(2, self.drum, target - self.staged[side])
        if tiles > 0:
            self.drum -= tiles
            self.staged[side] += tiles
            self._out.append(TileCount(side, self.staged[side], target))

    def _finish_cycle(self, missing: int, began: float) -> None:
        if missing > 0:
            self._enter(State.SHORT)
            self.raise_fault(FaultCode.CNT_01, evidence=missing)
            raise _Fails(FaultCode.CNT_01)
        if self.drum or missing < 0:
            self._enter(State.OVER)
            self.raise_fault(FaultCode.CNT_02, evidence=self.drum - missing)
            raise _Fails(FaultCode.CNT_02)
        self._cycles += 1
        self._enter(State.STAGED)
        a, b, c, d = self.staged
        self._out.append(CycleDone(self._cycles, (a, b, c, d), round(1000 * (self._now - began))))

    def _stop(self) -> Steps:
        self._halt(FailCause.STOPPED, regions=tuple(Region))
        self._key_since_stop = False
        self._enter(State.PROTECTIVE_STOP)
        yield from ()

    def _clear_stop(self) -> Steps:
        self._enter(State.OPERATIONAL)
        yield from ()

    # ---- inside --------------------------------------------------------------------------------------

    def _enter(self, state: State) -> None:
        if self._running is not None:
            self._running.state = state
        if self.states[state.region] is not state:
            self.states[state.region] = state
            self._out.append(StateChanged(state.region, state))

    def _step(self, motion: _Motion) -> None:
        self._running = motion
        try:
            motion.due = self._now + next(motion.steps) / self.speed
        except StopIteration:
            self._end(motion, Done(motion.op_id))
        except _Fails as failure:
            self._end(motion, Failed(motion.op_id, FailCause.FAULT, failure.fault))
        finally:
            self._running = None

    def _end(self, motion: _Motion, answer: Done | Failed) -> None:
        if motion in self._motions:
            self._motions.remove(motion)
            self._out.append(answer)

    def _halt(self, cause: FailCause, regions: tuple[Region, ...]) -> None:
        """End the motions that move one of ``regions`` now."""
        for motion in list(self._motions):
            state = motion.state
            if state in HALTED and state.region in regions:
                self._end(motion, Failed(motion.op_id, cause))
                self._enter(HALTED[state])
