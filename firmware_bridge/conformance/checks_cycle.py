"""The cycle, configuration and top-up (section 9)."""

from typing import Final

from firmware_bridge.configuration import crc_of
from firmware_bridge.conformance.bench import FAST, Asked, Bench
from firmware_bridge.conformance.probe import SILENT
from firmware_bridge.conformance.requirement import Chapter, NotApplicable, expect
from firmware_bridge.messages import (
    AbortCycle,
    Config,
    ConfigApplied,
    CycleDone,
    Done,
    Failed,
    GetConfig,
    Lock,
    LowerWalls,
    OpenHatch,
    PauseCycle,
    RaiseWalls,
    ResumeCycle,
    SetConfig,
    SideDone,
    StartCycle,
    StateChanged,
    Status,
    TileCount,
    Unlock,
    WallsUp,
)
from firmware_bridge.states import Capability, FailCause, Region, RejectReason, State, StatusFlag

CYCLE: Final = Chapter()
CYCLE_S: Final = 300.0
BEGIN_S: Final = 30.0
BAD_CONFIG: Final = (RejectReason.BAD_CONFIG,)
LOST_S: Final = 3.0
STILL_S: Final = 0.3

WRONG_CONFIGS: Final = (
    SetConfig(136, (17, 17, 17, 16), 0),
    SetConfig(136, (17, 17, 17, 18), 0),
    SetConfig(130, (17, 16, 16, 16), 0),
    SetConfig(144, (21, 17, 17, 17), 0),
    SetConfig(0, (0, 0, 0, 0), 0),
)


# ---- configuration ---------------------------------------------------------------------------------------


async def _configs(bench: Bench) -> list[Config]:
    found = (await bench.do(GetConfig())).reports(Config)
    expect(found, "GetConfig: no Config before Done")
    return found


@CYCLE.requirement(
    "CONFIG-01", "GetConfig tells the configuration in force, with its crc", "9.2", needs=Capability.CONFIG
)
async def _config(bench: Bench) -> str:
    found = await _configs(bench)
    expect([one.pending for one in found] in ([False], [False, True]), f"GetConfig: {found}")
    for one in found:
        crc = crc_of(one.tiles, one.stacks, one.dealt)
        expect(one.crc == crc, f"{one}: the crc of these six bytes is {crc:#010x}")
    return f"{found[0].tiles} tiles, stacks {found[0].stacks}"


@CYCLE.requirement(
    "CONFIG-02", "a configuration that does not add up is BAD_CONFIG", "9.2", needs=Capability.CONFIG
)
async def _arithmetic(bench: Bench) -> None:
    before = await _configs(bench)
    wrong = list(WRONG_CONFIGS)
    if not bench.can(Capability.DEALS):
        wrong.append(SetConfig(136, (11, 10, 10, 11), 13))
    try:
        for one in wrong:
            await bench.refused(one, BAD_CONFIG)
        after = await _configs(bench)
        expect(after == before, f"after rejected SetConfigs: {after}, before {before}")
    finally:
        await _restore(bench, before)


@CYCLE.requirement(
    "CONFIG-03", "a new configuration waits until the next sorting begins", "9.2", needs=Capability.CONFIG
)
async def _waits(bench: Bench) -> None:
    before = await _configs(bench)
    other = SetConfig(108, (14, 13, 14, 13)) if before[0].tiles != 108 else SetConfig(136, (17, 17, 17, 17))
    try:
        await bench.do(other)
        found = await _configs(bench)
        expect(len(found) == 2, f"after SetConfig, GetConfig tells {len(found)} configurations, expected two")
        expect(found[0] == before[0], f"in force is {found[0]}, before {before[0]}")
        told = (found[1].tiles, found[1].stacks, found[1].dealt, found[1].pending)
        expect(told == (other.tiles, other.stacks, 0, True), f"waiting is {found[1]}, set was {other}")
        crc = crc_of(other.tiles, other.stacks, 0)
        expect(found[1].crc == crc, f"{found[1]}: the crc of these six bytes is {crc:#010x}")
    finally:
        await _restore(bench, before)


