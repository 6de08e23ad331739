"""`longzhuo soak`: many hands under faults, the controller against the simulated table's truth.

Each table is a simulator, an unmodified `longzhuo run`, a pseudo-terminal between them, and one broker for
all. Several tables play at once, because one table mostly waits. The people, the machine and the controller's
own waits are `--speed` times as fast; protocol and broker are not.
"""

import asyncio
import contextlib
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from controller.broker import Broker, BrokerMissing, own_broker
from controller.cli.demo import ProgressLine
from controller.cli.soak_record import recorded
from controller.cli.soak_result import Run, in_words, result_of
from controller.cli.soak_table import SoakFailed, SoakTable, judged
from controller.cli.table_folder import TableFolder
from controller.processes import ChildFailed, lasting_ports
from rules import sets

FAULTS: Final = ("none", "camera", "board", "link", "power", "people", "mixed")
TABLES_PER_CORE: Final = 6
SPEEDS: Final = {"tiles": 40.0, "pixels": 4.0}
ENDED_EARLY: Final = 130
"""The exit status of a run that people have ended and in which nothing was found, as of other programs."""
MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it


@click.command()
@click.option("--hands", type=click.IntRange(min=1), default=100, show_default=True, help="Hands in all.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Decides all chance.")
@click.option(
    "--faults", type=click.Choice(FAULTS), default="mixed", show_default=True, help="What goes wrong."
)
@click.option(
    "--level",
    type=click.Choice(list(SPEEDS)),
    default="tiles",
    show_default=True,
    help="tiles: readings that err as measured; pixels: pictures.",
)
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 1000),
    help="Times as fast as people [tiles: 40, pixels: 4].",
)
@click.option("--rules", default="cixi-card", show_default=True, help="The rule set.")
@click.option(
    "--ponds",
    type=click.Choice(["own", "common"]),
    default="own",
    show_default=True,
    help="Where discards lie: each player's before him, or all anyhow in the middle.",
)
@click.option(
    "--tables", type=click.IntRange(1, 200), help="Tables that play at once [tiles: 6 a core, pixels: 1]."
)
@click.option(
    "--dir",
    "keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for hands to look at [a new one, where there are any].",
)
@click.option("--json", "as_json", is_flag=True, help="Make the last line of the output a JSON object.")
def command(  # noqa: PLR0913 - one argument per flag
    *,
    hands: int,
    seed: int,
    faults: str,
    level: str,
    speed: float | None,
    rules: str,
    ponds: str,
    tables: int | None,
    keep: Path | None,
    as_json: bool,
) -> None:
    """Play many hands under faults and compare what was settled with the truth.

    One hand is played again by the seed and the number it was reported under: `--seed SEED --tables 1 --hands
    NUMBER` with the same faults. Ctrl-C ends it early: what was played is told, and the status is 130, or 1
    where a hand was wrong or lost.
    """
    if rules not in sets.available():
        raise click.ClickException(f"--rules {rules}: expected one of {', '.join(sets.available())}")
    _must_be_writable(keep)
    most = tables or (1 if level == "pixels" else TABLES_PER_CORE * len(os.sched_getaffinity(0)))
    run = Run(
        hands=hands,
        seed=seed,
        faults=faults,
        level=level,
        speed=speed or SPEEDS[level],
        rules=rules,
        tables=min(most, hands),
        ponds=ponds,
    )
    try:
        result = asyncio.run(_soak(run, keep))
    except (SoakFailed, BrokerMissing, ChildFailed) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from error
    click.echo(in_words(result))
    if as_json:
        click.echo(msgspec.json.encode(result).decode())
    found = result["silently_wrong"] or result["hands_lost"] or result["crashes"]
    sys.exit(1 if found else ENDED_EARLY if result["ended_early"] else 0)


def _must_be_writable(keep: Path | None) -> None:
    """Hands to look at are found at the end: a folder that can't take them is told before anybody plays."""
    if keep is None:
        return
    try:
        keep.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=keep):
            pass
    except OSError as error:
        expected = "expected a folder that can be written"
        raise click.ClickException(f"--dir {keep}: {error.strerror}; {expected}") from error


