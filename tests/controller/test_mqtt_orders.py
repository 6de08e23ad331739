"""Orders over MQTT with a real broker: answered where the sender wants it, harmless whatever they hold."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import aiomqtt
import pytest
from evening import Evening
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from test_doubts import HAND, Eyes

from controller.broker import Broker, own_broker
from controller.command_desk import CommandDesk
from controller.mqtt import Publisher
from controller.mqtt_connection import LONGEST_HEARD
from controller.mqtt_orders import MqttOrders
from controller.session_inputs import Ordered
from controller.session_replies import Reply

PREFIX = "mj/v1/home/t"
DAY = 2_000_000.0
CONFIRM = {"id": "u1", "expires": DAY + 30.0, "author": "seat 2", "doubt": 1, "action": "confirm"}
CONFIRM["words"] = "二号位炸胡 (false win)"


@pytest.fixture
async def broker() -> AsyncIterator[Broker]:
    async with own_broker() as running:
        yield running


class Table:
    """A table where seat 1 has shown a hand that is no win, on a broker, and a client that gives orders."""

    def __init__(self, broker: Broker) -> None:
        self.evening = Evening(0)
        self.evening.prepare((3, 4))
        self.eyes = Eyes(self.evening)
        self.eyes.lay("1m", 86.0, -86.0)
        self.eyes.look()
        self.eyes.discard(0, "E")
        self.eyes.look()
        self.eyes.show(1, HAND.replace("W W", "W N"))
        self.eyes.look(5.0)
        self.eyes.say("seat 4", "confirm")
        self.broker = broker
        self.publisher = Publisher(url=broker.url, prefix=PREFIX)
        desk = CommandDesk(self._carry_out, clock=lambda: DAY, now=lambda: self.evening.now)
        MqttOrders(desk=desk, publisher=self.publisher, prefix=PREFIX).listen()

    async def _carry_out(self, ordered: Ordered) -> Reply:
        before = len(self.evening.log.answers)
        self.evening.tell(ordered)
        return self.evening.log.answers[before].reply

    @contextlib.asynccontextmanager
    async def client(self) -> AsyncIterator[aiomqtt.Client]:
        port = int(self.broker.url.rsplit(":", 1)[1])
        async with aiomqtt.Client("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5) as client:
            yield client

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        running = asyncio.create_task(self.publisher.run())
        try:
            async with self.client() as watching:
                await watching.subscribe(f"{PREFIX}/state/availability", qos=1)
                async with asyncio.timeout(20):
                    async for message in watching.messages:
                        if message.payload == b"online":
                            break
            yield
        finally:
            self.publisher.stop()
            await asyncio.wait_for(running, 5)


@pytest.fixture
async def table(broker: Broker) -> AsyncIterator[Table]:
    table = Table(broker)
    async with table.serving():
        yield table


async def next_answer(client: aiomqtt.Client) -> tuple[str, dict[str, Any], bytes | None]:
    async with asyncio.timeout(20):
        async for message in client.messages:
            assert isinstance(message.payload, bytes)
            assert not message.retain
            mark = getattr(message.properties, "CorrelationData", None)
            return str(message.topic), json.loads(message.payload), mark
    raise AssertionError("no answer")


def body(order: dict[str, Any]) -> bytes:
    return json.dumps(order).encode()


async def test_an_order_is_carried_out_and_answered_below_answer(table: Table) -> None:
    async with table.client() as client:
        await client.subscribe(f"{PREFIX}/answer/#", qos=1)
        # What the doctor says to see whether orders arrive is none.
        await client.publish(f"{PREFIX}/cmd/check", body(CONFIRM), qos=1)
        await client.publish(f"{PREFIX}/cmd/answer", body(CONFIRM), qos=1)
        topic, answer, _ = await next_answer(client)
        assert (topic, answer["id"], answer["done"]) == (f"{PREFIX}/answer/u1", "u1", True)
        assert "deal 1 fine: +24 -72 +24 +24" in answer["changed"]
        await client.publish(f"{PREFIX}/cmd/answer", body(CONFIRM), qos=1)
        assert (await next_answer(client))[1] == answer
    assert sum("false_win" in text for text in table.eyes.events()) == 1


async def test_an_answer_goes_where_the_sender_wants_it_with_his_mark(table: Table) -> None:
    wish = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    wish.ResponseTopic = "waiter/7/answers"
    wish.CorrelationData = b"\x00mark"
    async with table.client() as client:
        await client.subscribe("waiter/7/answers", qos=1)
        await client.publish(f"{PREFIX}/cmd/answer", body(CONFIRM), qos=1, properties=wish)
        topic, answer, mark = await next_answer(client)
    assert (topic, answer["done"], mark) == ("waiter/7/answers", True, b"\x00mark")


@pytest.mark.parametrize(
    "wished",
    [f"{PREFIX}/state/settlement", "mj/v1/home/other/state/table", "homeassistant/device/x/config", "$SYS/x"],
)
async def test_no_answer_is_taken_for_what_a_table_says(table: Table, wished: str) -> None:
    wish = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    wish.ResponseTopic = wished
    async with table.client() as client:
        await client.subscribe("#", qos=1)
        await client.publish(f"{PREFIX}/cmd/answer", body(CONFIRM), qos=1, properties=wish)
        async with asyncio.timeout(20):
            async for message in client.messages:
                assert str(message.topic) != wished
                if str(message.topic) == f"{PREFIX}/answer/u1":
                    break


REFUSED = [
    ({"id": "u1", "author": "x", "doubt": 1, "action": "confirm"}, "an order needs an id and a time"),
    ({**CONFIRM, "expires": DAY - 1.0}, "the order has expired"),
    ({**CONFIRM, "expires": DAY + 61.0}, "expires is 61 s away"),
    ({**CONFIRM, "verb": "propose"}, "no order: sent as 'answer', but its verb is another"),
    ({**CONFIRM, "doubt": -1}, "no order: Expected `int` >= 1"),
    ({**CONFIRM, "doubt": 1e308}, "no order: "),
    ({**CONFIRM, "more": {"x": ["y"] * 500}}, "no order: Object contains unknown field `more`"),
]


@pytest.mark.parametrize(("order", "en"), REFUSED, ids=range(len(REFUSED)))
async def test_what_is_not_in_order_is_answered_and_changes_nothing(
    table: Table, order: dict[str, Any], en: str
) -> None:
    async with table.client() as client:
        await client.subscribe(f"{PREFIX}/answer/u1", qos=1)
        await client.publish(f"{PREFIX}/cmd/answer", body(order), qos=1)
        _, answer, _ = await next_answer(client)
    assert (answer["done"], answer["changed"]) == (False, [])
    assert answer["en"].startswith(en)
    assert table.eyes.doubts() == ["shown"]


async def test_rubbish_harms_nobody_and_the_next_order_is_carried_out(table: Table) -> None:
    rubbish = [b"", b"\xff" * 300, b"[" * 15_000, b"{" * 15_000, b"x" * 20_000, b"null", b'{"id": "\\ud800"}']
    wish = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    wish.ResponseTopic = "waiter/7"
    async with table.client() as client:
        await client.subscribe(f"{PREFIX}/answer/#", qos=1)
        for payload in rubbish:
            for verb in ("answer", "shutdown"):
                await client.publish(f"{PREFIX}/cmd/{verb}", payload, qos=1, properties=wish)
            await asyncio.sleep(0.05)
        # The broker ends the connection over which so much comes.
        with contextlib.suppress(aiomqtt.MqttError):
            async with table.client() as other:
                await other.publish(f"{PREFIX}/cmd/answer", b"x" * 2_000_000, qos=0)
        await client.publish(f"{PREFIX}/cmd/answer", body(CONFIRM), qos=1)
        _, answer, _ = await next_answer(client)
    assert answer["done"]


async def test_more_orders_than_can_be_taken_are_dropped_and_play_goes_on(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    async with table.client() as client:
        await client.subscribe(f"{PREFIX}/answer/u1", qos=1)
        flood = [client.publish(f"{PREFIX}/cmd/answer", b"{}", qos=0) for _ in range(2_000)]
        for one in flood:
            await one
        answer: dict[str, Any] = {}
        while not answer:
            await client.publish(f"{PREFIX}/cmd/answer", body(CONFIRM), qos=1)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1):
                    _, answer, _ = await next_answer(client)
    assert answer["done"]


async def test_an_order_that_was_retained_is_passed_over(broker: Broker) -> None:
    table = Table(broker)
    async with table.client() as client:
        await client.publish(f"{PREFIX}/cmd/answer", body(CONFIRM), qos=1, retain=True)
        await client.subscribe(f"{PREFIX}/answer/#", qos=1)
        async with table.serving():
            late = {**CONFIRM, "id": "u2", "doubt": 5}
            await client.publish(f"{PREFIX}/cmd/answer", body(late), qos=1)
            _, answer, _ = await next_answer(client)
    assert (answer["id"], answer["done"]) == ("u2", False)
    assert table.eyes.doubts() == ["shown"]


async def test_a_display_can_not_order_over_the_brokers_websocket(table: Table) -> None:
    host, _, port = table.broker.websocket.removeprefix("ws://").partition(":")
    display = aiomqtt.Client(host, int(port), transport="websockets", protocol=aiomqtt.ProtocolVersion.V5)
    async with display as page, table.client() as client:
        await client.subscribe(f"{PREFIX}/answer/#", qos=1)
        await page.publish(f"{PREFIX}/cmd/answer", body(CONFIRM), qos=1)
        await client.publish(f"{PREFIX}/cmd/answer", body({**CONFIRM, "id": "u2", "doubt": 5}), qos=1)
        _, answer, _ = await next_answer(client)
    assert answer["id"] == "u2"
    assert table.eyes.doubts() == ["shown"]


async def test_what_is_longer_than_any_order_does_not_even_reach_the_table(table: Table) -> None:
    wish = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    wish.ResponseTopic = "waiter/7"
    async with table.client() as client:
        await client.subscribe("waiter/7", qos=1)
        for sent in (b"x" * (LONGEST_HEARD + 1), body(CONFIRM)):
            await client.publish(f"{PREFIX}/cmd/answer", sent, qos=1, properties=wish)
        _, answer, _ = await next_answer(client)
    assert answer["done"]
