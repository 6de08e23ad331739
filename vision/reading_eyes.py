"""From one picture to what is certain: rectify, find, name, remember. Blocks: for one worker thread."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.find import Finder
from vision.images import Frame
from vision.name import Namer
from vision.observations import Observation
from vision.reading_part import PartReader
from vision.rectify import Rectification, TableNotFound, rectify_picture
from vision.steady import Steady
from vision.steady_cells import lay_cells
from vision.steady_evidence import Agreement
from vision.steady_gate import looks_of
from vision.steady_tracks import Sighting  # noqa: TC001 - beside its maker
from vision.zones import TableGeometry

RECHECK_S: Final = 10.0  # the markers are looked for this often once the table is known ...
SEARCH_S: Final = 0.3  # ... and this often before, and when the camera may have been knocked
KNOCK_S: Final = 3.0  # how long nothing is read while the markers are looked for after a knock
DRIFT_MM: Final = 1.5  # a camera that seems to have moved less than this stays where it is


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
    """Looks at pictures of one table in order."""

    def __init__(
        self, geometry: TableGeometry, settings: SightSettings, finder: Finder, namer: Namer
    ) -> None:
        self._geometry = geometry
        self._settings = settings
        self._reader = PartReader(geometry.tile, finder, namer, sure=settings.confidence)
        self._steady: Steady | None = None
        self._rectification: Rectification | None = None
        self._moved: Rectification | None = None
        self._checked_at = -np.inf
        self._knocked_at: float | None = None

    @property
    def tiles_named(self) -> int:
        """Crops named so far."""
        return self._reader.tiles_named

    @property
    def parts_read(self) -> int:
        """Parts of pictures in which tiles were looked for so far."""
        return self._reader.parts_read

    def look(self, frame: Frame) -> list[Observation]:
        """What became certain with this picture.

        Raises:
            TableNotFound: the picture doesn't show the markers, and no earlier one did.
        """
        steady = self._place(frame)
        plan = steady.look(frame.at, looks_of(frame.image))
        if steady.upheaval:
            self._knocked_at = frame.at
        if self._rectification is None or self._is_lost(frame.at):
            return []
        sightings: list[Sighting] = []
        for part in plan.parts:
            sightings += self._reader.read(frame.image, part, self._rectification, plan)
        return steady.take(plan, sightings)

    def _place(self, frame: Frame) -> Steady:
        """The memory over the table's place in the picture, which is looked for now and then."""
        pause = SEARCH_S if self._steady is None or self._knocked_at is not None else RECHECK_S
        if frame.at - self._checked_at >= pause:
            self._checked_at = frame.at
            self._look_for_table(frame)
        if self._steady is None:
            raise TableNotFound("the table's corner markers were not found yet")
        return self._steady

    def _is_lost(self, at: float) -> bool:
        """Whether the camera may have been knocked lately and the table wasn't found again yet."""
        if self._knocked_at is not None and at - self._knocked_at > KNOCK_S:
            self._knocked_at = None  # something else changed so much: people, or the light
        return self._knocked_at is not None

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
            self._knocked_at = None
            self._steady.move(lay_cells(now, self._geometry, size=size))
        elif self._moved is None:
            self._knocked_at = None

    def _drifted(self, now: Rectification) -> bool:
        """Whether the camera stands elsewhere than known, twice in a row at the same place."""
        half = self._geometry.cloth / 2
        if self._rectification is None or self._rectification.drift_mm(now, half=half) < DRIFT_MM:
            self._moved = None
            return False
        before, self._moved = self._moved, now
        return before is not None and before.drift_mm(now, half=half) < DRIFT_MM
