"""Cycles of every kind of machine: times, modes, top-up, abort, configuration, what is counted."""

import pytest
from machine_table import AS_SET, MachineTable

from firmware_bridge.errors import BoardError, CommandFailed, CommandRefused
from firmware_bridge.faults import FaultCode
from firmware_bridge.messages import (
    AbortCycle,
    CloseHatch,
    Config,
    ConfigApplied,
    CycleDone,
    Done,
    Fault,
    GetConfig,
    GetCounters,
    GetStatus,
    Lock,
    OpenHatch,
    PauseCycle,
    RaiseWalls,
    ResumeCycle,
    SetConfig,
    SideDone,
    StartCycle,
    Status,
    TileCount,
    Travel,
    Unlock,
    WallsUp,
)
from firmware_bridge.states import FailCause, Key, Motor, Profile, Region, RejectReason, State, StatusFlag
from hardware_sim.mechanics import Cause, Detail
from hardware_sim.mechanics_profiles import KINDS, MODES

BELOW = frozenset(Motor) - {Motor.HATCH, Motor.WALLS, Motor.DICE}
EVERY_DETAIL = pytest.mark.parametrize("detail", Detail, ids=lambda detail: detail.value)


def reason(result: Done | BoardError) -> RejectReason:
    assert isinstance(result, CommandRefused), result
    return result.reason


def cause(result: Done | BoardError) -> FailCause:
    assert isinstance(result, CommandFailed), result
    return result.cause


def sorting(detail: Detail = Detail.QUEUES) -> tuple[MachineTable, int]:
    """A machine in the middle of a cycle, and the op_id of it."""
    table = MachineTable(detail=detail)
    table.load(130)
    op_id = table.give(AS_SET)
    table.until(State.SORTING)
    table.run(8.0)
    return table, op_id


@EVERY_DETAIL
@pytest.mark.parametrize(
    ("profile", "least_s", "most_s", "counts"),
    [
        (Profile.SINGLE_PORT, 100, 140, (34, 34, 34, 34)),
        (Profile.FOUR_PORT, 18, 35, (34, 34, 34, 34)),
        (Profile.EIGHT_PORT_DEAL, 12, 30, (35, 33, 35, 33)),
    ],
    ids=lambda value: value.name if isinstance(value, Profile) else "",
)
def test_a_cycle_takes_as_long_as_machines_of_its_kind_do(
    profile: Profile, least_s: int, most_s: int, counts: tuple[int, ...], detail: Detail
) -> None:
    for seed in range(6):
        table = MachineTable(profile=profile, detail=detail, seed=seed)
        table.load()
        table.done(AS_SET)
        (cycle,) = table.of(CycleDone)
        assert cycle.counts == counts
        assert least_s <= cycle.ms / 1000 <= most_s, (seed, cycle.ms)
        assert table.of(Fault) == []
        assert {done.side for done in table.of(SideDone)} == {0, 1, 2, 3}
        last = {count.side: count.n for count in table.of(TileCount)}
        assert tuple(last[side] for side in range(4)) == counts


@pytest.mark.parametrize("tiles", MODES)
def test_every_mode_builds_its_walls(tiles: int) -> None:
    table = MachineTable(tiles=tiles)
    mode = MODES[tiles]
    table.done(SetConfig(mode.tiles, mode.stacks))
    table.load()
    table.done(AS_SET, RaiseWalls())
    assert table.of(ConfigApplied) == [mode.applied()]
    (walls,) = table.of(WallsUp)
    assert walls.counts == tuple(2 * stacks for stacks in mode.stacks)
    assert table.machine.table == tiles


def test_a_machine_that_deals_lifts_the_hands_with_the_walls() -> None:
    table = MachineTable(profile=Profile.EIGHT_PORT_DEAL, tiles=144)
    table.done(SetConfig(144, (12, 11, 12, 11), 13))
    table.load()
    table.done(AS_SET)
    assert [len(place) for place in table.machine.tiles.bins] == [24, 22, 24, 22, 13, 13, 13, 13]
    table.done(RaiseWalls())
    assert table.of(WallsUp) == [WallsUp((37, 35, 37, 35))]


