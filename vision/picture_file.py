"""Reads a picture's file: whatever it holds, the answer is a picture or one line that says why.

Memory is bounded before a decoder runs, and what decoders say to a terminal is kept off it.
"""

from __future__ import annotations

import os
import stat
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.picture_header import BadHeader, header

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]

LARGEST_FILE: Final = 400_000_000
"""Bytes of a file."""
LARGEST: Final = 128_000_000
"""Pixels of a picture of three bytes each."""
LARGEST_DEEP: Final = 64_000_000
"""Pixels of a picture of which 16 bits, or what is see-through, are kept."""
LEAST: Final = 8
"""Least width and height, px."""
HOLE: Final = b"premature end of data"
"""What the JPEG decoder says where a part is missing, which it fills with grey."""
BEHIND: Final = 96
"""Grey 0..255 that stands behind see-through parts: neither paper nor ink."""


class UnreadablePhoto(Exception):
    """A file that is no photograph; the text says why."""


def read_picture(path: Path) -> Picture:
    """A picture as BGR (H, W, 3) uint8, turned as its file says; 16 bits and see-through parts are converted.

    Raises:
        UnreadablePhoto: there is no such file, it can't be opened, is none, or is no picture; one line.
    """
    data = _bytes_of(path)
    try:
        found = header(data)
    except BadHeader as error:
        raise UnreadablePhoto(str(error)) from None
    if found.moves:
        raise UnreadablePhoto(f"is an animated {found.kind}, one still photograph was expected")
    if not found.whole:
        raise UnreadablePhoto(f"is a damaged {found.kind}: its file is cut off")
    size = f"{found.width} x {found.height} px"
    if found.width * found.height > LARGEST:
        raise UnreadablePhoto(f"has {size}, more than the {LARGEST // 1_000_000} megapixels that are read")
    if min(found.width, found.height) < LEAST:
        raise UnreadablePhoto(f"has only {size}, at least {LEAST} x {LEAST} were expected")
    picture, said = _overheard(lambda: _decoded(data, found.width * found.height))
    if picture is None or HOLE in said:
        raise UnreadablePhoto(f"is a damaged {found.kind}, or one of a kind that can't be read")
    return picture


def _bytes_of(path: Path) -> bytes:
    try:
        # Without this flag a pipe that nobody writes to would hold the program for ever.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            _check_file(os.fstat(handle))
            with os.fdopen(handle, "rb", closefd=False) as file:
                data = file.read(LARGEST_FILE)
        finally:
            os.close(handle)
    except OSError as error:
        raise UnreadablePhoto(f"cannot be opened: {error.strerror or error}") from None
    if not data:
        raise UnreadablePhoto("the file is empty")
    return data


def _check_file(told: os.stat_result) -> None:
    if stat.S_ISDIR(told.st_mode):
        raise UnreadablePhoto("is a folder, a photograph was expected")
    if not stat.S_ISREG(told.st_mode):
        raise UnreadablePhoto("is a pipe or a device, a file was expected")
    if told.st_size > LARGEST_FILE:
        megabytes, limit = told.st_size // 1_000_000, LARGEST_FILE // 1_000_000
        raise UnreadablePhoto(f"has {megabytes} MB, more than the {limit} MB that are read")


def _overheard(work: Callable[[], Picture | None]) -> tuple[Picture | None, bytes]:
    """What some work gives, and what its decoders in C, which write to the terminal by themselves, said."""
    kept = os.dup(2)
    with TemporaryFile() as heard:
        os.dup2(heard.fileno(), 2)
        try:
            found = work()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        heard.seek(0)
        return found, heard.read()


def _decoded(data: bytes, pixels: int) -> Picture | None:
    raw = np.frombuffer(data, np.uint8)
    # A decoder is asked for 16 bits only where there is room for them; it drops the lower ones by itself.
    depth = cv2.IMREAD_ANYDEPTH if pixels <= LARGEST_DEEP else 0
    try:
        picture = cv2.imdecode(raw, cv2.IMREAD_COLOR | depth)
        if picture is None:
            return None
        picture = _eight_bits(picture)
        if pixels <= LARGEST_DEEP and data[:4] in {b"\x89PNG", b"RIFF"}:
            picture = _with_ground(picture, cv2.imdecode(raw, cv2.IMREAD_UNCHANGED))
    except (cv2.error, MemoryError):
        return None
    return np.ascontiguousarray(picture, np.uint8)


def _eight_bits(picture: NDArray[np.generic]) -> Picture:
    """Samples of 10, 12, 14 or 16 bits, or of parts of 1, as 0..255."""
    if picture.dtype == np.uint8:
        return np.asarray(picture, np.uint8)
    if picture.dtype == np.uint16:
        # Cameras keep their 10 or 12 bits in 16 and leave the upper ones empty.
        bits = max(8, int(picture.max()).bit_length())
        return np.asarray(np.right_shift(picture.astype(np.uint16), bits + bits % 2 - 8), np.uint8)
    light = np.nan_to_num(np.asarray(picture, np.float32), nan=0.0, posinf=1.0, neginf=0.0)
    return np.asarray(np.clip(light / max(1.0, float(light.max())), 0, 1) * 255 + 0.5, np.uint8)


def _with_ground(picture: Picture, stored: NDArray[np.generic] | None) -> Picture:
    """The picture with grey where the `stored` form, which is not turned yet, is see-through."""
    if stored is None or stored.ndim != 3 or stored.shape[2] != 4:
        return picture
    stored = _eight_bits(stored)
    turned = (np.rot90(side, k) for side in (stored, stored[:, ::-1]) for k in range(4))
    fitting = (s for s in turned if s.shape[:2] == picture.shape[:2] and np.array_equal(s[..., :3], picture))
    through = next(fitting, None)
    if through is None:
        return picture
    share = through[..., 3:].astype(np.float32) / 255
    return np.asarray(picture * share + BEHIND * (1 - share) + 0.5, np.uint8)
