"""Messages to bytes and back, driven by the tables of :mod:`firmware_bridge.layouts`. Pure.

Bytes after the last field are ignored: later minor versions append fields. A message of an earlier one may
end before an appended field, which has its default then.
"""

import struct
from typing import TYPE_CHECKING, Any, Final

from firmware_bridge.errors import MalformedMessage
from firmware_bridge.layouts import ANSWERS, COMMANDS, REPORTS, Field, Layout
from firmware_bridge.messages import Answer, Command, FromBoard, Message, Notice, Report, Request

if TYPE_CHECKING:
    from collections.abc import Iterable

SIZES: Final = {"u8": 1, "u16": 2, "u32": 4}
"""Bytes of the integers on the wire."""

_REQUEST = struct.Struct("<BI")
_NOTICE = struct.Struct("<BII")

_OPCODE_OF: Final[dict[type, tuple[int, Layout]]] = {
    layout.cls: (opcode, layout) for table in (COMMANDS, ANSWERS, REPORTS) for opcode, layout in table.items()
}


def encode(message: Message) -> bytes:
    """Bytes of a request (host), answer or notice (board). Raises MalformedMessage on a bad field."""
    if isinstance(message, Request):
        opcode, layout = _OPCODE_OF[type(message.command)]
        return _REQUEST.pack(opcode, message.op_id) + _pack(layout, message.command)
    if isinstance(message, Notice):
        opcode, layout = _OPCODE_OF[type(message.report)]
        return _NOTICE.pack(opcode, message.number, message.at_ms) + _pack(layout, message.report)
    opcode, layout = _OPCODE_OF[type(message)]
    return _REQUEST.pack(opcode, message.op_id) + _pack(layout, message)


def decode_from_host(data: bytes) -> Request:
    """The request in ``data``. Raises MalformedMessage."""
    opcode, op_id = _head(_REQUEST, data)
    command: Command = _unpack(_layout(COMMANDS, opcode), data, _REQUEST.size)
    return Request(op_id, command)


def decode_from_board(data: bytes) -> FromBoard:
    """The answer or notice in ``data``. Raises MalformedMessage."""
    if data[:1] and data[0] in ANSWERS:
        opcode, op_id = _head(_REQUEST, data)
        answer: Answer = _unpack(ANSWERS[opcode], data, _REQUEST.size, op_id)
        return answer
    opcode, number, at_ms = _head(_NOTICE, data)
    report: Report = _unpack(_layout(REPORTS, opcode), data, _NOTICE.size)
    return Notice(number, at_ms, report)


def op_id_of(data: bytes) -> int:
    """The op_id of a request whose opcode may be unknown. Raises MalformedMessage."""
    op_id: int = _head(_REQUEST, data)[1]
    return op_id


def limit_s(command: Command) -> float:
    """Longest time from sending ``command`` to its Done, in seconds."""
    return layout_of(command).limit_s


def layout_of(command: Command) -> Layout:
    """The row of the table of messages that ``command`` belongs to."""
    return _OPCODE_OF[type(command)][1]


def _head(shape: struct.Struct, data: bytes) -> tuple[Any, ...]:
    if len(data) < shape.size:
        raise MalformedMessage(f"message of {len(data)} bytes, expected at least {shape.size}")
    return shape.unpack_from(data)


def _layout(table: dict[int, Layout], opcode: int) -> Layout:
    if opcode not in table:
        raise MalformedMessage(f"unknown opcode 0x{opcode:02x}")
    return table[opcode]


def _pack(layout: Layout, message: object) -> bytes:
    return b"".join(_pack_field(field, getattr(message, field.name)) for field in layout.fields)


def _unpack(layout: Layout, data: bytes, offset: int, *first: int) -> Any:
    values: list[Any] = list(first)
    for field in layout.fields:
        if offset == len(data) and field.default is not None:
            values.append(field.default)
            continue
        value, offset = _unpack_field(field, data, offset)
        values.append(value)
    return layout.cls(*values)


def _pack_field(field: Field, value: Any) -> bytes:
    if field.wire == "text":
        text = str(value).encode()
        if field.high is not None and len(text) > field.high:
            raise MalformedMessage(f"{field.name}: {len(text)} bytes, expected {field.low}..{field.high}")
        return text
    integer, _, count = field.wire.partition("x")
    values: Iterable[Any] = value if count else (value,)
    numbers = [field.absent if one is None else int(one) for one in values]
    _check_count(field, count, len(numbers))
    for number in numbers:
        _check(field, number, SIZES[integer])
    return b"".join(int(number or 0).to_bytes(SIZES[integer], "little") for number in numbers)


def _unpack_field(field: Field, data: bytes, offset: int) -> tuple[Any, int]:
    if field.wire == "text":
        # One "?" for each bad place: the text stays as short as its field.
        return data[offset:][: field.high].decode(errors="replace").replace("\ufffd", "?"), len(data)
    integer, _, count = field.wire.partition("x")
    size = SIZES[integer]
    number = (len(data) - offset) // size if count == "*" else int(count or 1)
    _check_count(field, count, number)
    end = offset + number * size
    if end > len(data):
        raise MalformedMessage(f"{field.name}: message ends early")
    values = tuple(
        _check(field, int.from_bytes(data[at : at + size], "little"), size) for at in range(offset, end, size)
    )
    if field.kind is bytes:
        return bytes(values), end
    return (values if count else values[0]), end


def _check_count(field: Field, count: str, number: int) -> None:
    expected = number if count == "*" else int(count or 1)
    if number != expected:
        raise MalformedMessage(f"{field.name}: {number} values, expected {expected}")
    if field.most is not None and number > field.most:
        raise MalformedMessage(f"{field.name}: {number} values, expected at most {field.most}")


def _check(field: Field, number: int | None, size: int) -> Any:
    """``number`` as its kind. Raises MalformedMessage when it is out of range or no member."""
    if number is not None and number == field.absent:
        return None
    high = 256**size - 1 if field.high is None else field.high
    if number is None or not field.low <= number <= high:
        raise MalformedMessage(f"{field.name}: {number}, expected {field.low}..{high}")
    if field.kind is None or field.kind is bytes:
        return number
    try:
        return field.kind(number)
    except ValueError:
        if field.unknown is not None:
            return field.unknown(number)
        raise MalformedMessage(f"{field.name}: {number} is no {field.kind.__name__}") from None
