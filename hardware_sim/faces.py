"""The faces of the simulator's tiles: glyphs from `art/glyphs.png`, everything else drawn here.

A face is drawn once at FINE pixels per mm and reduced. `face_texture` gives the whole upper side of a tile
with its rounded edge, as BGRA (H, W, 4) uint8 at TEXTURE_SCALE pixels per mm.
"""

from functools import cache
from math import cos, pi, sin

import cv2
import numpy as np
import numpy.typing as npt

from hardware_sim.art.draw_glyphs import GLYPHS
from hardware_sim.faces_flowers import draw_flower
from hardware_sim.faces_sheet import BACKS, BLACK, BLUE, FINE, GREEN, IVORY, RED, Colour, Picture, Sheet
from hardware_sim.scene import TILE_HEIGHT, TILE_WIDTH
from rules.tiles import Tile

TEXTURE_SCALE = 3.0  # px per mm of the finished texture
CORNER = 3.0  # mm, radius of a tile's corners


def _characters(sheet: Sheet, rank: int) -> None:
    sheet.glyph(GLYPHS[rank - 1], 0, -9.6, (20, 16), BLACK)
    sheet.glyph("萬", 0, 8.6, (21, 18.5), RED)


def _dot(sheet: Sheet, x: float, y: float, radius: float, colour: Colour) -> None:
    sheet.disc(x, y, radius, colour)
    sheet.disc(x, y, radius * 0.80, IVORY)
    sheet.disc(x, y, radius * 0.68, colour)
    for i in range(6):
        turn = pi * i / 3
        sheet.disc(x + radius * 0.36 * cos(turn), y + radius * 0.36 * sin(turn), radius * 0.11, IVORY)
    sheet.disc(x, y, radius * 0.14, IVORY)


def _one_dot(sheet: Sheet) -> None:
    for radius, colour in ((13, GREEN), (11.8, IVORY), (10.9, GREEN)):
        sheet.disc(0, 0, radius, colour)
    for i in range(16):
        turn = pi * i / 8
        sheet.disc(8.6 * cos(turn), 8.6 * sin(turn), 1.25, IVORY)
    for radius, colour in ((6.6, IVORY), (5.9, RED), (4.2, IVORY)):
        sheet.disc(0, 0, radius, colour)
    for i in range(6):
        turn = pi * i / 3
        sheet.oval(2.2 * cos(turn), 2.2 * sin(turn), (1.9, 1.0), turn * 180 / pi, RED)
    sheet.disc(0, 0, 1.0, BLUE)


_DOTS: dict[int, tuple[float, tuple[tuple[float, float, Colour], ...]]] = {
    2: (6.3, ((0, -9.3, GREEN), (0, 9.3, BLUE))),
    3: (5.1, ((-8, -12.2, BLUE), (0, 0, RED), (8, 12.2, GREEN))),
    4: (5.5, ((-6.8, -9.6, BLUE), (6.8, -9.6, GREEN), (-6.8, 9.6, GREEN), (6.8, 9.6, BLUE))),
    5: (4.7, ((-7.7, -11.6, BLUE), (7.7, -11.6, GREEN), (0, 0, RED), (-7.7, 11.6, GREEN), (7.7, 11.6, BLUE))),
    6: (
        4.8,
        (
            *((x, -12.3, GREEN) for x in (-6.3, 6.3)),
            *((x, y, RED) for y in (1.3, 12.2) for x in (-6.3, 6.3)),
        ),
    ),
    7: (
        4.0,
        (
            *((-8.4, -14.4, GREEN), (0, -10.6, GREEN), (8.4, -6.8, GREEN)),
            *((x, y, RED) for y in (4.3, 13.4) for x in (-5.6, 5.6)),
        ),
    ),
    8: (4.1, tuple((x, y, BLUE) for y in (-13.8, -4.6, 4.6, 13.8) for x in (-5.6, 5.6))),
    9: (
        4.1,
        tuple((x, y, ink) for y, ink in ((-12.2, GREEN), (0.0, RED), (12.2, BLUE)) for x in (-8.8, 0, 8.8)),
    ),
}


