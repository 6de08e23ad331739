"""The tables of PROTOCOL.md, made from the definitions the code uses. Pure.

``python -m firmware_bridge.document`` prints the file with its tables made anew.
"""

import re
from collections.abc import Callable
from enum import IntEnum, IntFlag
from pathlib import Path
from typing import Final

from firmware_bridge.encoding import SIZES
from firmware_bridge.fault_actions import ACTIONS
from firmware_bridge.faults import FAULTS
from firmware_bridge.layouts import ANSWERS, COMMANDS, REPORTS, Field, Layout
from firmware_bridge.link import Kind
from firmware_bridge.states import (
    Buzz,
    Capability,
    Entry,
    FailCause,
    Key,
    Lamp,
    Motor,
    Profile,
    Region,
    RejectReason,
    ResetCause,
    Severity,
    State,
    StatusFlag,
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


_HEAD: Final = ("opcode", "message", "meaning", "fields (offset name wire: meaning, range)")


def _messages(table: dict[int, Layout], start: int) -> str:
    return _rows(_HEAD, [_cells(opcode, layout, start) for opcode, layout in table.items()])


def _commands() -> str:
    rows = [
        (*_cells(opcode, layout, 5), f"1.{layout.since}", _needs(layout), f"{layout.limit_s:g} s")
        for opcode, layout in COMMANDS.items()
    ]
    return _rows((*_HEAD, "since", "needs", "longest until Done"), rows)


def _cells(opcode: int, layout: Layout, start: int) -> tuple[str, ...]:
    return f"0x{opcode:02X}", layout.cls.__name__, _first_line(layout.cls), _fields(layout, start)


def _needs(layout: Layout) -> str:
    return " or ".join(str(bit.name) for bit in layout.needs) or "-"


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
    if field.wire == "text":
        words = f", at most {field.high} bytes of UTF-8"
    elif field.kind is not None and field.kind not in (bool, bytes):
        words = f", {field.kind.__name__}"
    elif field.high is not None and field.kind is not bool:
        words = f", {field.low}..{field.high}"
    else:
        words = ""
    return words if field.default is None else f"{words} (since 1.1)"


def _enumeration(kind: type[IntEnum] | type[IntFlag]) -> str:
    return ", ".join(f"{member.value} {member.name}" for member in kind)


def _enumerations() -> str:
    kinds = (Region, Key, Lamp, Buzz, Severity, RejectReason, FailCause, ResetCause, Profile, Motor, Entry)
    rows = [(kind.__name__, _enumeration(kind)) for kind in kinds]
    bits = [(f"{kind.__name__} (bits)", _enumeration(kind)) for kind in (Capability, StatusFlag)]
    return _rows(("enumeration", "values"), [*rows, *bits])


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
        ("code", "wire", "severity", "中文", "English", "comes up when", "what the board does", "evidence"),
        [
            (
                *(code.label, f"0x{code:04X}", text.severity.name, text.zh, text.en),
                *(ACTIONS[code].when, ACTIONS[code].action, ACTIONS[code].evidence or "-"),
            )
            for code, text in FAULTS.items()
        ],
    )


TABLES: Final[dict[str, Callable[[], str]]] = {
    "kinds": lambda: _rows(("kind", "name"), [(str(kind.value), kind.name) for kind in Kind]),
    "commands": _commands,
    "answers": lambda: _messages(ANSWERS, 5),
    "reports": lambda: _messages(REPORTS, 9),
    "enumerations": _enumerations,
    "states": _states,
    "faults": _faults,
}
"""Every table of the document by the name in its marker."""


if __name__ == "__main__":
    print(renewed(DOCUMENT.read_text(encoding="utf-8")), end="")  # noqa: T201 - this is its output
