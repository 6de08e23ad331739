"""Publishing one table's topics to an MQTT 5 broker, over one connection after the other.

State topics are retained and complete, so only the newest snapshot of each waits to be sent, however long the
broker is away; events wait in a bounded queue that drops its oldest; of the outbox a few messages are in
flight, the others wait in the journal. After every connection all snapshots go out again: discovery, state,
and the availability last. Nothing here blocks or fails whoever publishes.

Whom another client of the same name puts out, keeps away while that one says it is online.
"""

import asyncio
import collections
import contextlib
import logging
import random
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
    retained,
)
from controller.mqtt_ears import Ears, Take
from controller.mqtt_troubles import Troubles

__all__ = ["BrokerAddress", "Heard", "Pace", "Publisher", "listen", "parse_broker_url"]

log = logging.getLogger(__name__)

FLUSH_S: Final = 1.0
FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 30.0
WAITING_EVENTS: Final = 1000
ASIDE_S: Final = 10.0
LONGEST_ASIDE_S: Final = 300.0
LOOK_S: Final = 0.5
"""How long a retained message may take to come."""
SHORT_S: Final = 10.0
SHORTS: Final = 3
"""After so many connections in a row that ended so soon we look whether another client ends them."""
AVAILABILITY: Final = "state/availability"


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
class Pace:
    """How soon a lost broker shows, and how long we keep away from another client of our name, at first.

    Connections shorter than `short_s` may be that client's doing.
    """

    keepalive_s: int = KEEPALIVE_S
    aside_s: float = ASIDE_S
    short_s: float = SHORT_S


@dataclass(frozen=True, slots=True)
class _Message:
    """`topic` is complete; `correlation` goes back to who asked. `ours`: it is the table's own word."""

    topic: str
    payload: bytes
    correlation: bytes | None = None
    ours: bool = True


