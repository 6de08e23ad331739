"""A hand laid open that wins with no tile that was read: which tiles it may have won with. Pure.

A discard that was won at once may never have been read, or not as what it was. Of a win money depends, so
nothing is taken for certain here but what the table proves: people choose, and the likeliest comes first.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from controller.doubts import SEAT_NAMES, Candidate, DoubtKind, Problem, events_candidate, problem
from controller.models import TableModel
from controller.tracker_difference import Difference, difference
from controller.tracker_steps import came_in_order
from controller.tracker_tracks import Track, Tracks
from controller.tracker_zones import thrown_last
from rules.events import Discarded, Event, IllegalEvent, Won
from rules.explain import Seen, explain, proven_win, refused_wins, unread_wins
from rules.ruleset import RuleSet
from rules.state import TableState
from rules.table import apply, new_table
from rules.tiles import Tile

UNTOLD: Final = 0.002
"""The probability of a face that the camera does not name."""

NO_WIN: Final = 0.01
"""How often a hand is laid open that does not win, in the same measure."""

MOST: Final = 6
"""More tiles than these are no help to anybody who has to choose."""

Weighed = list[tuple[Candidate, float]]


@dataclass(frozen=True, slots=True)
class Wins:
    """What the last discard may have been, if it was won."""

    tracks: Tracks
    model: TableModel
    rules: RuleSet

    def asked(self, state: TableState, found: Difference, trouble: Problem) -> Problem:
        """The question which tile was won with, the likeliest first, then what else `trouble` offers.

        With no tile it is `trouble` itself; of hands that were laid open and do not win, with the evidence.
        """
        weighed, others = self._unread(state, found) or self._misread(state), trouble.candidates
        if not weighed and trouble.kind is DoubtKind.SHOWN:
            zh, en = with_evidence(found, state, self.rules)
            return problem(DoubtKind.SHOWN, zh=zh, en=en, candidates=others)
        if not weighed:
            return trouble
        weighed = _each_once(weighed)
        weighed.sort(key=lambda pair: -pair[1])
        total = sum(weight for _, weight in weighed) + NO_WIN
        wins = [replace(candidate, likelihood=weight / total) for candidate, weight in weighed[:MOST]]
        rest = [replace(other, likelihood=NO_WIN / total / len(others)) for other in others]
        tiles = dict.fromkeys(map(_tile, wins))
        zh, en = "、".join(tile.zh for tile in tiles), ", ".join(map(str, tiles))
        return problem(DoubtKind.WINNING_TILE, zh=zh, en=en, candidates=(*wins, *rest))

    def proven(self, state: TableState, found: Difference) -> tuple[Event, ...]:
        """The only win there can be with a discard that nobody read; empty where there are others."""
        way = proven_win(state, _laid(found), self.rules)
        return way if way and came_in_order(way, self.tracks, found, self.model) else ()

    def _unread(self, state: TableState, found: Difference) -> Weighed:
        """Wins with a discard that never lay there to be read and is now among the shown tiles."""
        weighed: Weighed = []
        for way in unread_wins(state, _laid(found), self.rules):
            won = way[-1]
            if isinstance(won, Won) and len(way) > 1 and isinstance(way[-2], Discarded):
                apart = found.seen.apart is not None
                weight = 1.0 if apart else won.hand.count(won.tile) / len(won.hand)
                weighed.append((events_candidate(way), weight))
        return weighed

    def _misread(self, state: TableState) -> Weighed:
        """Wins with the last discard, if it is another tile than was read."""
        told, place = state.log[-1], len(state.log) - 1
        if not isinstance(told, Discarded):
            return []
        track = self._lies(told)
        before = self._told(state.log[:place])
        if track is None or before is None:
            return []
        chances = dict(track.chances)
        return [
            (replace(events_candidate(way), kept=place), chances.get(tile, UNTOLD))
            for tile in self.rules.copies
            if tile is not told.tile and (way := self._win(before, track, tile)) is not None
        ]

    def _lies(self, told: Discarded) -> Track | None:
        """The last tile of the discarder's pond, if it is the one that was told."""
        return thrown_last(self.tracks.lying(), told.seat, told.tile, self.model)

    def _win(self, before: TableState, track: Track, tile: Tile) -> tuple[Event, ...] | None:
        """The win with that discard, if its face was this one."""
        lying = tuple(replace(t, tile=tile) if t is track else t for t in self.tracks.lying())
        found = difference(self.tracks, lying, before, self.rules, self.model)
        ways = () if found.problem is not None else explain(before, found.seen, self.rules)
        won = [way for way in ways if way and isinstance(way[-1], Won) and way[-1].tile is tile]
        return won[0] if len(won) == 1 else None

    def _told(self, log: Iterable[Event]) -> TableState | None:
        try:
            return reduce(lambda state, event: apply(state, event, self.rules), log, new_table(self.rules))
        except IllegalEvent:
            return None


def _each_once(weighed: Weighed) -> Weighed:
    """Each choice once, as likely as all the ways to it."""
    weights: dict[Candidate, float] = {}
    for candidate, weight in weighed:
        weights[candidate] = weights.get(candidate, 0.0) + weight
    return list(weights.items())


def with_evidence(found: Difference, state: TableState, rules: RuleSet) -> tuple[str, str]:
    """What lies open, and what speaks against its being a win: a tile too many or too few, a lost right."""
    zh, en = (list[str](), list[str]())
    for words in (found.in_words(), *_sizes(found, state), *_reasons(found, state, rules)):
        zh.append(words[0])
        en.append(words[1])
    return "；".join(zh), "; ".join(en)


def _sizes(found: Difference, state: TableState) -> list[tuple[str, str]]:
    """Hands laid open that do not hold as many tiles as they should."""
    told = []
    for seat, tiles in found.seen.shown:
        held, shown = len(state.hands[seat].concealed), len(tiles)
        # With the tile that was won there is one more, if it was not his turn.
        expected = {held} if seat is state.turn and state.drawn is not None else {held, held + 1}
        if shown not in expected:
            few = shown < min(expected)
            zh = f"{SEAT_NAMES[seat]}{'小' if few else '大'}相公：应有{max(expected)}张，亮出{shown}张"
            name = f"seat {int(seat) + 1}"
            en = f"{name} holds a tile too {'few' if few else 'many'}: {shown} instead of {max(expected)}"
            told.append((zh, en))
    return told


def _reasons(found: Difference, state: TableState, rules: RuleSet) -> list[tuple[str, str]]:
    """Why the rules refuse the wins that lie open; a reason may have words in Chinese before its English."""
    told = []
    for won, reason in refused_wins(state, _laid(found), rules):
        zh, _, en = reason.rpartition(" / ")
        told.append((f"{SEAT_NAMES[won.seat]}：{zh or en}", f"seat {int(won.seat) + 1}: {en}"))
    return told


def _laid(found: Difference) -> Seen:
    """What lies there: whoever wins may press the key, that says nothing beside the hand laid open."""
    return replace(found.seen, ended=False)


def _tile(candidate: Candidate) -> Tile:
    won = candidate.events[-1]
    return won.tile if isinstance(won, Won) else Tile.UNKNOWN
