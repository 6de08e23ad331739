"""Opening a journal for writing: its lock and seal, its schema, its chain."""

import fcntl
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Final, Literal

import msgspec

from controller.journal_chain import AT_START, Link, digest_of, gaps, last_link, verified
from controller.journal_queries import columns_there, past
from controller.journal_rows import ROWS, BootRow, GapRow, Row
from controller.journal_schema import CHAIN, SCHEMA_VERSION, chained, copied, create, index
from controller.journal_words import JournalDamaged, JournalError

SEAL_BYTES: Final = 128
DIGEST_LETTERS: Final = len(chained("", ()))
CHECKED_BYTES: Final = 256 * 1024 * 1024
"""A larger file is not read whole at the start; its newest part is, by the chain."""


class Lock:
    """The file beside the journal that one writer holds; in it the seal, the last batch that must be."""

    def __init__(self, path: Path) -> None:
        """Take the lock of the journal at `path`.

        Raises:
            JournalError: another controller has it, or the folder can't be written.
        """
        try:
            self._file = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise JournalError(f"{path}: {error.strerror}; expected a folder that can be written") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._file)
            raise JournalError(
                f"{path}: another controller is writing this journal; stop it first"
            ) from error

    def seal(self, link: Link) -> None:
        """Remember a batch that is safe on the disk; half written after a power cut it is no seal."""
        os.pwrite(self._file, f"{link.batch} {link.digest}\n".encode().ljust(SEAL_BYTES), 0)
        os.fdatasync(self._file)

    @property
    def sealed(self) -> Link:
        """The batch that was sealed last; number 0 where none is known."""
        words = os.pread(self._file, SEAL_BYTES, 0).split()
        if len(words) == 2 and words[0].isdigit() and len(words[1]) == DIGEST_LETTERS:
            return Link(int(words[0]), words[1].decode(errors="replace"))
        return Link()

    def close(self) -> None:
        """Let another writer have it."""
        os.close(self._file)


def version_of(path: Path, database: sqlite3.Connection) -> int:
    """The schema's version; 0 of an empty file.

    Raises:
        JournalError: it is newer than this program, or the file is no journal.
    """
    version = int(database.execute("PRAGMA user_version").fetchone()[0])
    tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise JournalError(f"{path}: written by a newer version (schema {version}, known {SCHEMA_VERSION})")
    if (version == 0) != (tables == 0) or (version > 0 and not columns_there(database, BootRow.table)):
        raise JournalError(f"{path}: an SQLite file, but no journal of a table")
    return version


def prepare(path: Path, database: sqlite3.Connection) -> None:
    """Bring the file to today's schema; one of an older schema is copied beside it first.

    Raises:
        JournalError: see `version_of`.
        JournalDamaged: a part of the file can't be read.
    """
    version = version_of(path, database)
    database.execute("PRAGMA journal_mode = WAL")
    if path.stat().st_size <= CHECKED_BYTES:
        found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            where = " ".join(found.split())
            raise JournalDamaged(
                f"{path}: the journal is damaged ({where}); keep a copy and start a new file"
            )
    if version == SCHEMA_VERSION:
        return
    if version:
        copy(database, path.with_name(f"{path.name}.schema-{version}"))
    database.execute("PRAGMA synchronous = FULL")
    database.execute("BEGIN IMMEDIATE")
    try:
        for kind in ROWS:
            _bring(database, kind)
        if not columns_there(database, "chain"):
            database.execute(CHAIN)
            _chain_what_is_there(database)
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def _bring(database: sqlite3.Connection, kind: type[Row]) -> None:
    """Make the table of a kind of row as it is today, with the rows that it has."""
    table = kind.table
    there = columns_there(database, table)
    if there:
        made = database.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
        if made == create(kind):
            return
        database.execute(f"ALTER TABLE {table} RENAME TO {table}_old")
        database.execute(f"DROP INDEX IF EXISTS {table}_of_batch")
    database.execute(create(kind))
    if there:
        database.execute(*copied(kind, there))
        database.execute(f"DROP TABLE {table}_old")
    database.execute(index(kind))


