"""Tables and columns of the journal, from the rows' structures: statements, cells and back. Pure."""

from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, TypeVar, cast, get_args, get_origin

import msgspec

from controller.journal_rows import (
    ROWS,
    AdjustmentRow,
    AnswerRow,
    FineRow,
    MatchRow,
    OutcomeRow,
    RevisionRow,
    Row,
)

SCHEMA_VERSION = 3

Cells: TypeAlias = dict[str, Any]
"""A row as the file holds it: column to integer, float, text or None."""

R = TypeVar("R", bound=msgspec.Struct)

_PLAIN = {int: "INTEGER", float: "REAL", str: "TEXT", bool: "INTEGER"}


def columns(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """The columns of a kind of row, in their order."""
    return msgspec.structs.fields(kind)


def _plain(kind: object) -> str | None:
    """SQLite's type of a column that is stored as it is; None for one stored as JSON."""
    if get_origin(kind) is UnionType or isinstance(kind, UnionType):
        inner = [part for part in get_args(kind) if part is not NoneType]
        return _plain(inner[0]) if len(inner) == 1 else None
    if get_origin(kind) is Literal:
        return "TEXT"
    return _PLAIN.get(cast("Any", kind)) if isinstance(kind, type) else None


STORED: dict[type[Row], dict[str, str | None]] = {
    kind: {field.name: _plain(field.type) for field in columns(kind)} for kind in ROWS
}
"""SQLite's type of every column, None where it holds JSON."""


def create(kind: type[Row]) -> str:
    """The statement that makes the table of a kind of row."""
    lines = [] if kind.key else ["n INTEGER PRIMARY KEY AUTOINCREMENT"]
    for field in columns(kind):
        optional = NoneType in get_args(field.type)
        lines.append(f"{field.name} {_plain(field.type) or 'TEXT'}{'' if optional else ' NOT NULL'}")
    if kind.key:
        lines.append(kind.key)
    return f"CREATE TABLE {kind.table} ({', '.join(lines)})"


def _insert(kind: type[Row]) -> str:
    names = [field.name for field in columns(kind)]
    # Names come from the definitions above, never from data.
    return f"INSERT INTO {kind.table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608


INSERT: dict[type[Row], str] = {kind: _insert(kind) for kind in ROWS}

_OUTCOMES_2 = (
    "deal, boot, at, how, reason, indicator, wild, ponds, melds, winner, from_seat, tile, hand, payments, "
    "balances, dealer_next, kept_next, match_over, certain, settlement"
)
"""Columns of `outcomes` in schema 2."""
_KEEP_OUTCOMES = (
    f"INSERT INTO outcomes ({_OUTCOMES_2}, answers, edition, author) "  # noqa: S608 - names of ours
    f"SELECT {_OUTCOMES_2}, '{{}}', 1, 'table' FROM outcomes_2"
)
_NEW_IN_3: tuple[type[Row], ...] = (RevisionRow, AdjustmentRow, MatchRow, AnswerRow)

MIGRATIONS: dict[int, tuple[str, ...]] = {
    0: (),
    1: (
        "ALTER TABLE boots ADD COLUMN options TEXT",
        "ALTER TABLE doubts ADD COLUMN proposal TEXT",
        create(FineRow),
    ),
    2: (
        "ALTER TABLE outcomes RENAME TO outcomes_2",
        create(OutcomeRow),
        _KEEP_OUTCOMES,
        "DROP TABLE outcomes_2",
        *(create(kind) for kind in _NEW_IN_3),
    ),
}
"""What leads from each schema to the next."""


def cells_of(row: Row) -> Cells:
    """The row as the file holds it."""
    return {name: _cell(getattr(row, name), stored) for name, stored in STORED[type(row)].items()}


def _cell(value: Any, stored: str | None) -> Any:
    if stored is None:
        return None if value is None else msgspec.json.encode(value).decode()
    if value is None or stored == "TEXT":
        return value
    return float(value) if stored == "REAL" else int(value)


def row_of(kind: type[R], cells: Cells) -> R:
    """The row that the file holds; columns that an older file lacks are at their defaults."""
    stored = STORED[cast("Any", kind)]
    values = {
        name: cell if stored[name] or cell is None else msgspec.json.decode(cell)
        for name, cell in cells.items()
    }
    return msgspec.convert(values, kind, strict=False)
