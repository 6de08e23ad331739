"""Hands at the table of the board that is examined."""

from typing import Protocol

from firmware_bridge.states import Key


class Hands(Protocol):
    """Somebody, or something, who can do at the table what no command can."""

    async def press(self, key: Key, seat: int) -> None:
        """Press and let go of a key."""

    async def load(self, tiles: int) -> bool:
        """Push so many tiles into the open hatch; False where they can't."""

    async def pace(self, speed: int) -> None:
        """Let the machine be ``speed`` times as fast as a real one, where that can be chosen."""
