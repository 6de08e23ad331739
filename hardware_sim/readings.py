"""Perfect readings of the simulated table: what a camera that never errs would say, as JSON lines over TCP.

Every client first hears of everything that lies on the table now, then of every change. `Settled` follows
whenever no arm reaches over the table.
"""

import asyncio
import time
from typing import Final

from hardware_sim.readings_lying import Lying, shown
from hardware_sim.scene import Dice, Scene, SceneTile
from hardware_sim.world_table import WorldTable
from vision.observations import Appeared, DiceSeen, Observation, Settled, Vanished, encode_line

MOST_UNREAD: Final = 1 << 24
"""Bytes that wait for a client who does not read before it is cut off."""


class Readings:
    """Serves the readings of `table` on a loopback port. Use `start` and `stop`."""

    def __init__(self, table: WorldTable) -> None:
        """Look at the table from now on; nobody can connect yet."""
        self._lying = Lying()
        self._told: dict[int, Appeared] = {}
        self._number = 0
        self._still = True
        self._dice: Dice | None = None
        self._clients: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._look(table.scene)
        table.watch(self._look)

    async def start(self, port: int = 0) -> int:
        """Listen on this port of the loopback address, or on a free one; return it.

        Raises:
            OSError: the port is occupied.
        """
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        bound: tuple[str, int] = self._server.sockets[0].getsockname()
        return bound[1]

    async def stop(self) -> None:
        """Close the port and every connection."""
        if self._server is not None:
            self._server.close()
        for client in tuple(self._clients):
            client.transport.abort()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        now = time.monotonic()
        for appeared in self._told.values():
            writer.write(encode_line(appeared))
        if self._dice is not None:
            writer.write(encode_line(_dice_seen(self._dice, now)))
        if self._still:
            writer.write(encode_line(Settled(at=now)))
        self._clients.add(writer)
        try:
            while await reader.read(1024):
                pass
        except OSError:
            pass
        finally:
            self._clients.discard(writer)
            writer.close()

    def _look(self, scene: Scene) -> None:
        self._send(self._changes(scene, time.monotonic()))

    def _changes(self, scene: Scene, now: float) -> list[Observation]:
        """What is different from the last scene, gone tiles first."""
        gone, new = self._lying.look(scene)
        told: list[Observation] = [Vanished(at=now, id=self._told.pop(body).id) for body in gone]
        for tile in new:
            self._number += 1
            self._told[tile.id] = _appeared(tile, self._number, now)
            told.append(self._told[tile.id])
        if scene.dice is not None and scene.dice != self._dice:
            told.append(_dice_seen(scene.dice, now))
        self._dice = scene.dice
        still = not scene.arms
        if still and (told or not self._still):
            told.append(Settled(at=now))
        self._still = still
        return told

    def _send(self, observations: list[Observation]) -> None:
        if not observations or not self._clients:
            return
        data = b"".join(encode_line(observation) for observation in observations)
        for client in tuple(self._clients):
            client.write(data)
            if client.transport.get_write_buffer_size() > MOST_UNREAD:
                client.transport.abort()


def _dice_seen(dice: Dice, now: float) -> DiceSeen:
    readable = bool(dice.values) and not dice.moving and not dice.leans
    return DiceSeen(at=now, values=tuple(sorted(dice.values)) if readable else None)


def _appeared(tile: SceneTile, number: int, now: float) -> Appeared:
    text = shown(tile)
    return Appeared(
        at=now,
        id=number,
        tile=text,
        confidence=1.0,
        candidates=((text, 1.0),),
        x=round(tile.x, 2),
        y=round(tile.y, 2),
        angle=round(tile.angle, 2) % 360.0,
    )