def _dots(sheet: Sheet, rank: int) -> None:
    if rank == 1:
        _one_dot(sheet)
        return
    radius, places = _DOTS[rank]
    for x, y, colour in places:
        _dot(sheet, x, y, radius, colour)


def _stick(sheet: Sheet, x: float, y: float, length: float, look: tuple[Colour, float]) -> None:
    """Draw one bamboo stick of two joints; look: (colour, mm its top stands to the right of its foot)."""
    colour, lean = look
    half = length / 2 - 1.2
    top, foot = (x + lean / 2, y - half), (x - lean / 2, y + half)
    sheet.line([top, foot], 3.4, colour)
    for share in (0.0, 0.5, 1.0):
        joint = (top[0] + (foot[0] - top[0]) * share, top[1] + (foot[1] - top[1]) * share)
        sheet.oval(*joint, (2.5, 1.3), 0, colour)
    for start in (0.14, 0.62):
        ends = [
            (top[0] + (foot[0] - top[0]) * share, top[1] + (foot[1] - top[1]) * share)
            for share in (start, start + 0.22)
        ]
        sheet.line(ends, 0.7, IVORY)


_STICKS: dict[int, tuple[float, tuple[tuple[float, float, Colour], ...]]] = {
    2: (15.0, ((0, -8.6, GREEN), (0, 8.6, BLUE))),
    3: (15.0, ((0, -8.6, BLUE), (-7, 8.6, GREEN), (7, 8.6, GREEN))),
    4: (15.0, ((-7, -8.6, BLUE), (7, -8.6, GREEN), (-7, 8.6, GREEN), (7, 8.6, BLUE))),
    5: (15.0, ((-8.4, -8.6, GREEN), (8.4, -8.6, BLUE), (0, 0, RED), (-8.4, 8.6, BLUE), (8.4, 8.6, GREEN))),
    6: (15.0, tuple((x, y, ink) for y, ink in ((-8.6, GREEN), (8.6, BLUE)) for x in (-8.6, 0, 8.6))),
    7: (
        10.6,
        (
            (0, -12.4, RED),
            *((x, y, BLUE if x == 0 else GREEN) for y in (0.0, 12.2) for x in (-8.6, 0, 8.6)),
        ),
    ),
    9: (
        10.6,
        tuple((x, y, ink) for y in (-12.3, 0.0, 12.3) for x, ink in ((-8.6, GREEN), (0.0, RED), (8.6, BLUE))),
    ),
}


def _sticks(sheet: Sheet, rank: int) -> None:
    if rank == 1:
        _bird(sheet)
        return
    if rank == 8:
        for y, colour, way in ((-8.6, GREEN, 1), (8.6, BLUE, -1)):
            for x, lean in ((-10.0, 0.0), (-3.6, 5.2 * way), (3.6, -5.2 * way), (10.0, 0.0)):
                _stick(sheet, x, y, 15.0, (colour, lean))
        return
    length, places = _STICKS[rank]
    for x, y, colour in places:
        _stick(sheet, x, y, length, (colour, 0.0))


def _bird(sheet: Sheet) -> None:
    """The bird of the one of bamboos, on its perch, tail down to the left."""
    sheet.line([(-11, 15.4), (11, 15.4)], 1.6, BLUE)
    for reach, colour in ((13.5, GREEN), (10.5, BLUE), (7.5, GREEN)):
        sheet.area([(-1, 2), (-10.8, reach), (-7.2, reach + 1.6), (3.6, 6)], colour)
        sheet.line([(-8.9, reach + 0.6), (0, 4)], 0.6, IVORY)
    sheet.oval(1.6, 1.2, (8.6, 5.6), -52, GREEN)
    sheet.oval(0.2, 1.6, (6.6, 3.0), -58, BLUE)
    for i in range(3):
        sheet.line([(-2.6 + 1.5 * i, 5.2 - 2.6 * i), (1.0 + 1.5 * i, 5.6 - 2.6 * i)], 0.8, IVORY)
    sheet.oval(5.6, 0.8, (4.6, 2.4), -70, RED)
    sheet.disc(5.2, -10.0, 4.4, GREEN)
    sheet.disc(6.4, -10.8, 1.5, IVORY)
    sheet.disc(6.6, -10.8, 0.8, RED)
    sheet.area([(9.0, -11.2), (13.0, -9.2), (8.8, -8.4)], RED)
    for x, y in ((1.4, -16.6), (4.2, -17.6), (7.0, -17.0)):
        sheet.line([(4.8, -13.4), (x, y)], 0.9, RED)
        sheet.disc(x, y, 0.9, RED)
    for x in (1.6, 4.4):
        sheet.line([(x, 7.0), (x - 0.4, 15.0)], 1.1, RED)


