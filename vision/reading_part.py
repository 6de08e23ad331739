"""Reads parts of a picture: tiles are found, their corners made exact, and the faces named.

A tile whose name stays doubtful is looked at once more where its outline says it lies (`rectify_fit`); that
also finds tiles that lie across their neighbours and were taken for upright ones. So is one whose corners are
not as far apart as a tile's: the lower part of 7p is a 4p that looks as certain as any.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from vision.find import Finder
from vision.images import Image
from vision.name import Namer
from vision.reading_cost import Costs
from vision.reading_ground import pieces
from vision.reading_paper import doubt_dark_whites
from vision.reading_seen import LEAST_PROBABILITY, Chances, Seen
from vision.rectify import Rectification
from vision.rectify_fit import Outlines, corners_of, poses_of
from vision.steady import Part, Plan
from vision.steady_tracks import Sighting
from vision.zones import TileSides

# Readings in a row see the tiles a little larger and smaller, so that they don't all make the same mistake.
SCALES: Final = (1.0, 0.92, 1.08, 0.96, 1.04)
# Sides of a flat tile's face, as shares of the true ones: standing tiles show 0.75 of the long side.
SIZE_SHARES: Final = (0.8, 1.25)
# The same once the corners were moved to where the tile shows them: of 99.9 % they are within 0.91 and 1.08.
WHOLE_SHARES: Final = (0.88, 1.13)
# A second look names several crops of a tile: sizes, and shares of the sides by which it is moved and turned.
SIZES: Final = (1.0, 1.04, 0.97)
SHIFT: Final = 0.03
TURN: Final = 0.035

CROPS: Final = 2 * (len(SIZES) + 6)  # of a tile's second look
MOST_CROPS: Final = 60  # named in one picture; a table that is read for the first time has sixty faces

Quad = npt.NDArray[np.float32]
"""(4, 2) pixels."""


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
        self.costs = Costs()
        self.parts_read = 0
        self._readings = 0
        self.tiles_named = 0

    def warm_up(self) -> None:
        """Have the networks get their memory before the first picture comes."""
        self._finder.warm_up()
        self._namer.warm_up()

    def read(self, image: Image, rectification: Rectification, plan: Plan) -> list[Sighting]:
        """The tiles that the plan's changes may have touched."""
        with self.costs.of("find"):
            quads, is_back = self._found(image, pieces(image, plan), rectification)
        asked = plan.reaches(quads.mean(axis=1)) if len(quads) else np.zeros(0, np.bool_)
        if not asked.any():
            return []
        rows = np.flatnonzero(asked)
        with self.costs.of("name"):
            named, quads[rows] = self._namer.look(image, quads[rows])
        self.tiles_named += len(named)
        corners = self._corners(rectification, quads)
        whole = self._has_size(corners[rows], WHOLE_SHARES)
        chances = [np.asarray(name.probabilities, np.float64) for name in named]
        seen = Seen(quads, poses_of(corners), is_back, rows, whole, chances)
        self._look_again(image, rectification, plan, seen)
        doubt_dark_whites(image, seen)
        return seen.sightings()

    def _look_again(self, image: Image, rectification: Rectification, plan: Plan, seen: Seen) -> None:
        """Look at some tiles where their outlines are: for their corners, and where names are doubtful."""
        again = self._looked_at_again(seen)
        if not again:
            return
        with self.costs.of("fit"):
            fitted = dict(
                zip(
                    again, self._fitted(image, rectification, seen.poses, seen.rows[again], plan), strict=True
                )
            )
        with self.costs.of("name"):
            self._made_whole(image, rectification, seen, {k: fitted[k] for k in again if k in seen.parts()})
            doubtful = [k for k in seen.doubtful(self._sure) if k in fitted]
            if doubtful:
                others = np.stack([fitted[k] for k in doubtful])
                better = self._second_look(image, seen.quads[seen.rows[doubtful]], others)
                for k, chance in zip(doubtful, better, strict=True):
                    seen.chances[k] = chance

    def _made_whole(
        self, image: Image, rectification: Rectification, seen: Seen, outlines: Mapping[int, Quad]
    ) -> None:
        """Name what had not the size of a tile where the outlines are, if what is seen there has it."""
        if not outlines:
            return
        named, quads = self._namer.look(image, np.stack(list(outlines.values())))
        self.tiles_named += len(named)
        corners = self._corners(rectification, quads)
        whole = self._has_size(corners, WHOLE_SHARES)
        for k, name, quad, pose, fits in zip(outlines, named, quads, poses_of(corners), whole, strict=True):
            if fits:
                seen.is_whole[k], seen.chances[k] = True, np.asarray(name.probabilities, np.float64)
                seen.quads[seen.rows[k]], seen.poses[seen.rows[k]] = quad, pose

    def _looked_at_again(self, seen: Seen) -> list[int]:
        """Which tiles get a second look: the doubtful ones and parts, but no more than there is time for.

        The others need one in the next picture too, when most of the table need not be read any more.
        """
        most = max(0, MOST_CROPS - len(seen.rows)) // CROPS
        wanted = {*seen.doubtful(self._sure), *seen.parts()}
        return sorted(sorted(wanted, key=lambda k: -seen.confidence(k))[:most])

    def _found(
        self, image: Image, parts: tuple[Part, ...], rectification: Rectification
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """(N, 4, 2) pixels, corners of all that may be a tile lying flat in some parts; which are backs."""
        height = self._tile.thickness
        scale = rectification.px_per_mm(height=height) * self._tile.width
        scale *= SCALES[self._readings % len(SCALES)]
        self._readings += 1
        self.parts_read += len(parts)
        boxes = [(part.left, part.top, part.right - part.left, part.bottom - part.top) for part in parts]
        found = self._finder.find_in(image, boxes, scale)
        quads = np.asarray([tile.quad for tile in found], np.float32).reshape(-1, 4, 2)
        flat = self._has_size(self._corners(rectification, quads), SIZE_SHARES)
        return quads[flat], np.asarray([tile.is_back for tile in found], np.bool_)[flat]

    def _corners(
        self, rectification: Rectification, quads: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float64]:
        """(N, 4, 2) mm of quads (N, 4, 2) px at the height of faces."""
        return rectification.to_mm(quads.reshape(-1, 2), height=self._tile.thickness).reshape(-1, 4, 2)

    def _fitted(
        self,
        image: Image,
        rectification: Rectification,
        poses: npt.NDArray[np.float64],
        rows: npt.NDArray[np.intp],
        plan: Plan,
    ) -> npt.NDArray[np.float32]:
        """Put the poses of some tiles where their outlines are; returns their corners (N, 4, 2) in pixels."""
        outlines = Outlines(image, rectification, self._tile, poses.copy(), cloth=plan.cloth)
        for row in rows:
            poses[row] = outlines.fitted(int(row))
        corners = corners_of(poses[rows], self._tile).reshape(-1, 2)
        pixels = rectification.to_px(corners, height=self._tile.thickness)
        return np.asarray(pixels.reshape(-1, 4, 2), np.float32)

    def _second_look(
        self, image: Image, quads: npt.NDArray[np.float32], others: npt.NDArray[np.float32]
    ) -> list[Chances]:
        """Names tiles (N, 4, 2) from several crops each: at their corners, and at those of their outlines."""
        count = len(quads)
        crops = np.concatenate([crop for corners in (quads, others) for crop in _varied(corners)])
        named = self._namer.name_refined(image, crops)
        self.tiles_named += len(named)
        chances = np.asarray([name.probabilities for name in named], np.float64).reshape(2, -1, count, 44)
        first, second = (_mean(views) for views in chances)
        return [_together(a, b) for a, b in zip(first, second, strict=True)]

    def _has_size(
        self, corners: npt.NDArray[np.float64], shares: tuple[float, float]
    ) -> npt.NDArray[np.bool_]:
        """Which of the (N, 4, 2) corners in mm have, within shares, the size of a face that lies flat."""
        sides = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
        short, long = (sides[:, 0] + sides[:, 2]) / 2, (sides[:, 1] + sides[:, 3]) / 2
        low, high = shares
        fits = (short > low * self._tile.width) & (short < high * self._tile.width)
        return np.asarray(fits & (long > low * self._tile.length) & (long < high * self._tile.length))


def _varied(quads: npt.NDArray[np.float32]) -> list[npt.NDArray[np.float32]]:
    """The quads (N, 4, 2), and nearly the same: wider, narrower, turned, moved."""
    middle = quads.mean(axis=1, keepdims=True)
    arms = quads - middle
    across = (quads[:, 1] - quads[:, 0])[:, None] * SHIFT
    down = (quads[:, 3] - quads[:, 0])[:, None] * SHIFT
    side = np.stack((-arms[..., 1], arms[..., 0]), axis=-1) * TURN
    scaled = [middle + arms * size for size in SIZES]
    moved = [quads + step for step in (across, -across, down, -down, side, -side)]
    return [np.asarray(quad, np.float32) for quad in (*scaled, *moved)]


def _mean(views: Chances) -> Chances:
    """(views, N, 44) probabilities of the same tiles become (N, 44): the mean of their logarithms."""
    weights = np.exp(np.log(np.maximum(views, LEAST_PROBABILITY)).mean(axis=0))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _together(first: Chances, second: Chances) -> Chances:
    """What two looks at one tile say: their mean where they name the same face, else the surer one."""
    if first.argmax() == second.argmax():
        both: Chances = _mean(np.stack((first, second))[:, None])[0]
        return both
    return second if second.max() > first.max() else first
