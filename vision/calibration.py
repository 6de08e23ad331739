"""What one camera above one table is like, measured once and kept in a file.

The file is JSON: the lens, the camera's place, the zones as the picture shows them, and where markers and the
cloth's edges were seen, so that a camera that moves later is noticed. `longzhuo calibrate` writes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import msgspec
import numpy as np
from msgspec import Meta

from vision.calibrate_edges import Edges, follow
from vision.calibrate_fit import Sights, edge_errors, fit
from vision.images import Image, Points
from vision.lens import Lens
from vision.rectify import FEWEST_MARKERS, Rectification, TableNotFound, find_markers, rectify
from vision.whole_file import write_whole
from vision.zones import SeatNumber, TableGeometry, ZoneKind

VERSION: Final = 1
UNMOVED_MM: Final = 1.5  # a marker this near its place says that nothing has moved
EDGES_NEEDED: Final = 3
EDGE_REACH: Final = 0.028  # of the picture's height within which an edge is looked for again
EDGE_MM: Final = 1.5  # root mean square distance of edges from where they are, to be believed
TURN_ERROR: Final = 1e-6
NO_DISTORTION: Final = (0.0, 0.0, 0.0, 0.0, 0.0)
LARGEST_FILE: Final = 4_000_000


class BadCalibration(ValueError):
    """A file is no calibration; the message is one line that says what was expected."""


@dataclass(frozen=True, slots=True, eq=False)
class SeenZone:
    """A zone as the picture shows it at the height of the tiles' faces: `outline` (N, 2) px."""

    kind: ZoneKind
    seat: SeatNumber | None
    outline: Points


