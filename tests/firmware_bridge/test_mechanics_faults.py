"""Every fault of the table can be reached by a cause, over the link, and does what the table says."""

from collections.abc import Callable
from typing import Final

import pytest
from machine_table import AS_SET, MachineTable

from firmware_bridge.errors import CommandFailed, CommandRefused
from firmware_bridge.faults import FAULTS, FaultCode
from firmware_bridge.messages import (
    ClearJam,
    ClearStop,
    CloseHatch,
    CycleDone,
    DiceRolled,
    Disconnected,
    Done,
    Fault,
    FaultCleared,
    GetStatus,
    Home,
    LowerWalls,
    OpenHatch,
    RaiseWalls,
    RollDice,
    SetConfig,
    StateChanged,
)
from firmware_bridge.states import FailCause, Key, Profile, Region, RejectReason, Severity, State
from hardware_sim.mechanics import Cause, Detail

Way = Callable[[MachineTable], None]


def stays(table: MachineTable) -> None:
    table.run(12.0)


def opens(table: MachineTable) -> None:
    table.carry_out(OpenHatch())


def closes(table: MachineTable) -> None:
    table.machine.mend(FaultCode.HAT_01)
    table.carry_out(CloseHatch())


def opened(table: MachineTable) -> None:
    """The hatch is open before the cause comes."""


def sorts(table: MachineTable) -> None:
    if table.machine.table:
        table.done(OpenHatch())
        table.machine.load(min(136, table.machine.table))
    table.carry_out(AS_SET)


def raises(table: MachineTable) -> None:
    table.carry_out(RaiseWalls())


def lowers(table: MachineTable) -> None:
    table.carry_out(LowerWalls())


def rolls(table: MachineTable) -> None:
    table.carry_out(RollDice())


def restarts(table: MachineTable) -> None:
    table.run(15.0)


def talks(table: MachineTable) -> None:
    for _ in range(200):
        table.carry_out(GetStatus())


def comes_back(table: MachineTable) -> None:
    table.run(20.0)


SCENES: Final[dict[FaultCode, Way]] = {
    FaultCode.PWR_01: stays,
    FaultCode.PWR_02: stays,
    FaultCode.PWR_03: restarts,
    FaultCode.PWR_04: stays,
    FaultCode.PWR_05: stays,
    FaultCode.CON_01: stays,
    FaultCode.CON_02: stays,
    FaultCode.CON_03: sorts,
    FaultCode.HAT_01: opens,
    FaultCode.HAT_02: closes,
    FaultCode.HAT_03: closes,
    FaultCode.HAT_04: opens,
    FaultCode.DRM_01: sorts,
    FaultCode.DRM_02: sorts,
    FaultCode.RNG_01: sorts,
    FaultCode.RNG_02: sorts,
    FaultCode.FED_01: sorts,
    FaultCode.HED_01: sorts,
    FaultCode.HED_02: sorts,
    FaultCode.HED_03: sorts,
    FaultCode.HED_04: sorts,
    FaultCode.CHN_01: sorts,
    FaultCode.CHN_02: sorts,
    FaultCode.PSH_01: sorts,
    FaultCode.WAL_01: raises,
    FaultCode.WAL_02: lowers,
    FaultCode.WAL_03: raises,
    FaultCode.WAL_04: raises,
    FaultCode.CNT_01: sorts,
    FaultCode.CNT_02: sorts,
    FaultCode.CNT_03: sorts,
    FaultCode.CNT_04: sorts,
    FaultCode.CYC_01: sorts,
    FaultCode.TIL_01: sorts,
    FaultCode.TIL_02: sorts,
    FaultCode.TIL_03: sorts,
    FaultCode.DIC_01: rolls,
    FaultCode.DIC_02: rolls,
    FaultCode.DIC_03: stays,
    FaultCode.SEN_01: opens,
    FaultCode.CFG_01: stays,
    FaultCode.LNK_01: comes_back,
    FaultCode.LNK_02: talks,
    FaultCode.FW_01: stays,
    FaultCode.EST_01: stays,
}
"""What the machine has to do so that it comes past the cause."""

