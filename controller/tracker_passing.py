"""Discards that lay only for a moment: claimed before the whole table was still once. Pure."""

from functools import reduce
from itertools import pairwise

from controller.models import TableModel
from controller.tracker_difference import difference
from controller.tracker_tracks import Tracks
from rules.events import Claimed, Discarded, Event
from rules.explain import explain
from rules.ruleset import RuleSet
from rules.state import TableState
from rules.table import apply


def has_unseen_discard(way: tuple[Event, ...]) -> bool:
    """Whether a discard is claimed in the same look in which it was laid."""
    return any(
        isinstance(first, Discarded) and isinstance(second, Claimed) for first, second in pairwise(way)
    )


def passing(
    tracks: Tracks, state: TableState, rules: RuleSet, model: TableModel
) -> tuple[tuple[Event, ...], ...]:
    """What happened if the tiles that passed through ponds were discards; no way where that can't be.

    The table of each such moment is explained as if it had been still, then the table of now. A moment that
    has not exactly one explanation was none to look at; the table of now must have one, without unseen
    discards.
    """
    path: tuple[Event, ...] = ()
    if not tracks.passed():
        return ()
    for moment in (*tracks.passed(), None):
        lying = tracks.lying() if moment is None else moment
        found = difference(tracks, lying, state, rules, model)
        ways = () if found.problem is not None else explain(state, found.seen, rules)
        clear = len(ways) == 1 and not has_unseen_discard(ways[0])
        if clear:
            path = (*path, *ways[0])
            state = reduce(lambda table, event: apply(table, event, rules), ways[0], state)
        elif moment is None:
            return ()
    return (path,)
