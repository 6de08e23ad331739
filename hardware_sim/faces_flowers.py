"""The eight flowers: four plants and four seasons, each with its character and number."""

from collections.abc import Callable
from math import cos, pi, sin
from types import MappingProxyType
from typing import Final

from hardware_sim.faces_sheet import Sheet
from hardware_sim.faces_style import Colour

GOLD: Colour = (30, 150, 226)
VIOLET: Colour = (150, 60, 140)


def _blossom(sheet: Sheet, x: float, y: float, radius: float, ink: tuple[Colour, int]) -> None:
    colour, petals = ink
    for i in range(petals):
        turn = 2 * pi * i / petals
        spot = (x + radius * 0.6 * cos(turn), y + radius * 0.6 * sin(turn))
        sheet.oval(*spot, (radius * 0.5, radius * 0.34), turn * 180 / pi, colour)
    sheet.disc(x, y, radius * 0.24, (40, 180, 230))


def _leaf(sheet: Sheet, foot: tuple[float, float], tip: tuple[float, float], colour: Colour) -> None:
    middle = ((foot[0] + tip[0]) / 2, (foot[1] + tip[1]) / 2)
    side = ((tip[1] - foot[1]) * 0.16, (foot[0] - tip[0]) * 0.16)
    left, right = (middle[0] + side[0], middle[1] + side[1]), (middle[0] - side[0], middle[1] - side[1])
    sheet.area([foot, left, tip, right], colour)


def _plum(sheet: Sheet) -> None:
    sheet.line([(-9, 16), (-4, 7), (3, 3), (9, -5)], 1.5, sheet.style.black)
    sheet.line([(-4, 7), (-9, 0)], 1.0, sheet.style.black)
    for x, y, size in ((3, 3, 5.2), (-8, 0, 4.4), (8, -4, 4.2), (-3, 11, 3.6), (9, 10, 3.4)):
        _blossom(sheet, x, y, size, (sheet.style.red, 5))


def _orchid(sheet: Sheet) -> None:
    for tip in ((-12, 2), (-8, -3), (-1, -5), (11, 1), (12, 9)):
        _leaf(sheet, (0, 16), tip, sheet.style.green)
    for x, y in ((3, 1), (-4, 5), (7, 7)):
        _blossom(sheet, x, y, 4.6, (VIOLET, 4))


def _chrysanthemum(sheet: Sheet) -> None:
    sheet.line([(0, 2), (1, 16)], 1.2, sheet.style.green)
    for tip in ((-10, 9), (10, 10), (-8, 15)):
        _leaf(sheet, (1, 13), tip, sheet.style.green)
    _blossom(sheet, 0, 1, 9.4, (GOLD, 14))
    _blossom(sheet, 0, 1, 5.4, (sheet.style.red, 10))


def _bamboo(sheet: Sheet) -> None:
    for x, top in ((-5, -4), (3, -6)):
        sheet.line([(x, 16), (x + 1, top)], 2.0, sheet.style.green)
        for y in (2, 9):
            sheet.line([(x - 1.0, y), (x + 2.0, y)], 0.8, sheet.style.body)
    for foot, tip in (
        ((4, -2), (12, 4)),
        ((4, -2), (12, -4)),
        ((-4, 2), (-12, 8)),
        ((-4, 2), (-12, 0)),
        ((4, 8), (12, 13)),
    ):
        _leaf(sheet, foot, tip, sheet.style.green)


def _season(sheet: Sheet, ground: Colour, accent: Colour) -> None:
    """A hill, a pavilion and a sun: what the four seasons share, in the season's colours."""
    sheet.area([(-12.5, 16), (-6, 5), (-1, 11), (5, 3), (12.5, 16)], ground)
    sheet.area([(-4, 9), (3, 4), (10, 9)], sheet.style.red)
    for x in (-1.5, 3.0, 7.5):
        sheet.line([(x, 9), (x, 16)], 1.2, sheet.style.black)
    sheet.disc(-7.0, 1.0, 3.2, accent)
    for x, y in ((-10, 13), (-6, 15), (11, 2)):
        _blossom(sheet, x, y, 2.6, (accent, 5))


_PLANTS: Final = MappingProxyType({"梅": _plum, "蘭": _orchid, "菊": _chrysanthemum, "竹": _bamboo})


def _season_inks(sheet: Sheet, char: str) -> tuple[Colour, Colour]:
    return {
        "春": (sheet.style.green, (120, 90, 220)),
        "夏": ((150, 120, 30), sheet.style.red),
        "秋": ((40, 110, 200), (30, 150, 226)),
        "冬": ((170, 150, 140), sheet.style.blue),
    }[char]


def _picture(sheet: Sheet, char: str) -> None:
    if char in _PLANTS:
        _PLANTS[char](sheet)
    else:
        _season(sheet, *_season_inks(sheet, char))


