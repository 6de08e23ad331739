"""Small signs of tiles, drawn from lines and discs alone: no font of the system is needed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from rules.tiles import Tile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]
    Point = tuple[float, float]

WIDE: Final = 90
HIGH: Final = 120
"""Size of the drawing, px, before it is made as small as it is wanted."""
PAPER: Final = (250, 252, 252)
INK: Final = (60, 40, 30)
RED: Final = (40, 40, 200)
GREEN: Final = (50, 130, 20)
BLUE: Final = (190, 90, 20)
"""Colours, BGR."""
SIGN_FONT: Final = cv2.FONT_HERSHEY_DUPLEX

PIPS: Final[dict[int, tuple[Point, ...]]] = {
    1: ((0.5, 0.5),),
    2: ((0.5, 0.26), (0.5, 0.74)),
    3: ((0.26, 0.2), (0.5, 0.5), (0.74, 0.8)),
    4: ((0.29, 0.26), (0.71, 0.26), (0.29, 0.74), (0.71, 0.74)),
    5: ((0.27, 0.22), (0.73, 0.22), (0.5, 0.5), (0.27, 0.78), (0.73, 0.78)),
    6: ((0.3, 0.2), (0.7, 0.2), (0.3, 0.54), (0.7, 0.54), (0.3, 0.82), (0.7, 0.82)),
    7: ((0.22, 0.14), (0.5, 0.25), (0.78, 0.36), (0.3, 0.6), (0.7, 0.6), (0.3, 0.84), (0.7, 0.84)),
    8: tuple((x, y) for y in (0.15, 0.385, 0.615, 0.85) for x in (0.3, 0.7)),
    9: tuple((x, y) for y in (0.2, 0.5, 0.8) for x in (0.22, 0.5, 0.78)),
}
"""Middles of a rank's pips, parts of width and height."""
WAN: Final = (((0.2, 0.56), (0.8, 0.56)), ((0.48, 0.56), (0.42, 0.75), (0.26, 0.92)),
              ((0.46, 0.7), (0.7, 0.7), (0.66, 0.9), (0.55, 0.88)))  # fmt: skip
MIDDLE: Final = (((0.2, 0.3), (0.8, 0.3), (0.8, 0.58), (0.2, 0.58), (0.2, 0.3)), ((0.5, 0.1), (0.5, 0.92)))
PROSPER: Final = (((0.16, 0.4), (0.84, 0.4)), ((0.5, 0.12), (0.42, 0.56), (0.18, 0.9)),
                  ((0.62, 0.14), (0.74, 0.26)), ((0.4, 0.56), (0.74, 0.56), (0.6, 0.76), (0.36, 0.92)),
                  ((0.46, 0.66), (0.62, 0.8), (0.84, 0.92)))  # fmt: skip
"""Strokes of 万, 中, 发, parts of width and height."""


def sign(tile: Tile, height: int) -> Picture:
    """A tile's sign (height, 3/4 height, 3), BGR; read-only."""
    return _sign(tile, height)


