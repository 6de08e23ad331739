"""What a table hears over MQTT: each topic's messages go to whom they concern, one after the other."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from controller.mqtt_connection import Connection, Heard
from controller.seldom import Seldom

log = logging.getLogger(__name__)

WAITING_HEARD: Final = 16
"""So many messages of a topic wait to be taken, as many as a broker sends before it hears of one."""

Take = Callable[[Heard], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Ear:
    """Who takes what is heard on topics, and what is lost where the broker lets nobody hear them."""

    topics: str
    take: Take
    loss: str


class Ears:
    """Who wants to hear what, over one connection after the other."""

    def __init__(self) -> None:
        self._ears: list[_Ear] = []
        self._seldom = Seldom()

    def add(self, topics: str, take: Take, loss: str) -> None:
        """Give messages on `topics` to `take`; `loss`: what is lost where nobody may hear them."""
        self._ears.append(_Ear(topics, take, loss))

    async def ask(self, connection: Connection) -> None:
        """Ask the broker for all of them."""
        if not self._ears:
            return
        granted = await connection.subscribe(*(ear.topics for ear in self._ears))
        for ear, is_granted in zip(self._ears, granted, strict=True):
            if not is_granted:
                log.warning("MQTT broker: %s", ear.loss)

    def listen(self, connection: Connection) -> list[asyncio.Task[None]]:
        """Begin to hear; the tasks end when the connection is gone, the first of them with `BrokerLost`."""
        inboxes = {ear.topics: asyncio.Queue[Heard](WAITING_HEARD) for ear in self._ears}
        tasks = [asyncio.create_task(self._sort(connection, inboxes), name="hears over MQTT")]
        return tasks + [
            asyncio.create_task(_taken(connection, inboxes[ear.topics], ear.take), name=ear.topics)
            for ear in self._ears
        ]

    async def _sort(self, connection: Connection, inboxes: dict[str, asyncio.Queue[Heard]]) -> None:
        """Put what comes before whom it concerns.

        Raises:
            BrokerLost: the connection is gone.
        """
        now = asyncio.get_running_loop().time
        async for heard in connection.messages():
            topics, inbox = next(
                ((topics, inbox) for topics, inbox in inboxes.items() if _fits(heard.topic, topics)),
                ("", None),
            )
            if inbox is not None and not inbox.full():
                inbox.put_nowait(heard)
                continue
            connection.done_with(heard)
            if self._seldom.lets(topics, now()):
                sent_to = topics or "topics that we did not ask for"
                log.warning("MQTT: what is sent to %s comes too fast, or unasked; it is dropped", sent_to)


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