@pytest.mark.parametrize(
    "config",
    [
        SetConfig(136, (17, 17, 17, 16)),
        SetConfig(134, (17, 17, 17, 16)),
        SetConfig(136, (11, 10, 11, 10), 13),
        SetConfig(144, (21, 17, 17, 17)),
    ],
    ids=repr,
)
def test_a_configuration_that_does_not_add_up_is_refused(config: SetConfig) -> None:
    table = MachineTable()
    assert reason(table.carry_out(config)) is RejectReason.BAD_CONFIG
    table.done(GetConfig())
    assert table.of(Config) == [MODES[136].report(pending=False)]


def test_a_configuration_waits_for_the_next_sorting() -> None:
    table = MachineTable(tiles=144)
    table.load(136)
    cycle = table.give(AS_SET)
    table.until(State.SORTING)
    table.done(SetConfig(144, (18, 18, 18, 18)), GetConfig())
    assert [config.pending for config in table.of(Config)] == [False, True]
    assert isinstance(table.end_of(cycle), Done)
    assert table.of(CycleDone)[-1].counts == (34, 34, 34, 34)
    assert table.of(ConfigApplied) == []
    table.done(RaiseWalls())
    table.load()
    table.done(AS_SET)
    assert table.of(ConfigApplied) == [ConfigApplied(144, (18, 18, 18, 18), 0)]
    assert table.of(CycleDone)[-1].counts == (36, 36, 36, 36)


def test_the_mode_switch_in_the_middle_of_a_cycle_is_told_and_waits() -> None:
    table, cycle = sorting()
    table.machine.turn_mode(144, table.now)
    table.run(1.0)
    assert [(fault.code, fault.evidence) for fault in table.of(Fault)] == [(FaultCode.CON_03, 144)]
    table.carry_out(AbortCycle())
    assert cause(table.end_of(cycle)) is FailCause.ABORTED
    table.give(AS_SET)
    table.until(State.SORTING)
    table.run(1.0)
    assert table.of(ConfigApplied) == [ConfigApplied(144, (18, 18, 18, 18), 0)]
    assert FaultCode.CON_03 not in table.machine.faults


@EVERY_DETAIL
def test_top_up_stops_all_motors_before_the_hatch_moves(detail: Detail) -> None:
    table, cycle = sorting(detail)
    assert table.machine.motors >= {Motor.DRUM, Motor.RING, Motor.FEED, Motor.HEAD}
    pause = table.give(PauseCycle())
    table.until(State.HATCH_OPENING)
    assert not table.machine.motors & BELOW
    assert isinstance(table.end_of(pause), Done)
    before = table.machine.staged, table.machine.drum
    table.run(60.0)
    assert (table.machine.staged, table.machine.drum) == before
    assert cycle not in table.finished
    table.machine.load(6)
    table.done(ResumeCycle())
    assert table.lower is State.SORTING
    assert isinstance(table.end_of(cycle), Done)
    assert table.of(CycleDone)[-1].counts == (34, 34, 34, 34)


def press_both(table: MachineTable) -> None:
    for seat in (0, 2):
        table.board.key_down(Key.LIFT, seat, table.now)


def test_both_lift_keys_top_up_and_one_goes_on() -> None:
    table, cycle = sorting()
    press_both(table)
    assert not table.machine.motors & BELOW
    table.until(State.TOPUP_PAUSED)
    table.machine.load(6)
    for seat in (0, 2):
        table.board.key_up(Key.LIFT, seat, table.now)
    table.board.press(Key.LIFT, 0, table.now)
    table.until(State.SORTING)
    assert isinstance(table.end_of(cycle), Done)


def test_nothing_turns_while_both_lift_keys_are_down() -> None:
    table, _ = sorting()
    press_both(table)
    table.until(State.TOPUP_PAUSED)
    table.done(ResumeCycle())
    assert table.lower is State.TOPUP_PAUSED
    assert not table.machine.motors & BELOW
    early = MachineTable()
    early.load()
    early.give(AS_SET)
    early.run(0.5)
    press_both(early)
    early.until(State.TOPUP_PAUSED)
    assert early.machine.staged == (0, 0, 0, 0)


def test_a_key_that_is_stuck_counts_for_nothing() -> None:
    table = MachineTable()
    table.board.key_down(Key.LIFT, 0, table.now)
    table.run(11.0)
    assert [(fault.code, fault.evidence) for fault in table.of(Fault)] == [(FaultCode.CON_01, Key.LIFT)]
    table.load()
    table.give(AS_SET)
    table.until(State.SORTING)
    table.board.press(Key.LIFT, 2, table.now)
    assert table.lower is State.SORTING
    assert table.machine.motors & BELOW
    table.board.key_up(Key.LIFT, 0, table.now)
    assert FaultCode.CON_01 not in table.machine.faults


