"""What the controller gives the board, and when it may: one command at a time. Pure."""

from dataclasses import replace
from typing import Final

from controller.machine_stages import GOES_ON, LOCKABLE, MILESTONES, ON_KEY, Stage, stage_of
from controller.machine_state import ConfigCheck, Machine, MachineStep, Trouble
from controller.machine_words import DICE_WRONG_CODE, UNPROVEN_CODE
from firmware_bridge.abilities import version_trouble
from firmware_bridge.faults import FaultCode
from firmware_bridge.link import VERSION
from firmware_bridge.messages import (
    ClearJam,
    ClearStop,
    CloseHatch,
    Command,
    DiceCommit,
    DiceReveal,
    GetConfig,
    GetStatus,
    Home,
    LowerWalls,
    OpenHatch,
    RaiseWalls,
    RollDice,
    SetConfig,
    StartCycle,
)
from firmware_bridge.states import Capability, Key, State, StatusFlag

MOTIONS: Final = (
    OpenHatch,
    CloseHatch,
    StartCycle,
    RaiseWalls,
    LowerWalls,
    RollDice,
    Home,
    ClearJam,
)
"""Commands that move something."""

DICE_SECRETS: Final = (DiceCommit, DiceReveal)
"""Commands of virtual dice that move nothing and belong to a stage."""

ANY_DICE: Final = Capability.DICE | Capability.DICE_SPUN | Capability.VIRTUAL_DICE
MISSING: Final = frozenset({FaultCode.CNT_01, FaultCode.CNT_03})
_NOT_WISHED: Final = frozenset({Stage.UNKNOWN, Stage.UNCLEAR, Stage.MOVING, Stage.OPEN, Stage.PLAYING})
"""Where a key that began the way home means no more: a hatch closes only when somebody asks for that."""

_BY_ITSELF: Final = frozenset({Stage.PLAYING, Stage.CHECKING})
"""Stages that do not depend on what the board's regions show."""

_WORKS: Final = frozenset({State.OPERATIONAL, State.DEGRADED})
_SAYS_YES: Final = frozenset({Key.LIFT, Key.DICE, Key.CONFIRM})
"""Keys by which a person at the table says that a stop may end."""


def is_read_only(machine: Machine) -> bool:
    """Whether the board's major version is another one, so that it may only be asked for its state."""
    return machine.board is not None and version_trouble(machine.board, VERSION) is not None


def is_free(machine: Machine) -> bool:
    """Whether the board can be given a command now."""
    idle = machine.pending is None and machine.retry is None
    return idle and machine.board is not None and not is_read_only(machine)


def can_move(machine: Machine) -> bool:
    """Whether something may move now."""
    return is_free(machine) and machine.status is not None and machine.status.safety in _WORKS


def sent(machine: Machine, command: Command) -> MachineStep:
    """Give `command`; its end comes under the new number."""
    return MachineStep(replace(machine, number=machine.number + 1, pending=command, retry=None), command)


def entered(machine: Machine, stage: Stage) -> Machine:
    """The machine in `stage`; a milestone is remembered."""
    return replace(machine, stage=stage, before=stage if stage in MILESTONES else machine.before)


def begin(machine: Machine, stage: Stage) -> MachineStep:
    """Enter `stage` and give its command; nothing where the machine may not move."""
    if not can_move(machine):
        return MachineStep(located(replace(machine, asks=True)))
    if stage is Stage.ROLLING:
        return _begin_rolling(replace(machine, failure=None, wish=None))
    command = command_of(machine, stage)
    going = entered(replace(machine, failure=None, wish=None), stage)
    return MachineStep(going) if command is None else sent(going, command)


def _begin_rolling(machine: Machine) -> MachineStep:
    """Roll what the board has: dice, or virtual ones after a commitment; else people roll by hand."""
    machine = replace(machine, notices=_but_of_dice(machine), seen=None, spun=False)
    has = Capability.NONE if machine.board is None else machine.board.capabilities & ANY_DICE
    if not has:
        return MachineStep(entered(machine, Stage.PLAYING), dice=())
    if rolls_virtual(machine) and machine.stage is not Stage.COMMITTING:
        return sent(entered(machine, Stage.COMMITTING), DiceCommit())
    return sent(entered(machine, Stage.ROLLING), RollDice(machine.count))


def _but_of_dice(machine: Machine) -> tuple[Trouble, ...]:
    """An alarm about the last roll stands until the next one."""
    return tuple(notice for notice in machine.notices if notice.code not in {DICE_WRONG_CODE, UNPROVEN_CODE})


def rolls_virtual(machine: Machine) -> bool:
    """Whether the board's dice are virtual ones, as it reads no others."""
    has = Capability.NONE if machine.board is None else machine.board.capabilities
    return Capability.VIRTUAL_DICE in has and Capability.DICE not in has


def command_of(machine: Machine, stage: Stage) -> Command | None:
    """The command that `stage` consists of."""
    commands: dict[Stage, Command] = {
        Stage.OPENING: OpenHatch(),
        Stage.SHUFFLING: StartCycle(machine.stacks),
        Stage.RAISING: RaiseWalls(),
        Stage.COMMITTING: DiceCommit(),
        Stage.ROLLING: RollDice(machine.count),
        Stage.CHECKING: DiceReveal(),
        Stage.CLEARING: ClearJam(jammed_side(machine)),
        Stage.HOMING: _homing(machine),
    }
    return commands.get(stage)


