"""Deletes what is too old: whole matches, never the running one, and nothing that a start or replay needs.

What stays of before: all starts and set-ups, the last decision of each kind, and of what is counted over the
journal's life the highest. The chain is checked from the first batch that is whole.
"""

import sqlite3
from typing import Final

from controller.journal_deals import DoubtRow, RevisionRow
from controller.journal_rows import (
    ROWS,
    AdjustmentRow,
    BootRow,
    DecisionRow,
    GapRow,
    MatchRow,
    OutboxRow,
    Row,
    SetupRow,
)

AT_ONCE: Final = 20_000
"""How many batches are deleted in one transaction, so that play waits for no more than a moment."""

A_DAY_S: Final = 86_400.0

_HIGHEST: Final = {
    DoubtRow: "doubt",
    MatchRow: "match_no",
    RevisionRow: "revision",
    AdjustmentRow: "adjustment",
}


def first_to_keep(database: sqlite3.Connection, before: float) -> int:
    """The first batch that stays when all is deleted that is older than `before`; 0: nothing is old enough.

    A start looks at the running match and at the one before it, and at the deal before those: they stay whole
    from the match of `before` on.
    A clock that has leapt makes everything old; so nothing is before a day was played since.
    """
    played = database.execute("SELECT max(at) - min(at) FROM deals WHERE at >= ?", (before,)).fetchone()[0]
    if played is None or played < A_DAY_S:
        return 0
    recent = "(SELECT match_no FROM deals WHERE at >= ? ORDER BY deal LIMIT 1)"
    earlier = f"(SELECT max(match_no) FROM deals WHERE match_no < {recent})"  # noqa: S608 - words of ours
    opens = f"(SELECT min(deal) FROM deals WHERE match_no = {earlier})"  # noqa: S608
    found = database.execute(
        f"SELECT batch FROM deals WHERE deal < {opens} ORDER BY deal DESC LIMIT 1",  # noqa: S608
        (before,),
    ).fetchone()
    return 0 if found is None else int(found[0])


def prune(database: sqlite3.Connection, keep: int, *, keep_unsent: bool = False) -> int:
    """Delete rows of batches before `keep`, the oldest first, at most `AT_ONCE`; up to which it did.

    `keep_unsent`: messages of the outbox that nobody has acknowledged stay.
    Call it within a transaction, and write a `GapRow` with what it gives.
    """
    oldest = database.execute("SELECT min(batch) FROM chain").fetchone()[0]
    if oldest is None or oldest >= keep - 1:
        return 0
    until = min(keep - 1, int(oldest) + AT_ONCE)
    for kind in ROWS:
        if kind not in {BootRow, GapRow, SetupRow}:
            database.execute(*_deletion(kind, until, keep_unsent=keep_unsent))
    # The last digest stays: the chain goes on from it.
    database.execute("DELETE FROM chain WHERE batch < ?", (until,))
    return until


def _deletion(kind: type[Row], until: int, *, keep_unsent: bool) -> tuple[str, tuple[int, ...]]:
    table = kind.table
    old = f"FROM {table} WHERE batch <= ?"
    if kind in _HIGHEST:
        number = _HIGHEST[kind]
        return f"DELETE {old} AND {number} < (SELECT max({number}) {old})", (until, until)
    if kind is DecisionRow:
        return f"DELETE {old} AND n NOT IN (SELECT max(n) {old} GROUP BY kind)", (until, until)
    if kind is OutboxRow and keep_unsent:
        # Its acknowledgement is younger than a message, and deleted with it or later.
        arrived = "(boot, seq) IN (SELECT boot, seq FROM acks)"
        return f"DELETE {old} AND {arrived}", (until,)
    return f"DELETE {old}", (until,)
