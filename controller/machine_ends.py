"""What follows when a command has ended, well or not, or time has passed. Pure.

A command that was refused has moved nothing: where the board was busy it is given again. One that was begun
and failed, or whose end is not known, is never given again by itself: the board is asked where it stands, and
a person presses a key.
"""

from dataclasses import replace
from typing import Final

from controller import machine_dice
from controller.machine_motions import MOTIONS, begin, can_move, command_of, entered, is_free, located, sent
from controller.machine_stages import ON_END, Stage
from controller.machine_state import ConfigCheck, Failure, Machine, MachineStep, Retry
from firmware_bridge.faults import FaultCode
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
    RollDice,
)
from firmware_bridge.states import Key, State

AGAIN_S: Final = 0.5
"""A refused command is given again after so many seconds ..."""
TRIES: Final = 10
"""... and so often at most."""

DICE_COME_S: Final = 5.0
"""How long (s) after the end of a roll its values may still come, as reports that were missed do."""

ROLLS: Final = 3
"""After so many rolls that failed in a row people roll by hand."""

_DICE_FAULTS: Final = frozenset({FaultCode.DIC_01.name, FaultCode.DIC_02.name})
_BUSY: Final = "BUSY"
_WRONG_STATE: Final = "WRONG_STATE"


def command_done(machine: Machine, number: int, now: float) -> MachineStep:
    """The command under `number` has reached its end."""
    if number != machine.number or machine.pending is None:
        return MachineStep(machine)
    was, done = machine.pending, replace(machine, pending=None, tries=0)
    if isinstance(was, DiceReveal) and done.stage is Stage.CHECKING:
        return machine_dice.unproven(done, ("没有收到种子", "no seed was received"), now)
    if _named_dealer(done, was):
        return begin(done, Stage.ROLLING)
    if done.stage in ON_END and type(command_of(done, done.stage)) is type(was):
        return begin(done, ON_END[done.stage])
    return MachineStep(located(_after(done, was, now)))


def _named_dealer(done: Machine, was: Command) -> bool:
    """Whether the first die has come, so that the dice for the wall are due."""
    one = isinstance(was, DiceReveal) or (isinstance(was, RollDice) and was.count != done.count)
    return one and done.stage is Stage.ROLLING


def _after(done: Machine, was: Command, now: float) -> Machine:
    """The machine after a command that no stage follows by itself."""
    match was:
        case RollDice() if done.stage is Stage.ROLLING:
            # Dice that only the camera reads are waited for from when they came to rest.
            return done if done.spun else replace(done, dice_by=now + DICE_COME_S)
        case Home() | CloseHatch() | LowerWalls():
            return replace(done, stage=_unknown(done), asks=True, wish=Key.LIFT)
        case ClearStop():
            return replace(done, asks=True)
        case GetConfig() if done.config is ConfigCheck.ASKED:
            return replace(done, config=ConfigCheck.KNOWN)
    return done


def command_failed(machine: Machine, number: int, how: str, detail: str, now: float) -> MachineStep:
    """The command under `number` did not reach its end; `how` and `detail` as in `CommandFailed`."""
    if number != machine.number or machine.pending is None:
        return MachineStep(machine)
    was, ended = machine.pending, replace(machine, pending=None)
    if isinstance(was, DiceReveal) and how != "lost" and detail != _BUSY:
        return _no_seed(ended, detail, now)
    match how:
        case "refused":
            return _refused(ended, was, detail, now)
        case "failed":
            return _failed(ended, was, detail, now)
    return MachineStep(replace(ended, stage=_unknown(ended), asks=ended.board is not None))


def tick(machine: Machine, now: float) -> MachineStep:
    """Time has passed: give a refused command again; wait no longer for the values of dice."""
    if machine.retry is not None and now >= machine.retry.at:
        return _again(machine, machine.retry.command)
    if machine.dice_by is not None and now >= machine.dice_by:
        playing = replace(entered(machine, Stage.PLAYING), dice_by=None, virtual=None, spun=False)
        return MachineStep(playing, dice=())
    return MachineStep(machine)


def next_timer(machine: Machine) -> float | None:
    """When `tick` is due next."""
    times = [machine.dice_by, None if machine.retry is None else machine.retry.at]
    return min((time for time in times if time is not None), default=None)


def _again(machine: Machine, command: Command) -> MachineStep:
    """Give a refused command again, where what it moves may still move."""
    plain = replace(machine, retry=None)
    if can_move(plain) or (is_free(plain) and not isinstance(command, MOTIONS)):
        return sent(plain, command)
    return MachineStep(located(replace(plain, asks=True)))


def _refused(machine: Machine, was: Command, detail: str, now: float) -> MachineStep:
    booting = machine.status is not None and machine.status.safety is State.BOOTING
    passes = detail == _BUSY or (detail == _WRONG_STATE and booting)
    if passes and machine.tries < TRIES and machine.board is not None:
        return MachineStep(replace(machine, retry=Retry(was, now + AGAIN_S), tries=machine.tries + 1))
    plain = replace(machine, tries=0)
    if isinstance(was, DiceReveal):
        return _no_seed(plain, detail, now)
    if isinstance(was, DiceCommit) and detail == _WRONG_STATE:
        # The seed of the roll to come is drawn already.
        return begin(plain, Stage.ROLLING)
    if isinstance(was, GetStatus | GetConfig):
        return MachineStep(plain)
    return _told(plain, Failure(was, "refused", detail, now))


def _failed(machine: Machine, was: Command, detail: str, now: float) -> MachineStep:
    plain = replace(machine, tries=0)
    if isinstance(was, GetStatus | GetConfig):
        return MachineStep(plain)
    if isinstance(was, ClearJam):
        plain = replace(plain, jam=(plain.jam + 1) % 4)
    if isinstance(was, RollDice) and detail in _DICE_FAULTS:
        plain = replace(plain, rolls_failed=plain.rolls_failed + 1)
        if plain.rolls_failed >= ROLLS:
            by_hand = replace(entered(plain, Stage.PLAYING), rolls_failed=0, virtual=None)
            return MachineStep(by_hand, dice=())
    return _told(plain, Failure(was, "failed", detail, now))


def _told(machine: Machine, failure: Failure) -> MachineStep:
    """Show it and ask the board where it stands; nothing moves before a key is pressed."""
    moved = isinstance(failure.command, (*MOTIONS, DiceCommit))
    stage = _unknown(machine) if moved else machine.stage
    return MachineStep(replace(machine, failure=failure, stage=stage, asks=True, goes_on=False, wish=None))


def _no_seed(machine: Machine, detail: str, now: float) -> MachineStep:
    """The board does not tell the seed that proves its dice."""
    if machine.stage is not Stage.CHECKING:
        return MachineStep(machine)
    why = (f"控制板不给种子（{detail}）", f"the board does not tell the seed ({detail})")
    return machine_dice.unproven(replace(machine, tries=0), why, now)


def _unknown(machine: Machine) -> Stage:
    return Stage.PLAYING if machine.stage is Stage.PLAYING else Stage.UNKNOWN
