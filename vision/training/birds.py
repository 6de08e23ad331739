"""More birds of the 1 of sticks: standing, flying, perched, from the front; filled, outlined, cut, hatched.

A bird is a list of parts, far ones first; how parts are painted is chosen once per bird.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import TYPE_CHECKING

import numpy as np

from vision.training.marks import Colour, Inks, disc
from vision.training.plants import blossoms, cane
from vision.training.strokes import curve, leaf_outline, shape, stroke

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]
    Floats = NDArray[np.float64]
    Area = tuple[float, float, float, float]

FILLED, OUTLINED, CUT, HATCHED = range(4)


@dataclass(frozen=True, slots=True)
class Brush:
    """How a bird's parts are painted: `way`, the thickness of lines px, its colours, the paper."""

    picture: Picture
    way: int
    thick: float
    paints: tuple[Colour, ...]
    paper: Colour
    inside: Area

    def part(self, outline: Floats, paint: int) -> None:
        """Paint a closed part; what reaches out of the face is drawn in to its edge."""
        x, y, w, h = self.inside
        points = np.clip(outline, (x, y), (x + w, y + h))
        ink = self.paints[paint % len(self.paints)]
        fill = self.paper if self.way in {OUTLINED, HATCHED} else ink
        shape(self.picture, points, fill)
        ring = np.vstack([points, points[:1]])
        if self.way == CUT:
            stroke(self.picture, ring, self.paper, self.thick)
        elif self.way != FILLED:
            stroke(self.picture, ring, ink, self.thick)
        if self.way == HATCHED:
            half = len(points) // 2
            for k in range(1, half, 2):
                stroke(self.picture, [points[k], points[-k - 1]], ink, 1)

    def line(self, points: Floats, paint: int, thick: float) -> None:
        """Paint an open line."""
        x, y, w, h = self.inside
        stroke(
            self.picture,
            np.clip(points, (x, y), (x + w, y + h)),
            self.paints[paint % len(self.paints)],
            thick,
        )


