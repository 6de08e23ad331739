"""The machine's part of a hand: in which stage the table is, and which command comes next. Pure.

    IDLE --lift key--> OPENING --open--> OPEN --lift key--> SHUFFLING --walls staged--> RAISING --walls up-->
    ROLLING --dice--> PLAYING --hand over--> IDLE

A command that fails, or a link that breaks, leads to UNKNOWN: the board's status decides where the table is.
Within the same boot of the board an interrupted sequence goes on by itself; after a restart of the board or a
failure nothing moves until somebody presses a key.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from firmware_bridge.faults import words
from firmware_bridge.messages import (
    Booted,
    Command,
    CycleDone,
    DiceRolled,
    Disconnected,
    Fault,
    FaultCleared,
    GetStatus,
    KeyPressed,
    OpenHatch,
    RaiseWalls,
    Report,
    RollDice,
    StartCycle,
    StateChanged,
    Status,
    WallsUp,
)
from firmware_bridge.states import Key, Severity, State

LINK_CODE: Final = "LNK-00"
COMMAND_CODE: Final = "CMD-00"


class Stage(StrEnum):
    """Where the table is in its round from one hand to the next."""

    UNKNOWN = "unknown"
    IDLE = "idle"
    OPENING = "opening"
    OPEN = "open"
    SHUFFLING = "shuffling"
    STAGED = "staged"
    RAISING = "raising"
    WALLS = "walls"
    ROLLING = "rolling"
    PLAYING = "playing"


@dataclass(frozen=True, slots=True)
class Trouble:
    """An alarm in words; `since` in seconds."""

    code: str
    zh: str
    en: str
    since: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What is known of the board.

    `before` is the last stage that was known (the stage itself unless UNKNOWN). `number` and `pending` are
    the last command's number and the command while its end is still to come. `goes_on` is false once
    something happened after which a person has to press a key before anything moves. `dice` is the number
    of dice to roll.
    """

    stacks: tuple[int, int, int, int]
    dice: int = 2
    stage: Stage = Stage.UNKNOWN
    before: Stage = Stage.IDLE
    boot_id: int | None = None
    number: int = 0
    pending: Command | None = None
    goes_on: bool = True
    stopped: bool = False
    troubles: tuple[Trouble, ...] = ()

    @property
    def alarm(self) -> Trouble | None:
        """The trouble to show: the oldest."""
        return self.troubles[0] if self.troubles else None


@dataclass(frozen=True, slots=True)
class MachineStep:
    """The machine afterwards, the command to send (its number is `machine.number`), dice that were rolled.

    `lift`: the lift key was pressed during a hand; what it means depends on the hand.
    """

    machine: Machine
    command: Command | None = None
    dice: tuple[int, ...] | None = None
    lift: bool = False


_ON_LIFT: Final[dict[Stage, Stage]] = {
    Stage.IDLE: Stage.OPENING,
    Stage.OPEN: Stage.SHUFFLING,
    Stage.STAGED: Stage.RAISING,
    Stage.WALLS: Stage.ROLLING,
}
"""What a press of the lift key begins."""

_ON_END: Final[dict[Stage, Stage]] = {
    Stage.OPENING: Stage.OPEN,
    Stage.SHUFFLING: Stage.RAISING,
    Stage.RAISING: Stage.ROLLING,
}
"""What follows when the stage's motion has come to its end."""


def report(machine: Machine, arrived: Report, now: float) -> MachineStep:  # noqa: PLR0911 - one a kind
    """Take a report of the board into account."""
    match arrived:
        case Disconnected() | Booted() | Status():
            return _link(machine, arrived, now)
        case Fault() | FaultCleared():
            return MachineStep(_fault(machine, arrived, now))
        case KeyPressed(key, _):
            return _key(machine, key)
        case DiceRolled(values) if machine.stage is Stage.ROLLING:
            return MachineStep(_entered(machine, Stage.PLAYING), dice=values)
        case StateChanged(_, state) if state in {State.PROTECTIVE_STOP, State.OPERATIONAL}:
            return MachineStep(replace(machine, stopped=state is State.PROTECTIVE_STOP))
        case _ if machine.pending is None and _ends(arrived, machine.stage):
            return _next(machine)
    return MachineStep(machine)


def _ends(arrived: Report, stage: Stage) -> bool:
    """Whether the report ends a stage whose command's own end was lost with the link."""
    match arrived:
        case StateChanged(_, State.HATCH_OPEN):
            return stage is Stage.OPENING
        case CycleDone():
            return stage is Stage.SHUFFLING
        case WallsUp():
            return stage is Stage.RAISING
    return False


def command_done(machine: Machine, number: int) -> MachineStep:
    """The command under `number` has reached its end."""
    if number != machine.number or machine.pending is None:
        return MachineStep(machine)
    done = replace(_without(machine, COMMAND_CODE), pending=None)
    if done.stage in _ON_END and _command_of(done, done.stage) == machine.pending:
        return _next(done)
    return MachineStep(done)


def command_failed(machine: Machine, number: int, how: str, detail: str, now: float) -> MachineStep:
    """The command under `number` did not reach its end: ask the board where it is, move nothing more."""
    if number != machine.number or machine.pending is None:
        return MachineStep(machine)
    was = machine.pending
    lost = replace(machine, pending=None, stage=_unknown(machine))
    if how == "lost":
        return MachineStep(lost)
    zh = f"控制板{'拒绝' if how == 'refused' else '未完成'}：{type(was).__name__} {detail}"
    en = f"the board {how} {type(was).__name__}: {detail}"
    told = lost if isinstance(was, GetStatus) else _with(lost, Trouble(COMMAND_CODE, zh, en, now))
    told = replace(told, goes_on=False)
    if isinstance(was, GetStatus):
        return MachineStep(replace(told, stage=machine.before))
    return _sent(told, GetStatus())


