"""A recorder of settlements: writes what it hears into a database, then acknowledges it, on a real broker."""

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec

from controller.mqtt_connection import BrokerLost, Connection, Heard, connected, parse_broker_url


class Recorder:
    """Keeps each message once, by (table, boot, seq). `loses` says which of its acknowledgements are lost.

    Members of a `group` share what comes. `heard` counts every message that came, doubles too; `clashes` are
    messages that came again with other words.
    """

    def __init__(
        self, path: Path, url: str, *, loses: Callable[[int], bool] = lambda _: False, group: str = ""
    ) -> None:
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS ledger (place, boot, seq, payload, PRIMARY KEY (place, boot, seq))"
        )
        self._url = url
        self._loses = loses
        self._shared = f"$share/{group}/" if group else ""
        self.heard = 0
        self.clashes: list[Heard] = []
        self.order: list[tuple[int, int]] = []

    @contextlib.asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        working = asyncio.create_task(self._work())
        try:
            yield
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
            self._database.close()

    async def _work(self) -> None:
        while True:
            with contextlib.suppress(BrokerLost):
                async with connected(parse_broker_url(self._url), name="recorder") as connection:
                    kinds = ("settlement", "fine")
                    await connection.subscribe(*(f"{self._shared}mj/v1/+/+/ledger/{kind}" for kind in kinds))
                    async for heard in connection.messages():
                        await self._record(connection, heard)
            await asyncio.sleep(0.05)

    async def _record(self, connection: Connection, heard: Heard) -> None:
        told = json.loads(heard.payload)
        place = heard.topic.rpartition("/ledger/")[0]
        key = (place, told["boot"], told["seq"])
        self.heard += 1
        known = self._database.execute("SELECT payload FROM ledger WHERE (place, boot, seq) = (?, ?, ?)", key)
        row = known.fetchone()
        if row is None:
            self._database.execute("INSERT INTO ledger VALUES (?, ?, ?, ?)", (*key, heard.payload))
            self.order.append(key[1:])
        elif row[0] != heard.payload:
            self.clashes.append(heard)
            return
        connection.done_with(heard)
        if not self._loses(self.heard):
            ack = msgspec.json.encode({"boot": told["boot"], "seqs": [told["seq"]]})
            await connection.publish(f"{place}/ledger/ack", ack, retain=False)

    def recorded(self) -> list[dict[str, Any]]:
        """Everything, each once, in the order of (boot, seq)."""
        rows = self._database.execute("SELECT payload FROM ledger ORDER BY boot, seq")
        return [json.loads(payload) for (payload,) in rows]
