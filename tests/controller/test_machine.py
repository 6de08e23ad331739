"""From one hand to the next: what the board is told, whatever it says."""

from dataclasses import replace
from functools import reduce
from typing import get_args

import pytest
from ready import IDLE

from controller import machine as m
from controller.machine import Machine, MachineStep, Stage
from controller.machine_reports import HANDLERS
from firmware_bridge import messages
from firmware_bridge.configuration import crc_of
from firmware_bridge.errors import NoValidFrame
from firmware_bridge.faults import FaultCode, FaultText, UnknownFault
from firmware_bridge.messages import (
    Booted,
    ClearJam,
    ClearStop,
    CloseHatch,
    Command,
    Config,
    CycleDone,
    DiceCommit,
    DiceCommitted,
    DiceReveal,
    DiceRevealed,
    DiceRolled,
    Disconnected,
    Fault,
    FaultCleared,
    GetConfig,
    GetStatus,
    Home,
    KeyPressed,
    LowerWalls,
    Missed,
    OpenHatch,
    RaiseWalls,
    Report,
    RollDice,
    SetConfig,
    StartCycle,
    StateChanged,
    Status,
    WallsUp,
)
from firmware_bridge.states import (
    Capability,
    Key,
    Loss,
    Profile,
    Region,
    ResetCause,
    Severity,
    State,
    StatusFlag,
)
from firmware_bridge.virtual_dice import digest_of, roll_values

STACKS = (17, 17, 17, 17)
LIFT = KeyPressed(Key.LIFT, 2)
STAGED = replace(IDLE, lower=State.STAGED, staged=(34, 34, 34, 34))


DICE_KEY = KeyPressed(Key.DICE, 0)
UP = replace(IDLE, walls=State.WALLS_UP)
OPEN = replace(IDLE, hatch=State.HATCH_OPEN, lower=State.LOADED)
HALF_OPEN = replace(IDLE, hatch=State.HATCH_UNKNOWN)
JAMMED = replace(IDLE, lower=State.JAMMED)
SHORT = replace(IDLE, lower=State.SHORT, staged=(34, 33, 34, 32))


def booted(
    boot_id: int = 7, protocol: tuple[int, int] = (1, 1), able: Capability = Capability.DICE
) -> Booted:
    return Booted(boot_id, ResetCause.POWER_ON, protocol, Profile.FOUR_PORT, able, 1, "1.0")


def after(machine: Machine, *reports: Report, now: float = 1.0) -> MachineStep:
    return reduce(lambda step, arrived: m.report(step.machine, arrived, now), reports, MachineStep(machine))


def at(stage: Stage, pending: Command | None = None, status: Status = IDLE) -> Machine:
    return Machine(
        stacks=STACKS,
        stage=stage,
        before=stage,
        boot_id=7,
        board=booted(),
        status=status,
        number=3,
        pending=pending,
        goes_on=True,
    )


def done(step: MachineStep, now: float = 1.0) -> MachineStep:
    """The command that was sent last ends well."""
    return m.command_done(step.machine, step.machine.number, now)


def failed(step: MachineStep, how: str, detail: str = "", now: float = 1.0) -> MachineStep:
    return m.command_failed(step.machine, step.machine.number, how, detail, now)


def asked(step: MachineStep, status: Status) -> MachineStep:
    """The board is asked for its status, and tells it."""
    assert step.command == GetStatus()
    return done(after(step.machine, status))


def codes(machine: Machine) -> list[str]:
    return [trouble.code for trouble in machine.troubles]


@pytest.fixture
def ready() -> Machine:
    return after(Machine(stacks=STACKS), booted(), IDLE).machine


# ---- the way from one hand to the next ---------------------------------------------------------------------


def test_every_report_of_the_protocol_has_a_handler() -> None:
    assert set(HANDLERS) == set(get_args(messages.Report))


def test_a_hand_is_prepared_by_two_presses_of_the_lift_key(ready: Machine) -> None:
    step = after(ready, LIFT)
    assert step.command == OpenHatch()
    step = done(step)
    assert (step.machine.stage, step.command) == (Stage.OPEN, None)
    step = after(step.machine, LIFT)
    assert step.command == StartCycle(STACKS)
    step = done(after(step.machine, CycleDone(1, (34,) * 4, 20000)))
    assert step.command == RaiseWalls()
    step = done(after(step.machine, WallsUp((34,) * 4)))
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