class Publisher:
    """Publishes one table's topics below `prefix` for as long as `run` runs.

    The client's name follows from the prefix, so that the broker knows the table again; another client under
    that name ends the connection. `published` counts messages the broker has acknowledged, `dropped` events
    that waited too long in vain.
    """

    def __init__(
        self, *, url: str | BrokerAddress, prefix: str, ledger: Ledger | None = None, pace: Pace | None = None
    ) -> None:
        self._address = parse_broker_url(url) if isinstance(url, str) else url
        self._prefix = prefix
        self._name = self._address.client_name(prefix)
        self._pace = pace or Pace()
        self._aside_s = self._pace.aside_s
        self._short = 0
        self._discovery: _Message | None = None
        self._ledger = ledger
        self._ears = Ears()
        self._snapshots: dict[str, bytes] = {}
        self._unsent: dict[str, None] = {}
        self._unannounced = True
        self._events: collections.deque[_Message] = collections.deque(maxlen=WAITING_EVENTS)
        self._news = asyncio.Event()
        self._stopping = False
        self._on_air: str | None = ""
        self.troubles = Troubles()
        self.connected = False
        self.published = 0
        self.dropped = 0

    def announce(self, topic: str, payload: bytes) -> None:
        """What goes out, retained, before all else over every connection; `topic` is complete."""
        self._discovery = _Message(topic, payload, ours=False)

    def publish_again(self) -> None:
        """Publish discovery and every snapshot once more, for somebody who has lost them."""
        self._unsent = {**dict.fromkeys(self._snapshots), **self._unsent}
        self._unannounced = True
        self._news.set()

    def retain(self, topic: str, payload: bytes) -> None:
        """Replace the retained snapshot of a topic (below the prefix, such as `state/table`)."""
        self._snapshots[topic] = payload
        self._unsent[topic] = None
        self._news.set()

    def send(self, topic: str, payload: bytes) -> None:
        """Queue a message that is not retained; the oldest is dropped when too many wait."""
        self._queue(_Message(self.topic(topic), payload))

    def answer(self, topic: str, payload: bytes, correlation: bytes | None) -> None:
        """Queue an answer to whoever has asked for it on `topic`, which is complete."""
        self._queue(_Message(topic, payload, correlation, ours=False))

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
        """Give messages on `topics` (complete) to `take`, one after the other; call before `run`.

        The broker keeps them until they are taken, and for some time while there is no connection. Those that
        come faster than they are taken although nobody may send so many are dropped. `loss` is what the log
        says where the broker does not let us hear them.
        """
        self._ears.add(topics, take, loss)

    def stop(self) -> None:
        """Let `run` send what waits, say offline, and return."""
        self._stopping = True
        self._news.set()

    async def run(self) -> None:
        """Keep a connection and publish over it until `stop`; never raises for the broker's sake."""
        loop = asyncio.get_running_loop()
        pause_s = FIRST_PAUSE_S
        while not self._stopping:
            begun = loop.time()
            try:
                await self._one_connection()
            except BrokerLost as lost:
                self._report(f"MQTT broker {self._address.host}:{self._address.port}: {lost}")
                taken_over = lost.taken_over
            else:
                continue
            finally:
                was_connected, self.connected = self.connected, False
            if was_connected:
                self._short = self._short + 1 if loop.time() - begun < self._pace.short_s else 0
                pause_s = pause_s if self._short > SHORTS else FIRST_PAUSE_S
            # Full jitter: a thousand tables must not return to one broker in step.
            await self._pause(random.uniform(pause_s / 4, pause_s))  # noqa: S311
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
            # Not every broker says why it ends a connection.
            if taken_over or (self._short >= SHORTS and await self._is_told_online()):
                await self._stand_aside()

    async def _stand_aside(self) -> None:
        """Another client speaks for this table: wait until it is gone, so that the two do not fight.

        Where nothing tells whether it is, wait longer each time.
        """
        # Not our name at the broker: it is nobody else's business.
        await self.troubles.rival(self._prefix)
        while not self._stopping:
            await self._pause(random.uniform(self._aside_s / 2, self._aside_s))  # noqa: S311
            if self._stopping or not await self._is_told_online():
                break
        self._short = 0
        self._aside_s = min(2 * self._aside_s, LONGEST_ASIDE_S)

    async def _is_told_online(self) -> bool:
        """Whether this table is said to be online, which we do not say while we are not connected."""
        return await retained(self._address, self.topic(AVAILABILITY), within_s=LOOK_S) == b"online"

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
        will = Will(self.topic(AVAILABILITY), b"offline")
        async with connected(
            self._address, name=self._name, will=will, keepalive_s=self._pace.keepalive_s
        ) as connection:
            self.connected = True
            self._report(None)
            work = asyncio.create_task(self._talk(connection), name="publishes over MQTT")
            # Who hears comes first: he knows best why the connection is gone.
            tasks = [*self._ears.listen(connection), work]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in tasks:
                    if task.done():
                        task.result()
            except asyncio.CancelledError:
                work.cancel()
                await self._say_goodbye(connection, within_s=HASTY_S)
                raise
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _talk(self, connection: Connection) -> None:
        # Before anybody is told that we are there.
        await self._ears.ask(connection)
        await self._publish_everything(connection)
        while not self._stopping:
            self._news.clear()
            await self._drain(connection)
            if not self._news.is_set():
                await self._until_news(None if self._ledger is None else self._ledger.pause_s())
        await self._say_goodbye(connection, within_s=FLUSH_S)

    async def _publish_everything(self, connection: Connection) -> None:
        if self._ledger is not None:
            self._ledger.connected()
        self.publish_again()
        await self._drain_snapshots(connection)
        await self._publish(connection, _Message(self.topic(AVAILABILITY), b"online"), retain=True)
        await self.troubles.alone()

    async def _say_goodbye(self, connection: Connection, *, within_s: float) -> None:
        """A clean disconnect does not fire the will, so say it."""
        with contextlib.suppress(TimeoutError, BrokerLost):
            async with asyncio.timeout(within_s):
                await self._drain(connection)
                await self._publish(connection, _Message(self.topic(AVAILABILITY), b"offline"), retain=True)

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
            message = _Message(self.topic(row.topic), row.payload.encode())
            await self._publish(connection, message, retain=False)
            # Also where the broker lets nobody hear it: then it is sent again, too, and no faster.
            self._ledger.sent(row)

    async def _drain_snapshots(self, connection: Connection) -> None:
        if self._unannounced and self._discovery is not None:
            await self._publish(connection, self._discovery, retain=True)
        self._unannounced = False
        while self._unsent:
            topic = next(iter(self._unsent))
            payload = self._snapshots[topic]
            await self._publish(connection, _Message(self.topic(topic), payload), retain=True)
            if self._snapshots[topic] is payload:
                del self._unsent[topic]

    async def _publish(self, connection: Connection, message: _Message, *, retain: bool) -> None:
        heard = await connection.publish(
            message.topic, message.payload, retain=retain, correlation=message.correlation
        )
        self.published += 1
        if message.ours:
            await self.troubles.answered(message.topic, heard=heard)
        elif not heard:
            log.info("MQTT broker: it lets nobody hear %s", message.topic)

    def topic(self, topic: str) -> str:
        """The whole topic."""
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