async def _restore(bench: Bench, before: list[Config]) -> None:
    """What was waiting before (or was in force) is what waits."""
    last = before[-1]
    await bench.ask(SetConfig(last.tiles, last.stacks, last.dealt))


# ---- a cycle ---------------------------------------------------------------------------------------------


def as_set(bench: Bench) -> StartCycle:
    """A cycle of what the machine is set to."""
    return StartCycle((0, 0, 0, 0) if bench.minor else (17, 17, 17, 17))


async def _sorting(bench: Bench) -> Asked:
    """A cycle that sorts."""
    mark = bench.mark()
    asked = await bench.begun(as_set(bench))
    sorting = StateChanged(Region.LOWER, State.SORTING)
    begun = await bench.hear(mark, lambda report: report == sorting, BEGIN_S)
    expect(begun, f"StartCycle: no SORTING, {asked.outcome}")
    return asked


@CYCLE.requirement("CYCLE-04", "while it sorts, hatch, walls and another cycle are rejected", "8", moves=True)
async def _interlocks(bench: Bench) -> None:
    await bench.loaded()
    asked = await _sorting(bench)
    try:
        await bench.refused(OpenHatch(), (RejectReason.WRONG_STATE, RejectReason.BUSY))
        await bench.refused(RaiseWalls(), (RejectReason.NOT_STAGED, RejectReason.BUSY))
        await bench.refused(as_set(bench), (RejectReason.BUSY, RejectReason.WRONG_STATE))
    finally:
        await end_cycle(bench, asked)


async def end_cycle(bench: Bench, cycle: Asked) -> None:
    """No cycle is under way."""
    if cycle.ended is None and bench.minor:
        await bench.ask(AbortCycle())
    await bench.finished(cycle, CYCLE_S)


@CYCLE.requirement(
    "CYCLE-05",
    "AbortCycle: StartCycle is Failed with ABORTED, tiles are not forgotten",
    "9.1",
    moves=True,
    since=1,
)
async def _abort(bench: Bench) -> None:
    await bench.loaded()
    cycle = await _sorting(bench)
    await bench.do(AbortCycle())
    ended = await bench.finished(cycle, 1.0)
    right = isinstance(ended, Failed) and ended.cause is FailCause.ABORTED
    expect(right, f"StartCycle after AbortCycle: {cycle.outcome}, expected Failed ABORTED")
    status = await bench.status()
    expect(
        status.lower in (State.LOADED, State.SHORT), f"below is {status.lower.name}, expected LOADED or SHORT"
    )
    mark = bench.mark()
    await bench.probe.run(STILL_S)
    turning = [one for one in bench.reports(mark) if isinstance(one, TileCount | SideDone)]
    expect(not turning, f"after AbortCycle: {turning[:1]}")


@CYCLE.requirement(
    "TOPUP-01", "PauseCycle stops all below, opens the hatch; ResumeCycle goes on", "9.3", moves=True, since=1
)
async def _top_up(bench: Bench) -> None:
    await bench.loaded()
    cycle = await _sorting(bench)
    try:
        pause = await bench.do(PauseCycle())
        lower = states(pause, Region.LOWER)
        hatch = states(pause, Region.HATCH)
        wanted = [State.HATCH_OPENING, State.HATCH_OPEN]
        expect(hatch == wanted, f"PauseCycle: the hatch went through {hatch}, expected {wanted}")
        expect(
            lower == [State.TOPUP_PAUSED], f"PauseCycle: below went through {lower}, expected TOPUP_PAUSED"
        )
        expect(cycle.ended is None, f"StartCycle ended in the pause: {cycle.outcome}")
        mark = bench.mark()
        await bench.probe.run(STILL_S)
        turning = [one for one in bench.reports(mark) if isinstance(one, TileCount | SideDone)]
        expect(not turning, f"in TOPUP_PAUSED: {turning[:1]}")
        resume = await bench.do(ResumeCycle())
        wanted = [State.HATCH_CLOSING, State.HATCH_CLOSED]
        expect(
            states(resume, Region.HATCH) == wanted,
            f"ResumeCycle: the hatch went through {states(resume, Region.HATCH)}",
        )
        expect(
            states(resume, Region.LOWER) == [State.SORTING], "ResumeCycle is Done, and below is not SORTING"
        )
    finally:
        await end_cycle(bench, cycle)


