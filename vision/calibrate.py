"""Calibrates a camera from pictures of the table below it: by corner markers, else by the cloth's edges.

Without markers a square looks the same from four sides: which one is seat 0's must be told, or be seen by an
indicator that lies in its place. What isn't good enough to read tiles is refused with words that help.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

import numpy as np
import numpy.typing as npt

from vision.calibrate_checks import CannotCalibrate, check, outline, slant, tile_px
from vision.calibrate_edges import Edges, cloth_colour, find_cloth, trace
from vision.calibrate_fit import Fit, Sights, edge_errors, fit
from vision.calibrate_markers import BadMarkers, Found, gather, misplaced, top_of, wrong_print
from vision.calibrate_seat import by_indicator
from vision.calibration import Calibration, SeenEdge, SeenZone
from vision.images import Image, Points
from vision.lens import Lens
from vision.rectify import (
    CAMERA_HEIGHT_MM,
    FEWEST_MARKERS,
    WORST_CORNER_MM,
    Rectification,
    TableNotFound,
    pose_at,
    pose_with,
    printed,
)
from vision.zones import TableGeometry

__all__ = ["Calibrated", "CannotCalibrate", "Side", "Wanted", "calibrate"]

EDGE_REACH: Final = 0.028  # of the picture's height, to either side of where an edge should be
FEWEST_EDGES: Final = 3
MOST_PICTURES: Final = 7  # of which the still one is made


class Side(Enum):
    """Sides of a picture in the order of the seats; seat 0 is at the bottom where nothing is turned."""

    BOTTOM = 0
    RIGHT = 1
    TOP = 2
    LEFT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is known beforehand.

    Attributes:
        model: name of the table model.
        camera_height_mm: of the lens above the cloth; not used where the lens is known.
        lens: as `vision.calibrate_lens` found it, or None.
        seat0: side of the picture at which seat 0 sits, where nothing else tells.
        by_edges: use the cloth's edges although there are markers.
    """

    model: str
    camera_height_mm: float = CAMERA_HEIGHT_MM
    lens: Lens | None = None
    seat0: Side | None = None
    by_edges: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """A calibration and what people should know of it.

    Attributes:
        calibration: fit for reading.
        by: "markers" or "edges".
        seat0_by: "markers", "told" or "indicator": how it is known which side is whose.
        k1_error: one standard error of the distortion, None where edges didn't tell it.
        tile_px: width of a tile where it is smallest.
        slant: degrees from straight above.
    """

    calibration: Calibration
    by: str
    seat0_by: str
    k1_error: float | None
    tile_px: float
    slant: float


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What one way of looking found: the camera, its error in px, edges in the order of the table's sides."""

    fit: Fit
    error_px: float
    edges: Edges
    seat0_by: str
    by: str


def calibrate(pictures: Sequence[Image], geometry: TableGeometry, wanted: Wanted) -> Calibrated:
    """The calibration of a camera from one or more pictures it took of one table without moving.

    Raises:
        CannotCalibrate: they don't show the table, or it can't be read like that; one line says what to do.
    """
    size = _one_size(pictures)
    try:
        found = gather(pictures, geometry.markers)
        picture = _still(pictures)
        if found and not wanted.by_edges:
            seen = _by_markers(picture, found, geometry, wanted)
        else:
            seen = _by_edges(picture, found, geometry, wanted)
    except (TableNotFound, BadMarkers) as error:
        raise CannotCalibrate(str(error)) from error
    camera = seen.fit.rectification
    check(camera, geometry, size)
    zones = (
        SeenZone(zone.kind, zone.seat, camera.to_px(outline(zone), height=geometry.tile.thickness))
        for zone in geometry.zones
    )
    return Calibrated(
        calibration=Calibration(
            model=wanted.model,
            size=size,
            rectification=camera,
            error_px=seen.error_px,
            markers=found if seen.by == "markers" else {},
            edges=_seen_edges(seen.edges, camera),
            zones=tuple(zones),
        ),
        by=seen.by,
        seat0_by=seen.seat0_by,
        k1_error=seen.fit.k1_error,
        tile_px=tile_px(camera, geometry),
        slant=slant(camera),
    )


def _one_size(pictures: Sequence[Image]) -> tuple[int, int]:
    sizes = {(picture.shape[1], picture.shape[0]) for picture in pictures}
    if len(sizes) != 1:
        names = ", ".join(f"{wide} x {high}" for wide, high in sorted(sizes))
        raise CannotCalibrate(f"the pictures differ in size ({names}): they must be of one camera")
    return sizes.pop()


def _still(pictures: Sequence[Image]) -> Image:
    """What most pictures show at each place: without noise and without hands that came by."""
    if len(pictures) == 1:
        return pictures[0]
    return np.asarray(np.median(np.stack(pictures[:MOST_PICTURES]), axis=0), np.uint8)


# ---- by markers --------------------------------------------------------------------------------------------


