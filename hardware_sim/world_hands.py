"""How people move: the time it takes, arms that reach in, and tiles that are given time to be seen."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from hardware_sim.layout_bodies import Bodies
from hardware_sim.world_table import WorldTable, halfway

REACH_S: Final = (0.35, 0.55)
"""Seconds from the edge of the table to the tile, and back again."""

Seen = Callable[[], Awaitable[None]]
"""Waits until the camera's readers have had enough pictures of the table as it lies now."""


@dataclass(slots=True)
class Pace:
    """How fast people are: durations are divided by `speed`.

    `seen` is None where nobody waits for pictures. `people_s` sums up what people would have taken at speed
    1.
    """

    speed: float
    seen: Seen | None = None
    people_s: float = 0.0
    going: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        """People move."""
        self.going.set()

    def hold(self) -> None:
        """People hold still until `go`; the machine does not."""
        self.going.clear()

    def go(self) -> None:
        """People move again."""
        self.going.set()

    async def sleep(self, seconds: float) -> None:
        """Let that much of the people's time pass."""
        self.people_s += seconds
        await asyncio.sleep(seconds / self.speed)
        await self.going.wait()

    async def rest(self) -> None:
        """Wait until the table has been seen at rest often enough."""
        if self.seen is not None:
            await self.seen()


class Hands:
    """The arms of four people over one table."""

    def __init__(self, table: WorldTable, pace: Pace, rng: Random) -> None:
        """Move `table`'s tiles at `pace`; `rng` makes no two movements equal."""
        self._table = table
        self._pace = pace
        self._rng = rng

    async def move(self, seat: int, bodies: Bodies, *, at: tuple[tuple[float, float], ...]) -> None:
        """Reach to each of the places in turn; at the last one the bodies lie as given; draw back."""
        for number, (x, y) in enumerate(at):
            if number == 0:
                self._table.reach(seat, *halfway(seat, x, y))
                await self._pace.sleep(self._rng.uniform(*REACH_S))
            self._table.reach(seat, x, y)
            await self._pace.sleep(self._rng.uniform(*REACH_S) / 2)
        self._table.lay(bodies)
        await self._pace.sleep(self._rng.uniform(*REACH_S) / 2)
        if at:
            self._table.reach(seat, *halfway(seat, *at[-1]))
            await self._pace.sleep(self._rng.uniform(*REACH_S) / 2)
        self._table.withdraw(seat)

    async def think(self) -> None:
        """Take a moment."""
        await self._pace.sleep(self._rng.uniform(0.2, 1.2))
