"""Several plays in one look, in the order in which their tiles came to lie. Pure.

What lies on a table does not tell the order of what happened, and a discard that was claimed at once does not
lie there any more. The moments at which tiles came tell both.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, combinations, pairwise, zip_longest
from typing import Final

from controller.models import TableModel
from controller.tracker_difference import Difference, difference
from controller.tracker_tracks import Track, Tracks
from controller.tracker_zones import as_laid
from rules.events import Claimed, Discarded, Drew, Event, KongDeclared
from rules.explain import explain
from rules.ruleset import RuleSet
from rules.state import TableState
from rules.table import apply
from rules.tiles import Seat, Tile
from vision.zones import ZoneKind

MOST_UNSEEN: Final = 4
"""So many discards may be laid between two complete looks and still be told as they came."""

MOST_LOST: Final = 2
"""So many moments in a row that differ in much may be skipped; then a table is not told stepwise any more."""


def has_unseen_discard(way: tuple[Event, ...]) -> bool:
    """Whether a discard is claimed in the same look in which it was laid."""
    return any(
        isinstance(first, Discarded) and isinstance(second, Claimed) for first, second in pairwise(way)
    )


def is_blind(way: tuple[Event, ...], tracks: Tracks, found: Difference) -> bool:
    """Whether nobody saw the order: more discards than a camera can miss came between two complete looks.

    The tiles are then told in the order in which they are read, not in that in which they were laid. Where
    none was taken by a set, the turns tell their order; in a common pond they do not.
    """
    if found.thrown_together:
        return True
    if not has_unseen_discard(way):
        return False
    new = (track for track in tracks.lying() if track.id not in found.matched)
    looks = Counter(tracks.came(track) for track in new if track.spot.kind is ZoneKind.POND)
    return max(looks.values(), default=0) > MOST_UNSEEN


def first_orders(ways: Iterable[tuple[Event, ...]], found: Difference) -> tuple[tuple[Event, ...], ...]:
    """The orders in which the first tiles that came together may have been thrown, and nothing after them.

    So people may choose one while the play goes on.
    """
    groups = found.seen.common_added
    unclear = next(place for place, group in enumerate(groups) if len(set(group)) > 1)
    first = Counter(chain(*groups[: unclear + 1]))
    return tuple(dict.fromkeys(_until(first, way) for way in ways))


def _until(tiles: Mapping[Tile, int], way: tuple[Event, ...]) -> tuple[Event, ...]:
    """The way as far as all these tiles were thrown."""
    left = Counter(tiles)
    for place, event in enumerate(way):
        if isinstance(event, Discarded):
            left[event.tile] -= 1
        if not any(number > 0 for number in left.values()):
            return way[: place + 1]
    return way


def acts(way: tuple[Event, ...]) -> int:
    """How many of the events are there to be seen."""
    return sum(not isinstance(event, Drew) for event in way)


def in_order(way: tuple[Event, ...], tracks: Tracks, new: Iterable[Track]) -> bool:
    """Whether the acts may have happened in this order: none came to lie after one that it precedes.

    A tile that was not there at a complete look was laid after all that were. `new` are the lying tiles that
    the state does not know. Who claims a discard may lay his own before his set.
    """
    extra = tuple(new)
    seen = [
        (event, [tracks.came(track) for track in extra if _is_of(track, event)])
        for event in way
        if isinstance(event, Discarded | Claimed | KongDeclared)
    ]
    for (first, firsts), (second, seconds) in combinations([(e, c) for e, c in seen if c], 2):
        claimed = isinstance(first, Claimed | KongDeclared) and isinstance(second, Discarded)
        own = claimed and first.seat is second.seat
        if not own and min(firsts) > max(seconds):
            return False
    return True


def came_in_order(way: tuple[Event, ...], tracks: Tracks, found: Difference, model: TableModel) -> bool:
    """Whether a play may have happened so, by the order in which its tiles came and where they lie.

    Later tiles may make a play out of what was misread; only their order shows that it is none. And a pond
    is filled in rows: a discard lies after all that are known there, or came after them. A tile that went
    from a set to a hand lay in no pond between: one that did was put back first and then thrown.
    """
    lying = tracks.lying()
    if was_thrown(tracks, found):
        return False
    new = [track for track in lying if track.id not in found.matched]
    if not in_order(way, tracks, new):
        return False
    seats = {event.seat for event in way if isinstance(event, Discarded)}
    return all(_laid_last(as_laid(lying, seat, model), tracks, found) for seat in seats)


def lies_as_told(way: tuple[Event, ...], tracks: Tracks, found: Difference, model: TableModel) -> bool:
    """Whether the new discards of each pond lie in the order in which they are told.

    A pond is filled in rows. Only a complete look at which one lay there without the other says more than
    their places: a tile that is read late was not laid late.
    """
    lying = tracks.lying()
    for seat in {event.seat for event in way if isinstance(event, Discarded)}:
        laid = [track for track in as_laid(lying, seat, model) if track.id not in found.matched]
        told = _told_places(way, seat, [track.tile for track in laid])
        for first, second in combinations(told, 2):
            if first > second and tracks.came(laid[first]) >= tracks.earliest(laid[second]):
                return False
    return True


def _told_places(way: tuple[Event, ...], seat: Seat, laid: Sequence[Tile]) -> list[int]:
    """Where the discards of a seat that were not claimed lie among these tiles, in the order of the way."""
    left = dict(enumerate(laid))
    places = []
    for event, after in zip_longest(way, way[1:]):
        if isinstance(event, Discarded) and event.seat is seat and not isinstance(after, Claimed):
            place = next((place for place, tile in left.items() if tile is event.tile), None)
            if place is not None:
                del left[place]
                places.append(place)
    return places


def was_thrown(tracks: Tracks, found: Difference) -> bool:
    """Whether a tile that is gone from a set was seen in its player's pond since the table was understood."""
    gone = found.seen.meld_removed
    return bool(gone) and any(
        track.spot.kind is ZoneKind.POND and (track.spot.seat, track.tile) in gone
        for moment in tracks.moments()
        for track in moment
        if track.id not in found.matched
    )


