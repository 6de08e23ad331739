"""`longzhuo sim`: a simulated table as a process of its own, with the flags of `python -m hardware_sim`."""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import click

from controller.cli.simulated import (
    USB_VARIABLE,
    Options,
    become_simulator,
    option_flags,
    rule_options,
    simulator,
    table_toml,
    timings_for,
    wait_for_addresses,
)
from controller.processes import dies_with_us

_OWN_FLAGS = """\
longzhuo sim ctl DIR "LINE" tells a running table what goes wrong now ("help" as LINE says more).
longzhuo sim --faults list prints everything that can.
Else longzhuo sim takes the flags below and two more:
  --write-config FILE  Write a table.toml for this table when it is ready.
  --http-port PORT     The display's port in that file (8088; 0 takes any).
"""


@click.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False
)
@click.option("--help", "-h", "wants_help", is_flag=True)
@click.option("--dir", "folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--speed", type=click.FloatRange(min=0.01), default=1.0)
@click.option("--rules", default="cixi-card")
@click.option("--option", "options", multiple=True)
@click.option("--write-config", "config", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--http-port", type=click.IntRange(0, 65535), default=8088)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(  # noqa: PLR0913 - one argument per flag
    *,
    wants_help: bool,
    folder: Path | None,
    speed: float,
    rules: str,
    options: tuple[str, ...],
    config: Path | None,
    http_port: int,
    arguments: tuple[str, ...],
) -> None:
    """Run a simulated table; `--write-config FILE` writes a table.toml for it."""
    if (
        arguments[:1] == ("ctl",)
        or "--faults=list" in arguments
        or ("--faults", "list") in pairwise(arguments)
    ):
        become_simulator(*arguments)
    if wants_help:
        arguments = ("--help",)
        click.echo(_OWN_FLAGS)
    chosen = rule_options(rules, options)
    flags = ["--speed", str(speed), "--rules", rules, *option_flags(options), *arguments]
    with contextlib.ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="longzhuo-sim-")))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "sim.json").unlink(missing_ok=True)
        except OSError as error:
            raise click.ClickException(
                f"--dir {folder}: {error.strerror}; expected a folder that can be written"
            ) from error
        if config is not None and not (config.parent.is_dir() and os.access(config.parent, os.W_OK)):
            raise click.ClickException(
                f"--write-config {config}: can't be written; expected a folder that takes files"
            )
        config = None if config is None else config.resolve()
        wish = _Wish(
            folder=folder.resolve(),
            config=config,
            rules=rules,
            options=chosen,
            speed=speed,
            http_port=http_port,
        )
        sys.exit(asyncio.run(_run(flags, wish)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    folder: Path
    config: Path | None
    rules: str
    options: Options
    speed: float
    http_port: int


async def _run(flags: list[str], wish: _Wish) -> int:
    argv = dies_with_us(simulator("--dir", str(wish.folder), *flags))
    process = await asyncio.create_subprocess_exec(*argv, start_new_session=True)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _pass_on, process, number)
    writer = asyncio.create_task(_write_config(wish.config, wish)) if wish.config else None
    ended = asyncio.create_task(process.wait())
    if writer is not None:
        await asyncio.wait((writer, ended), return_when=asyncio.FIRST_COMPLETED)
        failure = writer.exception() if writer.done() else None
        if failure is not None:
            _pass_on(process, signal.SIGTERM)
        writer.cancel()
        await ended
        if isinstance(failure, OSError):
            raise click.ClickException(f"--write-config {wish.config}: {failure.strerror}") from failure
    status = await ended
    return status if status >= 0 else 128 - status


def _pass_on(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)


async def _write_config(config: Path, wish: _Wish) -> None:
    addresses = await wait_for_addresses(wish.folder)
    text = table_toml(
        addresses,
        rules=wish.rules,
        options=wish.options,
        timings=timings_for(wish.speed, pictures=addresses.camera is not None),
        http_port=wish.http_port,
        journal=config.with_name("journal.db"),
    )
    fresh = config.with_name(config.name + ".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(config)
    before = f"{USB_VARIABLE}={addresses.usb} " if addresses.usb else ""
    click.echo(f"wrote {config}; now run: {before}longzhuo run --config {config}")
