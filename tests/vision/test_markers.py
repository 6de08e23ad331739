"""The sheet of corner markers is true to scale, readable, and says where each marker goes."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import zlib
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from controller.models import load
from vision.lettering import HAS_CHINESE, lettered
from vision.markers_pdf import pdf
from vision.markers_png import png, raster
from vision.markers_sheet import A4, Box, Line, Words, cut_side, marker_corners, sheet
from vision.rectify import find_markers

if TYPE_CHECKING:
    from pathlib import Path

    from vision.images import Image

GEOMETRY = load("longzhuo840")
SHEET = sheet(GEOMETRY)
POINT_MM = 25.4 / 72


def misplaced(page: Image, dpi: float) -> list[str]:
    """Markers that are not read, are not 40 mm wide, or do not stand where the sheet says."""
    found = find_markers(page, GEOMETRY.markers)
    wrong = [f"{number} is not read" for number in sorted({0, 1, 2, 3} ^ set(found))]
    for number, corners in found.items():
        millimetres = (corners + 0.5) / dpi * 25.4
        if np.abs(millimetres - marker_corners(GEOMETRY)[number]).max() >= 0.25:
            wrong.append(f"{number} stands elsewhere")
        sides = np.hypot(*(millimetres - np.roll(millimetres, -1, axis=0)).T)
        if abs(sides.mean() - 40.0) > 0.15:
            wrong.append(f"{number} is {sides.mean():.2f} mm wide")
    return wrong


@pytest.mark.parametrize("dpi", [150, 300])
def test_the_picture_is_true_to_scale(dpi: int) -> None:
    assert misplaced(raster(SHEET, dpi=dpi), dpi) == []


def test_the_png_says_how_large_it_is() -> None:
    data = png(SHEET, dpi=200)
    page = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert page is not None
    assert page.shape[1] / 200 * 25.4 == pytest.approx(A4[0], abs=0.1)
    at = data.index(b"pHYs")
    across, down, unit = struct.unpack(">IIB", data[at + 4 : at + 13])
    assert (across, down, unit) == (7874, 7874, 1)
    assert struct.unpack(">I", data[at + 13 : at + 17])[0] == zlib.crc32(data[at : at + 13])


def drawing_of(data: bytes) -> str:
    """The page's drawing commands, found the way a viewer finds them: by the table of places at the end."""
    start = int(data[data.rindex(b"startxref") + 9 :].split()[0])
    assert data[start : start + 4] == b"xref"
    places = [int(line.split()[0]) for line in data[start:].split(b"\n")[3:] if line.endswith(b" n ")]
    for number, place in enumerate(places, 1):
        assert data[place:].startswith(b"%d 0 obj\n" % number)
    body = data[places[3] :]
    length = int(re.search(rb"/Length (\d+)", body)[1])  # type: ignore[index]
    begin = body.index(b"stream\n") + 7
    return zlib.decompress(body[begin : begin + length]).decode()


def test_the_pdf_s_rectangles_are_the_markers_at_true_size() -> None:
    data = pdf(SHEET)
    assert b"/PrintScaling /None" in data
    assert re.search(rb"/MediaBox \[0 0 595\.27\d+ 841\.88\d+\]", data)
    number = r"(-?[\d.]+)"
    boxes = re.findall(rf"{number} {number} {number} {number} re", drawing_of(data))
    scale = 10
    page = np.full((round(A4[1] * scale), round(A4[0] * scale), 3), 255, np.uint8)
    for box in boxes:
        x, y, width, height = (float(value) * POINT_MM for value in box)
        rows = slice(round((A4[1] - y - height) * scale), round((A4[1] - y) * scale))
        page[rows, round(x * scale) : round((x + width) * scale)] = 0
    assert misplaced(page, 25.4 * scale) == []


def test_a_viewer_shows_the_pdf_at_true_size(tmp_path: Path) -> None:
    program = shutil.which("pdftoppm")
    if program is None:
        pytest.skip("no pdftoppm here")
    (tmp_path / "markers.pdf").write_bytes(pdf(SHEET))
    subprocess.run([program, "-r", "200", "-png", "markers.pdf", "page"], cwd=tmp_path, check=True)
    page = cv2.imread(str(next(tmp_path.glob("page*.png"))))
    assert page is not None
    assert misplaced(np.asarray(page, np.uint8), 200) == []


def test_the_ruler_is_a_hundred_millimetres_long() -> None:
    lines = [
        shape for shape in SHEET if isinstance(shape, Line) and shape.y1 == shape.y2 and not shape.dashed
    ]
    assert max(abs(line.x2 - line.x1) for line in lines if line.y1 > 200) == pytest.approx(100.0)


def test_cut_out_squares_fit_into_the_cloths_corners() -> None:
    """Outer sides along the cloth's edges put a marker's middle where the table model wants it."""
    half = GEOMETRY.cloth / 2
    for x, y in GEOMETRY.markers.centres.values():
        assert half - abs(x) == half - abs(y) == cut_side(GEOMETRY) / 2
    assert cut_side(GEOMETRY) / 2 >= GEOMETRY.markers.side / 2 + GEOMETRY.markers.side / 6  # white around it


def test_nothing_is_printed_near_the_paper_s_edge_or_into_a_marker_s_border() -> None:
    page = raster(SHEET, dpi=100)
    ink = page.min(axis=2) < 250
    margin = round(8 / 25.4 * 100)
    inner = np.zeros_like(ink)
    inner[margin:-margin, margin:-margin] = True
    assert not (ink & ~inner).any()
    cell = GEOMETRY.markers.side / 6
    for corners in marker_corners(GEOMETRY).values():
        low, high = (np.round(v / 25.4 * 100).astype(int) for v in (corners[0] - cell, corners[2] + cell))
        frame = ink[low[1] : high[1], low[0] : high[0]].copy()
        rim = round(cell / 25.4 * 100) - 2
        frame[rim:-rim, rim:-rim] = False
        assert not frame.any()


def test_each_marker_s_corner_is_named_in_both_languages() -> None:
    words = " ".join(shape.text for shape in SHEET if isinstance(shape, Words))
    for number, seats in {0: (2, 3), 1: (1, 2), 2: (0, 1), 3: (0, 3)}.items():
        assert f"{number} 号：{seats[0]} 号位与 {seats[1]} 号位之间的角" in words
        assert f"marker {number}: the corner of seats {seats[0]} and {seats[1]}" in words
    assert sum(isinstance(shape, Box) for shape in SHEET) > 40


@pytest.mark.skipif(not HAS_CHINESE, reason="this OpenCV has no font with Chinese")
def test_chinese_is_lettered() -> None:
    one, other = lettered("龙", 40), lettered("桌", 40)
    assert one.any()
    assert one.shape != other.shape or (one != other).any()