def states(asked: Asked, region: Region) -> list[State]:
    """What a region went through before the command's end."""
    return [one.state for one in asked.reports(StateChanged) if one.region is region]


@CYCLE.requirement(
    "LOCK-01", "Lock and Unlock: told by the flag LOCKED, kept over sessions", "12", needs=Capability.LOCK
)
async def _lock(bench: Bench) -> None:
    before = await bench.status()
    try:
        await bench.do(Lock())
        expect(StatusFlag.LOCKED in (await bench.status()).flags, "after Lock, Status has no flag LOCKED")
        await bench.fresh()
        expect(StatusFlag.LOCKED in (await bench.status()).flags, "a new session has taken the lock away")
        await bench.do(Unlock())
        expect(StatusFlag.LOCKED not in (await bench.status()).flags, "after Unlock the flag LOCKED is there")
    finally:
        await bench.ask(Lock() if StatusFlag.LOCKED in before.flags else Unlock())


@CYCLE.requirement("LOCK-02", "a locked machine begins no cycle", "12", needs=Capability.LOCK, moves=True)
async def _locked(bench: Bench) -> None:
    status = await bench.homed()
    wanted = [RejectReason.LOCKED]
    if status.lower is State.EMPTY:
        wanted.append(RejectReason.NO_TILES)
    elif status.lower not in (State.LOADED, State.SHORT):
        wanted.append(RejectReason.WRONG_STATE)
    await bench.do(Lock())
    try:
        await bench.refused(as_set(bench), wanted)
    finally:
        await bench.ask(Unlock())


@CYCLE.requirement(
    "LOCK-03", "a lock ends no cycle that is under way", "12", needs=Capability.LOCK, moves=True
)
async def _lock_in_cycle(bench: Bench) -> None:
    await bench.loaded()
    cycle = await _sorting(bench)
    try:
        await bench.do(Lock())
        mark = bench.mark()
        goes_on = await bench.hear(mark, lambda one: isinstance(one, TileCount | SideDone | CycleDone), 10.0)
        expect(
            goes_on or isinstance(cycle.ended, Done), f"after Lock the cycle does not go on: {cycle.outcome}"
        )
        expect(not isinstance(cycle.ended, Failed), f"after Lock: {cycle.outcome}")
    finally:
        await bench.ask(Unlock())
        await end_cycle(bench, cycle)


@CYCLE.requirement(
    "LOST-02", "a cycle behind a closed hatch goes on when the host is lost", "11.2", moves=True
)
async def _host_lost(bench: Bench) -> None:
    await bench.loaded()
    cycle = await _sorting(bench)
    with bench.probe.acting(SILENT):
        bench.probe.leave()
        await bench.probe.run(LOST_S + bench.slack + 0.2)
    mark = bench.mark()
    await bench.fresh()
    status = next(one for one in bench.reports(mark) if isinstance(one, Status))
    expect(status.lower in (State.SORTING, State.STAGED), f"3 s later below is {status.lower.name}")
    again = await bench.start(as_set(bench), cycle.op_id)
    await bench.finished(again, CYCLE_S)
    expect(isinstance(again.ended, Done), f"StartCycle again under its op_id: {again.outcome}")