SIDED = (FaultCode.FED_01, FaultCode.HED_01, FaultCode.HED_02, FaultCode.HED_04, FaultCode.PSH_01)
JAMS = (*SIDED, FaultCode.DRM_01, FaultCode.RNG_01, FaultCode.CHN_01, FaultCode.CHN_02)


def stage(code: FaultCode, detail: Detail) -> MachineTable:
    """A machine that is about to come past a cause of ``code``."""
    chain = code in (FaultCode.CHN_01, FaultCode.CHN_02)
    table = MachineTable(
        profile=Profile.SINGLE_PORT if chain else Profile.FOUR_PORT, detail=detail, tiles=138
    )
    way = SCENES[code]
    if way is closes:
        table.done(OpenHatch())
    if way in (raises, lowers):
        table.load(136)
        table.done(AS_SET)
    if way is lowers:
        table.done(RaiseWalls())
    return table


def cause_of(code: FaultCode) -> Cause:
    lasts = {FaultCode.LNK_01: 8.0, FaultCode.PWR_03: None}.get(code)
    return Cause(code, side=2 if code in SIDED else None, duration_s=lasts)


def test_there_is_a_scene_for_every_fault_of_the_table() -> None:
    assert set(SCENES) == set(FAULTS) == set(FaultCode) - {FaultCode.NONE}


@pytest.mark.parametrize("detail", Detail, ids=lambda detail: detail.value)
@pytest.mark.parametrize("code", SCENES, ids=lambda code: code.label)
def test_every_fault_is_reached_by_its_cause_over_the_link(code: FaultCode, detail: Detail) -> None:
    table = stage(code, detail)
    table.machine.inject(cause_of(code))
    SCENES[code](table)
    table.run(3.0)
    faults = [fault for fault in table.of(Fault) if fault.code is code]
    assert faults, f"{code.label} was not reported; heard {table.faults()}"
    assert faults[0].severity is FAULTS[code].severity
    if code in SIDED:
        assert faults[0].side == 2
    if faults[0].severity is Severity.PROTECTIVE_STOP:
        assert not table.machine.motors
        stop = State.STOP_CHAIN_OPEN if code is FaultCode.EST_01 else State.PROTECTIVE_STOP
        assert table.machine.states[Region.SAFETY] is stop
    if code in JAMS:
        assert table.lower is State.JAMMED
        assert not table.machine.motors


@pytest.mark.parametrize("code", JAMS, ids=lambda code: code.label)
def test_a_jam_is_jogged_out_and_the_cycle_goes_on_with_its_walls(code: FaultCode) -> None:
    table = stage(code, Detail.QUEUES)
    table.load(136)
    side = 2 if code in SIDED else None
    table.machine.inject(Cause(code, side, at_s=12.0))
    failure = table.carry_out(AS_SET)
    assert isinstance(failure, CommandFailed)
    assert failure.fault is code
    wrong = table.carry_out(ClearJam(0))
    if code in SIDED:
        assert isinstance(wrong, CommandFailed)
        assert table.lower is State.JAMMED
        table.done(ClearJam(2))
    assert table.of(FaultCleared)[-1] == FaultCleared(code)
    assert table.lower is State.SHORT
    before = sum(table.machine.staged)
    assert before > 0
    table.done(AS_SET)
    assert table.of(CycleDone)[-1].counts == (34, 34, 34, 34)


@pytest.mark.parametrize("code", [FaultCode.FED_01, FaultCode.HED_01, FaultCode.DRM_01], ids=str)
def test_a_jam_that_comes_free_in_the_tries_is_no_fault(code: FaultCode) -> None:
    table = stage(code, Detail.QUEUES)
    table.load(136)
    table.machine.inject(Cause(code, at_s=5.0, duration_s=4.0))
    table.done(AS_SET)
    assert table.faults() == []


