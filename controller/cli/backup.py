"""`longzhuo backup`: a copy of the journal as one file, while the controller goes on writing."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from controller.cli.journal_file import JOURNAL, opened, written_beside
from controller.journal import JournalDamaged, JournalError, JournalReader
from controller.journal_deals import DealRow, OutcomeRow


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """What `--json` prints; `intact`: the copy's chain of checksums holds, null in a schema without one."""

    file: str
    bytes: int
    deals: int
    outcomes: int
    intact: bool | None
    seconds: float


@click.command(name="backup")
@JOURNAL
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def command(context: click.Context, *, journal: Path, target: Path, as_json: bool) -> None:
    """Copy a journal to TARGET, a file or a folder; play may go on meanwhile.

    A journal that is there already is replaced when the copy is complete and not before; no other file is.
    Ends with 1 if the copy's chain of checksums does not hold.
    """
    target = _file(journal, target)
    begun = time.monotonic()
    with opened(journal) as reader:
        written_beside(journal, target)
        _require_room_for_a_copy(target)
        reader.hold()
        try:
            reader.copy(target)
        except JournalError as error:
            raise click.ClickException(f"{target}: {error.en}; the journal itself is as it was") from error
    account = _looked_at(target, time.monotonic() - begun)
    if as_json:
        click.echo(msgspec.json.encode(account).decode())
    else:
        chain = {True: "校验完好 intact", False: "校验不符 NOT intact", None: "没有校验 no checksums"}
        click.echo(
            f"{target}: {account.deals} 局 deals, {account.bytes / 1e6:.1f} MB, "
            f"{chain[account.intact]}, {account.seconds:.1f} s"
        )
    context.exit(1 if account.intact is False else 0)


def _file(journal: Path, target: Path) -> Path:
    """Where the copy goes: below a folder it gets the journal's name and the time."""
    try:
        if target.is_dir():
            return target / f"{journal.stem}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}{journal.suffix}"
    except OSError as error:
        raise click.ClickException(f"{target}: {error.strerror}; expected a file or a folder") from error
    return target


def _require_room_for_a_copy(target: Path) -> None:
    """See that the copy has a folder and replaces nothing but an older copy or an empty file.

    Raises:
        ClickException: it has none, or there is another file; one line.
    """
    if not target.absolute().parent.is_dir():
        raise click.ClickException(
            f"{target}: there is no folder {target.parent}; expected one that exists, make it first"
        )
    if not target.exists() or not target.stat().st_size:
        return
    try:
        with JournalReader(target):
            pass
    except JournalDamaged:
        return
    except JournalError as error:
        raise click.ClickException(
            f"{target}: there is a file that is no journal, it is left as it is; expected another name"
        ) from error


def _looked_at(target: Path, seconds: float) -> Account:
    try:
        with JournalReader(target) as copy:
            chain = copy.verified()
            return Account(
                file=str(target),
                bytes=target.stat().st_size,
                deals=copy.count(DealRow),
                outcomes=copy.count(OutcomeRow),
                intact=None if chain is None else not chain.breaks,
                seconds=round(seconds, 3),
            )
    except JournalError as error:
        raise click.ClickException(str(error)) from error
