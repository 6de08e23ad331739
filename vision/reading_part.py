"""Reads one part of a picture: tiles are found, their corners made exact, and the faces named.

A tile whose name stays doubtful is looked at once more where its outline says it lies (`rectify_fit`); that
also finds tiles that lie across their neighbours and were taken for upright ones.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from rules.tiles import Tile
from vision.find import Finder
from vision.images import Image
from vision.name import NOT_A_TILE, Named, Namer
from vision.rectify import Rectification
from vision.rectify_fit import Outlines, corners_of, poses_of
from vision.steady import Part, Plan
from vision.steady_tracks import Sighting
from vision.zones import TileSides

# Readings in a row see the tiles a little larger and smaller, so that they don't all make the same mistake.
SCALES: Final = (1.0, 0.92, 1.08, 0.96, 1.04)
# Sides of a flat tile's face, as shares of the true ones: standing tiles show 0.75 of the long side.
SIZE_SHARES: Final = (0.8, 1.25)
LEAST_PROBABILITY: Final = 1e-6

Chances = npt.NDArray[np.float64]
"""(44,), of tiles 0..42 and "not a tile"."""


class PartReader:
    """Finds and names with the two networks; one thread at a time.

    Args:
        tile: sides of the tiles in mm.
        finder: finds tiles.
        namer: names them.
        sure: probability from which a name needs no second look.
    """

    def __init__(self, tile: TileSides, finder: Finder, namer: Namer, *, sure: float) -> None:
        self._tile = tile
        self._finder = finder
        self._namer = namer
        self._sure = sure
        self.parts_read = 0
        self.tiles_named = 0

    def read(
        self,
        image: Image,
        part: Part,
        rectification: Rectification,
        plan: Plan,
    ) -> list[Sighting]:
        """The tiles in a part that the plan's changes may have touched."""
        height = self._tile.thickness
        scale = rectification.px_per_mm(height=height) * self._tile.width
        scale *= SCALES[self.parts_read % len(SCALES)]
        self.parts_read += 1
        box = (part.left, part.top, part.right - part.left, part.bottom - part.top)
        found = self._finder.find(image, scale, roi=box)
        quads = np.asarray([tile.quad for tile in found], np.float32).reshape(-1, 4, 2)
        corners = rectification.to_mm(quads.reshape(-1, 2), height=height).reshape(-1, 4, 2)
        flat = self._flat(corners)
        quads, corners = quads[flat], corners[flat]
        asked = plan.reaches(quads.mean(axis=1)) if len(quads) else np.zeros(0, np.bool_)
        if not asked.any():
            return []
        quads[asked] = self._namer.refine(image, quads[asked])
        corners = rectification.to_mm(quads.reshape(-1, 2), height=height).reshape(-1, 4, 2)
        named = self._namer.name_refined(image, quads[asked])
        self.tiles_named += len(named)
        chances = [np.asarray(name.probabilities, np.float64) for name in named]
        poses = poses_of(corners)
        doubtful = [k for k, name in enumerate(named) if self._doubtful(name)]
        if doubtful:
            rows = np.flatnonzero(asked)[doubtful]
            again = self._second_look(image, rectification, poses, rows, plan)
            for k, other in zip(doubtful, again, strict=True):
                chances[k] = _better(chances[k], other)
        return [_sighting(pose, chance) for pose, chance in zip(poses[asked], chances, strict=True)]

    def _doubtful(self, name: Named) -> bool:
        """Whether it is a face, but not surely which."""
        return (
            name.confidence < self._sure
            and name.probabilities[NOT_A_TILE] + name.probabilities[Tile.BACK] < 0.5
        )

    def _second_look(
        self,
        image: Image,
        rectification: Rectification,
        poses: npt.NDArray[np.float64],
        rows: npt.NDArray[np.intp],
        plan: Plan,
    ) -> list[Chances]:
        """Fits the poses of some tiles (in place) and names them there."""
        outlines = Outlines(image, rectification, self._tile, poses.copy(), cloth=plan.cloth)
        for row in rows:
            poses[row] = outlines.fitted(int(row))
        height = self._tile.thickness
        corners = corners_of(poses[rows], self._tile).reshape(-1, 2)
        quads = rectification.to_px(corners, height=height).reshape(-1, 4, 2)
        named = self._namer.name_refined(image, quads)
        self.tiles_named += len(named)
        return [np.asarray(name.probabilities, np.float64) for name in named]

    def _flat(self, corners: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Which of the (N, 4, 2) corners in mm have the size of a face that lies flat on the cloth."""
        sides = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
        short, long = (sides[:, 0] + sides[:, 2]) / 2, (sides[:, 1] + sides[:, 3]) / 2
        low, high = SIZE_SHARES
        fits = (short > low * self._tile.width) & (short < high * self._tile.width)
        return np.asarray(fits & (long > low * self._tile.length) & (long < high * self._tile.length))


def _better(first: Chances, second: Chances) -> Chances:
    """What two looks at one tile say together: their mean where they agree, else the surer one."""
    if first.argmax() == second.argmax():
        return (first + second) / 2
    return second if second.max() > first.max() else first


def _sighting(pose: npt.NDArray[np.float64], chances: Chances) -> Sighting:
    """A pose (x, y in mm, radians) and a name, as the memory takes them."""
    angle = float(np.degrees(pose[2]) % 360.0)
    return Sighting(float(pose[0]), float(pose[1]), angle, np.log(np.maximum(chances, LEAST_PROBABILITY)))
