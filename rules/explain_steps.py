"""Which legal events may come next, and what then remains of what was seen."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from itertools import combinations
from math import factorial, prod
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from rules.events import (
    Claimed,
    Discarded,
    Drew,
    Event,
    FlowerShown,
    IndicatorTurned,
    KongDeclared,
    MeldKind,
    WallExhausted,
    Won,
)
from rules.explain_seen import Seen
from rules.log import kong_to_rob
from rules.state import Phase, TableState
from rules.tiles import Seat, Tile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Lies(Enum):
    """Where the last discard, or the tile of a kong that may be robbed, was seen."""

    BEFORE = "before"
    """It lay there already: taking it leaves a gap that is seen."""
    NOW = "now"
    """It was seen for the first time, so nobody has taken it."""
    NEVER = "never"
    """It was not seen: somebody must have taken it."""


_CELLS: Final = attrgetter(*Seen.__slots__)


def _but(seen: Seen, **changes: object) -> Seen:
    """The same with other cells: `dataclasses.replace` in half its time."""
    cells = dict(zip(Seen.__slots__, _CELLS(seen), strict=True)) | changes
    return Seen(**cells)


class Node(NamedTuple):
    """A table on the way, what of the picture is still to be explained, and the events so far."""

    state: TableState
    rest: Seen
    lies: Lies
    path: tuple[Event, ...]


Step = tuple[Event, Seen, Lies]
"""An event that may come next, what then remains, and where its tile lies."""

_NOTHING: Final = Seen()


def is_explained(node: Node) -> bool:
    """Whether nothing is left; beside a winner's hand others may lie open."""
    if node.lies is Lies.NEVER and node.state.phase is Phase.CLAIM:
        return False
    rest = node.rest
    if node.state.phase is Phase.OVER:
        rest = _but(rest, shown=())
    return rest == _NOTHING


MOST_ORDERS: Final = factorial(4)
"""So many orders have four different tiles that came into a common pond together. About more nobody could be
asked, and to follow all of them takes seconds."""


