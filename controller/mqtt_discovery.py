"""Announces the table to Home Assistant, again whenever that has started; or takes it back."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from importlib import metadata
from typing import Final

from controller.discovery import STATUS_TOPIC, discovery_payload, discovery_topic
from controller.mqtt import Heard, Publisher

log = logging.getLogger(__name__)

LONGEST_WAIT_S: Final = 5.0
"""A house full of tables does not answer at once."""

Sleep = Callable[[float], Awaitable[None]]


class Announcer:
    """Keeps one table known to Home Assistant."""

    def __init__(self, publisher: Publisher, *, prefix: str, sleep: Sleep = asyncio.sleep) -> None:
        self._publisher = publisher
        self._prefix = prefix
        self._sleep = sleep

    def listen(self, *, wanted: bool) -> None:
        """Announce the table over every connection, or have it removed; call before the publisher runs."""
        payload = discovery_payload(self._prefix, version=metadata.version("longzhuo")) if wanted else b""
        self._publisher.announce(discovery_topic(self._prefix), payload)
        if wanted:
            self._publisher.hear(
                STATUS_TOPIC, self.take, loss=f"{STATUS_TOPIC} is not heard; Home Assistant may forget us"
            )

    async def take(self, heard: Heard) -> None:
        """Home Assistant says that it is there, or goes."""
        # One that was retained is from before this connection, over which all was published.
        if heard.payload == b"online" and not heard.retained:
            await self._sleep(random.uniform(0.0, LONGEST_WAIT_S))  # noqa: S311
            self._publisher.publish_again()
