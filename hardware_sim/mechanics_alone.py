"""What a machine does at its keys while no host is there: as it always did. Pure."""

from firmware_bridge.faults import FaultCode
from firmware_bridge.states import Capability, Key, Region, State
from hardware_sim.mechanics_dice import PHYSICAL, Dice
from hardware_sim.mechanics_lower import STARTS_FROM, Lower
from hardware_sim.mechanics_machine import Machine
from hardware_sim.mechanics_upper import Upper


class Alone:
    """LIFT leads from one stage to the next, DICE rolls."""

    def __init__(self, machine: Machine, upper: Upper, lower: Lower, dice: Dice) -> None:
        self._machine = machine
        self._upper = upper
        self._lower = lower
        self._dice = dice

    def key(self, key: Key) -> None:
        """A key was pressed."""
        physical = self._machine.capabilities & PHYSICAL != Capability.NONE
        if key is Key.LIFT:
            self._lift()
        elif key is Key.DICE and physical and self._dice.cannot_roll() is None:
            self._machine.spawn(self._dice.roll(2))

    def _lift(self) -> None:
        machine, lower = self._machine, self._machine.lower
        if machine.motors or self._lower.under_way:
            return
        closed = machine.states[Region.HATCH] is State.HATCH_CLOSED
        if closed and lower in (State.STAGED, State.OVER):
            machine.spawn(self._upper.raise_walls())
        elif closed:
            machine.spawn(self._upper.travel(State.HATCH_OPEN))
        elif lower in STARTS_FROM and self._may_start():
            self._lower.start((0, 0, 0, 0), None, by_host=False)
        else:
            machine.spawn(self._upper.travel(State.HATCH_CLOSED))

    def _may_start(self) -> bool:
        machine = self._machine
        troubled = machine.faults.keys() & {FaultCode.CFG_01, FaultCode.PWR_05}
        return machine.tiles.inside > 0 and not machine.memory.locked and not troubled
