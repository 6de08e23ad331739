"""The journal of one table: an SQLite file; what is decided is written before it is acted on or shown.

One file a table, one writer (a lock file beside it), any number of readers while it is written (WAL). Rows
are only added. `PRAGMA user_version` is the schema's version. Times are seconds since 1970 UTC. Columns named
"JSON" below hold JSON text. Tiles are in notation ("5p"), seats are 0..3. The columns are exactly the fields
of the structures in `controller/journal_rows.py` and `journal_deals.py`, where each is explained:

    boots       boot, at, version, rules, model, settings, options JSON{name: value}
    inputs      n, boot, at, kind, body JSON          what came in, in order, before what follows from it
    decisions   n, boot, at, kind, body JSON          commands, phases, alarms, a dealer named by a die
    deals       deal, boot, at, match_no, hand_no, dealer, balances JSON[4]
    events      deal, n, boot, at, text, author       text: one line of a record (rules/record.py)
    doubts      doubt, boot, at, deal, kind, zh, en, candidates JSON[...], proposal
    doubt_ends  doubt, boot, at, how, choice, author  a doubt without a row here is open
    outcomes    deal, boot, at, how, reason, indicator, wild, ponds JSON[4][...], melds JSON[4][[kind,
                [tiles], taken_from]...], winner, from_seat, tile, hand JSON[...], payments JSON[4],
                balances JSON[4], dealer_next, kept_next, match_over, certain, settlement JSON
                answers JSON{question: answer}, edition, supersedes, difference JSON[4], author,
                before JSON[4], fined JSON[4]
    revisions   revision, deal, boot, at, how, n, events JSON[...], balances JSON[4], author, undone,
                fined JSON[4]
    adjustments adjustment, deal, during, boot, at, match_no, payments JSON[4], balances JSON[4], reason,
                author
    matches     n, match_no, boot, at, deals, players JSON[4], balances JSON[4], places JSON[4], certain,
                author
    answers     n, boot, at, id, verb, author, done, zh, en, changed JSON[...]    people's orders, answered
    fines       deal, n, boot, at, seat, payments JSON[4], balances JSON[4], author
    outbox      boot, seq, at, topic, payload JSON    messages that must arrive, exactly as they are sent
    acks        boot, seq, at                         outbox messages that a recorder has recorded
    setups      setup, boot, at, match_no, rules, options JSON{name: value}, instead_of JSON, author
    gaps        n, at, how, until, zh, en, inputs     where the chain does not hold
    chain       batch, rows, digest                   what was written at once, and the digest of it

Every row also has its `batch`. A digest is that of the batch before, followed by all cells of this one (see
`chained` in journal_schema.py): `longzhuo audit` and every start verify it.

A deal without a row in `outcomes` is still being played; of several the one with the highest `edition` holds,
those before it are what it supersedes. What happened in a deal are its rows in `events` as its `revisions`
leave them. The verdict over a deal needs `deals`, `events`, `revisions`, `outcomes`, `fines` and `doubts`
only.

A journal of an older schema is brought to the newest when it is opened for writing, after a copy was made
beside it; a reader reads it as it is, with columns that it lacks at their defaults.
"""

import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import quote

from controller.journal_chain import Link, Verified, last_link, verified
from controller.journal_open import (
    Lock,
    copy,
    cut_to_tell,
    gap_found,
    prepare,
    require_past,
    salvaged,
    version_of,
)
from controller.journal_past import PastSoFar
from controller.journal_prune import first_to_keep, prune
from controller.journal_queries import (
    before,
    columns_there,
    first_whole_start,
    past,
    select,
    stored,
    unacknowledged,
)
from controller.journal_rows import SETTLED, GapRow, OutboxRow, Row
from controller.journal_salvage import salvage
from controller.journal_schema import CHAINED_FROM, INSERT, Cells, R, cells_of, chained, row_of
from controller.journal_start import Past
from controller.journal_words import JournalDamaged, JournalError, in_words

log = logging.getLogger(__name__)

__all__ = ["Journal", "JournalDamaged", "JournalError", "JournalReader"]


