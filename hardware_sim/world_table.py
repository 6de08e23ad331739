"""The simulated table as a thing: bodies, dice, hatch and arms, and the scene they make for whoever looks."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hardware_sim.layout import scene_tiles
from hardware_sim.layout_bodies import Bodies, heaped
from hardware_sim.presets import Ponds
from hardware_sim.scene import Arm, Dice, Scene, SceneTile, seat_point

Look = Callable[[Scene], None]

SPIN_MM: Final = 22.0
"""How far spinning dice move while one picture is taken."""

EDGE_V: Final = 430.0
"""How far from the centre (mm) an arm's fingertips are when it is just about to reach in."""


class WorldTable:
    """What lies on the table now. Every change makes a new scene and tells those who watch."""

    def __init__(self, seed: int, *, ponds: Ponds = Ponds.TIDY) -> None:
        """A table with all tiles lying about; `seed` decides their disorder, `ponds` that of the discards."""
        self.bodies = heaped()
        self.seed = seed
        self.ponds = ponds
        self.scene = Scene(tiles=scene_tiles(self.bodies, seed=seed, ponds=ponds))
        self._looks: list[Look] = []
        self._displaced: dict[int, tuple[float, float, float]] = {}

    def watch(self, look: Look) -> None:
        """Call `look` with every new scene."""
        self._looks.append(look)

    def lay(self, bodies: Bodies, *, seed: int | None = None) -> None:
        """The bodies lie so now; `seed` begins another disorder."""
        if seed is not None:
            self.seed, self._displaced = seed, {}
        self.bodies = bodies
        tiles = scene_tiles(bodies, seed=self.seed, ponds=self.ponds)
        if self._displaced:
            tiles = tuple(self._as_it_lies(tile) for tile in tiles)
        self._show(replace(self.scene, tiles=tiles))

    def displace(self, body: int, x: float, y: float, turn: float) -> None:
        """From the next `lay` on a body lies so many mm and degrees from its place in a pond."""
        self._displaced[body] = (x, y, turn)

    def put_back(self, body: int) -> None:
        """From the next `lay` on a body lies at its place again."""
        self._displaced.pop(body, None)

    def _as_it_lies(self, tile: SceneTile) -> SceneTile:
        if tile.id not in self._displaced or not any(tile.id in pond for pond in self.bodies.ponds):
            return tile
        x, y, turn = self._displaced[tile.id]
        return replace(tile, x=tile.x + x, y=tile.y + y, angle=(tile.angle + turn) % 360.0)

    def reach(self, seat: int, x: float, y: float) -> None:
        """The arm of `seat` has its fingertips at (x, y)."""
        others = tuple(arm for arm in self.scene.arms if arm.seat != seat)
        self._show(replace(self.scene, arms=(*others, Arm(seat, x, y))))

    def withdraw(self, seat: int) -> None:
        """The arm of `seat` is gone."""
        self._show(replace(self.scene, arms=tuple(arm for arm in self.scene.arms if arm.seat != seat)))

    def hatch(self, raised: float) -> None:
        """The hatch is this far up: 0 closed .. 1 open."""
        self._show(replace(self.scene, hatch_open=raised))

    def dice(self, values: tuple[int, ...]) -> None:
        """One or two dice lie and show these values."""
        self._throw(values, moving=0.0)

    def dice_spin(self, count: int) -> None:
        """So many dice spin under the dome."""
        self._throw((3, 5)[:count], moving=SPIN_MM)

    def _throw(self, values: tuple[int, ...], *, moving: float) -> None:
        turn = 37.0 * values[0] + 11.0 * values[-1]
        angles = (turn % 90.0, (2.0 * turn) % 90.0)
        places = Dice(()).places
        count = len(values)
        thrown = Dice(values, places[:count], angles[:count], moving=moving)
        self._show(replace(self.scene, dice=thrown))

    def where(self, body: int) -> tuple[float, float] | None:
        """The place of a body that lies on the table."""
        tile = self._tile(body)
        return None if tile is None else (tile.x, tile.y)

    def _tile(self, body: int) -> SceneTile | None:
        return next((tile for tile in self.scene.tiles if tile.id == body), None)

    def _show(self, scene: Scene) -> None:
        self.scene = scene
        for look in self._looks:
            look(scene)


def halfway(seat: int, x: float, y: float) -> tuple[float, float]:
    """A point between the seat's edge of the table and (x, y)."""
    edge = seat_point(seat, 60.0, EDGE_V)
    return (edge[0] + x) / 2, (edge[1] + y) / 2
