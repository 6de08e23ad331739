"""Clients of a real broker for tests: one that hears, one that says, and a line that can be cut or freeze."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from controller.mqtt_connection import BrokerLost, Heard, connected, parse_broker_url
from controller.processes import free_port

PATIENCE_S = 20.0
"""For machines that are busy with something else; what is waited for comes at once."""


async def until(condition: Callable[[], object]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - other programs ring no bell
            await asyncio.sleep(0.01)


async def say(url: str, topic: str, payload: bytes, *, retain: bool = False) -> bool:
    """Publish one message as somebody else; whether the broker lets it be heard."""
    async with connected(parse_broker_url(url)) as connection:
        return await connection.publish(topic, payload, retain=retain)


class Listener:
    """Everything heard on topic filters, over whatever connections it takes."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.connections = 0

    def payloads(self, topic: str) -> list[bytes]:
        return [heard.payload for heard in self.heard if heard.topic == topic]

    def topics(self) -> list[str]:
        return [heard.topic for heard in self.heard]

    @contextlib.asynccontextmanager
    async def at(self, url: str, *topics: str) -> AsyncIterator["Listener"]:
        """Hear for the time of the block, which begins when the broker has granted it."""
        hearing = asyncio.create_task(self._hear(url, topics))
        try:
            await until(lambda: self.connections)
            yield self
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)

    async def _hear(self, url: str, topics: tuple[str, ...]) -> None:
        while True:
            with contextlib.suppress(BrokerLost):
                async with connected(parse_broker_url(url)) as connection:
                    await connection.subscribe(*topics)
                    self.connections += 1
                    async for heard in connection.messages():
                        connection.done_with(heard)
                        self.heard.append(heard)
            await asyncio.sleep(0.02)


class Line:
    """A line to a broker at `url`. It may freeze (nothing comes through), be cut, delay, or lose CONNACKs."""

    def __init__(self, to: str) -> None:
        self._to = parse_broker_url(to).port
        self._port = free_port()
        self._writers: list[asyncio.StreamWriter] = []
        self._flows = asyncio.Event()
        self._flows.set()
        self.url = f"mqtt://127.0.0.1:{self._port}"
        self.answers = True
        self.delay_s = 0.0
        self.connections = 0

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator["Line"]:
        server = await asyncio.start_server(self._join, "127.0.0.1", self._port)
        try:
            yield self
        finally:
            self.thaw()
            server.close()
            self.cut()
            for writer in self._writers:
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
            await server.wait_closed()

    def freeze(self) -> None:
        self._flows.clear()

    def thaw(self) -> None:
        self._flows.set()

    def cut(self) -> None:
        """End every connection there is."""
        for writer in self._writers:
            writer.close()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        back, on = await asyncio.open_connection("127.0.0.1", self._to)
        self._writers += [writer, on]
        await asyncio.gather(self._pump(reader, on), self._pump(back, writer, back=True))

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, back: bool = False
    ) -> None:
        with contextlib.suppress(OSError):
            while piece := await reader.read(4096):
                await self._flows.wait()
                await asyncio.sleep(self.delay_s if back else 0)
                if self.answers or not back:
                    writer.write(piece)
        writer.close()
