"""Printed things that are no tiles, drawn: pages, labels, keyboards, screens.

Each draw goes onto a picture (300, 300, 3) in place, about a tile's width `short` px, and tells the boxes of
what it drew, x, y, w, h px.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.training.synth import FLOWERS, NEEDED, SIMPLE, fonts, glyph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]
    Colour = tuple[int, int, int]
    Spots = list[tuple[float, float, float, float]]

SIDE = 300
"""Side of a picture, px."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-*/=?!:;%&@#()"
ON_TILES = frozenset("".join((NEEDED, *FLOWERS, *SIMPLE, "白伍万鳳龍發")))


def paint(rng: np.random.Generator, low: int, high: int) -> Colour:
    """A dull colour whose brightness lies between two."""
    tone = rng.integers(low, high)
    b, g, r = (int(np.clip(tone + v, 0, 255)) for v in rng.normal(0, 18, 3))
    return b, g, r


def _two(rng: np.random.Generator) -> tuple[Colour, Colour]:
    """A ground and an ink that stands out from it."""
    pale, dark = paint(rng, 165, 256), paint(rng, 0, 110)
    return (pale, dark) if rng.random() < 0.7 else (dark, pale)


def _character(rng: np.random.Generator, *, latin: float = 0.5) -> str:
    if rng.random() < latin:
        return LETTERS[int(rng.integers(len(LETTERS)))]
    while (char := chr(int(rng.integers(0x4E00, 0x8FFF)))) in ON_TILES:
        pass
    return char


def _line(  # noqa: PLR0913, PLR0917 (a drawing verb)
    picture: Picture,
    at: tuple[float, float],
    size: float,
    ink: Colour,
    count: int,
    rng: np.random.Generator,
) -> None:
    """Write a line of characters to the right, or down the page, from `at` px."""
    paths = fonts()
    if not paths:
        return
    path, latin, down = (
        paths[int(rng.integers(len(paths)))],
        float(rng.choice((0.0, 1.0))),
        rng.random() < 0.3,
    )
    x, y = at
    for _ in range(count):
        cover = glyph(path, _character(rng, latin=latin))
        w = max(2, round(size * min(1.0, cover.shape[1] / max(cover.shape))))
        h = max(2, round(size * min(1.0, cover.shape[0] / max(cover.shape))))
        left, top = round(x), round(y + (size - h) * (0.9 if latin else 0.5))
        part = picture[max(0, top) : top + h, max(0, left) : left + w]
        if part.shape[:2] == (h, w):
            alpha = (
                cv2.resize(cover, (w, h), interpolation=cv2.INTER_AREA)[..., None].astype(np.float32) / 255
            )
            part[:] = (part * (1 - alpha) + np.asarray(ink, np.float32) * alpha).astype(np.uint8)
        if down:
            y += size * 1.05
        else:
            x += w + size * 0.12 if latin else size * 1.05


def page(picture: Picture, short: float, rng: np.random.Generator) -> Spots:
    """Printed lines, headings among them."""
    ground, ink = _two(rng)
    picture[:] = ground
    y, out = float(rng.uniform(-short, 0)), []
    while y < SIDE:
        size = max(5.0, short * float(np.exp(rng.uniform(-2.0, -0.2))))
        _line(picture, (rng.uniform(-short, short), y), size, ink, int(rng.integers(5, 60)), rng)
        out.append((float(rng.uniform(0.1, 0.8) * SIDE), y, short, size * float(rng.uniform(1, 3))))
        y += size * rng.uniform(1.1, 2.0)
    return out


