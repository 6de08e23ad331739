"""The journal of one table: an SQLite file; what is decided is written before it is acted on or shown.

One file a table, one writer (a lock file beside it), any number of readers while it is written (WAL). Rows
are only added. `PRAGMA user_version` is the schema's version. Times are seconds since 1970 UTC. Columns named
"JSON" below hold JSON text. Tiles are in notation ("5p"), seats are 0..3. The columns are exactly the fields
of the structures in `controller/journal_rows.py`, where each is explained:

    boots       boot, at, version, rules, model, settings, options JSON{name: value}
    inputs      n, boot, at, kind, body JSON          what came in, in order, before anything was made of it
    decisions   n, boot, at, kind, body JSON          commands, phases, alarms, a dealer named by a die
    deals       deal, boot, at, match_no, hand_no, dealer, balances JSON[4]
    events      deal, n, boot, at, text, author       text: one line of a record (rules/record.py)
    doubts      doubt, boot, at, deal, kind, zh, en, candidates JSON[...], proposal
    doubt_ends  doubt, boot, at, how, choice, author  a doubt without a row here is open
    outcomes    deal, boot, at, how, reason, indicator, wild, ponds JSON[4][...], melds JSON[4][[kind,
                [tiles], taken_from]...], winner, from_seat, tile, hand JSON[...], payments JSON[4],
                balances JSON[4], dealer_next, kept_next, match_over, certain, settlement JSON
                answers JSON{question: answer}, edition, supersedes, difference JSON[4], author
    revisions   revision, deal, boot, at, how, n, events JSON[...], balances JSON[4], author
    adjustments adjustment, deal, during, boot, at, match_no, payments JSON[4], balances JSON[4], reason,
                author
    matches     n, match_no, boot, at, how, deals, players JSON[4], balances JSON[4], places JSON[4], author
    answers     n, boot, at, id, verb, author, done, zh, en, changed JSON[...]    people's orders, answered
    fines       deal, n, boot, at, seat, payments JSON[4], balances JSON[4], author
    outbox      boot, seq, at, topic, payload JSON    messages that must arrive
    acks        boot, seq, at                         outbox messages that have arrived

A deal without a row in `outcomes` is still being played; of several the one with the highest `edition` holds,
those before it are what it supersedes. What happened in a deal are its rows in `events` as its `revisions`
leave them. The verdict over a deal needs `deals`, `events`, `revisions`, `outcomes`, `fines` and `doubts`
only. A journal of an older schema is brought to the newest when it is opened
for writing; a reader reads it as it is, with columns that it lacks at their defaults.
"""

import fcntl
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Self

import msgspec

from controller.journal_rows import (
    ROWS,
    SETTLED,
    AnswerRow,
    BootRow,
    DealerNamed,
    DealRow,
    DiceKnown,
    DoubtEndRow,
    DoubtRow,
    EventRow,
    FineRow,
    OutcomeRow,
    Past,
    Row,
)
from controller.journal_schema import (
    INSERT,
    MIGRATIONS,
    SCHEMA_VERSION,
    Cells,
    R,
    cells_of,
    columns,
    create,
    row_of,
)


class JournalError(Exception):
    """The journal can't be opened, read or written; one line says the file and what to do."""


class Journal:
    """The writer's end. Use as a context manager, or call `close`."""

    def __init__(self, path: Path, database: sqlite3.Connection, lock: IO[bytes]) -> None:
        self._path = path
        self._database = database
        self._lock = lock

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the file for writing, or begin a new one.

        Raises:
            JournalError: another controller writes it, it is no journal, damaged, of a newer schema, or its
                folder can't be written.
        """
        lock = _lock(path)
        try:
            with _in_words(path):
                database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
                try:
                    _prepare(path, database)
                except BaseException:
                    database.close()
                    raise
        except BaseException:
            lock.close()
            raise
        return cls(path, database, lock)

    def write(self, rows: Iterable[Row]) -> None:
        """Write all rows or none; when it returns they survive a killed process, money also a power cut.

        Raises:
            JournalError: nothing was written.
        """
        rows = tuple(rows)
        full = any(isinstance(row, SETTLED) for row in rows)
        with _in_words(self._path):
            self._database.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
            self._database.execute("BEGIN IMMEDIATE")
            try:
                for row in rows:
                    self._database.execute(INSERT[type(row)], tuple(cells_of(row).values()))
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def past(self) -> Past:
        """What a start needs to go on where the last one stopped."""
        with _in_words(self._path):
            return _past(self._database)

    def close(self) -> None:
        """Close file and lock."""
        self._database.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class JournalReader:
    """A reader's end; the writer may go on writing."""

    def __init__(self, path: Path) -> None:
        """Open the file for reading.

        Raises:
            JournalError: there is no such file, or it is no journal of this schema.
        """
        if not path.is_file():
            raise JournalError(f"{path}: no such journal")
        self._path = path
        with _in_words(path):
            self._database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
            try:
                _check_version(path, self._database)
            except BaseException:
                self._database.close()
                raise

    def rows(self, kind: type[R]) -> tuple[R, ...]:
        """All rows of one kind in the order in which they were written."""
        with _in_words(self._path):
            return tuple(_select(self._database, kind, "ORDER BY rowid"))

    def hold(self) -> None:
        """From now on read the journal as it is at the first look, whatever is written meanwhile."""
        with _in_words(self._path):
            self._database.execute("BEGIN")

    def each(self, kind: type[R]) -> Iterator[R]:
        """The same one by one, for journals that are large."""
        return (row_of(kind, cells) for cells in self.stored(kind))

    def stored(self, kind: type[Any]) -> Iterator[Cells]:
        """All rows of one kind as the file holds them, one by one, with the columns that the file has."""
        with _in_words(self._path):
            yield from _stored(self._database, kind, "ORDER BY rowid")

    def count(self, kind: type[Any]) -> int:
        """How many rows of one kind there are."""
        with _in_words(self._path):
            return sum(1 for _ in _stored(self._database, kind, ""))

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _lock(path: Path) -> IO[bytes]:
    try:
        lock = path.with_name(path.name + ".lock").open("wb")
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror}; expected a folder that can be written") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise JournalError(f"{path}: another controller is writing this journal; stop it first") from error
    return lock


