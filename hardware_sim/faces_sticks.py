"""The suit of bamboos from two to nine, in the looks that different sets have."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Final, TypeAlias

from hardware_sim.faces_sheet import Sheet
from hardware_sim.faces_style import Colour

End: TypeAlias = tuple[float, float]

PLACES: Final = MappingProxyType(
    {
        2: (15.0, ((0, -8.6, "green"), (0, 8.6, "blue"))),
        3: (15.0, ((0, -8.6, "blue"), (-7, 8.6, "green"), (7, 8.6, "green"))),
        4: (15.0, ((-7, -8.6, "blue"), (7, -8.6, "green"), (-7, 8.6, "green"), (7, 8.6, "blue"))),
        5: (
            15.0,
            (
                *((-8.4, -8.6, "green"), (8.4, -8.6, "blue"), (0, 0, "red")),
                *((-8.4, 8.6, "blue"), (8.4, 8.6, "green")),
            ),
        ),
        6: (15.0, tuple((x, y, ink) for y, ink in ((-8.6, "green"), (8.6, "blue")) for x in (-8.6, 0, 8.6))),
        7: (
            10.6,
            (
                (0, -12.4, "red"),
                *((x, y, "blue" if x == 0 else "green") for y in (0.0, 12.2) for x in (-8.6, 0, 8.6)),
            ),
        ),
        9: (
            10.6,
            tuple(
                (x, y, ink)
                for y in (-12.3, 0.0, 12.3)
                for x, ink in ((-8.6, "green"), (0.0, "red"), (8.6, "blue"))
            ),
        ),
    }
)
"""For each rank the length in mm and (x, y, ink) of each stick."""


def _between(top: End, foot: End, share: float) -> End:
    return top[0] + (foot[0] - top[0]) * share, top[1] + (foot[1] - top[1]) * share


def _joints(sheet: Sheet, top: End, foot: End, colour: Colour) -> None:
    """Two joints with light strokes, thicker where they meet."""
    sheet.line([top, foot], 3.4, colour)
    for share in (0.0, 0.5, 1.0):
        sheet.oval(*_between(top, foot, share), (2.5, 1.3), 0, colour)
    for start in (0.14, 0.62):
        ends = [_between(top, foot, share) for share in (start, start + 0.22)]
        sheet.line(ends, 0.7, sheet.style.body)


def _stems(sheet: Sheet, top: End, foot: End, colour: Colour) -> None:
    """Slim, with small knots, as on Japanese sets."""
    sheet.line([top, foot], 2.3, colour)
    for share in (0.0, 0.5, 1.0):
        spot = _between(top, foot, share)
        sheet.line([(spot[0] - 1.7, spot[1]), (spot[0] + 1.7, spot[1])], 1.3, colour)
    for share in (0.25, 0.75):
        sheet.oval(*_between(top, foot, share), (0.45, 1.3), 0, sheet.style.body)


def _bars(sheet: Sheet, top: End, foot: End, colour: Colour) -> None:
    """Plain and bold: a thick stroke, parted once."""
    sheet.line([_between(top, foot, 0.07), _between(top, foot, 0.93)], 3.7, colour)
    x, y = _between(top, foot, 0.5)
    sheet.line([(x - 2.4, y), (x + 2.4, y)], 1.3, sheet.style.body)


def _canes(sheet: Sheet, top: End, foot: End, colour: Colour) -> None:
    """Cut deep: bulging ends and a ring around the waist."""
    sheet.line([top, foot], 2.0, colour)
    for share in (0.12, 0.38, 0.62, 0.88):
        sheet.oval(*_between(top, foot, share), (2.2, 1.7), 0, colour)
    for share in (0.25, 0.75):
        sheet.disc(*_between(top, foot, share), 0.8, sheet.style.body)
    sheet.oval(*_between(top, foot, 0.5), (2.7, 0.9), 0, colour)


def _segments(sheet: Sheet, top: End, foot: End, colour: Colour) -> None:
    """Two hollow links and a bead at each end."""
    for share in (0.27, 0.73):
        reach = abs(foot[1] - top[1]) * 0.24
        lean = -(foot[0] - top[0]) / max(1e-6, foot[1] - top[1]) * 57.3
        spot = _between(top, foot, share)
        sheet.oval(*spot, (2.3, reach), lean, colour)
        sheet.oval(*spot, (0.9, reach * 0.55), lean, sheet.style.body)
    for share in (0.0, 0.5, 1.0):
        sheet.disc(*_between(top, foot, share), 1.35, colour)


_LOOKS: Final[MappingProxyType[str, Callable[[Sheet, End, End, Colour], None]]] = MappingProxyType(
    {"joints": _joints, "stems": _stems, "bars": _bars, "canes": _canes, "segments": _segments}
)


def _stick(sheet: Sheet, place: End, length: float, look: tuple[Colour, float]) -> None:
    """Draw one stick; look: (colour, mm its top stands to the right of its foot)."""
    (x, y), (colour, lean) = place, look
    half = length / 2 - 1.2
    _LOOKS[sheet.style.sticks](sheet, (x + lean / 2, y - half), (x - lean / 2, y + half), colour)


def draw_sticks(sheet: Sheet, rank: int) -> None:
    """Draw 2 to 9 bamboos in the style of the sheet."""
    style = sheet.style
    if rank == 8:
        for y, ink, way in ((-8.6, "green", 1), (8.6, "blue", -1)):
            for x, lean in ((-10.0, 0.0), (-3.6, 5.2 * way), (3.6, -5.2 * way), (10.0, 0.0)):
                _stick(sheet, (x, y), 15.0, (style.ink(style.stick_ink(ink)), lean))
        return
    length, places = PLACES[rank]
    for x, y, ink in places:
        _stick(sheet, (x, y), length, (style.ink(style.stick_ink(ink)), 0.0))
