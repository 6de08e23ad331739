"""The tiles known to lie on a table, by the numbers the camera gives them. Pure."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Final

from controller.models import TableModel
from rules.tiles import Tile
from vision.observations import Appeared, CameraBack, CameraLost, Observation, Settled, Vanished
from vision.zones import Spot, ZoneKind

NEAR_MM: Final = 14.0
"""Two readings whose centres are nearer than this are of the same place: less than half a tile's width."""

MOST_MOMENTS: Final = 60
"""More tiles than these do not come to lie before the table is understood once."""

MOST_STINTS: Final = 200
"""So many tiles that are gone are remembered, to tell for how long they were read as what."""

NO_TIME: Final = -inf


@dataclass(frozen=True, slots=True)
class Track:
    """A lying tile.

    `tile` is UNKNOWN where the camera is not sure; then `candidates` are its likeliest faces. `chances` are
    the likeliest faces with their probabilities in any case, as far as they are told. `spot` is its
    zone with the place in its owner's frame, `sideways` whether it lies across for its owner, `across` its
    extent along u there (mm), (x, y) its place on the table.
    """

    id: int
    tile: Tile
    candidates: tuple[Tile, ...]
    spot: Spot
    sideways: bool
    across: float
    x: float
    y: float
    chances: tuple[tuple[Tile, float], ...] = ()

    def near(self, other: "Track") -> bool:
        """Whether both are of the same place."""
        return (self.x - other.x) ** 2 + (self.y - other.y) ** 2 <= NEAR_MM**2


@dataclass(frozen=True, slots=True)
class _Stint:
    """A tile that is gone, when it lay there (seconds), and after how many complete looks it went."""

    track: Track
    began: float
    ended: float
    looks: int


