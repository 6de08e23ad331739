"""Which legal events account for what has changed on the table.

A table shows discards, declared sets and hands laid open; draws are never seen. `explain` searches, event by
event, for the shortest sequences that use up everything that was seen and nothing else. It decides nothing:
several sequences are several readings of the same picture.

Two facts keep the search small and honest. The tiles of one pond lie in the order in which they were
discarded. And a discard that was never seen lying is assumed only where a set could not be claimed otherwise,
never for a win.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from rules.events import Claimed, IllegalEvent, Won
from rules.explain_seen import Seen
from rules.explain_steps import Lies, Node, crossed, is_explained, may_be_told, steps, unread
from rules.state import Phase
from rules.transitions import apply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rules.events import Event
    from rules.ruleset import RuleSet
    from rules.state import TableState

__all__ = ["Seen", "explain", "proven_win", "refused_wins", "unread_wins"]

MAX_STEPS: Final = 1500
"""Applied events after which a picture counts as unexplainable: about 50 ms, far beyond any real one."""


def explain(state: TableState, seen: Seen, rules: RuleSet) -> tuple[tuple[Event, ...], ...]:
    """The shortest legal sequences of events that account for all of `seen`.

    Orders of the same events that lead to the same public table are given once. One empty sequence means that
    nothing has happened; no sequence that `seen` is unexplainable. After the end of a deal nothing counts.
    """
    if state.phase is Phase.OVER:
        return ((),)
    if not may_be_told(state, seen):
        return ()
    found = _search(state, seen, rules, _Beyond())
    if found or not any(len(tiles) > 2 for _, tiles in seen.meld_added):
        return found
    return _search(state, seen, rules, _Beyond(unseen=True))


def unread_wins(state: TableState, seen: Seen, rules: RuleSet) -> tuple[tuple[Event, ...], ...]:
    """Sequences that end in a win with a discard that nobody saw lie and that was put with the hand.

    The hand laid open holds it; which of its tiles it is, and whether there was any, is for people to say. Of
    each such tile the shortest sequences.
    """
    if state.phase is Phase.OVER or not seen.shown or not may_be_told(state, seen):
        return ()
    return _search(state, seen, rules, _Beyond(unseen=True, won=True))


def proven_win(state: TableState, seen: Seen, rules: RuleSet) -> tuple[Event, ...]:
    """The win with a discard that nobody saw lie, where the table leaves no other; empty where it does.

    The winner has one tile more than he can have had, it lies apart, and all his others were his own. Who
    comes next after the discarder is not believed so: had one lying discard not been found, he may have drawn
    that tile himself. Of any other player two discards would have to lie there that were not found. And where
    the last discard has the same face, that very tile may have been taken and be thought to lie there still.
    """
    ways = unread_wins(state, seen, rules) if seen.apart is not None else ()
    if len(ways) != 1 or any(isinstance(event, Claimed) for event in ways[0]):
        return ()
    won = ways[0][-1]
    alone = isinstance(won, Won) and won.from_seat is not None and won.seat is not won.from_seat.next
    lies = isinstance(won, Won) and state.last_discard is not None and state.last_discard[1] is won.tile
    return ways[0] if alone and not lies else ()


def refused_wins(state: TableState, seen: Seen, rules: RuleSet) -> tuple[tuple[Won, str], ...]:
    """The wins that the hands laid open would be, and why the rules refuse each."""
    beyond = _Beyond()
    if state.phase is not Phase.OVER and seen.shown and may_be_told(state, seen):
        _search(state, seen, rules, beyond)
    return tuple(beyond.refused.items())


@dataclass(frozen=True, slots=True)
class _Beyond:
    """What is looked for beyond what lies there: discards that a set took (`unseen`) or a win (`won`) did.

    `refused` gathers the wins that the rules refuse, with the reason.
    """

    unseen: bool = False
    won: bool = False
    refused: dict[Won, str] = field(default_factory=dict)


def _search(state: TableState, seen: Seen, rules: RuleSet, beyond: _Beyond) -> tuple[tuple[Event, ...], ...]:
    level = [Node(state, seen, Lies.BEFORE, ())]
    budget = MAX_STEPS
    while level:
        done = [node for node in level if is_explained(node)]
        if done:
            return _once_each(done, seen)
        following: list[Node] = []
        for node in level:
            likely = steps(node, unseen=beyond.unseen)
            for event, rest, lies in chain(likely, unread(node)) if beyond.won else likely:
                budget -= 1
                if budget < 0:
                    return ()
                try:
                    after = apply(node.state, event, rules)
                except IllegalEvent as error:
                    if isinstance(event, Won):
                        beyond.refused[event] = str(error)
                    continue
                following.append(Node(after, rest, lies, (*node.path, event)))
        level = following
    return ()


def _once_each(done: Sequence[Node], seen: Seen) -> tuple[tuple[Event, ...], ...]:
    """Of readings with the same outcome the first that makes the sets in the order in which they lie."""
    kept: dict[object, Node] = {}
    for node in reversed(done):
        other = kept.get(outcome := _outcome(node))
        if other is None or crossed(node.state, seen.meld_added) <= crossed(other.state, seen.meld_added):
            kept[outcome] = node
    return tuple(node.path for node in kept.values())[::-1]


def _outcome(node: Node) -> object:
    """What distinguishes two readings: the events and the table, but not the order of sets and draws."""
    state = node.state
    hands = tuple((hand.concealed, frozenset(hand.melds)) for hand in state.hands)
    return frozenset(node.path), state.phase, state.turn, state.ponds, hands, state.result
