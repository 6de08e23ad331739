"""`longzhuo broker`: a mosquitto for a parlour, with users, rights and certificates of its own."""

import asyncio
import signal
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from controller.broker import BrokerMissing, find_mosquitto
from controller.mosquitto.certificates import NoCertificate
from controller.mosquitto.folder import USER, BadFolder, Folder, Parlour, Ports, write
from controller.mosquitto.log import LogWatch
from controller.processes import ChildFailed, start_child

PORTS = ",".join(Ports.__struct_fields__)


@click.command(name="broker")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--parlour", help="The parlour's id ([table] parlour).")
@click.option("--table", "tables", multiple=True, help="Add a table by its id ([table] id); may be repeated.")
@click.option("--remove", "removed", multiple=True, help="Take a table's rights away; may be repeated.")
@click.option("--name", "names", multiple=True, help="A host name or address under which it is reached.")
@click.option("--listen", help="Where TLS is served: an address of this computer, or 0.0.0.0.")
@click.option("--ports", help=f"Five numbers: {PORTS}.")
@click.option("--run", "and_run", is_flag=True, help="Run it until Ctrl-C; denied orders are in the log.")
def command(  # noqa: PLR0913 - the options of a command
    *,
    folder: Path,
    parlour: str | None,
    tables: tuple[str, ...],
    removed: tuple[str, ...],
    names: tuple[str, ...],
    listen: str | None,
    ports: str | None,
    and_run: bool,
) -> None:
    """Write FOLDER: a mosquitto configuration with passwords, rights and certificates for a parlour.

    Said again, it keeps what is there, adds what is named, and renews certificates that end soon.
    """
    place = Folder(folder)
    try:
        wished = place.known() or Parlour()
        changes = {"parlour": parlour, "names": names or None, "listen": listen, "ports": _ports(ports)}
        fresh = {key: value for key, value in changes.items() if value is not None}
        old = wished.tables if place.is_there or not tables else ()
        _check_removed(removed, old)
        fresh["tables"] = tuple(table for table in dict.fromkeys((*old, *tables)) if table not in removed)
        made = write(place, msgspec.structs.replace(wished, **fresh), now=datetime.now(UTC))
        made += tuple(f"{table}: its rights are taken away" for table in removed)
    except (BadFolder, NoCertificate) as error:
        raise click.ClickException(str(error)) from error
    click.echo("\n".join(made) if made else f"{place.configuration}: in order")
    if not and_run:
        return
    try:
        asyncio.run(_run(place))
    except (BrokerMissing, ChildFailed) as error:
        raise click.ClickException(str(error)) from error


def _check_removed(removed: tuple[str, ...], tables: tuple[str, ...]) -> None:
    """Who mistypes a table must not believe that its rights are gone."""
    for table in removed:
        if table not in tables:
            raise BadFolder(f"--remove {table!r}: expected one of {', '.join(tables) or 'no table'}")


def _ports(text: str | None) -> Ports | None:
    if text is None:
        return None
    try:
        numbers = [int(part) for part in text.split(",")]
        possible = len(numbers) == len(Ports.__struct_fields__) and all(0 < one < 65536 for one in numbers)
    except ValueError:
        possible = False
    if not possible:
        raise BadFolder(f"--ports {text!r}: expected five numbers: {PORTS}")
    return Ports(**dict(zip(Ports.__struct_fields__, numbers, strict=True)))


async def _run(place: Folder) -> None:
    """Run mosquitto until a signal comes; SIGHUP makes it read users and rights again.

    Raises:
        ChildFailed: it ends by itself.
    """
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    watch = LogWatch()

    def on_line(line: str) -> None:
        kept = watch.worth(line)
        if kept is not None:
            click.echo(kept, err=True)

    # -v: what is denied is told among the debug messages only.
    argv = [find_mosquitto(), "-c", str(place.configuration), "-v"]
    child = await start_child("mosquitto", argv, on_line=on_line, user=USER)
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, lambda: child.signal(signal.SIGHUP))
    stopped = asyncio.create_task(stop.wait(), name="waits for a signal")
    ended = asyncio.create_task(child.ended(), name="waits for mosquitto")
    try:
        await asyncio.wait({stopped, ended}, return_when=asyncio.FIRST_COMPLETED)
        if not stop.is_set():
            raise ChildFailed(child.obituary())
    finally:
        for task in (stopped, ended):
            task.cancel()
        await asyncio.gather(stopped, ended, return_exceptions=True)
        await child.stop()
