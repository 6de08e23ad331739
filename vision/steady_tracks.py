"""Tiles that lie still, followed over readings: which have appeared, which are gone, and their faces.

A track is tentative until enough readings agree; then it is told and keeps its id. It is given up only
after readings that could see its place and found cloth or another tile there: a place that is hidden,
moves, or still looks as it did when the tile was last found, retires nothing.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import count
from typing import Final

import numpy as np
import numpy.typing as npt

from rules.tiles import Tile
from vision.joint_table import Lying, unsure_on_table
from vision.observations import Appeared, Observation, Vanished
from vision.steady_evidence import NOT_A_TILE, Agreement, Evidence, LogProbabilities, Standing
from vision.zones import Spot, TableGeometry, ZoneKind, nearest_spot, spot

SAME_PLACE_MM: Final = (
    12.0  # less than half a tile's short side: neighbours are never mistaken for each other
)
# A tile told as unsure is read again this often; the longer nothing has changed, the seldomer, for another
# look at the same picture tells little, and a table that nobody uses must not keep the processor busy.
RECONSIDER_S: Final = (1.0, 5.0)
RECONSIDER_SHARE: Final = 0.1  # of the time since it was first read
SURELY_SAME_MM: Final = 6.0  # this close it is the same tile, even if it seems to lie across
# A tile that was told when the table settled doesn't change its face, but half covered it may look like
# another: that is believed only after so many seconds.
EXCHANGED_S: Final = 3.0
STILL_MM: Final = 5.0  # a tentative tile that strays farther was not at rest yet
OVERLAP_MM: Final = 22.0  # centres this close can't both be tiles
SAME_TURN: Final = 35.0  # degrees
STICKS_OUT_MM: Final = 6.0  # an indicator that reaches farther out of its zone is none for sure
BACK_ZONES: Final = frozenset({ZoneKind.MELD, ZoneKind.POND})
FACES: Final = tuple(tile for tile in Tile if 0 <= tile < Tile.BACK)


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """A tile found and named in one picture: centre mm, up direction degrees, (44,) log-probabilities.

    `is_whole`: what was named has the size of a tile; part of a face may pass for another face.
    """

    x: float
    y: float
    angle: float
    log_probabilities: LogProbabilities
    is_whole: bool = True


class Look(Enum):
    """What a place shows where no tile was found."""

    EMPTY = auto()
    UNCHANGED = auto()
    HIDDEN = auto()


@dataclass(slots=True)
class Track:
    """One tile at one place; `id` and `told` are None until it is told.

    `looks` are the mean colours of its footprint's cells when it was last found (at `seen_at`). It is
    `firm` once the table settled with it. `withheld` is a face that is sure by itself and told as unsure,
    because more tiles have it than there are, or another tile shows that it is hard to tell in this set.
    """

    x: float
    y: float
    angle: float
    evidence: Evidence
    backs: bool
    id: int | None = None
    told: Tile | None = None
    seen_at: float = -np.inf
    looks: npt.NDArray[np.float32] | None = None
    misses: int = 0
    absent: int = 0
    absent_at: float = -np.inf
    hidden: bool = False
    firm: bool = False
    closed: bool = False
    withheld: Tile | None = None

    @property
    def face(self) -> Tile | None:
        """What it is by its own readings; None where they leave doubt, or nothing was told yet."""
        face = self.told if self.withheld is None else self.withheld
        return None if face is Tile.UNKNOWN else face

    @property
    def place(self) -> tuple[float, float]:
        """(x, y) in mm."""
        return self.x, self.y

    @property
    def pending(self) -> bool:
        """Whether more readings are needed before its state can be told."""
        return self.hidden or self.absent > 0 or not self.closed

    def due(self, at: float, spacing_s: float) -> bool:
        """Whether another reading would tell something new."""
        last = max(self.evidence.counted_at, self.absent_at)
        if self.pending:
            return at - last >= spacing_s - 1e-6
        least, most = RECONSIDER_S
        wait = min(most, max(least, RECONSIDER_SHARE * (at - self.evidence.first_at)))
        return self.doubtful and at - last >= wait

    @property
    def doubtful(self) -> bool:
        """Whether it was told as unsure; it is read again now and then, until it is sure or gone."""
        return self.told is Tile.UNKNOWN


class Tracks:
    """All tiles that lie still on the table."""

    def __init__(self, geometry: TableGeometry, agreement: Agreement) -> None:
        self._geometry = geometry
        self._agreement = agreement
        self._strict = agreement.for_indicator
        self._ids = count(1)
        self._gone: list[Tile] = []
        self._tracks: list[Track] = []

    def __iter__(self) -> Iterator[Track]:
        return iter(self._tracks)

    @property
    def pending(self) -> bool:
        """Whether some tile's state is not told yet."""
        return any(track.pending for track in self._tracks)

    def due(self, at: float) -> list[Track]:
        """Tracks that need another reading now."""
        return [track for track in self._tracks if track.due(at, self._agreement.spacing_s)]

    def begin_again(self) -> None:
        """Forget what no tile was told of, and all doubts about those that were."""
        self._tracks = [track for track in self._tracks if track.id is not None]
        for track in self._tracks:
            track.absent, track.hidden, track.closed = 0, False, True

    def settle(self, at: float) -> list[Observation]:
        """The table has settled: readings are taken together, and what is told is relied on from now on."""
        told = self._joined(at)
        self._gone = []
        for track in self._tracks:
            track.firm = track.told is not None and track.told is not Tile.UNKNOWN
        return told

    def _joined(self, at: float) -> list[Observation]:
        """Where more tiles have a face than there are, the least certain are told as unsure.

        So are those whose face some doubtful tile wavers between and another one, unless they are far apart.
        """
        tracks = [(track, face) for track in self._tracks if (face := track.face) is not None]
        lying = [Lying(face, t.evidence.probabilities(), self._spot(t), t.firm) for t, face in tracks]
        doubts = [t.evidence.probabilities() for t in self._tracks if t.doubtful and t.withheld is None]
        unsure = unsure_on_table(lying, self._agreement.copies, self._gone, doubts)
        told: list[Observation] = []
        for k, (track, face) in enumerate(tracks):
            if k in unsure and track.withheld is None:
                told += self._tell(at, track, Tile.UNKNOWN)
                track.withheld = face
            elif k not in unsure and track.withheld is not None:
                told += self._tell(at, track, track.withheld)
        return told

    def _spot(self, track: Track) -> Spot:
        return nearest_spot(self._geometry.zones, track.x, track.y, reach=self._geometry.reach)

    def _standing(self, at: float, track: Track) -> Standing:
        """What a tile's readings allow to say; the indicator's must say more, and it must lie in its zone.

        A back that is not found every time may be bare cloth: the more it is missed, the more must agree.
        """
        if (
            track.evidence.best == Tile.BACK
            and track.evidence.agreeing < self._agreement.reads + track.misses
        ):
            return track.evidence.undecided(at, self._agreement)
        if self._spot(track).kind is not ZoneKind.INDICATOR:
            return track.evidence.standing(at, self._agreement)
        standing = track.evidence.standing(at, self._strict)
        if standing is Standing.SURE and not self._lies_inside(track, ZoneKind.INDICATOR):
            return track.evidence.undecided(at, self._strict)
        return standing

    def _lies_inside(self, track: Track, kind: ZoneKind) -> bool:
        """Whether hardly any of a tile is outside its zone."""
        turn = np.radians(track.angle)
        reach = np.abs(np.array([[np.cos(turn), np.sin(turn)], [np.sin(turn), np.cos(turn)]])) @ (
            self._geometry.tile.width / 2 - STICKS_OUT_MM,
            self._geometry.tile.length / 2 - STICKS_OUT_MM,
        )
        corners = [(track.x + a * reach[0], track.y + b * reach[1]) for a in (-1, 1) for b in (-1, 1)]
        return all(spot(self._geometry.zones, x, y).kind is kind for x, y in corners)

    def take(
        self,
        at: float,
        sightings: Sequence[Sighting],
        *,
        covered: Callable[[float, float], bool],
        look: Callable[[Track], Look],
    ) -> list[Observation]:
        """Take in one reading.

        Args:
            at: seconds.
            sightings: what was found.
            covered: whether a place (mm) was read: still, uncovered by the reading's edges.
            look: what a track's place shows; asked only where no sighting matches.
        """
        pairs, strangers = self._match(sightings)
        told: list[Observation] = []
        for track, sighting in pairs:
            told += self._seen(at, track, sighting, crowded=self._crowded(sighting, sightings, track))
        matched = {id(track) for track, _ in pairs}
        for track in [t for t in self._tracks if id(t) not in matched and covered(t.x, t.y)]:
            crowded = any(_apart(track, s) < OVERLAP_MM for s in sightings if covered(s.x, s.y))
            told += self._missed(at, track, Look.EMPTY if crowded else look(track))
        for sighting in strangers:
            if covered(sighting.x, sighting.y):
                told += self._begin(at, sighting, crowded=self._crowded(sighting, sightings))
        return sorted(told, key=lambda observation: not isinstance(observation, Vanished))

    def _crowded(self, one: Sighting, sightings: Sequence[Sighting], own: Track | None = None) -> bool:
        """Whether another tile is seen, or was told, where both can't lie: one of them is half a tile.

        Half a face may pass for another one (4p for 2p) in every reading that is laid over it so.
        """
        if any(SURELY_SAME_MM < _between(one, other) < OVERLAP_MM for other in sightings):
            return True
        told = (track for track in self._tracks if track.id is not None and track is not own)
        return any(_apart(track, one) < OVERLAP_MM for track in told)

    def _match(self, sightings: Sequence[Sighting]) -> tuple[list[tuple[Track, Sighting]], list[Sighting]]:
        """Nearest pairs first, each track and sighting once; and the sightings that are left."""
        known = np.asarray([track.place for track in self._tracks]).reshape(-1, 1, 2)
        seen = np.asarray([(sighting.x, sighting.y) for sighting in sightings]).reshape(1, -1, 2)
        apart = np.hypot(*np.moveaxis(known - seen, 2, 0))
        near = [
            (float(apart[i, j]), int(i), int(j))
            for i, j in np.argwhere(apart <= SAME_PLACE_MM)
            if _same_place(self._tracks[i], sightings[j])
        ]
        pairs: dict[int, int] = {}
        taken: set[int] = set()
        for _, i, j in sorted(near):
            if i not in pairs and j not in taken:
                pairs[i] = j
                taken.add(j)
        left = [sighting for j, sighting in enumerate(sightings) if j not in taken]
        return [(self._tracks[i], sightings[j]) for i, j in pairs.items()], left

    def _begin(self, at: float, sighting: Sighting, *, crowded: bool) -> list[Observation]:
        where = spot(self._geometry.zones, sighting.x, sighting.y)
        evidence = Evidence(at)
        evidence.add(at, sighting.log_probabilities, self._agreement, is_whole=sighting.is_whole)
        backs = where.kind in BACK_ZONES
        if not _worth_following(evidence, backs=backs):
            return []
        if crowded:
            evidence.agree_anew()
        track = Track(sighting.x, sighting.y, sighting.angle, evidence, backs, seen_at=at)
        self._tracks.append(track)
        return self._judge(at, track)

    def _seen(self, at: float, track: Track, sighting: Sighting, *, crowded: bool) -> list[Observation]:
        """A sighting at a track's place."""
        # Where a part of a tile lies tells nothing once all of it was seen.
        places = sighting.is_whole or not track.evidence.whole
        strayed = places and track.id is None and _apart(track, sighting) > STILL_MM
        if strayed or (track.closed and not track.doubtful):
            track.evidence = Evidence(at)
            track.closed = False
        if places:
            track.x, track.y, track.angle = sighting.x, sighting.y, sighting.angle
        track.absent, track.hidden, track.seen_at = 0, False, at
        track.evidence.add(at, sighting.log_probabilities, self._agreement, is_whole=sighting.is_whole)
        if crowded:
            track.evidence.agree_anew()
        return self._judge(at, track)

    def _missed(self, at: float, track: Track, look: Look) -> list[Observation]:
        """No sighting at a track's place, which was read."""
        if track.id is None:
            return self._flickers(at, track, look)
        if look is Look.UNCHANGED:
            track.absent, track.hidden = 0, False
            return []
        if look is Look.HIDDEN:
            track.hidden, track.absent, track.absent_at = True, 0, at
            return []
        track.hidden = False
        if track.absent and at - track.absent_at < self._agreement.spacing_s - 1e-6:
            return []
        track.absent, track.absent_at = track.absent + 1, at
        if track.absent < self._agreement.reads:
            return []
        self._tracks.remove(track)
        if track.told is not None:
            self._gone.append(track.told)
        return [Vanished(at=at, id=track.id)]

    def _flickers(self, at: float, track: Track, look: Look) -> list[Observation]:
        """A tentative tile was not found this time; while the place looks the same it is looked at again."""
        track.misses, track.absent_at = track.misses + 1, at
        if track.evidence.best == Tile.BACK:
            track.evidence.agree_anew()
        if look is not Look.UNCHANGED or track.misses > track.evidence.reads + self._agreement.reads:
            self._tracks.remove(track)
            return []
        return self._judge(at, track)

    def _judge(self, at: float, track: Track) -> list[Observation]:
        """Say what the evidence allows; a tile told before is told again only if it is surely another."""
        best = track.evidence.best
        if track.told is not None and best == track.told:
            track.closed = True
            return []
        standing = self._standing(at, track)
        lately = track.firm and at - track.evidence.first_at < EXCHANGED_S
        if standing is Standing.OPEN or lately:
            return []
        track.closed = True
        if not _worth_following(track.evidence, backs=track.backs):
            return self._drop(at, track)
        if standing is Standing.SURE and best != track.withheld:
            return self._tell(at, track, Tile(best))
        if standing is Standing.SURE:
            return []
        chances = track.evidence.probabilities()
        still_possible = track.told is not None and (track.told is Tile.UNKNOWN or chances[track.told] > 0.02)
        return [] if still_possible else self._tell(at, track, Tile.UNKNOWN)

    def _drop(self, at: float, track: Track) -> list[Observation]:
        self._tracks.remove(track)
        return [] if track.id is None else [Vanished(at=at, id=track.id)]

    def _tell(self, at: float, track: Track, tile: Tile) -> list[Observation]:
        before: list[Observation] = [] if track.id is None else [Vanished(at=at, id=track.id)]
        allowed = (*FACES, Tile.BACK) if track.backs else FACES
        candidates = track.evidence.candidates(allowed)
        track.id, track.told, track.firm, track.withheld = next(self._ids), tile, False, None
        appeared = Appeared(
            at=at,
            id=track.id,
            tile=str(tile),
            confidence=min(1.0, candidates[0][1]),
            candidates=tuple((str(face), round(chance, 4)) for face, chance in candidates),
            x=round(track.x, 1),
            y=round(track.y, 1),
            angle=round(track.angle, 1) % 360.0,
        )
        return [*before, appeared]


def _worth_following(evidence: Evidence, *, backs: bool) -> bool:
    """Whether it may be a tile that counts: no other thing, and a back only where backs mean something."""
    chances = evidence.probabilities()
    nothing = chances[NOT_A_TILE] + (0.0 if backs else chances[Tile.BACK])
    return bool(nothing < 0.5)


def _apart(track: Track, sighting: Sighting) -> float:
    return math.hypot(track.x - sighting.x, track.y - sighting.y)


def _between(one: Sighting, other: Sighting) -> float:
    return math.hypot(one.x - other.x, one.y - other.y)


def _same_place(track: Track, sighting: Sighting) -> bool:
    apart = _apart(track, sighting)
    return apart <= SURELY_SAME_MM or (
        apart <= SAME_PLACE_MM and _turned(track.angle, sighting.angle) <= SAME_TURN
    )


def _turned(a: float, b: float) -> float:
    """Degrees between two directions of a tile's long side."""
    return abs((a - b + 90.0) % 180.0 - 90.0)
