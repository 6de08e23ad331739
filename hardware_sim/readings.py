"""Perfect readings of the simulated table: what a camera that never errs would say.

Every client first hears of everything that lies on the table now, then of every change. `Settled` follows
whenever no arm reaches over the table.
"""

import time

from hardware_sim.readings_lying import Lying, shown
from hardware_sim.readings_server import ReadingsServer, dice_seen
from hardware_sim.scene import Dice, Scene, SceneTile
from hardware_sim.world_table import WorldTable
from vision.observations import Appeared, Observation, Settled, Vanished


class Readings(ReadingsServer):
    """Serves the readings of `table` on a loopback port. Use `start` and `stop`."""

    def __init__(self, table: WorldTable) -> None:
        """Look at the table from now on; nobody can connect yet."""
        super().__init__()
        self._lying = Lying()
        self._numbers: dict[int, int] = {}
        self._number = 0
        self._still = True
        self._shown: Dice | None = None
        self._look(table.scene)
        table.watch(self._look)

    def _look(self, scene: Scene) -> None:
        self.tell(self._changes(scene, time.monotonic()))
        self.settled = self._still

    def _changes(self, scene: Scene, now: float) -> list[Observation]:
        """What is different from the last scene, gone tiles first."""
        gone, new = self._lying.look(scene)
        told: list[Observation] = [Vanished(at=now, id=self._numbers.pop(body)) for body in gone]
        for tile in new:
            self._number += 1
            self._numbers[tile.id] = self._number
            told.append(_appeared(tile, self._number, now))
        if scene.dice is not None and scene.dice != self._shown:
            told.append(dice_seen(scene.dice, now))
        self._shown = scene.dice
        still = not scene.arms
        if still and (told or not self._still):
            told.append(Settled(at=now))
        self._still = still
        return told


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
