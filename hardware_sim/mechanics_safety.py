"""What stops a machine, what it may do then, and what needs somebody at the table or in the cabinet. Pure."""

from typing import Final

from firmware_bridge.commands import (
    ClearStop,
    Command,
    GetConfig,
    GetCounters,
    GetDictionary,
    GetFaults,
    GetLink,
    GetReports,
    GetStatus,
    Jog,
    Lamps,
    Lease,
    Lock,
    MaintenanceBegin,
    MaintenanceEnd,
    SelfTest,
    SetConfig,
    Stop,
    Unlock,
)
from firmware_bridge.faults import FAULTS, FaultCode
from firmware_bridge.reports import SelfTestResult
from firmware_bridge.states import FailCause, Motor, Region, RejectReason, Severity, State
from hardware_sim.mechanics_machine import STOPPED, Machine
from hardware_sim.mechanics_motion import Motion, Steps
from hardware_sim.mechanics_upper import HOME_CLEARS

ALWAYS: Final = (
    Lamps,
    Stop,
    GetStatus,
    GetCounters,
    GetReports,
    GetFaults,
    GetDictionary,
    GetConfig,
    GetLink,
)
"""Commands that are accepted whatever the machine does."""

IN_MAINTENANCE: Final = (SetConfig, Lock, Unlock, Lease, MaintenanceBegin, MaintenanceEnd, Jog, SelfTest)
"""Commands that are accepted in maintenance besides; Jog and SelfTest nowhere else."""

SERVICE_S: Final = 30.0
"""After the SERVICE key maintenance may begin for so long, on the board's clock."""
TEST_S: Final = 1.0
"""A self-test takes so long."""

_CLOSED_ONLY: Final = frozenset(Motor) - {Motor.HATCH, Motor.WALLS, Motor.DICE}
_HALF_WAY: Final = {Motor.HATCH: State.HATCH_UNKNOWN, Motor.WALLS: State.WALLS_UNKNOWN}

TESTS: Final[dict[int, tuple[FaultCode, ...]]] = {
    1: (FaultCode.HAT_01, FaultCode.HAT_02, FaultCode.HAT_03, FaultCode.HAT_04),
    2: (FaultCode.WAL_01, FaultCode.WAL_02, FaultCode.WAL_03, FaultCode.WAL_04),
    3: (FaultCode.DRM_01, FaultCode.DRM_02),
    4: (FaultCode.RNG_01, FaultCode.RNG_02),
    5: (FaultCode.FED_01,),
    6: (FaultCode.HED_01, FaultCode.HED_04),
    7: (FaultCode.HED_02, FaultCode.HED_03),
    8: (FaultCode.CHN_01, FaultCode.CHN_02),
    9: (FaultCode.PSH_01,),
    10: (FaultCode.DIC_01, FaultCode.DIC_02),
    11: (FaultCode.CON_01, FaultCode.CON_02),
    12: (FaultCode.SEN_01,),
    13: (FaultCode.PWR_01, FaultCode.PWR_02, FaultCode.PWR_04),
    14: (FaultCode.CFG_01,),
    15: (FaultCode.FW_01,),
}
"""What each self-test looks at: it fails where one of these has a cause; its evidence is that code."""


