"""Every fault a machine can have, in every stage: shown with what to do, and once mended the hand comes.

The real session, the real host and the simulated board in virtual time.
"""

import pytest
from board_simulated import SimulatedBoard
from board_table import AWAY_S, MOMENTS, STACKS, BoardTable, bring_to, deals, no_motion_is_given_twice

from controller.machine import Stage
from firmware_bridge.faults import FAULTS, FaultCode
from firmware_bridge.messages import OpenHatch, RaiseWalls, RollDice, StartCycle
from firmware_bridge.states import Capability, ResetCause, Severity

LINK = {FaultCode.LNK_01, FaultCode.LNK_02}
STOPS = [code for code, text in FAULTS.items() if text.severity >= Severity.STOP_CYCLE]
LIGHT = [code for code, text in FAULTS.items() if text.severity < Severity.STOP_CYCLE and code not in LINK]
HOLD_UP = {FaultCode.PWR_05, FaultCode.CON_01, FaultCode.CON_02, FaultCode.TIL_02}
"""An open cover, keys that do nothing, a tile without its magnet: somebody has to mend it first."""

KNOWN = {code.label for code in FaultCode} | {"STP-00", "POS-00", "CYC-00", "CMD-00", "LNK-00", "DIC-00"}
MOVING = ((Stage.OPENING, 0.7), (Stage.SHUFFLING, 6.0), (Stage.RAISING, 0.7))
FIRST = Capability.DICE | Capability.SEAT_KEYS | Capability.LAMPS | Capability.COUNTERS


def table_with(board: SimulatedBoard | None = None) -> BoardTable:
    table = BoardTable(board or SimulatedBoard())
    table.run(1.0)
    return table


@pytest.mark.parametrize("code", STOPS, ids=lambda code: code.label)
def test_a_fault_that_stops_the_machine_is_told_and_once_mended_the_hand_comes(
    code: FaultCode, request: pytest.FixtureRequest
) -> None:
    for stage, seconds in MOMENTS if request.config.getoption("--long") else MOVING:
        table = table_with()
        bring_to(table, stage, seconds)
        table.board.happens(code, table.now, side=1)
        table.run(60.0)
        table.board.mend(table.now)
        table.people_go_on()
        assert deals(table) == 1
        assert set(table.alarms) <= KNOWN
        while table.session._machine.stopped:  # noqa: SLF001
            table.press()
            table.run(1.0)
        assert table.stage is Stage.PLAYING


@pytest.mark.parametrize("code", LIGHT, ids=lambda code: code.label)
def test_a_fault_that_stops_nothing_holds_up_little(code: FaultCode) -> None:
    table = table_with()
    bring_to(table, Stage.OPENING)
    table.board.happens(code, table.now, side=1)
    if code not in HOLD_UP:
        table.people_go_on()
    table.run(60.0)
    table.board.mend(table.now)
    table.people_go_on()
    assert deals(table) == 1
    assert set(table.alarms) <= KNOWN


@pytest.mark.parametrize(("stage", "seconds"), MOMENTS)
def test_a_board_of_the_first_version_comes_to_its_hand_after_a_reset(stage: Stage, seconds: float) -> None:
    table = table_with(SimulatedBoard(protocol=(1, 0), capabilities=FIRST))
    bring_to(table, stage, seconds)
    table.board.restart(2, ResetCause.WATCHDOG, table.now)
    table.run(30.0)
    table.people_go_on()
    assert deals(table) == 1


@pytest.mark.parametrize("away_s", AWAY_S)
@pytest.mark.parametrize(("stage", "seconds"), MOMENTS)
def test_a_board_of_the_first_version_comes_to_its_hand_after_a_cable_pull(
    stage: Stage, seconds: float, away_s: float
) -> None:
    table = table_with(SimulatedBoard(protocol=(1, 0), capabilities=FIRST))
    bring_to(table, stage, seconds)
    table.pull_cable()
    table.run(away_s)
    table.plug_in()
    table.run(40.0)
    assert no_motion_is_given_twice(table)
    table.people_go_on()
    assert deals(table) == 1


def test_a_board_of_the_first_version_is_asked_for_nothing_newer() -> None:
    table = table_with(SimulatedBoard(protocol=(1, 0), capabilities=FIRST))
    bring_to(table, Stage.PLAYING)
    assert [send.command for send in table.sent] == [
        OpenHatch(),
        StartCycle(STACKS),
        RaiseWalls(),
        RollDice(1),
        RollDice(2),
    ]


def test_a_board_of_another_major_version_is_told_and_left_alone() -> None:
    table = table_with(SimulatedBoard(protocol=(2, 0)))
    table.press()
    table.run(5.0)
    assert not table.sent
    assert table.alarm.code == "FW-00"
    assert "请升级本程序" in table.alarm.zh
    assert "update this program" in table.alarm.en


def test_missing_tiles_are_told_with_number_and_sides() -> None:
    table = table_with()
    bring_to(table, Stage.OPEN)
    assert table.board.load(133, table.now)
    table.press()
    table.until(Stage.SHORT)
    table.run(0.5)
    assert table.alarm.code == "CNT-01"
    assert "缺3张（" in table.alarm.zh
    table.people_go_on()
    assert not table.alarm.active
