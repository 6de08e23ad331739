"""Publishing to an MQTT 5 broker; the one module that knows aiomqtt.

State topics are retained and complete, so only the newest snapshot of each waits to be sent, however long the
broker is away; events wait in a bounded queue that drops its oldest. After every connection all snapshots go
out again, the availability last. Nothing here blocks or fails whoever publishes.

A connection that broke is never reused: every one has a client of its own, or messages of the last connection
may come out of the next.
"""

import asyncio
import collections
import contextlib
import logging
import random
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

log = logging.getLogger(__name__)

KEEPALIVE_S = 15
CONNECT_S = 5.0
TCP_CONNECT_S = 2.0
PUBLISH_S = 5.0
FLUSH_S = 1.0
HASTY_S = 0.3
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
WAITING_EVENTS = 1000
WAITING_ORDERS = 16
WAITING_MESSAGES = 10_000
LONGEST_PACKET = 1_048_576
"""Bytes; the broker keeps longer messages to itself."""
REFUSED = 0x80
"""Reason codes from here on are refusals."""
AVAILABILITY = "state/availability"


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Where a broker listens and how to sign in."""

    host: str
    port: int
    username: str | None
    password: str | None


def parse_broker_url(url: str) -> BrokerAddress:
    """Take `mqtt://[user[:password]@]host[:port]` apart; the port defaults to 1883."""
    parts = urlsplit(url)
    return BrokerAddress(
        host=parts.hostname or "127.0.0.1",
        port=parts.port or 1883,
        username=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
    )


@dataclass(frozen=True, slots=True)
class _Message:
    """`topic` is complete; `correlation` goes back to who asked."""

    topic: str
    payload: bytes
    correlation: bytes | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A message below `cmd/`: the last level of its topic, and where and under what mark an answer is wanted.

    `retained` means that it was published before we asked, perhaps long ago.
    """

    verb: str
    payload: bytes
    retained: bool
    response_topic: str | None
    correlation: bytes | None


Take = Callable[[Asked], Awaitable[None]]


