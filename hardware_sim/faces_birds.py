"""The one of bamboos: every set has a bird of its own."""

from collections.abc import Callable
from math import cos, pi, sin
from types import MappingProxyType
from typing import Final

from hardware_sim.faces_sheet import Sheet


def _perched(sheet: Sheet) -> None:
    """On its perch, tail down to the left."""
    style = sheet.style
    blue, green, red, paper = style.blue, style.green, style.red, style.body
    sheet.line([(-11, 15.4), (11, 15.4)], 1.6, blue)
    for reach, colour in ((13.5, green), (10.5, blue), (7.5, green)):
        sheet.area([(-1, 2), (-10.8, reach), (-7.2, reach + 1.6), (3.6, 6)], colour)
        sheet.line([(-8.9, reach + 0.6), (0, 4)], 0.6, paper)
    sheet.oval(1.6, 1.2, (8.6, 5.6), -52, green)
    sheet.oval(0.2, 1.6, (6.6, 3.0), -58, blue)
    for i in range(3):
        sheet.line([(-2.6 + 1.5 * i, 5.2 - 2.6 * i), (1.0 + 1.5 * i, 5.6 - 2.6 * i)], 0.8, paper)
    sheet.oval(5.6, 0.8, (4.6, 2.4), -70, red)
    sheet.disc(5.2, -10.0, 4.4, green)
    sheet.disc(6.4, -10.8, 1.5, paper)
    sheet.disc(6.6, -10.8, 0.8, red)
    sheet.area([(9.0, -11.2), (13.0, -9.2), (8.8, -8.4)], red)
    for x, y in ((1.4, -16.6), (4.2, -17.6), (7.0, -17.0)):
        sheet.line([(4.8, -13.4), (x, y)], 0.9, red)
        sheet.disc(x, y, 0.9, red)
    for x in (1.6, 4.4):
        sheet.line([(x, 7.0), (x - 0.4, 15.0)], 1.1, red)


def _peacock(sheet: Sheet) -> None:
    """A fan of eyed feathers behind a slim bird that looks to the left."""
    style = sheet.style
    for i in range(9):
        turn = -pi / 2 + 0.27 * (i - 4)
        tip = (1.2 + 16.6 * cos(turn) * 0.77, 3.6 + 19.4 * sin(turn))
        sheet.line([(1, 9), tip], 0.9, style.green)
        sheet.disc(*tip, 2.3, style.green)
        sheet.disc(*tip, 1.6, style.body)
        sheet.disc(*tip, 1.1, style.blue if i % 2 else style.red)
    sheet.oval(0, 9.0, (4.2, 6.6), 12, style.blue)
    sheet.line([(-1, 6), (-3.6, 0), (-3.0, -3.4)], 2.6, style.blue)
    sheet.disc(-3.4, -4.4, 2.3, style.blue)
    sheet.disc(-4.0, -4.8, 0.7, style.body)
    sheet.area([(-5.4, -5.2), (-8.8, -3.8), (-5.2, -3.2)], style.red)
    for x in (-1.8, 1.8):
        sheet.line([(x, 14.0), (x, 18.4), (x - 2.2, 18.8)], 0.9, style.red)


def _crane(sheet: Sheet) -> None:
    """Standing on long legs, its neck bent, a red crown; drawn with the brush."""
    style = sheet.style
    sheet.area([(-12, 4), (-1, -4.5), (7, -1), (6, 5), (-3, 8.5)], style.green)
    for y in (0.5, 3.0, 5.5):
        sheet.line([(-10, y + 2.6), (3, y - 2.4)], 0.8, style.body)
    sheet.area([(-12.5, 3.5), (-13.4, 9.5), (-4, 8)], style.blue)
    sheet.line([(5, 0), (9, -5), (5, -10), (7.6, -14.4)], 2.3, style.green)
    sheet.disc(7.8, -15.0, 2.5, style.green)
    sheet.oval(7.0, -17.2, (2.3, 1.1), 0, style.red)
    sheet.area([(9.8, -16.0), (14.2, -13.6), (9.4, -13.4)], style.red)
    sheet.disc(8.4, -15.4, 0.7, style.body)
    for x in (-1.0, 2.6):
        sheet.line([(x, 7.0), (x + 1.0, 12.6), (x - 0.4, 18.0), (x + 3.0, 18.2)], 1.0, style.red)


def _sparrow(sheet: Sheet) -> None:
    """Bold and round: three colours, nothing fine."""
    style = sheet.style
    sheet.area([(-13.5, 12.5), (-10.5, 5.5), (2, 2), (2, 10)], style.blue)
    sheet.oval(1.0, 3.0, (11.0, 8.6), -35, style.green)
    sheet.oval(-0.8, 4.4, (6.6, 4.2), -35, style.body)
    sheet.oval(-0.8, 4.4, (5.0, 2.8), -35, style.red)
    sheet.disc(5.8, -9.4, 5.8, style.green)
    sheet.disc(7.2, -10.6, 1.9, style.body)
    sheet.area([(10.4, -12.0), (15.0, -8.6), (10.2, -6.8)], style.red)
    for x in (0.0, 5.0):
        sheet.line([(x, 10.0), (x, 18.2)], 1.9, style.red)
    sheet.line([(-4, 18.4), (10, 18.4)], 1.7, style.red)


def _rooster(sheet: Sheet) -> None:
    """Facing left, tail feathers in three colours, comb and wattle."""
    style = sheet.style
    for bend, colour in ((0.0, style.blue), (3.0, style.red), (6.0, style.green)):
        sheet.line([(4, 5), (9.5, -3 + bend), (12.6, 3 + bend), (12.0, 9 + bend)], 2.0, colour)
    sheet.area([(-8, -3), (-4, -11), (0, -5), (7, 3), (3, 11), (-5, 9)], style.blue)
    for i in range(4):
        sheet.line([(-5 + 2.0 * i, 2 + i), (-3.2 + 2.0 * i, 7.4 - 0.4 * i)], 0.8, style.body)
    sheet.disc(-5.2, -10.8, 3.3, style.blue)
    for x in (-8.0, -5.6, -3.2):
        sheet.disc(x, -14.8, 1.7, style.red)
    sheet.area([(-8.0, -11.8), (-12.2, -9.8), (-8.0, -8.8)], style.green)
    sheet.oval(-7.2, -6.4, (1.2, 2.2), 0, style.red)
    sheet.disc(-6.0, -11.2, 0.9, style.body)
    for x in (-2.4, 1.6):
        sheet.line([(x, 9.5), (x, 16.6), (x - 2.6, 17.6)], 1.1, style.green)


_BIRDS: Final[MappingProxyType[str, Callable[[Sheet], None]]] = MappingProxyType(
    {
        "perched": _perched,
        "peacock": _peacock,
        "crane": _crane,
        "sparrow": _sparrow,
        "rooster": _rooster,
    }
)


def draw_bird(sheet: Sheet) -> None:
    """Draw the one of bamboos in the style of the sheet."""
    _BIRDS[sheet.style.bird](sheet)
