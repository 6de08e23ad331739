"""The journal that a command reads: its argument, and the file opened with its errors as one line."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.journal import JournalError, JournalReader
from controller.journal_rows import BootRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BESIDE: Final = ("", "-wal", "-shm")
"""Ends of the names of the files in which SQLite keeps a journal."""

JOURNAL: Final[Callable[..., Callable[..., None]]] = click.argument(
    "journal", type=click.Path(path_type=Path, dir_okay=False)
)


@contextmanager
def opened(journal: Path) -> Iterator[JournalReader]:
    """The journal for reading.

    Raises:
        ClickException: it can't be read; one line.
    """
    try:
        with JournalReader(journal) as reader:
            if not reader.count(BootRow):
                raise click.ClickException(f"{journal}: nothing is recorded in it yet")
            yield reader
    except JournalError as error:
        raise click.ClickException(str(error)) from error


def written_beside(journal: Path, target: Path) -> None:
    """See that writing `target` destroys nothing of the record, and replaces nothing but an ordinary file.

    Raises:
        ClickException: it is a file of the journal, or there is something else than a file; one line.
    """
    try:
        for end in BESIDE:
            own = Path(f"{journal.resolve()}{end}")
            if target.resolve() == own or (target.exists() and own.exists() and target.samefile(own)):
                raise click.ClickException(f"{target}: is the journal itself; expected another file")
        ordinary = target.is_file() or not target.exists()
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "a link to itself"
        raise click.ClickException(f"{target}: {reason}; expected a file that can be written") from error
    if not ordinary:
        raise click.ClickException(f"{target}: is no ordinary file; expected a file that can be written")
