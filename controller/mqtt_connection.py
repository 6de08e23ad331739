"""One connection to an MQTT 5 broker; the one module that knows aiomqtt.

A connection that broke is never reused: every one has a client of its own, or messages of the last connection
may come out of the next, and the next may seem to be made before the broker has answered.
"""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any, Final

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from controller.broker_address import BrokerAddress, parse_broker_url

__all__ = [
    "BrokerAddress",
    "BrokerLost",
    "Connection",
    "Heard",
    "Will",
    "connected",
    "listen",
    "parse_broker_url",
]

KEEPALIVE_S: Final = 15
CONNECT_S: Final = 5.0
TCP_CONNECT_S: Final = 2.0
PUBLISH_S: Final = 5.0
HASTY_S: Final = 0.3
AGAIN_S: Final = 0.5
WAITING_MESSAGES: Final = 10_000
UNACKNOWLEDGED: Final = 16
"""How many messages the broker may send before it hears that one of them is done with."""
SESSION_S: Final = 60
"""For so long the broker keeps what comes for a table that is away; orders are valid no longer."""
LONGEST_PACKET: Final = 1_048_576
"""Bytes; the broker keeps longer messages to itself."""
LONGEST_HEARD: Final = 65_536
"""The same for a table, which hears orders and acknowledgements: thousands may come at once."""
REFUSED: Final = 0x80
"""Reason codes from here on are refusals (MQTT 5, 2.4)."""
TAKEN_OVER: Final = 0x8E
"""Another client has connected under our name (MQTT 5, 2.4)."""


class BrokerLost(Exception):
    """There is no connection, or it is gone; one line says why.

    `taken_over`: the broker has ended it because another client came under the same name.
    """

    def __init__(self, line: str, *, taken_over: bool = False) -> None:
        """Keep the line."""
        super().__init__(line)
        self.taken_over = taken_over


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker says, retained, when it loses the client without a goodbye."""

    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that was heard; `receipt` is what `Connection.done_with` wants of it.

    `retained` means that it was published before we asked, perhaps long ago. An answer is wanted on
    `response_topic` under the mark `correlation`.
    """

    topic: str
    payload: bytes
    retained: bool
    response_topic: str | None = None
    correlation: bytes | None = None
    receipt: tuple[int, int] = (0, 0)


class Connection:
    """A connection that stands. Its methods raise `BrokerLost` when it does no more."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self._client = client
        self._publishing = asyncio.Lock()
        self._reason = 0
        # aiomqtt passes on that the broker has answered a publication, but not what.
        below = client._client  # noqa: SLF001
        told: Any = below.on_publish

        def on_publish(client: Any, data: Any, mid: int, reason: ReasonCode, properties: Any) -> None:
            self._reason = reason.value
            told(client, data, mid, reason, properties)

        below.on_publish = on_publish

    async def publish(
        self, topic: str, payload: bytes, *, retain: bool, correlation: bytes | None = None
    ) -> bool:
        """Publish with QoS 1 and wait for the broker's word; False: it lets nobody hear it."""
        properties = None
        if correlation is not None:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.CorrelationData = correlation
        async with self._publishing:
            self._reason = 0
            with _in_words():
                await self._client.publish(
                    topic, payload, qos=1, retain=retain, properties=properties, timeout=PUBLISH_S
                )
            return self._reason < REFUSED

    async def subscribe(self, *filters: str) -> tuple[bool, ...]:
        """Ask for messages with QoS 1; for each filter whether the broker grants it."""
        with _in_words():
            granted = await self._client.subscribe([(each, 1) for each in filters], timeout=PUBLISH_S)
        return tuple((code if isinstance(code, int) else code.value) < REFUSED for code in granted)

    async def messages(self) -> AsyncIterator[Heard]:
        """What comes, one after the other; each is the broker's until `done_with` was told."""
        with _in_words():
            async for message in self._client.messages:
                properties = message.properties
                yield Heard(
                    topic=str(message.topic),
                    payload=message.payload if isinstance(message.payload, bytes) else b"",
                    retained=bool(message.retain),
                    response_topic=getattr(properties, "ResponseTopic", None),
                    correlation=getattr(properties, "CorrelationData", None),
                    receipt=(message.mid, message.qos),
                )

    def done_with(self, came: Heard) -> None:
        """The broker need not keep this message any longer."""
        # aiomqtt knows no acknowledgement of its own; a connection that is gone takes none.
        self._client._client.ack(*came.receipt)  # noqa: SLF001