def test_the_end_of_an_older_command_means_nothing() -> None:
    step = m.command_done(at(Stage.OPENING, OpenHatch()), 2, 1.0)
    assert step.machine.stage is Stage.OPENING


# ---- commands that come to nothing -------------------------------------------------------------------------


def test_a_refused_command_is_told_and_the_board_is_asked_where_it_is() -> None:
    step = failed(MachineStep(at(Stage.SHUFFLING, StartCycle(STACKS))), "refused", "NO_TILES", 5.0)
    alarm = step.machine.alarm
    assert alarm is not None
    assert alarm.zh == "洗牌没有开始：机器里没有牌（NO_TILES）"
    assert "NO_TILES" in alarm.en
    assert alarm.steps[0][0] == "把牌都推进中心口"
    step = asked(step, OPEN)
    assert (step.machine.stage, step.command, codes(step.machine)) == (Stage.OPEN, None, ["CMD-00"])
    assert codes(after(step.machine, LIFT).machine) == []


def test_a_busy_board_is_given_the_command_again_because_nothing_has_moved() -> None:
    step = failed(MachineStep(at(Stage.RAISING, RaiseWalls())), "refused", "BUSY", 5.0)
    assert (step.command, step.machine.stage) == (None, Stage.RAISING)
    assert m.next_timer(step.machine) == 5.5
    assert m.tick(step.machine, 5.4).command is None
    step = m.tick(step.machine, 5.5)
    assert step.command == RaiseWalls()
    assert done(step).command == RollDice(2)


def test_a_board_that_stays_busy_is_left_alone_after_ten_tries() -> None:
    step, now, sent = MachineStep(at(Stage.RAISING, RaiseWalls())), 5.0, 0
    while step.command != GetStatus():
        sent += step.command == RaiseWalls()
        step = failed(step, "refused", "BUSY", now)
        now += 1.0
        if step.command is None:
            step = m.tick(step.machine, now)
    assert sent == 10
    assert codes(step.machine) == ["CMD-00"]


def test_after_a_failure_nothing_moves_before_a_key_is_pressed() -> None:
    step = failed(MachineStep(at(Stage.RAISING, RaiseWalls())), "failed", "WAL_01", 5.0)
    step = asked(step, STAGED)
    assert (step.command, codes(step.machine)) == (None, ["CMD-00"])
    assert after(step.machine, LIFT).command == RaiseWalls()


def test_a_fault_that_stands_says_what_failed_better_than_the_failure_does() -> None:
    jam = after(at(Stage.SHUFFLING, StartCycle(STACKS)), Fault(FaultCode.FED_01, Severity.STOP_CYCLE, 2))
    step = failed(jam, "failed", "FED_01")
    assert codes(step.machine) == ["FED-01"]


# ---- links that come and go --------------------------------------------------------------------------------


def test_a_lost_link_is_told_with_what_to_do_until_it_is_back(ready: Machine) -> None:
    lost = after(ready, Disconnected("the board does not answer")).machine
    assert lost.alarm is not None
    assert lost.alarm.code == "LNK-00"
    assert any("数据线" in zh for zh, _ in lost.alarm.steps)
    assert any("power" in en for _, en in lost.alarm.steps)
    assert codes(after(lost, booted(), IDLE).machine) == []


def test_another_tables_board_and_noise_are_told_apart(ready: Machine) -> None:
    assert codes(after(ready, Disconnected("any words", Loss.WRONG_BOARD)).machine) == ["LNK-10"]
    assert codes(after(ready, Disconnected("any words", Loss.NOISE)).machine) == ["LNK-11"]
    held = after(
        ready, Disconnected("/dev/x: another program holds this port (ModemManager, pid 9)", Loss.HELD)
    )
    assert codes(held.machine) == ["LNK-12"]
    assert held.machine.alarm is not None
    assert "(ModemManager, pid 9)" in held.machine.alarm.zh
    assert codes(after(ready, Disconnected(NoValidFrame(9, 1).reason)).machine) == ["LNK-00"]


def test_a_command_under_way_is_waited_for_over_a_lost_link() -> None:
    lost = after(at(Stage.SHUFFLING, StartCycle(STACKS)), Disconnected("no answer"))
    step = after(lost.machine, booted(), STAGED)
    assert (step.command, step.machine.pending) == (None, StartCycle(STACKS))
    assert done(step).command == RaiseWalls()