def jammed_side(machine: Machine) -> int:
    """The side that a standing fault names; else one after the other."""
    sides = [fault.side for fault in machine.faults if fault.side is not None]
    return sides[0] if sides else machine.jam


def _homing(machine: Machine) -> Command:
    """Home; a board that does not know it goes there by its two older commands, one after the other."""
    if not is_old(machine):
        return Home()
    closed = machine.status is not None and machine.status.hatch is State.HATCH_CLOSED
    return LowerWalls() if closed else CloseHatch()


def is_old(machine: Machine) -> bool:
    """Whether the board speaks protocol 1.0."""
    return machine.board is not None and machine.board.protocol < (1, 1)


def pressed(machine: Machine, key: Key) -> MachineStep:
    """A key was pressed at the table."""
    if machine.status is not None and machine.status.safety is State.PROTECTIVE_STOP:
        says_yes = key in _SAYS_YES and is_free(machine)
        return sent(replace(machine, failure=None), ClearStop()) if says_yes else MachineStep(machine)
    if key is Key.LIFT and machine.stage is Stage.PLAYING:
        return MachineStep(machine, lift=True)
    if machine.stage is Stage.UNKNOWN and is_free(machine):
        return MachineStep(replace(machine, asks=True))
    following = ON_KEY.get((machine.stage, key))
    if following is None or not can_move(machine):
        return MachineStep(machine)
    following = passable(machine, following)
    if following in LOCKABLE and is_locked(machine):
        return MachineStep(replace(machine, asks=True))
    return begin(replace(machine, goes_on=True), following)


def passable(machine: Machine, following: Stage) -> Stage:
    """What a key begins where the way that is usual is not open."""
    if following is Stage.CLEARING and is_old(machine):
        return Stage.OPENING
    below = None if machine.status is None else machine.status.lower
    closes_first = below is State.STAGED or (below is State.JAMMED and not is_old(machine))
    return Stage.HOMING if following is Stage.SHUFFLING and closes_first else following


def is_locked(machine: Machine) -> bool:
    """Whether the board begins no cycle."""
    return machine.status is not None and StatusFlag.LOCKED in machine.status.flags


def is_under_way(machine: Machine) -> bool:
    """Whether a command that belongs to a stage has not ended."""
    return isinstance(machine.pending, (*MOTIONS, *DICE_SECRETS))


def die_known(machine: Machine, die: int) -> MachineStep:
    """One die has named the first dealer; the dice that break the wall come next."""
    stage = Stage.ROLLING if is_under_way(machine) else Stage.WALLS
    known = replace(machine, stage=stage, before=Stage.ROLLING, first_die=False, virtual=None)
    return MachineStep(replace(known, dice_by=None, rolls_failed=0), die=die)


def located(machine: Machine) -> Machine:
    """The machine in the stage that the board's regions show, unless a command of its own decides that."""
    commanded = is_under_way(machine) or machine.retry is not None
    waits = machine.dice_by is not None
    status = machine.status
    if status is None or machine.board is None or machine.stage in _BY_ITSELF or commanded or waits:
        return machine
    stage = stage_of(
        hatch=status.hatch,
        walls=status.walls,
        lower=status.lower,
        dice=status.dice,
        before=machine.before,
        missing=any(fault.code in MISSING for fault in machine.faults),
    )
    rolled = stage is Stage.WALLS and machine.before is Stage.ROLLING
    if rolled or (machine.goes_on and (machine.before, stage) in GOES_ON):
        # What went before is still needed: to say that dice were rolled, or to go on from there.
        return replace(machine, stage=stage)
    return entered(machine, stage)


def go_on(machine: Machine) -> MachineStep:
    """What is due now that nothing is under way: a question to the board, or what was wished for."""
    if not is_free(machine):
        return MachineStep(machine)
    asked = _question(machine)
    if asked is not None:
        return asked
    if _owes_seed(machine):
        return sent(replace(machine, stage=Stage.CHECKING), DiceReveal())
    if machine.wish is not None and machine.stage not in _NOT_WISHED:
        return pressed(replace(machine, wish=None), machine.wish)
    following = GOES_ON.get((machine.before, machine.stage)) if machine.goes_on else None
    if following is None or not can_move(machine):
        return MachineStep(machine)
    return begin(machine, following)


def _owes_seed(machine: Machine) -> bool:
    """Whether virtual dice are rolled whose seed is still to be told: it is asked for again after a loss."""
    rolled = machine.virtual is not None and machine.virtual.values is not None
    return rolled and machine.stage in {Stage.CHECKING, Stage.WALLS}


def _question(machine: Machine) -> MachineStep | None:
    """What to ask the board before anything else, or to set."""
    if machine.asks:
        return sent(replace(machine, asks=False), GetStatus())
    if machine.status is None:
        return None
    if machine.config is ConfigCheck.UNKNOWN and has_config(machine):
        return sent(replace(machine, config=ConfigCheck.ASKED), GetConfig())
    if machine.config is ConfigCheck.DIFFERS:
        return sent(replace(machine, config=ConfigCheck.KNOWN), _config(machine))
    return None


def has_config(machine: Machine) -> bool:
    """Whether the board keeps a configuration."""
    return machine.board is not None and Capability.CONFIG in machine.board.capabilities


def _config(machine: Machine) -> SetConfig:
    return SetConfig(2 * sum(machine.stacks), machine.stacks, 0)
