"""The machine's states, interlocks and lease (sections 8 and 11)."""

from typing import Final

from firmware_bridge.conformance.bench import BRISK, FAST, SLOW, Bench
from firmware_bridge.conformance.probe import POLITE, SILENT
from firmware_bridge.conformance.requirement import Chapter, NotApplicable, expect
from firmware_bridge.encoding import encode
from firmware_bridge.messages import (
    AbortCycle,
    ClearJam,
    CloseHatch,
    Command,
    Done,
    Failed,
    Home,
    Lease,
    LowerWalls,
    OpenHatch,
    PauseCycle,
    RaiseWalls,
    Request,
    ResumeCycle,
    StartCycle,
    StateChanged,
    Travel,
)
from firmware_bridge.states import FailCause, Region, RejectReason, State

MACHINE: Final = Chapter()
BUSY: Final = (RejectReason.BUSY, RejectReason.WRONG_STATE, RejectReason.NOT_HOMED)
LEASE_MS: Final = 250
LEAST_TRAVEL_MS: Final = 400
WHOLE: Final = (17, 17, 17, 17)


def states(reports: list[StateChanged], region: Region) -> list[State]:
    """What one region went through."""
    return [one.state for one in reports if one.region is region]


def named(found: list[State]) -> str:
    """States in words."""
    return ", ".join(state.name for state in found) or "none"


@MACHINE.requirement("HATCH-01", "OpenHatch and CloseHatch: moving, there, Done", "8", moves=True)
async def _hatch(bench: Bench) -> None:
    await bench.homed()
    for command, wanted in (
        (OpenHatch(), [State.HATCH_OPENING, State.HATCH_OPEN]),
        (CloseHatch(), [State.HATCH_CLOSING, State.HATCH_CLOSED]),
    ):
        asked = await bench.do(command)
        found = states(asked.reports(StateChanged), Region.HATCH)
        expect(found == wanted, f"{command}: {named(found)}; expected {named(wanted)} before Done")


@MACHINE.requirement("HATCH-02", "a command whose end is reached already is Done at once", "6", moves=True)
async def _already(bench: Bench) -> None:
    await bench.homed()
    for command in (CloseHatch(), LowerWalls()):
        asked = await bench.do(command)
        found = asked.reports(StateChanged)
        expect(not found, f"{command} with nothing to do: {found}")


@MACHINE.requirement("HATCH-03", "Travel tells how long a whole travel took", "7", moves=True, since=1)
async def _travel(bench: Bench) -> str:
    await bench.homed()
    mark = bench.mark()
    await bench.do(OpenHatch())
    await bench.do(CloseHatch())
    await bench.hear(mark, lambda one: isinstance(one, Travel), 0.3)
    found = [one for one in bench.reports(mark) if isinstance(one, Travel)]
    expect(len(found) == 2, f"{len(found)} Travel reports for two travels of the hatch")
    expect(all(one.region is Region.HATCH for one in found), f"{found}: expected HATCH")
    return ", ".join(f"{one.ms} ms" for one in found)


@MACHINE.requirement("STATE-07", "while the hatch moves, other motion there is rejected", "8", moves=True)
async def _one_at_a_time(bench: Bench) -> None:
    await bench.homed()
    await bench.pace(BRISK)
    try:
        moving = await bench.begun(OpenHatch())
        for command in (CloseHatch(), LowerWalls(), RaiseWalls(), StartCycle(WHOLE)):
            if moving.ended is not None:
                break
            asked = await bench.start(command)
            await bench.answered(asked)
            expect(
                moving.ended is not None or asked.reason is not None,
                f"{command} while the hatch opens: {asked.outcome}",
            )
        await bench.finished(moving, 15.0)
    finally:
        await bench.pace(FAST)
    await bench.do(CloseHatch())


@MACHINE.requirement(
    "ONCE-09", "an op_id that is under way, again: Accepted now, Done when it is due", "6.1", moves=True
)
async def _under_way(bench: Bench) -> None:
    await bench.homed()
    await bench.pace(BRISK)
    try:
        first = await bench.begun(OpenHatch())
        again = await bench.start(OpenHatch(), first.op_id)
        await bench.finished(again, 15.0)
    finally:
        await bench.pace(FAST)
    await bench.probe.run(0.1)
    expect(isinstance(again.ended, Done), f"the same op_id under way: {again.outcome}")
    found = states([one for one in bench.reports(first.mark) if isinstance(one, StateChanged)], Region.HATCH)
    expect(found == [State.HATCH_OPENING, State.HATCH_OPEN], f"the hatch went through {named(found)}")
    await bench.do(CloseHatch())


@MACHINE.requirement("WALLS-01", "RaiseWalls with an open hatch is HATCH_NOT_CLOSED", "8", moves=True)
async def _hatch_open(bench: Bench) -> None:
    status = await bench.homed()
    wanted = [RejectReason.HATCH_NOT_CLOSED]
    if status.lower not in (State.STAGED, State.OVER):
        wanted.append(RejectReason.NOT_STAGED)
    await bench.do(OpenHatch())
    try:
        await bench.refused(RaiseWalls(), wanted)
    finally:
        await bench.ask(CloseHatch())


