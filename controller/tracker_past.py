"""What was believed of a deal and is told otherwise by the table of now. Pure.

A play that was told may have been none: a tile was misread for a moment, a player has taken his tile back, a
claim was put right. The table of now is then not to be explained from the state of now, but from an earlier
one, or from one in which a tile has another face. Which plays lead there is again the rules' to say.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Final

from controller.models import TableModel
from controller.tracker_difference import Difference, difference
from controller.tracker_steps import Steps, acts, came_in_order, is_blind
from controller.tracker_tracks import Track, Tracks, in_zone
from controller.tracker_zones import as_laid, lies_so
from rules.events import (
    Barred,
    Claimed,
    DealStarted,
    Discarded,
    Drew,
    Event,
    FalseWin,
    IllegalEvent,
    IndicatorTurned,
)
from rules.explain import explain
from rules.ruleset import RuleSet
from rules.state import TableState
from rules.table import apply, new_table
from rules.tiles import SEATS, Seat, Tile
from vision.zones import ZoneKind

MOST_ACTS: Final = 5
"""So many acts are looked back: more than a round is not taken back at a table."""

MOST_MOMENTS: Final = 25
"""Through so many moments another past is followed; with more it must be told by the table of now."""

_RULED: Final = (DealStarted, FalseWin, Barred)
"""Nothing on the table speaks against these: people have said them, or the machine."""


@dataclass(frozen=True, slots=True)
class Revision:
    """The first `kept` events of the log stand; `events` followed them instead of the others.

    `reread` is the lying tile that is read otherwise than before, and as what it was read, None where acts
    are taken back. `last`: nothing that was told after it is told otherwise.
    """

    kept: int
    events: tuple[Event, ...]
    reread: tuple[Track, Tile] | None = None
    last: bool = False


@dataclass(frozen=True, slots=True)
class Past:
    """The deal as it was told, and the means to tell it otherwise."""

    tracks: Tracks
    model: TableModel
    rules: RuleSet

    def rereadings(self, state: TableState) -> tuple[Revision, ...]:
        """What happened if one lying tile always had the face that is read now."""
        found = []
        for track, place, event, was in self._otherwise(state):
            told = (*state.log[:place], event, *state.log[place + 1 :])
            after = self._told(told)
            if after is None or not self._lies_so(after, event):
                continue
            way = self._only_way(after)
            if way is not None:
                last = acts(state.log[place:]) == 1
                found.append(Revision(place, (*told[place:], *way), (track, was), last=last))
        return tuple(found)

    def taken_back(self, state: TableState) -> tuple[Revision, ...]:
        """What happened if the last acts did not, as few of them as account for the table; several: any."""
        log = state.log
        for place in self._acts(log):
            before = self._told(log[:place])
            if before is None:
                return ()
            undone = log[place:]
            seen = frozenset(event.seat for event in undone if isinstance(event, Discarded))
            ways = [_revision(log, place, way) for way in self._ways(before, seen)]
            found = tuple(way for way in ways if _is_told(log, way) and self._keeps_turns(log, way))
            if found:
                return found
        return ()

    def _keeps_turns(self, log: Sequence[Event], revision: Revision) -> bool:
        """Whether at most one discard is told otherwise: in a common pond all later ones would be."""
        if not self.model.shares_pond:
            return True
        before, after = (
            Counter(event for event in events if isinstance(event, Discarded))
            for events in (log[revision.kept :], revision.events)
        )
        return (before - after).total() <= 1

    def _acts(self, log: Sequence[Event]) -> Iterator[int]:
        """Places of the acts that may be taken back, the last one first."""
        number = 0
        for place in range(len(log) - 1, -1, -1):
            if isinstance(log[place], _RULED) or number == MOST_ACTS:
                return
            if not isinstance(log[place], Drew):
                number += 1
                yield place

    def _otherwise(self, state: TableState) -> Iterator[tuple[Track, int, Event, Tile]]:
        """Lying tiles that are read otherwise, the event that told them, what it is then, and what it was."""
        lying = self.tracks.lying()
        for track in in_zone(lying, ZoneKind.INDICATOR):
            if state.indicator is not None and _is_face(track) and track.tile is not state.indicator:
                for place, event in enumerate(state.log):
                    if isinstance(event, IndicatorTurned):
                        yield track, place, IndicatorTurned(track.tile), event.tile
        if self.model.shares_pond:
            yield from self._otherwise_in_common(state, lying)
            return
        for seat in SEATS:
            laid = as_laid(lying, seat, self.model)
            other = _only_other(laid, state.ponds[seat])
            if other is None:
                continue
            index = laid.index(other)
            for place in self._discards(state, seat, index):
                yield other, place, Discarded(seat, other.tile), state.ponds[seat][index]

    def _otherwise_in_common(
        self, state: TableState, lying: Sequence[Track]
    ) -> Iterator[tuple[Track, int, Event, Tile]]:
        """The same in a pond of all: a known tile has another face where it lay, whosever it was."""
        left = self.tracks.left(ZoneKind.POND, None)
        others = [track for track in lying if len(left) == 1 and track.near(left[0]) and _is_face(track)]
        if len(others) != 1:
            return
        (other,), was = others, left[0].tile
        for seat in SEATS:
            for index, face in enumerate(state.ponds[seat]):
                if face is was:
                    for place in self._discards(state, seat, index):
                        yield other, place, Discarded(seat, other.tile), was

    def _discards(self, state: TableState, seat: Seat, index: int) -> Iterator[int]:
        """Places in the log of the discard that lies at that place of the pond, the likeliest first."""
        face = state.ponds[seat][index]
        later = state.ponds[seat][index + 1 :].count(face)
        places = [place for place, event in enumerate(state.log) if event == Discarded(seat, face)]
        yield from list(reversed(places))[later : later + 2]

    def _told(self, log: Sequence[Event]) -> TableState | None:
        """The state after these events, None where the rules refuse one."""
        try:
            return reduce(lambda state, event: apply(state, event, self.rules), log, new_table(self.rules))
        except IllegalEvent:
            return None

    def _lies_so(self, state: TableState, event: Event) -> bool:
        """Whether the pond in which the event's tile lies is now as it was laid."""
        if not isinstance(event, Discarded):
            return True
        return lies_so(self.tracks.lying(), event.seat, state, self.model)

    def _only_way(self, state: TableState) -> tuple[Event, ...] | None:
        ways = self._ways(state)
        return ways[0] if len(ways) == 1 else None

    def _ways(
        self, state: TableState, witnessed: frozenset[Seat] = frozenset()
    ) -> tuple[tuple[Event, ...], ...]:
        """What leads from this state to the table of now, in the order in which its tiles came."""
        found = difference(self.tracks, self.tracks.lying(), state, self.rules, self.model)
        if found.problem is not None or found.too_much or found.much:
            return ()
        ways = explain(state, found.seen, self.rules)
        few = len(self.tracks.moments()) <= MOST_MOMENTS
        if few and (len(ways) != 1 or acts(ways[0]) > 1):
            # A state of the past has moments of its own.
            stepwise = Steps(self.rules, self.model).way(self.tracks, state)
            ways = stepwise or ways
        return tuple(way for way in ways if found.tells(way, witnessed) and self._in_order(way, found))

    def _in_order(self, way: tuple[Event, ...], found: Difference) -> bool:
        return not is_blind(way, self.tracks, found) and came_in_order(way, self.tracks, found, self.model)


