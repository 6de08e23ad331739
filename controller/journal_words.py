"""What goes wrong with a journal's file, as one line for people."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec


class JournalError(Exception):
    """The journal can't be opened, read or written; one line says the file and what to do."""


class JournalDamaged(JournalError):
    """The file is a journal, but a part of it can't be read any more."""


_DAMAGED = "malformed"
_WORDS = (
    ("full", "the disk is full; play is not recorded until there is space"),
    ("readonly", "the file can't be written; expected a writable file and folder"),
    ("not a database", "no SQLite file; expected a journal or a path where none is yet"),
    (_DAMAGED, "the journal is damaged; keep a copy and start a new file"),
    ("unable to open", "can't be opened; expected a folder that exists and can be written"),
    ("disk I/O error", "the disk refuses to write; play is not recorded until it does"),
    ("locked", "another program holds the journal; close it"),
)


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into one line for people.

    Raises:
        JournalError: instead of them.
    """
    try:
        yield
    except (sqlite3.Error, msgspec.MsgspecError, OSError) as error:
        said = str(error)
        words = next((words for sign, words in _WORDS if sign in said), f"can't be used: {said}")
        kind = JournalDamaged if _DAMAGED in said else JournalError
        raise kind(f"{path}: {words}") from error
