"""The sheet of corner markers as a picture, for printers that take no PDF."""

import struct
import zlib
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from vision.images import Image
from vision.lettering import Style, lettered, put_words
from vision.markers_sheet import A4, Box, Line, Shape, Words

DPI: Final = 300
DASH_MM: Final = 1.2


def png(shapes: Sequence[Shape], *, dpi: int = DPI) -> bytes:
    """A PNG that says how large it is (`dpi` in its pHYs chunk)."""
    good, data = cv2.imencode(".png", raster(shapes, dpi=dpi))
    if not good:
        raise RuntimeError("OpenCV can't write PNG")
    whole = data.tobytes()
    per_metre = round(dpi / 0.0254)
    said = b"pHYs" + struct.pack(">IIB", per_metre, per_metre, 1)
    head = 8 + 25  # signature and IHDR; what a picture measures must stand before its pixels
    return whole[:head] + struct.pack(">I", 9) + said + struct.pack(">I", zlib.crc32(said)) + whole[head:]


def raster(shapes: Sequence[Shape], *, dpi: int = DPI) -> Image:
    """The sheet as (H, W, 3)."""
    scale = dpi / 25.4
    page = np.full((round(A4[1] * scale), round(A4[0] * scale), 3), 255, np.uint8)
    for shape in shapes:
        match shape:
            case Box(x, y, width, height):
                rows = slice(round(y * scale), round((y + height) * scale))
                page[rows, round(x * scale) : round((x + width) * scale)] = 0
            case Line():
                _line(page, shape, scale)
            case Words(x, y, text, size, centred):
                _words(page, text, (x * scale, y * scale), round(size * scale), centred=centred)
    return page


def _line(page: Image, line: Line, scale: float) -> None:
    start, end = np.asarray((line.x1, line.y1)), np.asarray((line.x2, line.y2))
    length = float(np.hypot(*(end - start)))
    parts = [(0.0, 1.0)]
    if line.dashed:
        count = max(1, round(length / (2 * DASH_MM)))
        parts = [(i / count, (i + 0.5) / count) for i in range(count)]
    for a, b in parts:
        first, last = (np.round((start + (end - start) * t) * scale).astype(int).tolist() for t in (a, b))
        wide = max(1, round(line.width * scale))
        cv2.line(page, first, last, (round(255 * line.grey),) * 3, wide)


def _words(page: Image, text: str, place: tuple[float, float], size: int, *, centred: bool) -> None:
    """Words whose middle, or else whose upper left, is at a place (x, y) px."""
    if not centred:
        high, wide = lettered(text, size).shape
        place = (place[0] + wide / 2, place[1] + high / 2)
    put_words(page, text, place, Style(size))