def _pictured(sheet: Sheet, char: str, number: int) -> None:
    """The classic set: a picture, above it the number and the character."""
    _picture(sheet, char)
    style = sheet.style
    sheet.glyph(char, 6.6, -12.4, (11, 11), style.red if number <= 4 else style.blue)
    digit = str((number - 1) % 4 + 1)
    sheet.glyph(digit, -8.6, -12.6, (7, 9), style.green if number <= 4 else style.red)


def _accent(sheet: Sheet, char: str) -> Colour:
    """Return the colour of a plant's blossoms or of a season."""
    style = sheet.style
    plants = {"梅": style.red, "蘭": VIOLET, "菊": GOLD, "竹": style.green}
    return plants[char] if char in plants else _season_inks(sheet, char)[1]


def _vase(sheet: Sheet, char: str, number: int) -> None:
    """A vase or a lantern with a spray in it, the character large at the left."""
    style, season = sheet.style, number > 4
    ink = style.red if season else style.blue
    accent = _accent(sheet, char)
    if season:
        sheet.line([(5, 1), (5, 16)], 0.9, style.black)
        sheet.oval(5, 7.6, (5.6, 5.2), 0, accent)
        for x in (2.4, 5.0, 7.6):
            sheet.line([(x, 3.6), (x, 11.6)], 0.6, style.body)
        sheet.area([(2.4, 1.6), (7.6, 1.6), (8.6, 3.2), (1.4, 3.2)], style.green)
    else:
        sheet.area([(1.6, 16.6), (8.6, 16.6), (10.4, 11), (7.4, 7.6), (2.8, 7.6), (-0.2, 11)], style.blue)
        sheet.line([(0.8, 11.6), (9.4, 11.6)], 0.9, style.body)
        for i, tip in enumerate(((-1.5, -3.0), (4.6, -6.5), (10.6, -2.5))):
            sheet.line([(5, 8), tip], 0.9, style.green)
            if char == "竹":
                _leaf(sheet, (tip[0], tip[1] + 5), (tip[0] - 3.5 + 3.5 * i, tip[1] - 2), accent)
            else:
                _blossom(sheet, *tip, 3.4, (accent, {"梅": 5, "蘭": 3}.get(char, 11)))
    sheet.glyph(char, -7.0, -11.4, (13, 14), ink)
    sheet.glyph("一二三四"[(number - 1) % 4], 9.6, -14.6, (7, 6), style.black)


def _word(sheet: Sheet, char: str, number: int) -> None:
    """The character alone, a small blossom of the season under it."""
    style = sheet.style
    ink = style.red if number > 4 else style.green
    sheet.glyph(char, 0, -4.2, (24, 25), ink)
    colour = _season_inks(sheet, char)[1] if number > 4 else style.blue
    for x in range((number - 1) % 4 + 1):
        _blossom(sheet, -9.0 + 6.0 * x, 14.4, 2.9, (colour, 5))


def _big(sheet: Sheet, char: str, number: int) -> None:
    """A large character, and a large number in a disc."""
    style = sheet.style
    ink = style.blue if number > 4 else style.red
    sheet.glyph(char, 0, -5.6, (25, 24), ink)
    sheet.disc(0, 13.6, 5.6, ink)
    sheet.glyph(str((number - 1) % 4 + 1), 0, 13.6, (6, 7.4), style.body)


def _medal(sheet: Sheet, char: str, number: int) -> None:
    """A picture in a ring, the character under it, its number in the corner."""
    style = sheet.style
    ring = style.green if number <= 4 else style.red
    for radius, colour in ((10.6, ring), (9.7, style.body)):
        sheet.disc(1.0, -5.0, radius, colour)
    petals = {"梅": 5, "蘭": 3, "菊": 12, "竹": 2, "春": 6, "夏": 8, "秋": 4, "冬": 7}[char]
    accent = style.blue if char == "蘭" else _accent(sheet, char)
    _blossom(sheet, 1.0, -5.0, 8.2, (accent, petals))
    _leaf(sheet, (1.0, 3.4), (-6.0, 1.4), style.green)
    _leaf(sheet, (1.0, 3.4), (8.0, 1.4), style.green)
    sheet.glyph(char, 0, 12.8, (12.5, 12.5), ring)
    sheet.glyph(str((number - 1) % 4 + 1), -11.8, -16.4, (4.6, 5.6), ring)


_LOOKS: Final[MappingProxyType[str, Callable[[Sheet, str, int], None]]] = MappingProxyType(
    {"pictures": _pictured, "vases": _vase, "words": _word, "big": _big, "medals": _medal}
)


def draw_flower(sheet: Sheet, number: int) -> None:
    """Draw flower `number` 1..8: plum, orchid, chrysanthemum, bamboo, spring .. winter."""
    _LOOKS[sheet.style.flowers](sheet, "梅蘭菊竹春夏秋冬"[number - 1], number)