class Tracks:
    """All lying tiles, and which of them were understood when the table last agreed with the state.

    Observations may come late, twice or in another order than they were made: a tile whose end was told
    before its beginning is gone, and a table has settled only where nothing newer was told before.
    """

    def __init__(self, model: TableModel, *, look_s: float) -> None:
        self._model = model
        self._look_s = look_s
        self._lying: dict[int, Track] = {}
        self._old: frozenset[int] = frozenset()
        self._known: dict[int, Tile] = {}
        self._places: dict[int, Track] = {}
        self._moments: list[tuple[Track, ...]] = []
        self._looks = 0
        self._looked_at = NO_TIME
        self._looked = False
        self.understood = 0
        """How often the order of what came has begun anew."""
        self._since: dict[int, int] = {}
        self._earliest: dict[int, int] = {}
        self._began: dict[int, float] = {}
        self._ended: set[int] = set()
        self._stints: deque[_Stint] = deque(maxlen=MOST_STINTS)
        self._gone: list[tuple[Track, int, int]] = []
        self._camera_gone = False
        self._told_at = NO_TIME
        self._all: tuple[int, tuple[Track, ...]] = (-1, ())
        self.compared: dict[object, Any] = {}
        """What came of comparing a zone last; for whoever compares."""
        self.settled = False
        self.version = 0
        """Grows with everything that may change what is known of the table."""

    def observe(self, observation: Observation, now: float) -> None:
        """Take an observation into account; only `Settled` makes the table ready to be compared."""
        if self._camera_gone and not isinstance(observation, CameraBack | CameraLost):
            self._another_eye()
        self.version += 1
        self._camera_gone = isinstance(observation, CameraLost)
        self.settled = isinstance(observation, Settled) and observation.at >= self._told_at
        self._looked |= self.settled
        if self.settled and now - self._looked_at >= self._look_s:
            self._looks, self._looked_at = self._looks + 1, now
        match observation:
            case Appeared(at=at):
                self._told_at = max(self._told_at, at)
                self._appear(self._track(observation), now)
            case Vanished(at=at, id=number):
                self._told_at = max(self._told_at, at)
                self._vanish(number, now)

    def _another_eye(self) -> None:
        """Another eye was opened: its numbers mean other tiles, and its clock is another."""
        self._lying, self._old, self._known, self._since = {}, frozenset(), {}, {}
        self._began, self._ended, self._told_at = {}, set(), NO_TIME
        self._looked = False
        self._forget_order()

    def forget(self) -> None:
        """What lies there now does not belong to the next hand."""
        self.version += 1
        self._old = frozenset(self._lying)
        self._known, self._places = {}, {}
        self._ended.clear()
        self._stints.clear()
        self._forget_order()

    def overrule(self, faces: Mapping[int, Tile]) -> None:
        """People have said that these lying tiles were misread."""
        self._lying |= {n: replace(self._lying[n], tile=tile) for n, tile in faces.items()}
        self.retell()

    def retell(self) -> None:
        """People have said that it was otherwise: what was understood of the table counts no more."""
        self._known, self._places = {}, {}
        self._forget_order()

    def remember(self, matched: Mapping[int, Tile]) -> None:
        """These tiles are what the state says lies there, and nothing is open."""
        if self._moments or self._gone:
            self._forget_order()
        if matched.keys() != self._known.keys():
            self.version += 1
            self._known = dict(matched)
            self._places = {t.id: replace(t, tile=matched[t.id]) for t in self.lying() if t.id in matched}

    def bind(self, faces: Mapping[int, Tile]) -> None:
        """People have said which faces these tiles have."""
        self.version += 1
        self._known |= faces

    def lying(self) -> tuple[Track, ...]:
        """Every tile of this hand on the table."""
        version, lying = self._all
        if version != self.version:
            lying = tuple(track for number, track in self._lying.items() if number not in self._old)
            self._all = self.version, lying
        return lying

    def moments(self) -> tuple[tuple[Track, ...], ...]:
        """The table each time a tile came into a pond or a set, in order, since it was understood last.

        Nobody knows whether the table was still then, or whether all had been read.
        """
        return tuple(self._moments)

    def came(self, track: Track) -> int:
        """Number of the complete look at which the tile lay there first; it was not there at an earlier one.

        A tile that is lost and found at its place has lain there all the time.
        """
        return self._since.get(track.id, 0)

    def earliest(self, track: Track) -> int:
        """The same if it is a tile that lay elsewhere before and was pushed or put right."""
        return min(self._earliest.get(track.id, 0), self.came(track))

    def known(self, track: Track) -> Tile | None:
        """What the tile was when it was understood last, None if it is new."""
        return self._known.get(track.id)

    def left(self, kind: ZoneKind, seat: int | None) -> tuple[Track, ...]:
        """Tiles of a zone that were understood last, and no longer lie there under their number or face."""
        lying = self.lying()
        return tuple(
            known
            for number, known in self._places.items()
            if (known.spot.kind, known.spot.seat) == (kind, seat)
            and number not in self._lying
            and not any(track.near(known) and track.tile is known.tile for track in lying)
        )

    def face_here(self, track: Track, wanted: Iterable[Tile]) -> Tile | None:
        """The wanted face that was understood at the place of a tile that can't be read now."""
        faces = {known.tile for known in self._places.values() if track.near(known)}
        fitting = [t for t in wanted if t in faces and (not track.candidates or t in track.candidates)]
        return fitting[0] if len(set(fitting)) == 1 else None

    def read_so_far(self, track: Track, tile: Tile, now: float) -> float:
        """For how many seconds a tile at the place of this one was read as `tile`."""
        stints = [_Stint(track, self._began.get(track.id, now), now, self._looks), *self._stints]
        return sum(
            stint.ended - stint.began
            for stint in stints
            if stint.track.tile is tile and (stint.track.id == track.id or stint.track.near(track))
        )

    def was_empty(self, track: Track) -> bool:
        """Whether nothing lay at the tile's place at a complete look after another one had lain there."""
        gone = [stint.looks for stint in self._stints if stint.track.near(track)]
        return bool(gone) and gone[-1] < self.came(track)

    def _forget_order(self) -> None:
        self.version += 1
        self.understood += 1
        self._moments.clear()
        self._gone.clear()

    def _vanish(self, number: int, now: float) -> None:
        gone = self._lying.pop(number, None)
        self._known.pop(number, None)
        since = self._since.pop(number, self._looks)
        earliest = self._earliest.pop(number, since)
        began = self._began.pop(number, now)
        self._ended.add(number)
        if gone is not None:
            self._gone.append((gone, since, earliest))
            self._stints.append(_Stint(gone, began, now, self._looks))

    def _appear(self, track: Track, now: float) -> None:
        if track.id in self._ended or track.id in self._lying:
            return
        self._lying[track.id] = track
        self._began[track.id] = now
        before = [since for gone, since, _ in self._gone if gone.near(track) and self._may_be(gone, track)]
        looks = self._looks if now - self._looked_at >= self._look_s else self._looks - 1
        self._since[track.id] = min(before, default=looks)
        moved = (earliest for gone, _, earliest in self._gone if gone.tile is track.tile)
        self._earliest[track.id] = min(moved, default=self._since[track.id])
        played = track.spot.kind in {ZoneKind.POND, ZoneKind.MELD}
        # What new eyes tell first has lain there before, in whatever order.
        if played and self._looked and len(self._moments) < MOST_MOMENTS:
            self._moments.append(self.lying())

    def _may_be(self, gone: Track, track: Track) -> bool:
        """Whether a tile may be the one that lay at its place before.

        In a common pond another one may fall there: one that can't be read yet tells nothing.
        """
        if gone.tile is track.tile or gone.tile is Tile.UNKNOWN:
            return True
        return track.tile is Tile.UNKNOWN and not self._model.shares_pond

    def _track(self, seen: Appeared) -> Track:
        spot = self._model.spot(seen.x, seen.y)
        tile = Tile.parse(seen.tile)
        chances = tuple((Tile.parse(text), chance) for text, chance in seen.candidates)
        faces = tuple(face for face, _ in chances) if tile is Tile.UNKNOWN else ()
        size = self._model.tile
        seat = spot.seat or 0
        sideways = 45.0 < (seen.angle + 90.0 * seat) % 180.0 < 135.0
        across = size.length if sideways else size.width
        return Track(seen.id, tile, faces, spot, sideways, across, seen.x, seen.y, chances)


def in_zone(tracks: Iterable[Track], kind: ZoneKind, seat: int | None = None) -> tuple[Track, ...]:
    """The tiles in the zones of a kind (of one seat), from the owner's left to his right."""
    inside = (track for track in tracks if track.spot.kind is kind and track.spot.seat == seat)
    return tuple(sorted(inside, key=lambda track: track.spot.u))