def _revision(log: Sequence[Event], place: int, way: tuple[Event, ...]) -> Revision:
    """The way from that place of the log on, without what stands in the log all the same."""
    same = 0
    while same < min(len(way), len(log) - place) and way[same] == log[place + same]:
        same += 1
    return Revision(place + same, way[same:])


def _is_told(log: Sequence[Event], revision: Revision) -> bool:
    """Whether the table speaks for another past, and does not only lack something.

    A discard that is only gone was taken back, or is on its way into a set: who knows. And a discard that lay
    there is no other one where the set that took it holds its face.
    """
    undone = log[revision.kept :]
    first = next((event for event in undone if not isinstance(event, Drew)), None)
    if first is None or (isinstance(first, Discarded) and not revision.events):
        return False
    for before, after in pairwise(revision.events):
        if isinstance(before, Discarded) and isinstance(after, Claimed) and before not in undone:
            lay = {
                event.tile for event in undone if isinstance(event, Discarded) and event.seat is before.seat
            }
            if lay & set(after.tiles):
                return False
    return True


def _is_face(track: Track) -> bool:
    return track.tile not in {Tile.UNKNOWN, Tile.BACK}


def _only_other(laid: Sequence[Track], pond: Sequence[Tile]) -> Track | None:
    """The only tile that lies where the pond has another; None where tiles are missing, or more differ."""
    if len(laid) < len(pond):
        return None
    differing = [track for track, tile in zip(laid, pond, strict=False) if track.tile is not tile]
    return differing[0] if len(differing) == 1 and _is_face(differing[0]) else None
