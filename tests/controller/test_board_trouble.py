"""Whatever happens to the board between two hands and in one, the table comes to its next hand.

The real session, the real host and the C board in virtual time.
"""

import ctypes
from collections.abc import Callable

import pytest
from board_table import AWAY_S, MOMENTS, STACKS, BoardTable, bring_to, deals, no_motion_is_given_twice

from controller.journal_inputs import body_of, input_from
from controller.journal_replay import first_difference, replayed
from controller.journal_rows import BootRow, InputRow
from controller.machine import Stage
from controller.public import Doubts
from controller.session_inputs import PersonAnswer
from firmware_bridge.faults import FaultCode
from firmware_bridge.messages import (
    ClearJam,
    ClearStop,
    DiceRolled,
    Home,
    Lock,
    Missed,
    OpenHatch,
    RaiseWalls,
    Report,
    RollDice,
    SetConfig,
    StartCycle,
    Unlock,
)
from firmware_bridge.reference.compiled import CoreBoard, Settings
from firmware_bridge.states import Capability, Key, ResetCause

NewTable = Callable[..., BoardTable]


@pytest.fixture
def new_table(c_core: ctypes.CDLL) -> NewTable:
    def make(**settings: object) -> BoardTable:
        table = BoardTable(CoreBoard(c_core, Settings(**settings)))  # type: ignore[arg-type]
        table.run(1.0)
        return table

    return make


def is_die(report: Report) -> bool:
    return isinstance(report, DiceRolled) and len(report.values) == 1


def test_a_board_in_order_comes_to_its_hand_by_two_keys(new_table: NewTable) -> None:
    table = new_table()
    bring_to(table, Stage.PLAYING)
    assert table.motions() == [OpenHatch(), StartCycle(STACKS), RaiseWalls(), RollDice(1), RollDice(2)]
    assert deals(table) == 1
    assert table.table.dice is not None
    assert not table.alarm.active


@pytest.mark.parametrize(("stage", "seconds"), MOMENTS)
def test_after_a_reset_nothing_moves_without_a_key_and_then_the_hand_comes(
    new_table: NewTable, stage: Stage, seconds: float
) -> None:
    table = new_table()
    bring_to(table, stage, seconds)
    before = len(table.motions())
    table.board.restart(2, ResetCause.WATCHDOG, table.now)
    table.run(30.0)
    assert len(table.motions()) == before
    table.people_go_on()
    assert deals(table) == 1
    table.run(30.0)
    assert table.stage is Stage.PLAYING
    assert table.alarm.code in {"", "PWR-03"}


@pytest.mark.parametrize("away_s", AWAY_S)
@pytest.mark.parametrize(("stage", "seconds"), MOMENTS)
def test_after_a_cable_pull_no_motion_is_given_twice_by_itself_and_the_hand_comes(
    new_table: NewTable, stage: Stage, seconds: float, away_s: float
) -> None:
    table = new_table()
    bring_to(table, stage, seconds)
    table.pull_cable()
    table.run(away_s)
    assert table.alarm.code == "LNK-00"
    table.plug_in()
    table.run(40.0)
    assert no_motion_is_given_twice(table)
    table.people_go_on()
    assert deals(table) == 1
    table.run(10.0)
    assert not table.alarm.active


@pytest.mark.parametrize("away_s", [6.0, 20.0])
def test_dice_that_roll_during_a_cable_pull_are_those_of_the_deal(new_table: NewTable, away_s: float) -> None:
    table = new_table()
    bring_to(table, Stage.ROLLING)
    while RollDice(2) not in table.motions():
        table.step()
    table.run(0.3)
    table.pull_cable()
    table.run(away_s)
    table.plug_in()
    table.until(Stage.PLAYING, within_s=10.0)
    rolled = [one.report for one in table.heard if isinstance(one, Missed)]
    assert [DiceRolled(table.table.dice or ())] == [one for one in rolled if isinstance(one, DiceRolled)]
    assert table.motions().count(RollDice(2)) == 1


@pytest.mark.parametrize("away_s", [6.0, 20.0])
def test_the_die_that_rolls_during_a_cable_pull_names_the_first_dealer(
    new_table: NewTable, away_s: float
) -> None:
    table = new_table()
    bring_to(table, Stage.ROLLING, 0.3)
    assert table.motions()[-1] == RollDice(1)
    table.pull_cable()
    table.run(away_s)
    table.plug_in()
    table.run(5.0)
    table.people_go_on()
    (die,) = [one.report for one in table.heard if isinstance(one, Missed) and is_die(one.report)]
    assert die == DiceRolled((table.table.first_die or 0,))
    assert table.table.dealer == ((table.table.first_die or 0) - 1) % 4
    assert table.motions().count(RollDice(1)) == 1


