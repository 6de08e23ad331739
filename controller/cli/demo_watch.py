"""What the demo hears over MQTT: records it for the verdict and keeps the newest state."""

import base64
from dataclasses import dataclass, field
from typing import IO

import msgspec

from controller.mqtt import Heard
from controller.public import Counters, Settlement, TableSnapshot


class RecordedMessage(msgspec.Struct, frozen=True):
    """One line of the recording: `payload` is text, or base64 of what is no text."""

    topic: str
    retained: bool
    payload: str
    base64: bool = False


@dataclass(slots=True)
class Watcher:
    """Everything heard so far. `recording` gets one JSON line a message; it may be None."""

    prefix: str
    recording: IO[bytes] | None = None
    table: TableSnapshot | None = None
    counters: Counters | None = None
    heard: int = 0
    read_fps: list[float] = field(default_factory=list)
    settlements: list[Settlement] = field(default_factory=list)

    def hear(self, message: Heard) -> None:
        """Take one message in; what is no valid payload of its topic is recorded and otherwise left."""
        self.heard += 1
        if self.recording is not None:
            self.recording.write(msgspec.json.encode(_recorded(message)) + b"\n")
            self.recording.flush()
        topic = message.topic.removeprefix(f"{self.prefix}/")
        try:
            self._take(topic, message.payload)
        except msgspec.MsgspecError:
            return

    def _take(self, topic: str, payload: bytes) -> None:
        match topic:
            case "state/table":
                self.table = msgspec.json.decode(payload, type=TableSnapshot)
            case "state/counters":
                self.counters = msgspec.json.decode(payload, type=Counters)
                if self.counters.read_fps > 0:
                    self.read_fps.append(self.counters.read_fps)
            case "state/settlement":
                self._settle(msgspec.json.decode(payload, type=Settlement))

    def _settle(self, settlement: Settlement) -> None:
        """Keep each hand's settlement once; a broker that came back tells the last one again."""
        key = (settlement.match_no, settlement.hand_no)
        if key not in {(known.match_no, known.hand_no) for known in self.settlements}:
            self.settlements.append(settlement)

    @property
    def state(self) -> str:
        """What would be other if anything at the table had happened since."""
        table = self.table
        return f"{self.hands} {table.phase} {table.hand_no} {table.tiles_left}" if table else ""

    @property
    def owed(self) -> int:
        """How many settlements are counted that have not been heard yet: the counters may come first."""
        counted = self.counters
        return max(0, counted.settled + counted.drawn - len(self.settlements)) if counted else 0

    @property
    def hands(self) -> int:
        """How many hands have ended, in whatever way."""
        counted = self.counters
        return counted.settled + counted.drawn + counted.withheld if counted else 0


def _recorded(message: Heard) -> RecordedMessage:
    try:
        text = message.payload.decode()
    except UnicodeDecodeError:
        text = base64.b64encode(message.payload).decode()
        return RecordedMessage(message.topic, message.retained, text, base64=True)
    return RecordedMessage(message.topic, message.retained, text)
