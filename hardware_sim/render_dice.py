"""Dice under the dome in the table's middle, as a camera sees them: rounded bodies in the light of a lamp."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from hardware_sim.camera_lens import Lens
from hardware_sim.faces import rounded_outline
from hardware_sim.faces_sheet import Picture
from hardware_sim.scene import DOME_RADIUS, Dice

Points: TypeAlias = npt.NDArray[np.float64]
Colour: TypeAlias = tuple[int, int, int]
"""BGR."""

FINE: Final = 3
"""Dice are drawn so many times as fine as the canvas."""
EXPOSURES: Final = 6
"""Moments that a picture of moving dice is the mean of."""
PIPS: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
RED_FACES: Final = frozenset({1, 4})
RED: Final[Colour] = (42, 34, 186)
BLACK: Final[Colour] = (38, 33, 32)
DISHES: Final[tuple[Colour, ...]] = ((112, 78, 52), (52, 74, 34), (40, 36, 34), (52, 38, 96), (96, 96, 40))


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceLook:
    """How one table's dice and dome look.

    Attributes:
        dish: colour of the floor they lie on.
        body: colour of their bodies.
        pip, large, pitch: radius of a pip and of the large 1, and from pip to pip, as shares of the side.
        round: radius of the edges, the same.
        light: unit vector (x, y, up) toward the lamp; `ambient` 0..1 is the light from everywhere.
        shine: the lamp mirrored in the dome: x, y, half axes in mm, turn in degrees, brightness 0..255.
    """

    dish: Colour = DISHES[0]
    body: Colour = (232, 236, 238)
    pip: float = 0.1
    large: float = 0.16
    pitch: float = 0.265
    round: float = 0.14
    light: tuple[float, float, float] = (-0.35, -0.25, 0.90)
    ambient: float = 0.5
    shine: tuple[tuple[float, float, float, float, float, float], ...] = (
        (-17.0, -20.0, 5.0, 4.0, 30.0, 60.0),
    )


def look_of(seed: int) -> DiceLook:
    """The look of the table with this seed; 0 is the plain one."""
    if seed == 0:
        return DiceLook()
    chance = np.random.default_rng((seed, 7))
    turn, lean = chance.uniform(0, 2 * pi), chance.uniform(0.1, 0.6)
    light = np.array([lean * np.cos(turn), lean * np.sin(turn), 1.0])
    x, y, up = (float(value) for value in light / np.linalg.norm(light))
    shine = [
        (
            *chance.uniform(-32, 32, 2),
            *chance.uniform(2, 8, 2),
            chance.uniform(0, 180),
            chance.uniform(20, 75),
        )
        for _ in range(int(chance.integers(0, 3)))
    ]
    paper = chance.uniform(205, 245)
    return DiceLook(
        dish=DISHES[int(chance.integers(len(DISHES)))],
        body=(int(paper * chance.uniform(0.93, 1)), int(paper * 0.99), int(paper)),
        pip=float(chance.uniform(0.085, 0.112)),
        large=float(chance.uniform(0.13, 0.2)),
        pitch=float(chance.uniform(0.245, 0.275)),
        round=float(chance.uniform(0.08, 0.2)),
        light=(x, y, up),
        ambient=float(chance.uniform(0.4, 0.65)),
        shine=tuple(shine),
    )


def draw_dice(canvas: Picture, lens: Lens, origin: tuple[float, float], dice: Dice, lift: float) -> None:
    """Draw dice onto a canvas of twice the picture's resolution that starts at the picture's `origin`.

    `lift`: mm of the dish's floor above the cloth.
    """
    if not dice.values:
        return
    look = look_of(dice.look)
    if not dice.moving:
        _Table(canvas, lens, origin, look, lift).draw(dice, 0.0)
        return
    moments = []
    for share in np.linspace(-0.5, 0.5, EXPOSURES):
        moment = canvas.copy()
        _Table(moment, lens, origin, look, lift).draw(dice, float(share))
        moments.append(moment)
    canvas[:] = np.mean(moments, axis=0).astype(np.uint8)


def draw_shine(canvas: Picture, lens: Lens, origin: tuple[float, float], dice: Dice, lift: float) -> None:
    """Add the lamp that the dome mirrors."""
    for x, y, long, short, turn, strength in look_of(dice.look).shine:
        middle = 2 * (lens.pixels([(x, y, lift + 25.0)])[0] - origin) + 0.5
        scale = 2 * _px_per_mm(lens)
        light = np.zeros(canvas.shape[:2], np.uint8)
        axes = (max(1, round(long * scale)), max(1, round(short * scale)))
        cv2.ellipse(light, (round(middle[0]), round(middle[1])), axes, turn, 0, 360, int(strength), -1)
        soft = cv2.GaussianBlur(light, (0, 0), 0.8 * scale)
        canvas[:] = cv2.add(canvas, cv2.merge([soft] * 3))


def turned(die_turn: float, lean: tuple[float, float]) -> Points:
    """(3, 3) from a die's own axes to the table's: turned on its spot, then tipped by `lean` (way, tip)."""
    a, way, tip = np.radians((die_turn, *lean))
    spin = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1.0]])
    axis = np.array([np.cos(way), np.sin(way), 0.0])
    matrix = cv2.Rodrigues(axis * tip)[0]
    return np.asarray(matrix @ spin, np.float64)


def faces_of(top: int) -> Iterator[tuple[int, Points]]:
    """The six values of a die with `top` up, each with the axes (3, 3) of its face: right, down, outward."""
    side = next(value for value in (2, 3, 1) if value not in {top, 7 - top})
    other = next(value for value in range(1, 7) if value not in {top, 7 - top, side, 7 - side})
    x, y, up = np.eye(3)
    yield top, np.array([x, y, up])
    yield 7 - top, np.array([x, -y, -up])
    yield side, np.array([y, up, x])
    yield 7 - side, np.array([-y, up, -x])
    yield other, np.array([x, up, -y])
    yield 7 - other, np.array([-x, up, y])


def _px_per_mm(lens: Lens) -> float:
    a, b = lens.pixels([(-20.0, 0.0, 0.0), (20.0, 0.0, 0.0)])
    return float(np.hypot(*(b - a)) / 40.0)


@dataclass(frozen=True, eq=False)
class _Table:
    """One exposure: a canvas, and what decides how a die looks on it."""

    canvas: Picture
    lens: Lens
    origin: tuple[float, float]
    look: DiceLook
    lift: float

    def draw(self, dice: Dice, share: float) -> None:
        bodies = [
            _Body(
                value,
                np.array([place[0] + share * dice.moving, place[1] + share * dice.moving / 3]),
                turned(angle + share * dice.moving * 4, lean),
                dice.size,
            )
            for value, place, angle, lean in zip(
                dice.values, dice.places, dice.angles, dice.leans or ((0.0, 0.0),) * 2, strict=False
            )
        ]
        self._shade(bodies)
        for body in sorted(bodies, key=lambda one: one.middle[2]):
            self._die(body)

    def px(self, points: Points) -> Points:
        """Canvas pixels (N, 2) of points (N, 3) above the dish."""
        raised = points + np.array([0.0, 0.0, self.lift])
        return 2 * (self.lens.pixels(raised) - self.origin) + 0.5

    def _shade(self, bodies: list["_Body"]) -> None:
        """Shadows on the dish: a hard one away from the lamp, and a dark rim where a die stands."""
        dark = np.zeros(self.canvas.shape[:2], np.uint8)
        x, y, up = self.look.light
        for body in bodies:
            hull = body.hull()
            fallen = hull - hull[:, 2:] * np.array([x / up, y / up, 1.0])
            around = np.concatenate((fallen, hull * (1, 1, 0)))
            outline = cv2.convexHull(np.asarray(self.px(around) * 16, np.int32))
            cv2.fillConvexPoly(dark, outline, round(255 * (1 - self.look.ambient) * 0.8), cv2.LINE_AA, 4)
        scale = 2 * _px_per_mm(self.lens)
        soft = cv2.GaussianBlur(dark, (0, 0), 0.7 * scale)
        disc = np.zeros_like(soft)
        rim = rounded_outline(2 * DOME_RADIUS - 6, 2 * DOME_RADIUS - 6, DOME_RADIUS - 3, 9)
        edge = self.px(np.column_stack((rim, np.zeros(len(rim)))))
        cv2.fillConvexPoly(disc, np.asarray(edge, np.int32), 255)
        left_over = 255 - np.minimum(soft, disc)
        self.canvas[:] = cv2.multiply(self.canvas, cv2.merge([left_over] * 3), scale=1 / 255)

    def _die(self, body: "_Body") -> None:
        outline = self.px(body.hull())
        low = np.maximum(np.floor(outline.min(axis=0)).astype(int) - 1, 0)
        high = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + 2, self.canvas.shape[1::-1])
        if (high <= low).any():
            return
        size = (int(high[0] - low[0]) * FINE, int(high[1] - low[1]) * FINE)
        fine = np.zeros((size[1], size[0], 3), np.uint8)
        mask = np.zeros((size[1], size[0]), np.uint8)
        sketch = _Sketch(self, fine, low)
        rim = cv2.convexHull(np.asarray(sketch.at(body.hull()), np.float32))[:, 0]
        _fill(mask, np.asarray(rim, np.float64), 255)
        fine[:] = self._lit(np.array([0.0, 0.0, 0.35]))
        eye = np.array([*self.lens.place[:2], self.lens.place[2] - self.lift])
        for value, axes in faces_of(body.value):
            sketch.face(body, value, axes, eye)
        area = (slice(low[1], high[1]), slice(low[0], high[0]))
        shape = (size[0] // FINE, size[1] // FINE)
        share = cv2.resize(mask, shape, interpolation=cv2.INTER_AREA)[..., None] / 255.0
        colour = cv2.resize(fine, shape, interpolation=cv2.INTER_AREA)
        self.canvas[area] = (self.canvas[area] * (1 - share) + colour * share).astype(np.uint8)

    def _lit(self, normal: Points) -> tuple[float, float, float]:
        """Colour of the body where it faces that way."""
        shade = self.look.ambient + (1 - self.look.ambient) * max(0.0, float(normal @ self.look.light))
        blue, green, red = (float(channel * min(1.0, shade * 1.03)) for channel in self.look.body)
        return blue, green, red


@dataclass(frozen=True, eq=False)
class _Body:
    """A die: its upper value, where its middle is over the dish (x, y in mm), its turn, its side."""

    value: int
    place: Points
    turn: Points
    size: float

    @property
    def middle(self) -> Points:
        """(3,) mm; it rests on the dish with its lowest corner."""
        return np.array([*self.place, float(np.abs(self.turn[2]).sum()) * self.size / 2])

    def hull(self) -> Points:
        """Points (N, 3) whose hull is the rounded body as it is seen from above."""
        radius = 0.1 * self.size
        inner = self.size / 2 - radius
        corners = np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) * inner
        ring = np.array([(np.cos(t), np.sin(t), 0.0) for t in np.linspace(0, 2 * pi, 12, endpoint=False)])
        there = corners @ self.turn.T + self.middle
        points = (there[:, None] + radius * ring).reshape(-1, 3)
        return np.asarray(np.maximum(points, (-np.inf, -np.inf, 0.0)), np.float64)


@dataclass(frozen=True, eq=False)
class _Sketch:
    """Draws one die's faces onto a picture FINE times as fine as the canvas, from its corner `low` on."""

    table: _Table
    fine: Picture
    low: npt.NDArray[np.int_]

    def at(self, points: Points) -> Points:
        """Pixels (N, 2) of this picture."""
        return (self.table.px(points) - self.low) * FINE

    def face(self, body: _Body, value: int, axes: Points, eye: Points) -> None:
        """Draw one side, if the eye sees it: edges that round off in three steps, then its pips."""
        right, down, out = axes @ body.turn.T
        centre = body.middle + out * body.size / 2
        if out @ (eye - centre) <= 0:
            return
        look = self.table.look
        plain, edge = np.array(self.table._lit(out)), np.array(self.table._lit(np.array([0, 0, 0.35])))  # noqa: SLF001 - its own part
        for step, share in enumerate((0.45, 0.2, 0.0)):
            side = body.size * (1 - 0.8 * look.round * step / 2 - 0.02)
            square = rounded_outline(side, side, look.round * body.size)
            _fill(self.fine, self.at(_on(square, centre, right, down)), edge * share + plain * (1 - share))
        ink = np.array(RED if value in RED_FACES else BLACK, np.float64)
        lit = ink * (0.4 + 0.6 * plain.mean() / max(look.body))
        radius = (look.large if value == 1 else look.pip) * body.size
        for a, b in PIPS[value]:
            spot = np.array([a, b]) * look.pitch * body.size
            for part, colour in ((1.12, 0.55 * lit + 0.45 * plain * 0.8), (0.94, lit), (0.5, lit * 1.25 + 6)):
                ring = rounded_outline(2 * radius * part, 2 * radius * part, radius * part, 5) + spot
                _fill(self.fine, self.at(_on(ring, centre, right, down)), colour)


def _on(outline: Points, centre: Points, right: Points, down: Points) -> Points:
    """Points (N, 3) of an outline (N, 2) in the plane of a face."""
    return centre + outline[:, :1] * right + outline[:, 1:] * down


def _fill(picture: Picture, outline: Points, colour: npt.ArrayLike) -> None:
    ink = [float(value) for value in np.atleast_1d(np.asarray(colour))]
    cv2.fillConvexPoly(picture, np.round(outline * 16).astype(np.int32), ink, cv2.LINE_AA, 4)
