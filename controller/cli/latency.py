"""`longzhuo latency`: from a tile's coming to rest to its event on MQTT, and what processor time it takes.

A simulated table at the speed of people, whose people do not wait for the camera, and the controller.
"""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import click
import msgspec

from controller.broker import Broker, BrokerMissing, own_broker
from controller.cli.simulated import simulator, table_toml, timings_for, wait_for_addresses
from controller.mqtt import listen
from controller.processes import Child, ChildFailed, start_child
from controller.public import DiscardEvent

PREFIX = "mj/v1/home/table-1"
IDLE_S = 20.0
STARTED_S = 8.0
LONGEST_S = 900.0


@click.command()
@click.option("--hands", type=click.IntRange(min=1), default=1, show_default=True, help="Hands to play.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Which hands.")
@click.option("--rules", default="cixi-card", show_default=True, help="The rule set.")
@click.option("--json", "as_json", is_flag=True, help="Make the last line of the output a JSON object.")
def command(*, hands: int, seed: int, rules: str, as_json: bool) -> None:
    """Measure how late the controller tells of a discard, stage by stage, and its share of a core."""
    try:
        with tempfile.TemporaryDirectory(prefix="longzhuo-latency-") as folder:
            told = asyncio.run(_measured(Path(folder), hands=hands, seed=seed, rules=rules))
    except (BrokerMissing, ChildFailed) as error:
        raise click.ClickException(str(error)) from error
    for name, value in told.items():
        shown = f"p50 {value['p50']} s, p99 {value['p99']} s" if isinstance(value, dict) else value
        click.echo(f"{name}: {shown}")
    if as_json:
        click.echo(msgspec.json.encode(told).decode())


async def _measured(folder: Path, *, hands: int, seed: int, rules: str) -> dict[str, Any]:
    left = asyncio.Event()

    def follow(line: str) -> None:
        click.echo(line, err=True)
        if line.startswith("the players leave"):
            left.set()

    async with contextlib.AsyncExitStack() as stack:
        broker = await stack.enter_async_context(own_broker())
        flags = ["--dir", str(folder / "sim"), "--seed", str(seed), "--rules", rules]
        flags += ["--no-wait", "--hands", str(hands)]
        (folder / "sim").mkdir()
        table = await start_child("simulated table", simulator(*flags), on_line=follow)
        stack.push_async_callback(table.stop)
        addresses = await wait_for_addresses(folder / "sim")
        table.signal(signal.SIGUSR1)
        config = folder / "table.toml"
        config.write_text(_config(addresses, broker, folder, rules), encoding="utf-8")
        hearing = asyncio.create_task(_hear(broker.url, folder / "heard.jsonl"))
        argv = [sys.executable, "-m", "controller", "run", "--config", str(config)]
        controller = await start_child("controller", argv)
        stack.push_async_callback(controller.stop)
        await asyncio.sleep(STARTED_S)
        idle = await _share(controller, asyncio.sleep(IDLE_S))
        table.signal(signal.SIGUSR2)
        async with asyncio.timeout(LONGEST_S * hands):
            playing = await _share(controller, left.wait())
        await asyncio.sleep(3.0)
        hearing.cancel()
        await asyncio.gather(hearing, return_exceptions=True)
    return {**await _stages(folder), "cpu_idle_share": idle, "cpu_playing_share": playing}


def _config(addresses: Any, broker: Broker, folder: Path, rules: str) -> str:
    return table_toml(
        addresses,
        rules=rules,
        timings=timings_for(1.0, pictures=True),
        http_port=0,
        journal=folder / "journal.db",
        mqtt_url=broker.url,
        websocket=broker.websocket,
    )


async def _hear(url: str, path: Path) -> None:
    with path.open("wb") as file:
        async for message in listen(url, f"{PREFIX}/event/discard"):
            told = msgspec.json.decode(message.payload, type=DiscardEvent)
            line = {"at": time.time(), "seat": told.seat, "tile": told.tile}
            file.write(msgspec.json.encode(line) + b"\n")
            file.flush()


async def _share(child: Child, while_: Any) -> float:
    """The share of one core that a process uses meanwhile."""
    begun, used = time.monotonic(), _cpu_s(child.pid)
    await while_
    return round((_cpu_s(child.pid) - used) / (time.monotonic() - begun), 3)


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _stages(folder: Path) -> dict[str, Any]:
    argv = [sys.executable, "-m", "hardware_sim.latency", "--truth", str(folder / "sim" / "truth.jsonl")]
    argv += ["--journal", str(folder / "journal.db"), "--heard", str(folder / "heard.jsonl")]
    lines: list[str] = []
    child = await start_child("latency", argv, on_line=lines.append)
    if await child.ended() != 0:
        raise ChildFailed(child.obituary())
    told: dict[str, Any] = msgspec.json.decode(lines[-1], type=dict[str, Any])
    return told