def _orders(seen: Seen) -> int:
    """In how many orders the tiles of a common pond may have been thrown."""
    equal = (Counter(group).values() for group in seen.common_added)
    return prod(factorial(sum(counts)) // prod(map(factorial, counts)) for counts in equal)


def may_be_told(state: TableState, seen: Seen) -> bool:
    """Whether a search can tell anything: few enough orders, and nothing gone that nobody can have taken.

    Taken are the last discard, or a robbed kong's tile.
    """
    if _orders(seen) > MOST_ORDERS:
        return False
    robbed = kong_to_rob(state) if seen.meld_removed else None
    fourth = () if robbed is None else ((robbed.seat, robbed.tile),)
    last = () if state.last_discard is None else (state.last_discard,)
    return seen.pond_removed in {(), last} and seen.meld_removed in {(), fourth}


def steps(node: Node, *, unseen: bool) -> Iterator[Step]:
    """The events that may come next, each with what then remains to be explained."""
    match node.state.phase:
        case Phase.DEALT:
            turned = node.rest.indicator
            if turned is not None:
                yield IndicatorTurned(turned), _but(node.rest, indicator=None), Lies.BEFORE
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


def _steps_on_turn(node: Node) -> Iterator[Step]:
    seat, rest = node.state.turn, node.rest
    tile = next((tile for owner, tile in rest.pond_added if owner is seat), None)
    if tile is not None:
        left = _but(rest, pond_added=less(rest.pond_added, (seat, tile)))
        yield Discarded(seat, tile), left, Lies.NOW
    yield from _thrown_together(seat, rest)
    for group in rest.meld_added:
        event = _kong_of(node.state, group)
        if event is not None:
            yield event, _but(rest, meld_added=less(rest.meld_added, group)), Lies.NOW
    for owner, tiles in rest.meld_added:
        if len(tiles) == 1 and tiles[0].is_flower:
            left = _but(rest, meld_added=less(rest.meld_added, (owner, tiles)))
            yield FlowerShown(owner, tiles[0]), left, Lies.NOW
    for owner, hand, left in _shown_hands(node, extra=0):
        if owner is seat:
            drawn = Tile.UNKNOWN if rest.apart is None or node.state.drawn is None else rest.apart
            yield Won(seat, hand, drawn), left, Lies.NOW


def _thrown_together(seat: Seat, rest: Seen) -> Iterator[Step]:
    """The tiles of a common pond that may be the next discard: any of those that came first."""
    for group in rest.common_added[:1]:
        for tile in sorted(set(group)):
            others = less(group, tile)
            later = (*((others,) if others else ()), *rest.common_added[1:])
            yield Discarded(seat, tile), _but(rest, common_added=later), Lies.NOW


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


def unread(node: Node) -> Iterator[Step]:
    """A discard that went from nowhere into a hand laid open, and the win with it."""
    state, rest = node.state, node.rest
    if state.phase is Phase.TURN:
        hands = (tiles for owner, tiles in rest.shown if owner is not state.turn)
        tiles = {tile for hand in hands for tile in hand}
        for tile in sorted({rest.apart} if rest.apart is not None else tiles):
            yield Discarded(state.turn, tile), rest, Lies.NEVER
    elif state.phase is Phase.CLAIM and node.lies is Lies.NEVER and state.last_discard is not None:
        giver, tile = state.last_discard
        for seat, hand, left in _shown_hands(node, extra=1):
            if seat is not giver and tile in hand:
                yield Won(seat, hand, tile, giver), left, Lies.NOW


def _unseen_discards(node: Node) -> Iterator[Step]:
    """Discards that a later claim took before anybody saw them lie."""
    seat = node.state.turn
    taken = {
        tile
        for owner, tiles in node.rest.meld_added
        if owner is not seat and len(tiles) > 2 and Tile.BACK not in tiles
        for tile in tiles
    }
    for tile in sorted(taken):
        yield Discarded(seat, tile), node.rest, Lies.NEVER


def _steps_on_discard(node: Node, *, unseen: bool) -> Iterator[Step]:
    yield from _claims(node)
    if node.lies is Lies.NEVER:
        return
    yield from _wins_on_discard(node)
    rest = node.rest
    if rest.ended:
        yield WallExhausted(), _but(rest, ended=False), Lies.NOW
    drawer = node.state.turn.next
    if unseen or _has_moved(rest, drawer):
        yield Drew(drawer), rest, Lies.NOW


def _has_moved(rest: Seen, seat: Seat) -> bool:
    """Whether something that may be this seat's is still to be explained."""
    groups = (*rest.meld_added, *rest.shown)
    return bool(rest.common_added) or any(owner is seat for owner, _ in (*rest.pond_added, *groups))


def open_discard(node: Node) -> tuple[Seat, Tile, Seen] | None:
    """The last discard where it may have been claimed: who gave it, and what then remains of what was seen.

    What is seen to lie there now, and what was seen and has left no gap, was not claimed.
    """
    if node.state.last_discard is None or node.lies is Lies.NOW:
        return None
    giver, tile = node.state.last_discard
    rest = node.rest
    if node.lies is Lies.BEFORE:
        if (giver, tile) not in rest.pond_removed:
            return None
        rest = _but(rest, pond_removed=less(rest.pond_removed, (giver, tile)))
    return giver, tile, rest


def _claims(node: Node) -> Iterator[Step]:
    taken = open_discard(node)
    if taken is None:
        return
    giver, tile, rest = taken
    for group in node.rest.meld_added:
        seat, tiles = group
        kind = _claim_kind(tiles, tile)
        if kind is not None and seat is not giver:
            left = _but(rest, meld_added=less(rest.meld_added, group))
            yield Claimed(seat, kind, tuple(sorted(tiles)), tile, giver), left, Lies.NOW


def _claim_kind(tiles: tuple[Tile, ...], taken: Tile) -> MeldKind | None:
    if taken not in tiles:
        return None
    if len(set(tiles)) == 1:
        return {3: MeldKind.PENG, 4: MeldKind.KONG}.get(len(tiles))
    return MeldKind.CHI if len(tiles) == 3 else None


def _wins_on_discard(node: Node) -> Iterator[Step]:
    if node.state.last_discard is None:
        return
    giver, tile = node.state.last_discard
    yield from _wins_on_tile(node, giver, tile)
    for seat, hand, left in _shown_hands(node, extra=0):
        if seat is giver:
            yield Won(seat, hand), left, Lies.NOW


def _wins_on_tile(node: Node, giver: Seat, tile: Tile) -> Iterator[Step]:
    """Wins with another's tile, which stays where it lay or is put with the hand."""
    rest = node.rest
    robbing = node.state.phase is Phase.DRAW
    gaps = rest.meld_removed if robbing else rest.pond_removed
    taken = node.lies is Lies.BEFORE and (giver, tile) in gaps
    if rest.apart not in ({None, tile} if taken else {None}):
        return
    for seat, shown, left in _shown_hands(node, extra=int(taken)):
        if seat is giver or (taken and tile not in shown):
            continue
        after = left
        if taken and robbing:
            after = _but(left, meld_removed=less(gaps, (giver, tile)))
        elif taken:
            after = _but(left, pond_removed=less(gaps, (giver, tile)))
        hand = shown if taken else tuple(sorted((*shown, tile)))
        yield Won(seat, hand, tile, giver), after, Lies.NOW


def _steps_on_kong(node: Node) -> Iterator[Step]:
    seat, rest = node.state.turn, node.rest
    if _has_moved(rest, seat):
        yield Drew(seat, replacement=True), rest, Lies.NOW
    robbed = kong_to_rob(node.state)
    if robbed is not None:
        yield from _wins_on_tile(node, robbed.seat, robbed.tile)


def _shown_hands(node: Node, *, extra: int) -> Iterator[tuple[Seat, tuple[Tile, ...], Seen]]:
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
            left = _but(rest, shown=less(rest.shown, group), apart=None)
            yield seat, tuple(sorted(tiles)), left


_T = TypeVar("_T")


def crossed(state: TableState, groups: Sequence[tuple[Seat, tuple[Tile, ...]]]) -> int:
    """Pairs of these sets that their seat has made in another order than they are given in."""
    places = {(seat, frozenset(tiles)): place for place, (seat, tiles) in enumerate(groups)}
    count = 0
    for seat in {seat for seat, _ in groups}:
        melds = state.hands[seat].melds
        made = [p for meld in melds if (p := places.get((seat, frozenset(meld.tiles)))) is not None]
        count += sum(one > other for one, other in combinations(made, 2))
    return count


def less(items: tuple[_T, ...], item: _T) -> tuple[_T, ...]:
    """The items without the first that equals this one."""
    place = items.index(item)
    return (*items[:place], *items[place + 1 :])