def _brush(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> Brush:
    letters = rng.permutation(list("rgbk")) if rng.random() < 0.75 else [str(rng.choice(list("gbkkr")))]
    b, g, r = (int(v) for v in picture[2, 2])
    way = int(rng.choice((FILLED, FILLED, FILLED, CUT, OUTLINED, HATCHED)))
    paints = tuple(inks.of(str(c)) for c in letters)
    return Brush(picture, way, float(rng.choice((1, 1.5, 2, 3))), paints, (b, g, r), area)


def _round(at: tuple[float, float], size: tuple[float, float], turn: float) -> Floats:
    t = np.linspace(0, 2 * pi, 22, endpoint=False)
    x, y = size[0] * np.cos(t), size[1] * np.sin(t)
    out: Floats = np.stack(
        [at[0] + x * cos(turn) - y * sin(turn), at[1] + x * sin(turn) + y * cos(turn)], axis=1
    )
    return out


def _plumes(
    brush: Brush, foot: tuple[float, float], aim: float, reach: float, rng: np.random.Generator
) -> None:
    """A tail or a wing: some feathers from a foot, each round the direction `aim` rad."""
    count, open_, bend = int(rng.integers(1, 9)), rng.uniform(0.1, 1.5), rng.normal(0, 0.7)
    wide = reach * rng.uniform(0.05, 0.2) / count**0.3
    eyes = rng.random() < 0.3
    for k in range(count):
        turn = aim + open_ * (k / max(1, count - 1) - 0.5)
        path = curve(foot, turn, bend, reach * rng.uniform(0.75, 1.1))
        brush.part(leaf_outline(path, wide), k if rng.random() < 0.7 else 0)
        if eyes:
            x, y, w, h = brush.inside
            end = np.clip(path[-2], (x, y), (x + w, y + h))
            disc(
                brush.picture, float(end[0]), float(end[1]), reach * 0.07, brush.paints[k % len(brush.paints)]
            )


def _head(brush: Brush, at: Floats, r: float, side: int, rng: np.random.Generator) -> None:
    for k in range(int(rng.integers(0, 5))):
        plume = curve(
            (float(at[0]), float(at[1])), -pi / 2 + (k - 2) * 0.3, rng.normal(0, 0.6), r * rng.uniform(1.6, 3)
        )
        brush.line(plume, 1, rng.uniform(1, 3))
    brush.part(_round((float(at[0]), float(at[1])), (r, r * rng.uniform(0.8, 1.1)), 0.0), 0)
    long = r * rng.uniform(0.7, 3.2)
    dip = rng.normal(0.1, 0.3) * long
    beak = np.array([(side * r * 0.7, -r * 0.4), (side * (r * 0.7 + long), dip), (side * r * 0.7, r * 0.4)])
    shape(
        brush.picture,
        np.clip(at + beak, brush.inside[:2], np.add(brush.inside[:2], brush.inside[2:])),
        brush.paints[1 % len(brush.paints)],
    )
    disc(
        brush.picture, float(at[0] + side * r * 0.2), float(at[1] - r * 0.1), max(1.0, r * 0.28), brush.paper
    )


def _legs(brush: Brush, at: tuple[float, float], low: float, rng: np.random.Generator) -> None:
    apart, thick = brush.inside[2] * rng.uniform(0.05, 0.2), rng.uniform(1, 4)
    for sign in (-1, 1):
        foot = np.array((at[0] + sign * apart * rng.uniform(0.4, 1.2), low))
        knee = (np.array(at) + foot) / 2 + (rng.normal(0, 0.3) * apart, 0)
        brush.line(np.vstack([at, knee, foot]), 1, thick)
        toe = apart * rng.uniform(0.3, 0.9)
        brush.line(foot + np.array([(-toe, 0.0), (toe, 0.0)]), 1, thick)


def standing(brush: Brush, rng: np.random.Generator) -> None:
    """A crane, a cock, a pheasant from the side: a body, a tail, a wing, a neck, legs of any length."""
    x0, y0, w, h = brush.inside
    side = int(rng.choice((-1, 1)))
    at = x0 + w * (0.5 - side * rng.uniform(-0.1, 0.15)), y0 + h * rng.uniform(0.4, 0.68)
    size = w * rng.uniform(0.16, 0.34), h * rng.uniform(0.08, 0.2)
    tilt = side * rng.uniform(-0.9, 0.5)
    rear = at[0] - side * size[0] * 0.7, at[1] - size[0] * 0.7 * sin(tilt) * side
    aim = rng.uniform(-1.4, 1.2)
    _plumes(brush, rear, pi - aim if side > 0 else aim, h * rng.uniform(0.2, 0.6), rng)
    _legs(brush, (at[0], at[1] + size[1] * 0.5), y0 + h * rng.uniform(0.85, 1.0), rng)
    brush.part(_round(at, size, tilt), 0)
    front = at[0] + side * size[0] * 0.6, at[1] - size[1] * 0.3
    neck = curve(
        front,
        -pi / 2 + side * rng.uniform(-0.3, 1.0),
        -side * rng.uniform(-0.7, 1.2),
        h * rng.uniform(0.12, 0.4),
    )
    brush.part(leaf_outline(neck, w * rng.uniform(0.04, 0.13)), 0)
    _head(
        brush,
        np.clip(neck[-1], (x0 + 0.1 * w, y0 + 0.08 * h), (x0 + 0.9 * w, y0 + h)),
        w * rng.uniform(0.05, 0.12),
        side,
        rng,
    )
    wing = pi + rng.normal(0, 0.5) if side > 0 else rng.normal(0, 0.5)
    _plumes(brush, (at[0] + side * size[0] * 0.3, at[1]), wing, size[0] * rng.uniform(0.8, 1.6), rng)


def flying(brush: Brush, rng: np.random.Generator) -> None:
    """Wings spread: a swallow, a phoenix, a magpie seen from the side or from above."""
    x0, y0, w, h = brush.inside
    at = x0 + w * rng.uniform(0.4, 0.6), y0 + h * rng.uniform(0.38, 0.6)
    aim = rng.uniform(0, 2 * pi)
    along = np.array((cos(aim), sin(aim)))
    long = w * rng.uniform(0.18, 0.3)
    _plumes(
        brush, (at[0] - along[0] * long, at[1] - along[1] * long), aim + pi, h * rng.uniform(0.2, 0.5), rng
    )
    for sign in (-1, 1):
        _plumes(brush, at, aim + sign * rng.uniform(0.9, 2.2), h * rng.uniform(0.25, 0.5), rng)
    brush.part(_round(at, (long, w * rng.uniform(0.07, 0.15)), aim), 0)
    _head(
        brush, np.array(at) + along * long * 1.1, w * rng.uniform(0.06, 0.11), 1 if along[0] > 0 else -1, rng
    )


def perched(brush: Brush, rng: np.random.Generator) -> None:
    """From the front: a round body, wings at its sides, the head in the middle: an owl, a sparrow."""
    x0, y0, w, h = brush.inside
    cx, base = x0 + w * rng.uniform(0.45, 0.55), y0 + h * rng.uniform(0.55, 0.75)
    size = w * rng.uniform(0.2, 0.36), h * rng.uniform(0.16, 0.3)
    _plumes(brush, (cx, base + size[1] * 0.5), pi / 2 + rng.normal(0, 0.4), h * rng.uniform(0.1, 0.35), rng)
    _legs(brush, (cx, base + size[1] * 0.8), y0 + h * rng.uniform(0.88, 1.0), rng)
    brush.part(_round((cx, base), size, 0.0), 0)
    for sign in (-1, 1):
        lift = rng.uniform(-0.9, 1.2)
        path = curve(
            (cx + sign * size[0] * 0.8, base - size[1] * 0.5),
            pi / 2 - sign * lift,
            sign * rng.uniform(-0.6, 0.6),
            size[1] * rng.uniform(0.9, 1.8),
        )
        brush.part(leaf_outline(path, size[0] * rng.uniform(0.2, 0.45)), 1)
    for row in np.linspace(-0.4, 0.6, int(rng.integers(1, 5))):
        for u in np.linspace(-0.5, 0.5, int(rng.integers(1, 5))):
            disc(brush.picture, cx + u * size[0], base + row * size[1], w * 0.025, brush.paper)
    at = np.array((cx + rng.normal(0, 0.04) * w, base - size[1] * rng.uniform(1.0, 1.35)))
    _head(brush, at, size[0] * rng.uniform(0.35, 0.7), int(rng.choice((-1, 1))), rng)


def ringed(brush: Brush, rng: np.random.Generator) -> None:
    """A peacock whose fan goes all round its body, an eye at each feather's end."""
    x0, y0, w, h = brush.inside
    cx, cy = x0 + w / 2, y0 + h * rng.uniform(0.42, 0.58)
    wide, high = w * rng.uniform(0.34, 0.48), h * rng.uniform(0.3, 0.46)
    count, open_ = int(rng.integers(6, 19)), rng.uniform(1.6, 3.1)
    for k, t in enumerate(np.linspace(-open_, open_, count)):
        end = np.array((cx + wide * sin(t), cy - high * cos(t)))
        brush.line(np.vstack([(cx, cy), end]), k, rng.uniform(1, 4))
        r = w * rng.uniform(0.04, 0.08)
        disc(brush.picture, float(end[0]), float(end[1]), r, brush.paints[k % len(brush.paints)])
        if rng.random() < 0.5:
            disc(brush.picture, float(end[0]), float(end[1]), r * 0.5, brush.paper)
    brush.part(_round((cx, cy + 0.1 * h), (w * rng.uniform(0.08, 0.2), h * rng.uniform(0.1, 0.2)), 0.0), 0)
    _legs(brush, (cx, cy + 0.2 * h), y0 + h, rng)
    _head(brush, np.array((cx, cy - 0.08 * h)), w * rng.uniform(0.06, 0.11), int(rng.choice((-1, 1))), rng)


def any_bird(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    """One of the birds above, sometimes with a twig, blossoms, a cane or a sun: no character is beside it."""
    x, y, w, h = area
    around = rng.random()
    if around < 0.1:
        spots = np.array((x, y)) + rng.uniform(0.1, 0.9, (int(rng.integers(1, 4)), 2)) * (w, h)
        blossoms(picture, spots, w * rng.uniform(0.04, 0.09), (inks.red, inks.black), int(rng.integers(4, 7)))
    elif around < 0.18:
        cane(
            picture, (x + w * rng.uniform(0.05, 0.95), y + h), (h * rng.uniform(0.5, 1.0), -pi / 2), inks, rng
        )
    elif around < 0.26:
        disc(picture, x + w * rng.uniform(0.15, 0.85), y + h * 0.14, w * rng.uniform(0.06, 0.13), inks.red)
    if rng.random() < 0.2:
        low = y + h * rng.uniform(0.86, 1.0)
        stroke(
            picture,
            [(x, low), (x + w, low + rng.normal(0, 0.05) * h)],
            inks.of(str(rng.choice(list("gkb")))),
            rng.uniform(2, 7),
        )
    draw = (standing, standing, standing, flying, perched, perched, ringed)[int(rng.integers(7))]
    draw(_brush(picture, area, inks, rng), rng)
