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
