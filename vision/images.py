"""What a picture is: arrays of one shape and order everywhere, and a frame with the time it was taken."""

from functools import cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
"""(H, W, 3), BGR, 0..255: the order OpenCV reads and writes."""

Points = npt.NDArray[np.float64]
"""(N, 2), one point a row: x right, y down, in pixels (centre of the first pixel is 0, 0) or millimetres."""

Matrix = npt.NDArray[np.float64]

SMALL_ROWS: Final = 180
"""A small picture has at least so many rows, where the large one has them."""
REDUCED: Final = {2: cv2.IMREAD_REDUCED_COLOR_2, 4: cv2.IMREAD_REDUCED_COLOR_4, 8: cv2.IMREAD_REDUCED_COLOR_8}
START_OF_FRAME: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
WITHOUT_LENGTH: Final = frozenset({0x01, *range(0xD0, 0xD9)})


class BadPicture(ValueError):
    """The bytes of a picture can't be decoded."""


class Frame:
    """One picture of a source: pixels, or a JPEG that is decoded where somebody looks at it.

    Attributes:
        at: seconds on the reader's monotonic clock, when the picture came.
        number: pictures taken from this source before this one; gaps show pictures nobody had time for.
        opening: how often the source had been opened before; another number, another stream.
    """

    def __init__(self, picture: Image | bytes, at: float, number: int, opening: int = 0) -> None:
        self._picture = picture
        self.at = at
        self.number = number
        self.opening = opening

    @cached_property
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels.

        Raises:
            BadPicture: it is no JPEG.
        """
        if isinstance(self._picture, bytes):
            return jpeg_size(self._picture)
        return self._picture.shape[1], self._picture.shape[0]

    @cached_property
    def image(self) -> Image:
        """All its pixels; never written to.

        Raises:
            BadPicture: it can't be decoded.
        """
        if isinstance(self._picture, bytes):
            return _decoded(self._picture, cv2.IMREAD_COLOR)
        return self._picture

    @cached_property
    def small(self) -> Image:
        """The picture at a half, a quarter or an eighth of its size: what movement is looked for in.

        It takes half the time of `image`, and `image` need not be decoded for it.

        Raises:
            BadPicture: it can't be decoded.
        """
        share = next((share for share in (8, 4, 2) if self.size[1] >= SMALL_ROWS * share), 1)
        if share == 1:
            return self.image
        if isinstance(self._picture, bytes):
            return _decoded(self._picture, REDUCED[share])
        height, width = self._picture.shape[:2]
        # Every other line is enough to average over, in half the time.
        size = (-(-width // share), -(-height // share))
        return np.asarray(cv2.resize(self._picture[::2], size, interpolation=cv2.INTER_AREA), np.uint8)

    def same_bytes(self, other: "Frame") -> bool:
        """Whether both are the same JPEG, byte for byte."""
        mine, its = self._picture, other._picture  # noqa: SLF001 - of its own class
        return isinstance(mine, bytes) and isinstance(its, bytes) and mine == its


def jpeg_size(data: bytes) -> tuple[int, int]:
    """(width, height) that a JPEG says it has.

    Raises:
        BadPicture: it is none.
    """
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data) and data[at] == 0xFF:
        kind = data[at + 1]
        if kind in START_OF_FRAME:
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        if kind == 0xFF or kind in WITHOUT_LENGTH:
            at += 1 if kind == 0xFF else 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4])
    raise BadPicture(f"{len(data)} bytes that are no JPEG")


def _decoded(data: bytes, how: int) -> Image:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), how)
    if image is None:
        raise BadPicture(f"a JPEG of {len(data)} bytes can't be decoded")
    return np.asarray(image, np.uint8)
