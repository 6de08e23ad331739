"""The broker of our own starts by itself, comes back by itself, and lets displays only read."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import aiomqtt
import pytest
from mqtt_clients import until

from controller.broker import Broker, BrokerMissing, find_mosquitto, own_broker
from controller.broker_address import parse_broker_url
from controller.mqtt import Publisher, listen
from controller.mqtt_way import way_of
from controller.rights import Way


@pytest.fixture
async def broker() -> AsyncIterator[Broker]:
    async with own_broker() as running:
        yield running


async def _first_heard(url: str, topics: str) -> bytes:
    async for message in listen(url, topics):
        return message.payload
    raise AssertionError("the stream of messages ended")


async def _until_another_process(broker: Broker, pid: int) -> None:
    while broker.pid == pid:  # noqa: ASYNC110 - another process decides
        await asyncio.sleep(0.02)


async def _until_answered(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.02)
        else:
            writer.close()
            await writer.wait_closed()
            return


async def test_a_killed_broker_comes_back_on_the_same_ports(broker: Broker) -> None:
    ports, pid = (broker.port, broker.websocket_port), broker.pid
    os.kill(pid, signal.SIGKILL)
    async with asyncio.timeout(10):
        await _until_another_process(broker, pid)
        await _until_answered(broker.port)
        await _until_answered(broker.websocket_port)
    assert (broker.port, broker.websocket_port) == ports


async def test_nothing_is_left_running_after_the_block() -> None:
    async with own_broker() as running:
        pid = running.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_message_reaches_a_reader_of_its_topic(broker: Broker) -> None:
    publisher = Publisher(url=broker.url, prefix="mj/v1/home/t")
    publisher.retain("state/table", b"{}")
    running = asyncio.create_task(publisher.run())
    async with asyncio.timeout(10):
        assert await _first_heard(broker.url, "mj/v1/home/t/state/table") == b"{}"
        publisher.stop()
        await running


def test_a_missing_mosquitto_is_said_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("controller.broker._SEARCH", (str(tmp_path),))
    with pytest.raises(BrokerMissing, match="apt install mosquitto"):
        find_mosquitto()


async def test_a_page_of_a_stranger_can_not_come_as_the_table_and_put_it_out(broker: Broker) -> None:
    assert way_of(broker.address) is Way.BROKER_HERE, "the secret signs nobody in"
    publisher = Publisher(url=broker.address, prefix="mj/v1/home/t")
    running = asyncio.create_task(publisher.run())
    await until(lambda: publisher.published)
    plain = parse_broker_url(broker.url).client_name("mj/v1/home/t")
    host, _, port = broker.websocket.removeprefix("ws://").partition(":")
    as_the_table = aiomqtt.Client(
        host, int(port), transport="websockets", protocol=aiomqtt.ProtocolVersion.V5, identifier=plain
    )
    async with as_the_table as stranger:
        await stranger.subscribe("#", qos=1)
        async with asyncio.timeout(20):
            message = await anext(aiter(stranger.messages))
        assert (str(message.topic), message.payload) == ("mj/v1/home/t/state/availability", b"online")
        # A broker that puts somebody out does so before it answers who takes his place.
        assert publisher.connected
    publisher.stop()
    await running
