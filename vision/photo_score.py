"""Scores what was found and named on labelled photographs: recall by overlap of upright boxes.

Recall only: photographs show tiles that nobody labelled, so that a find without a label tells nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rules.tiles import Tile
    from vision.photo import Box, PhotoTile

OVERLAPS = (0.4, 0.5)
"""Least shares (intersection over union) at which a find counts as the labelled tile."""


def shares(ones: Sequence[Box], others: Sequence[Box]) -> NDArray[np.float64]:
    """Intersection over union (N, M) of boxes x, y, w, h."""
    a = np.array(ones, np.float64).reshape(-1, 1, 4)
    b = np.array(others, np.float64).reshape(1, -1, 4)
    low = np.maximum(a[..., :2], b[..., :2])
    high = np.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:])
    both = np.prod(np.clip(high - low, 0.0, None), axis=2)
    return np.asarray(both / (a[..., 2] * a[..., 3] + b[..., 2] * b[..., 3] - both), np.float64)


def matched(labels: Sequence[Box], finds: Sequence[Box], least: float) -> dict[int, int]:
    """Label number to find number, each at most once: the greatest shares first, none below `least`."""
    overlap = shares(labels, finds)
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for k in np.argsort(-overlap, axis=None, kind="stable"):
        label, find = divmod(int(k), len(finds))
        if overlap[label, find] < least:
            break
        if label not in pairs and find not in taken:
            pairs[label] = find
            taken.add(find)
    return pairs


@dataclass(slots=True)
class Recall:
    """How many labelled tiles were found, and found and rightly named (the likeliest name counts)."""

    asked: int = 0
    found: int = 0
    named: int = 0


@dataclass(slots=True)
class PhotoScore:
    """Recall by set and overlap; add photographs one by one."""

    rows: dict[tuple[str, float], Recall] = field(default_factory=dict)

    def add(self, tileset: str, labels: Sequence[tuple[Box, Tile]], tiles: Sequence[PhotoTile]) -> None:
        """Count one photograph: its labelled boxes with their tiles, and what was read on it."""
        boxes = [box for box, _ in labels]
        for least in OVERLAPS:
            row = self.rows.setdefault((tileset, least), Recall())
            pairs = matched(boxes, [tile.box for tile in tiles], least) if tiles else {}
            row.asked += len(labels)
            row.found += len(pairs)
            row.named += sum(tiles[find].named.best is labels[label][1] for label, find in pairs.items())

    def percent(self, tileset: str, least: float) -> tuple[float, float]:
        """Found, and found and rightly named, in per cent of what the set asks at an overlap."""
        row = self.rows[tileset, least]
        return 100 * row.found / row.asked, 100 * row.named / row.asked