def test_within_one_boot_an_interrupted_way_goes_on_by_itself_where_nothing_moves_twice() -> None:
    lost = after(at(Stage.SHUFFLING, StartCycle(STACKS)), Disconnected("no answer"))
    step = failed(lost, "lost")
    assert after(step.machine, booted(), STAGED).command == RaiseWalls()


def test_a_motion_whose_end_is_not_known_waits_for_a_key() -> None:
    lost = after(at(Stage.RAISING, RaiseWalls()), Disconnected("no answer"))
    step = after(failed(lost, "lost").machine, booted(), STAGED)
    assert (step.command, step.machine.stage) == (None, Stage.STAGED)
    assert after(step.machine, LIFT).command == RaiseWalls()


def test_a_lost_command_that_is_told_late_makes_the_board_be_asked() -> None:
    lost = after(at(Stage.RAISING, RaiseWalls()), Disconnected("no answer"), booted(), UP)
    step = failed(lost, "lost")
    assert asked(step, UP).command == RollDice(2)


def test_after_a_minute_without_a_link_nothing_goes_on_by_itself() -> None:
    lost = failed(after(at(Stage.SHUFFLING, StartCycle(STACKS)), Disconnected("gone"), now=10.0), "lost")
    step = after(lost.machine, booted(), STAGED, now=71.0)
    assert (step.command, step.machine.stage) == (None, Stage.STAGED)


def test_after_another_boot_nothing_is_repeated() -> None:
    lost = after(at(Stage.SHUFFLING, StartCycle(STACKS)), Disconnected("no answer"))
    step = after(lost.machine, booted(8), STAGED)
    assert (step.command, step.machine.stage) == (None, Stage.STAGED)
    assert failed(step, "lost").command is None
    assert after(step.machine, LIFT).command == RaiseWalls()


def test_a_start_of_the_controller_moves_nothing_by_itself() -> None:
    fresh = Machine(stacks=STACKS, before=Stage.SHUFFLING, boot_id=7)
    step = after(fresh, booted(), STAGED)
    assert (step.command, step.machine.stage) == (None, Stage.STAGED)


def test_a_cycle_that_runs_on_without_the_link_is_followed_to_its_end() -> None:
    lost = failed(after(at(Stage.SHUFFLING, StartCycle(STACKS)), Disconnected("no answer")), "lost")
    step = after(lost.machine, booted(), replace(IDLE, lower=State.SORTING))
    assert (step.machine.stage, step.command) == (Stage.SHUFFLING, None)
    assert after(step.machine, StateChanged(Region.LOWER, State.STAGED)).command == RaiseWalls()


def test_a_hatch_that_opens_without_the_link_is_open() -> None:
    lost = failed(after(at(Stage.OPENING, OpenHatch()), Disconnected("no answer")), "lost")
    step = after(lost.machine, booted(), replace(IDLE, hatch=State.HATCH_OPENING))
    assert step.machine.stage is Stage.OPENING
    step = after(step.machine, StateChanged(Region.HATCH, State.HATCH_OPEN))
    assert step.machine.stage is Stage.OPEN


def test_walls_that_stand_between_two_hands_are_those_of_the_last(ready: Machine) -> None:
    lost = after(ready, Disconnected("no answer"))
    step = after(lost.machine, booted(), UP)
    assert (step.machine.stage, step.command) == (Stage.IDLE, None)


def test_a_hand_goes_on_whatever_happens_to_the_board() -> None:
    step = after(at(Stage.PLAYING), Disconnected("gone"), booted(9), HALF_OPEN)
    assert (step.machine.stage, step.command) == (Stage.PLAYING, None)
    assert step.machine.alarm is not None
    assert step.machine.alarm.code == "POS-00"
    assert "打完" in step.machine.alarm.steps[1][0]


# ---- dice --------------------------------------------------------------------------------------------------


def lost_while_rolling() -> MachineStep:
    lost = after(at(Stage.ROLLING, RollDice(2), UP), Disconnected("no answer"))
    return after(lost.machine, booted(), UP)


def test_dice_that_were_rolled_without_the_link_are_used_and_not_rolled_again() -> None:
    step = done(lost_while_rolling())
    assert (step.command, step.machine.stage) == (None, Stage.ROLLING)
    step = after(step.machine, Missed(12, 900, DiceRolled((2, 5))))
    assert (step.machine.stage, step.dice) == (Stage.PLAYING, (2, 5))


