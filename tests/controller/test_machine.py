"""From one hand to the next: what the board is told, whatever it answers."""

from dataclasses import replace
from functools import reduce

import pytest

from controller import machine as m
from controller.machine import Machine, MachineStep, Stage
from firmware_bridge.faults import FaultCode
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
from firmware_bridge.states import Capability, Key, Profile, Region, ResetCause, Severity, State

STACKS = (17, 17, 17, 17)
LIFT = KeyPressed(Key.LIFT, 2)
IDLE = Status(
    State.OPERATIONAL,
    State.HATCH_CLOSED,
    State.WALLS_DOWN,
    State.EMPTY,
    State.DICE_STILL,
    (0, 0, 0, 0),
    0,
)
STAGED = replace(IDLE, lower=State.STAGED, staged=(34, 34, 34, 34))


def booted(boot_id: int = 7) -> Booted:
    return Booted(boot_id, ResetCause.POWER_ON, (1, 0), Profile.FOUR_PORT, Capability.DICE, 1, "1.0")


def after(machine: Machine, *reports: Report) -> MachineStep:
    return reduce(lambda step, arrived: m.report(step.machine, arrived, 1.0), reports, MachineStep(machine))


def at(stage: Stage, pending: Command | None = None) -> Machine:
    return Machine(stacks=STACKS, stage=stage, before=stage, boot_id=7, number=3, pending=pending)


@pytest.fixture
def ready() -> Machine:
    return after(Machine(stacks=STACKS), booted(), IDLE).machine


def test_a_hand_is_prepared_by_two_presses_of_the_lift_key(ready: Machine) -> None:
    step = after(ready, LIFT)
    assert step.command == OpenHatch()
    step = m.command_done(step.machine, step.machine.number)
    assert (step.machine.stage, step.command) == (Stage.OPEN, None)
    step = after(step.machine, LIFT)
    assert step.command == StartCycle(STACKS)
    step = m.command_done(after(step.machine, CycleDone(1, (34,) * 4, 20000)).machine, 2)
    assert step.command == RaiseWalls()
    step = m.command_done(after(step.machine, WallsUp((34,) * 4)).machine, 3)
    assert step.command == RollDice(2)
    step = after(step.machine, DiceRolled((3, 4)))
    assert (step.machine.stage, step.dice) == (Stage.PLAYING, (3, 4))


def test_during_a_hand_the_lift_key_moves_nothing(ready: Machine) -> None:
    step = after(m.hand_continues(ready), LIFT)
    assert step.lift
    assert step.command is None


def test_the_end_of_a_hand_makes_the_machine_wait_for_the_lift_key() -> None:
    assert m.hand_over(at(Stage.PLAYING)).stage is Stage.IDLE


@pytest.mark.parametrize("stage", [Stage.OPENING, Stage.SHUFFLING, Stage.RAISING, Stage.ROLLING])
def test_keys_are_ignored_while_the_machine_moves(stage: Stage) -> None:
    step = after(at(stage, OpenHatch()), LIFT)
    assert (step.command, step.machine.stage) == (None, stage)


def test_a_refused_command_is_told_and_the_board_is_asked_where_it_is() -> None:
    step = m.command_failed(at(Stage.SHUFFLING, StartCycle(STACKS)), 3, "refused", "NO_TILES", 5.0)
    assert step.command == GetStatus()
    alarm = step.machine.alarm
    assert alarm is not None
    assert "NO_TILES" in alarm.zh
    assert "NO_TILES" in alarm.en
    step = after(step.machine, replace(IDLE, hatch=State.HATCH_OPEN))
    assert (step.machine.stage, step.command) == (Stage.OPEN, None)


def test_after_a_failure_nothing_moves_before_a_key_is_pressed() -> None:
    step = m.command_failed(at(Stage.RAISING, RaiseWalls()), 3, "failed", "WAL-01", 5.0)
    step = after(step.machine, STAGED)
    assert step.command is None
    step = m.command_done(step.machine, step.machine.number)
    assert after(step.machine, LIFT).command == RaiseWalls()


