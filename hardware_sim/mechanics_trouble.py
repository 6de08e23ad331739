"""Brings causes in at their time, and what they do to a machine at once. Pure."""

from collections.abc import Callable
from typing import Final

from firmware_bridge.faults import FaultCode
from firmware_bridge.states import Key, ResetCause, State
from hardware_sim.mechanics_causes import Cause, Restart
from hardware_sim.mechanics_keys import Keys
from hardware_sim.mechanics_lower import Lower
from hardware_sim.mechanics_machine import Machine
from hardware_sim.mechanics_motion import Motion, Steps
from hardware_sim.mechanics_profiles import MODES, Settings
from hardware_sim.mechanics_safety import Safety

POLL_S: Final = 0.5

AT_ONCE: Final[dict[FaultCode, int]] = {
    FaultCode.PWR_01: 0,
    FaultCode.PWR_02: 96,
    FaultCode.PWR_04: 9000,
    FaultCode.PWR_05: 0,
    FaultCode.CON_02: 0,
    FaultCode.DIC_03: 0,
    FaultCode.FW_01: 0,
    FaultCode.EST_01: 0,
}
"""Faults that come up as soon as their cause is there, and their evidence."""

WITH_CAUSE: Final = frozenset(
    {
        *AT_ONCE,
        FaultCode.HAT_03,
        FaultCode.WAL_03,
        FaultCode.DRM_02,
        FaultCode.RNG_02,
        FaultCode.HED_03,
        FaultCode.CNT_04,
        FaultCode.TIL_01,
        FaultCode.TIL_02,
        FaultCode.TIL_03,
        FaultCode.DIC_01,
        FaultCode.DIC_02,
        FaultCode.SEN_01,
    }
)
"""Faults that are over when their cause has gone."""


class TroubleMaker:
    """``restart``: an injected one that waits for the firmware to do it."""

    def __init__(
        self, machine: Machine, keys: Keys, lower: Lower, safety: Safety, power_cut: Callable[[], None]
    ) -> None:
        self.restart: Restart | None = None
        self._machine = machine
        self._keys = keys
        self._lower = lower
        self._safety = safety
        self._power_cut = power_cut
        self._open: set[FaultCode] = set()

    def inject(self, cause: Cause | Restart) -> None:
        """Let it begin at its time."""
        steps = self._restart(cause) if isinstance(cause, Restart) else self._life(cause)
        motion = self._machine.spawn(self._after(cause.at_s, cause.tick, steps), outside=True)
        if cause.at_s == 0.0 and cause.tick is None:
            self._machine.timeline.step(motion)

    def mend(self, code: FaultCode, side: int | None) -> None:
        """Take causes away."""
        for cause in self._machine.causes.there(code, side):
            self._end(cause)

    def set_cover(self, *, is_open: bool) -> None:
        """The cover switch."""
        self._contact(FaultCode.PWR_05, is_open=is_open)

    def set_stop_chain(self, *, is_open: bool) -> None:
        """The wired emergency stop."""
        self._contact(FaultCode.EST_01, is_open=is_open)

    def _contact(self, code: FaultCode, *, is_open: bool) -> None:
        if is_open:
            self._open.add(code)
            self._machine.raise_fault(code)
        else:
            self._open.discard(code)
            self._gone(code)

    def look_at_start(self, why: ResetCause) -> None:
        """What a firmware finds when it starts."""
        machine = self._machine
        if why is ResetCause.WATCHDOG:
            machine.raise_fault(FaultCode.PWR_03)
        if machine.memory.damaged:
            machine.raise_fault(FaultCode.CFG_01)
        for code in AT_ONCE:
            if code in self._open or machine.causes.there(code):
                machine.raise_fault(code, evidence=AT_ONCE[code])

    # ---- inside --------------------------------------------------------------------------------------

    def _after(self, seconds: float, tick: int | None, steps: Steps) -> Steps:
        if seconds > 0.0:
            yield seconds
        running = self._machine.timeline.running
        if tick is not None and running is not None:
            yield from self._at_tick(tick, running)
        yield from steps

    def _at_tick(self, tick: int, running: Motion) -> Steps:
        self._machine.timeline.at_tick(tick, running)
        yield 0.0

    def _restart(self, restart: Restart) -> Steps:
        self._power_cut()
        self.restart = restart
        yield from ()

    def _life(self, cause: Cause) -> Steps:
        machine = self._machine
        machine.causes.begin(cause)
        if cause.code in AT_ONCE:
            machine.raise_fault(cause.code, cause.side, AT_ONCE[cause.code])
        yield from self._act(cause)
        if cause.duration_s is not None:
            yield cause.duration_s
            self._end(cause)

    def _act(self, cause: Cause) -> Steps:
        """What some causes do by themselves."""
        match cause.code:
            case FaultCode.PWR_03:
                yield from self._restart(Restart(ResetCause.WATCHDOG, off_s=0.1))
                self._machine.causes.end(cause)
            case FaultCode.CON_01:
                self._keys.down(Key.LIFT, cause.side or 0)
            case FaultCode.CON_03:
                while not self._lower.under_way and self._machine.causes.stands(cause):
                    yield POLL_S
                self._turn_switch()
                self._machine.causes.end(cause)
            case FaultCode.CFG_01:
                while self._lower.under_way:
                    yield POLL_S
                self._machine.memory.damaged = True
                self._machine.raise_fault(FaultCode.CFG_01)
                self._machine.causes.end(cause)

    def _turn_switch(self) -> None:
        machine = self._machine
        other = next(mode for tiles, mode in MODES.items() if tiles != machine.memory.settings.tiles)
        self.turn_to(other)

    def turn_to(self, settings: Settings) -> None:
        """The mode switch is turned: from the next sorting on."""
        machine, memory = self._machine, self._machine.memory
        memory.pending, memory.damaged = settings, False
        machine.clear_fault(FaultCode.CFG_01)
        if self._lower.under_way:
            machine.raise_fault(FaultCode.CON_03, evidence=settings.tiles)

    def _end(self, cause: Cause) -> None:
        machine = self._machine
        machine.causes.end(cause)
        if cause.code is FaultCode.CON_01:
            self._keys.up(Key.LIFT, cause.side or 0)
        self._gone(cause.code)

    def _gone(self, code: FaultCode) -> None:
        """A cause of ``code`` has gone; the fault goes with the last one."""
        machine = self._machine
        if machine.causes.there(code) or code in self._open:
            return
        if code is FaultCode.EST_01:
            self._safety.chain_closed()
        elif code in WITH_CAUSE:
            machine.clear_fault(code)
        if code is FaultCode.SEN_01 and machine.safety is State.DEGRADED:
            machine.enter(machine.able)
