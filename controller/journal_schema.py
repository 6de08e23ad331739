"""Tables and columns of the journal, from the rows' structures: statements, cells and back. Pure."""

from collections.abc import Iterable
from hashlib import sha256
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast, get_args, get_origin

import msgspec

from controller.journal_rows import ROWS, Row

SCHEMA_VERSION: Final = 8
CHAINED_FROM: Final = 4
"""The first schema whose rows are chained.

A table is brought to a newer schema by writing it anew with today's columns; one that was added has its
default in the rows of before. Whoever adds a column gives it a default and counts the version up.
"""

CHAIN: Final = "CREATE TABLE chain (batch INTEGER PRIMARY KEY, rows INTEGER NOT NULL, digest TEXT NOT NULL)"

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
    # INT is no other name of the row's place: rows stay in the order in which they are written.
    of_key = "INTEGER" if not kind.key else "INT"
    lines = [] if kind.key else ["n INTEGER PRIMARY KEY AUTOINCREMENT"]
    for field in columns(kind):
        optional = NoneType in get_args(field.type)
        stored = _plain(field.type) or "TEXT"
        stored = of_key if kind.key == f"PRIMARY KEY ({field.name})" and stored == "INTEGER" else stored
        lines.append(f"{field.name} {stored}{'' if optional else ' NOT NULL'}")
    lines.append("batch INTEGER NOT NULL")
    if kind.key:
        lines.append(kind.key)
    return f"CREATE TABLE {kind.table} ({', '.join(lines)})"


def index(kind: type[Row]) -> str:
    """The statement that makes the index by which the rows of a batch are found."""
    return f"CREATE INDEX {kind.table}_of_batch ON {kind.table} (batch)"


def _insert(kind: type[Row]) -> str:
    names = [*(field.name for field in columns(kind)), "batch"]
    # Names come from the definitions above, never from data.
    return f"INSERT INTO {kind.table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608


INSERT: dict[type[Row], str] = {kind: _insert(kind) for kind in ROWS}


def _default(field: msgspec.structs.FieldInfo) -> Any:
    value = field.default
    if field.default_factory is not msgspec.NODEFAULT:
        value = cast("Any", field.default_factory)()
    return value if value is msgspec.NODEFAULT else _cell(value, _plain(field.type))


def copied(kind: type[Row], there: Iterable[str]) -> tuple[str, tuple[Any, ...]]:
    """The statement, and its values, that fills the table of today from `TABLE_old` with columns `there`.

    Raises:
        ValueError: a column of today is not there and has no default.
    """
    there = set(there)
    names: list[str] = [] if kind.key else ["n"]
    from_old: list[str] = list(names)
    values: list[Any] = []
    for field in columns(kind):
        names.append(field.name)
        if field.name in there:
            from_old.append(field.name)
            continue
        if _default(field) is msgspec.NODEFAULT:
            raise ValueError(f"{kind.table}.{field.name} can't be filled in")
        from_old.append("?")
        values.append(_default(field))
    from_old.append("batch" if "batch" in there else "1")
    order = "batch, rowid" if "batch" in there else "at, rowid"
    select = f"SELECT {', '.join(from_old)} FROM {kind.table}_old ORDER BY {order}"  # noqa: S608
    return f"INSERT INTO {kind.table} ({', '.join(names)}, batch) {select}", tuple(values)


def chained(previous: str, rows: Iterable[tuple[str, Cells]]) -> str:
    """The digest of a batch: of the one before it, and of every cell that is not at its column's default.

    `rows` are (table, cells), tables in alphabetical order, in each as they were written.
    """
    digest = sha256(previous.encode())
    for table, cells in rows:
        told = {name: cell for name, cell in cells.items() if cell != DEFAULTS[table].get(name)}
        digest.update(msgspec.json.encode((table, told), order="sorted"))
    return digest.hexdigest()


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


DEFAULTS: dict[str, Cells] = {
    kind.table: {
        field.name: found for field in columns(kind) if (found := _default(field)) is not msgspec.NODEFAULT
    }
    for kind in ROWS
}
"""What `chained` leaves out, so that a column that is added later changes no digest."""
