"""The table of a deal: apply events, replay logs, and the moves open to a player whose hand is known."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from rules.events import (
    Claimed,
    Discarded,
    Drew,
    Event,
    FlowerShown,
    IllegalEvent,
    KongDeclared,
    MeldKind,
    WallExhausted,
    Won,
)
from rules.log import claims_from, discards_of, kept_of, known_copies, kong_to_rob
from rules.state import Hand, Phase, TableState, Wall, public
from rules.tiles import Seat, Tile
from rules.transitions import TRANSITIONS, apply, new_table, refuses_draw

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rules.ruleset import RuleSet

__all__ = [
    "TRANSITIONS",
    "Hand",
    "Phase",
    "TableState",
    "Wall",
    "apply",
    "claims_from",
    "discards_of",
    "is_exhausted",
    "kept_of",
    "known_copies",
    "kong_to_rob",
    "new_table",
    "options",
    "public",
    "replay",
    "strongest",
]


def replay(events: tuple[Event, ...], rules: RuleSet) -> TableState:
    """The state after all events of one deal or several, from an empty table.

    Raises:
        IllegalEvent: one of them can't happen.
    """
    state = new_table(rules)
    for event in events:
        state = apply(state, event, rules)
    return state


def is_legal(state: TableState, event: Event, rules: RuleSet) -> bool:
    """Whether `apply` takes the event."""
    try:
        apply(state, event, rules)
    except IllegalEvent:
        return False
    return True


def is_exhausted(state: TableState, rules: RuleSet) -> bool:
    """Whether the deal ends as a drawn hand unless the last discard is claimed or won."""
    return state.wall.left <= rules.reserve(state.kongs) and is_legal(state, WallExhausted(), rules)


def options(state: TableState, seat: Seat, rules: RuleSet) -> tuple[Event, ...]:
    """The legal events of a seat whose hand is known.

    On the own turn: discards, kongs, a win; flowers first, in the first turn everybody's, while there are
    tiles to replace them. After another's
    discard: claims, a win, and for the next player the draw (of an UNKNOWN tile) that passes all others.
    After an own kong: the draw. After an own discard: a win without a tile, where the rule set has one.
    """
    offered: list[Event]
    if state.phase is Phase.TURN:
        flowers = _flowers(state, seat)
        offered = [FlowerShown(seat, tile) for tile in flowers]
        if seat is state.turn and not flowers:
            others = (event for event in _on_turn(state, seat) if _is_open(state, event, rules))
            return (*others, *_discards(state, seat, rules))
    elif state.phase is Phase.CLAIM and seat is not state.turn:
        offered = _on_discard(state, seat, rules)
    elif state.phase is Phase.CLAIM:
        offered = [Won(seat, state.hands[seat].concealed)]
    elif state.phase is Phase.DRAW:
        offered = _on_kong(state, seat)
    else:
        offered = []
    return tuple(event for event in offered if _is_open(state, event, rules))


def _is_open(state: TableState, event: Event, rules: RuleSet) -> bool:
    """Whether `apply` takes an event that the seat's own tiles allow; the state after it is not needed."""
    if isinstance(event, Won):
        # Hands are sorted, UNKNOWN first, flowers last. Only a flower that no tile is left to replace stays
        # in hand, and with it nobody wins.
        if event.hand and (event.hand[0] is Tile.UNKNOWN or event.hand[-1].is_flower):
            return False
        return rules.refuses_win(state, event) is None
    if isinstance(event, Drew):
        return refuses_draw(state, rules) is None and rules.only_a_win(state) is None
    return is_legal(state, event, rules)


def _flowers(state: TableState, seat: Seat) -> list[Tile]:
    """The kinds of flowers in hand, while there are tiles to replace them."""
    concealed = state.hands[seat].concealed
    # Concealed tiles are sorted, and no others come after the flowers.
    if not concealed or not concealed[-1].is_flower or not state.wall.left:
        return []
    return sorted({tile for tile in concealed if tile.is_flower})


