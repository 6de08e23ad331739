"""The printed corner markers: a sheet of paper with four squares to cut out and lay into the cloth's corners.

Each square is cut so large that its outer sides lie along the cloth's edges when the marker is in its place:
nothing has to be measured at the table. Everything is in millimetres from the sheet's upper left;
`markers_pdf` and `markers_png` make files of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.images import Points
from vision.zones import CornerMarkers, TableGeometry

A4: Final = (210.0, 297.0)
MARGIN_MM: Final = 15.0
FIRST_ROW_MM: Final = 94.0
BETWEEN_MM: Final = 22.0
RULER_MM: Final = 100.0
RULER_AT: Final = 275.0
PLAN_MM: Final = 44.0
BLACK: Final = 0.0
GREY: Final = 0.55
LARGEST_MM: Final = 86.0  # square that fits twice beside another

LINES: Final = (
    ("按 100 %（实际大小）打印，不要“适合页面”。", "Print at 100 % (actual size), not fitted to the page."),
    ("用尺子量下面的线：正好 100 毫米才对。", "Measure the line below: it must be 100 mm long."),
    (
        "沿虚线剪下，平贴在台布四角：外侧两边与台布边对齐。",
        "Cut along the dashed lines; stick flat, outer sides along the cloth's edges.",
    ),
    ("箭头都朝 2 号位，就是 0 号位的对家。", "All arrows point toward seat 2, opposite seat 0."),
    ("纸要哑光，不要塑封：反光会看不清。", "Matt paper, no lamination: glare hides markers."),
)


@dataclass(frozen=True, slots=True)
class Box:
    """A black rectangle."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Line:
    """A line, perhaps dashed; `grey` 0 is black, 1 white."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float = 0.25
    grey: float = BLACK
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text whose upper left, or middle if `centred`, is at (x, y); `size` mm high."""

    x: float
    y: float
    text: str
    size: float = 3.4
    centred: bool = False


Shape = Box | Line | Words


def sheet(geometry: TableGeometry) -> tuple[Shape, ...]:
    """Everything on the sheet, in the order in which it is drawn."""
    shapes: list[Shape] = list(_head())
    shapes += _plan(geometry)
    for number, at in _squares(geometry).items():
        shapes += _one(number, at, cut_side(geometry), geometry)
    return (*shapes, *_ruler())


def marker_corners(geometry: TableGeometry) -> dict[int, Points]:
    """Corners (4, 2) mm of each black square on the sheet: upper left, then clockwise."""
    side, black = cut_side(geometry), geometry.markers.side
    square = np.asarray([(0, 0), (black, 0), (black, black), (0, black)]) + (side - black) / 2
    return {number: np.asarray(at) + square for number, at in _squares(geometry).items()}


def _squares(geometry: TableGeometry) -> dict[int, tuple[float, float]]:
    """Upper left of each square to cut out. They lie as on the table, which shows what belongs where."""
    side = cut_side(geometry)
    left = (A4[0] - 2 * side - BETWEEN_MM) / 2
    step = side + BETWEEN_MM
    return {
        number: (left + int(x > 0) * step, FIRST_ROW_MM + int(y > 0) * step)
        for number, (x, y) in geometry.markers.centres.items()
    }


def cut_side(geometry: TableGeometry) -> float:
    """Side in mm of the square cut out around a marker: from its middle to the cloth's edge, twice."""
    x, y = geometry.markers.centres[min(geometry.markers.centres)]
    return min(2 * (geometry.cloth / 2 - max(abs(x), abs(y))), LARGEST_MM)


