"""Readings of the simulated table by a camera that is late and errs (shell): the noise is `readings_noise`'s.

A tile is told when it has lain uncovered for a while; an arm over it, or a camera that sees nothing, puts
that off. Times are seconds at speed 1, divided by the table's speed.
"""

import asyncio
import math
import time
from collections import deque
from dataclasses import dataclass
from random import Random
from typing import Final

from hardware_sim.faults_camera import CameraFaults, Manner
from hardware_sim.readings_lying import Lying, shown
from hardware_sim.readings_noise import STRANGE_S, Noise, Span, Telling, tellings
from hardware_sim.readings_server import ReadingsServer, dice_seen
from hardware_sim.scene import Arm, Dice, Scene, SceneTile, seat_point
from hardware_sim.world_table import WorldTable
from vision.observations import (
    Appeared,
    CameraBack,
    CameraLost,
    CameraTrouble,
    Observation,
    Settled,
    Vanished,
)

ARM_MM: Final = 55.0
"""An arm hides what is so near to its middle line."""
ELBOW: Final = (190.0, 640.0)
AGAIN_S: Final = 0.15
"""A place that is hidden is looked at again so soon."""
NOTICED_S: Final = 1.0
"""Until a camera's trouble is noticed, and until its pictures count again."""

TROUBLES: Final = {
    "camera-freeze": CameraTrouble.FROZEN,
    "camera-black": CameraTrouble.BLACK,
    "camera-overexposed": CameraTrouble.OVEREXPOSED,
    "camera-move": CameraTrouble.MOVED,
    "camera-other": CameraTrouble.NO_TABLE,
    "camera-size": CameraTrouble.SIZE_CHANGED,
    "camera-half": CameraTrouble.WRONG_DEVICE,
}
"""What the reader says of the pictures; the other faults break the connection."""


@dataclass(slots=True)
class _Stay:
    """A tile at its place: what is still to be said of it, and under which number it is told."""

    tile: SceneTile
    to_tell: deque[Telling]
    since: float
    number: int | None = None
    gone: bool = False
    timer: asyncio.TimerHandle | None = None

    def pending(self, lying_s: float) -> bool:
        """Whether the table can't be at rest before something is told of a tile that lies there so long."""
        if self.gone or not self.to_tell:
            return self.gone
        telling = self.to_tell[0]
        return not telling.late and not (telling.strange and lying_s > STRANGE_S)


