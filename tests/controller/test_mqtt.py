"""Publishing survives brokers that are away, and a new connection tells everything again."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from controller.broker import Broker, own_broker
from controller.mqtt import WAITING_EVENTS, BrokerAddress, Publisher, listen, parse_broker_url
from controller.processes import free_port

PREFIX = "mj/v1/home/t"
ALL = f"{PREFIX}/#"


@pytest.fixture
async def broker() -> AsyncIterator[Broker]:
    async with own_broker() as running:
        yield running


class Reader:
    """Keeps everything heard below the prefix."""

    def __init__(self, url: str) -> None:
        self.heard: list[tuple[str, bytes]] = []
        self._news = asyncio.Event()
        self._task = asyncio.create_task(self._read(url))

    async def _read(self, url: str) -> None:
        async for message in listen(url, ALL):
            self.heard.append((message.topic.removeprefix(f"{PREFIX}/"), message.payload))
            self._news.set()

    async def until(self, *wanted: tuple[str, bytes]) -> None:
        async with asyncio.timeout(20):
            while not set(wanted) <= set(self.heard):
                await self._news.wait()
                self._news.clear()

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def _stopped(publisher: Publisher, running: asyncio.Task[None]) -> None:
    publisher.stop()
    await asyncio.wait_for(running, 5)


async def test_availability_comes_last_and_a_clean_stop_says_offline(broker: Broker) -> None:
    publisher = Publisher(url=broker.url, prefix=PREFIX)
    publisher.retain("state/table", b"1")
    publisher.retain("state/scores", b"2")
    running = asyncio.create_task(publisher.run())
    reader = Reader(broker.url)
    await reader.until(("state/availability", b"online"), ("state/table", b"1"), ("state/scores", b"2"))
    await _stopped(publisher, running)
    await reader.until(("state/availability", b"offline"))
    await reader.close()
    assert reader.heard[-1] == ("state/availability", b"offline")


async def test_a_cancelled_publisher_says_offline_too(broker: Broker) -> None:
    publisher = Publisher(url=broker.url, prefix=PREFIX)
    running = asyncio.create_task(publisher.run())
    reader = Reader(broker.url)
    await reader.until(("state/availability", b"online"))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await reader.until(("state/availability", b"offline"))
    await reader.close()
    assert running.cancelled()
    assert [payload for topic, payload in reader.heard if topic == "state/availability"][-2:] == [
        b"online",
        b"offline",
    ]


async def test_after_the_broker_died_every_snapshot_is_published_again(broker: Broker) -> None:
    publisher = Publisher(url=broker.url, prefix=PREFIX)
    publisher.retain("state/table", b"old")
    running = asyncio.create_task(publisher.run())
    reader = Reader(broker.url)
    await reader.until(("state/availability", b"online"))
    await reader.close()
    os.kill(broker.pid, signal.SIGKILL)
    publisher.retain("state/scores", b"while away")
    publisher.send("event/discard", b"waiting")
    late = Reader(broker.url)
    await late.until(
        ("state/table", b"old"), ("state/scores", b"while away"), ("state/availability", b"online")
    )
    await late.close()
    await _stopped(publisher, running)
    assert dict(reader.heard)["state/table"] == b"old"
    assert "state/scores" not in dict(reader.heard)
    snapshots = [message for message in late.heard if message[0].startswith("state/")]
    assert snapshots.index(("state/availability", b"online")) > snapshots.index(("state/table", b"old"))


@asynccontextmanager
async def forwarding(port: int, to_port: int) -> AsyncIterator[None]:
    """Whatever connects to `port` reaches the broker at `to_port` for the time of the block."""
    writers: list[asyncio.StreamWriter] = []

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(4096):
            writer.write(piece)
        writer.close()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, on = await asyncio.open_connection("127.0.0.1", to_port)
        writers.extend((writer, on))
        await asyncio.gather(pump(reader, on), pump(back, writer))

    server = await asyncio.start_server(forward, "127.0.0.1", port)
    try:
        yield
    finally:
        server.close()
        for writer in writers:
            writer.close()
            await writer.wait_closed()
        await server.wait_closed()


async def test_an_event_published_while_the_broker_is_away_arrives_later(broker: Broker) -> None:
    port = free_port()
    publisher = Publisher(url=f"mqtt://127.0.0.1:{port}", prefix=PREFIX)
    running = asyncio.create_task(publisher.run())
    publisher.send("event/discard", b"early")
    reader = Reader(broker.url)
    # Somebody else's word shows that the reader has subscribed before the broker can be reached.
    witness = Publisher(url=broker.url, prefix=PREFIX)
    witness.retain("state/witness", b"here")
    witnessing = asyncio.create_task(witness.run())
    await reader.until(("state/witness", b"here"))
    assert not publisher.connected
    assert ("event/discard", b"early") not in reader.heard
    async with forwarding(port, parse_broker_url(broker.url).port):
        await reader.until(("event/discard", b"early"))
        await _stopped(publisher, running)
    await _stopped(witness, witnessing)
    await reader.close()
    assert [payload for topic, payload in reader.heard if topic == "event/discard"] == [b"early"]
    assert publisher.dropped == 0


async def test_without_a_broker_publishing_costs_nothing_and_stays_bounded() -> None:
    publisher = Publisher(url=f"mqtt://127.0.0.1:{free_port()}", prefix=PREFIX)
    running = asyncio.create_task(publisher.run())
    for number in range(WAITING_EVENTS + 10):
        publisher.send("event/discard", b"%d" % number)
        publisher.retain("state/table", b"%d" % number)
    await asyncio.sleep(0)
    assert publisher.dropped == 10
    assert not publisher.connected
    await _stopped(publisher, running)


async def test_a_broker_that_never_answers_is_not_taken_for_connected_and_its_socket_is_closed() -> None:
    arrived, left = asyncio.Event(), asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        arrived.set()
        await reader.read()
        writer.close()
        left.set()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    publisher = Publisher(url=f"mqtt://127.0.0.1:{port}", prefix=PREFIX)
    running = asyncio.create_task(publisher.run())
    async with asyncio.timeout(10):
        await arrived.wait()
        assert not publisher.connected
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await left.wait()
    server.close()
    await server.wait_closed()


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("mqtt://broker", BrokerAddress("broker", 1883, None, None)),
        ("mqtt://u:p%40ss@broker:2000", BrokerAddress("broker", 2000, "u", "p@ss")),
    ],
)
def test_a_broker_url_holds_host_port_and_sign_in(url: str, address: BrokerAddress) -> None:
    assert parse_broker_url(url) == address
