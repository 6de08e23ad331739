"""Words on pictures, Chinese too: OpenCV 5 brings a font that has them; older ones show the Latin part."""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.images import Image

Colour = tuple[int, int, int]
Mask = npt.NDArray[np.uint8]

HAS_CHINESE: Final = hasattr(cv2, "FontFace")
WEIGHT: Final = 400
HERSHEY: Final = 30.0  # px that OpenCV's drawn letters are high at scale 1, their tails included


def lettered(text: str, size: int) -> Mask:
    """(H, W): how much ink words `size` px high put where, 0..255; H is always that of a line."""
    high = round(1.35 * size)
    canvas = np.zeros((high, max(1, round(1.2 * size * len(text)) + size), 3), np.uint8)
    base = round(1.02 * size)
    if HAS_CHINESE:
        font = cv2.FontFace("sans")
        cv2.putText(canvas, text, (0, base), (255, 255, 255), font, size, WEIGHT)
    else:
        plain = "".join(letter for letter in text if letter.isascii()).strip()
        scale, wide = size / HERSHEY, max(1, size // 14)
        cv2.putText(
            canvas, plain, (0, base), cv2.FONT_HERSHEY_SIMPLEX, scale, (255, 255, 255), wide, cv2.LINE_AA
        )
    inked = np.flatnonzero(canvas.any(axis=(0, 2)))
    return np.ascontiguousarray(canvas[:, : int(inked[-1]) + 2 if len(inked) else 1, 0])


@dataclass(frozen=True, slots=True)
class Style:
    """How words look: their height in px, colour, and that of a plate behind them (BGR)."""

    size: int
    colour: Colour = (0, 0, 0)
    plate: Colour | None = None


def put_words(picture: Image, text: str, place: tuple[float, float], style: Style) -> None:
    """Write words into a picture, their middle at a `place` (x, y) px, but wholly inside it."""
    size, ground = style.size, style.plate
    ink = lettered(text, size)
    pad = size // 4 if ground is not None else 0
    ink = np.pad(ink, pad)
    high, wide = ink.shape
    left, top = round(place[0] - wide / 2), round(place[1] - high / 2)
    left = min(max(left, 0), max(0, picture.shape[1] - wide))
    top = min(max(top, 0), max(0, picture.shape[0] - high))
    part = picture[top : top + high, left : left + wide]
    ink = ink[: part.shape[0], : part.shape[1]]
    if ground is not None:
        part[:] = ground
    share = ink[..., None].astype(np.float32) / 255
    part[:] = np.round(part * (1 - share) + np.asarray(style.colour, np.float32) * share).astype(np.uint8)
