"""Which plays account for many turns that nobody has seen: the table of now against the table of long ago.

`explain` looks for the shortest account of a few moves. After a camera was dark, or the machine was, a dozen
turns may have passed. Their tiles still tell much: each pond keeps the order of its seat's discards, the
turns tell how the ponds interlock, and a claimed tile lies across in its set where it came from. What is left
open is mostly in which round a set was made, and that seldom matters. So all accounts are followed at once,
and those that have become the same to the rules are one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from rules.events import Claimed, Discarded, IllegalEvent, KongDeclared, MeldKind, Won
from rules.explain_seen import Claim, Seen, Traces
from rules.explain_steps import Lies, Node, crossed, is_explained, less, may_be_told, open_discard, steps
from rules.scoring import Unsettled, settle
from rules.state import Phase, TableState
from rules.tiles import Tile
from rules.transitions import apply

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from rules.events import Event
    from rules.explain_seen import Ages, Group
    from rules.explain_steps import Step
    from rules.ruleset import RuleSet
    from rules.tiles import Seat

MOST_STEPS: Final = 5000
"""Applied events after which turns count as not to be told, see `Turns.complete`."""


@dataclass(frozen=True, slots=True)
class Turns:
    """The accounts that differ in something that matters, one of each.

    Where not `complete`, there may be others: the search was given up, or the rules refuse in some order of
    events what they allow in another.
    """

    ways: tuple[tuple[Event, ...], ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class _Age:
    """What is known of the time of the last events.

    Nothing that was seen before `floor` may come any more. `claimed` is who claimed last, and a floor that
    holds for all but his next discard: he may lay that before his set.
    """

    floor: int = 0
    claimed: Seat | None = None
    later: int = 0

    def after(self, event: Event, ages: Ages | None) -> _Age | None:
        """After an event whose tiles were first seen at these ages; None where it came too late for that."""
        if ages is None:
            return self
        own = isinstance(event, Discarded) and event.seat is self.claimed
        if ages[1] < (self.floor if own else max(self.floor, self.later)):
            return None
        if isinstance(event, Claimed):
            return _Age(max(self.floor, self.later), event.seat, ages[0])
        return _Age(max(self.floor, self.later, ages[0]))


@dataclass(frozen=True, slots=True)
class _Turn:
    node: Node
    age: _Age


def explain_turns(state: TableState, seen: Seen, traces: Traces, rules: RuleSet) -> Turns:
    """All accounts of `seen`, however many turns they take, as far as they differ in what matters.

    A deal that is won matters by its account; one that goes on by its public table and by what the rules
    remember of its log (`RuleSet.remembers`).
    """
    if state.phase is Phase.OVER or not may_be_told(state, seen):
        return Turns()
    search = _Search(rules, traces, seen)
    found = search.follow(state)
    return Turns(tuple(found.values()), complete=search.complete)


@dataclass(slots=True)
class _Search:
    rules: RuleSet
    traces: Traces
    seen: Seen
    complete: bool = True
    budget: int = MOST_STEPS

    def follow(self, state: TableState) -> dict[Hashable, tuple[Event, ...]]:
        """By what matters of it, a way to each end."""
        level: dict[Hashable, _Turn] = {None: _Turn(Node(state, self.seen, Lies.BEFORE, ()), _Age())}
        found: dict[Hashable, _Turn] = {}
        refused: set[Hashable] = set()
        won: set[Hashable] = set()
        while level:
            following: dict[Hashable, _Turn] = {}
            for turn in level.values():
                for event, rest, lies in self._steps(turn.node):
                    age = turn.age.after(event, self._ages(turn.node, event, rest))
                    if age is None:
                        continue
                    self.budget -= 1
                    if self.budget < 0:
                        self.complete = False
                        return {}
                    try:
                        after = apply(turn.node.state, event, self.rules)
                    except IllegalEvent:
                        refused.add(_moment(turn.node.state, event))
                        continue
                    node = Node(after, rest, lies, (*turn.node.path, event))
                    if is_explained(node):
                        won.add(_moment(turn.node.state, event) or event)
                        self._keep(found, self._matter(after), _Turn(node, age))
                    else:
                        self._keep(following, self._key(node, age), _Turn(node, age))
            level = following
        self.complete = won.isdisjoint(refused)
        return {matter: turn.node.path for matter, turn in found.items()}

    def _keep(self, kept: dict[Hashable, _Turn], what: Hashable, turn: _Turn) -> None:
        """Of accounts that are the same to the rules, the one that makes the sets as they lie in a row."""
        other, row = kept.get(what), self.seen.meld_added
        if other is None or crossed(turn.node.state, row) < crossed(other.node.state, row):
            kept[what] = turn

    def _steps(self, node: Node) -> Iterator[Step]:
        """The events that may come next, and claims only as the tiles of their sets tell them."""
        for event, rest, lies in steps(node, unseen=True):
            if isinstance(event, Claimed) or (isinstance(event, Discarded) and lies is Lies.NEVER):
                continue
            yield event, rest, lies
        if node.state.phase is Phase.TURN:
            for tile in sorted(self._taken_from(node)):
                yield Discarded(node.state.turn, tile), node.rest, Lies.NEVER
        elif node.state.phase is Phase.CLAIM:
            yield from self._claims(node)

    def _taken_from(self, node: Node) -> set[Tile]:
        """The tiles that the seat on turn may have discarded and others have taken for their sets."""
        return {
            claim.taken
            for group in node.rest.meld_added
            for claim in self._told(group)
            if claim.giver is node.state.turn
        }

    def _claims(self, node: Node) -> Iterator[Step]:
        taken = open_discard(node)
        if taken is None:
            return
        giver, tile, rest = taken
        for group in node.rest.meld_added:
            seat, tiles = group
            for claim in self._told(group):
                if (claim.giver, claim.taken) != (giver, tile):
                    continue
                left = less(rest.meld_added, group)
                if claim.size < len(tiles):
                    # The fourth tile was laid to it later.
                    left = (*left, (seat, tiles[: len(tiles) - claim.size]))
                kind = _kind(tiles, claim.size)
                event = Claimed(seat, kind, tuple(sorted(tiles[: claim.size])), tile, giver)
                yield event, replace(rest, meld_added=left), Lies.NOW

    def _told(self, group: Group) -> tuple[Claim, ...]:
        """How a set may have been claimed; by each of the others where its tiles tell nothing."""
        seat, tiles = group
        if len(tiles) < 3 or Tile.BACK in tiles:
            return ()
        told = self.traces.claims.get(group)
        if told is not None:
            return told
        same = len(set(tiles)) == 1
        sizes = (3, 4) if same and len(tiles) == 4 else (len(tiles),)
        others = (seat.next, seat.opposite, seat.previous)
        return tuple(
            Claim(tile, giver, size) for tile in sorted(set(tiles)) for giver in others for size in sizes
        )

    def _ages(self, node: Node, event: Event, rest: Seen) -> Ages | None:
        """The ages of the tiles that an event lays down, None where it lays none that is known."""
        if isinstance(event, Discarded):
            pond = self.traces.ponds.get(event.seat, ())
            left = sum(owner is event.seat for owner, _ in rest.pond_added)
            total = sum(owner is event.seat for owner, _ in node.rest.pond_added)
            place = len(pond) - total
            return (pond[place], pond[place]) if left < total and 0 <= place < len(pond) else None
        if isinstance(event, Claimed | KongDeclared):
            gone = [group for group in node.rest.meld_added if group not in rest.meld_added]
            return next((ages for group in gone if (ages := self._age_of(group)) is not None), None)
        return None

    def _age_of(self, group: Group) -> Ages | None:
        """The ages of a set; a fourth tile that is told apart from its set came with it or later."""
        ages = self.traces.sets.get(group)
        if ages is not None or len(group[1]) > 1:
            return ages
        whole = (seen for seen in self.traces.sets if seen[0] is group[0] and group[1][0] in seen[1])
        return next((self.traces.sets[seen] for seen in whole if len(seen[1]) == 4), None)

    def _key(self, node: Node, age: _Age) -> Hashable:
        state, rest = node.state, node.rest
        left = (rest.pond_removed, rest.meld_added, rest.shown, rest.apart, rest.ended, rest.meld_removed)
        return node.lies, age, left, _public(state), self.rules.remembers(state)

    def _matter(self, state: TableState) -> Hashable:
        """What of an account can make a difference."""
        if state.phase is not Phase.OVER or not isinstance(state.result, Won):
            return _public(state), self.rules.remembers(state)
        try:
            account = settle(state, self.rules)
        except Unsettled as question:
            return _public(state), str(question), self.rules.remembers(state)
        return _public(state), account.lines, account.payments


def _moment(state: TableState, event: Event) -> Hashable:
    """A win as it is declared, and by which right: what else refuses it in one order and not in another?"""
    return (event, state.phase, state.drawn) if isinstance(event, Won) else None


def _kind(tiles: tuple[Tile, ...], size: int) -> MeldKind:
    if len(set(tiles)) > 1:
        return MeldKind.CHI
    return MeldKind.KONG if size == 4 else MeldKind.PENG


def _public(state: TableState) -> Hashable:
    """The table without its log; sets in any order."""
    hands = tuple((hand.concealed, frozenset(hand.melds), hand.flowers) for hand in state.hands)
    left = (state.wall, state.drawn, state.last_discard, state.kongs, state.result)
    return state.phase, state.turn, hands, state.ponds, left