def _laid_last(laid: Sequence[Track], tracks: Tracks, found: Difference) -> bool:
    old = [place for place, track in enumerate(laid) if track.id in found.matched]
    new = [place for place, track in enumerate(laid) if track.id not in found.matched]
    if not old or not new or min(new) > max(old):
        return True
    return min(tracks.came(laid[place]) for place in new) > max(tracks.came(laid[place]) for place in old)


def _is_of(track: Track, event: Discarded | Claimed | KongDeclared) -> bool:
    """Whether the tile may have come to lie by this act."""
    kind = ZoneKind.POND if isinstance(event, Discarded) else ZoneKind.MELD
    faces = event.tiles if isinstance(event, Claimed) else (event.tile, Tile.BACK)
    return track.spot.kind is kind and track.spot.seat in {event.seat, None} and track.tile in faces


@dataclass(slots=True)
class Steps:
    """How far the moments since the table was understood last have become plays; each is explained once.

    Each moment is explained as if the table had been still. A moment that has not exactly one explanation was
    none to look at; the table of now must have one. After `MOST_LOST` of them that differ in much, one after
    the other, it is not to be told stepwise any more: every later one would only differ in more.
    """

    rules: RuleSet
    model: TableModel
    _begun: tuple[TableState, int] | None = None
    _done: int = 0
    _path: tuple[Event, ...] = ()
    _state: TableState | None = None
    _lost: int = 0

    def way(self, tracks: Tracks, state: TableState) -> tuple[tuple[Event, ...], ...]:
        """The way that leads from the state over the moments to the table of now, if there is one."""
        if self._begun is None or self._begun[0] is not state or self._begun[1] != tracks.understood:
            self._begun, self._done, self._path, self._state = (state, tracks.understood), 0, (), state
            self._lost = 0
        path, at = self._path, self._state or state
        moments = tracks.moments()
        for moment in moments[self._done :]:
            if self._lost > MOST_LOST:
                return ()
            step = self._step(tracks, moment, at)
            if step is not None:
                path, at = (*path, *step), reduce(self._after, step, at)
        self._done, self._path, self._state = len(moments), path, at
        last = self._step(tracks, tracks.lying(), at)
        return () if last is None or not (path or last) else ((*path, *last),)

    def _step(self, tracks: Tracks, lying: tuple[Track, ...], state: TableState) -> tuple[Event, ...] | None:
        """The only play that leads from the state to this table."""
        found = difference(tracks, lying, state, self.rules, self.model)
        ways = () if found.problem is not None else explain(state, found.seen, self.rules)
        if len(ways) == 1 and found.tells(ways[0]):
            self._lost = 0
            return ways[0]
        self._lost += found.much
        return None

    def _after(self, state: TableState, event: Event) -> TableState:
        return apply(state, event, self.rules)
