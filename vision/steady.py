"""Decides what to read of each picture, and turns readings into observations.

A picture costs almost nothing until its grid of cells (`steady_gate`) changes. Cells that changed and are
still again make the parts of the picture that are read (found and named) anew; a part is read again, with
some time between, until its tiles' states can be told (`steady_tracks`). When nothing moves any more where
play happens and nothing is left to read, the table has settled.

Pure: pictures and their times are arguments; finding and naming is done by whoever calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.observations import Observation, Settled
from vision.steady_cells import CENTRE, Cells, Index
from vision.steady_cover import (
    Colour,
    cloth_colour,
    foreign,
    hidden,
    light_about,
    like_cloth,
    reaching_in,
)
from vision.steady_evidence import NOT_A_TILE, Agreement
from vision.steady_gate import Gate, Looks, Mask, differs, gain_of, grown
from vision.steady_tracks import Look, Sighting, Track, Tracks
from vision.zones import TableGeometry

MARGIN_CELLS: Final = 6  # a part is read with so much around it that no tile in it is cut
REACH_CELLS: Final = 3  # a change reaches the tiles whose centre is this close
NEAR_MOVEMENT: Final = 1
BELONGINGS_S: Final = 3.0  # a thing that lies still so long is no arm
LEFT_THERE_S: Final = 15.0  # a thing that lies so long upon a tile holds the game up no longer
LIGHT_SHARE: Final = 0.6  # of the table
UPHEAVAL: Final = 0.4  # share of the markers' cells; an arm covers one of the four
MOST_OF_NINE: Final = 5  # cells of a footprint; neighbours reach into the others
SAME_LOOK: Final = 8.0  # levels


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangle of the picture to find and name tiles in, pixels; right and bottom are not included."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What to read of a picture.

    Attributes:
        at: seconds.
        looks: mean colours of the picture's cells.
        parts: rectangles to find tiles in.
        todo: cells that ask for it.
        clear: cells that are still and have no movement beside them.
        reach: cells in which a tile's middle may lie that the change touches.
        cell: pixels of a cell's side.
        cloth: usual colour of the cloth, where anything is to be read.
    """

    at: float
    looks: Looks
    parts: tuple[Part, ...]
    todo: Mask
    clear: Mask
    reach: Mask
    cell: float
    cloth: Colour

    def reaches(self, pixels: npt.NDArray[np.floating]) -> npt.NDArray[np.bool_]:
        """Which tiles, by their middles (N, 2) in pixels, may be touched by the cells that ask for it."""
        rows, columns = self.reach.shape
        index = np.floor((pixels + 0.5) / self.cell).astype(int)
        inside = np.clip(index[:, 1], 0, rows - 1), np.clip(index[:, 0], 0, columns - 1)
        return np.asarray(self.reach[inside])


