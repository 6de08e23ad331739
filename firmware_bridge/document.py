"""The tables of PROTOCOL.md, made from the definitions the code uses. Pure.

``python -m firmware_bridge.document`` prints the file with its tables made anew.
"""

import re
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Final

from firmware_bridge.encoding import SIZES
from firmware_bridge.faults import FAULTS
from firmware_bridge.link import Kind
from firmware_bridge.messages import ANSWERS, COMMANDS, REPORTS, Field, Layout
from firmware_bridge.states import (
    Buzz,
    Capability,
    FailCause,
    Key,
    Lamp,
    Profile,
    Region,
    RejectReason,
    ResetCause,
    Severity,
    State,
)

DOCUMENT: Final = Path(__file__).with_name("PROTOCOL.md")

_MARKED = re.compile(r"<!-- table: ([a-z-]+) -->\n.*?<!-- end -->", re.DOTALL)


def renewed(text: str) -> str:
    """``text`` with the contents of each ``<!-- table: NAME -->`` ... ``<!-- end -->`` made anew."""

    def table(match: re.Match[str]) -> str:
        name = match[1]
        return f"<!-- table: {name} -->\n{TABLES[name]()}\n<!-- end -->"

    return _MARKED.sub(table, text)


def _rows(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _messages(table: dict[int, Layout], start: int, *, limits: bool = False) -> str:
    rows: list[tuple[str, ...]] = []
    for opcode, layout in table.items():
        cells = (f"0x{opcode:02X}", layout.cls.__name__, _first_line(layout.cls), _fields(layout, start))
        rows.append((*cells, f"{layout.limit_s:g} s") if limits else cells)
    head = ("opcode", "message", "meaning", "fields (offset name wire: meaning, range)")
    return _rows((*head, "longest until Done") if limits else head, rows)


def _first_line(cls: type) -> str:
    return (cls.__doc__ or "").split("\n\n", 1)[0].replace("\n   ", "").replace("``", "`").strip()


def _fields(layout: Layout, start: int) -> str:
    parts = []
    offset = start
    for field in layout.fields:
        parts.append(f"{offset} `{field.name}` {field.wire}: {field.meaning}{_range(field)}")
        integer, _, count = field.wire.partition("x")
        if integer in SIZES and count != "*":
            offset += SIZES[integer] * int(count or 1)
    return "<br>".join(parts) or "none"


def _range(field: Field) -> str:
    if field.kind is not None:
        return f", {field.kind.__name__}"
    if field.wire == "text":
        return f", at most {field.high} bytes of UTF-8"
    return "" if field.high is None else f", {field.low}..{field.high}"


def _enumeration(kind: type[IntEnum]) -> str:
    return ", ".join(f"{member.value} {member.name}" for member in kind)


def _enumerations() -> str:
    kinds = (Region, Key, Lamp, Buzz, Severity, RejectReason, FailCause, ResetCause, Profile)
    rows = [(kind.__name__, _enumeration(kind)) for kind in kinds]
    bits = ", ".join(f"{member.value} {member.name}" for member in Capability)
    return _rows(("enumeration", "values"), [*rows, ("Capability (bits)", bits)])


def _states() -> str:
    return _rows(
        ("region", "states"),
        [
            (
                region.name,
                ", ".join(f"0x{state:02X} {state.name}" for state in State if state.region is region),
            )
            for region in Region
        ],
    )


def _faults() -> str:
    return _rows(
        ("code", "wire", "severity", "中文", "English"),
        [
            (code.label, f"0x{code:04X}", text.severity.name, text.zh, text.en)
            for code, text in FAULTS.items()
        ],
    )


TABLES: Final[dict[str, Callable[[], str]]] = {
    "kinds": lambda: _rows(("kind", "name"), [(str(kind.value), kind.name) for kind in Kind]),
    "commands": lambda: _messages(COMMANDS, 5, limits=True),
    "answers": lambda: _messages(ANSWERS, 5),
    "reports": lambda: _messages(REPORTS, 9),
    "enumerations": _enumerations,
    "states": _states,
    "faults": _faults,
}
"""Every table of the document by the name in its marker."""


if __name__ == "__main__":
    print(renewed(DOCUMENT.read_text(encoding="utf-8")), end="")  # noqa: T201 - this is its output