def test_dice_that_rolled_and_that_nobody_tells_begin_the_deal_without_values() -> None:
    step = done(lost_while_rolling(), now=10.0)
    assert m.tick(step.machine, 14.9).dice is None
    step = m.tick(step.machine, 15.0)
    assert (step.machine.stage, step.dice) == (Stage.PLAYING, ())


def test_dice_that_may_have_rolled_are_rolled_again_only_by_a_key() -> None:
    step = failed(lost_while_rolling(), "lost")
    step = asked(step, UP)
    assert (step.command, step.machine.stage, codes(step.machine)) == (None, Stage.WALLS, ["DIC-00"])
    assert after(step.machine, DICE_KEY).command == RollDice(2)


def test_dice_of_another_time_mean_nothing() -> None:
    step = after(at(Stage.PLAYING), DiceRolled((1, 1)), Missed(3, 5, DiceRolled((2, 2))))
    assert step.dice is None
    assert after(at(Stage.SHUFFLING, StartCycle(STACKS)), DiceRolled((1, 1))).dice is None


def test_a_board_that_only_spins_the_dice_begins_the_deal_without_values() -> None:
    spins = replace(at(Stage.RAISING, RaiseWalls(), UP), board=booted(able=Capability.DICE_SPUN))
    step = done(MachineStep(spins))
    assert step.command == RollDice(2)
    step = after(step.machine, DiceRolled(()))
    assert (step.machine.stage, step.dice) == (Stage.PLAYING, ())


def test_a_board_without_dice_is_asked_for_none() -> None:
    none = replace(at(Stage.RAISING, RaiseWalls(), UP), board=booted(able=Capability.NONE))
    step = done(MachineStep(none))
    assert (step.command, step.machine.stage, step.dice) == (None, Stage.PLAYING, ())


SEED = bytes(range(32))
VALUES = roll_values(SEED, 4, {}, 2)
PROOF = DiceRevealed(4, SEED)


def committing(*, first_die: bool = False) -> MachineStep:
    virtual = replace(at(Stage.RAISING, RaiseWalls(), UP), board=booted(able=Capability.VIRTUAL_DICE))
    return done(MachineStep(replace(virtual, first_die=first_die)))


def virtual_rolled(values: tuple[int, ...] = VALUES, *, first_die: bool = False) -> MachineStep:
    """Virtual dice are committed to and rolled; the seed is asked for."""
    step = after(committing(first_die=first_die).machine, DiceCommitted(4, digest_of(SEED)))
    step = after(done(step).machine, DiceRolled(values))
    assert (step.machine.stage, step.dice) == (Stage.CHECKING, None)
    return done(step)


def test_virtual_dice_are_committed_to_before_they_are_rolled() -> None:
    step = committing()
    assert step.command == DiceCommit()
    assert done(step).command == RollDice(2)
    assert failed(step, "refused", "WRONG_STATE").command == RollDice(2)


def test_virtual_dice_begin_the_deal_once_their_seed_is_told() -> None:
    step = virtual_rolled()
    assert step.command == DiceReveal()
    step = after(step.machine, PROOF)
    assert (step.machine.stage, step.dice, codes(step.machine)) == (Stage.PLAYING, VALUES, [])
    assert done(step) == MachineStep(replace(step.machine, pending=None))


@pytest.mark.parametrize(
    ("values", "proof"),
    [
        (VALUES, DiceRevealed(4, SEED[::-1])),
        (VALUES, DiceRevealed(5, SEED)),
        ((VALUES[0] % 6 + 1, VALUES[1]), PROOF),
        (VALUES[:1], PROOF),
        ((), PROOF),
    ],
    ids=["another seed", "another roll", "other values", "too few", "none"],
)
def test_virtual_dice_that_do_not_match_their_proof_are_not_played_on(
    values: tuple[int, ...], proof: DiceRevealed
) -> None:
    step = after(virtual_rolled(values).machine, proof)
    assert (step.machine.stage, step.dice, codes(step.machine)) == (Stage.PLAYING, (), ["DIC-10"])