@contextlib.asynccontextmanager
async def connected(
    address: BrokerAddress,
    *,
    name: str | None = None,
    will: Will | None = None,
    keepalive_s: int = KEEPALIVE_S,
) -> AsyncIterator[Connection]:
    """Connect for the time of the block.

    With a `name` the broker keeps for `SESSION_S` what comes meanwhile for a client that is away, and what
    it was not told to be done with; without one nothing.

    Raises:
        BrokerLost: there is no connection.
    """
    with _in_words():
        client = _client(address, name, will, keepalive_s)
        await _connect(client)
    try:
        yield Connection(client)
    finally:
        # A broker that has stopped answering must not hold up a stop; keepalive closes the socket later.
        with contextlib.suppress(TimeoutError, aiomqtt.MqttError):
            async with asyncio.timeout(HASTY_S):
                await client.__aexit__(*sys.exc_info())
        # Why it ended was told to whoever waited for something; nobody need have.
        ended = client._disconnected  # noqa: SLF001
        if ended.done() and not ended.cancelled():
            ended.exception()


async def _connect(client: aiomqtt.Client) -> None:
    # aiomqtt connects in a thread and leaves the socket open when it is cancelled or the broker says nothing.
    # Both can only be helped in the client below it.
    below = client._client  # noqa: SLF001
    below.connect_timeout = TCP_CONNECT_S
    below.manual_ack_set(on=True)
    connecting = asyncio.create_task(client.__aenter__(), name="connects over MQTT")
    try:
        await asyncio.shield(connecting)
    except BaseException:
        while below.socket() is None and not connecting.done():  # noqa: ASYNC110 - the thread rings no bell
            await asyncio.sleep(0.01)
        below.disconnect()
        # The socket closes when its last packet is out; cancelled before that, aiomqtt leaves it open.
        await asyncio.sleep(0.02)
        connecting.cancel()
        await asyncio.gather(connecting, return_exceptions=True)
        raise


def _client(address: BrokerAddress, name: str | None, will: Will | None, keepalive_s: int) -> aiomqtt.Client:
    limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    limits.MaximumPacketSize = LONGEST_PACKET
    if name is not None:
        limits.MaximumPacketSize = LONGEST_HEARD
        limits.SessionExpiryInterval = SESSION_S
        limits.ReceiveMaximum = UNACKNOWLEDGED
    return aiomqtt.Client(
        address.host,
        address.port,
        username=address.username,
        password=address.password,
        tls_context=None if address.tls is None else address.tls.context(),
        identifier=name,
        protocol=aiomqtt.ProtocolVersion.V5,
        will=None if will is None else aiomqtt.Will(will.topic, will.payload, qos=1, retain=True),
        keepalive=keepalive_s,
        timeout=CONNECT_S,
        clean_start=name is None,
        properties=limits,
        max_queued_incoming_messages=WAITING_MESSAGES,
    )


@contextlib.contextmanager
def _in_words() -> Iterator[None]:
    """Turn what aiomqtt fails with into one line.

    Raises:
        BrokerLost: instead of it.
    """
    try:
        yield
    except (aiomqtt.MqttError, OSError, ValueError) as error:
        causes = [each for each in (error, error.__cause__) if isinstance(each, aiomqtt.MqttCodeError)]
        codes = [each.rc.value for each in causes if isinstance(each.rc, ReasonCode)]
        line = str(causes[-1]) if causes else str(error)
        raise BrokerLost(line, taken_over=TAKEN_OVER in codes) from error


async def listen(url: str, *topics: str) -> AsyncIterator[Heard]:
    """Hear everything below topic filters until the caller leaves; connects again whenever it must."""
    address = parse_broker_url(url)
    while True:
        with contextlib.suppress(BrokerLost):
            async with connected(address) as connection:
                await connection.subscribe(*topics)
                async for came in connection.messages():
                    connection.done_with(came)
                    yield came
        await asyncio.sleep(AGAIN_S)


async def retained(address: BrokerAddress, topic: str, *, within_s: float) -> bytes | None:
    """What is retained on a topic; None where nothing is, it may not be heard, or there is no broker."""
    with contextlib.suppress(BrokerLost, TimeoutError):
        async with connected(address) as connection, asyncio.timeout(within_s):
            await connection.subscribe(topic)
            async for heard in connection.messages():
                connection.done_with(heard)
                return heard.payload
    return None
