"""What flower tiles show: plum, orchid, chrysanthemum, bamboo; the seasons any plant, a view or a figure."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING

import numpy as np

from vision.training.marks import Colour, Inks, disc
from vision.training.strokes import curve, leaf, shape, stroke

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]
    Floats = NDArray[np.float64]
    Area = tuple[float, float, float, float]


def _ink(inks: Inks, letters: str, rng: np.random.Generator) -> Colour:
    return inks.of(str(rng.choice(list(letters))))


def blossoms(picture: Picture, spots: Floats, r: float, paints: tuple[Colour, Colour], petals: int) -> None:
    """Blossoms of round petals at spots (N, 2); paints of petals and of the heart."""
    for x, y in spots:
        for k in range(petals):
            t = 2 * pi * k / petals
            disc(picture, x + r * cos(t), y + r * sin(t), r * 2.9 / petals, paints[0])
        disc(picture, x, y, r * 0.4, paints[1])


def cane(
    picture: Picture,
    foot: tuple[float, float],
    reach: tuple[float, float],
    inks: Inks,
    rng: np.random.Generator,
) -> None:
    """A bamboo cane of several joints with pointed leaves; `reach` is its length px and direction rad."""
    length, angle = reach
    paint = inks.green if rng.random() < 0.75 else _ink(inks, "bk", rng)
    joints, thick = int(rng.integers(3, 6)), rng.uniform(3, 7)
    step = np.array((cos(angle), sin(angle))) * length / joints
    for k in range(joints):
        a = np.asarray(foot) + step * k
        stroke(picture, [a + step * 0.06, a + step * 0.94], paint, thick)
        for _ in range(int(rng.integers(1, 4)) if k and rng.random() < 0.9 else 0):
            turn = rng.uniform(-0.3, pi + 0.3) * rng.choice((-1, 1))
            path = curve(
                (float(a[0]), float(a[1])), turn, rng.normal(0, 0.5), length * rng.uniform(0.16, 0.32), 6
            )
            leaf(picture, path, thick * rng.uniform(0.5, 1.0), paint)


def plant(picture: Picture, area: Area, kind: int, inks: Inks, rng: np.random.Generator) -> None:
    """The picture of flower tile `kind` 0..7."""
    if kind >= 4:
        kind = int(rng.choice((0, 4, 4, 5, 5, 6, 6, 2, 1)))
    (_plum, _orchid, _chrysanthemum, _bamboo, _view, _bunch, _figure)[kind](picture, area, inks, rng)


def _inside(points: Floats, area: Area) -> Floats:
    x, y, w, h = area
    return np.asarray(np.clip(points, (x, y), (x + w, y + h)), np.float64)


def _plum(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    x0, y0, w, h = area
    wood, paints = _ink(inks, "kkgb", rng), (_ink(inks, "rrrb", rng), _ink(inks, "kgr", rng))
    start, lean = (x0 + w * rng.uniform(0.1, 0.9), y0 + h), -pi / 2 + rng.normal(0, 0.3)
    for _ in range(int(rng.integers(2, 4))):
        twig = curve(start, lean + rng.normal(0, 0.3), rng.normal(0, 0.8), h * rng.uniform(0.6, 1.0))
        twig = _inside(twig + rng.normal(0, 0.02 * w, twig.shape), area)
        stroke(picture, twig, wood, rng.uniform(1.5, 4.5))
        spots = twig[rng.integers(2, 9, int(rng.integers(1, 4)))] + rng.normal(0, 0.05 * w, 2)
        blossoms(picture, spots, w * rng.uniform(0.05, 0.1), paints, 5)


def _orchid(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    x0, y0, w, h = area
    green, paint = _ink(inks, "gggkb", rng), _ink(inks, "rrbg", rng)
    foot = x0 + w * rng.uniform(0.25, 0.75), y0 + h * rng.uniform(0.85, 1.0)
    for _ in range(int(rng.integers(4, 10))):
        angle = rng.uniform(-2.7, -0.4)
        bend = rng.uniform(0.2, 1.3) * (1 if angle > -pi / 2 else -1)
        path = _inside(curve(foot, angle, bend, h * rng.uniform(0.45, 0.9)), area)
        leaf(picture, path, w * rng.uniform(0.015, 0.05), green)
    for _ in range(int(rng.integers(1, 4))):
        at = x0 + w * rng.uniform(0.2, 0.8), y0 + h * rng.uniform(0.1, 0.5)
        for _ in range(int(rng.integers(3, 6))):
            petal = curve(at, rng.uniform(0, 2 * pi), rng.normal(0, 0.4), w * rng.uniform(0.1, 0.2), 6)
            leaf(picture, petal, w * 0.03, paint)


def _chrysanthemum(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    x0, y0, w, h = area
    stem, paint, core = _ink(inks, "ggk", rng), _ink(inks, "rrbkg", rng), _ink(inks, "rrbkg", rng)
    for _ in range(int(rng.integers(1, 3))):
        at = x0 + w * rng.uniform(0.25, 0.75), y0 + h * rng.uniform(0.2, 0.6)
        stroke(picture, [at, (x0 + w * rng.uniform(0.3, 0.7), y0 + h)], stem, 2.5)
        r, count = w * rng.uniform(0.17, 0.34), int(rng.integers(9, 20))
        for ring in (1.0, 0.65):
            for k in range(count):
                petal = curve(at, 2 * pi * k / count + ring, 0.3, r * ring, 6)
                leaf(picture, petal, r * 1.9 / count, paint, core if ring < 1 else None)
        disc(picture, *at, r * 0.22, core)
    for _ in range(int(rng.integers(2, 6))):
        foot = x0 + w * rng.uniform(0.3, 0.7), y0 + h * rng.uniform(0.65, 0.95)
        path = curve(foot, rng.uniform(0, 2 * pi), rng.normal(0, 0.6), w * rng.uniform(0.15, 0.32), 6)
        leaf(picture, path, w * 0.06, stem)


def _bamboo(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    x0, y0, w, h = area
    for _ in range(int(rng.integers(1, 4))):
        reach = h * rng.uniform(0.75, 1.0), -pi / 2 + rng.normal(0, 0.16)
        cane(picture, (x0 + w * rng.uniform(0.2, 0.8), y0 + h), reach, inks, rng)


def _view(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    """Hills, water, the sun."""
    x0, y0, w, h = area
    for _ in range(int(rng.integers(1, 4))):
        x, y, r = x0 + w * rng.uniform(0.1, 0.9), y0 + h * rng.uniform(0.45, 0.9), w * rng.uniform(0.15, 0.4)
        tops = y - r * rng.uniform(0.3, 1.2, 2)
        hill = _inside(
            np.array([(x - r, y), (x - 0.3 * r, tops[0]), (x + 0.2 * r, tops[1]), (x + r, y)]), area
        )
        if rng.random() < 0.5:
            shape(picture, hill, _ink(inks, "gbkr", rng))
        else:
            stroke(picture, hill, _ink(inks, "gbkr", rng), 2)
    for _ in range(int(rng.integers(0, 5))):
        y, x = y0 + h * rng.uniform(0.6, 1.0), x0 + w * rng.uniform(0, 0.7)
        stroke(picture, [(x, y), (x + 0.12 * w, y - 2), (x + 0.3 * w, y)], _ink(inks, "bgk", rng), 1.5)
    if rng.random() < 0.6:
        sun = x0 + w * rng.uniform(0.15, 0.85), y0 + h * rng.uniform(0.1, 0.4)
        disc(picture, *sun, w * rng.uniform(0.05, 0.12), inks.red)
    if rng.random() < 0.6:
        _plum(picture, area, inks, rng)


def _bunch(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    """Leaves with some large blossoms."""
    x0, y0, w, h = area
    green = _ink(inks, "gggk", rng)
    foot = x0 + w * rng.uniform(0.3, 0.7), y0 + h * rng.uniform(0.5, 0.95)
    for _ in range(int(rng.integers(3, 9))):
        path = curve(foot, rng.uniform(-pi, 0), rng.normal(0, 0.7), h * rng.uniform(0.2, 0.5), 7)
        leaf(picture, _inside(path, area), w * rng.uniform(0.04, 0.12), green)
    spots = np.array((x0, y0)) + rng.uniform(0.15, 0.8, (int(rng.integers(1, 4)), 2)) * (w, h)
    paints = _ink(inks, "rrrb", rng), _ink(inks, "kgr", rng)
    blossoms(picture, spots, w * rng.uniform(0.08, 0.18), paints, int(rng.integers(4, 9)))


def _figure(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    """A robed figure with a staff or a rod."""
    x0, y0, w, h = area
    robe, sash = _ink(inks, "rgbk", rng), _ink(inks, "rgbk", rng)
    cx, top = x0 + w * rng.uniform(0.35, 0.65), y0 + h * rng.uniform(0.15, 0.35)
    hem = rng.uniform(0.15, 0.3, 2) * w
    low = y0 + h * 0.97
    shape(
        picture,
        [(cx - 0.08 * w, top), (cx + 0.08 * w, top), (cx + hem[0], low), (cx - hem[1], low)],
        robe,
        sash,
    )
    arms = [(cx - 0.22 * w, top + 0.3 * h), (cx, top + 0.12 * h), (cx + 0.22 * w, top + 0.3 * h)]
    stroke(picture, arms, sash, rng.uniform(3, 7))
    disc(picture, cx, top - 0.04 * h, w * rng.uniform(0.06, 0.1), _ink(inks, "kr", rng))
    x = cx + rng.choice((-1, 1)) * w * rng.uniform(0.2, 0.36)
    stroke(picture, [(x, top), (x + rng.normal(0, 0.06) * w, y0 + h * 0.95)], _ink(inks, "gk", rng), 2)
    if rng.random() < 0.4:
        _bunch(picture, (x0, y0 + 0.55 * h, w, 0.45 * h), inks, rng)