def test_a_cycle_that_ends_during_a_cable_pull_is_followed_by_the_walls(new_table: NewTable) -> None:
    table = new_table()
    bring_to(table, Stage.SHUFFLING, 8.0)
    table.pull_cable()
    table.run(40.0)
    table.plug_in()
    table.until(Stage.PLAYING, within_s=30.0)
    assert table.motions() == [OpenHatch(), StartCycle(STACKS), RaiseWalls(), RollDice(1), RollDice(2)]


def test_a_lift_key_pressed_during_a_cable_pull_opens_the_hatch(new_table: NewTable) -> None:
    table = new_table()
    table.pull_cable()
    table.run(1.0)
    table.press()
    table.run(2.0)
    table.plug_in()
    table.until(Stage.OPEN, within_s=10.0)
    assert table.motions() == [OpenHatch()]


def test_a_journal_with_cable_pulls_and_resets_replays_to_the_very_same_rows(new_table: NewTable) -> None:
    table = new_table()
    bring_to(table, Stage.ROLLING, 0.3)
    table.pull_cable()
    table.run(6.0)
    table.plug_in()
    table.run(5.0)
    table.board.restart(2, ResetCause.BROWN_OUT, table.now)
    table.run(5.0)
    boots = [row for row in table.rows if isinstance(row, BootRow)]
    inputs = [row for row in table.rows if isinstance(row, InputRow)]
    again = list(replayed(boots, inputs, table.model))
    assert first_difference(table.rows, again) is None
    assert any(row.kind == "Missed" for row in inputs)


def test_every_report_is_read_back_from_the_journal_as_it_was(new_table: NewTable) -> None:
    table = new_table()
    bring_to(table, Stage.PLAYING)
    reports = {type(one): one for one in table.heard}
    for one in (*reports.values(), *(Missed(3, 9, one) for one in reports.values())):
        assert input_from(type(one).__name__, body_of(one)) == one


# ---- cycles that go wrong ----------------------------------------------------------------------------------


def test_a_jam_is_freed_by_the_lift_key_and_the_cycle_goes_on(new_table: NewTable) -> None:
    table = new_table()
    bring_to(table, Stage.SHUFFLING, 6.0)
    table.board.fault(FaultCode.FED_01, table.now, side=2, evidence=1600)
    table.until(Stage.JAMMED)
    assert table.alarm.code == "FED-01"
    assert "3号位" in table.alarm.zh
    assert len(table.alarm.advice_zh) == len(table.alarm.advice_en) > 1
    table.run(20.0)
    assert table.stage is Stage.JAMMED
    table.press()
    assert ClearJam(2) in table.motions()
    table.until(Stage.PLAYING)
    assert not table.alarm.active


def test_missing_tiles_are_told_and_added_and_the_cycle_goes_on(new_table: NewTable) -> None:
    table = new_table()
    bring_to(table, Stage.OPEN)
    assert table.board.load(131, table.now)
    table.press()
    table.until(Stage.SHORT)
    table.run(0.5)
    assert table.alarm.code == "CNT-01"
    assert "缺5张" in table.alarm.zh
    assert "号位缺" in table.alarm.zh
    table.press()
    table.until(Stage.OPEN)
    assert table.board.load(5, table.now)
    table.press()
    table.until(Stage.PLAYING)
    assert not table.alarm.active
    assert sum(table.board.tiles) == 136


def test_too_many_tiles_are_told_and_the_walls_can_be_raised_all_the_same(new_table: NewTable) -> None:
    table = new_table()
    bring_to(table, Stage.SHUFFLING, 6.0)
    table.board.fault(FaultCode.CNT_02, table.now, evidence=2)
    table.until(Stage.OVER)
    assert "多2张" in table.alarm.zh
    table.press(Key.DICE)
    table.until(Stage.RAISING)


def test_a_top_up_is_shown_and_ends_by_one_lift_key(new_table: NewTable) -> None:
    table = new_table()
    bring_to(table, Stage.OPEN)
    assert table.board.load(135, table.now)
    table.press()
    table.until(Stage.SHUFFLING)
    table.run(6.0)
    for seat in (0, 2):
        table.board.press(Key.LIFT, seat, table.now)
    table.run(5.0)
    for seat in (0, 2):
        table.board.press(Key.LIFT, seat, table.now, down=False)
    table.run(0.5)
    assert table.alarm.code == "TOP-00"
    assert table.board.load(1, table.now)
    table.press()
    table.until(Stage.PLAYING)
    assert table.motions() == [OpenHatch(), StartCycle(STACKS), RaiseWalls(), RollDice(1), RollDice(2)]


