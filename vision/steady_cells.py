"""Which cells of the picture show which part of the table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.rectify import Rectification
from vision.steady_gate import ROWS, Mask, grown
from vision.zones import TableGeometry, Zone, ZoneKind

# Racks are touched all the time; they count only while face-up tiles lie there.
BUSY: Final = frozenset({ZoneKind.HAND})
# Nothing is read here: walls show backs, and light on them may pass for a face.
SEAM_MM: Final = 1.0
FINE: Final = 4  # parts of a cell's side in which coverage is measured
RIM_MM: Final = 9.0
INNER_MM: Final = 70.0  # racks end here
EDGE_CELLS: Final = 1  # the console's rim and the cloth's edge are no cloth
MACHINE: Final = frozenset({ZoneKind.WALL, ZoneKind.DICE, ZoneKind.HATCH})
# Points of a footprint, mm about its centre: their cells lie nearly inside a tile. The middle one is CENTRE.
RING: Final = np.asarray([(dx, dy) for dx in (-7.0, 0.0, 7.0) for dy in (-7.0, 0.0, 7.0)])
CENTRE: Final = 4

NO_ZONE: Final = -1
NO_CLOTH: Final = -2

CORNERS: Final = ((-1, 1), (1, 1), (1, -1), (-1, -1))

Pose = tuple[float, float, float]
"""x, y in mm, angle in degrees."""

Index = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Cells:
    """The grid of one rectified picture.

    Attributes:
        rectification: maps between the picture and the table.
        half: half sides of a tile and its seams, mm.
        face: height of the tiles' upper faces above the cloth, in mm.
        cell: pixels per cell.
        cloth: cells on the cloth that may show tiles (not walls, hatch, dice and markers).
        calm: those of them outside racks: play has stopped when they are still.
        plain: those calm cells that show nothing but cloth while nothing lies there: no markers, no console.
        table: all cells on the cloth, walls, console and markers included.
        rim: cells along the cloth's edges, where nothing lies and arms come in.
        inner: calm cells far from the rim.
        markers: cells of the printed markers.
        busy: zone of racks by cell: 0 where it is none, else an index of `areas`.
        areas: (kind, seat) of the busy zones, from 1 on.
    """

    rectification: Rectification
    half: tuple[float, float]
    face: float
    cell: float
    cloth: Mask
    calm: Mask
    plain: Mask
    table: Mask
    rim: Mask
    inner: Mask
    markers: Mask
    busy: npt.NDArray[np.uint8]
    areas: tuple[tuple[ZoneKind, int | None], ...]

    def footprint(self, x: float, y: float) -> Index:
        """Rows and columns of the nine cells about a point (mm) at face height; they lie inside a tile."""
        return self._of([(x, y)])

    def near(self, places: Sequence[tuple[float, float]]) -> Mask:
        """The cells within footprints about points (mm)."""
        mask = np.zeros(self.cloth.shape, np.bool_)
        if places:
            mask[self._of(places)] = True
        return mask

    def in_play(self, places: Sequence[tuple[float, float]]) -> Mask:
        """The calm cells, and the racks in which the given points (mm) lie."""
        mask = self.calm.copy()
        if not places:
            return mask
        for area in set(self.busy[self._of(places)][CENTRE::9].tolist()) - {0}:
            mask |= self.busy == area
        return mask

    def footprints(self, places: Sequence[tuple[float, float]]) -> Index:
        """Rows and columns, each (N, 9), of the footprints of N points (mm)."""
        rows, columns = self._of(places) if places else (np.zeros(0, np.intp), np.zeros(0, np.intp))
        return rows.reshape(-1, 9), columns.reshape(-1, 9)

    def bodies(self, tiles: Iterable[Pose]) -> Mask:
        """The cells that tiles (x, y in mm, angle in degrees) cover by half or more, their sides included."""
        rows, columns = self.cloth.shape
        mask = np.zeros((rows * FINE, columns * FINE), np.uint8)
        for outline in self._outlines(list(tiles)):
            cv2.fillConvexPoly(mask, outline, 255, cv2.LINE_8, 4)
        return np.asarray(cv2.resize(mask, (columns, rows), interpolation=cv2.INTER_AREA) >= 128)

    def touching(self, tiles: Sequence[Pose], cells: Mask) -> npt.NDArray[np.bool_]:
        """(N,): which tiles' bodies cover any of the cells by half or more."""
        touch = np.zeros(len(tiles), np.bool_)
        if not cells.any():
            return touch
        bounds = np.asarray(cells.shape)
        for number, outline in enumerate(self._outlines(tiles)):
            points = outline[:, ::-1] // (16 * FINE)
            low, high = np.clip(points.min(axis=0), 0, bounds), np.clip(points.max(axis=0) + 1, 0, bounds)
            some = cells[low[0] : high[0], low[1] : high[1]]
            if not some.any():
                continue
            mask = np.zeros((some.shape[0] * FINE, some.shape[1] * FINE), np.uint8)
            cv2.fillConvexPoly(mask, outline - low[::-1] * (16 * FINE), 255, cv2.LINE_8, 4)
            body = cv2.resize(mask, some.shape[::-1], interpolation=cv2.INTER_AREA) >= 128
            touch[number] = (body & some).any()
        return touch

    def _outlines(self, tiles: Sequence[Pose]) -> list[npt.NDArray[np.int32]]:
        """What each tile hides, as a polygon in sixteenths of a cell's `FINE` parts."""
        if not tiles:
            return []
        poses = np.asarray(tiles, np.float64)
        turn = np.radians(poses[:, 2])
        across = np.column_stack((np.cos(turn), np.sin(turn))) * self.half[0]
        up = np.column_stack((np.sin(turn), -np.cos(turn))) * self.half[1]
        corners = np.stack([poses[:, :2] + a * across + b * up for a, b in CORNERS], axis=1)
        seen = [
            self.rectification.to_px(corners.reshape(-1, 2), height=height).reshape(-1, 4, 2)
            for height in (self.face, 0.0)
        ]
        fine = np.concatenate(seen, axis=1) * (FINE / self.cell) - 0.5
        points = np.round(fine * 16).astype(np.int32)
        return [np.asarray(cv2.convexHull(tile)[:, 0], np.int32) for tile in points]

    def _of(self, places: Sequence[tuple[float, float]]) -> Index:
        """Rows and columns of the nine cells of each place, one place after the other."""
        ring = (np.asarray(places, np.float64)[:, None, :] + RING).reshape(-1, 2)
        rows, columns = self.cloth.shape
        pixels = self.rectification.to_px(ring, height=self.face)
        index = np.asarray(np.floor((pixels + 0.5) / self.cell), np.intp)
        return np.clip(index[:, 1], 0, rows - 1), np.clip(index[:, 0], 0, columns - 1)


