"""What each report of the board means: one handler a kind. Pure."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from controller import machine_dice, machine_seen
from controller.machine_motions import (
    die_known,
    entered,
    has_config,
    is_under_way,
    located,
    pressed,
    rolls_virtual,
)
from controller.machine_stages import Stage
from controller.machine_state import ConfigCheck, Machine, MachineStep, Standing
from firmware_bridge import messages as m
from firmware_bridge.commands import Four
from firmware_bridge.configuration import crc_of
from firmware_bridge.faults import FaultCode
from firmware_bridge.states import Key, Region, State

ON_AFTER_S: Final = 60.0
"""After a loss of the link of more than this many seconds nothing goes on by itself: people have moved on."""

KEY_KEPT_S: Final = 10.0
"""A key that was pressed while the link was lost opens the hatch when the loss took no longer, in seconds."""

Handler = Callable[[Machine, Any, float], MachineStep]


def _booted(machine: Machine, booted: m.Booted, now: float) -> MachineStep:
    """A session begins: standing faults and status follow. After another boot no command is under way."""
    away = 0.0 if machine.lost_at is None else now - machine.lost_at
    met = replace(
        machine,
        boot_id=booted.boot_id,
        board=booted,
        status=None,
        asks=False,
        faults=(),
        lost_at=None,
        away_s=away,
        heard=False,
        goes_on=machine.goes_on and away <= ON_AFTER_S,
    )
    if machine.boot_id in {None, booted.boot_id}:
        return MachineStep(met)
    return MachineStep(
        replace(
            _elsewhere(machine_dice.forgotten(met, now)),
            pending=None,
            goes_on=False,
            failure=None,
            config=ConfigCheck.UNKNOWN,
        )
    )


def _disconnected(machine: Machine, gone: m.Disconnected, now: float) -> MachineStep:
    """The link is gone. What is under way stays so until its end is known, or is known to be unknown."""
    since = now if machine.lost_at is None else machine.lost_at
    lost = replace(machine, board=None, lost_at=since, lost=gone.reason, loss=gone.loss, asks=False)
    away = _elsewhere(lost)
    return MachineStep(replace(away, stage=machine.stage) if is_under_way(machine) else away)


def _elsewhere(machine: Machine) -> Machine:
    """The board has to be looked for anew; a hand goes on whatever happens to the board."""
    stage = Stage.PLAYING if machine.stage is Stage.PLAYING else Stage.UNKNOWN
    return replace(machine, stage=stage, retry=None, wish=None, dice_by=None, spun=False)


def _status(machine: Machine, status: m.Status, _: float) -> MachineStep:
    return MachineStep(located(replace(machine, status=status)))


def _state_changed(machine: Machine, changed: m.StateChanged, _: float) -> MachineStep:
    status = machine.status
    if status is None:
        return MachineStep(machine)
    told = replace(machine, status=_with_region(status, changed.state))
    if told.stopped and not machine.stopped:
        told = replace(told, goes_on=False, wish=None)
    return MachineStep(located(told))


def _with_region(status: m.Status, state: State) -> m.Status:
    match state.region:
        case Region.SAFETY:
            return replace(status, safety=state)
        case Region.HATCH:
            return replace(status, hatch=state)
        case Region.WALLS:
            return replace(status, walls=state)
        case Region.LOWER:
            return replace(status, lower=state)
        case Region.DICE:
            return replace(status, dice=state)


def _cycle_done(machine: Machine, done: m.CycleDone, _: float) -> MachineStep:
    return MachineStep(_staged(machine, done.counts))


def _walls_up(machine: Machine, _: m.WallsUp, __: float) -> MachineStep:
    return MachineStep(_staged(machine, (0, 0, 0, 0)))


def _staged(machine: Machine, counts: Four) -> Machine:
    status = machine.status
    return machine if status is None else replace(machine, status=replace(status, staged=counts))


def _dice_rolled(machine: Machine, rolled: m.DiceRolled, now: float) -> MachineStep:
    """The deal begins where the table waits for dice; at any other time they mean nothing."""
    unknown = machine.stage is Stage.UNKNOWN and machine.before in {Stage.WALLS, Stage.ROLLING}
    if machine.stage not in {Stage.WALLS, Stage.ROLLING} and not unknown:
        return MachineStep(machine)
    if rolls_virtual(machine):
        return machine_dice.drawn(machine, rolled.values, now)
    if not rolled.values and machine.eyes and machine_seen.spins_only(machine) and not unknown:
        return machine_seen.came_to_rest(replace(machine, stage=Stage.ROLLING), now)
    if rolled.values and len(rolled.values) != machine.count:
        # An earlier roll, told late.
        return MachineStep(machine)
    if rolled.values and machine.first_die:
        return die_known(replace(machine, retry=None), rolled.values[0])
    playing = replace(entered(machine, Stage.PLAYING), dice_by=None, retry=None, rolls_failed=0)
    return MachineStep(playing, dice=rolled.values)


def _dice_committed(machine: Machine, told: m.DiceCommitted, _: float) -> MachineStep:
    return MachineStep(machine_dice.committed(machine, told))


def _key_pressed(machine: Machine, press: m.KeyPressed, _: float) -> MachineStep:
    return pressed(machine, press.key)


def _fault(machine: Machine, fault: m.Fault, now: float) -> MachineStep:
    same = [old for old in machine.faults if int(old.code) == int(fault.code)]
    since = same[0].since if same else now
    standing = Standing(fault.code, fault.severity, fault.side, fault.evidence, since)
    if fault.code is FaultCode.CFG_01 and has_config(machine):
        machine = replace(machine, config=ConfigCheck.DIFFERS)
    return MachineStep(_with_faults(machine, (*_but(machine, int(fault.code)), standing)))


def _fault_cleared(machine: Machine, gone: m.FaultCleared, _: float) -> MachineStep:
    return MachineStep(_with_faults(machine, _but(machine, int(gone.code))))


def _with_faults(machine: Machine, faults: tuple[Standing, ...]) -> Machine:
    return located(replace(machine, faults=faults))


def _but(machine: Machine, code: int) -> tuple[Standing, ...]:
    return tuple(old for old in machine.faults if int(old.code) != code)


def _config(machine: Machine, config: m.Config, _: float) -> MachineStep:
    """The one in force comes first, the one that waits (where one does) after it: the last one counts."""
    if machine.config is ConfigCheck.UNKNOWN:
        return MachineStep(machine)
    wanted = crc_of(2 * sum(machine.stacks), machine.stacks, 0)
    known = ConfigCheck.KNOWN if config.crc == wanted else ConfigCheck.DIFFERS
    return MachineStep(replace(machine, config=known))


def _missed(machine: Machine, missed: m.Missed, now: float) -> MachineStep:
    """What happened while the link was lost is history: used where the stage waits for it, never as a state.

    A cycle's end and walls that are up the status has told already. A key opens the hatch if that was
    shortly ago, and says that a hand is over; it closes and lifts nothing, and counts once.
    """
    match missed.report:
        case m.DiceRolled() | m.DiceCommitted() | m.DiceRevealed():
            return HANDLERS[type(missed.report)](machine, missed.report, now)
        case m.KeyPressed(Key.LIFT, _) if not machine.heard:
            recent = machine.stage is Stage.IDLE and machine.away_s <= KEY_KEPT_S
            if machine.stage is Stage.PLAYING and not machine.stopped:
                return MachineStep(replace(machine, heard=True), lift=True)
            if recent:
                return pressed(replace(machine, heard=True), Key.LIFT)
    return MachineStep(machine)


def _nothing(machine: Machine, _: m.Report, __: float) -> MachineStep:
    """The journal keeps it; nothing follows."""
    return MachineStep(machine)


HANDLERS: Final[dict[type[m.Report], Handler]] = {
    m.Booted: _booted,
    m.Disconnected: _disconnected,
    m.Missed: _missed,
    m.Status: _status,
    m.StateChanged: _state_changed,
    m.CycleDone: _cycle_done,
    m.WallsUp: _walls_up,
    m.DiceRolled: _dice_rolled,
    m.KeyPressed: _key_pressed,
    m.Fault: _fault,
    m.FaultCleared: _fault_cleared,
    m.Config: _config,
    m.TileCount: _nothing,
    m.SideDone: _nothing,
    m.KeyReleased: _nothing,
    m.ReportsLost: _nothing,
    m.ConfigApplied: _nothing,
    m.Travel: _nothing,
    m.DiceCommitted: _dice_committed,
    m.DiceRevealed: machine_dice.revealed,
    m.Counters: _nothing,
    m.FaultRecord: _nothing,
    m.DictionaryEntry: _nothing,
    m.SelfTestResult: _nothing,
    m.LinkCounts: _nothing,
}
"""Every report there is."""