class Journal:
    """The writer's end. Use as a context manager, or call `close`.

    `cut`: what is wrong with the record and nobody was told of yet, in Chinese and English.
    """

    def __init__(self, path: Path, database: sqlite3.Connection, lock: Lock) -> None:
        self._path = path
        self._database = database
        self._lock = lock
        self._last = self._tried = last_link(database)
        self._full: bool | None = None
        self.cut: tuple[str, str] | None = None

    @classmethod
    def open(cls, path: Path, *, mend: bool = False) -> Self:
        """Open the file for writing, or begin a new one.

        `mend`: where a part of it can't be read, go on with a new file that holds what can be (`salvage`).

        Raises:
            JournalError: another controller writes it, it is no journal, of a newer schema, or its folder
                can't be written.
            JournalDamaged: a part of it can't be read.
        """
        lock = Lock(path)
        try:
            try:
                return cls._opened(path, lock, mended=False)
            except JournalDamaged as damage:
                if not mend:
                    raise
                log.warning("%s", damage)
                log.warning("journal: going on with what can be read; the damaged file is %s", salvage(path))
                return cls._opened(path, lock, mended=True)
        except BaseException:
            lock.close()
            raise

    @classmethod
    def _opened(cls, path: Path, lock: Lock, *, mended: bool) -> Self:
        with in_words(path):
            database = _connected(path)
            try:
                prepare(path, database)
                journal = cls(path, database, lock)
                journal._verify(mended=mended)
                require_past(path, database)
            except BaseException:
                database.close()
                raise
        return journal

    def _verify(self, *, mended: bool) -> None:
        """Look whether the newest part is as it was written; what is wrong with it is written, too."""
        if self._last.batch == 0:
            self._lock.seal(Link())
        gap = salvaged(self._database) if mended else gap_found(self._database, self._lock.sealed)
        if gap is not None:
            self.write((gap,))
        self.cut = cut_to_tell(self._database)

    def write(self, rows: Iterable[Row]) -> None:
        """Write all rows or none; when it returns they survive a killed process, money also a power cut.

        Raises:
            JournalError: nothing was written.
        """
        rows = tuple(rows)
        full = any(isinstance(row, SETTLED) for row in rows)
        batch = self._last.batch + 1
        cells = sorted(((row.table, cells_of(row)) for row in rows), key=lambda pair: pair[0])
        link = Link(batch, chained(self._last.digest, cells))
        self._tried = link
        with in_words(self._path), self._transaction(full=full):
            for row in rows:
                self._database.execute(INSERT[type(row)], (*cells_of(row).values(), batch))
            self._database.execute("INSERT INTO chain VALUES (?, ?, ?)", (batch, len(rows), link.digest))
        self._last = link
        if full:
            # An older seal is still true.
            with suppress(OSError):
                self._lock.seal(link)

    @contextmanager
    def _transaction(self, *, full: bool) -> Iterator[None]:
        """All of the block or nothing; within another transaction it is a part of that."""
        within: bool = self._database.in_transaction
        if within:
            yield
            return
        if full is not self._full:
            self._database.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
            self._full = full
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def prune(self, before: float, *, now: float, keep_unsent: bool = False) -> bool:
        """Delete a portion of what is older than `before`, never of the running match; whether there was any.

        `keep_unsent`: what waits in the outbox for its recorder stays.

        Raises:
            JournalError: nothing was deleted.
        """
        last = self._last
        try:
            with in_words(self._path), self._transaction(full=True):
                until = prune(self._database, first_to_keep(self._database, before), keep_unsent=keep_unsent)
                if until:
                    zh, en = f"第{until}批以前的旧记录已删除", f"old records up to batch {until} were deleted"
                    self.write((GapRow(at=now, how="pruned", until=until, zh=zh, en=en, inputs=0),))
        except JournalError:
            self._last = self._tried = last
            raise
        return until > 0

    def reopen(self) -> bool:
        """Open the file again after it could not be written, as what was wrong may have been below it.

        Returns whether what was to be written last is written after all.

        Raises:
            JournalError: it can't be opened, or is not the record that was written last.
        """
        with in_words(self._path):
            self._database.close()
            if not self._path.is_file():
                raise JournalError(f"{self._path}: the record is gone; put it back")
            self._database, self._full = _connected(self._path), None
            found = last_link(self._database)
        if found not in {self._last, self._tried}:
            raise JournalError(f"{self._path}: another record lies there now; put the right one back")
        written, self._last = found != self._last, found
        return written

    def past(self) -> Past:
        """What a start needs to go on where the last one stopped."""
        with in_words(self._path):
            return past(self._database)

    def close(self) -> None:
        """Close file and lock."""
        self._database.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