class Safety:
    """The overlay over all regions."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._service_until = -1.0
        self._bench: Motion | None = None

    def forbids(self, command: Command) -> RejectReason | None:
        """Why the state of the safety region does not allow ``command``."""
        safety = self._machine.safety
        if isinstance(command, ALWAYS):
            return None
        if safety in STOPPED:
            return None if isinstance(command, ClearStop) else RejectReason.STOPPED
        if safety is State.BOOTING:
            return RejectReason.WRONG_STATE
        serviced = safety in (State.MAINTENANCE, State.SELF_TEST)
        if serviced:
            return None if isinstance(command, IN_MAINTENANCE) else RejectReason.WRONG_STATE
        return RejectReason.WRONG_STATE if isinstance(command, Jog | SelfTest) else None

    def restart(self) -> None:
        """A start of the firmware forgets the service key."""
        self._service_until, self._bench = -1.0, None

    # ---- stops ---------------------------------------------------------------------------------------

    def stop(self) -> Steps:
        """The host's protective stop."""
        self._machine.stop_all(FailCause.STOPPED)
        yield from ()

    def cannot_clear(self) -> RejectReason | None:
        """Why the stop stays."""
        machine = self._machine
        if machine.safety not in STOPPED:
            return None
        if not machine.key_since_stop:
            return RejectReason.NEEDS_LOCAL_KEY
        standing = (code for code in machine.faults if code not in HOME_CLEARS)
        stands = any(FAULTS[code].severity is Severity.PROTECTIVE_STOP for code in standing)
        return RejectReason.STOPPED if stands else None

    def clear(self) -> Steps:
        """Leave the protective stop."""
        if self._machine.safety in STOPPED:
            self._machine.enter(self._machine.able)
        yield from ()

    def chain_closed(self) -> None:
        """The wired stop chain is closed again: the stop stays until it is cleared."""
        self._machine.clear_fault(FaultCode.EST_01)
        if self._machine.safety is State.STOP_CHAIN_OPEN:
            self._machine.enter(State.PROTECTIVE_STOP)

    # ---- maintenance ---------------------------------------------------------------------------------

    def service_key(self) -> None:
        """Somebody has pressed the key inside the cabinet."""
        self._service_until = self._machine.now + SERVICE_S

    def cannot_begin(self) -> RejectReason | None:
        """Why maintenance can't begin."""
        machine = self._machine
        if machine.safety is State.MAINTENANCE:
            return None
        if machine.motors:
            return RejectReason.BUSY
        return None if machine.now <= self._service_until else RejectReason.NEEDS_LOCAL_KEY

    def begin(self) -> Steps:
        """Enter maintenance."""
        self._machine.enter(State.MAINTENANCE)
        yield from ()

    def leave(self, cause: FailCause = FailCause.ABORTED) -> None:
        """Everything stands still, and the machine works as before."""
        machine = self._machine
        if machine.safety not in (State.MAINTENANCE, State.SELF_TEST):
            return
        if self._bench is not None:
            self.end_bench(cause)
        machine.enter(machine.able)

    def end(self) -> Steps:
        """The host ends maintenance."""
        self.leave()
        yield from ()

    @property
    def jogs(self) -> bool:
        """Whether a motor is jogged now."""
        return self._machine.jogged is not None

    def cannot_bench(self, command: Jog | SelfTest) -> RejectReason | None:
        """Why nothing can be jogged or tested."""
        machine = self._machine
        if machine.motors or machine.safety is State.SELF_TEST:
            return RejectReason.BUSY
        closed = machine.states[Region.HATCH] is State.HATCH_CLOSED
        if isinstance(command, Jog) and command.motor in _CLOSED_ONLY and not closed:
            return RejectReason.HATCH_NOT_CLOSED
        return None

    def bench(self, command: Jog | SelfTest, op_id: int) -> None:
        """Jog a motor or run a test."""
        steps = self._jog(command) if isinstance(command, Jog) else self._test(command.test)
        self._bench = self._machine.spawn(steps, op_id, by_host=True)

    def end_bench(self, cause: FailCause) -> None:
        """What is jogged or tested ends now."""
        self._machine.jogged = None
        if self._bench is not None and self._bench in self._machine.timeline.motions:
            self._machine.halt([self._bench], cause)
        self._bench = None

    def _jog(self, command: Jog) -> Steps:
        machine = self._machine
        if command.motor in _HALF_WAY:
            machine.enter(_HALF_WAY[command.motor])
        machine.jogged = command.motor
        yield command.ms / 1000 * machine.timeline.speed  # real time: somebody has his hands in there
        machine.jogged = None

    def _test(self, test: int) -> Steps:
        machine = self._machine
        machine.enter(State.SELF_TEST)
        yield TEST_S
        bad = next((code for code in TESTS[test] if machine.causes.there(code)), FaultCode.NONE)
        machine.report(SelfTestResult(test, bad is FaultCode.NONE, bad.value))
        machine.enter(State.MAINTENANCE)
