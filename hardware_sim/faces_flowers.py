"""The eight flowers: four plants and four seasons, each with its character and number."""

from math import cos, pi, sin

from hardware_sim.faces_sheet import BLACK, BLUE, GREEN, IVORY, RED, Colour, Sheet


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
    sheet.line([(-9, 16), (-4, 7), (3, 3), (9, -5)], 1.5, BLACK)
    sheet.line([(-4, 7), (-9, 0)], 1.0, BLACK)
    for x, y, size in ((3, 3, 5.2), (-8, 0, 4.4), (8, -4, 4.2), (-3, 11, 3.6), (9, 10, 3.4)):
        _blossom(sheet, x, y, size, (RED, 5))


def _orchid(sheet: Sheet) -> None:
    for tip in ((-12, 2), (-8, -3), (-1, -5), (11, 1), (12, 9)):
        _leaf(sheet, (0, 16), tip, GREEN)
    for x, y in ((3, 1), (-4, 5), (7, 7)):
        _blossom(sheet, x, y, 4.6, ((150, 60, 140), 4))


def _chrysanthemum(sheet: Sheet) -> None:
    sheet.line([(0, 2), (1, 16)], 1.2, GREEN)
    for tip in ((-10, 9), (10, 10), (-8, 15)):
        _leaf(sheet, (1, 13), tip, GREEN)
    _blossom(sheet, 0, 1, 9.4, ((30, 150, 226), 14))
    _blossom(sheet, 0, 1, 5.4, (RED, 10))


def _bamboo(sheet: Sheet) -> None:
    for x, top in ((-5, -4), (3, -6)):
        sheet.line([(x, 16), (x + 1, top)], 2.0, GREEN)
        for y in (2, 9):
            sheet.line([(x - 1.0, y), (x + 2.0, y)], 0.8, IVORY)
    for foot, tip in (
        ((4, -2), (12, 4)),
        ((4, -2), (12, -4)),
        ((-4, 2), (-12, 8)),
        ((-4, 2), (-12, 0)),
        ((4, 8), (12, 13)),
    ):
        _leaf(sheet, foot, tip, GREEN)


def _season(sheet: Sheet, ground: Colour, accent: Colour) -> None:
    """A hill, a pavilion and a sun: what the four seasons share, in the season's colours."""
    sheet.area([(-12.5, 16), (-6, 5), (-1, 11), (5, 3), (12.5, 16)], ground)
    sheet.area([(-4, 9), (3, 4), (10, 9)], RED)
    for x in (-1.5, 3.0, 7.5):
        sheet.line([(x, 9), (x, 16)], 1.2, BLACK)
    sheet.disc(-7.0, 1.0, 3.2, accent)
    for x, y in ((-10, 13), (-6, 15), (11, 2)):
        _blossom(sheet, x, y, 2.6, (accent, 5))


_PLANTS = {"梅": _plum, "蘭": _orchid, "菊": _chrysanthemum, "竹": _bamboo}
_SEASONS: dict[str, tuple[Colour, Colour]] = {
    "春": (GREEN, (120, 90, 220)),
    "夏": ((150, 120, 30), RED),
    "秋": ((40, 110, 200), (30, 150, 226)),
    "冬": ((170, 150, 140), BLUE),
}


def draw_flower(sheet: Sheet, number: int) -> None:
    """Draw flower `number` 1..8: plum, orchid, chrysanthemum, bamboo, spring .. winter."""
    char = "梅蘭菊竹春夏秋冬"[number - 1]
    if char in _PLANTS:
        _PLANTS[char](sheet)
    else:
        _season(sheet, *_SEASONS[char])
    ink = RED if number <= 4 else BLUE
    sheet.glyph(char, 6.6, -12.4, (11, 11), ink)
    sheet.glyph(str((number - 1) % 4 + 1), -8.6, -12.6, (7, 9), GREEN if number <= 4 else RED)