def _on_turn(state: TableState, seat: Seat) -> list[Event]:
    concealed = state.hands[seat].concealed
    kinds = sorted(set(concealed))
    tile = Tile.UNKNOWN if state.drawn is None else state.drawn
    events: list[Event] = [Won(seat, concealed, tile)]
    events += [
        KongDeclared(seat, MeldKind.CONCEALED_KONG, kind) for kind in kinds if concealed.count(kind) == 4
    ]
    pengs = {meld.tiles[0] for meld in state.hands[seat].melds if meld.kind is MeldKind.PENG}
    events += [KongDeclared(seat, MeldKind.ADDED_KONG, kind) for kind in kinds if kind in pengs]
    return events


def _discards(state: TableState, seat: Seat, rules: RuleSet) -> list[Event]:
    """The legal discards of the seat on turn; of tiles in hand only the rule set can refuse any."""
    if rules.only_a_win(state) is not None:
        return []
    kinds = sorted(set(state.hands[seat].concealed))
    return [
        Discarded(seat, kind)
        for kind in kinds
        if kind in rules.copies and not kind.is_flower and rules.may_discard(state, seat, kind)
    ]


def _on_discard(state: TableState, seat: Seat, rules: RuleSet) -> list[Event]:
    if state.last_discard is None:
        return []
    giver, tile = state.last_discard
    concealed = state.hands[seat].concealed
    events: list[Event] = [Won(seat, tuple(sorted((*concealed, tile))), tile, giver)]
    same = concealed.count(tile)
    if same >= 3:
        events.append(Claimed(seat, MeldKind.KONG, (tile,) * 4, tile, giver))
    if same >= 2:
        events.append(Claimed(seat, MeldKind.PENG, (tile,) * 3, tile, giver))
    if giver.distance(seat) in rules.chi_by:
        events += [
            Claimed(seat, MeldKind.CHI, run, tile, giver)
            for run in runs_with(tile)
            if _holds(concealed, run, tile)
        ]
    if seat is giver.next:
        events.append(Drew(seat))
    return events


def _on_kong(state: TableState, seat: Seat) -> list[Event]:
    if seat is state.turn:
        return [Drew(seat, replacement=True)]
    robbed = kong_to_rob(state)
    if robbed is None:
        return []
    hand = tuple(sorted((*state.hands[seat].concealed, robbed.tile)))
    return [Won(seat, hand, robbed.tile, robbed.seat)]


@cache
def runs_with(tile: Tile) -> tuple[tuple[Tile, ...], ...]:
    """The runs of three that hold a tile, lowest first; none for tiles without a suit."""
    if not tile.is_suited:
        return ()
    rank = tile % 9
    starts = range(max(0, rank - 2), min(6, rank) + 1)
    return tuple(tuple(Tile(tile - rank + start + step) for step in range(3)) for start in starts)


def _holds(concealed: tuple[Tile, ...], run: tuple[Tile, ...], taken: Tile) -> bool:
    return all(tile in concealed for tile in run if tile is not taken)


def strongest(state: TableState, offers: Iterable[Event], rules: RuleSet) -> Event | None:
    """The one of several players' wishes for the last discard (or the kong's tile) that is carried out.

    A win goes before any claim, claims by the rule set's precedence; among wins the rule set's rank decides,
    among equals the seat that is nearest in turn order. Last comes the discarder, who wins by his own discard
    only where nobody takes it. None where nobody offers a win or a claim.
    """
    ranked = [
        (_precedence(state, event, rules), event) for event in offers if isinstance(event, Won | Claimed)
    ]
    return min(ranked, key=lambda pair: pair[0])[1] if ranked else None


def _precedence(state: TableState, event: Won | Claimed, rules: RuleSet) -> tuple[int, int, int]:
    distance = state.turn.distance(event.seat)
    if isinstance(event, Claimed):
        return 1, rules.claims[event.kind], distance
    if event.from_seat is None:
        return 2, 0, distance
    return 0, rules.win_rank(state, event), distance
