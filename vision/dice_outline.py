"""Squares laid over the outline of light bodies: how much of it flat dice account for. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.dice_faces import Pose

Mask: TypeAlias = npt.NDArray[np.uint8]
"""(H, W) of 0 and 1."""

ENOUGH: Final = 0.97
"""What is covered so well is not looked at any closer."""
STAGES: Final = (1.0, 1.0, 0.4, 0.4)
"""How far bodies are moved each time, as shares of the steps below: pips tell well where a face lies."""
STEPS: Final = (-0.025, 0.0, 0.025)
TURNS: Final = np.radians(np.array([-3.0, -1.5, 0.0, 1.5, 3.0]))
FREE_TURNS: Final = np.radians(np.arange(-45.0, 45.0, 7.5))
SIZES: Final = (-0.04, 0.0, 0.04)


def laid_over(
    outline: Mask, bodies: Sequence[Pose], rise: npt.NDArray[np.float64], *, free: Sequence[bool]
) -> tuple[tuple[Pose, ...], float]:
    """The bodies moved until they cover the outline best, and the share of it and them that is covered.

    `rise` (2,): pixels by which the view moves a point for each pixel of height. `free`: the turn of this one
    is not known at all.
    """
    left, top, width, height = cv2.boundingRect(outline)
    low = np.array([left, top]) - 8
    small = _cropped(outline, low, low + np.array([width + 16, height + 16]))

    def cover(those: Sequence[Pose]) -> float:
        flat = np.zeros_like(small)
        for body in those:
            top = body.corners()
            hull = cv2.convexHull(np.concatenate((top, top - rise * body.side)).astype(np.float32))
            cv2.fillConvexPoly(flat, np.round((hull - low) * 16).astype(np.int32), 1, cv2.LINE_8, 4)
        return float(cv2.countNonZero(flat & small) / max(1, cv2.countNonZero(flat | small)))

    best, share = tuple(bodies), cover(bodies)
    for number, share_of in enumerate(STAGES):
        for k, moved in product(range(len(best)), (False, True)):
            if share >= ENOUGH:
                return best, share
            near = (
                _moved(best[k], share_of)
                if moved
                else _turned(best[k], share_of, free=free[k] and not number)
            )
            for body in near:
                those = (*best[:k], body, *best[k + 1 :])
                if (now := cover(those)) > share:
                    best, share = those, now
    return best, share


def overlap(one: Pose, other: Pose) -> float:
    """The share of a square's area that another one covers."""
    shared, _ = cv2.intersectConvexConvex(
        one.corners().astype(np.float32), other.corners().astype(np.float32)
    )
    return float(shared) / min(one.side, other.side) ** 2


def _turned(body: Pose, share: float, *, free: bool) -> list[Pose]:
    angles = FREE_TURNS if free else share * TURNS
    return [
        replace(body, turn=body.turn + float(turn), side=body.side * (1 + share * size))
        for turn, size in product(angles, SIZES)
    ]


def _moved(body: Pose, share: float) -> list[Pose]:
    step = share * body.side
    return [replace(body, x=body.x + a * step, y=body.y + b * step) for a, b in product(STEPS, STEPS)]


def _cropped(outline: Mask, low: npt.NDArray[np.int_], high: npt.NDArray[np.int_]) -> Mask:
    """The outline between two corners; what lies beyond the picture is empty."""
    size = high - low
    shift = np.array([[1.0, 0, -low[0]], [0, 1.0, -low[1]]])
    moved = cv2.warpAffine(outline, shift, (int(size[0]), int(size[1])), flags=cv2.INTER_NEAREST)
    return np.asarray(moved, np.uint8)
