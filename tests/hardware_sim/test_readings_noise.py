"""A camera that errs: what it says at last is true, and it says so as often as was measured."""

import asyncio
from collections import Counter
from random import Random

import pytest

from hardware_sim.faults_camera import CameraFaults
from hardware_sim.faults_text import parse_one
from hardware_sim.readings_camera import CameraReadings
from hardware_sim.readings_lying import is_told, shown
from hardware_sim.readings_noise import NOISES, Noise, tellings
from hardware_sim.world_memory import play_deal
from hardware_sim.world_table import WorldTable
from rules import sets
from rules.tiles import Tile
from vision.observations import Appeared, CameraBack, CameraLost, Observation, Settled, Vanished

CARD = sets.load("cixi-card")
MEASURED = NOISES["measured"]
FACES = [str(Tile(kind)) for kind in range(34)]
DRAWS = 30_000
FAST = 400.0


def test_whatever_it_says_first_it_ends_with_the_truth() -> None:
    rng = Random(1)  # noqa: S311 - a simulation
    for _ in range(300):
        for face in (*FACES, "back"):
            told = tellings(face, MEASURED, rng)
            assert told[-1].tile == face
            assert all(telling.candidates for telling in told if telling.tile == "?")


def test_errors_come_as_often_as_they_were_measured() -> None:
    rng, firsts, listed = Random(2), Counter[str](), 0  # noqa: S311 - a simulation
    for _ in range(DRAWS):
        first = tellings("5p", MEASURED, rng)[0]
        firsts["?" if first.tile == "?" else "wrong" if first.tile != "5p" else "right"] += 1
        listed += first.tile == "?" and "5p" in dict(first.candidates)
    assert firsts["?"] / DRAWS == pytest.approx(MEASURED.unsure, rel=0.25)
    assert firsts["wrong"] / DRAWS == pytest.approx(MEASURED.passing, rel=0.5)
    assert listed > 0.9 * firsts["?"]


class Listener(CameraReadings):
    """The readings, kept as a client would keep them."""

    def __init__(self, table: WorldTable, noise: Noise, faults: CameraFaults | None = None) -> None:
        self.lying: dict[int, Appeared] = {}
        self.heard: list[Observation] = []
        self.at_rest = asyncio.Event()
        super().__init__(table, noise, seed=3, speed=FAST, faults=faults or CameraFaults())

    def tell(self, observations: list[Observation] | tuple[Observation, ...]) -> None:  # type: ignore[override]
        super().tell(observations)
        for told in observations:
            self.heard.append(told)
            match told:
                case Appeared(id=number):
                    self.lying[number] = told
                case Vanished(id=number):
                    del self.lying[number]
                case Settled():
                    self.at_rest.set()

    async def rest(self) -> None:
        self.at_rest.clear()
        await self.told_at_rest()

    async def told_at_rest(self) -> None:
        async with asyncio.timeout(20):
            await self.at_rest.wait()


async def a_table() -> WorldTable:
    table, _ = await play_deal(5, CARD)
    return table


async def test_at_rest_it_has_told_every_tile_that_lies_there() -> None:
    table = await a_table()
    listener = Listener(table, NOISES["late"])
    await listener.rest()
    assert sorted(t.tile for t in listener.lying.values()) == sorted(
        shown(tile) for tile in table.scene.tiles if is_told(tile)
    )
    await listener.stop()


async def test_what_an_arm_hides_is_told_when_the_arm_is_gone() -> None:
    table = await a_table()
    listener = Listener(table, NOISES["late"])
    await listener.rest()
    hidden = next(tile for tile in table.scene.tiles if is_told(tile))
    told_before = len(listener.heard)
    table.reach(0, hidden.x, hidden.y)
    table.lay(table.bodies, seed=77)
    await asyncio.sleep(3.0 / FAST)
    new = next(tile for tile in table.scene.tiles if tile.id == hidden.id)
    assert (round(new.x, 1), round(new.y, 1)) not in {(t.x, t.y) for t in listener.lying.values()}
    assert not any(isinstance(told, Settled) for told in listener.heard[told_before:])
    table.withdraw(0)
    await listener.rest()
    assert (round(new.x, 1), round(new.y, 1)) in {(t.x, t.y) for t in listener.lying.values()}
    await listener.stop()


async def test_a_blind_camera_tells_nothing_and_people_wait_for_it() -> None:
    table, faults = await a_table(), CameraFaults()
    listener = Listener(table, NOISES["late"], faults)
    await listener.rest()
    faults.strike(parse_one("camera-black"))
    while not any(isinstance(told, CameraLost) for told in listener.heard):  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    told_before = len(listener.heard)
    table.lay(table.bodies, seed=78)
    waiting = asyncio.create_task(listener.seen())
    await asyncio.sleep(5.0 / FAST)
    assert listener.heard[told_before:] == []
    assert not waiting.done()
    listener.at_rest.clear()
    faults.clear()
    await waiting
    await listener.told_at_rest()
    assert any(isinstance(told, CameraBack) for told in listener.heard[told_before:])
    lying = sorted((t.x, t.y) for t in listener.lying.values())
    assert lying == sorted((round(t.x, 1), round(t.y, 1)) for t in table.scene.tiles if is_told(t))
    await listener.stop()
