"""Lines, leaves and ovals of the pictures on faces; each is drawn smoothly onto a BGR picture in place."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from vision.training.marks import Colour

    Picture = NDArray[np.uint8]
    Floats = NDArray[np.float64]


def _fixed(points: ArrayLike) -> NDArray[np.int32]:
    return np.round(np.asarray(points, np.float64) * 16).astype(np.int32).reshape(-1, 1, 2)


def stroke(picture: Picture, points: ArrayLike, colour: Colour, thick: float) -> None:
    """An open line through points (N, 2) px."""
    width = max(1, round(thick))
    cv2.polylines(picture, [_fixed(points)], False, colour, width, cv2.LINE_AA, 4)  # noqa: FBT003 (is not closed)


def shape(picture: Picture, points: ArrayLike, colour: Colour, rim: Colour | None = None) -> None:
    """A filled polygon, with a thin rim where one is given."""
    cv2.fillPoly(picture, [_fixed(points)], colour, cv2.LINE_AA, 4)
    if rim is not None:
        cv2.polylines(picture, [_fixed(points)], True, rim, 1, cv2.LINE_AA, 4)  # noqa: FBT003 (is closed)


def curve(start: tuple[float, float], angle: float, bend: float, length: float, count: int = 9) -> Floats:
    """A bent line (count, 2) px; `angle` rad from the right, y down, `bend` its change along the way."""
    angles = angle + np.linspace(0, bend, count - 1)
    steps = np.stack([np.cos(angles), np.sin(angles)], axis=1) * (length / (count - 1))
    out: Floats = np.vstack([start, np.asarray(start) + np.cumsum(steps, axis=0)])
    return out


def leaf_outline(path: Floats, wide: float) -> Floats:
    """The outline (2 N, 2) of a leaf or a feather along a path (N, 2), at most twice `wide` px across."""
    along = np.gradient(path, axis=0)
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True) + 1e-6
    width = wide * np.sin(np.linspace(0.15, pi, len(path)))[:, None]
    out: Floats = np.vstack([path + normal * width, (path - normal * width)[::-1]])
    return out


def leaf(picture: Picture, path: Floats, wide: float, colour: Colour, rim: Colour | None = None) -> None:
    """A leaf or a feather along a path; `wide` is half its greatest width, px."""
    shape(picture, leaf_outline(path, wide), colour, rim)


def oval(
    picture: Picture, at: tuple[float, float], size: tuple[float, float], turn: float, colour: Colour
) -> None:
    """A filled ellipse; `size` is its half axes px, `turn` degrees."""
    middle, axes = (round(at[0]), round(at[1])), (max(1, round(size[0])), max(1, round(size[1])))
    cv2.ellipse(picture, middle, axes, turn, 0, 360, colour, -1, cv2.LINE_AA)
