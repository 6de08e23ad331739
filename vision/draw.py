"""Draws what was read onto a photograph: outlines, names, signs, and how sure each name is.

Nothing is said by colour alone: a sure face has an unbroken outline, an unsure one a broken outline and a
question mark, a back two diagonals and its word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from rules.tiles import Tile
from vision.draw_sign import sign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.photo import PhotoTile

    Picture = NDArray[np.uint8]
    Colour = tuple[int, int, int]
    Rect = tuple[int, int, int, int]

READABLE: Final = 80.0
"""Small photographs are enlarged until a tile is about so many px wide, ..."""
ENLARGED: Final = 4.0
"""... but not more than so many times, ..."""
LARGEST: Final = 16_000_000
"""... nor to more px than this."""
SMALL: Final = 0.7
"""A plate that covers a part of a tile is smaller by this."""
SURE: Final[Colour] = (70, 200, 40)
UNSURE: Final[Colour] = (0, 120, 255)
BACK: Final[Colour] = (230, 150, 60)
DARK: Final[Colour] = (25, 25, 25)
LIGHT: Final[Colour] = (255, 255, 255)
FONT: Final = cv2.FONT_HERSHEY_DUPLEX


@dataclass(frozen=True, slots=True)
class _Mark:
    """One tile to draw: its quad in the drawing's px, the width of its plate, its reading, a number."""

    quad: NDArray[np.float32]
    unit: float
    tile: PhotoTile
    number: int | None

    @property
    def sure(self) -> bool:
        return self.tile.named.tile is not None

    @property
    def is_back(self) -> bool:
        return self.tile.named.best is Tile.BACK

    @property
    def colour(self) -> Colour:
        if not self.sure:
            return UNSURE
        return BACK if self.is_back else SURE


def annotated(picture: Picture, tiles: Sequence[PhotoTile], *, numbered: bool = False) -> Picture:
    """A copy of a BGR picture (H, W, 3) with its readings drawn on it, and a line that explains the marks.

    Small photographs become larger, so that names can be read. `numbered` writes each tile's place in the
    list, from 1 on, beside its name.
    """
    widths = [_short(tile.quad) for tile in tiles]
    usual = float(np.median(widths)) if widths else READABLE
    factor = min(ENLARGED, max(1.0, READABLE / max(1.0, usual)))
    factor = max(1.0, min(factor, (LARGEST / (picture.shape[0] * picture.shape[1])) ** 0.5))
    size = (round(picture.shape[1] * factor), round(picture.shape[0] * factor))
    drawn = picture.copy()
    if factor > 1:
        drawn = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_CUBIC), np.uint8)
    marks = [
        _Mark(
            tile.quad * np.float32(factor),
            factor * float(np.clip(width, 0.8 * usual, 1.3 * usual)),
            tile,
            k if numbered else None,
        )
        for k, (tile, width) in enumerate(zip(tiles, widths, strict=True), start=1)
    ]
    for mark in marks:
        _outline(drawn, mark)
    _plates(drawn, marks)
    return _with_key(drawn, marks)


def _short(quad: NDArray[np.float32]) -> float:
    return float(min(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[3] - quad[0])))


def _line(drawn: Picture, a: NDArray[np.float32], b: NDArray[np.float32], colour: Colour, thick: int) -> None:
    ends = [tuple(round(16 * float(v)) for v in end) for end in (a, b)]
    for each, width in ((DARK, thick + 2), (colour, thick)):
        cv2.line(drawn, ends[0], ends[1], each, width, cv2.LINE_AA, shift=4)


def _outline(drawn: Picture, mark: _Mark) -> None:
    thick = max(2, round(mark.unit / 26))
    # A little inside, so that the outlines of tiles that touch stay apart.
    quad = mark.quad.mean(axis=0) + (mark.quad - mark.quad.mean(axis=0)) * np.float32(0.95)
    lines = list(zip(quad, np.roll(quad, -1, axis=0), strict=True))
    if mark.is_back:
        lines += [(quad[0], quad[2]), (quad[1], quad[3])]
    for a, b in lines:
        if mark.sure:
            _line(drawn, a, b, mark.colour, thick)
            continue
        dashes = 2 * max(2, round(float(np.linalg.norm(b - a)) / (6 * thick))) - 1
        for k in range(0, dashes, 2):
            _line(drawn, a + (b - a) * (k / dashes), a + (b - a) * ((k + 1) / dashes), mark.colour, thick)


