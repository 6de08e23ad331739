"""Messages of a board as plain values for JSON. Pure."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum, Flag
from typing import Any

from firmware_bridge.faults import FaultCode, UnknownFault


def plain(value: object) -> Any:  # noqa: PLR0911 - one for each kind of value
    """Names for members of enumerations, lists of names for bits, hexadecimal text for bytes."""
    match value:
        case FaultCode() | UnknownFault():
            return value.label
        case Flag():
            return [str(bit.name) for bit in type(value) if bit in value]
        case Enum():
            return value.name
        case bytes():
            return value.hex()
        case Mapping():
            return {str(key): plain(each) for key, each in value.items()}
        case tuple() | list():
            return [plain(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value


def told(value: object) -> dict[str, Any]:
    """A report with its kind."""
    return {"report": type(value).__name__, **plain(value)}