@dataclass(frozen=True, slots=True, eq=False)
class SeenEdge:
    """An edge of the cloth: it stands across `axis` (0: x, 1: y) at `place` mm; `points` (N, 2) px on it."""

    axis: int
    place: float
    points: Points


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Calibration:
    """A camera above a table.

    Attributes:
        model: name of the table model whose zones these are.
        size: (width, height) px of the pictures it is for.
        rectification: lens and place of the camera; `error_mm` and `error_px` are what stayed unexplained.
        error_px: root mean square.
        markers: corners (4, 2) px of the markers by number, none where the cloth's edges told the place.
        edges: of the cloth, those that could be seen.
        zones: where things lie in the picture.
    """

    model: str
    size: tuple[int, int]
    rectification: Rectification
    error_px: float
    markers: Mapping[int, Points]
    edges: tuple[SeenEdge, ...]
    zones: tuple[SeenZone, ...]

    @property
    def lens(self) -> Lens:
        """What stays when the camera is moved."""
        return self.rectification.lens

    def drift_mm(self, now: Rectification, geometry: TableGeometry) -> float:
        """How far the picture has moved on the cloth since the calibration, at its worst corner or centre."""
        return self.rectification.drift_mm(now, half=geometry.cloth / 2)

    def locate(
        self, image: Image, geometry: TableGeometry, found: Mapping[int, Points] | None = None
    ) -> Rectification:
        """Where the camera is now, by markers, by edges, or because a marker lies where it lay.

        `found`: the markers in the picture, where they were looked for already.

        Raises:
            TableNotFound: the picture has another size, or shows too little to tell.
        """
        size = (image.shape[1], image.shape[0])
        if size != self.size:
            raise TableNotFound(
                f"the pictures are {size[0]} x {size[1]} px, the calibration is for "
                f"{self.size[0]} x {self.size[1]}: set the camera back, or run longzhuo calibrate"
            )
        found = find_markers(image, geometry.markers) if found is None else found
        if len(found) >= FEWEST_MARKERS:
            return rectify(found, geometry, size=size, lens=self.lens)
        by_edges = self._by_edges(image)
        if by_edges is not None:
            return by_edges
        known = [number for number in found if number in self.markers]
        if known and all(self._moved_mm(found[number], number) < UNMOVED_MM for number in known):
            return replace(self.rectification, markers=tuple(known))
        raise TableNotFound(
            f"{len(found)} of the table's markers and too little of the cloth's edges are in sight"
        )

    def _moved_mm(self, corners: Points, number: int) -> float:
        now, before = (self.rectification.to_mm(seen, height=0.0) for seen in (corners, self.markers[number]))
        return float(np.hypot(*(now - before).T).max())

    def _by_edges(self, image: Image) -> Rectification | None:
        """The camera's place by the cloth's edges, or None where too few of them are seen."""
        if len(self.edges) < EDGES_NEEDED:
            return None
        now: Edges = follow(image, tuple(edge.points for edge in self.edges), reach=EDGE_REACH * self.size[1])
        seen = [(edge, points) for edge, points in zip(self.edges, now, strict=True) if len(points)]
        if len(seen) < EDGES_NEEDED:
            return None
        places = tuple((edge.axis, edge.place) for edge, _ in seen)
        sights = Sights(self.size, np.zeros((0, 2)), np.zeros((0, 2)), tuple(p for _, p in seen), places)
        height = self.rectification.camera_place[2]
        camera = fit(sights, self.rectification, camera_height=height, lens=self.lens).rectification
        error = float(np.sqrt((np.concatenate(edge_errors(sights, camera)) ** 2).mean()))
        return replace(camera, error_mm=error) if error < EDGE_MM else None

    def save(self, path: Path) -> None:
        """Write the file, all of it or nothing.

        Raises:
            OSError: it can't be written; what was there before is untouched.
        """
        write_whole(path, msgspec.json.format(msgspec.json.encode(_to_file(self)), indent=1) + b"\n")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file that `save` wrote.

        Raises:
            BadCalibration: it can't be read or says something impossible; one line tells what.
        """
        try:
            with path.open("rb") as file:
                data = file.read(LARGEST_FILE)
        except OSError as error:
            raise BadCalibration(f"{path}: {error.strerror or error}") from error
        try:
            said = msgspec.json.decode(data, type=_File)
            return cls(**_from_file(said))
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError) as error:
            raise BadCalibration(
                f"{path}: not a calibration as longzhuo calibrate writes it: {error}"
            ) from error


# ---- the file ----------------------------------------------------------------------------------------------

Pair = tuple[float, float]
Three = tuple[float, float, float]
Row = tuple[Three, Three, Three]


class _Zone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: ZoneKind
    seat: SeatNumber | None
    outline_px: Annotated[tuple[Pair, ...], Meta(min_length=3)]


class _Edge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    axis: Literal["x", "y"]
    at_mm: float
    points_px: Annotated[tuple[Pair, ...], Meta(min_length=6)]


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    calibration: Literal[1]
    model: str
    size: tuple[Annotated[int, Meta(ge=16, le=100_000)], Annotated[int, Meta(ge=16, le=100_000)]]
    camera: Row
    distortion: tuple[float, float, float, float, float]
    rotation: Row
    translation: Three
    error_mm: Annotated[float, Meta(ge=0)]
    error_px: Annotated[float, Meta(ge=0)]
    markers: dict[str, tuple[Pair, Pair, Pair, Pair]]
    edges: tuple[_Edge, ...]
    zones: tuple[_Zone, ...]


def _to_file(known: Calibration) -> _File:
    camera = known.rectification
    return _File(
        calibration=VERSION,
        model=known.model,
        size=known.size,
        camera=camera.camera.tolist(),
        distortion=_five(camera.distortion),
        rotation=camera.rotation.tolist(),
        translation=camera.translation.tolist(),
        error_mm=camera.error_mm,
        error_px=known.error_px,
        markers={str(number): corners.tolist() for number, corners in sorted(known.markers.items())},
        edges=tuple(
            _Edge("y" if edge.axis else "x", edge.place, _listed(edge.points)) for edge in known.edges
        ),
        zones=tuple(_Zone(zone.kind, zone.seat, _listed(zone.outline)) for zone in known.zones),
    )


def _five(distortion: tuple[float, ...]) -> tuple[float, float, float, float, float]:
    k1, k2, p1, p2, k3 = distortion or NO_DISTORTION
    return k1, k2, p1, p2, k3


def _listed(points: Points) -> Any:
    """Points as the file has them: hundredths of a pixel are enough."""
    return np.round(points, 2).tolist()


def _from_file(said: _File) -> dict[str, Any]:
    """The fields of a calibration.

    Raises:
        ValueError: what the file says can't be.
    """
    camera, rotation = np.asarray(said.camera, np.float64), np.asarray(said.rotation, np.float64)
    distortion = () if said.distortion == NO_DISTORTION else said.distortion
    move = np.asarray(said.translation, np.float64)
    numbers = (camera, rotation, move, np.asarray(said.distortion))
    if not all(np.isfinite(part).all() for part in numbers):
        raise ValueError("a number of the camera is not finite")
    if np.abs(rotation @ rotation.T - np.eye(3)).max() > TURN_ERROR or np.linalg.det(rotation) < 0:
        raise ValueError("`rotation` is no turn")
    upper = np.abs(camera[[0, 1, 2, 2, 2], [1, 0, 0, 1, 2]] - (0, 0, 0, 0, 1)).max() == 0
    if not (upper and camera[0, 0] > 0 and camera[1, 1] > 0):
        raise ValueError("`camera` is no camera matrix")
    lens = Lens(camera, distortion)
    if lens.folds_at(said.size):
        raise ValueError("`distortion` bends the picture onto itself")
    if not all(number.isdecimal() for number in said.markers):
        raise ValueError("`markers`: a marker's name is its number")
    pose = Rectification(camera, rotation, move, said.error_mm, (), distortion)
    if pose.camera_place[2] <= 0:
        raise ValueError("the camera would be below the table")
    markers = {int(number): np.asarray(corners, np.float64) for number, corners in said.markers.items()}
    edges = (SeenEdge(int(e.axis == "y"), e.at_mm, np.asarray(e.points_px, np.float64)) for e in said.edges)
    return {
        "model": said.model,
        "size": said.size,
        "rectification": replace(pose, markers=tuple(markers)),
        "error_px": said.error_px,
        "markers": markers,
        "edges": tuple(edges),
        "zones": tuple(SeenZone(z.kind, z.seat, np.asarray(z.outline_px, np.float64)) for z in said.zones),
    }
