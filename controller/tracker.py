"""From what lies on the table to what has happened: events, or a problem for people. Pure.

The tracker keeps what was seen, and compares it with what the rules' state says lies there whenever the
whole table was still and read completely; a plain discard is told before (`tracker_ahead`). It compares
pictures of the table, it does not count changes: what was misread for a moment leaves no trace. Which plays
account for a difference is the rules' to say; exactly one is taken, none or several get some time to become
clear and are then a problem.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import Final

from controller.doubts import Problem, events_candidate, revised_candidate
from controller.models import TableModel
from controller.tracker_ahead import Ahead
from controller.tracker_decision import Decision, Patience
from controller.tracker_difference import Difference, difference
from controller.tracker_keys import Keys
from controller.tracker_past import Past, Revision
from controller.tracker_problems import ABANDON, GO_ON, MOST_CANDIDATES, ends, false_wins, problem_of
from controller.tracker_steps import (
    Steps,
    acts,
    came_in_order,
    first_orders,
    has_unseen_discard,
    is_blind,
    lies_as_told,
)
from controller.tracker_tracks import Track, Tracks
from controller.tracker_turns import turns
from controller.tracker_wins import Wins
from controller.tracker_zones import misread
from firmware_bridge.states import Key
from rules.events import Claimed, Discarded, Event, Won
from rules.explain import Seen, explain
from rules.explain_turns import Turns
from rules.ruleset import RuleSet
from rules.state import Phase, TableState
from rules.tiles import SEATS, Seat, Tile
from vision.observations import CameraLost, Observation
from vision.zones import ZoneKind

__all__ = ["ABANDON", "GO_ON", "Decision", "Patience", "Tracker"]

MOST_UNSURE: Final = 2
"""With more unread tiles than this only another look helps."""

LONGEST: Final = 4.0
"""A changing puzzle is a problem after so many times the patience with a standing one."""


WAIT: Final = Decision()


@dataclass(slots=True)
class Tracker:
    """The eyes' memory of one table, and since when something is not understood."""

    model: TableModel
    rules: RuleSet
    patience: Patience
    tells_ahead: bool = False
    tracks: Tracks = field(init=False)
    keys: Keys = field(default_factory=Keys)
    _steps: Steps = field(init=False)
    _ahead: Ahead = field(init=False)
    _compared: tuple[TableState, int, Difference] | None = None
    _puzzle: object = None
    _since: float = 0.0
    _first: float = 0.0
    _asked: tuple[TableState, Seen, tuple[Track, ...]] | None = None
    _told: tuple[tuple[Event, ...], ...] = ()
    _unseen: Turns = field(default_factory=Turns)
    _looked_back: object = None
    _other_pasts: tuple[Revision, ...] = ()
    _won_with: tuple[object, tuple[Event, ...], Problem] | None = None
    _inferring: object = None
    _inference: tuple[Tile, tuple[Event, ...]] | None = None

    def __post_init__(self) -> None:
        patience = self.patience
        look_s = patience.order_s if self.model.shares_pond else patience.look_s
        self.tracks = Tracks(self.model, look_s=look_s)
        self._steps = Steps(self.rules, self.model)
        self._ahead = Ahead(self.rules, self.model)

    def observe(self, observation: Observation, now: float) -> None:
        """Take an observation into account that has come in just now (seconds)."""
        self.tracks.observe(observation, now)
        if isinstance(observation, CameraLost):
            # What takes long is only known while somebody looks.
            self._puzzle = None

    def key(self, key: Key, seat: int) -> None:
        """A key was pressed at a seat: it may say what the table leaves open."""
        if seat in SEATS and self.keys.press(key, Seat(seat)):
            self._asked = None

    def tiles_leave(self) -> None:
        """All tiles are in the machine now: what is still known to lie there is left from the last hand."""
        self.tracks.forget()
        self.keys.forget()
        self._ahead.forget()
        self._puzzle = None

    @property
    def open_hands(self) -> tuple[int, ...]:
        """The seats whose hand lay open at the last look that was compared."""
        return () if self._compared is None else tuple(int(seat) for seat, _ in self._compared[2].seen.shown)

    def under(self, rules: RuleSet) -> "Tracker":
        """The same eyes for a game by other rules; between two deals."""
        other = Tracker(self.model, rules, self.patience, tells_ahead=self.tells_ahead)
        other.tracks, other.keys = self.tracks, self.keys
        return other

    def blind(self) -> "Tracker":
        """Eyes for the same game that have seen nothing."""
        return Tracker(self.model, self.rules, self.patience, tells_ahead=self.tells_ahead)

    def opener(self) -> int | None:
        """The seat that has laid the first tile of a deal; numbers of tiles grow as they come."""
        lying = self.tracks.lying() if self.tracks.settled else ()
        played = [track for track in lying if track.spot.kind in {ZoneKind.POND, ZoneKind.MELD}]
        return min(played, key=lambda track: track.id).spot.seat if played else None

    def decide(self, state: TableState, now: float, *, ended: bool = False, ahead: bool = False) -> Decision:
        """Compare the table with the state; `ended`: people say that the hand is over (lift key).

        `ahead`: nothing is in doubt, so a discard may be told before the whole table is at rest.
        """
        if state.phase in {Phase.READY, Phase.OVER}:
            return WAIT
        if not self.tracks.settled:
            ahead = ahead and self.tells_ahead and not ended
            return self._ahead.tell(state, self.tracks) if ahead else WAIT
        before = self._ahead.before(state)
        decision = self._at_rest(before, now, ended=ended)
        if before is state:
            return decision
        return self._ahead.decided(state, decision) or self._at_rest(state, now, ended=ended)

    def _at_rest(self, state: TableState, now: float, *, ended: bool) -> Decision:
        """Compare the whole table, at rest, with the state."""
        found = self._difference(state)
        if ended:
            found = replace(found, seen=replace(found.seen, ended=True))
        seen = found.seen
        if seen == Seen() and found.problem is None:
            return self._agreed(found, now)
        if found.problem is not None:
            return self._unreadable(state, found, found.problem, now)
        asked = (state, seen, self.tracks.lying())
        if self._asked != asked:
            self._asked, self._told, self._unseen = asked, self._ways(state, found), Turns()
            if not self._is_only(self._told, found) and not self.model.shares_pond:
                self._unseen = turns(self.tracks, state, found, self.rules, self.model)
        if self._is_only(self._told, found):
            return self._certain(self._told[0], found, now, ended=ended)
        if self._unseen.ways:
            return self._caught_up(state, found, now)
        if found.thrown_together and len(self._told) > 1:
            return self._unordered(first_orders(self._told, found), found, now)
        trouble = problem_of(found, self._told or false_wins(state, found, self.rules))
        return self._puzzled(state, found, trouble, now)

    def _unordered(self, orders: tuple[tuple[Event, ...], ...], found: Difference, now: float) -> Decision:
        """Nobody has seen which discard was the first: that does not become clear, however play goes on."""
        if len(orders) == 1:
            return self._certain(orders[0], found, now, ended=False)
        trouble = problem_of(found, orders)
        again_at = self._waited(trouble.zh, now, self.patience.order_s)
        return Decision(problem=trouble) if again_at is None else Decision(again_at=again_at)

    def _is_only(self, ways: tuple[tuple[Event, ...], ...], found: Difference) -> bool:
        return len(ways) == 1 and self._in_order(ways[0], found)

    def _caught_up(self, state: TableState, found: Difference, now: float) -> Decision:
        """Of unseen turns one account is taken when it has stood; of several, later plays tell which."""
        ways, patience = self._unseen.ways, self.patience
        if len(ways) == 1 and self._unseen.complete:
            again_at = self._waited(("unseen turns", state), now, patience.past_s)
            if again_at is not None:
                return Decision(again_at=again_at)
            return replace(self._taken(ways[0]), unseen=True)
        waits = self._unseen.complete and not any(map(ends, ways))
        trouble = problem_of(found, ways)
        return self._puzzled(state, found, trouble, now, patience.unseen_s if waits else patience.claim_s)

    def _unreadable(self, state: TableState, found: Difference, trouble: Problem, now: float) -> Decision:
        """The rules can't be asked; when patience ends, what an unread tile may be is worked out once."""
        inferred = self._inferred(state, found)
        if inferred is not None:
            return self._certain(inferred, found, now, ended=False)
        if not found.unsure:
            return self._puzzled(state, found, trouble, now)
        decision = self._doubtful(found, trouble, now)
        if decision.problem is None:
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
        if self._compared is None or self._compared[:2] != (state, self.tracks.version):
            found = difference(self.tracks, lying, state, self.rules, self.model)
            self._compared = state, self.tracks.version, found
        return self._compared[2]

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
        if found.too_much:
            return ()
        ways = explain(state, seen, self.rules)
        if not ways and seen.ended:
            # Whoever wins may press the key: it says nothing beside the hand laid open.
            laid = explain(state, replace(seen, ended=False), self.rules)
            ways = tuple(way for way in laid if way and isinstance(way[-1], Won))
        if len(ways) == 1 and acts(ways[0]) == 1 and found.tells(ways[0]):
            return ways
        stepwise = self._steps.way(self.tracks, state)
        if stepwise and self._is_seen(stepwise[0], found):
            return stepwise
        return self.keys.chosen(way for way in ways if self._is_told(way, found))

    def _is_seen(self, way: tuple[Event, ...], found: Difference) -> bool:
        """Whether the moments at which tiles came tell their order."""
        seen = not is_blind(way, self.tracks, found)
        return seen and (self.model.shares_pond or lies_as_told(way, self.tracks, found, self.model))

    def _is_told(self, way: tuple[Event, ...], found: Difference) -> bool:
        """Whether tiles or keys tell every discard that was claimed before it was seen."""
        by_key = (
            discard.seat
            for discard, claim in pairwise(way)
            if isinstance(discard, Discarded) and self.keys.tell(claim)
        )
        return found.tells(way, frozenset(by_key))

    def _in_order(self, way: tuple[Event, ...], found: Difference) -> bool:
        """Whether the play happened so, by the order in which its tiles came."""
        if is_blind(way, self.tracks, found):
            # The shortest account is one of several: a claim may have been made in another turn.
            return False
        return came_in_order(way, self.tracks, found, self.model)

    def bind(self, state: TableState) -> None:
        """People have said what happened: tiles that could not be read are what the state says is there."""
        self.tracks.bind(self._difference(state).unread)
        self._puzzle = None

    def insist(self, state: TableState) -> None:
        """People have corrected what was told: tiles in the places of others were misread."""
        lying = self.tracks.lying()
        faces = dict(misread(self.tracks, lying, state, self.model))
        turned = [track for track in lying if track.spot.kind is ZoneKind.INDICATOR]
        if len(turned) == 1 and state.indicator is not None:
            faces[turned[0].id] = state.indicator
        self.tracks.overrule(faces)
        self._puzzle = None

    def retell(self) -> None:
        """People have said that it was otherwise: the table is compared anew."""
        self.tracks.retell()
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
        if isinstance(last, Discarded) and self.model.shares_pond and not ended:
            rests = self._rests(events, now)
            return self._taken(events) if rests is None else Decision(again_at=rests)
        if isinstance(last, Won) and self.keys.tell(last):
            wait_s = 0.0
        elif isinstance(last, Won) and any(len(tiles) < len(last.hand) for _, tiles in shown):
            wait_s = self.patience.win_s
        again_at = self._waited(events, now, wait_s) if wait_s and not ended else None
        if again_at is not None:
            return Decision(again_at=again_at)
        return self._taken(events)

    def _rests(self, events: tuple[Event, ...], now: float) -> float | None:
        """None where a discard in a common pond has been the next for a while, else when it will be."""
        if self._puzzle != events:
            self._stands(events, now)
        until = self._since + self.patience.order_s
        return None if now >= until else until

    def _taken(self, events: tuple[Event, ...]) -> Decision:
        self._puzzle = None
        self.keys.forget()
        return Decision(events=events)

    def _puzzled(
        self, state: TableState, found: Difference, trouble: Problem, now: float, long_s: float | None = None
    ) -> Decision:
        """No play from here accounts for the table: one that was told was none, or people decide.

        They are asked after `long_s` seconds, else as soon as half done plays would be done.
        """
        patience = self.patience
        long_s = patience.claim_s if long_s is None else long_s
        stands = self._stands((found.seen, trouble.en), now)
        revisions = self._revisions(state, stands)
        for revision in revisions:
            if self._is_proven(revision, revisions, stands, now):
                self._puzzle = None
                self.keys.forget()
                return Decision(revision.events, revision.kept)
        if stands < long_s:
            waits = [patience.reread_s, patience.past_s, long_s]
            again_at = now + min(wait - stands for wait in waits if wait > stands)
            return Decision(again_at=min(again_at, now + patience.reread_s) if revisions else again_at)
        if not trouble.candidates and revisions:
            others = revisions[:MOST_CANDIDATES]
            choices = tuple(revised_candidate(state.log, other.kept, other.events) for other in others)
            trouble = replace(trouble, candidates=choices)
        elif found.seen.shown:
            proven, trouble = self._with_wins(state, found, trouble)
            if proven and not revisions:
                return self._taken(proven)
        return Decision(problem=trouble, again_at=now + patience.reread_s if revisions else None)

    def _with_wins(
        self, state: TableState, found: Difference, trouble: Problem
    ) -> tuple[tuple[Event, ...], Problem]:
        """The win that was not read, if the table proves it, and the question which win it is, if any."""
        asked = (state, self.tracks.version, trouble)
        if self._won_with is None or self._won_with[0] != asked:
            wins = Wins(self.tracks, self.model, self.rules)
            self._won_with = asked, wins.proven(state, found), wins.asked(state, found, trouble)
        return self._won_with[1:]

    def _revisions(self, state: TableState, stands: float) -> tuple[Revision, ...]:
        """Other pasts that account for the table; the further back, the later they are looked for."""
        if stands < self.patience.reread_s:
            return ()
        late = stands >= self.patience.past_s
        asked = (state, self.tracks.version, late)
        if self._looked_back != asked:
            self._looked_back = asked
            past = Past(self.tracks, self.model, self.rules)
            self._other_pasts = past.rereadings(state) or (past.taken_back(state) if late else ())
        return self._other_pasts

    def _is_proven(self, revision: Revision, among: tuple[Revision, ...], stands: float, now: float) -> bool:
        """Whether the table leaves no doubt of another past; of one that ends the deal at once later."""
        if len(among) > 1 or (ends(revision.events) and stands < self.patience.claim_s):
            return False
        if self.model.shares_pond and acts(revision.events) > 1:
            # Every discard after the one told otherwise would become another's.
            return False
        if revision.reread is None:
            return True
        track, was = revision.reread
        if revision.last and self.tracks.was_empty(track):
            # He has taken his discard back and laid another.
            return stands >= self.patience.past_s
        before = self.tracks.read_so_far(track, was, now)
        stood = self.tracks.read_so_far(track, track.tile, now)
        return before < self.patience.known_s and stood >= max(self.patience.reread_s, 2 * before)

    def _doubtful(self, found: Difference, trouble: Problem, now: float) -> Decision:
        again_at = self._waited((found.seen, trouble.en), now, self.patience.claim_s)
        return Decision(problem=trouble) if again_at is None else Decision(again_at=again_at)

    def _waited(self, puzzle: object, now: float, long_s: float) -> float | None:
        """None when the same puzzle has stood for so long, else the time when it will have."""
        stands = self._stands(puzzle, now)
        return None if stands >= long_s else now + long_s - stands

    def _stands(self, puzzle: object, now: float) -> float:
        """For how many seconds the same puzzle has stood.

        Puzzles that follow each other without the table ever being understood are one after a while.
        """
        if self._puzzle is None:
            self._first = now
        if self._puzzle != puzzle:
            self._puzzle, self._since = puzzle, now
        return max(now - self._since, (now - self._first) / LONGEST)
