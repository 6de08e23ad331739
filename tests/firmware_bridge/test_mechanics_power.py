"""The supply goes at any tick: no tile is lost, nothing is made up, and a key or Home leads out."""

import pytest
from machine_table import AS_SET, MachineTable

from firmware_bridge.errors import LinkLost
from firmware_bridge.faults import FaultCode
from firmware_bridge.messages import (
    Booted,
    CloseHatch,
    Command,
    CycleDone,
    Fault,
    GetCounters,
    Home,
    OpenHatch,
    RaiseWalls,
    RollDice,
    SetConfig,
    Status,
    WallsUp,
)
from firmware_bridge.states import Region, ResetCause, State
from hardware_sim.mechanics import Cause, Detail, Restart

ROUND: tuple[Command, ...] = (OpenHatch(), AS_SET, RaiseWalls(), RollDice(), OpenHatch(), CloseHatch())

AFTER_A_START = {
    Region.HATCH: {State.HATCH_CLOSED, State.HATCH_OPEN, State.HATCH_UNKNOWN},
    Region.WALLS: {State.WALLS_DOWN, State.WALLS_UP, State.WALLS_UNKNOWN},
    Region.LOWER: {State.EMPTY, State.LOWER_UNKNOWN},
    Region.DICE: {State.DICE_STILL},
    Region.SAFETY: {State.OPERATIONAL},
}


def tiles_of(table: MachineTable) -> int:
    tiles = table.machine.tiles
    return len(tiles.table) + len(tiles.drum) + sum(map(len, tiles.troughs)) + sum(map(len, tiles.bins))


def play(table: MachineTable) -> None:
    """A round, until the supply goes; whatever is under way then ends with the link."""
    for command in ROUND:
        if isinstance(table.carry_out(command), LinkLost):
            return
        if command == OpenHatch() and table.machine.states[Region.HATCH] is State.HATCH_OPEN:
            table.machine.load(table.machine.table if table.lower is not State.STAGED else 0)


def ticks_of_a_round(detail: Detail) -> int:
    table = MachineTable(detail=detail)
    before = table.machine.ticks
    play(table)
    return table.machine.ticks - before


def leads_out(table: MachineTable) -> None:
    """From whatever the board shows to walls on the table."""
    states = table.machine.states
    table.done(Home())
    assert (states[Region.HATCH], states[Region.WALLS]) == (State.HATCH_CLOSED, State.WALLS_DOWN)
    table.done(OpenHatch())
    table.machine.load(table.machine.table)
    table.done(AS_SET, RaiseWalls())
    assert table.of(CycleDone)[-1].counts == table.of(WallsUp)[-1].counts == (34, 34, 34, 34)


@pytest.mark.parametrize(("detail", "every"), [(Detail.INSTANT, 1), (Detail.QUEUES, 7), (Detail.NOISY, 11)])
@pytest.mark.timeout(300)
def test_a_power_cut_at_any_tick_leads_to_a_safe_known_state(detail: Detail, every: int) -> None:
    ticks = ticks_of_a_round(detail)
    assert ticks >= 80
    for tick in range(1, ticks, every):
        table = MachineTable(detail=detail)
        table.machine.inject(Restart(ResetCause.POWER_ON, tick=table.machine.ticks + tick, off_s=2.0))
        play(table)
        table.run(8.0)
        assert [booted.cause for booted in table.of(Booted)] == [ResetCause.POWER_ON] * 2, tick
        first, second = table.of(Booted)
        assert first.boot_id != second.boot_id
        assert tiles_of(table) == 136, tick
        assert not table.machine.motors, tick
        for region, state in table.machine.states.items():
            assert state in AFTER_A_START[region], (tick, state)
        assert (table.lower is State.EMPTY) == (table.machine.tiles.inside == 0), tick
        assert table.of(Status)[-1].lower is table.lower
        leads_out(table)
        assert tiles_of(table) == 136, tick


def test_what_moved_when_the_supply_went_is_unknown_and_does_not_move_by_itself() -> None:
    table = MachineTable()
    table.machine.inject(Restart(ResetCause.BROWN_OUT, at_s=0.7))
    op_id = table.give(OpenHatch())
    table.run(60.0)
    assert isinstance(table.finished[op_id], LinkLost)
    assert table.machine.states[Region.HATCH] is State.HATCH_UNKNOWN
    assert table.of(Booted)[-1].cause is ResetCause.BROWN_OUT
    table.done(Home())


def test_settings_lock_and_counts_outlive_a_restart() -> None:
    table = MachineTable(tiles=144)
    table.done(SetConfig(144, (18, 18, 18, 18)))
    table.load()
    table.done(AS_SET)
    table.machine.inject(Restart(ResetCause.SOFTWARE))
    table.run(8.0)
    table.done(GetCounters())
    counters = table.machine.counters()
    assert (counters.cycles, counters.boots) == (1, 2)
    table.done(AS_SET)
    assert table.of(CycleDone)[-1].counts == (36, 36, 36, 36)


def test_a_watchdog_is_told_once() -> None:
    table = MachineTable()
    table.machine.inject(Cause(FaultCode.PWR_03))
    table.run(8.0)
    assert [fault.code for fault in table.of(Fault)] == [FaultCode.PWR_03]
    assert table.of(Booted)[-1].cause is ResetCause.WATCHDOG
    assert FaultCode.PWR_03 not in table.machine.faults


def test_an_emergency_stop_outlives_a_restart() -> None:
    table = MachineTable()
    table.machine.set_stop_chain(table.now, is_open=True)
    table.machine.inject(Restart(ResetCause.POWER_ON))
    table.run(8.0)
    assert table.machine.states[Region.SAFETY] is State.STOP_CHAIN_OPEN
    table.machine.set_stop_chain(table.now, is_open=False)
    assert table.machine.states[Region.SAFETY] is State.PROTECTIVE_STOP