# ---- stops -------------------------------------------------------------------------------------------------


def test_a_hatch_that_is_blocked_stops_and_goes_on_by_keys(new_table: NewTable) -> None:
    table = new_table()
    bring_to(table, Stage.OPENING, 0.5)
    table.board.fault(FaultCode.HAT_01, table.now)
    table.run(1.0)
    assert (table.table.phase, table.alarm.code) == ("stopped", "HAT-01")
    table.press()
    table.run(1.0)
    assert table.motions()[1:] == [ClearStop()]
    table.press()
    table.run(0.2)
    assert table.motions()[2:3] == [Home()]
    table.until(Stage.OPEN)
    assert not table.alarm.active


def test_an_emergency_stop_in_a_hand_does_not_end_the_hand(new_table: NewTable) -> None:
    table = new_table()
    bring_to(table, Stage.PLAYING, 5.0)
    table.board.fault(FaultCode.EST_01, table.now)
    table.run(1.0)
    assert (table.table.phase, table.alarm.code) == ("stopped", "EST-01")
    table.press()
    table.run(1.0)
    assert ClearStop() not in table.motions()
    table.board.fault_gone(FaultCode.EST_01, table.now)
    table.run(1.0)
    assert table.alarm.code == "STP-00"
    table.press()
    table.run(1.0)
    assert table.motions()[-1] == ClearStop()
    assert (table.table.phase, table.stage) == ("dealing", Stage.PLAYING)
    assert not table.alarm.active


def test_a_locked_table_plays_its_hand_and_begins_no_other(new_table: NewTable) -> None:
    table = new_table()
    table.host.request(Lock(), table.now)
    table.run(1.0)
    table.press()
    table.run(5.0)
    # The board says no more about its lock than the status tells: the first try is refused.
    assert table.board.load(136, table.now)
    table.press()
    table.run(2.0)
    assert "锁定" in table.alarm.zh
    assert "洗牌没有开始" in table.alarm.zh
    assert table.stage is Stage.OPEN
    table.host.request(Unlock(), table.now)
    table.run(1.0)
    table.people_go_on()
    assert deals(table) == 1


# ---- what the board is and is set to -----------------------------------------------------------------------


def test_a_board_set_to_other_tiles_is_set_once_and_again_after_it_forgot(new_table: NewTable) -> None:
    table = new_table()
    table.host.request(SetConfig(108, (14, 13, 14, 13), 0), table.now)
    table.run(1.0)
    given = [send.command for send in table.sent if isinstance(send.command, SetConfig)]
    table.board.restart(2, ResetCause.POWER_ON, table.now)
    table.run(5.0)
    again = [send.command for send in table.sent if isinstance(send.command, SetConfig)]
    assert again == [*given, SetConfig(136, STACKS, 0)]
    table.board.restart(3, ResetCause.POWER_ON, table.now)
    table.run(5.0)
    assert [send.command for send in table.sent if isinstance(send.command, SetConfig)] == again


def test_dice_that_only_a_camera_reads_are_asked_of_people_and_hold_up_nothing(new_table: NewTable) -> None:
    table = new_table(capabilities=Capability.DICE_SPUN | Capability.REPLAY)
    bring_to(table, Stage.PLAYING)
    dealer = table.shown["state/doubt"]
    assert isinstance(dealer, Doubts)
    assert [doubt.kind for doubt in dealer.doubts] == ["dealer"]
    for author in ("王阿姨", "小李"):
        asked = dealer.doubts[0]
        table.tell(PersonAnswer(asked.id, "choose", author, 2, asked.candidates[2]))
    assert table.table.dealer == 2
    doubts = table.shown["state/doubt"]
    assert isinstance(doubts, Doubts)
    assert [doubt.kind for doubt in doubts.doubts] == ["dice"]
    chosen = doubts.doubts[0].candidates.index("3 4")
    table.tell(PersonAnswer(doubts.doubts[0].id, "choose", "王阿姨", chosen, "3 4"))
    assert table.table.dice == (3, 4)
    answered = table.shown["state/doubt"]
    assert isinstance(answered, Doubts)
    assert answered.doubts == ()