def hand_over(machine: Machine) -> Machine:
    """The hand that was played has ended."""
    return _entered(machine, Stage.IDLE) if machine.before is Stage.PLAYING else machine


def hand_continues(machine: Machine) -> Machine:
    """A start of the controller finds a hand in play."""
    return _entered(machine, Stage.PLAYING)


def open_hatch(machine: Machine) -> MachineStep:
    """Begin the way to the next hand, as a press of the lift key does."""
    return _key(machine, Key.LIFT) if machine.stage is Stage.IDLE else MachineStep(machine)


def with_trouble(machine: Machine, trouble: Trouble) -> Machine:
    """Raise an alarm that does not come from the board."""
    return _with(machine, trouble)


def without_trouble(machine: Machine, code: str) -> Machine:
    """Clear an alarm."""
    return _without(machine, code)


def _key(machine: Machine, key: Key) -> MachineStep:
    if key is Key.LIFT and machine.stage is Stage.PLAYING:
        return MachineStep(machine, lift=True)
    pressed = key is Key.LIFT or (key is Key.DICE and machine.stage is Stage.WALLS)
    following = _ON_LIFT.get(machine.stage) if pressed and machine.pending is None else None
    if following is None:
        return MachineStep(machine)
    return _begin(replace(machine, goes_on=True), following)


def _next(machine: Machine) -> MachineStep:
    following = _ON_END[machine.stage]
    return _begin(machine, following)


def _begin(machine: Machine, stage: Stage) -> MachineStep:
    entered = _entered(machine, stage)
    command = _command_of(entered, stage)
    return _sent(entered, command) if command is not None else MachineStep(entered)


def _command_of(machine: Machine, stage: Stage) -> Command | None:
    commands: dict[Stage, Command] = {
        Stage.OPENING: OpenHatch(),
        Stage.SHUFFLING: StartCycle(machine.stacks),
        Stage.RAISING: RaiseWalls(),
        Stage.ROLLING: RollDice(machine.dice),
    }
    return commands.get(stage)


def _sent(machine: Machine, command: Command) -> MachineStep:
    return MachineStep(replace(machine, number=machine.number + 1, pending=command), command)


def _entered(machine: Machine, stage: Stage) -> Machine:
    return replace(machine, stage=stage, before=stage)


def _unknown(machine: Machine) -> Stage:
    """During a hand the machine does nothing, so a hand goes on whatever happens to the board."""
    return Stage.PLAYING if machine.before is Stage.PLAYING else Stage.UNKNOWN


def _link(machine: Machine, arrived: Disconnected | Booted | Status, now: float) -> MachineStep:
    match arrived:
        case Disconnected(reason):
            return MachineStep(_disconnected(machine, reason, now))
        case Booted():
            return MachineStep(_booted(machine, arrived))
        case Status():
            return _status(machine, arrived)


def _disconnected(machine: Machine, reason: str, now: float) -> Machine:
    trouble = Trouble(LINK_CODE, f"与控制板的连接中断：{reason}", f"link to the board lost: {reason}", now)
    return _with(replace(machine, stage=_unknown(machine), pending=None), trouble)


def _booted(machine: Machine, booted: Booted) -> Machine:
    same = machine.boot_id in {None, booted.boot_id}
    known = replace(machine, boot_id=booted.boot_id, stage=_unknown(machine), pending=None)
    return replace(_without(known, LINK_CODE), goes_on=machine.goes_on and same)


def _status(machine: Machine, status: Status) -> MachineStep:
    stopped = replace(machine, stopped=status.safety is State.PROTECTIVE_STOP)
    if machine.stage is not Stage.UNKNOWN or isinstance(machine.pending, OpenHatch | StartCycle):
        return MachineStep(stopped)
    stage = _stage_of(status, machine.before)
    resumes = stage if stage in {Stage.STAGED, Stage.WALLS} else None
    if resumes is not None and machine.goes_on:
        return _begin(stopped, _ON_LIFT[resumes])
    return MachineStep(_entered(stopped, stage))


def _stage_of(status: Status, before: Stage) -> Stage:
    """The stage the board's status shows; `before` tells walls for the next hand from those of the last."""
    if status.hatch in {State.HATCH_OPEN, State.HATCH_OPENING}:
        return Stage.OPEN if status.hatch is State.HATCH_OPEN else Stage.OPENING
    if status.lower is State.SORTING:
        return Stage.SHUFFLING
    if status.walls in {State.WALLS_UP, State.WALLS_RAISING}:
        fresh = before in {Stage.RAISING, Stage.ROLLING, Stage.WALLS, Stage.STAGED, Stage.SHUFFLING}
        raising = status.walls is State.WALLS_RAISING
        return (Stage.RAISING if raising else Stage.WALLS) if fresh else Stage.IDLE
    return Stage.STAGED if status.lower is State.STAGED else Stage.IDLE


def _fault(machine: Machine, fault: Fault | FaultCleared, now: float) -> Machine:
    if isinstance(fault, FaultCleared):
        return _without(machine, fault.code.label)
    if fault.severity is Severity.INFO:
        return machine
    text = words(fault.code)
    zh, en = text.zh, text.en
    if fault.side is not None:
        zh, en = f"{zh}（{fault.side + 1}号位）", f"{en} (side {fault.side + 1})"
    return _with(machine, Trouble(fault.code.label, zh, en, now))


def _with(machine: Machine, trouble: Trouble) -> Machine:
    kept = tuple(old for old in machine.troubles if old.code != trouble.code)
    return replace(machine, troubles=(*kept, trouble))


def _without(machine: Machine, code: str) -> Machine:
    return replace(machine, troubles=tuple(old for old in machine.troubles if old.code != code))