def lay_cells(rectification: Rectification, geometry: TableGeometry, *, size: tuple[int, int]) -> Cells:
    """The cells of a picture of (width, height) `size`."""
    cell = size[1] / ROWS
    columns = round(size[0] / size[1] * ROWS)
    across, down = np.meshgrid(np.arange(columns), np.arange(ROWS))
    centres = (np.column_stack((across.ravel(), down.ravel())) + 0.5) * cell - 0.5
    places = rectification.to_mm(centres, height=geometry.tile.thickness)
    half = geometry.cloth / 2
    outer = np.abs(places).max(axis=1)
    zones = np.where(outer <= half, _zones_of(places, geometry.zones), NO_CLOTH)
    shape = (ROWS, columns)
    black = _on_markers(places, geometry, share=0.5).reshape(shape)
    machine = [n for n, zone in enumerate(geometry.zones) if zone.kind in MACHINE]
    cloth_mask = ~np.isin(zones, [NO_CLOTH, *machine]).reshape(shape) & ~black
    areas = tuple(sorted({(z.kind, z.seat) for z in geometry.zones if z.kind in BUSY}, key=str))
    busy_index = np.zeros(shape, np.uint8)
    for n, zone in enumerate(geometry.zones):
        if zone.kind in BUSY:
            busy_index[zones.reshape(shape) == n] = 1 + areas.index((zone.kind, zone.seat))
    calm = cloth_mask & (busy_index == 0)
    table = (zones != NO_CLOTH).reshape(shape)
    outer = outer.reshape(shape)
    printed = _on_markers(places, geometry, share=1.0).reshape(shape)
    return Cells(
        rectification=rectification,
        half=(geometry.tile.width / 2 + SEAM_MM, geometry.tile.length / 2 + SEAM_MM),
        face=geometry.tile.thickness,
        cell=cell,
        cloth=cloth_mask,
        calm=calm,
        plain=calm & ~printed & ~grown(~cloth_mask, EDGE_CELLS),
        table=table,
        rim=table & (outer > half - RIM_MM),
        inner=calm & (outer < half - INNER_MM),
        markers=black,
        busy=busy_index,
        areas=areas,
    )


def _zones_of(places: npt.NDArray[np.float64], zones: Sequence[Zone]) -> npt.NDArray[np.intp]:
    """The index of the first zone that holds each place (N, 2), NO_ZONE where none does."""
    first = np.full(len(places), NO_ZONE, np.intp)
    for n, zone in reversed(list(enumerate(zones))):
        first[zone.holds_each(places[:, 0], places[:, 1])] = n
    return first


def _on_markers(places: npt.NDArray[np.float64], geometry: TableGeometry, *, share: float) -> Mask:
    """Which places (N, 2) are on a marker: within a share of its side, 0.5 its black square, 1 its border."""
    centres = np.array(list(geometry.markers.centres.values()), np.float64)
    away = np.abs(places[:, None] - centres).max(axis=2)
    return np.asarray((away < share * geometry.markers.side).any(axis=1))
