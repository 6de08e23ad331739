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

import msgspec

from controller.journal_chain import Link, batches
from controller.journal_open import durably_renamed, prepare
from controller.journal_queries import select
from controller.journal_rows import ROWS, GapRow
from controller.journal_schema import INSERT, SCHEMA_VERSION, Cells, cells_of, chained, columns
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
    """Copy batch by batch what holds.

    What stayed of old matches that were deleted is taken as it is: nothing is left to check it by.
    """
    with _readable(path) as readable, closing(sqlite3.connect(readable, isolation_level=None)) as old:
        new.execute("BEGIN IMMEDIATE")
        deleted, link = _deleted(old, new)
        told = False
        for batch, rows, digest in _whole(old):
            if batch > link.batch:
                if batch != link.batch + 1 or chained(link.digest, rows) != digest:
                    break
                new.execute("INSERT INTO chain VALUES (?, ?, ?)", (batch, len(rows), digest))
                link = Link(batch, digest)
            told = told or any(_is_of(deleted, table, cells) for table, cells in rows)
            _insert(new, batch, rows)
        if deleted is not None and not told:
            again = [(GapRow.table, cells_of(deleted))]
            batch, digest = link.batch + 1, chained(link.digest, again)
            new.execute("INSERT INTO chain VALUES (?, 1, ?)", (batch, digest))
            _insert(new, batch, again)
        new.execute("COMMIT")


def _insert(new: sqlite3.Connection, batch: int, rows: list[tuple[str, Cells]]) -> None:
    kinds = {kind.table: kind for kind in ROWS}
    for table, cells in rows:
        values = [cells.get(field.name) for field in columns(kinds[table])]
        new.execute(INSERT[kinds[table]], (*values, batch))


def _is_of(gap: GapRow | None, table: str, cells: Cells) -> bool:
    return gap is not None and table == GapRow.table and cells == cells_of(gap)


def _deleted(old: sqlite3.Connection, new: sqlite3.Connection) -> tuple[GapRow | None, Link]:
    """What tells of the old matches that were deleted last, and the link from which the chain goes on."""
    with suppress(sqlite3.DatabaseError, msgspec.MsgspecError):
        pruned = [row for row in select(old, GapRow) if row.how == "pruned"]
        if not pruned:
            return None, Link()
        last = max(pruned, key=lambda row: row.until)
        found = old.execute("SELECT batch, rows, digest FROM chain WHERE batch = ?", (last.until,)).fetchone()
        if found is not None:
            new.execute("INSERT INTO chain VALUES (?, ?, ?)", found)
            return last, Link(last.until, found[2])
    return None, Link()


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
    """The batches with their digests, until one can't be read; those before the chain begins have none."""
    with suppress(sqlite3.DatabaseError):
        oldest = old.execute("SELECT min(batch) FROM chain").fetchone()[0] or 0
        for batch, rows in batches(old, 0, damaged=True):
            found = old.execute("SELECT digest FROM chain WHERE batch = ?", (batch,)).fetchone()
            if found is None and batch >= oldest:
                return
            yield batch, rows, "" if found is None else found[0]


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
