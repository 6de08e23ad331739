"""What is read from the journal's file, by writer and readers alike."""

import sqlite3
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import msgspec

from controller.agreed import Agreed, in_force
from controller.journal_deals import (
    DealRow,
    DoubtEndRow,
    DoubtRow,
    EventRow,
    FineRow,
    OutcomeRow,
    RevisionRow,
)
from controller.journal_decisions import DealerNamed, DiceKnown, PlayersNamed, Said, Standing
from controller.journal_past import PastSoFar
from controller.journal_played import PlayedSoFar
from controller.journal_revisions import fined, said, told, undone
from controller.journal_rows import (
    ROWS,
    AckRow,
    AdjustmentRow,
    AnswerRow,
    BootRow,
    DecisionRow,
    GapRow,
    InputRow,
    MatchRow,
    OutboxRow,
    Row,
    SetupRow,
)
from controller.journal_schema import Cells, R, columns, row_of
from controller.journal_start import Past, PlayedDeal
from controller.session_inputs import Pictured, RecordCut
from controller.session_replies import REMEMBERED_S

_NO_PAST: Final = frozenset({AckRow, GapRow, OutboxRow})
"""Rows that no start looks at."""


def columns_there(database: sqlite3.Connection, table: str) -> list[str]:
    """The columns that a table has, none where it is not there."""
    return [row[1] for row in database.execute(f"PRAGMA table_info({table})")]


def stored(
    database: sqlite3.Connection, kind: type[Any], clause: str = "", values: tuple[float, ...] = ()
) -> Iterator[Cells]:
    """The cells of a kind of row, with the columns that the file has; by default in their written order."""
    there = columns_there(database, kind.table)
    if not there:
        return
    names = [field.name for field in columns(kind) if field.name in there]
    order = "ORDER BY batch, rowid" if "batch" in there else "ORDER BY at, rowid"
    query = f"SELECT {', '.join(names)} FROM {kind.table} {clause or order}"  # noqa: S608 - names of ours
    for found in database.execute(query, values):
        yield dict(zip(names, found, strict=True))


def before(database: sqlite3.Connection, batch: int) -> PastSoFar:
    """What a start found whose first row is in `batch`; all rows that it stands on are still there."""
    rows: list[tuple[int, int, Row]] = []
    for place, kind in enumerate(ROWS):
        if kind in _NO_PAST:
            continue
        only = " AND kind = 'RecordCut'" if kind is InputRow else ""
        clause = f"WHERE batch < ?{only} ORDER BY batch, rowid"
        batches = database.execute(f"SELECT batch FROM {kind.table} {clause}", (batch,))  # noqa: S608
        found = select(database, kind, clause, (batch,))
        rows += [(number, place, row) for (number,), row in zip(batches, found, strict=True)]
    so_far = PastSoFar()
    for _, _, row in sorted(rows, key=lambda each: each[:2]):
        so_far.add(row)
    return so_far


def first_whole_start(database: sqlite3.Connection, pruned: int) -> int | None:
    """The batch of the first start whose past is whole where rows up to a batch were deleted.

    The oldest deal that was kept stands alone, and a start looks at two matches.
    """
    lone = "(SELECT min(deal) FROM deals)"
    whole = f"(SELECT match_no FROM deals WHERE deal > {lone} ORDER BY deal LIMIT 1)"  # noqa: S608
    opens = f"(SELECT min(batch) FROM deals WHERE deal > {lone} AND match_no > {whole})"  # noqa: S608
    query = f"SELECT min(batch) FROM boots WHERE batch > ? AND batch > {opens}"  # noqa: S608
    found = database.execute(query, (pruned,)).fetchone()[0]
    return None if found is None else int(found)


def select(
    database: sqlite3.Connection, kind: type[R], clause: str = "", values: tuple[float, ...] = ()
) -> Iterator[R]:
    """The same as rows."""
    return (row_of(kind, cells) for cells in stored(database, kind, clause, values))


def unacknowledged(database: sqlite3.Connection, after: tuple[int, int], most: int) -> Iterator[OutboxRow]:
    """Messages of the outbox after (boot, seq) that nobody has acknowledged, in that order."""
    clause = (
        "WHERE (boot, seq) > (?, ?) AND (boot, seq) NOT IN (SELECT boot, seq FROM acks) "
        "ORDER BY boot, seq LIMIT ?"
    )
    return select(database, OutboxRow, clause, (*after, most))