@pytest.mark.parametrize("end", ["done", "refused", "failed"])
def test_virtual_dice_whose_seed_is_not_told_are_not_played_on(end: str) -> None:
    step = virtual_rolled()
    step = done(step) if end == "done" else failed(step, end, "WRONG_STATE")
    assert (step.machine.stage, step.dice, codes(step.machine)) == (Stage.PLAYING, (), ["DIC-11"])
    assert after(step.machine, PROOF).dice is None


def test_a_virtual_roll_that_nobody_saw_a_commitment_of_is_not_played_on() -> None:
    step = failed(committing(), "refused", "WRONG_STATE")
    step = after(step.machine, DiceRolled(VALUES))
    assert (step.machine.stage, step.dice, codes(step.machine)) == (Stage.PLAYING, (), ["DIC-11"])


def test_a_second_commitment_after_the_first_does_not_change_what_is_checked() -> None:
    step = done(after(committing().machine, DiceCommitted(4, digest_of(SEED))))
    step = after(step.machine, DiceCommitted(5, digest_of(bytes(32))), DiceRolled(VALUES))
    step = after(done(step).machine, DiceRevealed(5, bytes(32)))
    assert codes(step.machine) == ["DIC-10"]


def test_the_seed_is_asked_for_again_after_a_loss_of_the_link_and_not_of_another_boot() -> None:
    able = Capability.VIRTUAL_DICE
    lost = failed(after(virtual_rolled().machine, Disconnected("gone")), "lost")
    again = after(lost.machine, booted(able=able), UP)
    assert (again.command, again.machine.stage) == (DiceReveal(), Stage.CHECKING)
    assert after(again.machine, PROOF).dice == VALUES
    restarted = after(lost.machine, booted(8, able=able), UP)
    assert (restarted.command, codes(restarted.machine)) == (None, ["DIC-11", "DIC-00"])
    assert "重启" in restarted.machine.troubles[0].zh
    rolls = after(restarted.machine, DICE_KEY)
    assert (rolls.command, codes(rolls.machine)) == (DiceCommit(), [])


def test_an_alarm_about_virtual_dice_stands_until_the_next_roll() -> None:
    step = done(after(virtual_rolled().machine, DiceRevealed(4, bytes(32))))
    idle = m.hand_over(step.machine)
    assert codes(idle) == ["DIC-10"]
    step = done(after(replace(idle, stage=Stage.RAISING, before=Stage.RAISING, pending=RaiseWalls()), UP))
    assert (step.command, codes(step.machine)) == (DiceCommit(), [])


def test_when_a_match_begins_one_die_for_the_dealer_comes_before_the_two_for_the_wall() -> None:
    step = done(MachineStep(replace(at(Stage.RAISING, RaiseWalls(), UP), first_die=True)))
    assert step.command == RollDice(1)
    step = after(step.machine, DiceRolled((3,)))
    assert (step.die, step.dice, step.machine.stage) == (3, None, Stage.ROLLING)
    step = done(step)
    assert step.command == RollDice(2)
    step = after(step.machine, DiceRolled((3,)), DiceRolled((3, 4)))
    assert (step.die, step.dice, step.machine.stage) == (None, (3, 4), Stage.PLAYING)


def test_a_virtual_die_for_the_dealer_is_proved_before_the_next_commitment() -> None:
    step = virtual_rolled(roll_values(SEED, 4, {}, 1), first_die=True)
    step = after(step.machine, PROOF)
    assert (step.die, step.dice) == (roll_values(SEED, 4, {}, 1)[0], None)
    assert done(step).command == DiceCommit()


def test_a_first_die_that_nobody_can_read_is_left_to_people() -> None:
    spins = replace(
        at(Stage.RAISING, RaiseWalls(), UP), board=booted(able=Capability.DICE_SPUN), first_die=True
    )
    step = after(done(MachineStep(spins)).machine, DiceRolled(()))
    assert (step.machine.stage, step.die, step.dice) == (Stage.PLAYING, None, ())


def test_dice_that_fail_three_times_are_rolled_by_hand() -> None:
    step = MachineStep(at(Stage.ROLLING, RollDice(2), UP))
    for _ in range(2):
        step = asked(failed(step, "failed", "DIC_02"), UP)
        step = after(step.machine, LIFT)
        assert step.command == RollDice(2)
    step = failed(step, "failed", "DIC_02")
    assert (step.command, step.machine.stage, step.dice) == (None, Stage.PLAYING, ())


# ---- keys that were pressed without a link -----------------------------------------------------------------