class Publisher:
    """Publishes one table's topics below `prefix` for as long as `run` runs.

    `published` counts messages the broker has acknowledged, `dropped` events that waited too long in vain.
    """

    def __init__(self, *, url: str, prefix: str) -> None:
        self._take: Take | None = None
        self._address = parse_broker_url(url)
        self._prefix = prefix
        self._snapshots: dict[str, bytes] = {}
        self._unsent: dict[str, None] = {}
        self._events: collections.deque[_Message] = collections.deque(maxlen=WAITING_EVENTS)
        self._news = asyncio.Event()
        self._stopping = False
        self._on_air: str | None = ""
        self.connected = False
        self.published = 0
        self.dropped = 0

    def retain(self, topic: str, payload: bytes) -> None:
        """Replace the retained snapshot of a topic (below the prefix, such as `state/table`)."""
        self._snapshots[topic] = payload
        self._unsent[topic] = None
        self._news.set()

    def send(self, topic: str, payload: bytes) -> None:
        """Queue a message that is not retained; the oldest is dropped when too many wait."""
        self._queue(_Message(self._topic(topic), payload))

    def answer(self, topic: str, payload: bytes, correlation: bytes | None) -> None:
        """Queue an answer to whoever has asked for it on `topic`, which is complete."""
        self._queue(_Message(topic, payload, correlation))

    def _queue(self, message: _Message) -> None:
        if len(self._events) == WAITING_EVENTS:
            self.dropped += 1
        self._events.append(message)
        self._news.set()

    def take_orders(self, take: Take) -> None:
        """Give messages below `cmd/` to `take`, one after the other; call before `run`.

        Those that come faster than it takes them are dropped, as they are while there is no connection.
        """
        self._take = take

    def stop(self) -> None:
        """Let `run` send what waits, say offline, and return."""
        self._stopping = True
        self._news.set()

    async def run(self) -> None:
        """Keep a connection and publish over it until `stop`; never raises for the broker's sake."""
        pause_s = FIRST_PAUSE_S
        while not self._stopping:
            try:
                await self._one_connection()
            except (aiomqtt.MqttError, OSError, TimeoutError, ValueError) as error:
                self._report(f"MQTT broker {self._address.host}:{self._address.port}: {error}")
            else:
                continue
            finally:
                was_connected, self.connected = self.connected, False
            if was_connected:
                pause_s = FIRST_PAUSE_S
            # Full jitter: a thousand tables must not return to one broker in step.
            await self._pause(random.uniform(pause_s / 4, pause_s))  # noqa: S311
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    async def _pause(self, seconds: float) -> None:
        """Sleep, but wake up for a stop."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while not self._stopping and (left := until - loop.time()) > 0:
            self._news.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), left)

    async def _one_connection(self) -> None:
        will = aiomqtt.Will(self._topic(AVAILABILITY), b"offline", qos=1, retain=True)
        async with _connection(self._address, will=will) as client:
            self.connected = True
            self._report(None)
            work = asyncio.create_task(self._talk(client), name="publishes over MQTT")
            orders: asyncio.Queue[Asked] = asyncio.Queue(WAITING_ORDERS)
            listener = asyncio.create_task(self._hear(client, orders), name="notices a lost broker")
            taking = asyncio.create_task(self._pass_on(orders), name="takes orders over MQTT")
            try:
                await asyncio.wait({work, listener}, return_when=asyncio.FIRST_COMPLETED)
                if not work.done():
                    raise aiomqtt.MqttError("connection lost")
                work.result()
            except asyncio.CancelledError:
                work.cancel()
                await self._say_goodbye(client, within_s=HASTY_S)
                raise
            finally:
                for task in (work, listener, taking):
                    task.cancel()
                await asyncio.gather(work, listener, taking, return_exceptions=True)

    async def _hear(self, client: aiomqtt.Client, orders: asyncio.Queue[Asked]) -> None:
        """Queue what comes below `cmd/`; raise MqttError when the connection is gone."""
        if self._take is not None:
            (granted,) = await client.subscribe(f"{self._prefix}/cmd/+", qos=1, timeout=PUBLISH_S)
            if (granted if isinstance(granted, int) else granted.value) >= REFUSED:
                log.warning("MQTT broker: it lets nobody order anything below %s/cmd/", self._prefix)
        async for message in client.messages:
            if orders.full():
                log.warning("MQTT: orders come too fast, one is dropped")
                continue
            orders.put_nowait(_asked(message))

    async def _pass_on(self, orders: asyncio.Queue[Asked]) -> None:
        while self._take is not None:
            await self._take(await orders.get())

    async def _talk(self, client: aiomqtt.Client) -> None:
        await self._publish_everything(client)
        while not self._stopping:
            self._news.clear()
            await self._drain(client)
            await self._news.wait()
        await self._say_goodbye(client, within_s=FLUSH_S)

    async def _publish_everything(self, client: aiomqtt.Client) -> None:
        self._unsent = dict.fromkeys(self._snapshots)
        await self._drain(client)
        await self._publish(client, _Message(self._topic(AVAILABILITY), b"online"), retain=True)

    async def _say_goodbye(self, client: aiomqtt.Client, *, within_s: float) -> None:
        """A clean disconnect does not fire the will, so say it."""
        with contextlib.suppress(TimeoutError, aiomqtt.MqttError):
            async with asyncio.timeout(within_s):
                await self._drain(client)
                await self._publish(client, _Message(self._topic(AVAILABILITY), b"offline"), retain=True)

    async def _drain(self, client: aiomqtt.Client) -> None:
        """Send every waiting snapshot, then every waiting event; what fails stays waiting."""
        while self._unsent or self._events:
            if self._unsent:
                topic = next(iter(self._unsent))
                payload = self._snapshots[topic]
                await self._publish(client, _Message(self._topic(topic), payload), retain=True)
                if self._snapshots[topic] is payload:
                    del self._unsent[topic]
            else:
                event = self._events[0]
                await self._publish(client, event, retain=False)
                if self._events and self._events[0] is event:
                    self._events.popleft()

    async def _publish(self, client: aiomqtt.Client, message: _Message, *, retain: bool) -> None:
        properties = None
        if message.correlation is not None:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            properties.CorrelationData = message.correlation
        await client.publish(
            message.topic, message.payload, qos=1, retain=retain, properties=properties, timeout=PUBLISH_S
        )
        self.published += 1

    def _topic(self, topic: str) -> str:
        return f"{self._prefix}/{topic}"

    def _report(self, trouble: str | None) -> None:
        """Log a change between reachable and not, once."""
        if trouble == self._on_air:
            return
        if trouble is None:
            log.info("MQTT broker %s:%d: connected", self._address.host, self._address.port)
        else:
            log.warning("%s; trying again", trouble)
        self._on_air = trouble


def _asked(message: aiomqtt.Message) -> Asked:
    properties = message.properties
    return Asked(
        verb=str(message.topic).rpartition("/")[2],
        payload=message.payload if isinstance(message.payload, bytes) else b"",
        retained=bool(message.retain),
        response_topic=getattr(properties, "ResponseTopic", None),
        correlation=getattr(properties, "CorrelationData", None),
    )


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that was heard; `retained` means it had been published before we asked."""

    topic: str
    payload: bytes
    retained: bool


async def listen(url: str, *topics: str) -> AsyncIterator[Heard]:
    """Hear everything below topic filters until the caller leaves; connects again whenever it must."""
    address = parse_broker_url(url)
    while True:
        with contextlib.suppress(aiomqtt.MqttError, OSError, TimeoutError):
            async with _connection(address, will=None) as client:
                await client.subscribe([(topic, 1) for topic in topics])
                async for message in client.messages:
                    payload = message.payload if isinstance(message.payload, bytes) else b""
                    yield Heard(str(message.topic), payload, message.retain)
        await asyncio.sleep(FIRST_PAUSE_S)


@contextlib.asynccontextmanager
async def _connection(address: BrokerAddress, *, will: aiomqtt.Will | None) -> AsyncIterator[aiomqtt.Client]:
    """Connect for the time of the block, with a client of its own."""
    limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    limits.MaximumPacketSize = LONGEST_PACKET
    client = aiomqtt.Client(
        address.host,
        address.port,
        username=address.username,
        password=address.password,
        protocol=aiomqtt.ProtocolVersion.V5,
        will=will,
        keepalive=KEEPALIVE_S,
        timeout=CONNECT_S,
        properties=limits,
        max_queued_incoming_messages=WAITING_MESSAGES,
    )
    # aiomqtt connects in a thread and leaves the socket open when it is cancelled or the broker says nothing.
    # Both can only be helped in the client below it.
    below = client._client  # noqa: SLF001
    below.connect_timeout = TCP_CONNECT_S
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
    try:
        yield client
    finally:
        # A broker that has stopped answering must not hold up a stop; keepalive closes the socket later.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HASTY_S):
                await client.__aexit__(*sys.exc_info())
