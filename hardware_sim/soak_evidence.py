"""What is kept of a deal of a soak run that did not go as it should, so that it can be looked at."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.journal_deals import DealRow
from hardware_sim.people_answers import Answered
from hardware_sim.truth import DealTruth

BEFORE_S: Final = 20.0
AFTER_S: Final = 30.0
"""Rows of so many seconds before and after the deal are kept too."""
OF_TIME: Final = (
    "inputs",
    "decisions",
    "events",
    "doubts",
    "doubt_ends",
    "outcomes",
    "fines",
    "boots",
    "deals",
)


def keep_deal(  # noqa: PLR0913 - all that is kept
    keep: Path,
    true: DealTruth,
    row: DealRow | None,
    found: msgspec.Struct,
    *,
    journal: Path,
    answers: Sequence[Answered],
) -> Path:
    """Write truth, verdict, answers and the journal's rows of a deal into a folder of its own; its path."""
    told: dict[str, Any] = msgspec.to_builtins(found)
    folder = keep / f"seed-{told['seed']}-hand-{true.deal}-{told['what']}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "verdict.json").write_bytes(msgspec.json.format(msgspec.json.encode(told)))
    (folder / "truth.json").write_bytes(msgspec.json.format(msgspec.json.encode(true)))
    number = None if row is None else row.deal
    mine = [msgspec.to_builtins(one) for one in answers if one.deal == number]
    (folder / "answers.json").write_text(json.dumps(mine, ensure_ascii=False, indent=1), encoding="utf-8")
    begun = true.began if row is None else row.at
    _rows(journal, folder / "journal.jsonl", begun - BEFORE_S, begun + true.wall_s + AFTER_S)
    return folder


def _rows(journal: Path, path: Path, since: float, until: float) -> None:
    """The rows of a journal of that time, one JSON object a line, table by table."""
    database = sqlite3.connect(f"file:{journal}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    try:
        with path.open("w", encoding="utf-8") as file:
            for table in OF_TIME:
                query = f"SELECT * FROM {table} WHERE at BETWEEN ? AND ? ORDER BY rowid"  # noqa: S608 - a name of ours
                for row in database.execute(query, (since, until)):
                    file.write(json.dumps({"table": table, **dict(row)}, ensure_ascii=False) + "\n")
    finally:
        database.close()
