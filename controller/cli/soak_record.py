"""Records what the controllers of a soak run publish of deals, each table's into its own file."""

import base64
import contextlib
from collections.abc import Iterable
from typing import IO, Any

import msgspec

from controller.cli.demo_watch import RecordedMessage
from controller.cli.soak_table import SoakTable
from controller.mqtt import listen

OF_DEALS = ("state/hand", "state/settlement", "ledger/settlement", "event/deal")


async def recorded(url: str, tables: Iterable[SoakTable]) -> None:
    """Write what is heard into each table's recording, until cancelled."""
    files: dict[str, IO[bytes]] = {}
    known = {table.id: table for table in tables}
    with contextlib.ExitStack() as stack:
        async for message in listen(url, *(f"mj/v1/home/+/{kind}" for kind in OF_DEALS)):
            *_, table, kind, name = message.topic.split("/")
            if f"{kind}/{name}" not in OF_DEALS or table not in known:
                continue
            if table not in files:
                recording = known[table].files.recording
                if not recording.parent.is_dir():
                    continue
                files[table] = stack.enter_context(recording.open("wb"))
            files[table].write(_line(message.topic, message.payload, retained=message.retained))


def _line(topic: str, payload: bytes, *, retained: bool) -> bytes:
    fields: dict[str, Any] = {"topic": topic, "retained": retained}
    try:
        told = RecordedMessage(payload=payload.decode(), **fields)
    except UnicodeDecodeError:
        told = RecordedMessage(payload=base64.b64encode(payload).decode(), base64=True, **fields)
    return msgspec.json.encode(told) + b"\n"