@pytest.mark.parametrize("code", [FaultCode.FED_01, FaultCode.HED_01, FaultCode.HED_02], ids=str)
def test_jams_are_counted_by_side(code: FaultCode) -> None:
    table = stage(code, Detail.INSTANT)
    table.load(136)
    table.machine.inject(Cause(code, 3))
    table.carry_out(AS_SET)
    assert table.machine.counters().jams == (0, 0, 0, 1)


def test_a_head_that_does_not_count_stops_its_side_and_the_others_are_built() -> None:
    table = stage(FaultCode.HED_02, Detail.QUEUES)
    table.load(136)
    table.machine.inject(Cause(FaultCode.HED_02, 1))
    table.carry_out(AS_SET)
    assert table.machine.staged == (34, 0, 34, 34)


def test_a_jam_that_nobody_can_free_stays() -> None:
    table = stage(FaultCode.FED_01, Detail.INSTANT)
    table.load(136)
    table.machine.inject(Cause(FaultCode.FED_01, 1, duration_s=1000.0))
    table.carry_out(AS_SET)
    failure = table.carry_out(ClearJam(1))
    assert isinstance(failure, CommandFailed)
    assert failure.fault is FaultCode.FED_01
    assert table.lower is State.JAMMED


def test_a_caught_hand_lets_the_hatch_go_back() -> None:
    table = stage(FaultCode.HAT_03, Detail.INSTANT)
    table.machine.inject(Cause(FaultCode.HAT_03))
    failure = table.carry_out(CloseHatch())
    assert isinstance(failure, CommandFailed)
    assert failure.fault is FaultCode.HAT_03
    states = [report.state for report in table.of(StateChanged) if report.region is Region.HATCH]
    assert states[-3:] == [State.HATCH_CLOSING, State.HATCH_OPENING, State.HATCH_UNKNOWN]
    table.board.press(Key.LIFT, 0, table.now)
    refused = table.carry_out(ClearStop())
    assert isinstance(refused, CommandRefused)
    assert refused.reason is RejectReason.STOPPED
    table.machine.mend(FaultCode.HAT_03)
    table.done(ClearStop(), Home())


@pytest.mark.parametrize("code", [FaultCode.HAT_02, FaultCode.WAL_01, FaultCode.WAL_02], ids=str)
def test_home_never_moves_on_into_a_blocked_lift(code: FaultCode) -> None:
    table = stage(code, Detail.INSTANT)
    table.machine.inject(Cause(code))
    SCENES[code](table)
    table.board.press(Key.LIFT, 0, table.now)
    table.done(ClearStop())
    began = table.now
    if code is FaultCode.WAL_01:
        table.done(Home())
        assert FaultCode.WAL_01 not in table.machine.faults
        assert table.machine.states[Region.WALLS] is State.WALLS_DOWN
        return
    failure = table.carry_out(Home())
    assert isinstance(failure, CommandFailed)
    assert failure.fault is code
    assert table.now - began < 10.0
    table.machine.mend(code)
    table.board.press(Key.LIFT, 0, table.now)
    table.done(ClearStop(), Home())
    assert code not in table.machine.faults


def test_a_dead_switch_lets_the_machine_run_by_time() -> None:
    table = stage(FaultCode.SEN_01, Detail.INSTANT)
    table.machine.inject(Cause(FaultCode.SEN_01))
    table.done(OpenHatch(), CloseHatch())
    assert table.machine.states[Region.SAFETY] is State.DEGRADED
    table.machine.mend(FaultCode.SEN_01)
    assert table.machine.states[Region.SAFETY] is State.OPERATIONAL


@pytest.mark.parametrize("code", [FaultCode.DIC_01, FaultCode.DIC_02], ids=str)
def test_dice_are_spun_again_before_they_fail_and_never_made_up(code: FaultCode) -> None:
    table = stage(code, Detail.INSTANT)
    table.machine.inject(Cause(code, duration_s=6.0))
    table.done(RollDice())
    assert len(table.of(DiceRolled)) == 1
    table.machine.inject(Cause(code))
    failure = table.carry_out(RollDice())
    assert isinstance(failure, CommandFailed)
    assert (failure.cause, failure.fault) == (FailCause.FAULT, code)
    assert len(table.of(DiceRolled)) == 1
    assert table.machine.states[Region.DICE] is State.DICE_STILL


