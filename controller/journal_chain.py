"""The chain over the journal's rows: every batch carries a digest of itself and of the batch before it.

A batch is what was written at once. A row that was changed, added or deleted by another hand breaks the
chain at its batch. That the end was cut off shows by the seal: the last batch of money, written beside it.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from controller.journal_queries import columns_there
from controller.journal_rows import ROWS, GapRow
from controller.journal_schema import Cells, chained, columns

AT_START: Final = 20_000
"""How many of the newest batches a start verifies; `longzhuo audit` verifies all."""


@dataclass(frozen=True, slots=True)
class Link:
    """A batch and its digest; number 0 and nothing before the first."""

    batch: int = 0
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Break:
    """The chain does not hold at a batch: what is wrong, and the time of its first row where it has one."""

    batch: int
    at: float | None
    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class Verified:
    """The chain from one batch to another, and where it does not hold."""

    first: int
    last: int
    rows: int
    breaks: tuple[Break, ...]


def last_link(database: sqlite3.Connection) -> Link:
    """The newest batch."""
    found = database.execute("SELECT batch, digest FROM chain ORDER BY batch DESC LIMIT 1").fetchone()
    return Link(*found) if found else Link()


def verified(database: sqlite3.Connection, *, after: int = 0) -> Verified:
    """Check every batch after number `after`, whose own digest is believed.

    A break is told once; what follows it is checked against the digests that are written.
    """
    known = database.execute("SELECT digest FROM chain WHERE batch = ?", (after,)).fetchone()
    link = Link(after, known[0] if known else "")
    chain = database.execute("SELECT batch, rows, digest FROM chain WHERE batch > ? ORDER BY batch", (after,))
    each = batches(database, after)
    found = next(each, None)
    breaks: list[Break] = []
    rows = 0
    for batch, number, digest in chain:
        while found is not None and found[0] < batch:
            breaks.append(_broken(found, "多出来的记录", "rows that were not written"))
            found = next(each, None)
        mine = found if found is not None and found[0] == batch else (batch, [])
        if mine is found:
            found = next(each, None)
        if batch != link.batch + 1:
            breaks.append(_broken(mine, f"缺第{link.batch + 1}批", f"batch {link.batch + 1} is missing"))
        elif len(mine[1]) != number:
            zh, en = f"{number}条记录剩{len(mine[1])}条", f"{len(mine[1])} rows of {number}"
            breaks.append(_broken(mine, zh, en))
        elif chained(link.digest, mine[1]) != digest:
            breaks.append(_broken(mine, "记录被改过", "a row is not as it was written"))
        link = Link(batch, digest)
        rows += len(mine[1])
    if found is not None:
        breaks.append(_broken(found, "多出来的记录", "rows that were not written"))
    return Verified(after + 1, link.batch, rows, tuple(breaks))


def digest_of(database: sqlite3.Connection, batch: int, previous: str) -> tuple[int, str]:
    """How many rows a batch has that is written already, and its digest."""
    number = 0

    def counted() -> Iterator[tuple[str, Cells]]:
        nonlocal number
        for _, table, cells in _rows(database, batch - 1):
            number += 1
            yield table, cells

    digest = chained(previous, counted())
    return number, digest


_Batch = tuple[int, list[tuple[str, Cells]]]


def _broken(batch: _Batch, zh: str, en: str) -> Break:
    times = [cells["at"] for _, cells in batch[1] if "at" in cells]
    at = min(times, default=None)
    return Break(batch[0], at, f"第{batch[0]}批：{zh}", f"batch {batch[0]}: {en}")


def batches(database: sqlite3.Connection, after: int, *, damaged: bool = False) -> Iterator[_Batch]:
    """The rows of every later batch: tables in alphabetical order, each as it was written.

    `damaged`: a table ends where it can't be read any more.
    """
    for batch, rows in groupby(_rows(database, after, damaged=damaged), key=lambda row: row[0]):
        yield batch, [(table, cells) for _, table, cells in rows]


def _rows(
    database: sqlite3.Connection, after: int, *, damaged: bool = False
) -> Iterator[tuple[int, str, Cells]]:
    """All rows of later batches: batch by batch, tables in alphabetical order, each as it was written."""
    heads: list[tuple[int, str, Cells, Iterator[tuple[int, Cells]]]] = []
    for kind in sorted(ROWS, key=lambda kind: kind.table):
        each = _of_table(database, kind, after)
        each = _readable(each) if damaged else each
        first = next(each, None)
        if first is not None:
            heads.append((first[0], kind.table, first[1], each))
    while heads:
        place = min(range(len(heads)), key=lambda index: (heads[index][0], heads[index][1]))
        batch, table, cells, each = heads[place]
        yield batch, table, cells
        following = next(each, None)
        if following is None:
            heads.pop(place)
        else:
            heads[place] = (following[0], table, following[1], each)


def _readable(each: Iterator[tuple[int, Cells]]) -> Iterator[tuple[int, Cells]]:
    with suppress(sqlite3.DatabaseError):
        yield from each


def _of_table(database: sqlite3.Connection, kind: type[Any], after: int) -> Iterator[tuple[int, Cells]]:
    there = columns_there(database, kind.table)
    names = [field.name for field in columns(kind) if field.name in there]
    query = f"SELECT batch, {', '.join(names)} FROM {kind.table} WHERE batch > ? ORDER BY batch, rowid"  # noqa: S608
    for batch, *found in database.execute(query, (after,)):
        yield batch, dict(zip(names, found, strict=True))


def gaps(database: sqlite3.Connection) -> tuple[tuple[int, str], ...]:
    """The batches up to which the chain does not hold, and why (see `GapRow`), oldest first."""
    query = f"SELECT until, how FROM {GapRow.table} ORDER BY n"  # noqa: S608 - a name of ours
    return tuple((batch, how) for batch, how in database.execute(query))
