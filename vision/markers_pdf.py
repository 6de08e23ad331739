"""The sheet of corner markers as a PDF: vectors, and words as pictures, so that no font is needed."""

import zlib
from collections.abc import Sequence
from typing import Final

import numpy as np

from vision.lettering import lettered
from vision.markers_sheet import A4, Box, Line, Shape, Words

POINTS_PER_MM: Final = 72 / 25.4
LETTER_DPI: Final = 400.0
INK: Final = 110  # of 255 from which a word's pixel is black


def pdf(shapes: Sequence[Shape]) -> bytes:
    """The whole file: A4, true to scale, and asking viewers not to scale it."""
    drawn, images = _content(shapes)
    names = " ".join(f"/W{i} {5 + i} 0 R" for i in range(len(images)))
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {_pt(A4[0])} {_pt(A4[1])}] /Contents 4 0 R "
        f"/Resources << /XObject << {names} >> >> >>"
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page.encode(),
        _stream(b"", drawn),
        *images,
    ]
    return _file(objects)


def _content(shapes: Sequence[Shape]) -> tuple[bytes, list[bytes]]:
    """The page's drawing, and the pictures of its words."""
    # All boxes are one path: painted one by one, some viewers leave light seams between them.
    boxes = " ".join(f"{_box(shape)} re" for shape in shapes if isinstance(shape, Box))
    lines = [f"0 g {boxes} f"]
    images: list[bytes] = []
    for shape in shapes:
        match shape:
            case Box():
                continue
            case Line():
                dash = "[3 2] 0 d" if shape.dashed else "[] 0 d"
                start, end = _at(shape.x1, shape.y1), _at(shape.x2, shape.y2)
                lines.append(f"{shape.grey:g} G {_pt(shape.width)} w {dash} {start} m {end} l S")
            case Words():
                image, matrix = _words(shape)
                lines.append(f"q 0 g {matrix} cm /W{len(images)} Do Q")
                images.append(image)
    return "\n".join(lines).encode(), images


def _box(box: Box) -> str:
    return f"{_at(box.x, box.y + box.height)} {_pt(box.width)} {_pt(box.height)}"


def _words(words: Words) -> tuple[bytes, str]:
    """A picture of one bit a pixel, and where it goes."""
    ink = lettered(words.text, round(words.size / 25.4 * LETTER_DPI))
    high, wide = ink.shape
    size = (wide / LETTER_DPI * 25.4, high / LETTER_DPI * 25.4)
    left, top = (words.x - size[0] / 2, words.y - size[1] / 2) if words.centred else (words.x, words.y)
    head = f"/Type /XObject /Subtype /Image /Width {wide} /Height {high} /ImageMask true /BitsPerComponent 1"
    bits = np.packbits(ink < INK, axis=1).tobytes()
    return _stream(head.encode(), bits), f"{_pt(size[0])} 0 0 {_pt(size[1])} {_at(left, top + size[1])}"


def _at(x: float, y: float) -> str:
    """A place in mm from the upper left, as a PDF counts: points from the lower left."""
    return f"{_pt(x)} {_pt(A4[1] - y)}"


def _pt(millimetres: float) -> str:
    return f"{millimetres * POINTS_PER_MM:.4f}"


def _stream(head: bytes, data: bytes) -> bytes:
    packed = zlib.compress(data, 9)
    return b"<< %s /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (head, len(packed), packed)


def _file(objects: Sequence[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.6\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)
