"""What stands behind a table that is seen from low down: a rail, shelves of books, boxes with writing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.training.synth import fonts, glyph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]

FIRST, LAST = 0x4E00, 0x8FFF
"""Characters of book titles are drawn from these."""


def _write(picture: Picture, at: tuple[int, int], side: int, text: str, ink: NDArray[np.float64]) -> None:
    """Write characters one below another from `at` (x, y) px down; those outside the picture are cut."""
    paths = fonts()
    x, y = at
    for k, char in enumerate(text):
        cover = cv2.resize(glyph(paths[ord(text[0]) % len(paths)], char), (side, side)) if paths else None
        part = picture[max(0, y + k * side) : y + (k + 1) * side, max(0, x) : x + side]
        if cover is None or cover.shape != part.shape[:2]:
            continue
        alpha = cover[..., None].astype(np.float32) / 255
        part[:] = (part * (1 - alpha) + ink * alpha).astype(np.uint8)


def _title(rng: np.random.Generator) -> str:
    return "".join(chr(int(c)) for c in rng.integers(FIRST, LAST, int(rng.integers(1, 9))))


def _book(picture: Picture, box: tuple[int, int, int, int], rng: np.random.Generator) -> None:
    x0, y0, x1, y1 = box
    low = 150 if rng.random() < 0.5 else 0
    colour = rng.integers(low, 256, 3).astype(float)
    cv2.rectangle(picture, (x0, y0), (x1, y1), tuple(colour), -1)
    cv2.rectangle(picture, (x0, y0), (x1, y1), tuple(colour * 0.5), 1)
    dark = colour.mean() > 128
    for _ in range(int(rng.integers(0, 4))):
        ink = rng.integers(0, 110, 3) if dark else rng.integers(150, 256, 3)
        side = max(6, int((x1 - x0) * rng.uniform(0.3, 0.9)))
        at = (int(rng.integers(0, max(1, x1 - x0 - side + 1))), int(rng.integers(0, max(1, y1 - y0))))
        _write(picture[max(0, y0) : y1, max(0, x0) : x1], at, side, _title(rng), ink.astype(float))


def behind(picture: Picture, edge: float, rng: np.random.Generator, short: float) -> None:
    """Draw a room above the line y = `edge` px; books are about as wide as tiles (`short` px)."""
    wide = picture.shape[1]
    bottom = round(edge)
    if bottom <= 8:
        return
    wall = rng.integers(20, 230, 3).astype(float)
    cv2.rectangle(picture, (0, 0), (wide, bottom), tuple(wall), -1)
    shelf = bottom - round(rng.uniform(0, 1.5) * short)
    x = int(rng.integers(-20, wide // 2))
    while x < wide and rng.random() < 0.97:
        w = round(short * float(np.exp(rng.uniform(-0.9, 1.0))))
        if rng.random() < 0.85:
            _book(picture, (x, shelf - round(short * rng.uniform(2, 14)), x + w, shelf), rng)
        x += w + (0 if rng.random() < 0.8 else round(short * rng.uniform(0, 4)))
    if rng.random() < 0.7:
        rail = rng.integers(0, 120, 3).astype(float)
        high = round(short * rng.uniform(0.2, 2.0))
        cv2.rectangle(picture, (0, bottom - high), (wide, bottom), tuple(rail), -1)
        cv2.line(picture, (0, bottom - high), (wide, bottom - high), tuple(rail * 1.6 + 10), 2)