def _by_markers(picture: Image, found: Found, geometry: TableGeometry, wanted: Wanted) -> _Seen:
    centres = geometry.markers.centres
    if len(found) < FEWEST_MARKERS:
        missing = ", ".join(str(number) for number in sorted(set(centres) - set(found)))
        raise BadMarkers(
            f"{len(found)} of the {len(centres)} corner markers are seen, {FEWEST_MARKERS} are needed; "
            f"not seen: {missing}: hands off the table, light on it, or go by the cloth's edges: --edges"
        )
    wrong = misplaced(found, geometry.markers)
    if wrong is not None:
        raise BadMarkers(wrong)
    size = (picture.shape[1], picture.shape[0])
    there = np.concatenate([printed(geometry.markers, number) for number in found])
    pixels = np.concatenate(list(found.values()))
    start = _first(there, pixels, size, wanted)
    edges = trace(picture, start.to_px(_cloth(geometry), height=0.0), reach=EDGE_REACH * size[1])
    sights = Sights(size, there, pixels, tuple(edge for edge in edges if len(edge)))
    fitted = fit(sights, start, camera_height=wanted.camera_height_mm, lens=wanted.lens)
    camera = fitted.rectification
    wrong = wrong_print(found, camera, geometry.markers)
    if wrong is not None:
        raise BadMarkers(wrong)
    away = np.hypot(*(camera.to_mm(pixels, height=0.0) - there).T)
    if away.max() > WORST_CORNER_MM:
        raise BadMarkers(
            f"marker {list(found)[int(away.argmax()) // 4]} lies {away.max():.0f} mm from its place: its "
            f"middle belongs {geometry.cloth / 2 - abs(centres[0][0]):.0f} mm from both edges of the cloth"
        )
    camera = replace(camera, error_mm=_rms(away), markers=tuple(found))
    error_px = _rms(np.hypot(*(camera.to_px(there, height=0.0) - pixels).T))
    return _Seen(replace(fitted, rectification=camera), error_px, edges, "markers", "markers")


def _first(there: Points, pixels: Points, size: tuple[int, int], wanted: Wanted) -> Rectification:
    if wanted.lens is not None:
        return pose_with(wanted.lens, there, pixels)
    return pose_at(there, pixels, size, wanted.camera_height_mm)


def _cloth(geometry: TableGeometry) -> Points:
    """(4, 2) mm: corners of the cloth, clockwise from the upper left."""
    half = geometry.cloth / 2
    return np.asarray([(-half, -half), (half, -half), (half, half), (-half, half)])


# ---- by edges ----------------------------------------------------------------------------------------------


def _by_edges(picture: Image, found: Found, geometry: TableGeometry, wanted: Wanted) -> _Seen:
    size = (picture.shape[1], picture.shape[0])
    corners = find_cloth(picture)
    edges = trace(picture, corners, reach=EDGE_REACH * size[1])
    hidden = [
        name for name, edge in zip(("upper", "right", "lower", "left"), edges, strict=True) if not len(edge)
    ]
    if len(edges) - len(hidden) < FEWEST_EDGES:
        raise TableNotFound(
            f"the cloth's {' and '.join(hidden)} edges can't be seen: clear them, or put "
            "the corner markers down"
        )
    cameras = [_first(np.roll(_cloth(geometry), -side.value, axis=0), corners, size, wanted) for side in Side]
    seat0, seat0_by = _seat0(picture, cameras, found, geometry, wanted)
    edges = tuple(edges[(i - seat0.value) % 4] for i in range(4))
    half = geometry.cloth / 2
    places = [(axis, place) for axis, place in ((1, -half), (0, half), (1, half), (0, -half))]
    there = [i for i, edge in enumerate(edges) if len(edge)]
    nothing = np.zeros((0, 2))
    sights = Sights(size, nothing, nothing, tuple(edges[i] for i in there), tuple(places[i] for i in there))
    fitted = fit(sights, cameras[seat0.value], camera_height=wanted.camera_height_mm, lens=wanted.lens)
    camera = fitted.rectification
    camera = replace(camera, error_mm=_rms(np.concatenate(edge_errors(sights, camera))))
    error_px = camera.error_mm * camera.px_per_mm(height=0.0)
    return _Seen(replace(fitted, rectification=camera), error_px, edges, seat0_by, "edges")


def _seat0(
    picture: Image,
    cameras: Sequence[Rectification],
    found: Found,
    geometry: TableGeometry,
    wanted: Wanted,
) -> tuple[Side, str]:
    """The side at which seat 0 sits, and how that is known."""
    seen: Side | None = None
    if found:
        tops = {Side(-round(top_of(corners) / 90) % 4) for corners in found.values()}
        if len(tops) > 1:
            raise BadMarkers(f"markers {', '.join(map(str, found))} point in different ways")
        seen = tops.pop()
    elif (lying := by_indicator(picture, cameras, geometry, cloth_colour(picture))) is not None:
        seen = Side(lying)
    by = "markers" if found else "indicator"
    if wanted.seat0 is None and seen is None:
        raise TableNotFound(
            "a square table looks the same from all sides: say at which side of the picture seat 0 sits, "
            "--seat0 bottom (or right, top, left), or lay a tile in the indicator's place"
        )
    if wanted.seat0 is not None and seen is not None and wanted.seat0 is not seen:
        raise TableNotFound(
            f"seat 0 is said to sit at the {wanted.seat0.name.lower()} of the picture, but the "
            f"{'markers say' if found else 'tile in the indicator place says'} {seen.name.lower()}"
        )
    return (seen, by) if seen is not None else (wanted.seat0 or Side.BOTTOM, "told")


def _seen_edges(edges: Edges, camera: Rectification) -> tuple[SeenEdge, ...]:
    """The edges for the file, each where the camera sees it; sides in the order top, right, bottom, left."""
    kept = []
    for axis, edge in zip((1, 0, 1, 0), edges, strict=True):
        if len(edge):
            place = float(np.median(camera.to_mm(edge, height=0.0)[:, axis]))
            kept.append(SeenEdge(axis, place, edge))
    return tuple(kept)


def _rms(values: npt.NDArray[np.float64]) -> float:
    return float(np.sqrt((values**2).mean()))