def _plates(drawn: Picture, marks: Sequence[_Mark]) -> None:
    """The names: above the tile or below it where nothing lies, else a smaller one on its upper edge."""
    taken = [_box(mark.quad) for mark in marks]
    for k, mark in enumerate(marks):
        plate = _plate(mark, 1.0)
        high, wide = plate.shape[:2]
        x, y, w, h = taken[k]
        left = x + (w - wide) // 2
        places = [(left, y - high - 2, wide, high), (left, y + h + 2, wide, high)]
        others = taken[:k] + taken[k + 1 :]
        place = next(
            (p for p in places if _inside(p, drawn) and not any(_meet(p, other) for other in others)), None
        )
        if place is None:
            plate = _plate(mark, SMALL)
            high, wide = plate.shape[:2]
            place = (x + (w - wide) // 2, y, wide, high)
        taken.append(place)
        _paste(drawn, plate, place[0], place[1])


def _box(quad: NDArray[np.float32]) -> Rect:
    low, high = np.floor(quad.min(axis=0)), np.ceil(quad.max(axis=0))
    return int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1])


def _inside(place: Rect, drawn: Picture) -> bool:
    x, y, w, h = place
    return y >= 0 and y + h <= drawn.shape[0] and x > -w // 2 and x + w // 2 < drawn.shape[1]


def _meet(a: Rect, b: Rect) -> bool:
    across = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    down = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    # A narrow strip shared is no harm: tiles that stand askew have boxes larger than themselves.
    return across > 0.12 * min(a[2], b[2]) and down > 0.12 * min(a[3], b[3])


def _paste(drawn: Picture, plate: Picture, x: int, y: int) -> None:
    """Lay a plate onto the drawing, moved inside where it reaches over the edge."""
    high, wide = (min(a, b) for a, b in zip(plate.shape[:2], drawn.shape[:2], strict=True))
    x = max(0, min(x, drawn.shape[1] - wide))
    y = max(0, min(y, drawn.shape[0] - high))
    drawn[y : y + high, x : x + wide] = plate[:high, :wide]


def _plate(mark: _Mark, size: float) -> Picture:
    """The plate of one tile: its sign, its name, and below it how sure that is, in percent."""
    named = mark.tile.named
    wide, high = max(24, round(0.98 * size * mark.unit)), max(16, round(0.52 * size * mark.unit))
    plate = np.full((high, wide, 3), DARK if mark.sure else LIGHT, np.uint8)
    edge = max(1, round(mark.unit / 40))
    mini = sign(named.best, high - 2 * edge)
    plate[edge : edge + mini.shape[0], edge : edge + mini.shape[1]] = mini
    left = mini.shape[1] + 2 * edge
    name = str(named.best) + ("" if mark.sure else "?")
    percent = f"{min(99, int(100 * named.confidence))}%"
    small = percent if mark.number is None else f"{mark.number}: {percent}"
    ink = LIGHT if mark.sure else DARK
    _fit(plate, name, (left, edge, wide - left - edge, round(0.56 * high)), ink)
    _fit(plate, small, (left, round(0.62 * high), wide - left - edge, high - round(0.62 * high) - edge), ink)
    if not mark.sure:
        cv2.rectangle(plate, (0, 0), (wide - 1, high - 1), UNSURE, edge)
    return plate


def _fit(plate: Picture, text: str, place: Rect, ink: Colour) -> None:
    """Write as large as the place allows, from its left on."""
    x, y, w, h = place
    (wide, high), _ = cv2.getTextSize(text, FONT, 1.0, 1)
    size = min(w / wide, h / (high + 4))
    thick = max(1, round(1.4 * size))
    base = y + (h + round(high * size)) // 2
    cv2.putText(plate, text, (x, base), FONT, size, ink, thick, cv2.LINE_AA)


def _with_key(drawn: Picture, marks: Sequence[_Mark]) -> Picture:
    """The drawing with a strip below it that counts and explains the marks."""
    sure = sum(m.sure and not m.is_back for m in marks)
    unsure = sum(not m.sure for m in marks)
    backs = sum(m.sure and m.is_back for m in marks)
    texts = ((f"sure {sure}", SURE), (f"not sure ? {unsure}", UNSURE), (f"back {backs}", BACK))
    high = int(np.clip(drawn.shape[1] / 28, 18, 90))
    strip = np.full((high, drawn.shape[1], 3), DARK, np.uint8)
    step = drawn.shape[1] // len(texts)
    for k, (text, colour) in enumerate(texts):
        thick = max(2, high // 14)
        box = np.array([(k * step + 6 + x * high, high * y) for x, y in
                        ((0.1, 0.15), (0.75, 0.15), (0.75, 0.85), (0.1, 0.85))], np.float32)  # fmt: skip
        for a, b in zip(box, np.roll(box, -1, axis=0), strict=True):
            for part in ((0.0, 1.0),) if colour != UNSURE else ((0.0, 0.35), (0.65, 1.0)):
                _line(strip, a + (b - a) * part[0], a + (b - a) * part[1], colour, thick)
        if colour == BACK:
            _line(strip, box[0], box[2], colour, thick)
            _line(strip, box[1], box[3], colour, thick)
        _fit(strip, text, (k * step + 12 + high, high // 6, step - high - 18, 2 * high // 3), LIGHT)
    return np.concatenate([drawn, strip])
