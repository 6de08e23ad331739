"""From what lies on the table to what has happened: events, or a problem for people. Pure.

The tracker keeps what was seen, and compares it with what the rules' state says lies there whenever the
whole table was still and read completely. It compares pictures of the table, it does not count changes: what
was misread for a moment leaves no trace. Which plays account for a difference is the rules' to say; exactly
one is taken, none or several get some time to become clear and are then a problem.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final

from controller.doubts import Candidate, DoubtKind, Problem, events_candidate, problem
from controller.models import TableModel
from controller.tracker_difference import Difference, difference
from controller.tracker_steps import Steps, acts, has_unseen_discard, in_order
from controller.tracker_tracks import Track, Tracks
from rules.events import Claimed, Event, FalseWin, IllegalEvent, Won
from rules.explain import Seen, explain
from rules.ruleset import RuleSet
from rules.state import Phase, TableState
from rules.table import apply
from rules.tiles import Tile
from vision.observations import CameraLost, Observation
from vision.zones import ZoneKind

MOST_CANDIDATES: Final = 6
"""More possibilities than this are no help to anybody who has to choose."""

MOST_UNSURE: Final = 2
"""With more unread tiles than this only another look helps."""

LONGEST: Final = 4.0
"""A changing puzzle is a problem after so many times the patience with a standing one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Seconds the tracker waits.

    Attributes:
        claim_s: for something half done to become a play that can be told.
        set_s: for a set that was just laid to become a larger one, before it counts as what it is.
        win_s: for a thirteenth-tile hand laid open to be completed by a drawn tile, before the last discard
            counts as the winning tile.
    """

    claim_s: float = 4.0
    set_s: float = 0.8
    win_s: float = 1.5


@dataclass(frozen=True, slots=True)
class Decision:
    """What the tracker made of the table.

    `events` happened, in this order. `problem` could not be told. `agrees`: what lies there is what the state
    says. `again_at`: when time alone changes the answer (seconds).
    """

    events: tuple[Event, ...] = ()
    problem: Problem | None = None
    agrees: bool = False
    again_at: float | None = None


WAIT: Final = Decision()
ABANDON: Final = Candidate("放弃这一局 (abandon the hand)")
GO_ON: Final = Candidate("继续打 (play on)")


@dataclass(slots=True)
class Tracker:
    """The eyes' memory of one table, and since when something is not understood."""

    model: TableModel
    rules: RuleSet
    patience: Patience
    tracks: Tracks = field(init=False)
    _steps: Steps = field(init=False)
    _puzzle: object = None
    _since: float = 0.0
    _first: float = 0.0
    _asked: tuple[TableState, Seen, tuple[Track, ...]] | None = None
    _told: tuple[tuple[Event, ...], ...] = ()
    _inferring: object = None
    _inference: tuple[Tile, tuple[Event, ...]] | None = None

    def __post_init__(self) -> None:
        self.tracks = Tracks(self.model)
        self._steps = Steps(self.rules, self.model)

    def observe(self, observation: Observation) -> None:
        """Take an observation into account."""
        self.tracks.observe(observation)
        if isinstance(observation, CameraLost):
            # What takes long is only known while somebody looks.
            self._puzzle = None

    def tiles_leave(self) -> None:
        """All tiles are in the machine now: what is still known to lie there is left from the last hand."""
        self.tracks.forget()
        self._puzzle = None

    def opener(self) -> int | None:
        """The seat that has laid the first tile of a deal; numbers of tiles grow as they come."""
        lying = self.tracks.lying() if self.tracks.settled else ()
        played = [track for track in lying if track.spot.kind in {ZoneKind.POND, ZoneKind.MELD}]
        return min(played, key=lambda track: track.id).spot.seat if played else None

    def decide(self, state: TableState, now: float, *, ended: bool = False) -> Decision:
        """Compare the table with the state; `ended`: people say that the hand is over (lift key)."""
        if not self.tracks.settled or state.phase in {Phase.READY, Phase.OVER}:
            return WAIT
        found = self._difference(state)
        found = replace(found, seen=replace(found.seen, ended=ended))
        seen = found.seen
        if seen == Seen() and found.problem is None:
            return self._agreed(found, now)
        if found.problem is not None:
            return self._unreadable(state, found, found.problem, now)
        asked = (state, seen, self.tracks.lying())
        if self._asked != asked:
            self._asked, self._told = asked, self._ways(state, found)
        ways = self._told
        if len(ways) == 1 and self._in_order(ways[0], found):
            return self._certain(ways[0], found, now, ended=ended)
        return self._doubtful(found, _problem_of(found, ways or self._false_wins(state, found)), now)

    def _false_wins(self, state: TableState, found: Difference) -> tuple[tuple[Event, ...], ...]:
        """What people may confirm of hands that were laid open and do not win, if the rules fine it."""
        events = tuple(FalseWin(seat, tuple(sorted(tiles))) for seat, tiles in found.seen.shown)
        return tuple((event,) for event in events if self._is_legal(state, event))

    def _is_legal(self, state: TableState, event: Event) -> bool:
        try:
            apply(state, event, self.rules)
        except IllegalEvent:
            return False
        return True

    def _unreadable(self, state: TableState, found: Difference, trouble: Problem, now: float) -> Decision:
        """The rules can't be asked; when patience ends, what an unread tile may be is worked out once."""
        inferred = self._inferred(state, found)
        if inferred is not None:
            return self._certain(inferred, found, now, ended=False)
        decision = self._doubtful(found, trouble, now)
        if decision.problem is None or not found.unsure:
            return decision
        asked = (state, found.seen, self.tracks.lying())
        if self._asked != asked:
            self._asked, self._told = asked, self._readings(state, found)
        choices = tuple(map(events_candidate, self._told[:MOST_CANDIDATES]))
        return Decision(problem=replace(trouble, candidates=choices))

    def _difference(self, state: TableState, faces: Mapping[int, Tile] | None = None) -> Difference:
        """What differs, if unread tiles have the given faces."""
        lying = self.tracks.lying()
        if faces:
            lying = tuple(replace(t, tile=faces[t.id]) if t.id in faces else t for t in lying)
        return difference(self.tracks, lying, state, self.rules, self.model)

    def _explained(self, state: TableState, faces: Mapping[int, Tile]) -> tuple[tuple[Event, ...], ...]:
        """What happened if unread tiles have the given faces."""
        found = self._difference(state, faces)
        ways = () if found.problem is not None else explain(state, found.seen, self.rules)
        return tuple(way for way in ways if way)

    def _readings(self, state: TableState, found: Difference) -> tuple[tuple[Event, ...], ...]:
        """What happened if the unread tiles have one of their likeliest faces; not for many tiles."""
        if len(found.unsure) > MOST_UNSURE:
            return ()
        numbers = [track.id for track in found.unsure]
        readings = product(*(track.candidates for track in found.unsure))
        return tuple(
            way
            for reading in readings
            for way in self._explained(state, dict(zip(numbers, reading, strict=True)))
        )

    def _inferred(self, state: TableState, found: Difference) -> tuple[Event, ...] | None:
        """The only play there is, whatever the one unread tile of a new set is, if it may be that.

        Two tiles of a set and the discard that has gone leave no choice, so this is no guess.
        """
        if len(found.unsure) != 1 or found.unsure[0].spot.kind is not ZoneKind.MELD:
            return None
        (unread,) = found.unsure
        asked = (state, found.seen, self.tracks.lying(), "inferred")
        if self._inferring != asked:
            self._inferring = asked
            ways = [
                (tile, way) for tile in self.rules.copies for way in self._explained(state, {unread.id: tile})
            ]
            alone = len(ways) == 1 and ways[0][0] in unread.candidates and not has_unseen_discard(ways[0][1])
            self._inference = ways[0] if alone else None
        if self._inference is None:
            return None
        self.tracks.bind({unread.id: self._inference[0]})
        return self._inference[1]

    def _ways(self, state: TableState, found: Difference) -> tuple[tuple[Event, ...], ...]:
        """What may have happened; where it is more than one act, as the tiles came one after the other."""
        seen = found.seen
        ways = explain(state, seen, self.rules)
        if not ways and seen.ended:
            # Whoever wins may press the key: it says nothing beside the hand laid open.
            laid = explain(state, replace(seen, ended=False), self.rules)
            ways = tuple(way for way in laid if way and isinstance(way[-1], Won))
        if len(ways) == 1 and acts(ways[0]) == 1 and found.tells(ways[0]):
            return ways
        stepwise = self._steps.way(self.tracks, state)
        return stepwise or tuple(filter(found.tells, ways))

    def _in_order(self, way: tuple[Event, ...], found: Difference) -> bool:
        """Whether the play may have happened so, by the order in which its tiles came.

        Later tiles may make a play out of what was misread; only their order shows that it is none.
        """
        new = [track for track in self.tracks.lying() if track.id not in found.matched]
        return in_order(way, self.tracks, new)

    def bind(self, state: TableState) -> None:
        """People have said what happened: tiles that could not be read are what the state says is there."""
        self.tracks.bind(self._difference(state).unread)
        self._puzzle = None

    def _agreed(self, found: Difference, now: float) -> Decision:
        self.tracks.remember(found.matched)
        if found.displaced is not None:
            waited = self._waited(("displaced", found.displaced.en), now, self.patience.claim_s)
            return (
                Decision(problem=found.displaced)
                if waited is None
                else Decision(agrees=True, again_at=waited)
            )
        self._puzzle = None
        return Decision(agrees=True)

    def _certain(self, events: tuple[Event, ...], found: Difference, now: float, *, ended: bool) -> Decision:
        """The only explanation; but what is laid tile by tile passes through less than it becomes."""
        last, shown = events[-1], found.seen.shown
        wait_s = self.patience.set_s if isinstance(last, Claimed) else 0.0
        if isinstance(last, Won) and any(len(tiles) < len(last.hand) for _, tiles in shown):
            wait_s = self.patience.win_s
        again_at = self._waited(events, now, wait_s) if wait_s and not ended else None
        if again_at is not None:
            return Decision(again_at=again_at)
        self._puzzle = None
        return Decision(events=events)

    def _doubtful(self, found: Difference, trouble: Problem, now: float) -> Decision:
        again_at = self._waited((found.seen, trouble.en), now, self.patience.claim_s)
        return Decision(problem=trouble) if again_at is None else Decision(again_at=again_at)

    def _waited(self, puzzle: object, now: float, long_s: float) -> float | None:
        """None when the same puzzle has stood for so long, else the time when it will have.

        Puzzles that follow each other without the table ever being understood are one after a while.
        """
        if self._puzzle is None:
            self._first = now
        if self._puzzle != puzzle:
            self._puzzle, self._since = puzzle, now
        until = min(self._since + long_s, self._first + LONGEST * long_s)
        return None if now >= until else until


def _problem_of(found: Difference, ways: Iterable[tuple[Event, ...]]) -> Problem:
    choices = tuple(events_candidate(way) for way in ways)
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
