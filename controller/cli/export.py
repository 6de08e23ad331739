"""`longzhuo export`: deals as text, a day's settlements as a table for spreadsheets."""

from __future__ import annotations

import csv
import io
import os
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import msgspec

from controller.cli.export_rows import COLUMNS, account_lines, deal_text, gathered
from controller.cli.journal_file import JOURNAL, opened, written_beside

if TYPE_CHECKING:
    from collections.abc import Iterable

    from controller.cli.export_rows import Cell

STANDARD_OUTPUT: Final = Path("-")
RISKY: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet may take for the beginning of a formula."""


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """What `--json` prints: what was written where; `superseded` of the settlements hold no more.

    `intact`: the journal's chain of checksums holds, null in a schema without one.
    """

    deals: int
    settlements: int
    superseded: int
    files: tuple[str, ...]
    intact: bool | None


@click.command(name="export")
@JOURNAL
@click.option(
    "--deals",
    "deals_to",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Write what happened in every deal as text into this file (-: standard output).",
)
@click.option(
    "--settlements",
    "settlements_to",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Write the settlements as CSV into this file (-: standard output).",
)
@click.option(
    "--day", metavar="YYYY-MM-DD", help="Only deals that began on this day, by this computer's time."
)
@click.option("--json", "as_json", is_flag=True, help="Say what was written as one JSON object.")
@click.pass_context
def command(  # noqa: PLR0913 - the options of a command
    context: click.Context,
    *,
    journal: Path,
    deals_to: Path | None,
    settlements_to: Path | None,
    day: str | None,
    as_json: bool,
) -> None:
    """Write deals as text, or settlements as CSV in which those that were superseded are marked.

    Ends with 1 if the journal's chain of checksums does not hold: what was written is what the file says, not
    what was settled.
    """
    if deals_to is None and settlements_to is None:
        raise click.UsageError("nothing to write: expected --deals FILE, --settlements CSV, or both")
    only = None if day is None else _day(day)
    if STANDARD_OUTPUT in {deals_to, settlements_to} and (as_json or deals_to == settlements_to):
        raise click.UsageError("- takes one of them, and without --json")
    targets = [path for path in (deals_to, settlements_to) if path is not None and path != STANDARD_OUTPUT]
    _apart(journal, targets)
    with opened(journal) as reader:
        reader.hold()
        found = gathered(reader, only)
        chain = reader.verified()
    if deals_to is not None:
        _write(deals_to, "".join(map(deal_text, found)).encode())
    lines = [line for deal in found for line in account_lines(deal)]
    if settlements_to is not None:
        _write(settlements_to, as_csv(COLUMNS, lines))
    files = tuple(map(str, targets))
    superseded = sum(line[COLUMNS.index("状态 status")] == "superseded" for line in lines)
    intact = None if chain is None else not chain.breaks
    told = Account(
        deals=len(found), settlements=len(lines), superseded=superseded, files=files, intact=intact
    )
    if as_json:
        click.echo(msgspec.json.encode(told).decode())
    elif files:
        click.echo(
            f"{told.deals} 局 deals, {told.settlements} 笔 entries, "
            f"已更正 superseded {superseded}: {', '.join(files)}"
        )
    if intact is False:
        click.echo(
            f"{journal}: 校验不符，数目可能不对 its checksums do NOT hold, figures may be wrong; "
            "longzhuo audit tells where",
            err=True,
        )
        context.exit(1)


def _apart(journal: Path, targets: list[Path]) -> None:
    """See that no file is written over the journal, and neither over the other."""
    for target in targets:
        written_beside(journal, target)
    if len({path.resolve() for path in targets}) < len(targets):
        raise click.UsageError(f"{targets[0]}: named twice; expected a file for each of the two")


def _day(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d").astimezone()
    except ValueError as error:
        raise click.ClickException(f"--day: {text!r}: expected a day such as 2026-11-30") from error


def as_csv(names: Iterable[str], lines: Iterable[Iterable[Cell]]) -> bytes:
    """UTF-8 with the mark by which spreadsheets know it; no text in it is a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows([harmless(cell) for cell in line] for line in lines)
    return text.getvalue().encode("utf-8-sig")


def harmless(cell: Cell) -> Cell:
    """The cell as it is; a text that a spreadsheet could take for a formula gets an apostrophe before it."""
    if isinstance(cell, str) and cell.lstrip(" ").startswith(RISKY):
        return f"'{cell}"
    return cell


def _write(path: Path, content: bytes) -> None:
    if path == STANDARD_OUTPUT:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise click.ClickException(
            f"{path}: {error.strerror}; expected a file that can be written"
        ) from error
