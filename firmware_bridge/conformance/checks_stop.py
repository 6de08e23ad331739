"""Stop, keys and maintenance: what needs somebody at the table (sections 9.4 and 12)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from firmware_bridge.conformance.bench import FAST, SLOW, Bench
from firmware_bridge.conformance.checks_cycle import as_set, end_cycle
from firmware_bridge.conformance.requirement import Chapter, NotApplicable, NotMet, expect
from firmware_bridge.messages import (
    ClearStop,
    CloseHatch,
    Command,
    Counters,
    Done,
    Failed,
    GetCounters,
    Home,
    Jog,
    KeyPressed,
    KeyReleased,
    Lamps,
    LowerWalls,
    MaintenanceBegin,
    MaintenanceEnd,
    OpenHatch,
    RaiseWalls,
    SelfTest,
    SelfTestResult,
    StartCycle,
    StateChanged,
    Stop,
)
from firmware_bridge.states import Capability, FailCause, Key, Motor, Region, RejectReason, State

STOPS: Final = Chapter()
STOP_S: Final = 0.1
STOPPED: Final = (RejectReason.STOPPED,)
WRONG_STATE: Final = (RejectReason.WRONG_STATE,)
NEEDS_KEY: Final = (RejectReason.NEEDS_LOCAL_KEY,)
PRESSED_S: Final = 30.0


async def press(bench: Bench, key: Key, seat: int = 0) -> None:
    """Somebody presses a key, and the board says so."""
    mark = bench.mark()
    await bench.press(key, seat)
    heard = await bench.hear(mark, lambda one: isinstance(one, KeyPressed) and one.key is key, PRESSED_S)
    expect(heard, f"{key.name} was pressed, and no KeyPressed came")


async def _stop(bench: Bench) -> None:
    """Stopped. Raises NotApplicable where the board takes no Stop."""
    asked = await bench.ask(Stop())
    if not isinstance(asked.ended, Done):
        raise NotApplicable(f"Stop: {asked.outcome}; see STOP-01")


async def _clear(bench: Bench) -> None:
    """Leave the stop, whatever has happened before."""
    await press(bench, Key.CONFIRM)
    asked = await bench.ask(ClearStop())
    expect(isinstance(asked.ended, Done), f"ClearStop after a key: {asked.outcome}")


@STOPS.requirement("KEY-01", "a key is told when it goes down and when it goes up", "7", keys=True)
async def _keys(bench: Bench) -> None:
    mark = bench.mark()
    await press(bench, Key.LIFT, 2)
    if bench.minor:
        up = await bench.hear(
            mark, lambda one: isinstance(one, KeyReleased) and one.key is Key.LIFT, PRESSED_S
        )
        expect(up, "LIFT was let go, and no KeyReleased came")


@STOPS.requirement("STOP-01", "Stop is accepted, and PROTECTIVE_STOP comes within 100 ms", "12", keys=True)
async def _check_stop(bench: Bench) -> str:
    await bench.running()
    mark = bench.mark()
    try:
        asked = await bench.start(Stop())
        await bench.finished(asked, 1.0)
        expect(isinstance(asked.ended, Done), f"Stop: {asked.outcome}")
        told = StateChanged(Region.SAFETY, State.PROTECTIVE_STOP)
        heard = [one.at for one in bench.said(mark) if getattr(one.message, "report", None) == told]
        expect(heard, "Stop is Done without PROTECTIVE_STOP")
        expect(
            heard[0] - asked.at <= STOP_S + bench.slack, f"PROTECTIVE_STOP after {heard[0] - asked.at:.3f} s"
        )
        again = await bench.ask(Stop())
        expect(isinstance(again.ended, Done), f"Stop in PROTECTIVE_STOP: {again.outcome}")
    finally:
        await _clear(bench)
    return f"{1000 * (heard[0] - asked.at):.0f} ms"


@STOPS.requirement(
    "STOP-02", "in PROTECTIVE_STOP motion is STOPPED; Get..., Lamps are accepted", "6", keys=True
)
async def _stopped(bench: Bench) -> None:
    await bench.running()
    await _stop(bench)
    try:
        commands: tuple[Command, ...] = (
            OpenHatch(),
            CloseHatch(),
            LowerWalls(),
            RaiseWalls(),
            StartCycle((17, 17, 17, 17)),
        )
        for command in commands + ((Home(),) if bench.minor else ()):
            await bench.refused(command, STOPPED)
        await bench.status()
        if bench.can(Capability.LAMPS):
            await bench.do(Lamps())
        if bench.can(Capability.COUNTERS):
            expect((await bench.do(GetCounters())).reports(Counters), "no Counters in PROTECTIVE_STOP")
    finally:
        await _clear(bench)


@STOPS.requirement("STOP-03", "ClearStop needs a key at the table since the stop", "12", keys=True)
async def _needs_key(bench: Bench) -> None:
    await bench.running()
    await press(bench, Key.CONFIRM)
    await _stop(bench)
    try:
        await bench.refused(ClearStop(), NEEDS_KEY)
    finally:
        await _clear(bench)
    status = await bench.status()
    expect(
        status.safety in (State.OPERATIONAL, State.DEGRADED),
        f"after ClearStop safety is {status.safety.name}",
    )


@STOPS.requirement("STOP-04", "a stop outlasts the session", "12", keys=True)
async def _outlasts(bench: Bench) -> None:
    await bench.running()
    await _stop(bench)
    try:
        await bench.fresh()
        status = await bench.status()
        expect(status.safety is State.PROTECTIVE_STOP, f"in a new session safety is {status.safety.name}")
        await bench.refused(OpenHatch(), STOPPED)
    finally:
        await _clear(bench)


@STOPS.requirement(
    "STOP-05", "Stop ends motion: Failed STOPPED, where it stands is UNKNOWN", "12", keys=True, moves=True
)
async def _ends_motion(bench: Bench) -> None:
    await bench.homed()
    await bench.pace(SLOW)
    moving = await bench.begun(OpenHatch())
    try:
        await _stop(bench)
        await bench.probe.until(lambda: moving.ended is not None, 0.5)
        status = await bench.status()
    finally:
        await _clear(bench)
        await bench.pace(FAST)
        await bench.finished(moving, 15.0)
    right = isinstance(moving.ended, Failed) and moving.ended.cause is FailCause.STOPPED
    expect(right, f"OpenHatch, then Stop: {moving.outcome}, expected Failed STOPPED")
    expect(status.hatch is State.HATCH_UNKNOWN, f"stopped half way the hatch is {status.hatch.name}")
    await bench.homed()


@STOPS.requirement(
    "STOP-06",
    "Stop in a cycle: StartCycle is Failed STOPPED, tiles are not forgotten",
    "12",
    keys=True,
    moves=True,
)
async def _ends_cycle(bench: Bench) -> None:
    await bench.loaded()
    mark = bench.mark()
    cycle = await bench.begun(as_set(bench))
    sorting = StateChanged(Region.LOWER, State.SORTING)
    await bench.hear(mark, lambda one: one == sorting, 30.0)
    try:
        await _stop(bench)
        await bench.probe.until(lambda: cycle.ended is not None, 0.5)
        status = await bench.status()
    finally:
        await _clear(bench)
        await end_cycle(bench, cycle)
    right = isinstance(cycle.ended, Failed) and cycle.ended.cause is FailCause.STOPPED
    expect(right, f"StartCycle, then Stop: {cycle.outcome}, expected Failed STOPPED")
    expect(status.lower not in (State.EMPTY, State.SORTING, State.STAGED), f"below is {status.lower.name}")


# ---- maintenance -----------------------------------------------------------------------------------------


@asynccontextmanager
async def _in_maintenance(bench: Bench) -> AsyncIterator[None]:
    """Somebody presses SERVICE, and the machine is in MAINTENANCE until the block is left."""
    await bench.homed()
    await press(bench, Key.SERVICE)
    try:
        await bench.do(MaintenanceBegin())
        yield
    finally:
        await bench.ask(MaintenanceEnd())


@STOPS.requirement(
    "SERVICE-01", "without the SERVICE key there is no maintenance", "12", needs=Capability.MAINTENANCE
)
async def _no_service(bench: Bench) -> None:
    if (await bench.status()).safety is State.MAINTENANCE:
        raise NotApplicable("the machine is in MAINTENANCE")
    await bench.refused(MaintenanceBegin(), (*NEEDS_KEY, *STOPPED))


@STOPS.requirement(
    "SERVICE-02",
    "Jog and SelfTest outside of MAINTENANCE are WRONG_STATE",
    "12",
    needs=Capability.MAINTENANCE,
    moves=True,
)
async def _outside(bench: Bench) -> None:
    await bench.running()
    for command in (Jog(Motor.DICE, forward=True, ms=100), SelfTest(1)):
        await bench.refused(command, WRONG_STATE)


@STOPS.requirement(
    "SERVICE-03",
    "MAINTENANCE: motors run, tests run, the game does not",
    "12",
    needs=Capability.MAINTENANCE,
    keys=True,
    moves=True,
)
async def _maintenance(bench: Bench) -> None:
    async with _in_maintenance(bench):
        safety = (await bench.status()).safety
        expect(safety is State.MAINTENANCE, f"after MaintenanceBegin safety is {safety.name}")
        await bench.do(Jog(Motor.DRUM, forward=True, ms=100))
        test = await bench.do(SelfTest(1))
        expect(len(test.reports(SelfTestResult)) == 1, "SelfTest is Done without one SelfTestResult")
        for command in (OpenHatch(), RaiseWalls(), StartCycle((17, 17, 17, 17))):
            await bench.refused(command, WRONG_STATE)
    safety = (await bench.status()).safety
    expect(safety in (State.OPERATIONAL, State.DEGRADED), f"after MaintenanceEnd safety is {safety.name}")


@STOPS.requirement(
    "SERVICE-04",
    "a jogged hatch is UNKNOWN until Home",
    "12",
    needs=Capability.MAINTENANCE,
    keys=True,
    moves=True,
)
async def _jogged(bench: Bench) -> None:
    async with _in_maintenance(bench):
        await bench.do(Jog(Motor.HATCH, forward=True, ms=100))
        hatch = (await bench.status()).hatch
    expect(hatch is State.HATCH_UNKNOWN, f"a jogged hatch is {hatch.name}")
    await bench.do(Home())


@STOPS.requirement(
    "SERVICE-05", "a session that ends leaves MAINTENANCE", "12", needs=Capability.MAINTENANCE, keys=True
)
async def _left(bench: Bench) -> None:
    await bench.running()
    await press(bench, Key.SERVICE)
    await bench.do(MaintenanceBegin())
    await bench.fresh()
    safety = (await bench.status()).safety
    if safety is State.MAINTENANCE:
        await bench.ask(MaintenanceEnd())
        raise NotMet("a new session is up, and the machine is in MAINTENANCE still")
