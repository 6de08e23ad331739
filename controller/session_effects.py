"""What a session wants done, in this order: write the record, then send and publish."""

from dataclasses import dataclass

from controller.journal_rows import Row
from controller.public import Payload
from controller.session_replies import Reply
from firmware_bridge.messages import Command


@dataclass(frozen=True, slots=True)
class Record:
    """Write these rows in one transaction before acting on any later effect."""

    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Send:
    """Give the board this command; answer with `CommandDone(number)` or `CommandFailed(number, ...)`."""

    number: int
    command: Command


@dataclass(frozen=True, slots=True)
class Publish:
    """Publish the payload at `<prefix>/<topic>` with QoS 1."""

    topic: str
    payload: Payload
    retain: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """Tell whoever sent the order `id` what has become of it."""

    id: str
    reply: Reply


Effect = Record | Send | Publish | Answer
