"""The lower half of a machine: cycles, top-up, abort, clearing of jams. Pure."""

from typing import TYPE_CHECKING, Final

from firmware_bridge.commands import Four
from firmware_bridge.configuration import TILE_NUMBERS
from firmware_bridge.faults import FaultCode
from firmware_bridge.reports import CycleDone
from firmware_bridge.states import FailCause, Motor, Region, RejectReason, State
from hardware_sim.mechanics_cycle import PUSH, TROUBLES, Sorting
from hardware_sim.mechanics_machine import Machine
from hardware_sim.mechanics_motion import Motion, MotionFails, Steps
from hardware_sim.mechanics_profiles import Settings
from hardware_sim.mechanics_upper import Upper

if TYPE_CHECKING:
    from collections.abc import Callable

TURNING: Final = frozenset({Motor.DRUM, Motor.RING, Motor.FEED, Motor.HEAD, Motor.PUSH})
CLEARED_BY: Final = frozenset({Motor.FEED, Motor.HEAD})
"""Motors of a sorting, and of the clearing of a jam."""

CLEAR_S: Final = 3.0
"""Feed and head are jogged back for so long."""

STARTS_FROM: Final = (State.LOADED, State.SHORT, State.OVER, State.LOWER_UNKNOWN)
"""States below in which a cycle can begin."""

CYCLE_CLEARS: Final = (FaultCode.CNT_01, FaultCode.CNT_02, FaultCode.CNT_03, FaultCode.CYC_01)
"""Faults that are over when a cycle begins."""

STUCK: Final = (*(trouble.code for trouble in (*TROUBLES, PUSH)), FaultCode.HED_02)
"""Faults that ClearJam is for."""


