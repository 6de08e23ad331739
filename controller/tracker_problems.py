"""What the tracker asks people, and what they may choose. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final

from controller.doubts import Candidate, DoubtKind, Problem, events_candidate, problem
from controller.tracker_difference import Difference
from rules.events import Event, FalseWin, IllegalEvent, WallExhausted, Won
from rules.ruleset import RuleSet
from rules.state import TableState
from rules.table import apply

MOST_CANDIDATES: Final = 6
"""More possibilities than this are no help to anybody who has to choose."""

ABANDON: Final = Candidate("放弃这一局 (abandon the hand)")
GO_ON: Final = Candidate("继续打 (play on)")


def ends(events: Sequence[Event]) -> bool:
    """Whether the deal is over after these events."""
    return bool(events) and isinstance(events[-1], Won | WallExhausted)


def false_wins(state: TableState, found: Difference, rules: RuleSet) -> tuple[tuple[Event, ...], ...]:
    """What people may confirm of hands that were laid open and do not win, if the rules fine it."""
    events = tuple(FalseWin(seat, tuple(sorted(tiles))) for seat, tiles in found.seen.shown)
    return tuple((event,) for event in events if _is_legal(state, event, rules))


def _is_legal(state: TableState, event: Event, rules: RuleSet) -> bool:
    try:
        apply(state, event, rules)
    except IllegalEvent:
        return False
    return True


def problem_of(found: Difference, ways: Iterable[tuple[Event, ...]]) -> Problem:
    """The question which of these plays it was; where there is none, what differs."""
    choices = tuple(dict.fromkeys(map(events_candidate, ways)))
    if len(choices) > 1:
        zh, en = "；".join(c.text for c in choices), f"{len(choices)} possibilities"
        return problem(DoubtKind.AMBIGUOUS, zh=zh, en=en, candidates=choices[:MOST_CANDIDATES])
    kind = DoubtKind.VANISHED if found.only_gone else DoubtKind.UNEXPLAINED
    if found.only_shown:
        kind = DoubtKind.SHOWN
    if found.seen.ended and not found.changed:
        return problem(DoubtKind.LIFT, candidates=(ABANDON, GO_ON))
    zh, en = found.in_words()
    return problem(kind, zh=zh, en=en, candidates=choices)
