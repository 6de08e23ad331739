"""What goes wrong with a journal's file, as one line for people."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec


class JournalError(Exception):
    """The journal can't be opened, read or written; one line says the file and what to do.

    `zh` and `en` say why without the file's name.
    """

    def __init__(self, line: str, *, zh: str = "", en: str = "") -> None:
        """Keep the line, and the reason."""
        super().__init__(line)
        self.zh = zh or line
        self.en = en or line


class JournalDamaged(JournalError):
    """The file is a journal, but a part of it can't be read any more."""


_DAMAGED = ("malformed", "Could not decode")
"""SQLite's words for pages that are none, and for text that is none: both were written whole."""

_WORDS = (
    ("full", "磁盘已满", "the disk is full; play is not recorded until there is space"),
    ("readonly", "磁盘或文件只读", "the file can't be written; expected a writable file and folder"),
    ("not a database", "不是记录文件", "no SQLite file; expected a journal or a path where none is yet"),
    *(
        (sign, "记录文件坏了", "the journal is damaged; keep a copy and start a new file")
        for sign in _DAMAGED
    ),
    ("unable to open", "打不开文件", "can't be opened; expected a folder that exists and can be written"),
    ("disk I/O error", "磁盘读写出错", "the disk refuses to write; play is not recorded until it does"),
    ("locked", "别的程序占着记录文件", "another program holds the journal; close it"),
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
        unknown = ("记录文件用不了", f"can't be used: {said}")
        zh, words = next(((zh, words) for sign, zh, words in _WORDS if sign in said), unknown)
        kind = JournalDamaged if any(sign in said for sign in _DAMAGED) else JournalError
        raise kind(f"{path}: {words}", zh=zh, en=words.split(";", maxsplit=1)[0]) from error
