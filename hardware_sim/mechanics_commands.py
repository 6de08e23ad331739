"""What each command of the host asks of which part of the machine, and why it may not. Pure."""

from typing import Final

from firmware_bridge.commands import (
    AbortCycle,
    ClearJam,
    ClearStop,
    CloseHatch,
    Command,
    DiceCommit,
    DiceEntropy,
    DiceReveal,
    GetConfig,
    GetCounters,
    GetFaults,
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
from firmware_bridge.faults import FaultCode
from firmware_bridge.reports import Status
from firmware_bridge.states import Region, RejectReason, State, StatusFlag
from hardware_sim.mechanics_dice import Dice
from hardware_sim.mechanics_lower import Lower
from hardware_sim.mechanics_machine import Machine
from hardware_sim.mechanics_motion import Steps
from hardware_sim.mechanics_profiles import Settings
from hardware_sim.mechanics_safety import Safety
from hardware_sim.mechanics_upper import Upper

LEASE_S: Final = 1.0
"""Exposed motion goes on without the host for so long until Lease says otherwise."""

Begun = Steps | RejectReason | None
"""A motion to run; why there is none; None: it runs already."""


class Commands:
    """Guards and beginnings. ``lease_s``: of this session."""

    def __init__(self, machine: Machine, *, upper: Upper, lower: Lower, dice: Dice, safety: Safety) -> None:
        self.lease_s = LEASE_S
        self._leased = False
        self._machine = machine
        self._upper = upper
        self._lower = lower
        self._dice = dice
        self._safety = safety

    def begin(self, op_id: int, command: Command) -> RejectReason | None:
        """Begin ``command`` under ``op_id``; a reason: nothing was begun."""
        begun = self._begin(op_id, command)
        if isinstance(begun, RejectReason) or begun is None:
            return begun
        self._machine.spawn(begun, op_id, by_host=True)
        return None

    def _begin(self, op_id: int, command: Command) -> Begun:
        begun: Begun = RejectReason.UNSUPPORTED
        match command:
            case OpenHatch() | CloseHatch() | RaiseWalls() | LowerWalls() | Home():
                begun = self._begin_upper(command)
            case StartCycle() | PauseCycle() | ResumeCycle() | AbortCycle() | ClearJam():
                begun = self._begin_lower(op_id, command)
            case RollDice() | DiceCommit() | DiceEntropy() | DiceReveal():
                begun = self._begin_dice(command)
            case Stop() | ClearStop() | MaintenanceBegin() | MaintenanceEnd() | Jog() | SelfTest():
                begun = self._begin_safety(op_id, command)
            case SetConfig() | Lock() | Unlock() | Lease() | Lamps():
                begun = self._set(command)
            case GetStatus() | GetCounters() | GetFaults() | GetConfig():
                begun = self._tell(command)
        return begun

    # ---- motions -------------------------------------------------------------------------------------

    def _begin_upper(self, command: OpenHatch | CloseHatch | RaiseWalls | LowerWalls | Home) -> Begun:
        machine, upper = self._machine, self._upper
        busy = RejectReason.BUSY if machine.reach_moves else None
        turning = machine.lower in (State.SORTING, State.CLEARING)
        match command:
            case OpenHatch():
                wrong = RejectReason.WRONG_STATE if turning else None
                return busy or wrong or upper.travel(State.HATCH_OPEN)
            case CloseHatch():
                return busy or upper.travel(State.HATCH_CLOSED)
            case RaiseWalls():
                return self._cannot_raise() or busy or upper.raise_walls()
            case LowerWalls():
                return busy or upper.travel(State.WALLS_DOWN)
            case Home():
                return busy or (RejectReason.WRONG_STATE if turning else None) or upper.home()

    def _cannot_raise(self) -> RejectReason | None:
        if self._machine.states[Region.HATCH] is not State.HATCH_CLOSED:
            return RejectReason.HATCH_NOT_CLOSED
        if self._machine.lower not in (State.STAGED, State.OVER):
            return RejectReason.NOT_STAGED
        return RejectReason.BUSY if self._lower.under_way else None

    def _begin_lower(
        self, op_id: int, command: StartCycle | PauseCycle | ResumeCycle | AbortCycle | ClearJam
    ) -> Begun:
        lower = self._lower
        match command:
            case StartCycle(stacks):
                reason = lower.cannot_start(stacks)
                if reason is None:
                    lower.start(stacks, op_id, by_host=True)
                return reason
            case PauseCycle():
                if self._machine.lower is State.TOPUP_PAUSED and lower.cannot_pause() is None:
                    return nothing()
                reason = lower.cannot_pause()
                if reason is None:
                    lower.pause(op_id, by_host=True)
                return reason
            case ResumeCycle():
                reason = lower.cannot_resume()
                if reason is None:
                    lower.resume(op_id, by_host=True)
                return reason
            case AbortCycle():
                return lower.abort() if lower.under_way else RejectReason.WRONG_STATE
            case ClearJam(side):
                return lower.cannot_clear() or lower.clear_jam(side)

    def _begin_dice(self, command: RollDice | DiceCommit | DiceEntropy | DiceReveal) -> Begun:
        dice = self._dice
        match command:
            case RollDice(count):
                return dice.cannot_roll() or dice.roll(count)
            case DiceCommit():
                return dice.cannot_commit() or dice.commit()
            case DiceEntropy(seat, entropy):
                return dice.cannot_add(seat) or dice.add(seat, entropy)
            case DiceReveal():
                return dice.cannot_reveal() or dice.reveal()

    def _begin_safety(
        self, op_id: int, command: Stop | ClearStop | MaintenanceBegin | MaintenanceEnd | Jog | SelfTest
    ) -> Begun:
        safety = self._safety
        match command:
            case Stop():
                return safety.stop()
            case ClearStop():
                return safety.cannot_clear() or safety.clear()
            case MaintenanceBegin():
                return safety.cannot_begin() or safety.begin()
            case MaintenanceEnd():
                return safety.end()
            case Jog() | SelfTest():
                reason = safety.cannot_bench(command)
                if reason is None:
                    safety.bench(command, op_id)
                return reason

    # ---- settings ------------------------------------------------------------------------------------

    def _set(self, command: SetConfig | Lock | Unlock | Lease | Lamps) -> Begun:
        memory = self._machine.memory
        match command:
            case SetConfig(tiles, stacks, dealt):
                settings = Settings(tiles, stacks, dealt)
                if not settings.fits(deals=self._machine.kind.deals):
                    return RejectReason.BAD_CONFIG
                memory.pending, memory.damaged = settings, False
                self._machine.clear_fault(FaultCode.CFG_01)
            case Lock() | Unlock():
                memory.locked = isinstance(command, Lock)
            case Lease(ms):
                self.lease_s, self._leased = ms / 1000, True
            case Lamps():
                self._machine.lamps = command
        return nothing()

    def forget_lease(self) -> None:
        """The session has ended: the next one begins with the usual lease."""
        self.lease_s, self._leased = LEASE_S, False

    # ---- telling -------------------------------------------------------------------------------------

    def _tell(self, command: GetStatus | GetCounters | GetFaults | GetConfig) -> Begun:
        machine, memory = self._machine, self._machine.memory
        match command:
            case GetStatus():
                machine.report(self.status())
            case GetCounters():
                machine.report(memory.counters())
            case GetFaults():
                for record in memory.log:
                    machine.report(record)
            case GetConfig():
                machine.report(memory.settings.report(pending=False))
                if memory.pending is not None:
                    machine.report(memory.pending.report(pending=True))
        return nothing()

    def status(self) -> Status:
        """State of every region."""
        machine, states = self._machine, self._machine.states
        flags = StatusFlag.LOCKED if machine.memory.locked else StatusFlag.NONE
        flags |= StatusFlag.COVER_OPEN if FaultCode.PWR_05 in machine.faults else StatusFlag.NONE
        flags |= StatusFlag.LEASED if self._leased else StatusFlag.NONE
        return Status(
            states[Region.SAFETY],
            states[Region.HATCH],
            states[Region.WALLS],
            states[Region.LOWER],
            states[Region.DICE],
            machine.tiles.staged,
            machine.memory.cycles,
            flags,
        )

    # ---- start ---------------------------------------------------------------------------------------

    def boot(self, seconds: float) -> None:
        """Be BOOTING for ``seconds`` of the board's clock, then able to work."""
        machine = self._machine
        if machine.safety is State.OPERATIONAL:
            machine.states[Region.SAFETY] = State.BOOTING
            machine.spawn(self._boot(seconds))

    def _boot(self, seconds: float) -> Steps:
        yield seconds * self._machine.timeline.speed
        self._machine.enter(self._machine.able)


def nothing() -> Steps:
    """A motion that is over at once."""
    yield from ()
