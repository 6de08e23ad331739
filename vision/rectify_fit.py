"""Fits tiles of known size to their outlines: what is cloth and what is not decides where each one lies.

A finder's corners are a millimetre or three off, and in a meld it sometimes takes the tile that was turned
for an upright one. The camera's place is known exactly and so is a tile, so few numbers are free: each
tile's centre and turn. They are chosen so that the tiles together cover what isn't cloth and nothing else.
What a tile hides is its face and, where the camera looks from the side, also its body down to the cloth.
Seams between touching tiles are too faint to use: a tile in a row lies where its neighbours leave it room.
"""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.images import Image
from vision.rectify import Rectification
from vision.zones import TileSides

Poses = npt.NDArray[np.float64]
"""(N, 3): x, y in mm of the face's centre, direction of its top in radians clockwise from up."""

AROUND_MM: Final = 60  # of the table around the tiles that is looked at
WINDOW_MM: Final = 50  # half side of what counts for one tile
VIEW_MM: Final = 38  # half side of that after it was turned upright
REACH_MM: Final = 7  # how far a tile is moved at most
NEAR_MM: Final = 75.0  # centres farther apart don't touch
TURNS: Final = tuple(np.radians([-5.0, -2.5, 0.0, 2.5, 5.0]))
# Costs per mm2: cloth under a tile and something uncovered beside it 1, two faces on one another:
OVERLAP: Final = 0.6
STRAY: Final = 1.0  # per mm2 of squared distance from where the finder saw it
QUARTER_TURN: Final = 25.0  # of a tile that lies across the finder's direction
LEAST_HOLE_MM2: Final = 250  # smaller patches of the cloth's colour are ink
CLOTH_SHARE: Final = 0.06
CLOTH_LUMA: Final = (0.15, 1.8)


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A part of the table seen at face height, one pixel a millimetre.

    `low` is the (x, y) of its first pixel; `thing` (H, W) is True where something covers the cloth.
    """

    low: npt.NDArray[np.float64]
    thing: npt.NDArray[np.bool_]


def corners_of(poses: Poses, tile: TileSides) -> npt.NDArray[np.float64]:
    """(N, 4, 2) mm: TL, TR, BR, BL of each face."""
    up = np.stack((np.sin(poses[:, 2]), -np.cos(poses[:, 2])), axis=1)[:, None] * tile.length / 2
    right = np.stack((np.cos(poses[:, 2]), np.sin(poses[:, 2])), axis=1)[:, None] * tile.width / 2
    signs = np.asarray([(-1, 1), (1, 1), (1, -1), (-1, -1)])[None, :, :, None]
    return np.asarray(poses[:, None, :2] + signs[:, :, 0] * right + signs[:, :, 1] * up)


def poses_of(corners: npt.NDArray[np.float64]) -> Poses:
    """The poses of tiles seen at corners (N, 4, 2) mm; the sides' lengths are not used."""
    up = corners[:, 0] + corners[:, 1] - corners[:, 2] - corners[:, 3]
    return np.column_stack((corners.mean(axis=1), np.arctan2(up[:, 0], -up[:, 1])))


