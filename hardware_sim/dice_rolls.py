"""Random rolls of dice as one table's camera sees them: only the middle of the picture is drawn.

Everything follows from a seed: camera, lamps, dish, size and place of the dice. Some rolls are no rolls: a
die leans on the rim or on the other, or they still move; then there is nothing to be read.
"""

from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from math import cos, pi, sin
from typing import Final

import cv2
import numpy as np

from hardware_sim.camera_lens import SIZE, Lens, Points, lens_for
from hardware_sim.faces_sheet import Picture
from hardware_sim.render_dice import look_of
from hardware_sim.render_table import CLOTHS, Console
from hardware_sim.scene import DOME_RADIUS, Dice

JPEG_QUALITY: Final = 87
LENSES: Final = 8


class Trouble(Enum):
    """What keeps a roll from being read. GLARE only may: the dome mirrors a lamp over a die or beside it."""

    NONE = "none"
    GLARE = "glare"
    LEANS = "leans"
    ON_THE_OTHER = "on the other"
    MOVES = "moves"


@dataclass(frozen=True, slots=True)
class Light:
    """`gain` of blue, green, red; `noise` levels; `blur` sigma of the lens in px of a 1080 line picture."""

    gain: tuple[float, float, float] = (1.0, 1.0, 1.0)
    noise: float = 2.5
    blur: float = 0.7


LAMPS: Final = (Light(), Light((0.86, 0.98, 1.06)), Light((1.06, 1.0, 0.9)))
"""Daylight, a warm lamp, a cold one."""
DIM: Final = Light((0.36, 0.42, 0.46), 4.5)
DEFOCUS: Final = Light(blur=1.3)


@dataclass(frozen=True, slots=True, eq=False)
class Roll:
    """A roll: the dice, what keeps them from being read, and the picture of the table's middle.

    `picture` (h, w, 3) starts at the pixel `origin` (x, y) of the camera's whole picture.
    """

    dice: Dice
    trouble: Trouble
    picture: Picture
    origin: tuple[int, int]
    lens: Lens

    @property
    def values(self) -> tuple[int, ...] | None:
        """What is to be read, smallest first; None where nothing is."""
        lies = self.trouble in {Trouble.NONE, Trouble.GLARE}
        return tuple(sorted(self.dice.values)) if lies else None


def roll_for(  # noqa: PLR0913 - a roll's circumstances
    seed: int,
    *,
    count: int = 2,
    trouble: Trouble = Trouble.NONE,
    light: Light | None = None,
    size: tuple[int, int] = SIZE,
    sides: tuple[float, float] = (8.0, 16.0),
) -> Roll:
    """The roll that `seed` decides; `sides` are the least and largest side of the dice in mm."""
    chance = np.random.default_rng((seed, 11))
    lens = _lens(int(chance.integers(LENSES)), size)
    side, look = float(chance.uniform(*sides)), int(chance.integers(1, 400))
    dice = replace(_thrown(chance, count, side), look=look)
    while trouble is not Trouble.GLARE and _mirrored(dice):
        dice = replace(_thrown(chance, count, side), look=look)
    if trouble is not Trouble.NONE:
        dice = _spoilt(dice, trouble, chance)
    lamp = LAMPS[int(chance.integers(len(LAMPS)))] if light is None else light
    picture, origin = picture_of(dice, lens, lamp, chance)
    return Roll(dice, trouble, picture, origin, lens)


@lru_cache(maxsize=64)
def _lens(seed: int, size: tuple[int, int]) -> Lens:
    return lens_for(seed, size)


def _thrown(chance: np.random.Generator, count: int, side: float) -> Dice:
    """Dice anywhere in the dish; every fourth pair touches."""
    values = tuple(int(value) for value in chance.integers(1, 7, count))
    angles = tuple(float(angle) for angle in chance.uniform(0, 360, count))
    room = DOME_RADIUS - 4 - side * 0.72
    touching = count == 2 and chance.random() < 0.25
    while True:
        away, turn = room * np.sqrt(chance.uniform(0, 1, count)), chance.uniform(0, 2 * pi, count)
        places = [(float(r * cos(t)), float(r * sin(t))) for r, t in zip(away, turn, strict=True)]
        if count == 1:
            break
        if touching:
            places[1] = _beside(places[0], float(chance.uniform(0, 2 * pi)), angles, side)
        apart = _gap(places, angles, side)
        if np.hypot(*places[1]) <= room and (apart >= 0 if touching else apart > 0.06 * side):
            break
    return Dice(values, tuple(places), angles, side)