def past(database: sqlite3.Connection) -> Past:
    """What a start finds."""
    boots = tuple(select(database, BootRow, "ORDER BY boot DESC LIMIT 1"))
    boot = boots[0].boot + 1 if boots else 1
    doubts = _highest(database, DoubtRow)
    stage, board = (_last_decision(database, kind) for kind in ("stage", "board"))
    named, dice = (_last_decision(database, kind) for kind in ("dealer", "dice"))
    machine: dict[str, Any] = {
        "stage": stage or "",
        "board": board,
        "named": None if named is None else msgspec.convert(named, DealerNamed),
        "dice": None if dice is None else msgspec.convert(dice, DiceKnown),
        **_orders(database),
    }
    machine["cut"] = _cut_since(database)
    deals = tuple(select(database, DealRow, "ORDER BY deal DESC LIMIT 1"))
    if not deals:
        return Past(boot=boot, doubts=doubts, **machine)
    deal = deals[0]
    events = tuple(select(database, EventRow, "WHERE deal = ? ORDER BY n", (deal.deal,)))
    fines = tuple(select(database, FineRow, "WHERE deal = ? ORDER BY n", (deal.deal,)))
    revisions = tuple(select(database, RevisionRow, "WHERE deal = ? ORDER BY revision", (deal.deal,)))
    outcomes = {
        row.deal: row
        for row in select(database, OutcomeRow, "WHERE deal >= ? ORDER BY deal, edition", (deal.deal - 1,))
    }
    ended = {row.doubt for row in select(database, DoubtEndRow, "ORDER BY doubt")}
    raised = select(database, DoubtRow, "WHERE deal = ? ORDER BY doubt", (deal.deal,))
    open_doubts = tuple(row for row in raised if row.doubt not in ended)
    return Past(
        boot=boot,
        doubts=doubts,
        deal=deal,
        events=told(events, revisions),
        written=len(events),
        fined=fined(fines, revisions),
        said=said(events, revisions),
        undone=undone(events, revisions),
        played=_played(database, deal.match_no),
        outcome=outcomes.get(deal.deal),
        before=outcomes.get(deal.deal - 1),
        open_doubts=open_doubts,
        pictures=_pictures(database, {row.doubt for row in open_doubts}),
        begun=_rules_at(database, deal.boot, deal.at),
        fines=fines,
        **machine,
    )


def _orders(database: sqlite3.Connection) -> dict[str, Any]:
    """What people's orders have left."""
    players, standing = (_last_decision(database, kind) for kind in ("players", "standing"))
    stood = None if standing is None else msgspec.convert(standing, Standing)
    answers = "WHERE at >= (SELECT max(at) FROM answers) - ? ORDER BY n"
    matches = select(database, MatchRow, "ORDER BY n DESC LIMIT 1")
    return {
        "revisions": _highest(database, RevisionRow),
        "adjustments": _highest(database, AdjustmentRow),
        "match": next(matches, None),
        "locked": bool(_last_decision(database, "locked")),
        "paused": bool(_last_decision(database, "paused")),
        "players": None if players is None else msgspec.convert(players, PlayersNamed),
        "standing": stood,
        "stood": None if stood is None else _rules_at(database, stood.boot, stood.at),
        "setup": next(select(database, SetupRow, "ORDER BY setup DESC LIMIT 1"), None),
        "answers": tuple(select(database, AnswerRow, answers, (REMEMBERED_S,))),
        "statements": msgspec.convert(_last_decision(database, "said") or [], tuple[Said, ...]),
    }


def _played(database: sqlite3.Connection, match_no: int) -> tuple[PlayedDeal, ...]:
    """The deals of that match and of the one before it."""
    so_far = PlayedSoFar()
    here = "WHERE deal IN (SELECT deal FROM deals WHERE match_no >= ?) ORDER BY deal,"
    orders: dict[type[DealRow | EventRow | RevisionRow | OutcomeRow], str] = {
        DealRow: "match_no",
        EventRow: "n",
        RevisionRow: "revision",
        OutcomeRow: "edition",
    }
    for kind, order in orders.items():
        for row in select(database, kind, f"{here} {order}", (match_no - 1,)):
            so_far.add(row)
    return so_far.played(partial(_rules_at, database))


def _rules_at(database: sqlite3.Connection, boot: int, at: float) -> Agreed | None:
    """The rules that held at a time of a start."""
    boots = {row.boot: row for row in select(database, BootRow, "WHERE boot = ?", (boot,))}
    return in_force(boots, select(database, SetupRow, "WHERE boot = ? ORDER BY setup", (boot,)), boot, at)


def _pictures(database: sqlite3.Connection, doubts: set[int]) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """What was kept of the moments of these doubts, the last of each."""
    if not doubts:
        return ()
    # They are written after the doubt, and doubts that are open are among the newest.
    since = "(SELECT min(batch) FROM doubts WHERE doubt >= ?)"
    rows = select(
        database,
        DecisionRow,
        f"WHERE kind = 'pictures' AND batch >= {since} ORDER BY n",
        (min(doubts),),
    )
    kept = (msgspec.json.decode(row.body, type=Pictured) for row in rows)
    return tuple(sorted({one.doubt: one.names for one in kept if one.doubt in doubts}.items()))


def _highest(database: sqlite3.Connection, kind: type[DoubtRow | RevisionRow | AdjustmentRow]) -> int:
    """The highest number of rows that count over the journal's life."""
    number = columns(kind)[0].name
    found = database.execute(f"SELECT coalesce(max({number}), 0) FROM {kind.table}").fetchone()  # noqa: S608
    return int(found[0])


def _cut_since(database: sqlite3.Connection) -> bool:
    """Whether the record was found damaged since the last outcome."""
    last = "(SELECT coalesce(max(batch), 0) FROM outcomes)"
    query = f"SELECT 1 FROM inputs WHERE batch > {last} AND kind = ? LIMIT 1"  # noqa: S608 - words of ours
    return database.execute(query, (RecordCut.__name__,)).fetchone() is not None


def _last_decision(database: sqlite3.Connection, kind: str) -> Any:
    """The body of the last decision of that kind, None where there is none."""
    found = database.execute(
        "SELECT body FROM decisions WHERE kind = ? ORDER BY n DESC LIMIT 1", (kind,)
    ).fetchone()
    return None if found is None else msgspec.json.decode(found[0])
