"""Orders over MQTT: sent to `<prefix>/cmd/<verb>`, answered on the sender's topic or `<prefix>/answer/<id>`.

An order needs an id and a near end of its validity, because a message may come twice or late. One that was
retained has been lying there: it is passed over.
"""

import asyncio
import logging
from typing import Final

import msgspec

from controller.command_desk import Answered, CommandDesk
from controller.mqtt import Heard, Publisher
from controller.rights import Way
from controller.seldom import Seldom

log = logging.getLogger(__name__)

ORDERS: Final = "cmd/+"
LONGEST_TOPIC: Final = 200
CHECK: Final = "check"
"""No order: what `longzhuo doctor` says below ``cmd/`` to see whether it arrives."""


class MqttOrders:
    """Takes what comes below `cmd/` to the desk and publishes the answers; `way` says which broker it is."""

    def __init__(
        self, *, desk: CommandDesk, publisher: Publisher, prefix: str, way: Way = Way.BROKER_AWAY
    ) -> None:
        self._desk = desk
        self._way = way
        self._publisher = publisher
        self._prefix = prefix
        self._seldom = Seldom()

    def listen(self) -> None:
        """Take the orders that the publisher hears; call before it runs."""
        self._publisher.hear(
            f"{self._prefix}/{ORDERS}",
            self.take,
            loss=f"it lets nobody order anything below {self._prefix}/cmd/",
        )

    async def take(self, asked: Heard) -> None:
        """Carry out one order and answer it."""
        verb = asked.topic.rpartition("/")[2]
        if verb == CHECK:
            return
        if asked.retained:
            self._passed_over("a retained order is passed over", verb)
            return
        answered = await self._desk.take(asked.payload, way=self._way, verb=verb)
        topic = self._answer_topic(asked, answered)
        if topic is None:
            self._passed_over("an order nobody can be answered to", answered.en)
            return
        self._publisher.answer(topic, msgspec.json.encode(answered), asked.correlation)

    def _passed_over(self, kind: str, what: str) -> None:
        if self._seldom.lets(kind, asyncio.get_running_loop().time()):
            log.warning("MQTT: %s: %.200r; others like it are not told for an hour", kind, what)

    def _answer_topic(self, asked: Heard, answered: Answered) -> str | None:
        """Where the answer goes: never where it could be taken for something that a table says."""
        wished = asked.response_topic
        if wished and self._may_answer_on(wished):
            return wished
        return None if answered.id is None else f"{self._prefix}/answer/{answered.id}"

    def _may_answer_on(self, topic: str) -> bool:
        ours = topic.startswith(f"{self._prefix}/answer/")
        root = self._prefix.partition("/")[0]
        foreign = topic.partition("/")[0] not in {root, "homeassistant"} and not topic.startswith("$")
        plain = len(topic) <= LONGEST_TOPIC and topic.isprintable() and not {"#", "+"} & set(topic)
        return plain and (ours or foreign)
