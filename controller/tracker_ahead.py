"""Discards that are told before the whole table is at rest; the table at rest decides all the same. Pure.

The hands of the next player move as soon as a tile lies, and a table at rest is waited for in vain. A tile
that was read surely lies where no arm is: where it and what was read before it leave one account of play, it
is told at once. That is told ahead and no more: the table at rest is compared with the state from before it,
as if nobody had told anything, and what comes of that is what happened.
"""

from dataclasses import dataclass, replace
from itertools import takewhile
from operator import eq
from typing import Final

from controller.models import TableModel
from controller.tracker_decision import Decision
from controller.tracker_difference import Difference, difference
from controller.tracker_steps import came_in_order, is_blind
from controller.tracker_tracks import Tracks
from rules.events import Claimed, Discarded, Drew, Event, IndicatorTurned
from rules.explain import Seen, explain
from rules.ruleset import RuleSet
from rules.state import TableState
from vision.zones import ZoneKind

MOST_DISCARDS: Final = 2
"""More new discards than these are left to the table at rest."""

_PLAYED: Final = frozenset({ZoneKind.POND, ZoneKind.MELD})
_TOLD_AHEAD: Final = (IndicatorTurned, Drew, Discarded, Claimed)


@dataclass(slots=True)
class Ahead:
    """What was told since the table was last at rest, and the state before it."""

    rules: RuleSet
    model: TableModel
    _before: TableState | None = None
    _told: tuple[Event, ...] = ()
    _compared: int = -1

    def forget(self) -> None:
        """Nothing is told ahead."""
        self._before, self._told = None, ()

    def before(self, state: TableState) -> TableState:
        """The state that the table at rest is compared with: the one before what was told ahead.

        Where the deal was told otherwise meanwhile, by people or for their sake, the state stands as it is.
        """
        begun = self._before
        if begun is None:
            return state
        told = _since(begun, state)
        if told and told == self._told[: len(told)]:
            self._told = told
            return begun
        self.forget()
        return state

    def tell(self, state: TableState, tracks: Tracks) -> Decision:
        """The play that ends with a discard just read, if nothing speaks against it; each look once."""
        if self._compared == tracks.version:
            return Decision()
        self._compared = tracks.version
        if not _has_grown(tracks, state):
            return Decision()
        found = difference(tracks, tracks.lying(), state, self.rules, self.model)
        ways = explain(state, found.seen, self.rules) if _is_plain(found) else ()
        if len(ways) != 1 or not self._is_told(ways[0], tracks, found):
            return Decision()
        before = self.before(state)
        self._before, self._told = before, (*(_since(before, state) or ()), *ways[0])
        return Decision(events=ways[0])

    def _is_told(self, way: tuple[Event, ...], tracks: Tracks, found: Difference) -> bool:
        """Whether the way is one of discards and sets that took some, in the order of their tiles."""
        if not all(isinstance(event, _TOLD_AHEAD) for event in way) or not found.tells(way):
            return False
        return not is_blind(way, tracks, found) and came_in_order(way, tracks, found, self.model)

    def decided(self, state: TableState, decision: Decision) -> Decision | None:
        """What the table at rest makes of a state ahead; `decision` is about the state from before.

        None: all that was told ahead has happened and nothing else; the table is to be compared with `state`.
        """
        if decision.again_at is not None and not decision.agrees and decision.problem is None:
            return decision  # it may still become what was told
        told, kept = self._told, len(state.log) - len(self._told)
        self.forget()
        if decision.kept is not None:
            return decision
        same = sum(takewhile(bool, map(eq, told, decision.events)))
        if same < len(told):
            return Decision(decision.events[same:], kept=kept + same, unseen=decision.unseen)
        rest = decision.events[same:]
        return replace(decision, events=rest) if rest else None


def _since(before: TableState, state: TableState) -> tuple[Event, ...] | None:
    """What has happened since an earlier state of the deal; None where that is none of this deal."""
    number = len(before.log)
    return state.log[number:] if state.log[:number] == before.log else None


def _has_grown(tracks: Tracks, state: TableState) -> bool:
    """Whether more tiles were played than the state knows: few looks need to be compared in full."""
    lying = sum(track.spot.kind in _PLAYED for track in tracks.lying())
    sets = (meld for hand in state.hands for meld in hand.melds)
    return lying > sum(map(len, state.ponds)) + sum(len(meld.tiles) for meld in sets)


def _is_plain(found: Difference) -> bool:
    """Whether all that differs is a discard or two, perhaps with a set that took one or the indicator."""
    if found.problem is not None or found.unsure or found.displaced is not None:
        return False
    seen = found.seen
    other = replace(seen, pond_added=(), pond_removed=(), meld_added=(), indicator=None)
    sets = all(len(tiles) > 2 for _, tiles in seen.meld_added)
    return other == Seen() and sets and 0 < len(seen.pond_added) <= MOST_DISCARDS