@pytest.mark.parametrize("after_s", [0.5, 2.0, 12.0])
def test_abort_ends_a_cycle_in_every_part_of_it(after_s: float) -> None:
    table = MachineTable(detail=Detail.QUEUES)
    table.load()
    cycle = table.give(AS_SET)
    table.run(after_s)
    table.done(AbortCycle())
    assert cause(table.finished[cycle]) is FailCause.ABORTED
    assert not table.machine.motors
    staged = sum(table.machine.staged)
    assert table.lower is (State.SHORT if staged else State.LOADED)
    table.done(AS_SET)
    assert table.of(CycleDone)[-1].counts == (34, 34, 34, 34)


def test_abort_ends_a_paused_cycle_too() -> None:
    table, cycle = sorting()
    table.done(PauseCycle(), AbortCycle())
    assert cause(table.finished[cycle]) is FailCause.ABORTED
    assert reason(table.carry_out(ResumeCycle())) is RejectReason.WRONG_STATE
    assert reason(table.carry_out(AbortCycle())) is RejectReason.WRONG_STATE


def test_a_lock_refuses_cycles_and_never_stops_one() -> None:
    table, cycle = sorting()
    table.done(Lock(), PauseCycle())
    table.machine.load(6)
    table.done(ResumeCycle())
    assert isinstance(table.end_of(cycle), Done)
    table.done(RaiseWalls())
    table.load()
    assert reason(table.carry_out(AS_SET)) is RejectReason.LOCKED
    table.done(GetStatus())
    assert table.of(Status)[-1].flags == StatusFlag.LOCKED
    table.done(Unlock(), AS_SET)


def test_too_many_tiles_are_left_below_and_the_walls_may_rise() -> None:
    table = MachineTable(tiles=140)
    table.load()
    failure = table.carry_out(AS_SET)
    assert isinstance(failure, CommandFailed)
    assert failure.fault is FaultCode.CNT_02
    assert table.lower is State.OVER
    table.done(RaiseWalls())
    assert (table.lower, table.machine.table) == (State.LOADED, 136)


def test_stacks_of_a_cycle_of_its_own_leave_the_settings_alone() -> None:
    table = MachineTable(tiles=108)
    table.load()
    table.done(StartCycle((14, 13, 14, 13)), GetConfig())
    assert table.of(CycleDone)[-1].counts == (28, 26, 28, 26)
    assert table.of(Config) == [KINDS[Profile.FOUR_PORT].settings.report(pending=False)]


def test_counters_tell_what_the_machine_has_done() -> None:
    table = MachineTable()
    for _ in range(2):
        table.load()
        table.done(AS_SET, RaiseWalls())
    table.done(GetCounters())
    counters = table.machine.counters()
    assert (counters.cycles, counters.openings, counters.lifts, counters.boots) == (2, 2, 2, 1)
    assert counters.last_cycle_ms == table.of(CycleDone)[-1].ms
    turned = sum(cycle.ms for cycle in table.of(CycleDone)) / 1000
    assert abs(counters.motor_s - turned) <= 1.0


def test_travels_are_told_and_slow_ones_stand_out_of_what_was_learnt() -> None:
    table = MachineTable()
    for _ in range(6):
        table.load(0)
        table.done(CloseHatch())
    travels = table.of(Travel)
    assert all(travel.region is Region.HATCH and travel.ms <= travel.bound_ms for travel in travels)
    table.machine.inject(Cause(FaultCode.HAT_04))
    table.done(OpenHatch())
    slow = table.of(Travel)[-1]
    assert slow.ms > slow.bound_ms
    assert table.of(Fault)[-1].evidence == slow.ms
    table.machine.mend(FaultCode.HAT_04)
    table.done(CloseHatch())
    assert FaultCode.HAT_04 not in table.machine.faults


def test_the_fault_log_keeps_the_last_sixteen() -> None:
    table = MachineTable()
    for number in range(20):
        table.machine.raise_fault(FaultCode.TIL_03, evidence=number)
        table.machine.clear_fault(FaultCode.TIL_03)
    log = table.machine.fault_log
    assert [record.evidence for record in log] == list(range(4, 20))
    assert all(record.cleared and record.boot_id == 11 for record in log)