async def _soak(run: Run, keep: Path | None) -> dict[str, Any]:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    in_memory = os.access(MEMORY, os.W_OK)
    scratch = tempfile.mkdtemp(prefix="longzhuo-soak-", dir=MEMORY if in_memory else None)
    try:
        async with own_broker() as broker:
            tables, seconds, cpu_s = await _play(run, Path(scratch), broker, stop)
        ended_early = stop.is_set()
        kept = keep or Path(tempfile.mkdtemp(prefix="longzhuo-soak-hands-"))
        verdicts = [
            await judged(table, kept, ended_early=ended_early)
            for table in tables
            if table.files.truth.exists()
        ]
        _keep_logs(tables, verdicts, kept)
        if keep is None and not any(kept.iterdir()):
            kept.rmdir()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return result_of(
        run,
        tables,
        verdicts,
        seconds=seconds,
        cpu_s=cpu_s,
        in_memory=in_memory,
        kept=kept,
        ended_early=ended_early,
    )


async def _play(
    run: Run, folder: Path, broker: Broker, stop: asyncio.Event
) -> tuple[list[SoakTable], float, float]:
    """Play at all tables at once; seconds of the clock and of processors that it took."""
    line = ProgressLine()
    begun = time.monotonic()
    tables: list[SoakTable] = []

    def hear() -> None:
        line.show(_progress(run, tables, time.monotonic() - begun))

    environment = _compiling_once(folder)
    wishes = run.wishes()
    for wish, port in zip(wishes, lasting_ports(len(wishes)), strict=True):
        tables.append(SoakTable(wish, TableFolder(folder / str(wish.seed)), port, broker, hear, environment))
    recording = asyncio.create_task(recorded(broker.url, tables), name="records")
    playing = [asyncio.create_task(table.play(), name=table.id) for table in tables]
    stopped = asyncio.create_task(stop.wait())
    try:
        everything = asyncio.create_task(_all(playing, tables))
        await asyncio.wait({everything, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if everything.done():
            everything.result()
    finally:
        for task in (*playing, stopped, recording):
            task.cancel()
        await asyncio.gather(*playing, stopped, recording, return_exceptions=True)
        line.end()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return tables, time.monotonic() - begun, used.ru_utime + used.ru_stime


def _compiling_once(folder: Path) -> dict[str, str]:
    """Where Python keeps no compiled files, keep them for this run: many programs start, all the same two."""
    if not os.environ.get("PYTHONDONTWRITEBYTECODE"):
        return {}
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


async def _all(playing: list[asyncio.Task[None]], tables: list[SoakTable]) -> None:
    """Wait for all tables; one that fails counts as crashed, and the others play on."""
    ends = await asyncio.gather(*playing, return_exceptions=True)
    for table, end in zip(tables, ends, strict=True):
        if isinstance(end, SoakFailed) and table.hands > 0:
            click.echo(f"seed {table.wish.seed}: {end}", err=True)
            table.crashes.append(str(end))
        elif end is not None:
            raise end


def _progress(run: Run, tables: list[SoakTable], seconds: float) -> str:
    hands = sum(table.hands for table in tables)
    restarts = sum(table.restarts for table in tables)
    rate = 60.0 * hands / max(seconds, 1.0)
    return (
        f"{hands}/{run.hands} 局 hands · {rate:.0f} 局/分 a minute · {len(tables)} 桌 tables"
        f" · 重启 restarts {restarts}"
    )


def _keep_logs(tables: list[SoakTable], verdicts: list[dict[str, Any]], kept: Path) -> None:
    """Keep what the programs have said at tables where something was found."""
    odd = {found["seed"] for verdict in verdicts for found in verdict["found"]}
    for table in tables:
        if table.wish.seed not in odd and not table.crashes:
            continue
        for path in (table.files.controller_log, table.files.simulator_log, table.files.config):
            with contextlib.suppress(OSError):
                shutil.copyfile(path, kept / f"seed-{table.wish.seed}-{path.name}")
