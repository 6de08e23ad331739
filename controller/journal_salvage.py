"""Takes over what can still be read of a damaged journal: every batch up to the first that does not hold.

The damaged file stays beside the new one under another name. What the lost end held is not known: the start
withholds the running deal and has people confirm the points.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from controller.journal_chain import Link, batches
from controller.journal_open import durably_renamed, prepare
from controller.journal_rows import ROWS
from controller.journal_schema import INSERT, SCHEMA_VERSION, Cells, chained, columns
from controller.journal_words import JournalError, in_words

HEAD_BYTES = 128
"""More than the head of an SQLite file, which names size and number of its pages."""

KEPT = "damaged"
"""The damaged file's name gets this and a number."""


def salvage(path: Path) -> Path:
    """Put a new journal in the place of a damaged one; where the damaged one lies now. Hold its lock.

    Raises:
        JournalError: not even its head can be read, or there is no room for another file.
    """
    part = path.with_name(path.name + ".part")
    for old in _all_of(part):
        old.unlink(missing_ok=True)
    with in_words(path):
        _require_a_journal(path)
        with closing(sqlite3.connect(part, isolation_level=None)) as new:
            prepare(part, new)
            _take_over(path, new)
            new.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            new.execute("PRAGMA journal_mode = DELETE")
        aside = _set_aside(path)
        durably_renamed(part, path)
    return aside


def _take_over(path: Path, new: sqlite3.Connection) -> None:
    """Copy batch by batch what holds."""
    link = Link()
    kinds = {kind.table: kind for kind in ROWS}
    with _readable(path) as readable, closing(sqlite3.connect(readable, isolation_level=None)) as old:
        new.execute("BEGIN IMMEDIATE")
        for batch, rows, digest in _whole(old):
            if batch != link.batch + 1 or chained(link.digest, rows) != digest:
                break
            for table, cells in rows:
                kind = kinds[table]
                values = [cells.get(field.name) for field in columns(kind)]
                new.execute(INSERT[kind], (*values, batch))
            new.execute("INSERT INTO chain VALUES (?, ?, ?)", (batch, len(rows), digest))
            link = Link(batch, digest)
        new.execute("COMMIT")


def _require_a_journal(path: Path) -> None:
    """An SQLite file whose head names a schema of ours, whatever else of it is left."""
    with path.open("rb") as file:
        version = int.from_bytes(file.read(HEAD_BYTES)[60:64], "big")
    if not 0 < version <= SCHEMA_VERSION:
        raise JournalError(f"{path}: nothing of this file can be read; begin a new one")


@contextmanager
def _readable(path: Path) -> Iterator[Path]:
    """A copy of the damaged file, as long as its head says: SQLite reads nothing of a shorter one."""
    copy = path.with_name(path.name + ".copy")
    try:
        for one, other in zip(_all_of(path), _all_of(copy), strict=True):
            other.unlink(missing_ok=True)
            if one.exists() and not one.name.endswith("-shm"):
                shutil.copyfile(one, other)
        with copy.open("r+b") as file:
            head = file.read(HEAD_BYTES)
            size = int.from_bytes(head[16:18], "big")
            file.truncate(max(copy.stat().st_size, size * int.from_bytes(head[28:32], "big")))
        yield copy
    finally:
        for other in _all_of(copy):
            other.unlink(missing_ok=True)


def _whole(old: sqlite3.Connection) -> Iterator[tuple[int, list[tuple[str, Cells]], str]]:
    """The batches with their digests, until one can't be read."""
    with suppress(sqlite3.DatabaseError):
        for batch, rows in batches(old, 0, damaged=True):
            found = old.execute("SELECT digest FROM chain WHERE batch = ?", (batch,)).fetchone()
            if found is None:
                return
            yield batch, rows, found[0]


def _set_aside(path: Path) -> Path:
    """Keep the damaged file, and what belongs to it, under another name."""
    number = 1
    while (aside := path.with_name(f"{path.name}.{KEPT}-{number}")).exists():
        number += 1
    os.link(path, aside)
    for suffix in ("-wal", "-shm"):
        beside = path.with_name(path.name + suffix)
        if beside.exists():
            beside.replace(aside.with_name(aside.name + suffix))
    return aside


def _all_of(path: Path) -> Iterator[Path]:
    yield path
    yield from (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
