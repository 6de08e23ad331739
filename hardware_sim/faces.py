"""The faces of the simulator's tiles: glyphs from the atlases in `art`, everything else drawn here.

A face is drawn once at FINE pixels per mm and reduced. `face_texture` gives the whole upper side of a tile
with its rounded edge, as BGRA (H, W, 4) uint8.
"""

from functools import cache
from math import cos, pi, sin
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from hardware_sim.faces_birds import draw_bird
from hardware_sim.faces_dots import draw_dots
from hardware_sim.faces_flowers import draw_flower
from hardware_sim.faces_sheet import FINE, Picture, Sheet
from hardware_sim.faces_sticks import draw_sticks
from hardware_sim.faces_style import CLASSIC, FaceStyle
from hardware_sim.scene import TILE_HEIGHT, TILE_WIDTH
from rules.tiles import Tile

TEXTURE_SCALE = 3.0  # px per mm of the usual finished texture
NUMERALS: Final = "一二三四五六七八九"
CORNER_LETTERS: Final = {
    Tile.EAST: ("E", "black"),
    Tile.SOUTH: ("S", "black"),
    Tile.WEST: ("W", "black"),
    Tile.NORTH: ("N", "black"),
    Tile.RED: ("C", "red"),
    Tile.GREEN: ("F", "green"),
    Tile.WHITE: ("B", "blue"),
}
GROOVE: Final = 5  # px of FINE that a groove's edge is wide


def _characters(sheet: Sheet, rank: int) -> None:
    style, size = sheet.style, sheet.style.size
    numeral = style.five if rank == 5 else NUMERALS[rank - 1]
    aside = 1.6 if style.corners else 0.0
    sheet.glyph(numeral, aside, -9.6, (20 * size, 16 * size), style.black)
    sheet.glyph(style.wan, 0, 8.6, (21 * size, 18.5 * size), style.ink(style.wan_ink))


def _frame(half_width: float, half_height: float) -> list[tuple[float, float]]:
    return [
        (-half_width, -half_height),
        (half_width, -half_height),
        (half_width, half_height),
        (-half_width, half_height),
    ]


def _frames(sheet: Sheet, outer: tuple[float, float], widths: tuple[tuple[float, float], ...]) -> None:
    """Draw frames inside each other: for each how far its outer and its inner edge lie inside `outer`."""
    for near, far in widths:
        sheet.area(_frame(outer[0] - near, outer[1] - near), sheet.style.blue)
        sheet.area(_frame(outer[0] - far, outer[1] - far), sheet.style.body)


def _white(sheet: Sheet) -> None:
    style = sheet.style
    match style.white:
        case "blank":
            return
        case "double":
            _frames(sheet, (11.5, 16.5), ((0.0, 1.9), (3.1, 4.0)))
        case "thick":
            _frames(sheet, (12.6, 17.6), ((0.0, 3.4),))
        case "panel":
            _frames(sheet, (11.8, 17.0), ((0.0, 1.1), (1.9, 4.0)))
            for x, y in _frame(6.0, 11.2):
                sheet.area([(x, y), (x * 0.5, y), (x, y * 0.7)], style.blue)
        case "corners":
            _frames(sheet, (10.2, 15.4), ((0.0, 0.9), (1.9, 2.8)))
            for x, y in _frame(8.8, 14.0):
                sheet.disc(x, y, 2.6, style.blue)
                sheet.disc(x, y, 1.3, style.body)


def _honours(sheet: Sheet, tile: Tile) -> None:
    style = sheet.style
    if tile is Tile.WHITE:
        _white(sheet)
        return
    char, colour = {
        Tile.EAST: ("東", style.ink(style.wind_ink)),
        Tile.SOUTH: ("南", style.ink(style.wind_ink)),
        Tile.WEST: ("西", style.ink(style.wind_ink)),
        Tile.NORTH: ("北", style.ink(style.wind_ink)),
        Tile.RED: ("中", style.red),
        Tile.GREEN: ("發", style.green),
    }[tile]
    size = min(1.1, style.size) * (0.86 if style.corners else 1.0)
    sheet.glyph(char, 0, 1.8 if style.corners else 0, (23 * size, 30 * size), colour)


def _corner(sheet: Sheet, tile: Tile) -> None:
    """Write the number or letter that sets for beginners have in the upper left corner."""
    if tile in CORNER_LETTERS:
        letter, ink = CORNER_LETTERS[tile]
    elif tile.is_suited:
        letter, ink = str(tile.rank), {"m": "black", "p": "blue", "s": "green"}[str(tile)[-1]]
    else:
        return
    sheet.glyph(letter, -11.8, -16.4, (4.6, 5.6), sheet.style.ink(ink))


