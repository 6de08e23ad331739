"""Perfect readings: whoever reads them, early or late, knows exactly what lies open on the table."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from hardware_sim.readings import Readings
from hardware_sim.readings_lying import is_told, shown
from hardware_sim.world_memory import play_deal
from hardware_sim.world_table import WorldTable
from rules import sets
from vision.observations import Appeared, Observation, Settled, Vanished, decode_line

CARD = sets.load("cixi-card")
Place = tuple[str, float, float]


class Client:
    """Reads and keeps what it was told."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self.lying: dict[int, Appeared] = {}
        self.ever: set[int] = set()
        self.settled = 0

    async def until_settled(self, times: int = 1) -> None:
        while self.settled < times:
            self.take(decode_line(await self._reader.readline()))

    async def rest(self) -> None:
        """Read whatever has been sent so far."""
        while True:
            try:
                async with asyncio.timeout(0.3):
                    line = await self._reader.readline()
            except TimeoutError:
                return
            self.take(decode_line(line))

    def take(self, told: Observation) -> None:
        match told:
            case Appeared():
                assert told.id not in self.ever
                self.lying[told.id] = told
                self.ever.add(told.id)
            case Vanished():
                del self.lying[told.id]
            case Settled():
                self.settled += 1

    def places(self) -> list[Place]:
        return sorted((tile.tile, tile.x, tile.y) for tile in self.lying.values())


def truly(table: WorldTable) -> list[Place]:
    return sorted(
        (shown(tile), round(tile.x, 2), round(tile.y, 2)) for tile in table.scene.tiles if is_told(tile)
    )


@asynccontextmanager
async def served(table: WorldTable) -> AsyncIterator[int]:
    readings = Readings(table)
    port = await readings.start()
    try:
        yield port
    finally:
        await readings.stop()


@asynccontextmanager
async def client(port: int) -> AsyncIterator[Client]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield Client(reader)
    finally:
        writer.close()
        await writer.wait_closed()


async def test_a_client_first_hears_of_everything_that_lies_there() -> None:
    table = WorldTable(5)
    async with served(table) as port, client(port) as early:
        await early.until_settled()
        assert early.places() == truly(table)
        assert len(early.lying) == 136
        assert "back" in {tile.tile for tile in early.lying.values()}


async def test_early_and_late_clients_know_the_same_after_a_deal() -> None:
    table, _ = await play_deal(4, CARD)
    bodies = table.bodies
    again = WorldTable(4)
    async with served(again) as port, client(port) as early:
        await early.until_settled()
        again.reach(2, 0.0, 0.0)
        again.lay(bodies)
        again.withdraw(2)
        async with client(port) as late:
            await early.until_settled(2)
            await late.until_settled()
            assert early.places() == late.places() == truly(table)
            assert len(early.lying) < 136


async def test_walls_and_standing_racks_are_not_told_but_a_hand_laid_open_is() -> None:
    table, played = await play_deal(4, CARD)
    bodies = table.bodies
    assert bodies.shown is not None
    told = {tile.id for tile in table.scene.tiles if is_told(tile)}
    assert not told & {body for _, body in bodies.wall}
    for seat in range(4):
        assert told.issuperset(bodies.racks[seat]) is (seat == bodies.shown)
    assert bodies.indicator in told
    assert played.state.indicator is not None


async def test_nothing_is_settled_while_an_arm_reaches_in() -> None:
    table = WorldTable(1)
    async with served(table) as port, client(port) as reader:
        await reader.until_settled()
        table.reach(1, 0.0, 0.0)
        table.lay(table.bodies, seed=2)
        await reader.rest()
        assert reader.settled == 1
        assert reader.places() == truly(table)
        table.withdraw(1)
        await reader.until_settled(2)


async def test_a_client_that_goes_does_not_disturb_the_others() -> None:
    table = WorldTable(1)
    async with served(table) as port, client(port) as stays:
        async with client(port) as goes:
            await goes.until_settled()
        await stays.until_settled()
        table.lay(table.bodies, seed=2)
        await stays.until_settled(2)
        assert stays.places() == truly(table)


async def test_an_occupied_port_is_an_error() -> None:
    table = WorldTable(1)
    async with served(table) as port:
        with pytest.raises(OSError, match="address already in use"):
            await Readings(table).start(port)
