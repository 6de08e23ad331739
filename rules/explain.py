"""Which legal events account for what has changed on the table.

A table shows discards, declared sets and hands laid open; draws are never seen. `explain` searches, event by
event, for the shortest sequences that use up everything that was seen and nothing else. It decides nothing:
several sequences are several readings of the same picture.

Two facts keep the search small and honest. The tiles of one pond lie in the order in which they were
discarded. And a discard that was never seen lying is assumed only where a set could not be claimed otherwise,
never for a win.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeVar

from rules.events import (
    Claimed,
    Discarded,
    Drew,
    Event,
    FlowerShown,
    IllegalEvent,
    IndicatorTurned,
    KongDeclared,
    MeldKind,
    WallExhausted,
    Won,
)
from rules.log import kong_to_rob
from rules.state import Phase, TableState
from rules.tiles import Seat, Tile
from rules.transitions import apply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.ruleset import RuleSet

MAX_STEPS: Final = 1500
"""Applied events after which a picture counts as unexplainable: about 50 ms, far beyond any real one."""

Placed = tuple[tuple[Seat, Tile], ...]
Groups = tuple[tuple[Seat, tuple[Tile, ...]], ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """The difference between what lies on the table and what a state says lies there.

    Attributes:
        pond_added: new tiles in ponds; those of one seat in the order in which they lie.
        pond_removed: tiles that are gone from ponds.
        meld_added: new sets, each with all its tiles; a concealed kong has tiles that are BACK. The
            fourth tile of an added kong is a group of its own, or the whole kong is given; so is a flower.
        shown: hands laid open, all their tiles: with the winning one, or without it where it lies elsewhere.
        apart: which tile of a shown hand is laid apart beside it; it is one of `shown`.
        indicator: the indicator, where it was turned up.
        ended: the players say that the deal is over (the table is cleared, the lift key was pressed).
        meld_removed: tiles that are gone from declared sets (a robbed kong's).
    """

    pond_added: Placed = ()
    pond_removed: Placed = ()
    meld_added: Groups = ()
    shown: Groups = ()
    apart: Tile | None = None
    indicator: Tile | None = None
    ended: bool = False
    meld_removed: Placed = ()


class _Lies(Enum):
    """Where the last discard, or the tile of a kong that may be robbed, was seen."""

    BEFORE = "before"
    """It lay there already: taking it leaves a gap that is seen."""
    NOW = "now"
    """It was seen for the first time, so nobody has taken it."""
    NEVER = "never"
    """It was not seen: somebody must have taken it."""


@dataclass(frozen=True, slots=True)
class _Node:
    state: TableState
    rest: Seen
    lies: _Lies
    path: tuple[Event, ...]


_Step = tuple[Event, Seen, _Lies]


def explain(state: TableState, seen: Seen, rules: RuleSet) -> tuple[tuple[Event, ...], ...]:
    """The shortest legal sequences of events that account for all of `seen`.

    Orders of the same events that lead to the same public table are given once. One empty sequence means that
    nothing has happened; no sequence that `seen` is unexplainable. After the end of a deal nothing counts.
    """
    if state.phase is Phase.OVER:
        return ((),)
    if not _may_have_gone(state, seen):
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
    if state.phase is Phase.OVER or not seen.shown or not _may_have_gone(state, seen):
        return ()
    return _search(state, seen, rules, _Beyond(unseen=True, won=True))


def refused_wins(state: TableState, seen: Seen, rules: RuleSet) -> tuple[tuple[Won, str], ...]:
    """The wins that the hands laid open would be, and why the rules refuse each."""
    beyond = _Beyond()
    if state.phase is not Phase.OVER and seen.shown and _may_have_gone(state, seen):
        _search(state, seen, rules, beyond)
    return tuple(beyond.refused.items())


def _may_have_gone(state: TableState, seen: Seen) -> bool:
    """Whether the tiles that are gone may have been taken: the last discard, or a robbed kong's tile."""
    robbed = kong_to_rob(state) if seen.meld_removed else None
    fourth = () if robbed is None else ((robbed.seat, robbed.tile),)
    last = () if state.last_discard is None else (state.last_discard,)
    return seen.pond_removed in {(), last} and seen.meld_removed in {(), fourth}


@dataclass(frozen=True, slots=True)
class _Beyond:
    """What is looked for beyond what lies there: discards that a set took (`unseen`) or a win (`won`) did.

    `refused` gathers the wins that the rules refuse, with the reason.
    """

    unseen: bool = False
    won: bool = False
    refused: dict[Won, str] = field(default_factory=dict)


def _search(state: TableState, seen: Seen, rules: RuleSet, beyond: _Beyond) -> tuple[tuple[Event, ...], ...]:
    level = [_Node(state, seen, _Lies.BEFORE, ())]
    budget = MAX_STEPS
    while level:
        done = [node for node in level if _is_explained(node)]
        if done:
            return tuple({_outcome(node): node.path for node in reversed(done)}.values())[::-1]
        following: list[_Node] = []
        for node in level:
            steps = _steps(node, unseen=beyond.unseen)
            for event, rest, lies in chain(steps, _unread(node)) if beyond.won else steps:
                budget -= 1
                if budget < 0:
                    return ()
                try:
                    after = apply(node.state, event, rules)
                except IllegalEvent as error:
                    if isinstance(event, Won):
                        beyond.refused[event] = str(error)
                    continue
                following.append(_Node(after, rest, lies, (*node.path, event)))
        level = following
    return ()


def _is_explained(node: _Node) -> bool:
    """Whether nothing is left; beside a winner's hand others may lie open."""
    if node.lies is _Lies.NEVER and node.state.phase is Phase.CLAIM:
        return False
    rest = node.rest
    if node.state.phase is Phase.OVER:
        rest = replace(rest, shown=())
    return rest == _NOTHING


_NOTHING: Final = Seen()


def _outcome(node: _Node) -> object:
    """What distinguishes two readings: the events and the table, but not the order of sets and draws."""
    state = node.state
    hands = tuple((hand.concealed, frozenset(hand.melds)) for hand in state.hands)
    return frozenset(node.path), state.phase, state.turn, state.ponds, hands, state.result


def _steps(node: _Node, *, unseen: bool) -> Iterator[_Step]:
    """The events that may come next, each with what then remains to be explained."""
    match node.state.phase:
        case Phase.DEALT:
            turned = node.rest.indicator
            if turned is not None:
                yield IndicatorTurned(turned), replace(node.rest, indicator=None), _Lies.BEFORE
        case Phase.TURN:
            yield from _steps_on_turn(node)
            if unseen:
                yield from _unseen_discards(node)
        case Phase.CLAIM:
            yield from _steps_on_discard(node, unseen=unseen)
        case Phase.DRAW:
            yield from _steps_on_kong(node)
        case _:
            return


def _steps_on_turn(node: _Node) -> Iterator[_Step]:
    seat, rest = node.state.turn, node.rest
    tile = next((tile for owner, tile in rest.pond_added if owner is seat), None)
    if tile is not None:
        left = replace(rest, pond_added=_less(rest.pond_added, (seat, tile)))
        yield Discarded(seat, tile), left, _Lies.NOW
    for group in rest.meld_added:
        event = _kong_of(node.state, group)
        if event is not None:
            yield event, replace(rest, meld_added=_less(rest.meld_added, group)), _Lies.NOW
    for owner, tiles in rest.meld_added:
        if len(tiles) == 1 and tiles[0].is_flower:
            left = replace(rest, meld_added=_less(rest.meld_added, (owner, tiles)))
            yield FlowerShown(owner, tiles[0]), left, _Lies.NOW
    for owner, hand, left in _shown_hands(node, extra=0):
        if owner is seat:
            drawn = Tile.UNKNOWN if rest.apart is None or node.state.drawn is None else rest.apart
            yield Won(seat, hand, drawn), left, _Lies.NOW


def _kong_of(state: TableState, group: tuple[Seat, tuple[Tile, ...]]) -> KongDeclared | None:
    """The kong that the player on turn declares by laying down these tiles, if they are one."""
    seat, tiles = group
    faces = set(tiles) - {Tile.BACK}
    if seat is not state.turn or len(faces) != 1:
        return None
    (face,) = faces
    melds = state.hands[seat].melds
    has_peng = any(meld.kind is MeldKind.PENG and meld.tiles[0] is face for meld in melds)
    if has_peng and Tile.BACK not in tiles and len(tiles) in {1, 4}:
        return KongDeclared(seat, MeldKind.ADDED_KONG, face)
    return KongDeclared(seat, MeldKind.CONCEALED_KONG, face) if len(tiles) == 4 else None


def _unread(node: _Node) -> Iterator[_Step]:
    """A discard that went from nowhere into a hand laid open, and the win with it."""
    state, rest = node.state, node.rest
    if state.phase is Phase.TURN:
        hands = (tiles for owner, tiles in rest.shown if owner is not state.turn)
        tiles = {tile for hand in hands for tile in hand}
        for tile in sorted({rest.apart} if rest.apart is not None else tiles):
            yield Discarded(state.turn, tile), rest, _Lies.NEVER
    elif state.phase is Phase.CLAIM and node.lies is _Lies.NEVER and state.last_discard is not None:
        giver, tile = state.last_discard
        for seat, hand, left in _shown_hands(node, extra=1):
            if seat is not giver and tile in hand:
                yield Won(seat, hand, tile, giver), left, _Lies.NOW


def _unseen_discards(node: _Node) -> Iterator[_Step]:
    """Discards that a later claim took before anybody saw them lie."""
    seat = node.state.turn
    taken = {
        tile
        for owner, tiles in node.rest.meld_added
        if owner is not seat and len(tiles) > 2 and Tile.BACK not in tiles
        for tile in tiles
    }
    for tile in sorted(taken):
        yield Discarded(seat, tile), node.rest, _Lies.NEVER


def _steps_on_discard(node: _Node, *, unseen: bool) -> Iterator[_Step]:
    yield from _claims(node)
    if node.lies is _Lies.NEVER:
        return
    yield from _wins_on_discard(node)
    rest = node.rest
    if rest.ended:
        yield WallExhausted(), replace(rest, ended=False), _Lies.NOW
    drawer = node.state.turn.next
    if unseen or _has_moved(rest, drawer):
        yield Drew(drawer), rest, _Lies.NOW


def _has_moved(rest: Seen, seat: Seat) -> bool:
    """Whether something of this seat is still to be explained."""
    groups = (*rest.meld_added, *rest.shown)
    return any(owner is seat for owner, _ in (*rest.pond_added, *groups))


def _claims(node: _Node) -> Iterator[_Step]:
    if node.state.last_discard is None:
        return
    giver, tile = node.state.last_discard
    rest = node.rest
    if node.lies is _Lies.BEFORE:
        if (giver, tile) not in rest.pond_removed:
            return
        rest = replace(rest, pond_removed=_less(rest.pond_removed, (giver, tile)))
    elif node.lies is _Lies.NOW:
        return
    for group in node.rest.meld_added:
        seat, tiles = group
        kind = _claim_kind(tiles, tile)
        if kind is not None and seat is not giver:
            left = replace(rest, meld_added=_less(rest.meld_added, group))
            yield Claimed(seat, kind, tuple(sorted(tiles)), tile, giver), left, _Lies.NOW


def _claim_kind(tiles: tuple[Tile, ...], taken: Tile) -> MeldKind | None:
    if taken not in tiles:
        return None
    if len(set(tiles)) == 1:
        return {3: MeldKind.PENG, 4: MeldKind.KONG}.get(len(tiles))
    return MeldKind.CHI if len(tiles) == 3 else None


def _wins_on_discard(node: _Node) -> Iterator[_Step]:
    if node.state.last_discard is None:
        return
    giver, tile = node.state.last_discard
    yield from _wins_on_tile(node, giver, tile)
    for seat, hand, left in _shown_hands(node, extra=0):
        if seat is giver:
            yield Won(seat, hand), left, _Lies.NOW


def _wins_on_tile(node: _Node, giver: Seat, tile: Tile) -> Iterator[_Step]:
    """Wins with another's tile, which stays where it lay or is put with the hand."""
    rest = node.rest
    robbing = node.state.phase is Phase.DRAW
    gaps = rest.meld_removed if robbing else rest.pond_removed
    taken = node.lies is _Lies.BEFORE and (giver, tile) in gaps
    if rest.apart not in ({None, tile} if taken else {None}):
        return
    for seat, shown, left in _shown_hands(node, extra=int(taken)):
        if seat is giver or (taken and tile not in shown):
            continue
        after = left
        if taken and robbing:
            after = replace(left, meld_removed=_less(gaps, (giver, tile)))
        elif taken:
            after = replace(left, pond_removed=_less(gaps, (giver, tile)))
        hand = shown if taken else tuple(sorted((*shown, tile)))
        yield Won(seat, hand, tile, giver), after, _Lies.NOW


def _steps_on_kong(node: _Node) -> Iterator[_Step]:
    seat, rest = node.state.turn, node.rest
    if _has_moved(rest, seat):
        yield Drew(seat, replacement=True), rest, _Lies.NOW
    robbed = kong_to_rob(node.state)
    if robbed is not None:
        yield from _wins_on_tile(node, robbed.seat, robbed.tile)


def _shown_hands(node: _Node, *, extra: int) -> Iterator[tuple[Seat, tuple[Tile, ...], Seen]]:
    """Hands laid open with as many tiles as the seat holds, and what remains then.

    A seat that is not on turn holds `extra` tiles more: the one it has put with its hand.
    """
    rest = node.rest
    for group in rest.shown:
        seat, tiles = group
        held = len(node.state.hands[seat].concealed)
        needed = held if seat is node.state.turn else held + extra
        # One tile too few is a tile that was not found: no other may be counted for it.
        if len(tiles) == needed and (rest.apart is None or rest.apart in tiles):
            left = replace(rest, shown=_less(rest.shown, group), apart=None)
            yield seat, tuple(sorted(tiles)), left


_T = TypeVar("_T")


def _less(items: tuple[_T, ...], item: _T) -> tuple[_T, ...]:
    place = items.index(item)
    return (*items[:place], *items[place + 1 :])
