"""The suit of dots, in the looks that different sets have."""

from collections.abc import Callable
from math import cos, pi, sin
from types import MappingProxyType
from typing import Final

from hardware_sim.faces_sheet import Sheet
from hardware_sim.faces_style import Colour

PLACES: Final = MappingProxyType(
    {
        2: (6.3, ((0, -9.3, "green"), (0, 9.3, "blue"))),
        3: (5.1, ((-8, -12.2, "blue"), (0, 0, "red"), (8, 12.2, "green"))),
        4: (5.5, ((-6.8, -9.6, "blue"), (6.8, -9.6, "green"), (-6.8, 9.6, "green"), (6.8, 9.6, "blue"))),
        5: (
            4.7,
            (
                *((-7.7, -11.6, "blue"), (7.7, -11.6, "green"), (0, 0, "red")),
                *((-7.7, 11.6, "green"), (7.7, 11.6, "blue")),
            ),
        ),
        6: (
            4.8,
            (
                *((x, -12.3, "green") for x in (-6.3, 6.3)),
                *((x, y, "red") for y in (1.3, 12.2) for x in (-6.3, 6.3)),
            ),
        ),
        7: (
            4.0,
            (
                *((-8.4, -14.4, "green"), (0, -10.6, "green"), (8.4, -6.8, "green")),
                *((x, y, "red") for y in (4.3, 13.4) for x in (-5.6, 5.6)),
            ),
        ),
        8: (4.1, tuple((x, y, "blue") for y in (-13.8, -4.6, 4.6, 13.8) for x in (-5.6, 5.6))),
        9: (
            4.1,
            tuple(
                (x, y, ink)
                for y, ink in ((-12.2, "green"), (0.0, "red"), (12.2, "blue"))
                for x in (-8.8, 0, 8.8)
            ),
        ),
    }
)
"""For each rank the radius in mm and (x, y, ink) of each dot."""


def _around(number: int, radius: float, start: float = 0.0) -> list[tuple[float, float]]:
    turns = (start + 2 * pi * i / number for i in range(number))
    return [(radius * cos(turn), radius * sin(turn)) for turn in turns]


def _rings(sheet: Sheet, place: tuple[float, float], inks: list[tuple[float, Colour]]) -> None:
    for radius, colour in inks:
        sheet.disc(*place, radius, colour)


def _flower(sheet: Sheet, x: float, y: float, radius: float, colour: Colour) -> None:
    paper = sheet.style.body
    _rings(sheet, (x, y), [(radius, colour), (radius * 0.80, paper), (radius * 0.68, colour)])
    for dx, dy in _around(6, radius * 0.36):
        sheet.disc(x + dx, y + dy, radius * 0.11, paper)
    sheet.disc(x, y, radius * 0.14, paper)


def _target(sheet: Sheet, x: float, y: float, radius: float, colour: Colour) -> None:
    """Thin rings around a dark middle, as on Japanese sets."""
    paper, red = sheet.style.body, sheet.style.red
    middle = sheet.style.green if colour == red else red
    inks = [(radius, colour), (radius * 0.86, paper), (radius * 0.74, colour), (radius * 0.46, paper)]
    _rings(sheet, (x, y), [*inks, (radius * 0.34, middle), (radius * 0.12, paper)])


def _wheel(sheet: Sheet, x: float, y: float, radius: float, colour: Colour) -> None:
    """A rim, spokes and a hub, cut deep."""
    paper = sheet.style.body
    _rings(sheet, (x, y), [(radius, colour), (radius * 0.76, paper)])
    for dx, dy in _around(8, radius * 0.68, pi / 8):
        sheet.line([(x, y), (x + dx, y + dy)], radius * 0.17, colour)
    _rings(sheet, (x, y), [(radius * 0.40, paper), (radius * 0.30, colour)])


def _coin(sheet: Sheet, x: float, y: float, radius: float, colour: Colour) -> None:
    """A coin with a square hole, its rim beaded."""
    paper, hole = sheet.style.body, radius * 0.26
    _rings(sheet, (x, y), [(radius, colour), (radius * 0.84, paper), (radius * 0.72, colour)])
    square = [(x + a * hole, y + b * hole) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    sheet.area(square, paper)
    for dx, dy in _around(4, radius * 0.50):
        sheet.disc(x + dx, y + dy, radius * 0.10, paper)


def _disc(sheet: Sheet, x: float, y: float, radius: float, colour: Colour) -> None:
    """Plain and bold: a disc with one light ring."""
    paper = sheet.style.body
    _rings(sheet, (x, y), [(radius * 1.05, colour), (radius * 0.58, paper), (radius * 0.36, colour)])


_LOOKS: Final[MappingProxyType[str, Callable[[Sheet, float, float, float, Colour], None]]] = MappingProxyType(
    {"flowers": _flower, "rings": _target, "wheels": _wheel, "coins": _coin, "discs": _disc}
)


def _one(sheet: Sheet) -> None:
    """The big dot of the classic set."""
    green, red, paper = sheet.style.green, sheet.style.red, sheet.style.body
    _rings(sheet, (0, 0), [(13, green), (11.8, paper), (10.9, green)])
    for x, y in _around(16, 8.6):
        sheet.disc(x, y, 1.25, paper)
    _rings(sheet, (0, 0), [(6.6, paper), (5.9, red), (4.2, paper)])
    for i in range(6):
        turn = pi * i / 3
        sheet.oval(2.2 * cos(turn), 2.2 * sin(turn), (1.9, 1.0), turn * 180 / pi, red)
    sheet.disc(0, 0, 1.0, sheet.style.blue)


def _one_of(sheet: Sheet) -> None:
    """The big dot of the other sets: a wreath around a small one of their kind."""
    style = sheet.style
    paper = style.body
    if style.dots == "discs":
        _rings(sheet, (0, 0), [(13.4, style.red), (10.2, paper), (7.4, style.red), (2.6, paper)])
        return
    if style.dots == "rings":
        inks = [(12.6, style.blue), (11.4, paper), (10.6, style.green), (8.2, paper)]
        _rings(sheet, (0, 0), [*inks, (7.4, style.blue), (5.6, paper)])
        for x, y in _around(8, 9.4):
            sheet.disc(x, y, 0.8, paper)
        _rings(sheet, (0, 0), [(4.6, style.red), (1.3, paper)])
        return
    _rings(sheet, (0, 0), [(13.2, style.blue), (12.2, paper)])
    for i, (x, y) in enumerate(_around(12, 10.0)):
        sheet.disc(x, y, 1.9, style.green if i % 2 or style.dots == "coins" else style.red)
        sheet.disc(x, y, 0.7, paper)
    _LOOKS[style.dots](sheet, 0, 0, 7.2, style.red if style.dots == "coins" else style.green)
    if style.dots == "wheels":
        sheet.disc(0, 0, 2.4, style.red)


def draw_dots(sheet: Sheet, rank: int) -> None:
    """Draw 1 to 9 dots in the style of the sheet."""
    style = sheet.style
    if rank == 1:
        if style.dots == "flowers":
            _one(sheet)
        else:
            _one_of(sheet)
        return
    radius, places = PLACES[rank]
    for x, y, ink in places:
        _LOOKS[style.dots](sheet, x, y, radius * style.dot_size, style.ink(style.other(ink)))
