"""Publishing one table's topics to an MQTT 5 broker, over one connection after the other.

State topics are retained and complete, so only the newest snapshot of each waits to be sent, however long the
broker is away; events wait in a bounded queue that drops its oldest; of the outbox a few messages are in
flight, the others wait in the journal. After every connection all snapshots go out again: discovery, state,
and the availability last. Nothing here blocks or fails whoever publishes.
"""

import asyncio
import collections
import contextlib
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol

from controller.journal_rows import OutboxRow
from controller.mqtt_connection import (
    HASTY_S,
    KEEPALIVE_S,
    BrokerAddress,
    BrokerLost,
    Connection,
    Heard,
    Will,
    connected,
    listen,
    parse_broker_url,
)

__all__ = ["BrokerAddress", "Heard", "Publisher", "listen", "parse_broker_url"]

log = logging.getLogger(__name__)

FLUSH_S: Final = 1.0
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 30.0
WAITING_EVENTS: Final = 1000
WAITING_HEARD: Final = 16
AVAILABILITY: Final = "state/availability"

Take = Callable[[Heard], Awaitable[None]]


class Ledger(Protocol):
    """The outbox as the publisher sees it."""

    def news(self) -> None:
        """There is another message in it."""

    async def next(self) -> OutboxRow | None:
        """The message that is to be sent now."""
        ...

    def sent(self, row: OutboxRow) -> None:
        """The broker has it."""

    def connected(self) -> None:
        """There is a new connection."""

    def pause_s(self) -> float | None:
        """Seconds until there may be another; None: not before something is recorded."""
        ...


@dataclass(frozen=True, slots=True)
class _Message:
    """`topic` is complete; `correlation` goes back to who asked."""

    topic: str
    payload: bytes
    correlation: bytes | None = None


@dataclass(frozen=True, slots=True)
class _Ear:
    """Who takes what is heard on topics, and what is lost where the broker lets nobody hear them."""

    topics: str
    take: Take
    loss: str