def _prepare(path: Path, database: sqlite3.Connection) -> None:
    version = _check_version(path, database)
    database.execute("PRAGMA journal_mode = WAL")
    found = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise JournalError(f"{path}: the journal is damaged ({found}); keep a copy and start a new file")
    if version < SCHEMA_VERSION:
        steps = [step for old in range(version, SCHEMA_VERSION) for step in MIGRATIONS[old]]
        database.execute("BEGIN IMMEDIATE")
        for step in steps if version else map(create, ROWS):
            database.execute(step)
        database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        database.execute("COMMIT")


def _check_version(path: Path, database: sqlite3.Connection) -> int:
    version = int(database.execute("PRAGMA user_version").fetchone()[0])
    tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise JournalError(f"{path}: written by a newer version (schema {version}, known {SCHEMA_VERSION})")
    if version == 0 and tables:
        raise JournalError(f"{path}: an SQLite file, but no journal of a table")
    return version


_WORDS = (
    ("full", "the disk is full; play is not recorded until there is space"),
    ("readonly", "the file can't be written; expected a writable file and folder"),
    ("not a database", "no SQLite file; expected a journal or a path where none is yet"),
    ("malformed", "the journal is damaged; keep a copy and start a new file"),
    ("unable to open", "can't be opened; expected a folder that exists and can be written"),
    ("disk I/O error", "the disk refuses to write; play is not recorded until it does"),
    ("locked", "another program holds the journal; close it"),
)


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into one line for people."""
    try:
        yield
    except (sqlite3.Error, msgspec.MsgspecError) as error:
        said = str(error)
        words = next((words for sign, words in _WORDS if sign in said), f"can't be used: {said}")
        raise JournalError(f"{path}: {words}") from error


def _stored(
    database: sqlite3.Connection, kind: type[Any], clause: str, values: tuple[int, ...] = ()
) -> Iterator[Cells]:
    """The cells of a kind of row, with the columns that the file has."""
    there = {row[1] for row in database.execute(f"PRAGMA table_info({kind.table})")}
    names = [field.name for field in columns(kind) if field.name in there]
    if not there:
        return
    for found in database.execute(f"SELECT {', '.join(names)} FROM {kind.table} {clause}", values):  # noqa: S608
        yield dict(zip(names, found, strict=True))


def _select(
    database: sqlite3.Connection, kind: type[R], clause: str, values: tuple[int, ...] = ()
) -> Iterator[R]:
    return (row_of(kind, cells) for cells in _stored(database, kind, clause, values))


def _past(database: sqlite3.Connection) -> Past:
    boots = tuple(_select(database, BootRow, "ORDER BY boot DESC LIMIT 1"))
    boot = boots[0].boot + 1 if boots else 1
    doubts = int(database.execute("SELECT coalesce(max(doubt), 0) FROM doubts").fetchone()[0])
    stage, board = (_last_decision(database, kind) for kind in ("stage", "board"))
    named, dice = (_last_decision(database, kind) for kind in ("dealer", "dice"))
    machine: dict[str, Any] = {
        "stage": stage or "",
        "board": board,
        "named": None if named is None else msgspec.convert(named, DealerNamed),
        "dice": None if dice is None else msgspec.convert(dice, DiceKnown),
    }
    deals = tuple(_select(database, DealRow, "ORDER BY deal DESC LIMIT 1"))
    answers = tuple(
        _select(database, AnswerRow, "WHERE at >= (SELECT max(at) FROM answers) - 600 ORDER BY n")
    )
    machine["answers"] = answers
    if not deals:
        return Past(boot=boot, doubts=doubts, **machine)
    deal = deals[0]
    begun = tuple(_select(database, BootRow, "WHERE boot = ?", (deal.boot,)))
    events = tuple(row.text for row in _select(database, EventRow, "WHERE deal = ? ORDER BY n", (deal.deal,)))
    outcomes = {
        row.deal: row
        for row in _select(database, OutcomeRow, "WHERE deal >= ? ORDER BY deal", (deal.deal - 1,))
    }
    ended = {row.doubt for row in _select(database, DoubtEndRow, "ORDER BY doubt")}
    raised = _select(database, DoubtRow, "WHERE deal = ? ORDER BY doubt", (deal.deal,))
    return Past(
        boot=boot,
        doubts=doubts,
        deal=deal,
        events=events,
        outcome=outcomes.get(deal.deal),
        before=outcomes.get(deal.deal - 1),
        open_doubts=tuple(row for row in raised if row.doubt not in ended),
        begun=begun[0] if begun else None,
        fines=tuple(_select(database, FineRow, "WHERE deal = ? ORDER BY n", (deal.deal,))),
        **machine,
    )


def _last_decision(database: sqlite3.Connection, kind: str) -> Any:
    """The body of the last decision of that kind, None where there is none."""
    found = database.execute(
        "SELECT body FROM decisions WHERE kind = ? ORDER BY n DESC LIMIT 1", (kind,)
    ).fetchone()
    return None if found is None else msgspec.json.decode(found[0])