def _chain_what_is_there(database: sqlite3.Connection) -> None:
    """What was written before there was a chain is its first batch."""
    number, digest = digest_of(database, 1, "")
    if number:
        database.execute("INSERT INTO chain VALUES (1, ?, ?)", (number, digest))


def copy(database: sqlite3.Connection, target: Path) -> None:
    """Copy the journal as it is now into one file, while others write; a copy that is cut short is no copy.

    Raises:
        sqlite3.Error: it can't be read or written.
        OSError: the target can't be put in its place.
    """
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(part, isolation_level=None)) as copied_to:
            database.backup(copied_to)
            copied_to.execute("PRAGMA journal_mode = DELETE")
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    durably_renamed(part, target)


def durably_renamed(part: Path, target: Path) -> None:
    """Put a finished file in its place so that a power cut leaves the old one or the new one."""
    for name in (part, None):
        place = os.open(name or target.parent, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)
        if name is not None:
            part.replace(target)


def gap_found(database: sqlite3.Connection, sealed: Link) -> GapRow | None:
    """What is wrong with the newest part of the chain and was not told before."""
    link = last_link(database)
    known = max((batch for batch, _ in gaps(database)), default=0)
    broken = verified(database, after=max(known, link.batch - AT_START)).breaks
    at_seal = database.execute("SELECT digest FROM chain WHERE batch = ?", (sealed.batch,)).fetchone()
    if sealed.batch > link.batch:
        zh = f"记录缺了结尾（{sealed.batch}批剩{link.batch}批）"
        return _gap(
            database, "lost", zh, f"the end of the record is missing ({link.batch} batches of {sealed.batch})"
        )
    if sealed.batch > known and at_seal is not None and at_seal[0] != sealed.digest:
        return _gap(database, "changed", "记录不是这里写下的", "this is not the record that was written here")
    if broken:
        return _gap(database, "changed", broken[-1].zh, broken[-1].en)
    return None


def require_past(path: Path, database: sqlite3.Connection) -> None:
    """See that a start can read what it finds: a page can be whole, and a row of it none any more.

    Raises:
        JournalDamaged: it can't, and the chain shows that it was written otherwise.
        JournalError: it can't, and it was written so: by a program that knew other rows.
        sqlite3.Error: text is no text any more.
    """
    try:
        past(database)
    except msgspec.MsgspecError as error:
        deleted = max((batch for batch, how in gaps(database) if how == "pruned"), default=0)
        if verified(database, after=deleted).breaks:
            raise JournalDamaged(
                f"{path}: the journal is damaged ({error}); keep a copy and start a new file"
            ) from error
        raise JournalError(f"{path}: can't be used: {error}") from error


def _gap(
    database: sqlite3.Connection, how: Literal["changed", "lost", "salvaged"], zh: str, en: str
) -> GapRow:
    inputs = int(database.execute("SELECT coalesce(max(n), 0) FROM inputs").fetchone()[0])
    until = last_link(database).batch
    return GapRow(at=time.time(), how=how, until=until, zh=zh, en=en, inputs=inputs)


def salvaged(database: sqlite3.Connection) -> GapRow:
    """What is said of a journal that was damaged."""
    until = last_link(database).batch
    zh = f"文件坏了，读回了前{until}批"
    en = f"the file was damaged; its first {until} batches could be read"
    return _gap(database, "salvaged", zh, en)


def cut_to_tell(database: sqlite3.Connection) -> tuple[str, str] | None:
    """What is wrong with the record and the session has not been told yet, in Chinese and English."""
    found = database.execute(
        "SELECT zh, en FROM gaps WHERE how != 'pruned' AND NOT EXISTS "
        "(SELECT 1 FROM inputs WHERE n > gaps.inputs AND kind = 'RecordCut') ORDER BY n DESC LIMIT 1"
    ).fetchone()
    return None if found is None else (found[0], found[1])
