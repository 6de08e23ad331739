"""From one picture to what is certain: rectify, find, name, remember. Blocks: for one worker thread."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from vision.find import Finder
from vision.images import Frame, Image
from vision.name import Named, Namer
from vision.observations import Observation
from vision.rectify import Rectification, TableNotFound, rectify_picture
from vision.steady import Part, Plan, Steady
from vision.steady_cells import lay_cells
from vision.steady_evidence import Agreement
from vision.steady_gate import looks_of
from vision.steady_tracks import Sighting
from vision.zones import TableGeometry

RECHECK_S: Final = 10.0  # the markers are looked for this often once the table is known ...
SEARCH_S: Final = 0.5  # ... and this often before
DRIFT_MM: Final = 1.5  # a camera that seems to have moved less than this stays where it is
# Sides of a flat tile's face, as shares of the true ones: standing tiles show 0.75 of the long side.
SIZE_SHARES: Final = (0.8, 1.25)
# Readings in a row see the tiles a little larger and smaller, so that they don't all make the same mistake.
SCALES: Final = (1.0, 0.92, 1.08, 0.96, 1.04)
LEAST_PROBABILITY: Final = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class SightSettings:
    """How a camera is read; the names are those of the configuration's `[camera]`.

    Attributes:
        settle_s: a place counts as still after so many seconds without movement.
        reads: readings that must agree on a tile ...
        spacing_s: ... at least so many seconds apart ...
        confidence: ... with at least this probability of the face (0..1).
        patience_s: a tile that stays doubtful so long is told as `?` with its candidates.
        timeout_s: the camera is lost after so many seconds without a picture that shows the table.
        retry_s: first wait before a source that can't be opened is tried again.
        camera_height_mm: of the lens above the cloth; 50 mm of error displace a tile by 0.3 mm.
    """

    settle_s: float = 0.25
    reads: int = 2
    spacing_s: float = 0.15
    confidence: float = 0.95
    patience_s: float = 2.0
    timeout_s: float = 5.0
    retry_s: float = 1.0
    camera_height_mm: float = 1200.0

    @property
    def agreement(self) -> Agreement:
        """The part that concerns a tile's readings."""
        return Agreement(
            reads=self.reads,
            spacing_s=self.spacing_s,
            confidence=self.confidence,
            patience_s=self.patience_s,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SightStats:
    """Counters since the sight was opened.

    Attributes:
        pictures: pictures the source gave.
        looked_at: pictures that were looked at; the rest were dropped for newer ones.
        read_fps: looked at per second, over the last few seconds.
        look_s: mean seconds it took to look at one, over the same.
        parts_read: parts of pictures in which tiles were looked for.
        tiles_named: tiles named in them.
        lines: good lines of a source of readings.
        bad_lines: lines that were no observation.
    """

    pictures: int = 0
    looked_at: int = 0
    read_fps: float = 0.0
    look_s: float = 0.0
    parts_read: int = 0
    tiles_named: int = 0
    lines: int = 0
    bad_lines: int = 0


class Eyes:
    """Looks at pictures of one table in order.

    Attributes:
        tiles_named: crops named so far.
        parts_read: parts of pictures in which tiles were looked for.
    """

    def __init__(
        self, geometry: TableGeometry, settings: SightSettings, finder: Finder, namer: Namer
    ) -> None:
        self._geometry = geometry
        self._settings = settings
        self._finder = finder
        self._namer = namer
        self._steady: Steady | None = None
        self._rectification: Rectification | None = None
        self._moved: Rectification | None = None
        self._checked_at = -np.inf
        self.tiles_named = 0
        self.parts_read = 0

    def look(self, frame: Frame) -> list[Observation]:
        """What became certain with this picture.

        Raises:
            TableNotFound: the picture doesn't show the markers, and no earlier one did.
        """
        steady = self._place(frame)
        plan = steady.look(frame.at, looks_of(frame.image))
        return steady.take(plan, self.read(frame.image, plan))

    def read(self, image: Image, plan: Plan) -> list[Sighting]:
        """Find and name the tiles in a plan's parts."""
        if self._rectification is None:
            return []
        self.parts_read += len(plan.parts)
        return [
            sighting for part in plan.parts for sighting in self._read_part(image, part, self._rectification)
        ]

    def _read_part(self, image: Image, part: Part, rectification: Rectification) -> list[Sighting]:
        height = self._geometry.tile.thickness
        scale = rectification.px_per_mm(height=height) * self._geometry.tile.width
        scale *= SCALES[self.parts_read % len(SCALES)]
        box = (part.left, part.top, part.right - part.left, part.bottom - part.top)
        found = self._finder.find(image, scale, roi=box)
        quads = np.asarray([tile.quad for tile in found], np.float32).reshape(-1, 4, 2)
        corners = rectification.to_mm(quads.reshape(-1, 2), height=height).reshape(-1, 4, 2)
        flat = self._flat(corners)
        quads, corners = quads[flat], corners[flat]
        named = self._namer.name(image, quads) if len(quads) else []
        self.tiles_named += len(named)
        self.parts_read += 1
        return [_sighting(corner, tile) for corner, tile in zip(corners, named, strict=True)]

    def _flat(self, corners: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Which of the (N, 4, 2) corners in mm have the size of a face that lies flat on the cloth."""
        sides = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
        short, long = (sides[:, 0] + sides[:, 2]) / 2, (sides[:, 1] + sides[:, 3]) / 2
        low, high = SIZE_SHARES
        tile = self._geometry.tile
        fits = (short > low * tile.width) & (short < high * tile.width)
        return np.asarray(fits & (long > low * tile.length) & (long < high * tile.length))

    def _place(self, frame: Frame) -> Steady:
        """The memory over the table's place in the picture, which is looked for now and then."""
        pause = SEARCH_S if self._steady is None else RECHECK_S
        if frame.at - self._checked_at >= pause:
            self._checked_at = frame.at
            self._look_for_table(frame)
        if self._steady is None:
            raise TableNotFound("the table's corner markers were not found yet")
        return self._steady

    def _look_for_table(self, frame: Frame) -> None:
        try:
            now = rectify_picture(frame.image, self._geometry, camera_height=self._settings.camera_height_mm)
        except TableNotFound:
            if self._steady is None:
                raise
            return
        size = (frame.image.shape[1], frame.image.shape[0])
        if self._steady is None or self._rectification is None:
            cells = lay_cells(now, self._geometry, size=size)
            self._steady = Steady(
                self._geometry, cells, settle_s=self._settings.settle_s, agreement=self._settings.agreement
            )
            self._rectification = now
        elif self._drifted(now):
            self._rectification = now
            self._steady.move(lay_cells(now, self._geometry, size=size))

    def _drifted(self, now: Rectification) -> bool:
        """Whether the camera stands elsewhere than known, twice in a row at the same place."""
        half = self._geometry.cloth / 2
        if self._rectification is None or self._rectification.drift_mm(now, half=half) < DRIFT_MM:
            self._moved = None
            return False
        before, self._moved = self._moved, now
        return before is not None and before.drift_mm(now, half=half) < DRIFT_MM


def _sighting(corners: npt.NDArray[np.float64], named: Named) -> Sighting:
    """Corners (4, 2) in mm and the name of one tile, as the memory takes it."""
    x, y = corners.mean(axis=0)
    up = (corners[0] + corners[1] - corners[2] - corners[3]) / 2
    angle = float(np.degrees(np.arctan2(up[0], -up[1])) % 360.0)
    chances = np.maximum(np.asarray(named.probabilities, np.float64), LEAST_PROBABILITY)
    return Sighting(float(x), float(y), angle, np.log(chances))