def pressed_meanwhile(machine: Machine, status: Status, seconds: float) -> MachineStep:
    lost = after(machine, Disconnected("gone"), now=10.0)
    met = after(lost.machine, booted(), status, now=10.0 + seconds)
    return after(met.machine, Missed(5, 1, LIFT), now=10.0 + seconds)


def test_a_lift_key_pressed_during_a_short_loss_opens_the_hatch(ready: Machine) -> None:
    assert pressed_meanwhile(ready, IDLE, 9.0).command == OpenHatch()
    assert pressed_meanwhile(ready, IDLE, 11.0).command is None


def test_a_missed_key_closes_and_lifts_nothing() -> None:
    assert pressed_meanwhile(at(Stage.OPEN, status=OPEN), OPEN, 1.0).command is None
    assert pressed_meanwhile(at(Stage.STAGED, status=STAGED), STAGED, 1.0).command is None


def test_a_missed_lift_key_says_once_that_a_hand_is_over() -> None:
    step = pressed_meanwhile(at(Stage.PLAYING), IDLE, 300.0)
    assert step.lift
    assert not after(step.machine, Missed(6, 2, LIFT)).lift


# ---- positions that are not clear --------------------------------------------------------------------------


def test_a_region_that_is_unclear_after_a_restart_is_shown_and_waits_for_a_key() -> None:
    step = after(at(Stage.OPENING, OpenHatch()), Disconnected("gone"), booted(8), HALF_OPEN)
    assert step.command is None
    alarm = step.machine.alarm
    assert alarm is not None
    assert (alarm.code, alarm.zh) == ("POS-00", "中心升降位置不明")
    step = after(step.machine, LIFT)
    assert step.command == Home()
    step = done(step)
    step = asked(step, IDLE)
    assert step.command == OpenHatch()


def test_home_that_does_not_help_is_not_tried_again_by_itself() -> None:
    step = after(at(Stage.UNCLEAR, status=HALF_OPEN), LIFT)
    step = asked(done(step), HALF_OPEN)
    assert (step.command, step.machine.stage) == (None, Stage.UNCLEAR)


def test_after_home_an_open_hatch_is_closed_only_by_another_key() -> None:
    step = asked(done(after(at(Stage.UNCLEAR, status=HALF_OPEN), LIFT)), OPEN)
    assert (step.command, step.machine.stage) == (None, Stage.OPEN)


def test_an_old_board_goes_home_by_the_commands_it_knows() -> None:
    both = replace(HALF_OPEN, walls=State.WALLS_UNKNOWN)
    old = replace(at(Stage.UNCLEAR, status=both), board=booted(protocol=(1, 0)))
    step = after(old, LIFT)
    assert step.command == CloseHatch()
    step = asked(done(step), replace(both, hatch=State.HATCH_CLOSED))
    step = after(step.machine, LIFT)
    assert step.command == LowerWalls()


def test_walls_that_were_half_way_up_are_lifted_after_home() -> None:
    half = replace(STAGED, walls=State.WALLS_UNKNOWN)
    step = after(at(Stage.RAISING, RaiseWalls()), Disconnected("gone"), booted(8), half)
    step = asked(done(after(step.machine, LIFT)), STAGED)
    assert step.command == RaiseWalls()


# ---- cycles that end otherwise -----------------------------------------------------------------------------


def ended(fault: Fault, status: Status) -> MachineStep:
    step = after(at(Stage.SHUFFLING, StartCycle(STACKS)), fault)
    return asked(failed(step, "failed", "FAULT"), status)


def test_missing_tiles_are_told_with_number_and_sides_and_the_cycle_goes_on_by_the_lift_key() -> None:
    step = ended(Fault(FaultCode.CNT_01, Severity.STOP_CYCLE, evidence=3), SHORT)
    alarm = step.machine.alarm
    assert alarm is not None
    assert alarm.zh == "缺牌：缺3张（2号位缺1张，4号位缺2张）"
    assert alarm.en == "tiles are missing: 3 (side 2 lacks 1, side 4 lacks 2)"
    assert alarm.sides == (1, 3)
    step = done(after(step.machine, LIFT))
    assert step.machine.stage is Stage.OPEN
    assert after(step.machine, LIFT).command == StartCycle(STACKS)


