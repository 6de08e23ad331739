"""Keys and the mode switch on the console: what is down, what is stuck, what a key does by itself. Pure."""

from collections.abc import Callable
from typing import Final

from firmware_bridge.faults import FaultCode
from firmware_bridge.reports import KeyPressed, KeyReleased
from firmware_bridge.states import Key, State
from hardware_sim.mechanics_lower import Lower
from hardware_sim.mechanics_machine import STOPPED, Machine
from hardware_sim.mechanics_motion import Motion, Steps

TAP_S: Final = 0.12
"""Somebody who presses a key holds it so long."""
STUCK_S: Final = 10.0
"""A key that is down for longer is stuck."""

Button = tuple[Key, int]
"""A key and the seat it belongs to."""


class Keys:
    """``alone``: what the machine does at a key when no host is there (nothing: it waits for one)."""

    def __init__(self, machine: Machine, lower: Lower, service: Callable[[], None]) -> None:
        self.alone: Callable[[Key], None] | None = None
        self._machine = machine
        self._lower = lower
        self._service = service
        self._down: dict[Button, Motion] = {}
        self._stuck: set[Button] = set()

    @property
    def both_lifts(self) -> bool:
        """Whether two LIFT keys are down at once."""
        lifts = [button for button in self._down if button[0] is Key.LIFT and button not in self._stuck]
        return len(lifts) >= 2

    def tap(self, key: Key, seat: int) -> None:
        """Press and let go."""
        if (key, seat) in self._down:
            self.up(key, seat)
        self.down(key, seat)
        self._machine.spawn(self._let_go(key, seat), outside=True)

    def down(self, key: Key, seat: int) -> None:
        """A key goes down. Raises ValueError on a seat that is none."""
        if not 0 <= seat <= 3:
            raise ValueError(f"seat {seat}, expected 0..3")
        machine = self._machine
        if (key, seat) in self._down:
            return
        self._down[key, seat] = machine.spawn(self._watch(key, seat), outside=True)
        if FaultCode.CON_02 in machine.faults:
            return
        machine.key_since_stop = True
        machine.report(KeyPressed(key, seat))
        self._serve(key)

    def up(self, key: Key, seat: int) -> None:
        """A key goes up."""
        machine = self._machine
        watch = self._down.pop((key, seat), None)
        if watch is None:
            return
        machine.timeline.drop(watch)
        if FaultCode.CON_02 not in machine.faults:
            machine.report(KeyReleased(key, seat))
        self._stuck.discard((key, seat))
        if not self._stuck:
            machine.clear_fault(FaultCode.CON_01)

    def look(self) -> None:
        """Both LIFT keys are down, perhaps since before the cycle turned: it may not turn."""
        if self.both_lifts and self._machine.below and self._lower.cannot_pause() is None:
            self._lower.pause(None, by_host=False)

    def _serve(self, key: Key) -> None:
        machine, lower = self._machine, self._lower
        if key is Key.SERVICE:
            self._service()
        elif machine.safety in STOPPED or machine.safety not in (State.OPERATIONAL, State.DEGRADED):
            return
        elif key is Key.LIFT and machine.lower is State.SORTING:
            self.look()
        elif key is Key.LIFT and machine.lower is State.TOPUP_PAUSED:
            if not self.both_lifts and lower.cannot_resume() is None:
                lower.resume(None, by_host=False)
        elif self.alone is not None:
            self.alone(key)

    def _watch(self, key: Key, seat: int) -> Steps:
        yield STUCK_S
        self._stuck.add((key, seat))
        self._machine.raise_fault(FaultCode.CON_01, evidence=key)

    def _let_go(self, key: Key, seat: int) -> Steps:
        yield TAP_S
        self.up(key, seat)