def _honours(sheet: Sheet, tile: Tile) -> None:
    if tile is Tile.WHITE:
        for outer, inner in ((0.0, 1.9), (3.1, 4.0)):
            sheet.area(_frame(11.5 - outer, 16.5 - outer), BLUE)
            sheet.area(_frame(11.5 - inner, 16.5 - inner), IVORY)
        return
    char, colour = {
        Tile.EAST: ("東", BLUE),
        Tile.SOUTH: ("南", BLUE),
        Tile.WEST: ("西", BLUE),
        Tile.NORTH: ("北", BLUE),
        Tile.RED: ("中", RED),
        Tile.GREEN: ("發", GREEN),
    }[tile]
    sheet.glyph(char, 0, 0, (23, 30), colour)


def _frame(half_width: float, half_height: float) -> list[tuple[float, float]]:
    return [
        (-half_width, -half_height),
        (half_width, -half_height),
        (half_width, half_height),
        (-half_width, half_height),
    ]


def draw_face(tile: Tile, set_colour: int = 0) -> Picture:
    """Return one tile's face, (664, 496, 3) uint8 BGR; BACK is the plain back of `set_colour`."""
    if tile is Tile.BACK:
        return Sheet(BACKS[set_colour]).pixels
    sheet = Sheet()
    if Tile.M1 <= tile <= Tile.M9:
        _characters(sheet, tile - Tile.M1 + 1)
    elif Tile.P1 <= tile <= Tile.P9:
        _dots(sheet, tile - Tile.P1 + 1)
    elif Tile.S1 <= tile <= Tile.S9:
        _sticks(sheet, tile - Tile.S1 + 1)
    elif Tile.EAST <= tile <= Tile.WHITE:
        _honours(sheet, tile)
    elif Tile.PLUM <= tile <= Tile.WINTER:
        draw_flower(sheet, tile - Tile.PLUM + 1)
    else:
        raise ValueError(f"tile {tile!r}: has no face to draw")
    return sheet.pixels


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
def face_texture(tile: Tile, set_colour: int = 0) -> Picture:
    """Return the upper side of a lying tile, BGRA uint8, transparent outside its rounded corners."""
    ink = draw_face(tile, set_colour)
    height, width = ink.shape[:2]
    outline = rounded_outline(TILE_WIDTH, TILE_HEIGHT, CORNER) * FINE + (width / 2, height / 2)
    alpha = np.zeros((height, width), np.uint8)
    cv2.fillPoly(alpha, [np.round(outline).astype(np.int32)], 255)
    depth = cv2.distanceTransform(cv2.copyMakeBorder(alpha, 1, 1, 1, 1, cv2.BORDER_CONSTANT), cv2.DIST_L2, 3)
    bevel = np.clip(depth[1:-1, 1:-1] / (1.7 * FINE), 0, 1)[..., None]
    shaded = (ink * (0.80 + 0.20 * bevel)).astype(np.uint8)
    size = (round(TILE_WIDTH * TEXTURE_SCALE), round(TILE_HEIGHT * TEXTURE_SCALE))
    return np.asarray(cv2.resize(np.dstack((shaded, alpha)), size, interpolation=cv2.INTER_AREA), np.uint8)
