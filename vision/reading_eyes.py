"""From one picture to what is certain: rectify, find, name, remember. Blocks: for one worker thread."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rules.tiles import Tile
from vision.calibration import Calibration
from vision.camera_health import Health, Limits, facts_of, saw
from vision.camera_place import DRIFT_MM, Place, Said
from vision.dice_eyes import DiceEyes
from vision.find import Finder
from vision.images import BadPicture, Frame, Image
from vision.joint import ONE_SET
from vision.name import Namer
from vision.observations import CameraBack, CameraLost, CameraTrouble, Drift, Observation
from vision.reading_cost import Costs
from vision.reading_part import PartReader
from vision.steady import Steady
from vision.steady_cells import lay_cells
from vision.steady_evidence import Agreement
from vision.steady_gate import looks_of
from vision.steady_tracks import Sighting  # noqa: TC001 - beside its maker
from vision.zones import TableGeometry

CODED_S: Final = 10.0
"""A film whose codec leaves out what stands still may show the same picture for so long."""
PICTURE_WORDS: Final = {
    CameraTrouble.BLACK: "the picture is black",
    CameraTrouble.OVEREXPOSED: "the picture is over-exposed",
    CameraTrouble.FROZEN: "the picture does not change any more",
    CameraTrouble.STREAM_RESTARTED: "the stream broke off and was opened again",
    CameraTrouble.SIZE_CHANGED: "the picture has another size",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SightSettings:
    """How a camera is read; the names are those of the configuration's `[camera]`.

    Attributes:
        settle_s: a place counts as still after so many seconds without movement.
        reads: readings that must agree on a tile ...
        spacing_s: ... at least so many seconds apart ...
        confidence: ... with at least this probability of the face (0..1).
        patience_s: a tile that stays doubtful so long is told as `?` with its candidates.
        timeout_s: the camera is lost after so many seconds without a picture, or without one that shows
            the table.
        retry_s: first wait before a source that can't be opened is tried again.
        camera_height_mm: of the lens above the cloth; 50 mm of error displace a tile by 0.3 mm.
        indicator_confidence: the same where the indicator lies, whose face decides about money.
        copies: the tiles of the set in play; no more of a face are ever told at a time.
        calibration: of `longzhuo calibrate`; without it the markers alone tell where the camera is.
    """

    settle_s: float = 0.25
    reads: int = 2
    spacing_s: float = 0.15
    confidence: float = 0.95
    patience_s: float = 2.0
    timeout_s: float = 1.5
    retry_s: float = 1.0
    camera_height_mm: float = 1200.0
    indicator_confidence: float = 0.98
    copies: Mapping[Tile, int] = field(default_factory=lambda: ONE_SET)
    calibration: Calibration | None = None

    @property
    def agreement(self) -> Agreement:
        """The part that concerns a tile's readings."""
        return Agreement(
            reads=self.reads,
            spacing_s=self.spacing_s,
            confidence=self.confidence,
            patience_s=self.patience_s,
            indicator_confidence=self.indicator_confidence,
            copies=self.copies,
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
    """Looks at pictures of one table in order, and says when they can't be used.

    Args:
        frozen_s: pictures that stay the same for so long are frozen; None where they may.
    """

    def __init__(
        self,
        geometry: TableGeometry,
        settings: SightSettings,
        finder: Finder,
        namer: Namer,
        *,
        frozen_s: float | None = None,
    ) -> None:
        self._geometry = geometry
        self._settings = settings
        self._reader = PartReader(geometry.tile, finder, namer, sure=settings.confidence)
        self._steady: Steady | None = None
        self._dice = DiceEyes(settle_s=settings.settle_s, spacing_s=settings.spacing_s)
        self._limits = Limits(frozen_s=frozen_s)
        self._health = Health()
        self._place = Place(
            geometry,
            camera_height=settings.camera_height_mm,
            patience_s=settings.timeout_s,
            calibration=settings.calibration,
        )
        self._drift_told = 0.0
        self._before: Frame | None = None
        self._told: CameraTrouble | None = None
        self._good_at: float | None = None
        self.costs = Costs()
        self._reader.costs = self.costs

    def warm_up(self) -> None:
        """Get ready for the first picture, which else takes a tenth longer; this takes as long as one."""
        self._reader.warm_up()

    @property
    def trouble(self) -> CameraTrouble | None:
        """The trouble that was told last and still stands."""
        return self._told

    @property
    def tiles_named(self) -> int:
        """Crops named so far."""
        return self._reader.tiles_named

    @property
    def parts_read(self) -> int:
        """Parts of pictures in which tiles were looked for so far."""
        return self._reader.parts_read

    def views(self, areas: Mapping[str, tuple[int, int, int, int]], *, height: float) -> dict[str, Image]:
        """Parts of the last picture from straight above, one pixel a millimetre.

        Each area is (x, y, width, height) in mm in the plane `height` mm above the cloth. None is given where
        no picture has come, it can't be decoded, or nobody knows where the table lies in it.
        """
        place, frame = self._place.rectification, self._before
        if place is None or frame is None or not self._place.is_certain:
            return {}
        try:
            image = frame.image
        except BadPicture:
            return {}
        return {
            name: place.view(image, (x, y), (width, tall), height=height)
            for name, (x, y, width, tall) in areas.items()
        }

    def without_picture(self, at: float, trouble: CameraTrouble, reason: str) -> list[Observation]:
        """No picture has come for `timeout_s`."""
        return self._lost(at, (trouble, reason))

    def look(self, frame: Frame) -> list[Observation]:
        """What became certain with this picture."""
        try:
            told, usable = self._checked(frame)
            if usable:
                told += self._read(frame)
        except BadPicture as error:
            good_at = self._good_at = frame.at if self._good_at is None else self._good_at
            late = frame.at - good_at >= self._settings.timeout_s
            return self._lost(frame.at, (CameraTrouble.UNPLUGGED, str(error))) if late else []
        self._good_at = frame.at
        return told

    def _checked(self, frame: Frame) -> tuple[list[Observation], bool]:
        """Whether anything may be read from a picture, and what is to be told of the camera."""
        with self.costs.of("decode"):
            frame.small  # noqa: B018 - decoded where it is first asked for
        with self.costs.of("health"):
            facts = facts_of(frame, self._before)
        self._before = frame
        before = self._health.trouble
        self._health = health = saw(self._health, facts, self._limits)
        if health.trouble is not None:
            return self._lost(frame.at, (health.trouble, PICTURE_WORDS[health.trouble])), False
        told: list[Observation] = []
        if health.news is not None or before is not None:
            self._place.doubt(frame.at, health.news)
            if health.news is not None and self._told is None and self._steady is not None:
                told += self._lost(frame.at, (health.news, PICTURE_WORDS[health.news]))
        if health.suspect:
            return told, False
        return told + self._placed(frame), self._place.is_certain

    def _placed(self, frame: Frame) -> list[Observation]:
        """Look where the table lies."""
        if self._place.is_due(frame.at):
            with self.costs.of("decode"):
                frame.image  # noqa: B018 - the same
        with self.costs.of("place"):
            elsewhere = self._place.look(frame)
        said = self._place.trouble(frame.at, frame.size)
        told = self._lost(frame.at, said) if said is not None else []
        if elsewhere:
            self._lay_cells(frame)
        if self._place.is_certain and self._told is not None:
            self._told = None
            if self._steady is not None:
                self._steady.begin_again()
                self._dice.begin_again()
            told.append(CameraBack(at=frame.at))
        return told + self._drifted(frame.at)

    def _drifted(self, at: float) -> list[Observation]:
        """Tell how far the camera has moved, where that is news."""
        drift = self._place.drift_mm
        if not self._place.is_certain or abs(drift - self._drift_told) < DRIFT_MM:
            return []
        self._drift_told = drift
        return [Drift(at=at, mm=round(drift, 1))]

    def _lay_cells(self, frame: Frame) -> None:
        if self._place.rectification is None:
            return
        cells = lay_cells(self._place.rectification, self._geometry, size=frame.size)
        self._dice.place(self._place.rectification, shape=cells.cloth.shape, cell=cells.cell)
        if self._steady is None:
            settings = self._settings
            self._steady = Steady(
                self._geometry, cells, settle_s=settings.settle_s, agreement=settings.agreement
            )
        else:
            self._steady.move(cells)

    def _read(self, frame: Frame) -> list[Observation]:
        """Find, name and remember."""
        rectification = self._place.rectification
        if self._steady is None or rectification is None:
            return []
        with self.costs.of("looks"):
            plan = self._steady.look(frame.at, looks_of(frame.small))
        if self._steady.upheaval:
            self._place.doubt(frame.at)
            return []
        with self.costs.of("dice"):
            dice = self._dice.look(frame, plan.looks)
        sightings: list[Sighting] = []
        if plan.parts:
            with self.costs.of("decode"):
                image = frame.image
            sightings = self._reader.read(image, rectification, plan)
        with self.costs.of("steady"):
            return [*dice, *self._steady.take(plan, sightings)]

    def _lost(self, at: float, said: Said) -> list[Observation]:
        """Tell a trouble, unless it is told already."""
        trouble, reason = said
        if self._told is trouble:
            return []
        self._told = trouble
        return [CameraLost(at=at, reason=reason, trouble=trouble)]
