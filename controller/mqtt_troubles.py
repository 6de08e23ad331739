"""What is wrong between a table and its broker although it can be reached; each is told once.

A broker acknowledges what it lets nobody hear, and takes a will that it will not publish: MQTT 5 tells the
one by the code of the acknowledgement, and the availability, on the will's own topic, the other.
"""

import logging
from collections.abc import Awaitable, Callable

from controller.broker_words import REFUSED_CODE, RIVAL_CODE
from controller.session_inputs import BrokerMended, BrokerState, BrokerTrouble

log = logging.getLogger(__name__)

Tell = Callable[[BrokerState], Awaitable[None]]


class Troubles:
    """The troubles that stand. `tell` passes them on to the table; without it they are in the log only."""

    def __init__(self) -> None:
        self.tell: Tell | None = None
        self._refused: dict[str, None] = {}
        self._rival = False

    async def answered(self, topic: str, *, heard: bool) -> None:
        """The broker has acknowledged a message of this table; `heard`: it lets others hear it."""
        if heard == (topic not in self._refused):
            return
        if heard:
            del self._refused[topic]
            if not self._refused:
                log.warning("MQTT broker: it takes again what this table says")
                await self._pass_on(BrokerMended(REFUSED_CODE))
            return
        first = not self._refused
        self._refused[topic] = None
        log.warning("MQTT broker: it lets nobody hear %s; look at its list of rights", topic)
        if first:
            await self._pass_on(BrokerTrouble(REFUSED_CODE, topic))

    async def rival(self, prefix: str) -> None:
        """Another client has taken over the connection of the table with these topics."""
        if not self._rival:
            self._rival = True
            log.error("MQTT broker: another client came as the table %s and speaks for it now", prefix)
            await self._pass_on(BrokerTrouble(RIVAL_CODE, prefix))

    async def alone(self) -> None:
        """There is a connection, and it is this table's."""
        if self._rival:
            self._rival = False
            log.warning("MQTT broker: this table speaks for itself again")
            await self._pass_on(BrokerMended(RIVAL_CODE))

    async def _pass_on(self, state: BrokerState) -> None:
        if self.tell is not None:
            await self.tell(state)
