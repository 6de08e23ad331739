"""A tile's upper side to draw on: shapes and glyphs in millimetres, in the inks of one set of tiles."""

from functools import cache
from importlib.resources import files
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from hardware_sim.art.draw_glyphs import CELL, GLYPHS, MORE
from hardware_sim.faces_style import Colour, FaceStyle
from hardware_sim.scene import TILE_HEIGHT, TILE_WIDTH

Picture: TypeAlias = npt.NDArray[np.uint8]

FINE = 16  # px per mm while drawing


class Sheet:
    """Paper of one tile's size to draw on in mm: origin in its centre, y down; and the style of the set."""

    def __init__(self, style: FaceStyle, ground: Colour | None = None) -> None:
        self.style = style
        size = (round(TILE_HEIGHT * FINE), round(TILE_WIDTH * FINE), 3)
        self.pixels: Picture = np.full(size, ground or style.body, np.uint8)

    def _at(self, x: float, y: float) -> tuple[int, int]:
        return round((x + TILE_WIDTH / 2) * FINE), round((y + TILE_HEIGHT / 2) * FINE)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """Fill a circle."""
        cv2.circle(self.pixels, self._at(x, y), round(radius * FINE), colour, -1, cv2.LINE_AA)

    def line(self, points: list[tuple[float, float]], width: float, colour: Colour) -> None:
        """Draw a broken line, `width` mm thick."""
        path = np.array([self._at(x, y) for x, y in points], np.int32)
        cv2.polylines(
            self.pixels,
            [path],
            isClosed=False,
            color=colour,
            thickness=max(1, round(width * FINE)),
            lineType=cv2.LINE_AA,
        )

    def area(self, points: list[tuple[float, float]], colour: Colour) -> None:
        """Fill a polygon."""
        cv2.fillPoly(
            self.pixels, [np.array([self._at(x, y) for x, y in points], np.int32)], colour, cv2.LINE_AA
        )

    def oval(self, x: float, y: float, size: tuple[float, float], turn: float, colour: Colour) -> None:
        """Fill an ellipse of half axes `size`, turned by `turn` degrees."""
        axes = (round(size[0] * FINE), round(size[1] * FINE))
        cv2.ellipse(self.pixels, self._at(x, y), axes, turn, 0, 360, colour, -1, cv2.LINE_AA)

    def make_room(self) -> None:
        """Shrink what is drawn so far, so that the upper left corner is free."""
        height, width = self.pixels.shape[:2]
        matrix = np.array([[0.84, 0, 0.11 * width], [0, 0.84, 0.13 * height]])
        drawn = cv2.warpAffine(
            self.pixels, matrix, (width, height), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE
        )
        self.pixels = np.asarray(drawn, np.uint8)

    def glyph(self, char: str, x: float, y: float, size: tuple[float, float], colour: Colour) -> None:
        """Ink a glyph, stretched to `size` (width, height) in mm, centred at (x, y)."""
        width, height = round(size[0] * FINE), round(size[1] * FINE)
        ink = cv2.resize(_glyphs(self.style.glyphs)[char], (width, height), interpolation=cv2.INTER_CUBIC)
        left, top = self._at(x - size[0] / 2, y - size[1] / 2)
        part = self.pixels[top : top + height, left : left + width]
        share = ink[: part.shape[0], : part.shape[1], None].astype(np.float32) / 255
        part[:] = (part * (1 - share) + np.array(colour, np.float32) * share).astype(np.uint8)


@cache
def _glyphs(name: str) -> dict[str, Picture]:
    data = np.frombuffer(files("hardware_sim.art").joinpath(f"{name}.png").read_bytes(), np.uint8)
    atlas = cv2.imdecode(data, cv2.IMREAD_GRAYSCALE)
    if atlas is None:
        raise ValueError(f"hardware_sim/art/{name}.png: not a picture")
    chars = (GLYPHS + MORE)[: atlas.shape[1] // CELL]
    return {char: np.asarray(atlas[:, i * CELL : (i + 1) * CELL], np.uint8) for i, char in enumerate(chars)}