@CYCLE.requirement(
    "CYCLE-06", "a whole cycle: TileCount, SideDone, STAGED, CycleDone, Done", "9.1", moves=True
)
async def _whole(bench: Bench) -> str:
    await bench.loaded()
    await bench.pace(2 * FAST)
    cycles = (await bench.status()).cycles
    mark = bench.mark()
    cycle = await _sorting(bench)
    await bench.finished(cycle, CYCLE_S)
    if isinstance(cycle.ended, Failed) and cycle.ended.cause is FailCause.FAULT:
        raise NotApplicable(f"the machine has a fault: {cycle.outcome}")
    expect(isinstance(cycle.ended, Done), f"StartCycle: {cycle.outcome}")
    done = cycle.reports(CycleDone)
    expect(len(done) == 1, f"{len(done)} CycleDone before Done, expected one")
    _check_counts(cycle, done[0])
    expect(states(cycle, Region.LOWER)[-1:] == [State.STAGED], "the cycle is Done, and below is not STAGED")
    status = await bench.status()
    expect(status.staged == done[0].counts, f"Status says {status.staged} staged, CycleDone {done[0].counts}")
    expect(status.cycles == cycles + 1, f"{status.cycles} cycles, before {cycles}")
    bench.notes["staged"] = done[0].counts
    if bench.can(Capability.CONFIG):
        found = await _configs(bench)
        expect(not found[-1].pending, "a sorting has begun, and the configuration still waits")
        applied = [one for one in bench.reports(mark) if isinstance(one, ConfigApplied)]
        expect(len(applied) <= 1, f"{len(applied)} ConfigApplied in one cycle")
        # Whether the numbers of the sides have the dealt hands in them is not said.
        built = (found[0].tiles, found[0].tiles - 4 * found[0].dealt)
        expect(sum(done[0].counts) in built, f"{done[0]} for {found[0]}")
    return f"{done[0].counts} in {done[0].ms} ms"


def _check_counts(cycle: Asked, done: CycleDone) -> None:
    last = [0, 0, 0, 0]
    for count in cycle.reports(TileCount):
        expect(count.n <= count.target, f"{count}: more than wanted")
        expect(count.n >= last[count.side], f"{count} after {last[count.side]}")
        last[count.side] = count.n
    sides = sorted((one.side, one.n) for one in cycle.reports(SideDone))
    if cycle.bench.minor:
        wanted = [(side, n) for side, n in enumerate(done.counts) if n]
        expect(sides == wanted, f"SideDone tells {sides}, CycleDone {done.counts}")


@CYCLE.requirement("CYCLE-07", "staged walls: no other cycle begins over them", "8", moves=True)
async def _staged(bench: Bench) -> None:
    if (await bench.homed()).lower is not State.STAGED:
        raise NotApplicable("no walls are staged")
    await bench.refused(as_set(bench), (RejectReason.WRONG_STATE, RejectReason.BUSY))


@CYCLE.requirement("WALLS-03", "staged walls rise: WALLS_RAISING, WALLS_UP, WallsUp, Done", "9.1", moves=True)
async def _walls_rise(bench: Bench) -> None:
    status = await bench.homed()
    if status.lower is not State.STAGED:
        raise NotApplicable("no walls are staged")
    raised = await bench.do(RaiseWalls())
    found = states(raised, Region.WALLS)
    expect(found == [State.WALLS_RAISING, State.WALLS_UP], f"RaiseWalls: the carriers went through {found}")
    up = raised.reports(WallsUp)
    expect(up == [WallsUp(status.staged)], f"RaiseWalls: {up}, staged were {status.staged}")
    after = await bench.status()
    expect(after.lower in (State.EMPTY, State.LOADED), f"the walls are up, and below is {after.lower.name}")
    expect(after.staged == (0, 0, 0, 0), f"the walls are up, and {after.staged} are staged")
    lowered = await bench.do(LowerWalls())
    found = states(lowered, Region.WALLS)
    expect(
        found == [State.WALLS_LOWERING, State.WALLS_DOWN], f"LowerWalls: the carriers went through {found}"
    )


@CYCLE.requirement(
    "CONFIG-04",
    "the configuration that waits is applied when sorting begins",
    "9.2",
    needs=Capability.CONFIG,
    moves=True,
)
async def _applied(bench: Bench) -> None:
    await bench.loaded()
    before = (await _configs(bench))[-1]
    await bench.do(SetConfig(before.tiles, before.stacks, before.dealt))
    if not (await _configs(bench))[-1].pending:
        raise NotApplicable("a configuration like the one in force does not wait")
    mark = bench.mark()
    cycle = await _sorting(bench)
    try:
        told = ConfigApplied(before.tiles, before.stacks, before.dealt)
        heard = await bench.hear(mark, lambda one: one == told, 1.0)
        expect(heard, f"sorting has begun without {told}")
        expect(
            not (await _configs(bench))[-1].pending,
            "ConfigApplied was told, and the configuration still waits",
        )
    finally:
        await end_cycle(bench, cycle)