@lru_cache(maxsize=256)
def _sign(tile: Tile, height: int) -> Picture:
    drawing = np.full((HIGH, WIDE, 3), PAPER, np.uint8)
    if tile is Tile.BACK:
        _back(drawing)
    elif tile.is_flower:
        _flower(drawing, tile)
    elif tile.rank is None:
        _honour(drawing, tile)
    elif tile.suit == "p":
        _pips(drawing, tile.rank)
    elif tile.suit == "s":
        _sticks(drawing, tile.rank)
    else:
        _word(drawing, str(tile.rank), (0.5, 0.22), 1.9, INK)
        _strokes(drawing, WAN, RED)
    cv2.rectangle(drawing, (0, 0), (WIDE - 1, HIGH - 1), INK, 5)
    small = cv2.resize(drawing, (max(3, height * WIDE // HIGH), height), interpolation=cv2.INTER_AREA)
    small.flags.writeable = False
    return np.asarray(small, np.uint8)


def _at(point: Point) -> tuple[int, int]:
    """A place given in parts, px; a little margin stays free."""
    return round(WIDE * (0.06 + 0.88 * point[0])), round(HIGH * (0.06 + 0.88 * point[1]))


def _strokes(drawing: Picture, strokes: Iterable[tuple[Point, ...]], colour: tuple[int, int, int]) -> None:
    for stroke in strokes:
        line = np.array([_at(point) for point in stroke], np.int32)
        cv2.polylines(drawing, [line], isClosed=False, color=colour, thickness=8, lineType=cv2.LINE_AA)


def _word(drawing: Picture, text: str, middle: Point, size: float, colour: tuple[int, int, int]) -> None:
    (wide, high), _ = cv2.getTextSize(text, SIGN_FONT, size, 4)
    x, y = _at(middle)
    cv2.putText(drawing, text, (x - wide // 2, y + high // 2), SIGN_FONT, size, colour, 5, cv2.LINE_AA)


def _pips(drawing: Picture, rank: int) -> None:
    radius = 30 if rank == 1 else 17 if rank < 6 else 12
    for k, pip in enumerate(PIPS[rank]):
        colour = RED if rank == 1 or (rank in {5, 9} and pip[1] == 0.5) else (BLUE, GREEN)[k % 2]
        cv2.circle(drawing, _at(pip), radius, colour, -1, cv2.LINE_AA)
        cv2.circle(drawing, _at(pip), max(3, radius // 3), PAPER, -1, cv2.LINE_AA)


def _sticks(drawing: Picture, rank: int) -> None:
    if rank == 1:
        # The bird: a round body, a head, a tail.
        cv2.ellipse(drawing, _at((0.5, 0.58)), (20, 30), 20, 0, 360, GREEN, -1, cv2.LINE_AA)
        cv2.circle(drawing, _at((0.62, 0.24)), 12, RED, -1, cv2.LINE_AA)
        _strokes(drawing, (((0.4, 0.8), (0.2, 0.95)), ((0.45, 0.84), (0.5, 0.98))), GREEN)
        return
    half = 0.15 if rank < 6 else 0.1 if rank < 8 else 0.07
    for x, y in PIPS[rank]:
        middle = (rank == 5 and x == 0.5) or (rank in {7, 9} and x == 0.5)
        _strokes(drawing, (((x, y - half), (x, y + half)),), RED if middle else GREEN)


def _honour(drawing: Picture, tile: Tile) -> None:
    match tile:
        case Tile.RED:
            _strokes(drawing, MIDDLE, RED)
        case Tile.GREEN:
            _strokes(drawing, PROSPER, GREEN)
        case Tile.WHITE:
            cv2.rectangle(drawing, _at((0.16, 0.12)), _at((0.84, 0.88)), BLUE, 8)
        case _:
            _word(drawing, str(tile), (0.5, 0.5), 2.6, INK)


def _flower(drawing: Picture, tile: Tile) -> None:
    number = int(tile) - int(Tile.PLUM) + 1
    for turn in np.arange(5) * 2 * np.pi / 5:
        petal = (0.5 + 0.24 * float(np.sin(turn)), 0.68 - 0.17 * float(np.cos(turn)))
        cv2.circle(drawing, _at(petal), 12, RED if number <= 4 else BLUE, -1, cv2.LINE_AA)
    _word(drawing, str(number), (0.5, 0.16), 1.6, INK)


def _back(drawing: Picture) -> None:
    drawing[:] = (120, 90, 40)
    for shift in range(-HIGH, WIDE, 24):
        cv2.line(drawing, (shift, 0), (shift + HIGH, HIGH), PAPER, 4, cv2.LINE_AA)
        cv2.line(drawing, (shift + HIGH, 0), (shift, HIGH), PAPER, 4, cv2.LINE_AA)