class Outlines:
    """The tiles of one part of a picture and the ground they lie on.

    Args:
        image: the picture.
        rectification: the camera.
        tile: sides of the tiles in mm.
        poses: where all tiles of the part seem to lie; neighbours matter.
        cloth: (3,) BGR, the cloth's usual colour.
    """

    def __init__(
        self,
        image: Image,
        rectification: Rectification,
        tile: TileSides,
        poses: Poses,
        *,
        cloth: npt.NDArray[np.float32],
    ) -> None:
        self._tile = tile
        self._poses = poses
        self._ground = _ground(image, rectification, poses, height=tile.thickness, cloth=cloth)
        below = rectification.to_px(poses[:, :2], height=0.0)
        self._shifts = rectification.to_mm(below, height=tile.thickness) - poses[:, :2]

    def fitted(self, i: int) -> npt.NDArray[np.float64]:
        """(3,): the pose of tile `i` that fits best between the others, along or across where it seemed."""
        costs = self._costs(i)
        best, least = np.asarray(self._poses[i], np.float64), np.inf
        for base, extra in ((0.0, 0.0), (np.pi / 2, QUARTER_TURN)):
            for turn in TURNS:
                direction = self._poses[i, 2] + base + turn
                place, cost = self._best_place(costs, i, direction)
                if cost + extra < least:
                    best, least = np.asarray((*place, direction)), cost + extra
        return best

    def _costs(self, i: int) -> npt.NDArray[np.float32]:
        """(101, 101, 2) about tile `i`: what a mm2 of its outline costs, and of its face."""
        side = 2 * WINDOW_MM + 1
        low = np.round(self._poses[i, :2] - self._ground.low).astype(int) - WINDOW_MM
        thing = self._ground.thing[low[1] : low[1] + side, low[0] : low[0] + side]
        near = np.hypot(*(self._poses[:, :2] - self._poses[i, :2]).T) < NEAR_MM
        near[i] = False
        faces, outlines = np.zeros((side, side), np.uint8), np.zeros((side, side), np.uint8)
        corners = corners_of(self._poses[near], self._tile) - self._ground.low - low
        for face, shift in zip(corners, self._shifts[near], strict=True):
            cv2.fillConvexPoly(faces, _fine(face), 1, cv2.LINE_8, 4)
            hull = cv2.convexHull(np.asarray(np.concatenate((face, face + shift)), np.float32))[:, 0]
            cv2.fillConvexPoly(outlines, _fine(hull), 1, cv2.LINE_8, 4)
        outline = np.where(thing, np.where(outlines > 0, 0.0, -1.0), 1.0)
        return np.dstack((outline, OVERLAP * faces)).astype(np.float32)

    def _best_place(
        self, costs: npt.NDArray[np.float32], i: int, turn: float
    ) -> tuple[npt.NDArray[np.float64], float]:
        """The best centre of tile `i` at a turn, and what it costs there."""
        middle = self._poses[i, :2]
        axes = np.asarray([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        fraction = middle - np.round(middle)
        origin = WINDOW_MM + fraction - axes @ (VIEW_MM, VIEW_MM)
        upright = cv2.warpAffine(
            costs,
            np.column_stack((axes, origin)),
            (2 * VIEW_MM + 1, 2 * VIEW_MM + 1),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        )
        sums = np.asarray(cv2.integral(upright), np.float64)
        half = np.asarray((self._tile.width / 2, self._tile.length / 2))
        slant = axes.T @ self._shifts[i]
        cost = _boxes(sums[..., 0], -half + np.minimum(slant, 0), half + np.maximum(slant, 0))
        cost += _boxes(sums[..., 1], -half, half)
        steps = np.arange(-REACH_MM, REACH_MM + 1)
        cost += STRAY * (steps[None, :] ** 2 + steps[:, None] ** 2)
        row, column = np.unravel_index(int(cost.argmin()), cost.shape)
        move = (steps[column] + _between(cost[row], column), steps[row] + _between(cost[:, column], row))
        return middle + axes @ move, float(cost[row, column])


def _ground(
    image: Image,
    rectification: Rectification,
    poses: Poses,
    *,
    height: float,
    cloth: npt.NDArray[np.float32],
) -> Ground:
    low = np.floor(poses[:, :2].min(axis=0)) - AROUND_MM
    size = (np.ceil(poses[:, :2].max(axis=0)) + AROUND_MM - low).astype(int)
    part = rectification.view(image, low, (int(size[0]), int(size[1])), height=height)
    view = part.astype(np.float32)
    sums = view.sum(axis=2)
    luma = sums * np.float32(1 / cloth.sum())
    apart = np.abs(view / (sums[..., None] + 1) - cloth / cloth.sum())
    like = (apart[..., 0] < CLOTH_SHARE) & (apart[..., 1] < CLOTH_SHARE) & (apart[..., 2] < CLOTH_SHARE)
    like &= (luma > CLOTH_LUMA[0]) & (luma < CLOTH_LUMA[1])
    smooth = cv2.medianBlur(like.astype(np.uint8), 3)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(smooth, connectivity=4)
    large = stats[:, cv2.CC_STAT_AREA] > LEAST_HOLE_MM2
    large[0] = False
    return Ground(low, np.asarray(~large[labels]))


def _boxes(
    sums: npt.NDArray[np.float64], low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """(15, 15): sums over a box, (x, y) from `low` to `high` about the view's middle, at every whole step."""
    rows = _lines(sums, high[1]) - _lines(sums, low[1])
    columns = _lines(rows.T, high[0]) - _lines(rows.T, low[0])
    return np.asarray(columns.T)


def _lines(sums: npt.NDArray[np.float64], edge: float) -> npt.NDArray[np.float64]:
    """The 15 lines of an integral picture at `edge` from the middle, plus every whole step."""
    at = VIEW_MM + 0.5 + edge - REACH_MM
    first = int(np.floor(at))
    part = at - first
    count = 2 * REACH_MM + 1
    return sums[first : first + count] * (1 - part) + sums[first + 1 : first + 1 + count] * part


def _between(costs: npt.NDArray[np.float64], at: np.intp) -> float:
    """Where the parabola through the least cost and its neighbours has its lowest point, from `at`."""
    if not 0 < at < len(costs) - 1:
        return 0.0
    bend = costs[at - 1] - 2 * costs[at] + costs[at + 1]
    return float(0.5 * (costs[at - 1] - costs[at + 1]) / bend) if bend > 0 else 0.0


def _fine(points: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    return np.round(points * 16).astype(np.int32)