def _mirrored(dice: Dice) -> bool:
    """Whether a lamp in the dome is over a die or beside it."""
    lamps = [(x, y, max(long, short)) for x, y, long, short, *_ in look_of(dice.look).shine]
    reach = dice.size * 0.72 + 2.5
    return any(np.hypot(a - x, b - y) < reach + r for a, b in dice.places for x, y, r in lamps)


def _beside(
    place: tuple[float, float], way: float, angles: tuple[float, ...], side: float
) -> tuple[float, float]:
    """The nearest place that way at which two dice do not overlap."""
    for away in np.arange(0.95, 1.6, 0.01) * side:
        there = (place[0] + away * cos(way), place[1] + away * sin(way))
        if _gap([place, there], angles, side) >= 0:
            return there
    raise AssertionError("two dice that are far apart overlap")


def _corners(place: tuple[float, float], angle: float, side: float) -> Points:
    turn = np.radians(angle)
    spin = np.array([[cos(turn), -sin(turn)], [sin(turn), cos(turn)]])
    return np.asarray(np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * side / 2 @ spin.T + place, np.float64)


def _gap(places: list[tuple[float, float]], angles: tuple[float, ...], side: float) -> float:
    """Millimetres between two squares, by the axis that parts them best; negative where they overlap."""
    squares = [_corners(place, angle, side) for place, angle in zip(places, angles, strict=True)]
    best = -np.inf
    for angle in angles:
        for turn in (np.radians(angle), np.radians(angle + 90)):
            one, other = (square @ (cos(turn), sin(turn)) for square in squares)
            best = max(best, float(max(other.min() - one.max(), one.min() - other.max())))
    return best


def _spoilt(dice: Dice, trouble: Trouble, chance: np.random.Generator) -> Dice:
    """A die that is tipped where it lies, or stands on the other's edge; or both move."""
    if trouble is Trouble.GLARE:
        return dice
    if trouble is Trouble.MOVES:
        return replace(dice, moving=float(chance.uniform(0.6, 3.0) * dice.size))
    tip = (float(chance.uniform(0, 360)), float(chance.uniform(25, 45)))
    flat = ((0.0, 0.0),) * (len(dice.values) - 1)
    if trouble is Trouble.ON_THE_OTHER and len(dice.values) == 2:
        way = float(chance.uniform(0, 2 * pi))
        x, y = dice.places[0]
        near = (x + 0.85 * dice.size * cos(way), y + 0.85 * dice.size * sin(way))
        tip = (float(np.degrees(way)) + 90.0, float(chance.uniform(25, 40)))
        return replace(dice, places=(dice.places[0], near), leans=((0.0, 0.0), tip))
    return replace(dice, leans=(tip, *flat))


def picture_of(
    dice: Dice, lens: Lens, light: Light, chance: np.random.Generator
) -> tuple[Picture, tuple[int, int]]:
    """The middle of the camera's picture, and the pixel it starts at."""
    console = Console(0.0, dice)
    left, top, right, bottom = console.cover(lens)
    cloth = CLOTHS[int(chance.integers(len(CLOTHS)))]
    canvas = np.full((2 * (bottom - top), 2 * (right - left), 3), cloth, np.uint8)
    console.draw(canvas, lens, (left, top))
    small = cv2.resize(canvas, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
    blurred = cv2.GaussianBlur(small, (0, 0), light.blur * max(1.0, lens.scale)).astype(np.float64)
    side = 1 + 0.1 * np.linspace(-1, 1, blurred.shape[1])[None, :, None] * chance.uniform(-1, 1)
    grain = chance.normal(0, light.noise, (*blurred.shape[:2], 1))
    colour = chance.normal(0, 0.6 * light.noise, blurred.shape)
    pixels = np.clip(blurred * light.gain * side + grain + colour, 0, 255).astype(np.uint8)
    data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
    decoded = cv2.imdecode(data, cv2.IMREAD_COLOR)
    if decoded is None:
        raise RuntimeError("a picture could not be decoded again")
    return decoded.astype(np.uint8), (left, top)
