"""Where the table lies in the picture, whether it still lies there, and what to say when it doesn't.

The table is looked for now and then, and at once when there is a doubt: much of the markers changed, the
stream or the picture's size is another, or a trouble has just gone. While a doubt stands nothing is read. It
ends when the table is found, or when one marker is seen at its known place.
"""

from typing import Final

import numpy as np

from vision.calibration import Calibration
from vision.images import Frame, Image, Points
from vision.observations import CameraTrouble
from vision.rectify import Rectification, TableNotFound, find_markers, printed, rectify
from vision.zones import TableGeometry

RECHECK_S: Final = 10.0  # the markers are looked for this often once the table is known ...
SEARCH_S: Final = 0.3  # ... and this often before, and while there is a doubt
DRIFT_MM: Final = 1.5  # a camera that seems to have moved less than this stays where it is ...
TOLD_MM: Final = 5.0  # ... and from this on people are told

Said = tuple[CameraTrouble, str]
"""A trouble and its particulars in words."""


class Place:
    """Follows the table's place in the pictures of one camera.

    Args:
        geometry: the table.
        camera_height: of the lens above the cloth, mm.
        patience_s: a table that isn't found for so long is told as a trouble.
        calibration: knows the lens and where the camera stood; its height is not needed then.
    """

    def __init__(
        self,
        geometry: TableGeometry,
        *,
        camera_height: float,
        patience_s: float,
        calibration: Calibration | None = None,
    ) -> None:
        self._calibration = calibration
        self._reference = calibration.rectification if calibration is not None else None
        self._geometry = geometry
        self._camera_height = camera_height
        self._patience_s = patience_s
        self.rectification: Rectification | None = None
        self._size = (0, 0)
        self._checked_at = -np.inf
        self._doubted_at: float | None = None
        self._cause: CameraTrouble | None = None
        self._moved: Rectification | None = None
        self._missing = ""
        self._markers = 0

    @property
    def is_certain(self) -> bool:
        """Whether the table is known and there is no doubt that it lies there."""
        return self.rectification is not None and self._doubted_at is None

    @property
    def drift_mm(self) -> float:
        """How far the camera stands from where it was calibrated, or first stood; 0 where that is nothing."""
        if self._reference is None or self.rectification is None:
            return 0.0
        drift = self._reference.drift_mm(self.rectification, half=self._geometry.cloth / 2)
        return drift if drift >= DRIFT_MM else 0.0

    def doubt(self, at: float, cause: CameraTrouble | None = None) -> None:
        """The table may lie elsewhere in the pictures from now on; it is looked for at once."""
        if self._doubted_at is None:
            self._checked_at = -np.inf
            self._doubted_at = at
        if cause is not None:
            self._cause = cause
            self._checked_at = -np.inf
            self._doubted_at = at

    def is_due(self, at: float) -> bool:
        """Whether `look` would look for the table now."""
        if self.rectification is None:
            self.doubt(at)
        return at - self._checked_at >= (RECHECK_S if self.is_certain else SEARCH_S)

    def look(self, frame: Frame) -> bool:
        """Look for the table, where it is time to; whether it lies elsewhere than known from now on.

        Raises:
            BadPicture: the picture can't be decoded.
        """
        if not self.is_due(frame.at):
            return False
        self._checked_at = frame.at
        found = find_markers(frame.image, self._geometry.markers)
        self._markers = len(found)
        try:
            now = self._rectified(frame.image, found)
        except TableNotFound as error:
            self._missing = str(error)
            if frame.size == self._size and self._any_in_place(found):
                self._settle()
            return False
        return self._take(now, frame.size)

    def trouble(self, at: float, size: tuple[int, int]) -> Said | None:
        """What people should know about the table's place, after a picture of this size was looked at."""
        if self._doubted_at is None:
            return None
        if self.rectification is not None and size != self._size:
            was, now = (f"{width} x {height}" for width, height in (self._size, size))
            return CameraTrouble.SIZE_CHANGED, f"the picture was {was} and is {now}; looking for the table"
        if self.rectification is not None and self._moved is not None:
            drift = self._drift(self._moved)
            if drift >= TOLD_MM:
                return CameraTrouble.MOVED, f"the camera was moved by about {drift:.0f} mm"
        if at - self._doubted_at < self._patience_s:
            return None
        return self._kind(), self._missing

    def _kind(self) -> CameraTrouble:
        """What a table that isn't found means."""
        if self.rectification is not None and self._cause is None:
            return CameraTrouble.MOVED
        return CameraTrouble.NO_TABLE if self._markers else CameraTrouble.WRONG_DEVICE

    def _rectified(self, image: Image, found: dict[int, Points]) -> Rectification:
        if self._calibration is not None:
            return self._calibration.locate(image, self._geometry, found)
        size = (image.shape[1], image.shape[0])
        return rectify(found, self._geometry, size=size, camera_height=self._camera_height)

    def _take(self, now: Rectification, size: tuple[int, int]) -> bool:
        """The table was found; whether it lies elsewhere than known, twice in a row at the same place."""
        if self.rectification is not None and size == self._size:
            if self._drift(now) < DRIFT_MM:
                self._settle()
                return False
            before, self._moved = self._moved, now
            half = self._geometry.cloth / 2
            if before is None or before.drift_mm(now, half=half) >= DRIFT_MM:
                self.doubt(self._checked_at)
                return False
        if self._reference is None or (self._calibration is None and size != self._size):
            self._reference = now
        self.rectification, self._size = now, size
        self._settle()
        return True

    def _settle(self) -> None:
        self._doubted_at = self._cause = self._moved = None

    def _drift(self, other: Rectification) -> float:
        known = self.rectification or other
        return known.drift_mm(other, half=self._geometry.cloth / 2)

    def _any_in_place(self, found: dict[int, Points]) -> bool:
        """Whether a marker is seen where it is known to lie."""
        if self.rectification is None:
            return False
        for number, corners in found.items():
            seen = self.rectification.to_mm(corners, height=0.0)
            if np.hypot(*(seen - printed(self._geometry.markers, number)).T).max() < TOLD_MM:
                return True
        return False
