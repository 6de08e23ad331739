"""Dice that the board spins and a camera reads. Pure.

A board that spins dice without reading them tells only that they have come to rest. What the camera has read
since they were set spinning counts then; where it has read nothing yet it is waited for, for a while. What
lay there before the roll never counts: dice that begin to move take back what was read.
"""

from dataclasses import replace
from typing import Final

from controller.machine_motions import begin, die_known, entered, is_under_way
from controller.machine_stages import Stage
from controller.machine_state import DiceReader, Machine, MachineStep
from firmware_bridge.states import Capability

SEEN_S: Final = 10.0
"""How long (s) the camera is waited for after the dice have come to rest.

A computer with much other work has read them up to 2.5 s late; who is asked too early has to throw by hand.
"""

LONGEST_S: Final = 30.0
"""How long (s) at most, however often the camera goes and comes back meanwhile."""


def spins_only(machine: Machine) -> bool:
    """Whether the board spins dice that it does not read."""
    has = Capability.NONE if machine.board is None else machine.board.capabilities
    return Capability.DICE_SPUN in has and not has & (Capability.DICE | Capability.VIRTUAL_DICE)


def dice_seen(machine: Machine, values: tuple[int, ...] | None) -> MachineStep:
    """The camera has read the dice, or sees that they move or can't be read (None)."""
    now = replace(machine, seen=values)
    return _taken(now) if machine.spun else MachineStep(now)


def came_to_rest(machine: Machine, now: float) -> MachineStep:
    """The board says that the dice it can't read lie still."""
    return _taken(replace(machine, spun=True, dice_by=now + SEEN_S, dice_last=now + LONGEST_S))


def camera_is_back(machine: Machine, now: float) -> Machine:
    """The camera sees again: dice that wait for it are waited for anew, but not for ever."""
    return replace(machine, dice_by=min(now + SEEN_S, machine.dice_last)) if machine.spun else machine


def _taken(machine: Machine) -> MachineStep:
    """Go on with what the camera has read, where that is as many dice as were rolled."""
    values = machine.seen
    if values is None or len(values) != machine.count or machine.stage is not Stage.ROLLING:
        return MachineStep(machine)
    rolled = replace(machine, spun=False, seen=None, dice_by=None, retry=None, rolls_failed=0)
    if not machine.first_die:
        return MachineStep(entered(rolled, Stage.PLAYING), dice=values, by=DiceReader.CAMERA)
    named = die_known(rolled, values[0])
    following = named if is_under_way(rolled) else begin(named.machine, Stage.ROLLING)
    return replace(following, die=named.die, by=DiceReader.CAMERA)