class Publisher:
    """Publishes one table's topics below `prefix` for as long as `run` runs.

    The client's name follows from the prefix, so that the broker knows the table again; another client under
    that name ends the connection. `published` counts messages the broker has acknowledged, `dropped` events
    that waited too long in vain.
    """

    def __init__(
        self, *, url: str, prefix: str, ledger: Ledger | None = None, keepalive_s: int = KEEPALIVE_S
    ) -> None:
        self._address = parse_broker_url(url)
        self._prefix = prefix
        self._name = "_".join(["mj", *prefix.split("/")[-2:]])
        self._keepalive_s = keepalive_s
        self._ledger = ledger
        self._ears: list[_Ear] = []
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

    def send_ledger(self, topic: str, payload: bytes) -> None:
        """Send a message that is in the outbox: from there until it has arrived, or once without a ledger."""
        if self._ledger is None:
            self.send(topic, payload)
        else:
            self._ledger.news()
            self._news.set()

    def hear(self, topics: str, take: Take, *, loss: str) -> None:
        """Give messages on `topics` (below the prefix) to `take`, one after the other; call before `run`.

        The broker keeps them until they are taken, and for some time while there is no connection. Those that
        come faster than they are taken although nobody may send so many are dropped. `loss` is what the log
        says where the broker does not let us hear them.
        """
        self._ears.append(_Ear(self._topic(topics), take, loss))

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
            except BrokerLost as lost:
                self._report(f"MQTT broker {self._address.host}:{self._address.port}: {lost}")
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
            await self._until_news(left)

    async def _until_news(self, seconds: float | None) -> None:
        """Sleep until there is something new, at most so long."""
        self._news.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), seconds)

    async def _one_connection(self) -> None:
        will = Will(self._topic(AVAILABILITY), b"offline")
        async with connected(
            self._address, name=self._name, will=will, keepalive_s=self._keepalive_s
        ) as connection:
            self.connected = True
            self._report(None)
            inboxes = {ear.topics: asyncio.Queue[Heard](WAITING_HEARD) for ear in self._ears}
            # Who hears comes first: he knows best why the connection is gone.
            tasks = [asyncio.create_task(_sort(connection, inboxes), name="hears over MQTT")]
            tasks.append(asyncio.create_task(self._talk(connection), name="publishes over MQTT"))
            tasks += [
                asyncio.create_task(_taken(connection, inboxes[ear.topics], ear.take), name=ear.topics)
                for ear in self._ears
            ]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in tasks:
                    if task.done():
                        task.result()
            except asyncio.CancelledError:
                tasks[1].cancel()
                await self._say_goodbye(connection, within_s=HASTY_S)
                raise
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _talk(self, connection: Connection) -> None:
        await self._ask(connection)
        await self._publish_everything(connection)
        while not self._stopping:
            self._news.clear()
            await self._drain(connection)
            if not self._news.is_set():
                await self._until_news(None if self._ledger is None else self._ledger.pause_s())
        await self._say_goodbye(connection, within_s=FLUSH_S)

    async def _ask(self, connection: Connection) -> None:
        """Ask for what we want to hear, before anybody is told that we are there."""
        if not self._ears:
            return
        granted = await connection.subscribe(*(ear.topics for ear in self._ears))
        for ear, is_granted in zip(self._ears, granted, strict=True):
            if not is_granted:
                log.warning("MQTT broker: %s", ear.loss)

    async def _publish_everything(self, connection: Connection) -> None:
        if self._ledger is not None:
            self._ledger.connected()
        self._unsent = dict.fromkeys(self._snapshots)
        await self._drain_snapshots(connection)
        await self._publish(connection, _Message(self._topic(AVAILABILITY), b"online"), retain=True)

    async def _say_goodbye(self, connection: Connection, *, within_s: float) -> None:
        """A clean disconnect does not fire the will, so say it."""
        with contextlib.suppress(TimeoutError, BrokerLost):
            async with asyncio.timeout(within_s):
                await self._drain(connection)
                await self._publish(connection, _Message(self._topic(AVAILABILITY), b"offline"), retain=True)

    async def _drain(self, connection: Connection) -> None:
        """Send waiting snapshots, then events, then what is due of the outbox; what fails stays waiting."""
        while True:
            await self._drain_snapshots(connection)
            if self._events:
                event = self._events[0]
                await self._publish(connection, event, retain=False)
                if self._events and self._events[0] is event:
                    self._events.popleft()
                continue
            row = None if self._ledger is None else await self._ledger.next()
            if row is None or self._ledger is None:
                if not self._unsent:
                    return
                continue
            message = _Message(self._topic(row.topic), row.payload.encode())
            await self._publish(connection, message, retain=False)
            # Also where the broker lets nobody hear it: then it is sent again, too, and no faster.
            self._ledger.sent(row)

    async def _drain_snapshots(self, connection: Connection) -> None:
        while self._unsent:
            topic = next(iter(self._unsent))
            payload = self._snapshots[topic]
            await self._publish(connection, _Message(self._topic(topic), payload), retain=True)
            if self._snapshots[topic] is payload:
                del self._unsent[topic]

    async def _publish(self, connection: Connection, message: _Message, *, retain: bool) -> bool:
        """Whether somebody may hear it."""
        heard = await connection.publish(
            message.topic, message.payload, retain=retain, correlation=message.correlation
        )
        self.published += 1
        return heard

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


async def _sort(connection: Connection, inboxes: dict[str, asyncio.Queue[Heard]]) -> None:
    """Put what comes before whom it concerns.

    Raises:
        BrokerLost: the connection is gone.
    """
    async for heard in connection.messages():
        inbox = next((inbox for topics, inbox in inboxes.items() if _fits(heard.topic, topics)), None)
        if inbox is None or inbox.full():
            log.warning("MQTT: what is sent to %s comes too fast, or unasked; it is dropped", heard.topic)
            connection.done_with(heard)
        else:
            inbox.put_nowait(heard)


async def _taken(connection: Connection, inbox: asyncio.Queue[Heard], take: Take) -> None:
    """What was not taken when the connection broke, the broker sends again."""
    while True:
        heard = await inbox.get()
        await take(heard)
        connection.done_with(heard)


def _fits(topic: str, topics: str) -> bool:
    """Whether a topic is one of those that were asked for; only the last level may be any."""
    if not topics.endswith("/+"):
        return topic == topics
    head, _, last = topic.rpartition("/")
    return head == topics[:-2] and bool(last)