@MACHINE.requirement("WALLS-02", "RaiseWalls without staged walls is NOT_STAGED", "8", moves=True)
async def _not_staged(bench: Bench) -> None:
    status = await bench.homed()
    if status.lower in (State.STAGED, State.OVER):
        raise NotApplicable(f"below is {status.lower.name}")
    asked = await bench.refused(RaiseWalls(), (RejectReason.NOT_STAGED,))
    expect(not bench.reports(asked.mark), f"RaiseWalls was rejected, and {bench.reports(asked.mark)[:1]}")


@MACHINE.requirement("CYCLE-01", "StartCycle without tiles inside is NO_TILES", "8", moves=True)
async def _no_tiles(bench: Bench) -> None:
    status = await bench.homed()
    if status.lower is not State.EMPTY:
        raise NotApplicable(f"below is {status.lower.name}, not EMPTY")
    await bench.refused(StartCycle(WHOLE), (RejectReason.NO_TILES,))


@MACHINE.requirement("CYCLE-02", "StartCycle with stacks that make no set is BAD_ARGUMENT", "9.2", moves=True)
async def _no_set(bench: Bench) -> None:
    status = await bench.homed()
    wanted = [RejectReason.BAD_ARGUMENT]
    if status.lower is State.EMPTY:
        wanted.append(RejectReason.NO_TILES)
    if status.lower is State.STAGED:
        wanted.append(RejectReason.WRONG_STATE)
    for stacks in ((17, 17, 17, 16), (1, 0, 0, 0)):
        await bench.refused(StartCycle(stacks), wanted)


@MACHINE.requirement(
    "CYCLE-03", "without a cycle nothing can be paused, resumed, aborted or freed", "8", moves=True, since=1
)
async def _no_cycle(bench: Bench) -> None:
    status = await bench.homed()
    if status.lower in (State.JAMMED, State.TOPUP_PAUSED, State.SORTING):
        raise NotApplicable(f"below is {status.lower.name}")
    commands: tuple[Command, ...] = (PauseCycle(), ResumeCycle(), AbortCycle(), ClearJam(0))
    for command in commands:
        await bench.refused(command, BUSY)


@MACHINE.requirement("HOME-01", "Home ends in HATCH_CLOSED and WALLS_DOWN", "8", moves=True, since=1)
async def _home(bench: Bench) -> None:
    await bench.homed()
    await bench.do(OpenHatch())
    await bench.do(Home())
    status = await bench.status()
    wanted = (State.HATCH_CLOSED, State.WALLS_DOWN)
    expect((status.hatch, status.walls) == wanted, f"after Home: {status.hatch.name}, {status.walls.name}")


@MACHINE.requirement(
    "LEASE-02",
    "exposed motion of the host stops when nobody is heard for the lease",
    "11.1",
    moves=True,
    since=1,
)
async def _lease(bench: Bench) -> str:
    await bench.homed()
    await bench.pace(SLOW)
    probe = bench.probe
    try:
        mark = bench.mark()
        await bench.do(OpenHatch())
        await bench.pace(FAST)
        await bench.do(CloseHatch())
        await bench.pace(SLOW)
        times = [one.ms for one in bench.reports(mark) if isinstance(one, Travel)][:1]
        if not times or min(times) < LEAST_TRAVEL_MS:
            raise NotApplicable(f"the hatch needs {times} ms, too little to see a lease of {LEASE_MS} ms")
        await bench.do(Lease(LEASE_MS))
        asked = await bench.begun(OpenHatch())
        with probe.acting(SILENT):
            await probe.run(min(times) / 1000 + 0.3)
        with probe.acting(POLITE):
            await probe.until(lambda: asked.ended is not None, 1.0)
        await probe.until(lambda: asked.ended is not None, 1.0)
        status = await bench.status()
    finally:
        await bench.pace(FAST)
    right = isinstance(asked.ended, Failed) and asked.ended.cause is FailCause.HOST_LOST
    expect(right, f"OpenHatch, then nothing for longer than the lease of {LEASE_MS} ms: {asked.outcome}")
    expect(status.hatch is State.HATCH_UNKNOWN, f"after the lease the hatch is {status.hatch.name}")
    await bench.do(Home())
    return f"hatch stopped; a whole travel needs {min(times)} ms"


@MACHINE.requirement("LEASE-03", "motion goes on while heartbeats come", "11.1", moves=True, since=1)
async def _heartbeats_keep(bench: Bench) -> None:
    await bench.homed()
    await bench.pace(SLOW)
    try:
        await bench.do(Lease(LEASE_MS))
        await bench.do(OpenHatch())
    finally:
        await bench.pace(FAST)
    await bench.do(CloseHatch())


@MACHINE.requirement("LOST-01", "after a lost link the command is known by its op_id", "11.3", moves=True)
async def _known_again(bench: Bench) -> None:
    await bench.homed()
    first = await bench.start(OpenHatch())
    await bench.probe.until(lambda: first.answers, 1.0)
    await bench.fresh()
    mark = bench.mark()
    await bench.probe.message(encode(Request(first.op_id, OpenHatch())))

    def ended() -> list[Done | Failed]:
        said = [one.message for one in bench.said(mark)]
        return [one for one in said if isinstance(one, Done | Failed) and one.op_id == first.op_id]

    await bench.probe.until(ended, 15.0)
    expect(ended(), "no Done or Failed for the op_id after a new session")
    opened = [one for one in bench.reports(mark) if one == StateChanged(Region.HATCH, State.HATCH_OPENING)]
    expect(not opened, "the hatch opens again for the same op_id")
    await bench.homed()