class Lower:
    """The cycle that is under way, if any, and what may be done to it.

    ``both_lifts``: whether both LIFT keys are down; nothing may turn then.
    """

    def __init__(self, machine: Machine, upper: Upper) -> None:
        self._machine = machine
        self._upper = upper
        self._cycle: Motion | None = None
        self._hold: Motion | None = None
        self._aborted = False
        self.both_lifts: Callable[[], bool] = lambda: False

    # ---- what holds ----------------------------------------------------------------------------------

    @property
    def under_way(self) -> bool:
        """Whether a cycle has begun and not ended."""
        return self._moves(self._cycle) and not self._aborted

    def cannot_start(self, stacks: Four) -> RejectReason | None:
        """Why no cycle with these stacks can begin."""
        machine = self._machine
        busy = machine.reach_moves or self._moves(self._cycle) or bool(machine.below)
        reasons = {
            RejectReason.BAD_ARGUMENT: any(stacks) and 2 * sum(stacks) not in TILE_NUMBERS,
            RejectReason.LOCKED: machine.memory.locked,
            RejectReason.COVER_OPEN: FaultCode.PWR_05 in machine.faults,
            RejectReason.BAD_CONFIG: FaultCode.CFG_01 in machine.faults,
            RejectReason.BUSY: busy,
            RejectReason.NO_TILES: machine.tiles.inside == 0,
            RejectReason.WRONG_STATE: machine.lower not in STARTS_FROM,
        }
        return next((reason for reason, holds in reasons.items() if holds), None)

    def cannot_pause(self) -> RejectReason | None:
        """Why no top-up can begin."""
        if self._machine.lower not in (State.SORTING, State.TOPUP_PAUSED):
            return RejectReason.WRONG_STATE
        return RejectReason.BUSY if self._moves(self._hold) else None

    def cannot_resume(self) -> RejectReason | None:
        """Why a paused cycle can't go on."""
        machine = self._machine
        if machine.lower not in (State.SORTING, State.TOPUP_PAUSED):
            return RejectReason.WRONG_STATE
        if FaultCode.PWR_05 in machine.faults:
            return RejectReason.COVER_OPEN
        return RejectReason.BUSY if machine.reach_moves or self._moves(self._hold) else None

    def cannot_clear(self) -> RejectReason | None:
        """Why a jam can't be cleared."""
        machine = self._machine
        if machine.lower is not State.JAMMED:
            return RejectReason.WRONG_STATE
        if FaultCode.PWR_05 in machine.faults:
            return RejectReason.COVER_OPEN
        if machine.reach_moves:
            return RejectReason.BUSY
        closed = machine.states[Region.HATCH] is State.HATCH_CLOSED
        return None if closed else RejectReason.HATCH_NOT_CLOSED

    # ---- the cycle -----------------------------------------------------------------------------------

    def start(self, stacks: Four, op_id: int | None, *, by_host: bool) -> None:
        """Begin a cycle; ``stacks`` of 0: as the machine is set."""
        self._aborted = False
        self._hold = None
        self._cycle = self._machine.spawn(self._run(stacks), op_id, by_host=by_host)

    def _run(self, stacks: Four) -> Steps:
        machine = self._machine
        for code in CYCLE_CLEARS:
            machine.clear_fault(code)
        for goal in (State.HATCH_CLOSED, State.WALLS_DOWN):
            yield from self._upper.travel(goal)
            if self._aborted:
                return
        sorting = Sorting(machine, self._begin_sorting(stacks))
        yield from sorting.run()
        machine.below = frozenset()
        self._finish(sorting)

    def _begin_sorting(self, stacks: Four) -> tuple[int, ...]:
        """A new configuration comes into force; tiles of an unfinished cycle stay where they fit."""
        machine, memory = self._machine, self._machine.memory
        if memory.pending is not None:
            memory.settings, memory.pending = memory.pending, None
            machine.report(memory.settings.applied())
            machine.clear_fault(FaultCode.CON_03)
        wanted = (Settings(2 * sum(stacks), stacks) if any(stacks) else memory.settings).wanted
        if machine.causes.acts(FaultCode.CNT_02):
            machine.tiles.push_in(min(1, len(machine.tiles.table)))
        fit = all(len(place) <= number for place, number in zip(machine.tiles.bins, wanted, strict=True))
        if machine.lower is not State.SHORT or not fit:
            machine.tiles.take_apart()
        machine.enter(State.SORTING)
        machine.below = self._turning
        if self.both_lifts():
            self.pause(None, by_host=False)
        return wanted

    @property
    def _turning(self) -> frozenset[Motor]:
        return TURNING | {Motor.CHAIN} if self._machine.kind.chain else TURNING

    def _finish(self, sorting: Sorting) -> None:
        machine, memory = self._machine, self._machine.memory
        left = machine.tiles.loose
        if left:
            machine.enter(State.OVER)
            raise MotionFails(FaultCode.CNT_02, evidence=left)
        memory.cycles += 1
        memory.last_cycle_ms = sorting.turned_ms
        machine.enter(State.STAGED)
        machine.report(CycleDone(memory.cycles, machine.tiles.staged, sorting.turned_ms))

    # ---- top-up --------------------------------------------------------------------------------------

    def pause(self, op_id: int | None, *, by_host: bool) -> None:
        """Stop all that turns at once, then open the hatch."""
        if self._cycle is not None:
            self._machine.timeline.hold(self._cycle)
        self._machine.below = frozenset()
        self._hold = self._machine.spawn(self._open(), op_id, by_host=by_host)

    def _open(self) -> Steps:
        yield from self._upper.travel(State.HATCH_OPEN)
        if self.under_way:
            self._machine.enter(State.TOPUP_PAUSED)

    def resume(self, op_id: int | None, *, by_host: bool) -> None:
        """Close the hatch and go on; a cycle that turns goes on turning."""
        self._hold = self._machine.spawn(self._close(), op_id, by_host=by_host)

    def _close(self) -> Steps:
        machine = self._machine
        if machine.below or self._cycle is None:
            return
        yield from self._upper.travel(State.HATCH_CLOSED)
        yield from self._upper.travel(State.WALLS_DOWN)
        if self.under_way and self.both_lifts():
            yield from self._open()
        elif self.under_way:
            machine.enter(State.SORTING)
            machine.below = self._turning
            machine.timeline.release(self._cycle)

    # ---- ending --------------------------------------------------------------------------------------

    def abort(self) -> Steps:
        """End the cycle; a hatch or carriers that move for it finish their travel."""
        machine = self._machine
        machine.below = frozenset()
        for motion in (self._hold, self._cycle):
            if motion is not None and self._moves(motion):
                machine.answer(motion, FailCause.ABORTED)
        self.end(machine.rest_below())
        while machine.reach_moves:
            yield 0.1

    def end(self, lower: State) -> None:
        """The cycle is over, whoever ends it: what travels for it does so to its end."""
        machine = self._machine
        self._aborted = True
        if machine.lower in (State.SORTING, State.TOPUP_PAUSED):
            machine.enter(lower)
            if self._cycle is not None:
                machine.timeline.drop(self._cycle)

    def host_gone(self) -> None:
        """What moved in reach of hands was stopped: a cycle on its way to sorting has ended with it."""
        if self.under_way and self._machine.lower is State.SORTING and not self._machine.below:
            self._machine.enter(State.TOPUP_PAUSED)

    def _moves(self, motion: Motion | None) -> bool:
        return motion is not None and motion in self._machine.timeline.motions

    # ---- jams ----------------------------------------------------------------------------------------

    def clear_jam(self, side: int) -> Steps:
        """Jog feed and head of ``side`` back; what was stuck there by itself comes free."""
        machine = self._machine
        machine.enter(State.CLEARING)
        machine.below = CLEARED_BY
        yield CLEAR_S
        machine.below = frozenset()
        left = None
        for fault in [fault for code, fault in machine.faults.items() if code in STUCK]:
            code = FaultCode(int(fault.code))
            if fault.side in (None, side):
                self._jog_out(code, side)
            if fault.side in (None, side) and not machine.causes.there(code, side):
                machine.clear_fault(code)
            else:
                left = fault
        machine.enter(machine.rest_below() if left is None else State.JAMMED)
        if left is not None:
            raise MotionFails(FaultCode(int(left.code)), left.side, left.evidence)

    def _jog_out(self, code: FaultCode, side: int) -> None:
        causes = self._machine.causes
        for cause in causes.there(code, side):
            if cause.duration_s is None:
                causes.end(cause)