class CameraReadings(ReadingsServer):
    """Serves what a camera makes of `table`; `faults` blind it. Use `start` and `stop`."""

    def __init__(
        self, table: WorldTable, noise: Noise, *, seed: int, speed: float, faults: CameraFaults
    ) -> None:
        """Look at the table from now on; nobody can connect yet. Needs a running event loop."""
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._noise = noise
        self._rng = Random(f"{seed} camera")  # noqa: S311 - a simulation
        self._speed = speed
        self._faults = faults
        self._lying = Lying()
        self._stays: dict[int, _Stay] = {}
        self._numbers: dict[int, _Stay] = {}
        self._number = 0
        self._arms: tuple[Arm, ...] = ()
        self._dice: Dice | None = None
        self._moved_at = -math.inf
        self._check: asyncio.TimerHandle | None = None
        self._blind = False
        self._sees = asyncio.Event()
        self._sees.set()
        faults.watch(self._fault_changed)
        self._look(table.scene)
        table.watch(self._look)

    async def seen(self) -> None:
        """Wait while the camera sees nothing: the display says so, and people wait for it."""
        await self._sees.wait()

    async def stop(self) -> None:
        """Close the port and every connection; nothing more is told."""
        for stay in (*self._stays.values(), *self._numbers.values()):
            if stay.timer is not None:
                stay.timer.cancel()
        if self._check is not None:
            self._check.cancel()
        await super().stop()

    # ---- what happens on the table -------------------------------------------------------------------

    def _look(self, scene: Scene) -> None:
        gone, new = self._lying.look(scene)
        for body in gone:
            self._leaves(self._stays.pop(body))
        for tile in new:
            self._comes(tile)
        if scene.arms != self._arms:
            self._arms = scene.arms
            self._lose_one()
        if scene.dice is not None and scene.dice != self._dice:
            self._dice_change(scene.dice)
        self._dice = scene.dice
        self._stirs()

    def _comes(self, tile: SceneTile) -> None:
        strict = math.hypot(tile.x - 86.0, tile.y + 86.0) < 40.0
        stay = _Stay(
            tile, deque(tellings(shown(tile), self._noise, self._rng, strict=strict)), self._loop.time()
        )
        self._stays[tile.id] = stay
        self._later(stay, stay.to_tell[0].after)

    def _leaves(self, stay: _Stay) -> None:
        if stay.timer is not None:
            stay.timer.cancel()
        stay.to_tell.clear()
        if stay.number is not None:
            stay.gone = True
            self._later(stay, self._draw(self._noise.gone_s))

    def _lose_one(self) -> None:
        """Now and then a tile that an arm hides is lost, and found again."""
        if not self._arms or self._rng.random() >= self._noise.lost:
            return
        hidden = [
            stay
            for stay in self._stays.values()
            if stay.number is not None and not stay.to_tell and self._is_hidden(stay.tile)
        ]
        if hidden:
            lost = self._rng.choice(hidden)
            del self._stays[lost.tile.id]
            self._leaves(lost)
            self._comes(lost.tile)

    def _dice_change(self, dice: Dice) -> None:
        if dice.moving:
            self.tell([dice_seen(dice, time.monotonic())])
        else:
            self._loop.call_later(self._noise.dice_s / self._speed, self._read_dice, dice)

    def _read_dice(self, dice: Dice) -> None:
        if self._dice == dice and not self._blind:
            self._say(dice_seen(dice, time.monotonic()))

    # ---- what the camera makes of it -----------------------------------------------------------------

    def _later(self, stay: _Stay, seconds: float) -> None:
        stay.timer = self._loop.call_later(seconds / self._speed, self._read, stay)

    def _draw(self, span: Span) -> float:
        return self._rng.uniform(*span)

    def _read(self, stay: _Stay) -> None:
        """The time has come to tell of a tile, or that it has gone; if its place can be seen."""
        if self._blind or self._is_hidden(stay.tile):
            self._later(stay, AGAIN_S)
            return
        stay.timer = None
        now = time.monotonic()
        before: list[Observation] = [] if stay.number is None else [Vanished(at=now, id=stay.number)]
        if stay.number is not None:
            del self._numbers[stay.number]
        if stay.gone:
            self._say(*before)
            return
        telling = stay.to_tell.popleft()
        self._number += 1
        stay.number = self._number
        self._numbers[stay.number] = stay
        self._say(*before, self._appeared(stay.tile, telling, stay.number, now))
        if stay.to_tell:
            self._later(stay, stay.to_tell[0].after)

    def _appeared(self, tile: SceneTile, telling: Telling, number: int, now: float) -> Appeared:
        shake = self._noise.shake_mm
        return Appeared(
            at=now,
            id=number,
            tile=telling.tile,
            confidence=telling.candidates[0][1],
            candidates=telling.candidates,
            x=round(tile.x + self._rng.gauss(0.0, shake), 1),
            y=round(tile.y + self._rng.gauss(0.0, shake), 1),
            angle=round(tile.angle + self._rng.gauss(0.0, shake), 1) % 360.0,
        )

    def _say(self, *observations: Observation) -> None:
        self.tell(observations)
        self._stirs(moved=False)

    def _is_hidden(self, tile: SceneTile) -> bool:
        return any(_from_arm(arm, tile.x, tile.y) < ARM_MM for arm in self._arms)

    # ---- when the table is at rest -------------------------------------------------------------------

    def _stirs(self, *, moved: bool = True) -> None:
        """Something has changed: the table is at rest only when it has been still for a while."""
        self.settled = False
        if moved:
            self._moved_at = self._loop.time()
        if self._check is None and not self._arms:
            at = self._moved_at + self._noise.settle_s / self._speed
            self._check = self._loop.call_at(at, self._settle)

    def _settle(self) -> None:
        self._check = None
        still = self._loop.time() - self._moved_at >= 0.999 * self._noise.settle_s / self._speed
        if self.settled or self._arms or self._blind:
            return
        if not still:
            self._stirs(moved=False)
        elif not self._pending():
            self.tell([Settled(at=time.monotonic())])
        elif any(stay.to_tell and stay.to_tell[0].strange for stay in self._stays.values()):
            self._check = self._loop.call_later(AGAIN_S / self._speed, self._settle)

    def _pending(self) -> bool:
        now = self._loop.time()
        stays = (*self._stays.values(), *self._numbers.values())
        return any(stay.pending((now - stay.since) * self._speed) for stay in stays)

    # ---- a camera that sees nothing ------------------------------------------------------------------

    def _fault_changed(self, name: str) -> None:
        standing = self._faults.standing
        if not standing and name not in TROUBLES:
            self.hang_up()
        self._loop.call_later(NOTICED_S / self._speed, self._open_eyes if not standing else self._close_eyes)

    def _close_eyes(self) -> None:
        if self._blind or not self._faults.standing:
            return
        self._blind = True
        self._sees.clear()
        name = self._faults.standing[0].fault.name
        if name in TROUBLES and self._faults.manner is Manner.PICTURES:
            lost = CameraLost(at=time.monotonic(), reason=name, trouble=TROUBLES[name])
            self.tell([lost])
        else:
            self.refuses = True
            self.hang_up()

    def _open_eyes(self) -> None:
        if not self._blind or self._faults.standing:
            return
        self._blind = False
        if not self.refuses:
            self.tell([CameraBack(at=time.monotonic())])
        self.refuses = False
        self._sees.set()
        self._stirs()


def _from_arm(arm: Arm, x: float, y: float) -> float:
    """Millimetres from a place to the line from an arm's fingertips to its elbow."""
    home_x, home_y = seat_point(arm.seat, *ELBOW)
    along_x, along_y = home_x - arm.x, home_y - arm.y
    length = along_x * along_x + along_y * along_y
    share = ((x - arm.x) * along_x + (y - arm.y) * along_y) / length if length else 0.0
    share = min(1.0, max(0.0, share))
    return math.hypot(x - arm.x - share * along_x, y - arm.y - share * along_y)
