"""Several plays in one look, in the order in which their tiles came to lie. Pure.

What lies on a table does not tell the order of what happened, and a discard that was claimed at once does not
lie there any more. The moments at which tiles came tell both.
"""

from functools import reduce
from itertools import pairwise

from controller.models import TableModel
from controller.tracker_difference import difference
from controller.tracker_tracks import Tracks
from rules.events import Claimed, Discarded, Drew, Event
from rules.explain import explain
from rules.ruleset import RuleSet
from rules.state import TableState
from rules.table import apply


def has_unseen_discard(way: tuple[Event, ...]) -> bool:
    """Whether a discard is claimed in the same look in which it was laid."""
    return any(
        isinstance(first, Discarded) and isinstance(second, Claimed) for first, second in pairwise(way)
    )


def acts(way: tuple[Event, ...]) -> int:
    """How many of the events are there to be seen."""
    return sum(not isinstance(event, Drew) for event in way)


def step_by_step(
    tracks: Tracks, state: TableState, rules: RuleSet, model: TableModel
) -> tuple[tuple[Event, ...], ...]:
    """The way that leads over the moments at which tiles came to the table of now; none where there is none.

    Each moment is explained as if the table had been still. A moment that has not exactly one explanation was
    none to look at; the table of now must have one.
    """
    path: tuple[Event, ...] = ()
    for moment in (*tracks.moments(), None):
        lying = tracks.lying() if moment is None else moment
        found = difference(tracks, lying, state, rules, model)
        ways = () if found.problem is not None else explain(state, found.seen, rules)
        if len(ways) == 1 and found.tells(ways[0]):
            path = (*path, *ways[0])
            state = reduce(lambda table, event: apply(table, event, rules), ways[0], state)
        elif moment is None:
            return ()
    return (path,) if path else ()