def dark_cells(markers: CornerMarkers, number: int) -> list[tuple[int, int, int]]:
    """(row, first column, count) of the dark runs of a marker's square of 6 x 6 cells, frame included."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, markers.dictionary))
    cells = dictionary.markerSize + 2
    code = np.asarray(cv2.aruco.generateImageMarker(dictionary, number, cells)) < 128
    runs = []
    for row in range(cells):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], code[row].astype(int), [0]))))
        runs += [(row, int(a), int(b - a)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return runs


def _one(number: int, at: tuple[float, float], side: float, geometry: TableGeometry) -> Iterator[Shape]:
    """A square to cut out, and below it where it goes."""
    x, y = at
    black = geometry.markers.side
    inner = (x + (side - black) / 2, y + (side - black) / 2)
    cells = 1 + max(row for row, _, _ in dark_cells(geometry.markers, number))
    cell = black / cells
    for row, first, count in dark_cells(geometry.markers, number):
        yield Box(inner[0] + first * cell, inner[1] + row * cell, count * cell, cell)
    corners = ((x, y), (x + side, y), (x + side, y + side), (x, y + side))
    for start, end in zip(corners, corners[1:] + corners[:1], strict=True):
        yield Line(*start, *end, width=0.2, grey=GREY, dashed=True)
    middle = x + side / 2
    yield Words(middle, y + 3.0, f"▲ {number} · 朝 2 号位 to seat 2", 2.6, centred=True)
    one, other = _neighbours(geometry.markers.centres[number])
    yield Words(middle, y + side + 4.0, f"{number} 号：{one} 号位与 {other} 号位之间的角", 3.6, centred=True)
    yield Words(
        middle, y + side + 9.0, f"marker {number}: the corner of seats {one} and {other}", 3.0, centred=True
    )


def _neighbours(place: tuple[float, float]) -> tuple[int, int]:
    """The two seats whose corner a point (x, y) is in."""
    seats = (0 if place[1] > 0 else 2, 1 if place[0] > 0 else 3)
    return min(seats), max(seats)


def _head() -> Iterator[Shape]:
    yield Words(MARGIN_MM, 14.0, "龙桌 桌角标记   longzhuo corner markers", 6.0)
    for i, (zh, en) in enumerate(LINES):
        yield Words(MARGIN_MM, 27.0 + 11.5 * i, f"{i + 1}. {zh}", 3.6)
        yield Words(MARGIN_MM + 5.0, 32.0 + 11.5 * i, en, 3.0)


def _plan(geometry: TableGeometry) -> Iterator[Shape]:
    """A small picture of the table: which marker lies where, who sits where."""
    left, top = A4[0] - MARGIN_MM - PLAN_MM - 9.0, 32.0
    corners = ((0.0, 0.0), (PLAN_MM, 0.0), (PLAN_MM, PLAN_MM), (0.0, PLAN_MM))
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True):
        yield Line(left + x1, top + y1, left + x2, top + y2, width=0.4)
    centre = (left + PLAN_MM / 2, top + PLAN_MM / 2)
    for number, (x, y) in geometry.markers.centres.items():
        out_x, out_y = float(np.sign(x)), float(np.sign(y))
        middle = (centre[0] + out_x * (PLAN_MM / 2 - 4.5), centre[1] + out_y * (PLAN_MM / 2 - 4.5))
        yield Box(middle[0] - 3.0, middle[1] - 3.0, 6.0, 6.0)
        yield Words(middle[0] - out_x * 6.5, middle[1] - out_y * 1.0, str(number), 4.6, centred=True)
    away = PLAN_MM / 2 + 4.0
    for seat, (x, y) in enumerate(((0, 1), (1, 0), (0, -1), (-1, 0))):
        text = f"{seat} 号位 seat {seat}" if x == 0 else f"{seat}号位"
        yield Words(centre[0] + x * (away + 1.5), centre[1] + y * away, text, 3.0, centred=True)
    yield Words(*centre, "▲", 6.0, centred=True)


def _ruler() -> Iterator[Shape]:
    left = (A4[0] - RULER_MM) / 2
    yield Line(left, RULER_AT, left + RULER_MM, RULER_AT, width=0.4)
    for tick in range(11):
        x = left + tick * RULER_MM / 10
        yield Line(x, RULER_AT - (4.0 if tick % 10 == 0 else 2.0), x, RULER_AT, width=0.25)
    yield Words(A4[0] / 2, RULER_AT + 4.5, "这条线长 100 毫米   this line is 100 mm long", 3.4, centred=True)