class Steady:
    """The memory of one table's camera.

    Args:
        geometry: the table.
        cells: the grid over its picture; `move` gives another when the camera was moved.
        settle_s: a cell is still after so many seconds without change.
        agreement: how many readings must agree.
    """

    def __init__(
        self, geometry: TableGeometry, cells: Cells, *, settle_s: float, agreement: Agreement
    ) -> None:
        self._settle_s = settle_s
        self._agreement = agreement
        self._tracks = Tracks(geometry, agreement)
        self._unsettled = True
        self._reread = False
        self._read_at = -np.inf
        self._stirred = 0.0
        self.move(cells)

    def move(self, cells: Cells) -> None:
        """The camera sees the table from elsewhere: everything is read again, tiles keep their ids."""
        self._cells = cells
        self._gate = Gate(cells.cloth)
        self._read_looks = np.zeros((*cells.cloth.shape, 3), np.float32)
        self._unread = cells.cloth.copy()
        self._rest_looks: Looks | None = None
        self._unsettled = True
        for track in self._tracks:
            track.looks = None

    def begin_again(self) -> None:
        """Nobody has looked for a while: what was not certain yet begins anew, and the table must settle.

        The places of tiles whose state was open are read again, though they may look as when they last were:
        one reading of bare cloth, or of a new tile, has told nothing yet.
        """
        self._unread |= self._cells.near([track.place for track in self._tracks if track.pending])
        self._tracks.begin_again()
        self._unsettled = True

    @property
    def upheaval(self) -> bool:
        """Whether so much of the markers changed in the last picture that the camera may be knocked."""
        return self._stirred > UPHEAVAL

    def look(self, at: float, looks: Looks) -> Plan:
        """Take the cells of the next picture; says which parts of the picture to read, often none."""
        moved = self._gate.feed(at, looks)
        self._stirred = float(moved[self._cells.markers].mean())
        self._unsettled |= bool((moved & self._in_play()).any())
        clear = ~grown(~self._gate.still(at, self._settle_s), NEAR_MOVEMENT)
        waiting = [track.place for track in self._tracks.due(at)]
        due = self._not_read(looks) | self._unexplained(at, looks) | self._cells.near(waiting)
        todo = due & clear
        cloth = cloth_colour(looks, self._cells.calm) if todo.any() else np.zeros(3, np.float32)
        reach = grown(todo, REACH_CELLS + 1) & self._cells.cloth
        return Plan(at, looks, self._parts(todo), todo, clear, reach, self._cells.cell, cloth)

    def take(self, plan: Plan, sightings: Sequence[Sighting]) -> list[Observation]:
        """Take what was found in the plan's parts (nothing, where it has none); says what is certain now."""
        told: list[Observation] = []
        if plan.parts:
            self._read_at = plan.at
            told = self._read(plan, sightings)
            self._unsettled |= bool(told)
        self._reread |= bool(plan.parts)
        if (self._unsettled or self._reread) and self._rests(plan):
            self._rest_looks, self._reread = plan.looks, False
            if self._unsettled:
                self._unsettled = False
                told += self._tracks.settle(plan.at)
                told.append(Settled(at=plan.at))
        return told

    def _read(self, plan: Plan, sightings: Sequence[Sighting]) -> list[Observation]:
        reached = grown(plan.todo, REACH_CELLS)
        feet = self._feet(sightings)
        tiles = [
            s
            for s in sightings
            if s.log_probabilities[NOT_A_TILE] < np.log(0.5) and self._cells.cloth[feet[s.x, s.y]][CENTRE]
        ]
        strange, changed = self._foreign(plan.looks, tiles), self._changed(plan.looks)
        lately = ~self._gate.still(plan.at, BELONGINGS_S)
        usable, half_seen = self._sorted_out(plan, tiles, hidden(strange & lately, changed))
        covered_cells = hidden(strange, changed)

        def covered(x: float, y: float) -> bool:
            footprint = feet[x, y]
            return bool(plan.clear[footprint].all() and reached[footprint][CENTRE])

        def look(track: Track) -> Look:
            footprint = feet[track.place]
            seen = plan.looks[footprint]
            if self._looks_as_before(track, plan, footprint):
                return Look.UNCHANGED
            if covered_cells[footprint].any():
                return Look.HIDDEN
            like = like_cloth(seen, plan.cloth)
            empty = like[CENTRE] and like.sum() >= MOST_OF_NINE
            # Where hands are laid open, racks stand again afterwards; elsewhere only bare cloth is empty.
            lies_long = self._gate.still(plan.at, BELONGINGS_S)[footprint].all()
            lies_long &= not self._cells.calm[footprint][CENTRE]
            return Look.EMPTY if empty or lies_long else Look.HIDDEN

        told = self._tracks.take(plan.at, usable, covered=covered, look=look)
        for track in self._tracks:
            if track.seen_at == plan.at:
                track.looks = plan.looks[feet[track.place]]
        # What was read in another light is kept as it would look in this one.
        self._read_looks *= gain_of(plan.looks, self._read_looks, self._cells.cloth & ~self._unread)
        self._read_looks[plan.todo] = plan.looks[plan.todo]
        self._unread &= ~plan.todo
        self._unread |= self._cells.near(half_seen)
        return told

    def _sorted_out(
        self, plan: Plan, tiles: Sequence[Sighting], covered: Mask
    ) -> tuple[list[Sighting], list[tuple[float, float]]]:
        """The sightings that count, and the places of those to be seen again when all about them is free."""
        if not tiles:
            return [], []
        still = plan.clear[self._cells.footprints([(tile.x, tile.y) for tile in tiles])].all(axis=1)
        free = ~self._cells.touching([(tile.x, tile.y, tile.angle) for tile in tiles], covered)
        usable = [tile for tile, counts in zip(tiles, still & free, strict=True) if counts]
        half_seen = [(t.x, t.y) for t, counts in zip(tiles, still & free, strict=True) if not counts]
        return usable, half_seen

    def _looks_as_before(self, track: Track, plan: Plan, footprint: Index) -> bool:
        """Whether a tile's place looks as when the tile was found, perhaps in another light."""
        if track.looks is None:
            return False
        seen = plan.looks[footprint]
        if _same_look(seen, track.looks):
            return True
        if self._rest_looks is None:
            return False
        bare = self._cells.plain & like_cloth(plan.looks, plan.cloth)
        bare &= like_cloth(self._rest_looks, cloth_colour(self._rest_looks, self._cells.calm))
        light = light_about(plan.looks, self._rest_looks, bare, (footprint[0][CENTRE], footprint[1][CENTRE]))
        return _same_look(seen, track.looks * np.float32(light))

    def _feet(self, sightings: Sequence[Sighting]) -> dict[tuple[float, float], Index]:
        """The footprints of all tiles that are known or just seen, by their places."""
        places = [(tile.x, tile.y) for tile in (*self._tracks, *sightings)]
        rows, columns = self._cells.footprints(places)
        return {place: (rows[n], columns[n]) for n, place in enumerate(places)}

    def _foreign(self, looks: Looks, seen: Sequence[Sighting] = ()) -> Mask:
        """Cells of things that are no known tiles, and none of those just seen."""
        tiles = self._cells.bodies((tile.x, tile.y, tile.angle) for tile in (*self._tracks, *seen))
        return foreign(looks, self._cells.plain & ~tiles)

    def _unexplained(self, at: float, looks: Looks) -> Mask:
        """Cells of something that came lately, perhaps a tile that was overlooked, to be read again."""
        if not self._unsettled or at - self._read_at < self._agreement.spacing_s - 1e-6:
            return np.zeros_like(self._unread)
        return self._foreign(looks) & ~self._gate.still(at, BELONGINGS_S)

    def _changed(self, looks: Looks) -> Mask:
        """Cells of the table that look otherwise than when it last was at rest."""
        if self._rest_looks is None:
            return np.zeros_like(self._unread)
        changed = differs(looks, self._rest_looks, self._cells.cloth) & self._cells.table
        # No arms cover most of a table: the light is another.
        is_light = changed.sum() >= LIGHT_SHARE * self._cells.table.sum()
        return np.zeros_like(changed) if is_light else changed

    def _in_play(self) -> Mask:
        return self._cells.in_play([track.place for track in self._tracks])

    def _rests(self, plan: Plan) -> bool:
        """Whether play has stopped and everything there is has been read."""
        left_there = self._gate.still(plan.at, LEFT_THERE_S)
        if any(
            track.pending and not (track.hidden and left_there[self._cells.footprint(*track.place)].all())
            for track in self._tracks
        ):
            return False
        play = self._in_play()
        still = self._gate.still(plan.at, self._settle_s)
        if not still[play].all() or self._not_read(plan.looks)[play].any():
            return False
        lately = ~self._gate.still(plan.at, BELONGINGS_S)
        arms = reaching_in(self._changed(plan.looks), rim=self._cells.rim, inner=self._cells.inner)
        return not ((self._foreign(plan.looks) | arms) & lately).any()

    def _not_read(self, looks: Looks) -> Mask:
        """Cells that never were read, or look otherwise than when they were."""
        known = self._cells.cloth & ~self._unread
        return (self._unread | differs(looks, self._read_looks, known)) & self._cells.cloth

    def _parts(self, todo: Mask) -> tuple[Part, ...]:
        """Rectangles around the cells to read; those that overlap become one."""
        if not todo.any():
            return ()
        number, _, boxes, _ = cv2.connectedComponentsWithStats(grown(todo, MARGIN_CELLS).astype(np.uint8))
        rectangles = [(int(x), int(y), int(x + w), int(y + h)) for x, y, w, h, _ in boxes[1:number]]
        cell = self._cells.cell
        return tuple(Part(*(round(edge * cell) for edge in box)) for box in _merged(rectangles))


def _same_look(now: npt.NDArray[np.float32], before: npt.NDArray[np.float32]) -> bool:
    """Whether most of a footprint's cells look as before; a new neighbour reaches into some of them."""
    return bool(np.median(np.abs(now - before).max(axis=1)) < SAME_LOOK)


def _merged(boxes: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Boxes (left, top, right, bottom) without overlaps: overlapping ones are joined until none are left."""
    merged: list[tuple[int, int, int, int]] = []
    for box in boxes:
        grown_box, apart = box, False
        while not apart:
            hits = [b for b in merged if _overlap(b, grown_box)]
            merged = [b for b in merged if b not in hits]
            apart = not hits
            for b in hits:
                grown_box = (
                    min(b[0], grown_box[0]),
                    min(b[1], grown_box[1]),
                    max(b[2], grown_box[2]),
                    max(b[3], grown_box[3]),
                )
        merged.append(grown_box)
    return merged


def _overlap(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
