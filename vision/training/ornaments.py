"""The pictures on faces and backs: birds of the 1 of sticks, frames of the white honour, backs.

Each draw goes onto a BGR picture in place; its build changes with the generator, so that every invented set
has its own.
"""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.training.birds import any_bird
from vision.training.marks import Colour, Inks, disc
from vision.training.plants import blossoms, cane
from vision.training.strokes import curve, leaf, oval, shape, stroke

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]
    Area = tuple[float, float, float, float]

Point = tuple[float, float]

PALETTES = ("rggb", "ggrb", "gggr", "kkrk", "bbrg", "gbkr", "kkkr")


def bird(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    """The bird of the 1 of sticks: from the side, from the front with its fan, long-tailed, on a twig."""
    kinds = (side_bird, fan_bird, fan_bird, long_bird, long_bird, twig_bird, plump_bird, plump_bird,
             *(any_bird,) * 6)  # fmt: skip
    draw = kinds[int(rng.integers(len(kinds)))]
    draw(picture, area, inks, rng)


def _paper(picture: Picture) -> Colour:
    b, g, r = (int(v) for v in picture[2, 2])
    return b, g, r


def _paints(inks: Inks, rng: np.random.Generator) -> list[Colour]:
    letters = PALETTES[int(rng.integers(len(PALETTES)))]
    return [inks.of(c) for c in (rng.permutation(list(letters)) if rng.random() < 0.5 else letters)]


def _legs(
    picture: Picture, at: tuple[float, float], size: tuple[float, float], ink: Colour, thick: float
) -> None:
    apart, length = size
    for sign in (-1, 1):
        x, y = at[0] + sign * apart / 2, at[1]
        foot = x + sign * apart * 0.2, y + length
        stroke(picture, [(x, y), foot], ink, thick)
        stroke(picture, [(foot[0] - apart * 0.35, foot[1]), (foot[0] + apart * 0.35, foot[1])], ink, thick)


def _fan(picture: Picture, at: Point, size: Point, paints: list[Colour], rng: np.random.Generator) -> None:
    """The eyed fan of a peacock above a point; `size` is its half width and its height."""
    (cx, base), (wide, high) = at, size
    spread = rng.uniform(0.9, 1.7)
    paper = _paper(picture)
    if rng.random() < 0.6:
        rim = [(cx + wide * sin(t), base - high * cos(t)) for t in np.linspace(-spread, spread, 15)]
        shape(picture, [(cx, base), *rim], paints[0])
    for ring in np.linspace(0.4, 0.92, int(rng.integers(2, 5))):
        count = int(rng.integers(5, 10) * ring) + 2
        for t in np.linspace(-spread * 0.92, spread * 0.92, count):
            at = cx + wide * ring * sin(t), base - high * ring * cos(t)
            r = high * rng.uniform(0.07, 0.12)
            disc(picture, *at, r, paper)
            disc(picture, *at, r * 0.62, paints[1 + int(rng.integers(2))])


def fan_bird(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    """A peacock from the front: an eyed fan above, the breast below, wings, two legs."""
    x0, y0, w, h = area
    paints = _paints(inks, rng)
    _, b, c, d = paints
    paper = _paper(picture)
    cx, base = x0 + w * rng.uniform(0.42, 0.58), y0 + h * rng.uniform(0.5, 0.66)
    high = h * rng.uniform(0.38, 0.52)
    _fan(picture, (cx, base), (high * rng.uniform(0.75, 1.2), high), paints, rng)
    size = w * rng.uniform(0.12, 0.2), h * rng.uniform(0.12, 0.2)
    for sign in (-1, 1):
        turn, bend = pi / 2 - sign * rng.uniform(0.4, 1.3), sign * rng.uniform(-0.8, 0.8)
        wing = curve((cx, base - size[1] * 0.4), turn, bend, w * rng.uniform(0.26, 0.46))
        leaf(picture, wing, w * rng.uniform(0.06, 0.13), c, paper)
        for k in (3, 6):
            disc(picture, float(wing[k][0]), float(wing[k][1]), w * 0.025, paper)
    oval(picture, (cx, base), size, float(rng.uniform(-15, 15)), d if rng.random() < 0.4 else b)
    for _ in range(int(rng.integers(2, 7))):
        spot = np.array((cx, base)) + rng.uniform(-0.6, 0.6, 2) * size
        disc(picture, float(spot[0]), float(spot[1]), w * 0.025, paper)
    side = int(rng.choice((-1, 1)))
    head = cx + side * w * rng.uniform(0, 0.14), base - size[1] * rng.uniform(1.0, 1.6)
    stroke(picture, [(cx, base), head], b, w * rng.uniform(0.05, 0.1))
    disc(picture, *head, w * rng.uniform(0.045, 0.08), b)
    stroke(picture, [head, (head[0] + side * w * 0.1, head[1] + h * 0.02)], inks.red, 2)
    long = max(4.0, min(h * rng.uniform(0.1, 0.22), y0 + h - base - size[1] * 0.8))
    ink = inks.red if rng.random() < 0.7 else d
    _legs(picture, (cx, base + size[1] * 0.8), (w * rng.uniform(0.1, 0.22), long), ink, rng.uniform(1.5, 3))


def long_bird(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    """A bird from the side whose tail feathers sweep across the face."""
    x0, y0, w, h = area
    a, b, c, d = _paints(inks, rng)
    side = 1 if rng.random() < 0.6 else -1
    cx, cy = x0 + w * (0.5 + side * rng.uniform(0.0, 0.18)), y0 + h * rng.uniform(0.32, 0.6)
    away = rng.uniform(-1.2, 1.1)
    for k in range(int(rng.integers(3, 9))):
        start = (pi - away if side > 0 else away) + rng.normal(0, 0.28)
        feather = curve((cx, cy), start, side * rng.uniform(-1.4, 0.6), h * rng.uniform(0.34, 0.58))
        feather = np.clip(feather, (x0, y0), (x0 + w, y0 + h))
        leaf(
            picture, feather, w * rng.uniform(0.03, 0.08), (a, b, c)[k % 3], None if rng.random() < 0.5 else d
        )
        if rng.random() < 0.7:
            disc(
                picture,
                float(feather[-2][0]),
                float(feather[-2][1]),
                w * rng.uniform(0.03, 0.06),
                (b, d)[k % 2],
            )
    size = w * rng.uniform(0.14, 0.24), h * rng.uniform(0.08, 0.15)
    oval(picture, (cx, cy), size, float(rng.uniform(-60, 60)), b)
    turn = (pi * 0.8 if side > 0 else pi * 0.2) + rng.normal(0, 0.4)
    leaf(
        picture,
        curve((cx, cy), turn, side * 0.6, w * rng.uniform(0.2, 0.4)),
        w * rng.uniform(0.05, 0.1),
        c,
        d,
    )
    up = -pi / 2 + side * rng.uniform(0.1, 0.9)
    neck = curve((cx, cy), up, -side * rng.uniform(-0.4, 0.9), h * rng.uniform(0.14, 0.3))
    neck[:, 1] = np.maximum(neck[:, 1], y0)
    stroke(picture, neck, a, w * rng.uniform(0.05, 0.12))
    disc(picture, float(neck[-1][0]), float(neck[-1][1]), w * rng.uniform(0.05, 0.09), a)
    for k in range(int(rng.integers(0, 4))):
        stroke(picture, [neck[-1], neck[-1] + (w * 0.05 * (k - 1), -h * 0.07)], inks.red, 1)
    stroke(picture, [neck[-1], neck[-1] + (side * w * 0.12, h * 0.015)], inks.red, rng.uniform(1.5, 3.5))
    if rng.random() < 0.75:
        legs = w * rng.uniform(0.08, 0.2), h * rng.uniform(0.12, 0.26)
        _legs(
            picture,
            (cx, cy + size[1] * 0.7),
            legs,
            inks.red if rng.random() < 0.6 else d,
            rng.uniform(1.5, 3),
        )


def plump_bird(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    """A plain bird that fills the face: a bent body from tail to head, a wing, a beak, perhaps a crest."""
    x0, y0, w, h = area
    a, b, c, d = _paints(inks, rng)
    side = 1 if rng.random() < 0.5 else -1
    rise, wide = rng.uniform(-1.5, -0.4), w * rng.uniform(0.14, 0.26)
    start = x0 + w * (0.5 - side * rng.uniform(0.2, 0.42)), y0 + h * rng.uniform(0.6, 0.9)
    turn = rise if side > 0 else -pi - rise
    spine = curve(start, turn, side * rng.uniform(-0.6, 0.3), h * rng.uniform(0.5, 0.75))
    spine = np.clip(spine, (x0 + 0.1 * w, y0 + 0.16 * h), (x0 + 0.9 * w, y0 + 0.95 * h))
    for k in range(int(rng.integers(1, 4))):
        tail = curve(
            start, turn + pi + (k - 1) * rng.uniform(0.1, 0.4), rng.normal(0, 0.4), h * rng.uniform(0.1, 0.3)
        )
        leaf(picture, np.clip(tail, (x0, y0), (x0 + w, y0 + h)), w * rng.uniform(0.04, 0.09), (a, c)[k % 2])
    low = spine[3]
    _legs(
        picture,
        (float(low[0]), float(low[1])),
        (w * 0.14, y0 + h - float(low[1])),
        inks.red,
        rng.uniform(2, 5),
    )
    leaf(picture, spine, wide, a, None if rng.random() < 0.6 else d)
    head, r = spine[-2], w * rng.uniform(0.09, 0.16)
    for k in range(int(rng.integers(0, 4))):
        plume = head + np.array([(0.0, 0.0), (r * (k - 1) * 0.7, -r * rng.uniform(1.4, 2.2))])
        stroke(picture, plume, inks.red, rng.uniform(1, 4))
    disc(picture, float(head[0]), float(head[1]), r, a if rng.random() < 0.6 else b)
    beak = head + np.array([(side * r * 0.8, -r * 0.4), (side * r * 1.9, r * 0.1), (side * r * 0.8, r * 0.4)])
    shape(picture, beak, inks.red if rng.random() < 0.7 else d)
    disc(
        picture, float(head[0] + side * r * 0.3), float(head[1] - r * 0.2), max(1.0, r * 0.2), _paper(picture)
    )
    wing = curve((float(spine[5][0]), float(spine[5][1])), turn + pi, side * 0.4, h * rng.uniform(0.2, 0.36))
    leaf(
        picture,
        wing,
        wide * rng.uniform(0.4, 0.75),
        (b, c)[int(rng.integers(2))],
        None if rng.random() < 0.5 else d,
    )


def twig_bird(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    """A smaller bird on a twig or beside a bamboo cane."""
    x0, y0, w, h = area
    low = y0 + h * rng.uniform(0.72, 0.9)
    if rng.random() < 0.5:
        twig = [(x0 + 0.05 * w, low), (x0 + 0.95 * w, low + rng.uniform(-0.1, 0.1) * h)]
        stroke(picture, twig, inks.of(str(rng.choice(list("gkb")))), rng.uniform(3, 8))
    else:
        foot = x0 + w * rng.uniform(0.1, 0.9), y0 + h
        cane(picture, foot, (h * rng.uniform(0.5, 0.95), -pi / 2 + rng.normal(0, 0.1)), inks, rng)
    scale = rng.uniform(0.62, 0.85)
    left, top = x0 + (1 - scale) * w * rng.uniform(0, 1), low - scale * h * rng.uniform(0.85, 0.98)
    draw = (side_bird, long_bird)[int(rng.integers(2))]
    draw(picture, (left, max(y0, top), scale * w, scale * h), inks, rng)


def side_bird(picture: Picture, area: Area, inks: Inks, rng: np.random.Generator) -> None:
    """A bird from the side: tail fan, body, head, legs."""
    x0, y0, w, h = area
    paints = _paints(inks, rng)
    side = 1 if rng.random() < 0.7 else -1
    cx, cy = x0 + w * rng.uniform(0.42, 0.58), y0 + h * rng.uniform(0.45, 0.65)
    tail = rng.uniform(-0.6 * pi, 0.3 * pi)
    for k in range(int(rng.integers(4, 11))):
        a, n = tail + (k - 4) * rng.uniform(0.15, 0.3), h * rng.uniform(0.3, 0.5)
        end = np.clip((cx - side * n * cos(a), cy + n * sin(a)), (x0, y0), (x0 + w, y0 + h))
        stroke(picture, np.vstack([(cx, cy), end]), paints[k % 3], int(rng.integers(2, 6)))
        disc(picture, float(end[0]), float(end[1]), w * rng.uniform(0.03, 0.07), paints[(k + 1) % 4])
    size = w * rng.uniform(0.16, 0.26), h * rng.uniform(0.12, 0.2)
    oval(picture, (cx, cy), size, float(rng.uniform(-50, 50)), paints[1])
    for _ in range(int(rng.integers(2, 8))):
        disc(picture, cx + rng.uniform(-0.12, 0.12) * w, cy + rng.uniform(-0.1, 0.1) * h, w * 0.03, paints[2])
    hx, hy = cx + side * w * rng.uniform(0.1, 0.28), cy - h * rng.uniform(0.18, 0.34)
    stroke(picture, [(cx, cy), (hx, hy)], paints[0], int(rng.integers(4, 10)))
    disc(picture, hx, hy, w * rng.uniform(0.06, 0.11), paints[0])
    stroke(picture, [(hx, hy), (hx + side * w * 0.16, hy + h * 0.02)], inks.red, 3)
    _legs(picture, (cx, cy + size[1] * 0.6), (w * 0.14, h * rng.uniform(0.15, 0.28)), inks.red, 2.5)


def frame(picture: Picture, area: Area, ink: Colour, rng: np.random.Generator) -> None:
    """A frame of the white honour: lines, double or cut at the corners, hatched, with knobs."""
    x, y, w, h = (float(v) for v in area)
    kind, thick = int(rng.integers(7)), float(rng.choice((1.5, 2, 3, 5, 8)))
    inset = rng.uniform(0, 0.12)
    x, y, w, h = x + inset * w, y + inset * h, (1 - 2 * inset) * w, (1 - 2 * inset) * h
    for k in range(1 + (kind in {1, 4}) + int(rng.random() < 0.2)):
        d = k * (thick + rng.uniform(3, 8))
        cut = 0.0 if kind != 2 else rng.uniform(0.1, 0.25) * w
        _ring(picture, (x + d, y + d, w - 2 * d, h - 2 * d), cut, ink, thick if k == 0 else 2)
    if kind == 3:
        band = rng.uniform(5, 10)
        for t in np.linspace(0, 1, int(rng.integers(4, 12))):
            for edge in (0.0, h - band):
                stroke(picture, [(x + t * w, y + edge), (x + t * w, y + edge + band)], ink, 2)
            for edge in (0.0, w - band):
                stroke(picture, [(x + edge, y + t * h), (x + edge + band, y + t * h)], ink, 2)
        _ring(picture, (x + band, y + band, w - 2 * band, h - 2 * band), 0.0, ink, 1.5)
    if kind >= 4:
        _knobs(picture, (x, y, w, h), kind, ink, rng.uniform(5, 14))


def _ring(picture: Picture, area: Area, cut: float, ink: Colour, thick: float) -> None:
    x, y, w, h = area
    right, low = x + w, y + h
    ring = [(x + cut, y), (right - cut, y), (right, y + cut), (right, low - cut), (right - cut, low),
            (x + cut, low), (x, low - cut), (x, y + cut), (x + cut, y)]  # fmt: skip
    stroke(picture, ring, ink, thick)


def _knobs(picture: Picture, area: Area, kind: int, ink: Colour, r: float) -> None:
    x, y, w, h = area
    paper = _paper(picture)
    for cx in (x, x + w):
        for cy in (y, y + h):
            disc(picture, cx, cy, r, paper)
            if kind != 5:
                disc(picture, cx, cy, r * 0.8, ink)
                disc(picture, cx, cy, r * 0.45, paper if kind == 4 else ink)


def back(picture: Picture, rng: np.random.Generator) -> None:
    """A back of any colour, pale ones among them, plain or patterned, with a sheen or a glare."""
    high, wide = picture.shape[:2]
    which = rng.random()
    strong = int(rng.integers(90, 256)) if which < 0.75 else int(rng.integers(45, 110))
    light = int(rng.integers(50, 240)) if which < 0.92 else int(rng.integers(200, 250))
    hsv = np.full((1, 1, 3), (int(rng.integers(180)), strong, light), np.uint8)
    if rng.random() < 0.06:
        # Grey to black.
        hsv[..., 1:] = int(rng.integers(0, 25)), int(rng.integers(15, 110))
    colour = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float64)
    picture[:] = colour.astype(np.uint8)
    other = (
        np.clip(colour * rng.uniform(0.55, 1.5), 0, 255) if rng.random() < 0.7 else rng.uniform(60, 255, 3)
    )
    _pattern(picture, (int(other[0]), int(other[1]), int(other[2])), rng)
    if rng.random() < 0.35:
        y, x = np.mgrid[0:high, 0:wide].astype(np.float32)
        cx, cy = rng.uniform(0, wide), rng.uniform(0, high)
        a, b = rng.uniform(0.1, 0.6) * wide, rng.uniform(0.1, 0.9) * high
        spot = np.exp(-(((x - cx) / a) ** 2) - ((y - cy) / b) ** 2)[..., None] * rng.uniform(30, 230)
        picture[:] = np.clip(picture + spot * rng.uniform(0.85, 1.0, 3), 0, 255).astype(np.uint8)


def _pattern(picture: Picture, ink: Colour, rng: np.random.Generator) -> None:
    high, wide = picture.shape[:2]
    which = rng.random()
    if which < 0.16:
        every, slope = int(rng.integers(6, 24)), int(rng.choice((0, high // 2, high)))
        for k in range(-high, wide, every):
            stroke(picture, [(k, 0), (k + slope, high)], ink, 1)
            stroke(picture, [(k + slope, 0), (k, high)], ink, 1)
    elif which < 0.26:
        step = float(rng.uniform(9, 22))
        for y in np.arange(step / 2, high, step):
            for x in np.arange(step / 2, wide, step):
                disc(picture, float(x), float(y), step * 0.2, ink)
    elif which < 0.36:
        frame(picture, (0.1 * wide, 0.1 * high, 0.8 * wide, 0.8 * high), ink, rng)
    elif which < 0.44:
        middle = np.array([(wide / 2, high / 2)])
        blossoms(picture, middle, wide * rng.uniform(0.1, 0.25), (ink, ink), int(rng.integers(3, 9)))
