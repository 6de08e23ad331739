"""What the first bytes of a picture's file say: kind, size, and whether it moves; nothing is decoded. Pure.

Sizes are known so before a decoder asks for memory. Layouts: ISO/IEC 10918-1 B.2 (JPEG), the PNG
specification 11.2 and 11.3.6, TIFF 6.0 section 2, the WebP container's and the GIF89a specification,
BITMAPINFOHEADER (BMP).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

PNG: Final = b"\x89PNG\r\n\x1a\n"
FRAMES: Final = range(0xC0, 0xD0)
"""JPEG markers that begin a frame, but for three of them that do not."""
NO_FRAMES: Final = frozenset({0xC4, 0xC8, 0xCC})
SCAN: Final = 0xDA
END: Final = b"\xff\xd9"
WIDTH: Final = 256
HEIGHT: Final = 257
"""Tags of TIFF: ImageWidth, ImageLength."""


class BadHeader(Exception):
    """The bytes begin no picture that can be read; the text says what they are instead."""


@dataclass(frozen=True, slots=True)
class Header:
    """`kind` as people call it; width and height px as stored; several pictures in turn; all bytes there."""

    kind: str
    width: int
    height: int
    moves: bool = False
    whole: bool = True


def header(data: bytes) -> Header:
    """The header of a file's bytes.

    Raises:
        BadHeader: no picture of a known kind, or cut off within its first bytes.
    """
    for begins, read in KINDS:
        if data.startswith(begins):
            try:
                return read(data)
            except (struct.error, IndexError):
                raise BadHeader("is a damaged picture: its file is cut off") from None
    if data[4:8] == b"ftyp" and data[8:12] in {b"heic", b"heix", b"mif1", b"hevc"}:
        raise BadHeader("is a HEIC picture, which can't be read; save it as a JPEG")
    raise BadHeader("is no picture (JPEG, PNG, BMP, WebP, TIFF or GIF expected)")


def _jpeg(data: bytes) -> Header:
    at, size = 2, None
    while True:
        mark, length = struct.unpack_from(">xBH", data, at)
        if mark in FRAMES and mark not in NO_FRAMES:
            size = struct.unpack_from(">HH", data, at + 5)
        if mark == SCAN:
            break
        at += 2 + length
    if size is None:
        raise BadHeader("is a damaged JPEG: no size is given before its picture")
    return Header("JPEG", size[1], size[0], whole=data.find(END, at) >= 0)


def _png(data: bytes) -> Header:
    width, height = struct.unpack_from(">II", data, 16)
    return Header("PNG", width, height, moves=b"acTL" in data[:4096], whole=b"IEND" in data[-4096:])


def _bmp(data: bytes) -> Header:
    width, height = struct.unpack_from("<ii", data, 18)
    return Header("BMP", abs(width), abs(height))


def _gif(data: bytes) -> Header:
    width, height = struct.unpack_from("<HH", data, 6)
    colours = data[10]
    at, pictures = 13 + (3 << ((colours & 7) + 1) if colours & 0x80 else 0), 0
    while at < len(data) and data[at] in b"!,":
        if data[at] == ord(","):
            pictures += 1
            colours = data[at + 9]
            at += 11 + (3 << ((colours & 7) + 1) if colours & 0x80 else 0)
        else:
            at += 2
        while data[at]:
            at += data[at] + 1
        at += 1
    return Header("GIF", width, height, moves=pictures > 1, whole=data[at : at + 1] == b";")


def _webp(data: bytes) -> Header:
    if data[8:12] != b"WEBP":
        raise BadHeader("is no picture (JPEG, PNG, BMP, WebP, TIFF or GIF expected)")
    whole = struct.unpack_from("<I", data, 4)[0] + 8 <= len(data)
    match data[12:16]:
        case b"VP8X":
            width, height = (int.from_bytes(data[k : k + 3], "little") + 1 for k in (24, 27))
            return Header("WebP", width, height, moves=bool(data[20] & 2), whole=whole)
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return Header("WebP", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, whole=whole)
    width, height = struct.unpack_from("<HH", data, 26)
    return Header("WebP", width & 0x3FFF, height & 0x3FFF, whole=whole)


def _tiff(data: bytes) -> Header:
    order = "<" if data.startswith(b"II") else ">"
    (at,) = struct.unpack_from(order + "I", data, 4)
    (number,) = struct.unpack_from(order + "H", data, at)
    found = {}
    for entry in range(at + 2, at + 2 + 12 * number, 12):
        tag, kind = struct.unpack_from(order + "HH", data, entry)
        found[tag] = struct.unpack_from(order + ("H" if kind == 3 else "I"), data, entry + 8)[0]
    if WIDTH not in found or HEIGHT not in found:
        raise BadHeader("is a damaged TIFF: no size is given")
    return Header("TIFF", found[WIDTH], found[HEIGHT])


KINDS: Final[tuple[tuple[bytes, Callable[[bytes], Header]], ...]] = (
    (b"\xff\xd8\xff", _jpeg),
    (PNG, _png),
    (b"BM", _bmp),
    (b"GIF8", _gif),
    (b"RIFF", _webp),
    (b"II*\0", _tiff),
    (b"MM\0*", _tiff),
)
"""First bytes of a file, and who reads on."""