def test_within_one_boot_an_interrupted_sequence_goes_on_by_itself() -> None:
    lost = after(at(Stage.SHUFFLING, StartCycle(STACKS)), Disconnected("no answer"))
    assert lost.machine.alarm is not None
    step = after(lost.machine, booted(), STAGED)
    assert step.command == RaiseWalls()
    assert step.machine.alarm is None


def test_after_another_boot_nothing_is_repeated_blindly() -> None:
    lost = after(at(Stage.SHUFFLING, StartCycle(STACKS)), Disconnected("no answer"))
    step = after(lost.machine, booted(8), STAGED)
    assert (step.command, step.machine.stage) == (None, Stage.STAGED)
    assert after(step.machine, LIFT).command == RaiseWalls()


def test_a_cycle_that_runs_on_without_the_link_is_followed_to_its_end() -> None:
    lost = after(at(Stage.SHUFFLING, StartCycle(STACKS)), Disconnected("no answer"))
    step = after(lost.machine, booted(), replace(IDLE, lower=State.SORTING))
    assert (step.machine.stage, step.command) == (Stage.SHUFFLING, None)
    assert after(step.machine, CycleDone(1, (34,) * 4, 1)).command == RaiseWalls()


def test_a_hatch_that_opens_without_the_link_is_open() -> None:
    lost = after(at(Stage.OPENING, OpenHatch()), Disconnected("no answer"))
    step = after(lost.machine, booted(), replace(IDLE, hatch=State.HATCH_OPENING))
    step = after(step.machine, StateChanged(Region.HATCH, State.HATCH_OPEN))
    assert step.machine.stage is Stage.OPEN


def test_walls_that_stand_between_two_hands_are_those_of_the_last(ready: Machine) -> None:
    lost = after(ready, Disconnected("no answer"))
    step = after(lost.machine, booted(), replace(IDLE, walls=State.WALLS_UP))
    assert (step.machine.stage, step.command) == (Stage.IDLE, None)


def test_dice_that_were_not_seen_are_thrown_again_within_one_boot() -> None:
    lost = after(at(Stage.ROLLING, RollDice(2)), Disconnected("no answer"))
    step = after(lost.machine, booted(), replace(IDLE, walls=State.WALLS_UP))
    assert step.command == RollDice(2)


def test_a_hand_goes_on_whatever_happens_to_the_board() -> None:
    step = after(at(Stage.PLAYING), Disconnected("gone"), booted(9), IDLE)
    assert (step.machine.stage, step.command) == (Stage.PLAYING, None)


def test_the_end_of_an_older_command_means_nothing() -> None:
    step = m.command_done(at(Stage.OPENING, OpenHatch()), 2)
    assert step.machine.stage is Stage.OPENING


def test_a_fault_is_an_alarm_in_words_until_it_is_cleared(ready: Machine) -> None:
    step = after(ready, Fault(FaultCode.CNT_01, Severity.STOP_CYCLE, side=1))
    alarm = step.machine.alarm
    assert alarm is not None
    assert (alarm.code, alarm.zh) == ("CNT-01", "缺牌（2号位）")
    assert after(step.machine, FaultCleared(FaultCode.CNT_01)).machine.alarm is None


def test_information_is_no_alarm(ready: Machine) -> None:
    assert after(ready, Fault(FaultCode.LNK_01, Severity.INFO)).machine.alarm is None


def test_a_protective_stop_is_known_until_the_board_works_again(ready: Machine) -> None:
    stopped = after(ready, StateChanged(Region.SAFETY, State.PROTECTIVE_STOP)).machine
    assert stopped.stopped
    assert not after(stopped, StateChanged(Region.SAFETY, State.OPERATIONAL)).machine.stopped
