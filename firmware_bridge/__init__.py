"""The link to the table's control board: frames, a sequenced link, messages, ports.

Bytes become frames (``frames``), frames become messages in order, once (``link``), messages are the
vocabulary of ``messages``, ``states`` and ``faults``. These are pure. ``port`` and ``board`` carry them
over real devices. Here stand the board and its errors; the vocabulary is imported from its modules.
"""

from firmware_bridge.board import Board
from firmware_bridge.errors import (
    BadUrl,
    BoardError,
    CommandFailed,
    CommandRefused,
    LinkLost,
    MalformedMessage,
    NotSupported,
    NoValidFrame,
    PortUnavailable,
    WrongBoard,
)

__all__ = [
    "BadUrl",
    "Board",
    "BoardError",
    "CommandFailed",
    "CommandRefused",
    "LinkLost",
    "MalformedMessage",
    "NoValidFrame",
    "NotSupported",
    "PortUnavailable",
    "WrongBoard",
]