def labels(picture: Picture, short: float, rng: np.random.Generator) -> Spots:
    """Stickers, packets and bottles: plates with writing, bars, marks."""
    out = []
    for _ in range(int(rng.integers(4, 12))):
        ground, ink = _two(rng)
        x, y = (int(v) for v in rng.uniform(-0.1, 0.9, 2) * SIDE)
        w, h = (int(v) for v in short * rng.uniform(0.6, 2.6, 2))
        out.append((float(x), float(y), float(w), float(h)))
        cv2.rectangle(picture, (x, y), (x + w, y + h), ground, -1)
        if rng.random() < 0.5:
            cv2.rectangle(picture, (x + 2, y + 2), (x + w - 2, y + h - 2), ink, int(rng.integers(1, 4)))
        which = rng.random()
        if which < 0.25:
            for bar in np.cumsum(rng.integers(1, 6, 30)):
                if 4 + bar < w - 4:
                    cv2.line(
                        picture,
                        (x + 4 + int(bar), y + h // 4),
                        (x + 4 + int(bar), y + h - 5),
                        ink,
                        int(rng.integers(1, 3)),
                    )
        elif which < 0.45:
            _logo(picture, (x + w / 2, y + h / 2), 0.4 * min(w, h), rng)
        for _ in range(int(rng.integers(0, 5))):
            size = max(5.0, min(w, h) * float(rng.uniform(0.1, 0.5)))
            _line(
                picture,
                (x + rng.uniform(0, 0.3) * w, y + rng.uniform(0, 0.8) * h),
                size,
                ink,
                int(rng.integers(1, 8)),
                rng,
            )
    return out


def _logo(picture: Picture, at: tuple[float, float], r: float, rng: np.random.Generator) -> None:
    """A mark of some polygons and rings."""
    for _ in range(int(rng.integers(1, 4))):
        centre = (round(at[0] + rng.normal(0, 0.2) * r), round(at[1] + rng.normal(0, 0.2) * r))
        tone = paint(rng, 0, 256)
        if rng.random() < 0.4:
            cv2.ellipse(
                picture,
                centre,
                (round(r) + 1, round(r * rng.uniform(0.4, 1.0)) + 1),
                float(rng.uniform(0, 180)),
                0,
                float(rng.choice((180, 270, 360))),
                tone,
                int(rng.choice((-1, 2, 4))),
                cv2.LINE_AA,
            )
        else:
            t = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 9))))
            ring = np.stack([centre[0] + r * np.cos(t), centre[1] + r * np.sin(t)], axis=1)
            cv2.fillPoly(picture, [np.round(ring).astype(np.int32)], tone, cv2.LINE_AA)


def keyboard(picture: Picture, short: float, rng: np.random.Generator) -> Spots:
    """Keys in rows, a letter or two on each."""
    ground, ink = _two(rng)
    picture[:] = paint(rng, 10, 200)
    pitch = short * rng.uniform(0.8, 1.3)
    gap, out = pitch * rng.uniform(0.03, 0.2), []
    for row, y in enumerate(np.arange(-0.5 * pitch, SIDE, pitch)):
        for x in np.arange(-pitch * (0.3 * row % 1), SIDE, pitch):
            w = pitch * (2 if rng.random() < 0.06 else 1) - gap
            box = (round(x), round(y)), (round(x + w), round(y + pitch - gap))
            out.append((float(x), float(y), float(w), float(pitch)))
            cv2.rectangle(picture, *box, tuple(v * 0.6 for v in ground), -1)
            inner = (box[0][0] + 2, box[0][1] + 1), (box[1][0] - 2, box[1][1] - 4)
            cv2.rectangle(picture, *inner, ground, -1)
            if rng.random() < 0.9:
                size = pitch * rng.uniform(0.25, 0.5)
                at = x + rng.uniform(0.1, 0.4) * pitch, y + rng.uniform(0.1, 0.4) * pitch
                _line(picture, at, size, ink, int(rng.choice((1, 1, 1, 2, 3))), rng)
    return out


def screen(picture: Picture, short: float, rng: np.random.Generator) -> Spots:
    """Windows, buttons, pictures, writing, as on a telephone or a monitor."""
    out = []
    ground, ink = _two(rng)
    picture[:] = ground
    for _ in range(int(rng.integers(4, 16))):
        x, y = (int(v) for v in rng.uniform(0, SIDE, 2))
        w, h = (int(v) for v in short * np.exp(rng.uniform(-1.2, 1.2, 2)))
        out.append((float(x), float(y), float(w), float(h)))
        if rng.random() < 0.4:
            part = picture[y : y + h, x : x + w]
            blend = rng.integers(0, 256, (3, 3, 3)).astype(np.uint8)
            if part.size:
                part[:] = cv2.resize(blend, (part.shape[1], part.shape[0]), interpolation=cv2.INTER_CUBIC)
        else:
            cv2.rectangle(
                picture, (x, y), (x + w, y + h), paint(rng, 0, 256), int(rng.choice((-1, -1, 1, 2)))
            )
        if rng.random() < 0.6:
            _line(
                picture,
                (x + 2, y + 2),
                max(5.0, h * rng.uniform(0.15, 0.6)),
                ink,
                int(rng.integers(1, 20)),
                rng,
            )
    return out