def test_a_cycle_that_was_interrupted_goes_on_by_one_key() -> None:
    step = after(at(Stage.SHUFFLING, StartCycle(STACKS)), Disconnected("gone"), booted(8), SHORT)
    assert (step.machine.stage, codes(step.machine)) == (Stage.HALTED, ["CYC-00"])
    assert after(step.machine, LIFT).command == StartCycle(STACKS)


def test_a_jam_is_cleared_when_a_person_says_so_and_the_cycle_goes_on() -> None:
    step = ended(Fault(FaultCode.HED_01, Severity.STOP_CYCLE, side=2), JAMMED)
    assert step.command is None
    step = after(step.machine, LIFT)
    assert step.command == ClearJam(2)
    step = done(after(step.machine, FaultCleared(FaultCode.HED_01)))
    assert step.command == StartCycle(STACKS)


def test_a_jam_that_names_no_side_is_looked_for_on_one_after_the_other() -> None:
    step = ended(Fault(FaultCode.DRM_01, Severity.STOP_CYCLE), JAMMED)
    for side in (0, 1, 2, 3, 0):
        step = after(step.machine, LIFT)
        assert step.command == ClearJam(side)
        step = asked(failed(step, "failed", "DRM_01"), JAMMED)


def test_too_many_tiles_are_taken_out_or_lifted_all_the_same() -> None:
    step = ended(Fault(FaultCode.CNT_02, Severity.STOP_CYCLE, evidence=1), replace(STAGED, lower=State.OVER))
    assert step.machine.alarm is not None
    assert step.machine.alarm.zh == "多牌：多1张"
    assert after(step.machine, LIFT).command == OpenHatch()
    assert after(step.machine, DICE_KEY).command == RaiseWalls()


def test_a_pause_for_more_tiles_is_told_and_left_to_the_boards_own_keys() -> None:
    paused = StateChanged(Region.LOWER, State.TOPUP_PAUSED)
    step = after(at(Stage.SHUFFLING, StartCycle(STACKS)), paused)
    assert codes(step.machine) == ["TOP-00"]
    assert after(step.machine, LIFT).command is None
    step = after(step.machine, StateChanged(Region.LOWER, State.SORTING))
    assert codes(step.machine) == []
    assert done(step).command == RaiseWalls()


# ---- stops, locks, technicians -----------------------------------------------------------------------------


def test_a_protective_stop_ends_by_a_key_and_moves_nothing(ready: Machine) -> None:
    hit = Fault(FaultCode.HAT_03, Severity.PROTECTIVE_STOP)
    stopped = after(ready, hit, StateChanged(Region.SAFETY, State.PROTECTIVE_STOP)).machine
    assert stopped.stopped
    assert codes(stopped) == ["HAT-03"]
    step = after(stopped, LIFT)
    assert step.command == ClearStop()
    step = asked(done(step), IDLE)
    assert (step.command, step.machine.stopped) == (None, False)


def test_during_a_hand_the_key_first_ends_the_stop(ready: Machine) -> None:
    stopped = after(m.hand_continues(ready), StateChanged(Region.SAFETY, State.PROTECTIVE_STOP)).machine
    assert codes(stopped) == ["STP-00"]
    step = after(stopped, LIFT)
    assert (step.command, step.lift) == (ClearStop(), False)
    step = asked(done(step), IDLE)
    assert after(step.machine, LIFT).lift


def test_a_stop_whose_reason_still_holds_is_told(ready: Machine) -> None:
    stopped = after(ready, StateChanged(Region.SAFETY, State.PROTECTIVE_STOP), LIFT)
    step = failed(stopped, "refused", "STOPPED")
    assert "CMD-00" in codes(step.machine)
    assert asked(step, replace(IDLE, safety=State.PROTECTIVE_STOP)).command is None


def test_nothing_is_sent_while_the_stop_chain_is_open(ready: Machine) -> None:
    chain = after(
        ready,
        Fault(FaultCode.EST_01, Severity.PROTECTIVE_STOP),
        StateChanged(Region.SAFETY, State.STOP_CHAIN_OPEN),
        LIFT,
    )
    assert (chain.command, chain.machine.stopped) == (None, True)
    step = after(chain.machine, StateChanged(Region.SAFETY, State.PROTECTIVE_STOP), LIFT)
    assert step.command == ClearStop()


