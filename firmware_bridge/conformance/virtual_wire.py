"""A wire to a board inside this process, in virtual time: waiting takes none."""

import asyncio
from typing import Final

from firmware_bridge.driver import Engine

SLACK_S: Final = 0.02
TICK_S: Final = 0.001


class VirtualWire:
    """Turns ``engine``, which plays the board; nothing else moves its clock."""

    slack: Final = SLACK_S

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.now = 0.0

    async def send(self, data: bytes) -> None:
        """The board has the bytes at once."""
        self.engine.receive(data, self.now)

    async def receive(self, until: float) -> bytes:
        """Let time pass until the board says something, or it is ``until``."""
        await asyncio.sleep(0)  # others have their turn, if there are any
        while True:
            self.engine.on_timer(self.now)
            out = self.engine.data_to_send(self.now)
            if out or self.now >= until:
                return out
            due = self.engine.next_timer()
            ahead = until if due is None else min(until, max(due, self.now + TICK_S))
            self.now = max(ahead, self.now)
