"""What one input leads to, gathered while it is handled: rows first, then commands and messages. Pure."""

from dataclasses import dataclass, field

import msgspec

from controller.journal_rows import DecisionRow, Row
from controller.public import Payload
from controller.session_effects import Send
from firmware_bridge.messages import Command


@dataclass(slots=True)
class Notes:
    """The notes on one input: `boot` and `now` stand in every row."""

    boot: int
    now: float
    rows: list[Row] = field(default_factory=list)
    sends: list[Send] = field(default_factory=list)
    messages: list[tuple[str, Payload]] = field(default_factory=list)
    """Topics and payloads that are not retained, in order."""

    def write(self, row: Row) -> None:
        """Add a row."""
        self.rows.append(row)

    def decide(self, kind: str, body: object) -> None:
        """Add a decision."""
        text = msgspec.json.encode(body).decode()
        self.write(DecisionRow(boot=self.boot, at=self.now, kind=kind, body=text))

    def send(self, number: int, command: Command) -> None:
        """Send a command and write that it is sent."""
        self.decide("command", {"number": number, "command": type(command).__name__})
        self.sends.append(Send(number, command))

    def tell(self, topic: str, payload: Payload) -> None:
        """Publish a message that is not retained."""
        self.messages.append((topic, payload))
