"""The machine's part of a hand: in which stage the table is, and which command comes next. Pure.

`machine_stages` holds the tables of stages, `machine_motions` what is commanded and when,
`machine_reports` what each report means, `machine_ends` what the end of a command leads to,
`machine_dice` how virtual dice are proved, `machine_seen` how a camera reads dice,
`machine_troubles` what people read.

Within one boot of the board an interrupted way goes on by itself as far as nothing moves twice. After a
restart of the board or a failure nothing moves until somebody presses a key. A hand that is played goes on
whatever happens to the board.
"""

from dataclasses import replace

from controller import machine_ends
from controller.machine_ends import next_timer
from controller.machine_motions import go_on, located, pressed
from controller.machine_reports import HANDLERS
from controller.machine_seen import dice_seen as _dice_seen
from controller.machine_stages import Stage
from controller.machine_state import Machine, MachineStep, Trouble
from controller.machine_troubles import with_troubles
from firmware_bridge.messages import Report
from firmware_bridge.states import Key

__all__ = [
    "Machine",
    "MachineStep",
    "Stage",
    "Trouble",
    "command_done",
    "command_failed",
    "dice_seen",
    "hand_continues",
    "hand_over",
    "next_timer",
    "open_hatch",
    "report",
    "tick",
    "with_eyes",
    "with_trouble",
    "without_trouble",
]


def report(machine: Machine, arrived: Report, now: float) -> MachineStep:
    """Take a report of the board into account."""
    return _completed(HANDLERS[type(arrived)](machine, arrived, now), now)


def command_done(machine: Machine, number: int, now: float) -> MachineStep:
    """The command under `number` has reached its end."""
    return _completed(machine_ends.command_done(machine, number, now), now)


def command_failed(machine: Machine, number: int, how: str, detail: str, now: float) -> MachineStep:
    """The command under `number` did not reach its end: `how` is "refused", "failed" or "lost"."""
    return _completed(machine_ends.command_failed(machine, number, how, detail, now), now)


def tick(machine: Machine, now: float) -> MachineStep:
    """Time has passed."""
    return _completed(machine_ends.tick(machine, now), now)


def dice_seen(machine: Machine, values: tuple[int, ...] | None, now: float) -> MachineStep:
    """The camera has read the dice; None where they move or can't be read."""
    return _completed(_dice_seen(machine, values), now)


def with_eyes(machine: Machine, *, eyes: bool) -> Machine:
    """A camera sees the table, or does no longer."""
    return machine if machine.eyes is eyes else replace(machine, eyes=eyes, seen=None)


def hand_over(machine: Machine) -> Machine:
    """The hand that was played has ended."""
    if machine.stage is not Stage.PLAYING:
        return machine
    resting = Stage.IDLE if machine.board is not None and machine.status is not None else Stage.UNKNOWN
    return located(replace(machine, stage=resting, before=Stage.IDLE))


def hand_continues(machine: Machine) -> Machine:
    """A start of the controller finds a hand in play."""
    return replace(machine, stage=Stage.PLAYING, before=Stage.PLAYING)


def open_hatch(machine: Machine, now: float) -> MachineStep:
    """Begin the way to the next hand, as a press of the lift key does."""
    if machine.stage in {Stage.IDLE, Stage.UNCLEAR}:
        return _completed(pressed(machine, Key.LIFT), now)
    return MachineStep(machine)


def with_trouble(machine: Machine, trouble: Trouble) -> Machine:
    """Raise an alarm that does not come from the board."""
    return _noticed(machine, (*_others(machine, trouble.code), trouble), trouble.since)


def without_trouble(machine: Machine, code: str, now: float) -> Machine:
    """Clear an alarm that does not come from the board."""
    return _noticed(machine, _others(machine, code), now)


def _noticed(machine: Machine, notices: tuple[Trouble, ...], now: float) -> Machine:
    return machine if notices == machine.notices else with_troubles(replace(machine, notices=notices), now)


def _others(machine: Machine, code: str) -> tuple[Trouble, ...]:
    return tuple(notice for notice in machine.notices if notice.code != code)


def _completed(step: MachineStep, now: float) -> MachineStep:
    """Go on where nothing was commanded, and bring the troubles up to date."""
    if step.command is None and step.dice is None:
        following = go_on(step.machine)
        step = replace(following, lift=step.lift, die=step.die, by=step.by)
    return replace(step, machine=with_troubles(step.machine, now))
