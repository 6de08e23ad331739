"""A small drawn table (480 x 270) for tests of the eyes' memory: what lies there, what hides it, its light.

The looks are the picture's; the readings are the truth, spoilt as a test wants.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from hypothesis import strategies as st

from controller.models import load
from rules.tiles import Tile
from vision.observations import Appeared, Observation, Settled, Vanished
from vision.rectify import Rectification
from vision.steady import Plan, Steady
from vision.steady_cells import lay_cells
from vision.steady_evidence import Agreement
from vision.steady_gate import looks_of
from vision.steady_tracks import Sighting

GEOMETRY = load("longzhuo840")
SIZE = (480, 270)
CLOTH, SKIN, SLEEVE = (62, 88, 30), (140, 172, 214), (60, 56, 54)
STEP_S = 0.1
AGREEMENT = Agreement(reads=2, spacing_s=0.1, confidence=0.9, patience_s=1.0)
PLACES = {
    "pond 0": (0.0, 184.0),
    "pond 0 beside": (31.5, 184.0),
    "pond 0 left": (-31.5, 184.0),
    "pond 1": (184.0, -100.0),
    "indicator": (86.0, -86.0),
    "meld 2": (-340.0, -333.0),
    "meld 2 beside": (-308.0, -333.0),
    "open hand 3": (-382.0, 10.0),
    "loose": (-60.0, 60.0),
}
FACES = (Tile.M1, Tile.P5, Tile.S9, Tile.WHITE, Tile.BACK)


def straight_camera() -> Rectification:
    focal = 270 * 1200 / 870
    matrix = np.asarray([[focal, 0, (SIZE[0] - 1) / 2], [0, focal, (SIZE[1] - 1) / 2], [0, 0, 1]])
    return Rectification(matrix, np.eye(3), np.asarray([0.0, 0.0, 1200.0]), 0.0, ())


CAMERA = straight_camera()
NOISE = np.random.default_rng(1).integers(0, 6, (7, SIZE[1], SIZE[0], 3), np.uint8)
SCALE = CAMERA.px_per_mm(height=40.0)
SHADE = 0.55
CELLS = lay_cells(CAMERA, GEOMETRY, size=SIZE)


@dataclass
class Table:
    """What lies there; an arm covers one place while it rests.

    `things` are (x, y, radius) in mm with a colour; `light` multiplies everything, `shadow` what is left of
    x mm; `nudged` moves tiles by so many mm.
    """

    tiles: dict[str, Tile] = field(default_factory=dict)
    arm_over: str | None = None
    taken: int = 0
    things: list[tuple[tuple[float, float, float], tuple[int, int, int]]] = field(default_factory=list)
    light: float = 1.0
    shadow: float = -1000.0
    nudged: dict[str, tuple[float, float]] = field(default_factory=dict)

    def place(self, name: str) -> tuple[float, float]:
        """Where a tile lies, mm."""
        across, down = self.nudged.get(name, (0.0, 0.0))
        return PLACES[name][0] + across, PLACES[name][1] + down

    def picture(self) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        image = np.full((SIZE[1], SIZE[0], 3), CLOTH, np.uint8)
        for place, tile in self.tiles.items():
            self._block(image, self.place(place), (15.5, 20.7), (205, 210, 205))
            ink = 3.0 + 0.4 * tile
            self._block(image, self.place(place), (ink / 2, ink), (60, 40, 30) if tile % 2 else (30, 30, 160))
        if self.arm_over is not None:
            x, y = PLACES[self.arm_over]
            self._block(image, (x, y + 120), (35, 95), SLEEVE)
            self._block(image, (x, y), (40, 40), SKIN)
        for (x, y, radius), colour in self.things:
            middle = np.round(CAMERA.to_px([(x, y)], height=40.0)[0]).astype(int)
            cv2.circle(
                image, (int(middle[0]), int(middle[1])), round(radius * SCALE), colour, -1, cv2.LINE_AA
            )
        edge = int(CAMERA.to_px([(self.shadow, 0.0)], height=0.0)[0, 0])
        shade = np.ones(image.shape[1], np.float32) * self.light
        shade[: max(0, edge)] *= SHADE
        image = np.clip(image * shade[None, :, None], 0, 249).astype(np.uint8)
        self.taken += 1
        return np.asarray(cv2.add(image, NOISE[self.taken % len(NOISE)]), np.uint8)

    @staticmethod
    def _block(
        image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
        middle: tuple[float, float],
        half: tuple[float, float],
        colour: tuple[int, int, int],
    ) -> None:
        corners = [
            (middle[0] + a * half[0], middle[1] + b * half[1])
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        pixels = np.round(CAMERA.to_px(corners, height=22.0) * 16).astype(np.int32)
        cv2.fillConvexPoly(image, pixels, colour, cv2.LINE_AA, 4)

    def visible(self) -> dict[str, Tile]:
        """The tiles no arm covers."""
        free = {
            place: tile
            for place, tile in self.tiles.items()
            if all(
                np.hypot(x - PLACES[place][0], y - PLACES[place][1]) > r + 15 for (x, y, r), _ in self.things
            )
        }
        if self.arm_over is None:
            return free
        x, y = PLACES[self.arm_over]
        return {
            place: tile
            for place, tile in free.items()
            if abs(PLACES[place][0] - x) > 60 or not -65 < PLACES[place][1] - y < 240
        }


def sighting(
    place: str, tile: Tile, *, sure: float = 0.99, at: tuple[float, float] | None = None
) -> Sighting:
    chances = np.full(44, (1 - sure) / 43)
    chances[tile] = sure
    return Sighting(*(at or PLACES[place]), 0.0, np.log(chances))


@dataclass
class Watch:
    """Shows pictures to a `Steady` and keeps what it says."""

    table: Table = field(default_factory=Table)
    steady: Steady = field(default_factory=lambda: Steady(GEOMETRY, CELLS, settle_s=0.2, agreement=AGREEMENT))
    at: float = 100.0
    told: list[Observation] = field(default_factory=list)
    known: dict[int, Appeared] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    parts: int = 0
    step_s: float = STEP_S

    def picture(
        self, *, blind: tuple[str, ...] = (), taken_for: dict[str, Tile] | None = None, sure: float = 0.99
    ) -> None:
        """One more picture; `blind` places are not found, `taken_for` gives faces the namer mistakes."""
        plan = self.steady.look(self.at, looks_of(self.table.picture()))
        self.parts += len(plan.parts)
        faces = {**self.table.visible(), **(taken_for or {})}
        seen = [
            sighting(place, faces[place], sure=sure, at=self.table.place(place))
            for place in self.table.visible()
            if place not in blind and in_a_part(plan, place)
        ]
        for observation in self.steady.take(plan, seen):
            self.keep(observation)
        self.at += self.step_s

    def seconds(self, seconds: float) -> None:
        """So many seconds pass."""
        self.pictures(round(seconds / self.step_s))

    def pictures(self, count: int) -> None:
        for _ in range(count):
            self.picture()

    def dark(self, seconds: float) -> None:
        """The camera gives no picture for so long."""
        self.at += seconds
        self.steady.begin_again()

    def keep(self, observation: Observation) -> None:
        """The law of ids: each appears once and vanishes at most once; times never fall."""
        if self.told:
            assert observation.at >= self.told[-1].at
        self.told.append(observation)
        if isinstance(observation, Appeared):
            assert observation.id not in self.known
            assert observation.id not in self.gone
            self.known[observation.id] = observation
        elif isinstance(observation, Vanished):
            self.gone.add(observation.id)
            del self.known[observation.id]

    def lying(self) -> dict[str, str]:
        """What is known to lie where, by place."""
        by_place = {nearest(appeared.x, appeared.y): appeared.tile for appeared in self.known.values()}
        assert len(by_place) == len(self.known)
        return by_place

    @property
    def settled(self) -> int:
        return sum(isinstance(observation, Settled) for observation in self.told)


def in_a_part(plan: Plan, place: str) -> bool:
    x, y = CAMERA.to_px([PLACES[place]], height=22.0)[0]
    return any(p.left + 9 <= x < p.right - 9 and p.top + 9 <= y < p.bottom - 9 for p in plan.parts)


def nearest(x: float, y: float) -> str:
    return min(PLACES, key=lambda place: np.hypot(PLACES[place][0] - x, PLACES[place][1] - y))


def texts(tiles: dict[str, Tile]) -> dict[str, str]:
    """What of the tiles is told: backs only in ponds and melds."""
    return {
        place: str(tile)
        for place, tile in tiles.items()
        if tile is not Tile.BACK or place.startswith(("pond", "meld"))
    }


def at_rest(tiles: dict[str, Tile] | None = None) -> Watch:
    """A table that has been looked at until nothing was new."""
    watch = Watch(Table(dict(tiles or {})))
    watch.pictures(12)
    return watch


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from(sorted(PLACES)), st.sampled_from(FACES)),
        st.tuples(st.just("take"), st.sampled_from(sorted(PLACES)), st.none()),
        st.tuples(st.just("cover"), st.sampled_from(sorted(PLACES)), st.none()),
        st.tuples(st.just("uncover"), st.none(), st.none()),
    ),
    max_size=8,
)


def do(table: Table, action: tuple[str, str | None, Tile | None]) -> None:
    """One of the `ACTIONS` at a table."""
    match action:
        case "put", str(place), Tile() as tile:
            table.tiles.setdefault(place, tile)
        case "take", str(place), _:
            table.tiles.pop(place, None)
        case "cover", str(place), _:
            table.arm_over = place
        case _:
            table.arm_over = None