def test_tiles_that_do_not_come_up_are_flipped_before_they_are_missing() -> None:
    table = stage(FaultCode.CNT_03, Detail.QUEUES)
    table.load(136)
    table.machine.inject(Cause(FaultCode.CNT_03))
    cycle = table.give(AS_SET)
    while FaultCode.CNT_03 not in table.faults():
        table.step(table.now + 1)
    table.machine.mend(FaultCode.CNT_03)
    assert isinstance(table.end_of(cycle), Done)
    assert FaultCode.CNT_01 not in table.faults()
    assert table.of(FaultCleared)[-1] == FaultCleared(FaultCode.CNT_03)
    never = stage(FaultCode.CNT_03, Detail.QUEUES)
    never.load(136)
    never.machine.inject(Cause(FaultCode.CNT_03))
    failure = never.carry_out(AS_SET)
    assert isinstance(failure, CommandFailed)
    assert failure.fault is FaultCode.CNT_01
    told = [code for code in never.faults() if code is not FaultCode.CYC_01]
    assert told == [FaultCode.CNT_03, FaultCode.CNT_01]
    assert never.lower is State.SHORT


def test_a_tile_without_a_magnet_is_told_of_and_missing_in_the_end() -> None:
    table = stage(FaultCode.TIL_02, Detail.QUEUES)
    table.load(136)
    table.machine.inject(Cause(FaultCode.TIL_02))
    failure = table.carry_out(AS_SET)
    assert isinstance(failure, CommandFailed)
    assert failure.fault is FaultCode.CNT_01
    told = [code for code in table.faults() if code is not FaultCode.CYC_01]
    assert told == [FaultCode.TIL_02, FaultCode.CNT_03, FaultCode.CNT_01]


def test_an_open_cover_lets_nothing_begin() -> None:
    table = MachineTable()
    table.load()
    table.machine.set_cover(table.now, is_open=True)
    refused = table.carry_out(AS_SET)
    assert isinstance(refused, CommandRefused)
    assert refused.reason is RejectReason.COVER_OPEN
    table.machine.set_cover(table.now, is_open=False)
    table.done(AS_SET)


def test_damaged_settings_are_refused_until_they_are_set() -> None:
    table = MachineTable()
    table.load()
    table.machine.inject(Cause(FaultCode.CFG_01))
    refused = table.carry_out(AS_SET)
    assert isinstance(refused, CommandRefused)
    assert refused.reason is RejectReason.BAD_CONFIG
    table.done(SetConfig(136, (17, 17, 17, 17)), AS_SET)


def test_keys_of_a_console_that_does_not_answer_do_nothing() -> None:
    table = MachineTable()
    table.machine.inject(Cause(FaultCode.CON_02))
    table.heard.clear()
    table.board.press(Key.LIFT, 1, table.now)
    table.run(1.0)
    assert table.heard == [Fault(FaultCode.CON_02, Severity.WARN)]
    assert isinstance(table.carry_out(OpenHatch()), Done)


def test_a_cause_with_a_probability_acts_sometimes() -> None:
    failed = 0
    for seed in range(30):
        table = MachineTable(seed=seed)
        table.machine.inject(Cause(FaultCode.HAT_01, probability=0.3))
        failed += isinstance(table.carry_out(OpenHatch()), CommandFailed)
    assert 3 <= failed <= 17


def test_a_cut_link_is_told_when_it_is_back() -> None:
    table = MachineTable()
    table.machine.inject(Cause(FaultCode.LNK_01, duration_s=8.0))
    table.run(15.0)
    assert table.of(Disconnected)
    assert FaultCode.LNK_01 not in table.machine.faults
