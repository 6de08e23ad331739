"""The marks of the suits, drawn: circles and bamboo sticks.

Positions are fractions of a face's inner area; every draw goes onto a BGR picture in place.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import TYPE_CHECKING

import cv2

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]

Colour = tuple[int, int, int]

CIRCLES: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0.5, 0.5),),
    2: ((0.5, 0.25), (0.5, 0.75)),
    3: ((0.22, 0.2), (0.5, 0.5), (0.78, 0.8)),
    4: ((0.27, 0.25), (0.73, 0.25), (0.27, 0.75), (0.73, 0.75)),
    5: ((0.24, 0.22), (0.76, 0.22), (0.5, 0.5), (0.24, 0.78), (0.76, 0.78)),
    6: ((0.28, 0.17), (0.72, 0.17), (0.28, 0.57), (0.72, 0.57), (0.28, 0.85), (0.72, 0.85)),
    7: ((0.18, 0.13), (0.5, 0.25), (0.82, 0.37), (0.28, 0.62), (0.72, 0.62), (0.28, 0.87), (0.72, 0.87)),
    8: tuple((x, y) for y in (0.13, 0.375, 0.625, 0.87) for x in (0.28, 0.72)),
    9: tuple((x, y) for y in (0.17, 0.5, 0.83) for x in (0.17, 0.5, 0.83)),
}
# Letters name the ink of each circle: r red, g green, b blue (or the set's dark ink).
CIRCLE_INKS: tuple[dict[int, str], ...] = (
    {2: "gb", 3: "brg", 4: "bggb", 5: "bgrgb", 6: "ggrrrr", 7: "gggrrrr", 8: "bbbbbbbb", 9: "gggrrrbbb"},
    {2: "bb", 3: "brb", 4: "bbbb", 5: "bbrbb", 6: "bbrrrr", 7: "bbbrrrr", 8: "bbbbbbbb", 9: "bbbrrrbbb"},
    {2: "gg", 3: "grb", 4: "bggb", 5: "gbrbg", 6: "ggrrrr", 7: "gggrrrr", 8: "bbbbbbbb", 9: "bbbrrrggg"},
    {2: "bg", 3: "bbb", 4: "gbbg", 5: "bbrbb", 6: "gggggg", 7: "rrrbbbb", 8: "gggggggg", 9: "rrrgggbbb"},
)
STICKS: dict[int, tuple[tuple[float, float], ...]] = {
    2: ((0.5, 0.25), (0.5, 0.75)),
    3: ((0.5, 0.25), (0.28, 0.75), (0.72, 0.75)),
    4: ((0.27, 0.25), (0.73, 0.25), (0.27, 0.75), (0.73, 0.75)),
    5: ((0.2, 0.25), (0.8, 0.25), (0.5, 0.5), (0.2, 0.75), (0.8, 0.75)),
    6: tuple((x, y) for y in (0.25, 0.75) for x in (0.2, 0.5, 0.8)),
    7: ((0.5, 0.15), *((x, y) for y in (0.5, 0.85) for x in (0.2, 0.5, 0.8))),
    9: tuple((x, y) for y in (0.16, 0.5, 0.84) for x in (0.2, 0.5, 0.8)),
}
STICK_INKS: tuple[dict[int, str], ...] = (
    {2: "gg", 3: "ggg", 4: "gggg", 5: "ggrgg", 6: "gggggg", 7: "rgggggg", 9: "grggrggrg"},
    {2: "gb", 3: "gbb", 4: "gbbg", 5: "gbrbg", 6: "gggbbb", 7: "rgbggbg", 9: "rbgrbgrbg"},
    {2: "bb", 3: "bbb", 4: "bgbg", 5: "bgrgb", 6: "bbbggg", 7: "rbbbggg", 9: "bbbrrrggg"},
    {2: "gg", 3: "rgg", 4: "gggg", 5: "bgrbg", 6: "gggggg", 7: "rgbgggb", 9: "gggrrrggg"},
)


@dataclass(frozen=True, slots=True)
class Inks:
    """The paints of one set, BGR."""

    red: Colour
    green: Colour
    blue: Colour
    black: Colour

    def of(self, letter: str) -> Colour:
        """The paint named by r, g, b or k."""
        return {"r": self.red, "g": self.green, "b": self.blue, "k": self.black}[letter]


def _point(x: float, y: float) -> tuple[int, int]:
    return round(x * 16), round(y * 16)


def disc(picture: Picture, x: float, y: float, r: float, colour: Colour) -> None:
    """Fill a smooth disc."""
    cv2.circle(picture, _point(x, y), max(1, round(r * 16)), colour, -1, cv2.LINE_AA, 4)


def _petals(picture: Picture, x: float, y: float, r: float, count: int, colour: Colour) -> None:  # noqa: PLR0913, PLR0917 (a drawing verb)
    for k in range(count):
        a = 2 * pi * k / count
        disc(picture, x + 0.62 * r * cos(a), y + 0.62 * r * sin(a), r * 1.1 / count, colour)


# Concentric looks: radii, parts of the circle's, and their paints: p paper, i ink, c core.
RINGS: dict[int, tuple[tuple[float, str], ...]] = {
    0: ((0.72, "p"), (0.45, "i")),
    1: ((0.78, "p"), (0.6, "i"), (0.2, "p")),
    3: ((0.82, "p"), (0.64, "i"), (0.46, "p"), (0.28, "c")),
    4: ((0.55, "p"),),
    5: ((0.8, "p"),),
    7: ((0.88, "p"), (0.76, "i"), (0.5, "p"), (0.4, "i"), (0.2, "p")),
    8: ((0.25, "c"),),
}
LOOKS = 9


def circle(picture: Picture, at: tuple[float, float], r: float, ink: Colour, core: Colour, look: int,  # noqa: PLR0913, PLR0917 (a drawing verb)
           paper: Colour) -> None:  # fmt: skip
    """One circle of the circles suit in one of `LOOKS` looks."""
    x, y = at
    disc(picture, x, y, r, ink)
    for part, paint in RINGS.get(look, ()):
        disc(picture, x, y, r * part, {"p": paper, "i": ink, "c": core}[paint])
    if look == 2:
        _petals(picture, x, y, r, 6, paper)
        disc(picture, x, y, r * 0.25, paper)
    elif look == 4:
        cv2.line(picture, _point(x - r * 0.5, y), _point(x + r * 0.5, y), ink, 2, cv2.LINE_AA, 4)
        cv2.line(picture, _point(x, y - r * 0.5), _point(x, y + r * 0.5), ink, 2, cv2.LINE_AA, 4)
    elif look == 5:
        _petals(picture, x, y, r * 0.95, 8, ink)
        disc(picture, x, y, r * 0.3, core)
    elif look == 6:
        _petals(picture, x, y, r * 1.15, 10, paper)
        disc(picture, x, y, r * 0.42, paper)
        disc(picture, x, y, r * 0.3, core)


def wheel(picture: Picture, at: tuple[float, float], r: float, inks: Inks, paper: Colour,  # noqa: PLR0913, PLR0917 (a drawing verb)
          rng: np.random.Generator) -> None:  # fmt: skip
    """The large circle of the 1 of circles: rings and petals in changing paints."""
    x, y = at
    paints = [inks.of(c) for c in rng.permutation(list("rgb"))]
    disc(picture, x, y, r, paints[0])
    radius = r * rng.uniform(0.85, 0.93)
    step = 0
    while radius > r * 0.2:
        disc(picture, x, y, radius, paper if step % 2 == 0 else paints[int(rng.integers(3))])
        if step % 2 == 0 and radius > 0.45 * r and rng.random() < 0.7:
            _petals(picture, x, y, radius * 1.15, int(rng.integers(8, 20)), paints[int(rng.integers(3))])
        radius *= rng.uniform(0.62, 0.88)
        step += 1
    disc(picture, x, y, r * rng.uniform(0.1, 0.25), paints[int(rng.integers(3))])


def stick(picture: Picture, middle: tuple[float, float], size: tuple[float, float], turn: float, ink: Colour,  # noqa: PLR0913, PLR0917 (a drawing verb)
          look: int, paper: Colour) -> None:  # fmt: skip
    """One bamboo stick: `size` is (width, length) px, `turn` radians from upright."""
    (x, y), (w, n) = middle, size
    dx, dy = sin(turn), cos(turn)

    def along(f: float, side: float = 0.0) -> tuple[float, float]:
        return x + dx * f * n / 2 + dy * side * w, y + dy * f * n / 2 - dx * side * w

    def bar(a: float, b: float, width: float, colour: Colour) -> None:
        cv2.line(picture, _point(*along(a)), _point(*along(b)), colour, max(1, round(width)), cv2.LINE_AA, 4)

    if look == 0:
        bar(-0.85, 0.85, w * 0.62, ink)
        for f in (-0.9, 0.0, 0.9):
            disc(picture, *along(f), w * 0.48, ink)
        bar(-0.65, -0.25, w * 0.18, paper)
        bar(0.25, 0.65, w * 0.18, paper)
    elif look == 1:
        bar(-0.8, 0.8, w * 0.9, ink)
        bar(-0.7, 0.7, w * 0.25, paper)
    elif look == 2:
        bar(-0.8, 0.8, w * 0.75, ink)
        bar(-0.06, 0.06, w * 1.05, paper)
        disc(picture, *along(0.0), w * 0.35, ink)
    elif look == 3:
        for f in (-0.6, 0.6):
            disc(picture, *along(f - 0.25), w * 0.5, ink)
            disc(picture, *along(f + 0.25), w * 0.5, ink)
            bar(f - 0.3, f + 0.3, w * 0.55, ink)
        bar(-0.4, 0.4, w * 0.4, ink)
    else:
        bar(-0.85, 0.85, w * 0.8, ink)
        for f in (-0.85, -0.28, 0.28, 0.85):
            bar(f - 0.03, f + 0.03, w * 1.1, ink)
        bar(-0.6, -0.5, w * 0.2, paper)


def eight_sticks(
    area: tuple[float, float, float, float], *, upper_m: bool
) -> list[tuple[float, float, float]]:
    """Middle points and turns of the 8 of sticks: an M above a W, or the other way round."""
    x0, y0, w, h = area
    out = []
    for row, y in enumerate((y0 + 0.26 * h, y0 + 0.74 * h)):
        m_shape = upper_m == (row == 0)
        out.extend([(x0 + 0.12 * w, y, 0.0), (x0 + 0.88 * w, y, 0.0)])
        slant = 0.62 if m_shape else -0.62
        out += [(x0 + 0.35 * w, y, slant), (x0 + 0.65 * w, y, -slant)]
    return out