BESIDE: Final = ("-wal", "-shm", "-journal")
"""Ends of the names of the files that SQLite keeps beside a database."""

CACHE_KIB: Final = 256
"""Rows are added and hardly ever read again: more of the file in memory would be of no use."""


def _connected(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    database.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    return database


def _require_ordinary(path: Path) -> None:
    """See that no pipe in the place of the journal, or of a file beside it, holds a reader up.

    Raises:
        JournalError: there is something else than a file.
    """
    for end in ("", *BESIDE):
        file = path.with_name(path.name + end)
        if file.exists() and not file.is_file():
            raise JournalError(f"{file}: is no ordinary file; expected a journal")


class JournalReader:
    """A reader's end; the writer may go on writing."""

    def __init__(self, path: Path) -> None:
        """Open the file for reading.

        Raises:
            JournalError: there is no such file, or it is no journal of this schema.
        """
        if not path.exists():
            raise JournalError(f"{path}: no such journal")
        _require_ordinary(path)
        self._path = path
        with in_words(path):
            # A name may hold what separates the parts of an address.
            address = f"file:{quote(os.fsencode(path.absolute()))}?mode=ro"
            self._database = sqlite3.connect(address, uri=True, isolation_level=None)
            try:
                self.schema = version_of(path, self._database)
            except BaseException:
                self._database.close()
                raise

    def hold(self) -> None:
        """From now on read the journal as it is at the first look, whatever is written meanwhile."""
        with in_words(self._path):
            self._database.execute("BEGIN")

    def rows(self, kind: type[R]) -> tuple[R, ...]:
        """All rows of one kind in the order in which they were written."""
        with in_words(self._path):
            return tuple(select(self._database, kind))

    def each(self, kind: type[R], *, since: int = 0) -> Iterator[R]:
        """The same one by one, for journals that are large; those of batch `since` and later."""
        return (row_of(kind, cells) for cells in self.stored(kind, since=since))

    def stored(self, kind: type[Any], *, since: int = 0) -> Iterator[Cells]:
        """The same as the file holds them, with the columns that it has."""
        with in_words(self._path):
            if since:
                yield from stored(self._database, kind, "WHERE batch >= ? ORDER BY batch, rowid", (since,))
            else:
                yield from stored(self._database, kind)

    def unacknowledged(self, after: tuple[int, int], most: int) -> tuple[OutboxRow, ...]:
        """So many messages of the outbox after (boot, seq) that nobody has acknowledged, in that order."""
        with in_words(self._path):
            return tuple(unacknowledged(self._database, after, most))

    @property
    def pruned(self) -> int:
        """The batch up to which old rows were deleted, 0: none were."""
        return max((gap.until for gap in self.rows(GapRow) if gap.how == "pruned"), default=0)

    def first_whole_start(self) -> tuple[int, PastSoFar] | None:
        """The batch of the first start since which no row was deleted, and what it found; None: none."""
        with in_words(self._path):
            batch = first_whole_start(self._database, self.pruned)
            return None if batch is None else (batch, before(self._database, batch))

    def count(self, kind: type[Any]) -> int:
        """How many rows of one kind there are."""
        with in_words(self._path):
            if not columns_there(self._database, kind.table):
                return 0
            found = self._database.execute(f"SELECT count(*) FROM {kind.table}").fetchone()  # noqa: S608
            return int(found[0])

    def verified(self) -> Verified | None:
        """The chain over all rows since the last were deleted for their age; None in a schema without one."""
        if self.schema < CHAINED_FROM:
            return None
        pruned = self.pruned
        with in_words(self._path):
            return verified(self._database, after=pruned)

    def copy(self, target: Path) -> None:
        """Copy the journal as it is now into one file; one that is there already is replaced when it is done.

        Raises:
            JournalError: it can't be read, or the target can't be written.
        """
        with in_words(target):
            copy(self._database, target)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
