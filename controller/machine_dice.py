"""Virtual dice: nobody plays on values before the board's seed has proved them. Pure.

The board commits to a seed, rolls, and is asked for the seed. The deal begins with the values that follow
from it; where they do not, or the seed is not to be had, people roll by hand, and an alarm says why.
"""

from dataclasses import replace
from typing import Final

from controller.machine_motions import die_known, entered, rolls_virtual
from controller.machine_stages import Stage
from controller.machine_state import DiceReader, Machine, MachineStep, Trouble, VirtualRoll
from controller.machine_troubles import condition
from controller.machine_words import CONDITIONS, DICE_CODE, DICE_WRONG_CODE, UNPROVEN_CODE
from firmware_bridge.messages import DiceCommitted, DiceRevealed
from firmware_bridge.virtual_dice import digest_of, roll_values

_BOUND: Final = frozenset({Stage.ROLLING, Stage.CHECKING, Stage.PLAYING})
"""Here a commitment is made already; another one changes nothing."""

_NO_COMMITMENT: Final = ("没有收到承诺", "no commitment was received")
_RESTARTED: Final = (
    "控制板重启，承诺过的种子没有了",
    "the board has restarted and forgotten the seed it had committed to",
)

Words = tuple[str, str]
"""Chinese and English."""


def committed(machine: Machine, told: DiceCommitted) -> Machine:
    """The board has bound itself to a seed."""
    if not rolls_virtual(machine) or machine.stage in _BOUND:
        return machine
    return replace(machine, virtual=VirtualRoll(told.roll, told.digest))


def drawn(machine: Machine, values: tuple[int, ...], now: float) -> MachineStep:
    """Virtual dice are rolled: the seed comes next; without a commitment it would prove nothing."""
    waiting = replace(machine, stage=Stage.CHECKING, before=Stage.ROLLING, dice_by=None, retry=None)
    if machine.virtual is None:
        return unproven(waiting, _NO_COMMITMENT, now)
    return MachineStep(replace(waiting, virtual=replace(machine.virtual, values=values)))


def revealed(machine: Machine, told: DiceRevealed, now: float) -> MachineStep:
    """The seed is told: the deal begins with the values if they follow from it."""
    roll = machine.virtual
    if roll is None or roll.values is None or machine.stage is Stage.PLAYING:
        return MachineStep(machine)
    wrong = mismatch(roll, told, machine.count)
    if wrong is None and machine.first_die:
        return replace(die_known(machine, roll.values[0]), by=DiceReader.VIRTUAL)
    if wrong is None:
        return MachineStep(_playing(machine), dice=roll.values, by=DiceReader.VIRTUAL)
    return _by_hand(machine, DICE_WRONG_CODE, wrong, now)


def unproven(machine: Machine, why: Words, now: float) -> MachineStep:
    """The seed is not to be had: what was rolled does not count."""
    return _by_hand(machine, UNPROVEN_CODE, why, now)


def forgotten(machine: Machine, now: float) -> Machine:
    """The board has restarted and lost its seed: a commitment that nobody can check now is told as such."""
    if machine.virtual is None:
        return machine
    alarm = condition(UNPROVEN_CODE, now, *_RESTARTED, steps=CONDITIONS[DICE_CODE].steps)
    return _alarmed(replace(machine, virtual=None), alarm)


def mismatch(roll: VirtualRoll, told: DiceRevealed, count: int) -> Words | None:
    """What contradicts the proof of `count` dice, in words; None where it holds."""
    if told.roll != roll.roll:
        return f"掷号{roll.roll}变成{told.roll}", f"roll {roll.roll} became roll {told.roll}"
    if digest_of(told.seed) != roll.digest:
        return "种子和承诺不符", "the seed is not the one committed to"
    follow = roll_values(told.seed, roll.roll, {}, count)
    if follow != roll.values:
        said, due = _points(roll.values), _points(follow)
        return f"报{said}，应是{due}", f"told {said}, the seed gives {due}"
    return None


def _points(values: tuple[int, ...] | None) -> str:
    return " ".join(map(str, values or ())) or "-"


def _playing(machine: Machine) -> Machine:
    playing = entered(machine, Stage.PLAYING)
    return replace(playing, virtual=None, dice_by=None, retry=None, rolls_failed=0)


def _by_hand(machine: Machine, code: str, why: Words, now: float) -> MachineStep:
    return MachineStep(_alarmed(_playing(machine), condition(code, now, *why)), dice=())


def _alarmed(machine: Machine, alarm: Trouble) -> Machine:
    others = (notice for notice in machine.notices if notice.code != alarm.code)
    return replace(machine, notices=(*others, alarm))