def draw_face(tile: Tile, set_colour: int = 0, style: FaceStyle = CLASSIC) -> Picture:
    """Return one tile's face, (664, 496, 3) uint8 BGR; BACK is the plain back of `set_colour`."""
    if tile is Tile.BACK:
        return Sheet(style, style.backs[set_colour]).pixels
    sheet = Sheet(style)
    if Tile.M1 <= tile <= Tile.M9:
        _characters(sheet, tile - Tile.M1 + 1)
    elif Tile.P1 <= tile <= Tile.P9:
        draw_dots(sheet, tile - Tile.P1 + 1)
    elif tile == Tile.S1:
        draw_bird(sheet)
    elif Tile.S1 < tile <= Tile.S9:
        draw_sticks(sheet, tile - Tile.S1 + 1)
    elif Tile.EAST <= tile <= Tile.WHITE:
        _honours(sheet, tile)
    elif Tile.PLUM <= tile <= Tile.WINTER:
        draw_flower(sheet, tile - Tile.PLUM + 1)
    else:
        raise ValueError(f"tile {tile!r}: has no face to draw")
    if style.corners:
        if tile is Tile.WHITE or (tile.is_suited and tile >= Tile.P1):
            sheet.make_room()
        _corner(sheet, tile)
    return _cut(sheet.pixels, style)


def _cut(ink: Picture, style: FaceStyle) -> Picture:
    """Shade the edges of everything inked as if it were cut into the tile, lit from above."""
    if not style.engraved:
        return ink
    away = np.abs(ink.astype(np.int16) - np.array(style.body, np.int16)).max(axis=2)
    depth = cv2.GaussianBlur((away > 40).astype(np.float32), (0, 0), GROOVE / 2)
    edge = depth - np.roll(depth, (GROOVE, GROOVE // 2), axis=(0, 1))
    shaded = ink.astype(np.float32) * (1 - style.engraved * np.clip(edge, -0.35, 1.0))[..., None]
    return np.asarray(np.clip(shaded, 0, 255), np.uint8)


def rounded_outline(width: float, height: float, radius: float, steps: int = 4) -> npt.NDArray[np.float64]:
    """Return the outline of a rounded rectangle around (0, 0), (4 * (steps + 1), 2), clockwise."""
    points = []
    for turn, x, y in ((0, 1, 1), (1, -1, 1), (2, -1, -1), (3, 1, -1)):
        centre = (x * (width / 2 - radius), y * (height / 2 - radius))
        for i in range(steps + 1):
            angle = pi / 2 * (turn + i / steps)
            points.append((centre[0] + radius * cos(angle), centre[1] + radius * sin(angle)))
    return np.array(points)


@cache
def face_texture(
    tile: Tile, set_colour: int = 0, style: FaceStyle = CLASSIC, scale: float = TEXTURE_SCALE
) -> Picture:
    """Return the upper side of a lying tile, BGRA uint8, transparent outside its rounded corners.

    `scale`: pixels per mm.
    """
    ink = draw_face(tile, set_colour, style)
    alpha, light = _edge(style)
    shaded = (ink * light[..., None]).astype(np.uint8)
    size = (round(TILE_WIDTH * scale), round(TILE_HEIGHT * scale))
    return np.asarray(cv2.resize(np.dstack((shaded, alpha)), size, interpolation=cv2.INTER_AREA), np.uint8)


@cache
def _edge(style: FaceStyle) -> tuple[Picture, npt.NDArray[np.float32]]:
    """Return where a tile's upper side is (255 or 0), and how light: it is rounded off towards its edge."""
    height, width = round(TILE_HEIGHT * FINE), round(TILE_WIDTH * FINE)
    outline = rounded_outline(TILE_WIDTH, TILE_HEIGHT, style.radius) * FINE + (width / 2, height / 2)
    alpha = np.zeros((height, width), np.uint8)
    cv2.fillPoly(alpha, [np.round(outline).astype(np.int32)], 255)
    depth = cv2.distanceTransform(cv2.copyMakeBorder(alpha, 1, 1, 1, 1, cv2.BORDER_CONSTANT), cv2.DIST_L2, 3)
    bevel = np.clip(depth[1:-1, 1:-1] / (1.7 * FINE), 0, 1)
    return alpha, np.asarray(0.80 + 0.20 * bevel, np.float32)
