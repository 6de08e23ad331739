"""Wins: on the own turn, on a discard, by robbing a kong, after the own discard."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.events import IllegalEvent, Meld, MeldKind, Won
from rules.legality import require_turn, without
from rules.log import kong_to_rob
from rules.state import Phase, TableState, with_hand, with_item
from rules.tiles import Tile

if TYPE_CHECKING:
    from rules.ruleset import RuleSet


def win(state: TableState, event: Won, rules: RuleSet) -> TableState:
    """The state with the winner's hand laid open and the winning tile in it.

    Raises:
        IllegalEvent: the tiles are not the winner's, or the rule set refuses the win.
    """
    before = state.hands[event.seat]
    if state.phase is Phase.TURN:
        changed = _win_on_turn(state, event)
    elif event.from_seat is None:
        changed = _win_after_discard(state, event)
    elif state.phase is Phase.CLAIM:
        changed = _win_on_discard(state, event)
    else:
        changed = _win_by_robbing(state, event)
    if event.hand and Tile.UNKNOWN in event.hand:
        raise IllegalEvent("the tiles of a winning hand must be known")
    if any(tile.is_flower for tile in event.hand):
        raise IllegalEvent("a flower is laid open, it is no part of a winning hand")
    reason = rules.refuses_win(state, event)
    if reason is not None:
        raise IllegalEvent(reason)
    shown = replace(before, concealed=tuple(sorted(event.hand)) or before.concealed)
    return replace(changed, hands=with_hand(changed, event.seat, shown))


def _win_on_turn(state: TableState, event: Won) -> TableState:
    require_turn(state, event.seat)
    if event.from_seat is not None:
        raise IllegalEvent("on the own turn nobody gives the winning tile")
    _check_shown(state.hands[event.seat].concealed, event.hand)
    if event.tile is not Tile.UNKNOWN:
        if event.tile not in event.hand:
            raise IllegalEvent(f"the winning tile {event.tile} is not in the hand")
        if state.drawn is None or state.drawn not in {Tile.UNKNOWN, event.tile}:
            raise IllegalEvent(f"the drawn tile is not {event.tile}")
    return state


def _win_after_discard(state: TableState, event: Won) -> TableState:
    require_turn(state, event.seat)
    if state.phase is not Phase.CLAIM:
        raise IllegalEvent("a win without a tile follows the own discard")
    if event.tile is not Tile.UNKNOWN:
        raise IllegalEvent("a win after the own discard has no winning tile")
    if event.hand:
        _check_shown(state.hands[event.seat].concealed, event.hand)
    return state


def _win_on_discard(state: TableState, event: Won) -> TableState:
    if event.seat is state.turn or state.last_discard != (event.from_seat, event.tile):
        raise IllegalEvent(f"{event.tile} of seat {event.from_seat} is not another's last discard")
    _check_shown((*state.hands[event.seat].concealed, event.tile), event.hand)
    giver = state.turn
    return replace(state, ponds=with_item(state.ponds, giver, state.ponds[giver][:-1]))


def _win_by_robbing(state: TableState, event: Won) -> TableState:
    robbed = kong_to_rob(state)
    if (
        robbed is None
        or event.seat is robbed.seat
        or (robbed.seat, robbed.tile) != (event.from_seat, event.tile)
    ):
        raise IllegalEvent("there is no kong to rob with this tile")
    _check_shown((*state.hands[event.seat].concealed, event.tile), event.hand)
    hand = state.hands[robbed.seat]
    place = next(
        i for i, m in enumerate(hand.melds) if m.kind is MeldKind.ADDED_KONG and m.tiles[0] is robbed.tile
    )
    peng = Meld(MeldKind.PENG, (robbed.tile,) * 3, hand.melds[place].taken_from)
    undone = replace(hand, melds=with_item(hand.melds, place, peng))
    return replace(state, hands=with_hand(state, robbed.seat, undone), kongs=state.kongs - 1)


def _check_shown(held: tuple[Tile, ...], shown: tuple[Tile, ...]) -> None:
    if len(shown) != len(held):
        raise IllegalEvent(f"{len(shown)} tiles are shown, the hand has {len(held)}")
    without(held, shown)
