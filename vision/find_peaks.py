"""Decodes the locator's map: candidates with their axes, their boxes, and which of them mean one tile."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final, Self

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

CELL: Final = 4
"""Side of one position of the map, px at the network's scale."""
HEATS: Final = 2
WITH_BOX: Final = 14
"""Channels of the networks' maps."""
FOLD: Final = 2
"""A channel's four at a cell are its quarters, so many in a row."""
SAME_BOX: Final = 0.6
"""Two boxes of which one fills this part of both together mean one tile."""


@dataclass(frozen=True, slots=True)
class Peaks:
    """Candidates, px: centres and the two half axes (N, 2), scores and backs (N,).

    `boxes` (N, 4): x0, y0, x1, y1 around all that is seen of each tile.
    """

    centres: Floats
    ups: Floats
    acrosses: Floats
    scores: Floats
    backs: NDArray[np.bool_]
    boxes: Floats

    def moved(self, scale: float, shift: tuple[float, float]) -> Peaks:
        """From the network's scale to the whole picture."""
        factor = np.float32(1 / scale)
        place = (self.centres * factor + np.array(shift, np.float32)).astype(np.float32)
        boxes = (self.boxes * factor + np.array((*shift, *shift), np.float32)).astype(np.float32)
        return Peaks(place, self.ups * factor, self.acrosses * factor, self.scores, self.backs, boxes)

    def shifted(self, by: Floats) -> Peaks:
        """Each elsewhere by (N, 2) px."""
        boxes = self.boxes + np.hstack([by, by])
        return Peaks(self.centres + by, self.ups, self.acrosses, self.scores, self.backs, boxes)

    def enlarged(self, factor: float) -> Peaks:
        """Each larger by a factor about its centre; the boxes stay."""
        ups, acrosses = self.ups * np.float32(factor), self.acrosses * np.float32(factor)
        return Peaks(self.centres, ups, acrosses, self.scores, self.backs, self.boxes)

    def long_upright(self) -> Peaks:
        """The longer axis as the upright one: so it is where the camera looks down on the table."""
        up, across = (np.linalg.norm(a, axis=1, keepdims=True) for a in (self.ups, self.acrosses))
        wrong = across > up
        ups = np.where(wrong, -self.acrosses, self.ups).astype(np.float32)
        acrosses = np.where(wrong, self.ups, self.acrosses).astype(np.float32)
        return Peaks(self.centres, ups, acrosses, self.scores, self.backs, self.boxes)

    def chosen(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Peaks:
        """Some of them."""
        return Peaks(*(getattr(self, field.name)[rows] for field in fields(self)))

    def shorts(self) -> Floats:
        """(N,) the short sides."""
        both = [np.linalg.norm(axis, axis=1) for axis in (self.ups, self.acrosses)]
        return np.asarray(2 * np.minimum(*both), np.float32)

    def quads(self) -> Floats:
        """(N, 4, 2) corners TL, TR, BR, BL."""
        c, u, v = self.centres, self.ups, self.acrosses
        return np.stack([c - v - u, c + v - u, c + v + u, c - v + u], axis=1).astype(np.float32)

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """All of several."""
        return cls(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)))


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -30, 30))), np.float32)


def _axis(cos2: Floats, sin2: Floats, log_length: Floats) -> Floats:
    turn = np.arctan2(sin2, cos2) / 2
    length = np.exp(np.clip(log_length, -2, 4)) * CELL
    return np.stack([np.cos(turn) * length, np.sin(turn) * length], axis=1).astype(np.float32)


def peaks_of(output: Floats, threshold: float) -> Peaks:
    """Local maxima of the two heat maps of a network output, px at the network's scale.

    The output is (4 x 14, h / 2, w / 2): a channel's four are the quarters of a cell. What the channels are
    is told at `vision.training.nets`.
    """
    high, wide = output.shape[1:]
    cells = output.reshape(-1, FOLD, FOLD, high, wide)
    heat = cells[:HEATS].transpose(0, 3, 1, 4, 2).reshape(HEATS, FOLD * high, FOLD * wide)
    kernel = np.ones((3, 3), np.uint8)
    top = np.stack([cv2.dilate(h, kernel) for h in heat])
    kinds, ys, xs = np.nonzero((heat >= np.log(threshold / (1 - threshold))) & (heat >= top))
    numbers = cells[HEATS:, ys % FOLD, xs % FOLD, ys // FOLD, xs // FOLD]
    places = np.stack([xs, ys], axis=1) + 0.5 + np.clip(numbers[:2], -2, 2).T
    up, across = _axis(*numbers[2:5]), _axis(*numbers[5:8])
    # A tile's picture is never mirrored: across turns into up clockwise on the screen.
    mirrored = across[:, 0] * up[:, 1] - across[:, 1] * up[:, 0] < 0
    across[mirrored] *= -1
    scores, centres = _sigmoid(heat[kinds, ys, xs]), (places * CELL).astype(np.float32)
    middles, halves = places + numbers[8:10].T, np.exp(np.clip(numbers[10:12], -2, 4)).T
    boxes = np.hstack([middles - halves, middles + halves]) * CELL
    return Peaks(centres, up, across, scores, kinds == 1, boxes.astype(np.float32))


def _insides(peaks: Peaks) -> NDArray[np.bool_]:
    """(N, N): whether the row's centre lies inside the column's tile."""
    away = peaks.centres[:, None] - peaks.centres[None]
    u, v = peaks.ups, peaks.acrosses
    det = v[:, 0] * u[:, 1] - v[:, 1] * u[:, 0]
    det = np.where(np.abs(det) < 1e-3, 1e-3, det)
    a = (away[..., 0] * u[:, 1] - away[..., 1] * u[:, 0]) / det
    b = (v[:, 0] * away[..., 1] - v[:, 1] * away[..., 0]) / det
    return np.asarray((np.abs(a) < 1.0) & (np.abs(b) < 1.0), np.bool_)


def _overlaps(boxes: Floats) -> Floats:
    """(N, N) intersection over union."""
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    both = np.prod(np.clip(high - low, 0, None), axis=2)
    areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    return np.asarray(both / np.maximum(areas[:, None] + areas[None] - both, 1e-6), np.float32)


def thinned(peaks: Peaks, ranks: Floats | None = None) -> Peaks:
    """Of candidates of which one's middle lies inside another, or that share a box, keep the best.

    The best is the one of the highest rank (N,); the score is the rank where none is given.
    """
    order = np.argsort(-(peaks.scores if ranks is None else ranks), kind="stable")
    ordered = peaks.chosen(order)
    inside = _insides(ordered)
    same = inside | inside.T | (_overlaps(ordered.boxes) > SAME_BOX)
    kept = np.zeros(len(order), np.bool_)
    for k in range(len(order)):
        kept[k] = not np.any(same[k, :k] & kept[:k])
    return ordered.chosen(kept)
