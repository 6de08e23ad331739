"""`longzhuo sim`: a simulated table as a process of its own, with the flags of `python -m hardware_sim`."""

import asyncio
import contextlib
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import click

from controller.cli.simulated import simulator, table_toml, timings_for, wait_for_addresses


@click.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False
)
@click.option("--help", "-h", "wants_help", is_flag=True)
@click.option("--dir", "folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--speed", type=click.FloatRange(min=0.01), default=1.0)
@click.option("--rules", default="cixi-card")
@click.option("--write-config", "config", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(  # noqa: PLR0913 - one argument per flag
    *,
    wants_help: bool,
    folder: Path | None,
    speed: float,
    rules: str,
    config: Path | None,
    arguments: tuple[str, ...],
) -> None:
    """Run a simulated table; `--write-config FILE` writes a table.toml for it."""
    if wants_help:
        arguments = ("--help",)
        click.echo("longzhuo sim takes these flags, and --write-config FILE: writes a table.toml for it.\n")
    flags = ["--speed", str(speed), "--rules", rules, *arguments]
    with contextlib.ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="longzhuo-sim-")))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "sim.json").unlink(missing_ok=True)
        sys.exit(asyncio.run(_run(folder.resolve(), flags, config, rules=rules, speed=speed)))


async def _run(folder: Path, flags: list[str], config: Path | None, *, rules: str, speed: float) -> int:
    setpriv = shutil.which("setpriv")
    dies_with_us = [setpriv, "--pdeathsig", "TERM"] if setpriv else []
    process = await asyncio.create_subprocess_exec(
        *dies_with_us, *simulator("--dir", str(folder), *flags), start_new_session=True
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _pass_on, process, number)
    writer = asyncio.create_task(_write_config(folder, config, rules=rules, speed=speed)) if config else None
    status = await process.wait()
    if writer is not None:
        writer.cancel()
        await asyncio.gather(writer, return_exceptions=True)
    return status if status >= 0 else 128 - status


def _pass_on(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)


async def _write_config(folder: Path, config: Path, *, rules: str, speed: float) -> None:
    addresses = await wait_for_addresses(folder)
    text = table_toml(
        addresses, rules=rules, timings=timings_for(speed), http_port=8088, journal=folder / "journal.db"
    )
    fresh = config.with_name(config.name + ".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(config)
    click.echo(f"wrote {config}; now run: longzhuo run --config {config}")