def test_a_locked_table_begins_no_hand_and_looks_whether_it_still_is(ready: Machine) -> None:
    locked = after(ready, replace(IDLE, flags=StatusFlag.LOCKED))
    assert codes(locked.machine) == ["LCK-00"]
    step = asked(after(locked.machine, LIFT), IDLE)
    assert codes(step.machine) == []
    assert after(step.machine, LIFT).command == OpenHatch()


def test_while_a_technician_is_at_work_keys_do_nothing(ready: Machine) -> None:
    step = after(ready, StateChanged(Region.SAFETY, State.MAINTENANCE))
    assert codes(step.machine) == ["MNT-00"]
    assert after(step.machine, LIFT).command is None


# ---- boards of other versions, and what a board is set to --------------------------------------------------


def test_a_board_of_another_major_version_is_only_shown() -> None:
    step = after(Machine(stacks=STACKS), booted(protocol=(2, 0)), IDLE, LIFT)
    assert step.command is None
    alarm = step.machine.alarm
    assert alarm is not None
    assert alarm.code == "FW-00"
    assert "请升级本程序" in alarm.zh


def test_the_configuration_is_set_once_where_it_differs() -> None:
    able = Capability.DICE | Capability.CONFIG
    wanted, other = (136, STACKS, 0), (108, (14, 13, 14, 13), 0)
    step = after(Machine(stacks=STACKS), booted(able=able), IDLE)
    assert step.command == GetConfig()
    same = after(step.machine, Config(*wanted, pending=False, crc=crc_of(*wanted)))
    assert done(same).command is None
    differs = done(after(step.machine, Config(*other, pending=False, crc=crc_of(*other))))
    assert differs.command == SetConfig(*wanted)
    again = after(done(differs).machine, Disconnected("gone"), booted(able=able), IDLE)
    assert again.command is None
    restarted = after(again.machine, Disconnected("gone"), booted(8, able=able), IDLE)
    assert restarted.command == GetConfig()


def test_a_configuration_that_is_damaged_is_set_again() -> None:
    able = Capability.DICE | Capability.CONFIG
    ready = done(after(Machine(stacks=STACKS), booted(able=able), IDLE)).machine
    step = after(ready, Fault(FaultCode.CFG_01, Severity.STOP_CYCLE))
    assert step.command == SetConfig(136, STACKS, 0)
    assert done(step).command is None


# ---- faults in words ---------------------------------------------------------------------------------------


def test_a_fault_is_an_alarm_in_words_until_it_is_cleared(ready: Machine) -> None:
    step = after(ready, Fault(FaultCode.FED_01, Severity.STOP_CYCLE, side=1))
    alarm = step.machine.alarm
    assert alarm is not None
    assert (alarm.code, alarm.zh) == ("FED-01", "输送槽卡牌（2号位）")
    assert after(step.machine, FaultCleared(FaultCode.FED_01)).machine.alarm is None


def test_a_fault_of_a_newer_board_is_told_in_its_own_words(ready: Machine) -> None:
    text = FaultText(Severity.WARN, "灯坏了", "lamp is broken")
    step = after(ready, Fault(UnknownFault(0x9001, text), Severity.WARN))
    alarm = step.machine.alarm
    assert alarm is not None
    assert (alarm.code, alarm.zh, alarm.en) == ("0x9001", "灯坏了", "lamp is broken")
    assert "师傅" in alarm.steps[0][0]


def test_the_most_urgent_trouble_is_shown_first_with_the_time_it_began(ready: Machine) -> None:
    warned = after(ready, Fault(FaultCode.LNK_02, Severity.WARN), now=1.0).machine
    assert codes(warned) == ["LNK-02"]
    hit = after(warned, Fault(FaultCode.WAL_01, Severity.PROTECTIVE_STOP), now=2.0).machine
    assert [(one.code, one.since) for one in hit.troubles] == [("WAL-01", 2.0), ("LNK-02", 1.0)]
    again = after(hit, Fault(FaultCode.WAL_01, Severity.PROTECTIVE_STOP), now=3.0).machine
    assert again.troubles == hit.troubles


def test_information_is_no_alarm(ready: Machine) -> None:
    assert after(ready, Fault(FaultCode.LNK_01, Severity.INFO)).machine.alarm is None


def test_what_stood_before_a_new_link_has_to_be_told_again(ready: Machine) -> None:
    step = after(ready, Fault(FaultCode.HED_03, Severity.WARN), Disconnected("gone"), booted(), IDLE)
    assert step.machine.alarm is None
