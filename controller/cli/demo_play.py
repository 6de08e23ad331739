"""The demo's processes: broker, simulated table, controller; started, watched, ended, judged."""

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from controller.broker import Broker, own_broker
from controller.cli.demo_show import progress, settlement
from controller.cli.demo_watch import Watcher
from controller.cli.simulated import (
    USB_VARIABLE,
    Options,
    count_deals,
    option_flags,
    simulator,
    table_toml,
    timings_for,
    wait_for_addresses,
)
from controller.cli.table_folder import TableFolder
from controller.mqtt import listen
from controller.processes import Child, start_child

READY_S = 60.0
"""How long the simulated table may take until it can be used."""

LAST_LOOK_S = 10.0
"""How long the controller may look at the last hand after the players have left."""

STALLED_S = 300.0
"""A demo in which nothing changes for so long has failed."""

PREFIX = "mj/v1/home/table-1"
Show = Callable[[str], None]


class DemoFailed(Exception):
    """The demo can't go on; the text says which part failed and how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the demo was asked for; `hands` None plays on until it is stopped."""

    hands: int | None
    speed: float
    seed: int
    rules: str
    options: Options
    http_port: int
    pictures: bool
    no_wait: bool
    board: str = "pty"
    camera_preset: str = ""
    faces: str = ""
    faults: str = ""
    scenario: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What came of it, as far as MQTT and the clock tell."""

    seconds: float
    watcher: Watcher


async def play(wishes: Wishes, files: TableFolder, *, say: Show, show: Show, stop: asyncio.Event) -> Played:
    """Play until the wished hands are over or `stop` is set; every process has ended when this returns.

    `say` gets lines to keep, `show` the progress line that replaces the last one.

    Raises:
        DemoFailed: a part ended by itself, did not get ready, or nothing happens any more.
        BrokerMissing, ChildFailed: the broker can't be started.

    """
    async with contextlib.AsyncExitStack() as stack:
        broker = await stack.enter_async_context(own_broker())
        table = await stack.enter_async_context(_running(await _start_table(wishes, files, say=say)))
        await _first(_configure(wishes, files, broker), stop=stop, children=[table], within_s=READY_S)
        begun = time.monotonic()
        recording = stack.enter_context(files.recording.open("wb"))
        watcher = Watcher(PREFIX, recording)
        listener = asyncio.create_task(_hear(broker.url, watcher), name="listens to the table")
        stack.push_async_callback(_cancelled, listener)
        controller = await stack.enter_async_context(_running(await _start_controller(files)))
        say(f"显示 display: http://127.0.0.1:{wishes.http_port}/")
        children = [table, controller]
        await _first(_follow(wishes, files, watcher, say=say, show=show), stop=stop, children=children)
        seconds = time.monotonic() - begun
        # A controller that is stopped while it still starts knows no better than to die.
        if await controller.stop() != 0 and not stop.is_set():
            raise DemoFailed(controller.obituary())
    return Played(seconds=seconds, watcher=watcher)


async def _start_table(wishes: Wishes, files: TableFolder, *, say: Show) -> Child:
    def hear(line: str) -> None:
        if line.startswith("fault "):
            say(f"✗ {line}")

    files.simulator.mkdir(parents=True, exist_ok=True)
    flags = ["--dir", str(files.simulator), "--seed", str(wishes.seed), "--speed", str(wishes.speed)]
    flags += ["--rules", wishes.rules]
    flags += option_flags(f"{name}={value}" for name, value in wishes.options.items())
    flags += [] if wishes.hands is None else ["--hands", str(wishes.hands)]
    flags += [] if wishes.pictures else ["--no-pictures"]
    flags += ["--no-wait"] if wishes.no_wait else []
    flags += ["--board", wishes.board]
    flags += ["--camera-preset", wishes.camera_preset] if wishes.camera_preset else []
    flags += ["--faces", wishes.faces] if wishes.faces else []
    flags += ["--faults", wishes.faults] if wishes.faults else []
    flags += ["--scenario", wishes.scenario] if wishes.scenario else []
    return await start_child("simulated table", simulator(*flags), on_line=hear, log=files.simulator_log)


async def _start_controller(files: TableFolder) -> Child:
    argv = [sys.executable, "-m", "controller", "run", "--config", str(files.config)]
    addresses = await wait_for_addresses(files.simulator)
    environment = {USB_VARIABLE: addresses.usb} if addresses.usb else {}
    return await start_child("controller", argv, log=files.controller_log, environment=environment)


async def _configure(wishes: Wishes, files: TableFolder, broker: Broker) -> None:
    """Write the table.toml a user would write, when the table has said where it is."""
    addresses = await wait_for_addresses(files.simulator)
    text = table_toml(
        addresses,
        rules=wishes.rules,
        options=wishes.options,
        timings=timings_for(wishes.speed, pictures=wishes.pictures),
        http_port=wishes.http_port,
        journal=files.journal,
        mqtt_url=broker.url,
        websocket=broker.websocket,
    )
    files.config.write_text(text, encoding="utf-8")


async def _hear(url: str, watcher: Watcher) -> None:
    async for message in listen(url, f"{PREFIX}/#"):
        watcher.hear(message)


async def _follow(wishes: Wishes, files: TableFolder, watcher: Watcher, *, say: Show, show: Show) -> None:
    """Print what happens; return when the wished hands are over."""
    shown, known = 0, ""
    changed = playing_at = time.monotonic()
    while (
        wishes.hands is None
        or watcher.hands < wishes.hands
        or shown < len(watcher.settlements)
        or watcher.owed
        # The controller may settle the last hand before the simulator has written down how it ended.
        or count_deals(files.truth) < wishes.hands
    ):
        await asyncio.sleep(0.2)
        players = watcher.table.players if watcher.table else ("", "", "", "")
        for result in watcher.settlements[shown:]:
            say(settlement(result, players))
            shown += 1
        show(_progress(watcher))
        if watcher.state != known:
            known, changed = watcher.state, time.monotonic()
        if wishes.hands is None or count_deals(files.truth) < wishes.hands:
            playing_at = time.monotonic()
        quiet_s = time.monotonic() - changed
        if min(quiet_s, time.monotonic() - playing_at) > LAST_LOOK_S:
            if wishes.hands is None or watcher.hands < wishes.hands:
                say("最后一局没有结算，见存疑 the last hand was not settled; see the doubts")
            return
        if quiet_s > STALLED_S:
            raise DemoFailed(
                f"nothing has happened for {STALLED_S:.0f} s; the last was: {_progress(watcher)}"
            )


def _progress(watcher: Watcher) -> str:
    if watcher.table is None:
        return "等待牌桌 waiting for the table"
    counted = watcher.counters
    return progress(
        watcher.table, read_fps=counted.read_fps if counted else 0.0, doubts=counted.doubts if counted else 0
    )


async def _first(
    work: Coroutine[Any, Any, None],
    *,
    stop: asyncio.Event,
    children: list[Child],
    within_s: float | None = None,
) -> None:
    """Do the work until it is done or `stop` is set; a child that ends meanwhile ends everything."""
    task = asyncio.create_task(work)
    stopped = asyncio.create_task(stop.wait())
    ends = {asyncio.create_task(child.ended()): child for child in children}
    try:
        done, _ = await asyncio.wait(
            {task, stopped, *ends}, timeout=within_s, return_when=asyncio.FIRST_COMPLETED
        )
        if not done:
            raise DemoFailed(f"{children[-1].name} did not get ready within {within_s:.0f} s")
        for end, child in ends.items():
            if end in done:
                raise DemoFailed(child.obituary())
        if task in done:
            task.result()
    finally:
        await _cancelled(task, stopped, *ends)


async def _cancelled(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@contextlib.asynccontextmanager
async def _running(child: Child) -> Any:
    try:
        yield child
    finally:
        await child.stop()
