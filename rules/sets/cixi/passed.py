"""Wins that a player has let pass, for tables where that locks his next one (R11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.events import Claimed, Discarded, Drew, KongDeclared, MeldKind
from rules.log import last_move

from .patterns import all_honours, any_tile_wins, is_complete

if TYPE_CHECKING:
    from rules.events import Event, Meld, Won
    from rules.state import TableState
    from rules.tiles import Tile

    from .options import Options


def has_passed(state: TableState, won: Won, options: Options) -> bool:
    """Whether the winner has let another's tile pass, since his last draw, that completed his hand then.

    His tiles of that time follow from those he lays open now: only claims and discards have changed them.
    """
    held, melds = list(won.hand), list(state.hands[won.seat].melds)
    held.remove(won.tile)
    now = len(state.log) - 1 - state.log[::-1].index(last_move(state))
    for event in reversed(state.log[:now]):
        if isinstance(event, Drew) and event.seat is won.seat:
            return False
        if isinstance(event, Claimed) and event.seat is won.seat:
            held += event.tiles
            held.remove(event.taken)
            melds.pop()
        elif isinstance(event, Discarded) and event.seat is won.seat:
            held.append(event.tile)
        elif _completes(_offered(event), held, melds, state, options):
            return True
    return False


def _offered(event: Event) -> Tile | None:
    """The tile that an event of another player lets be won."""
    added = isinstance(event, KongDeclared) and event.kind is MeldKind.ADDED_KONG
    return event.tile if isinstance(event, Discarded) or (added and isinstance(event, KongDeclared)) else None


def _completes(
    tile: Tile | None, held: list[Tile], melds: list[Meld], state: TableState, options: Options
) -> bool:
    wild = state.wild
    if tile is None or wild is None or tile is wild or len(held) + 3 * len(melds) != 13:
        return False
    if options.quanfeng == "at_win" and all_honours((*held, tile), melds, wild):
        return True
    if options.paohua_discard == "refuse" and any_tile_wins(held, melds, wild, options):
        return False
    return is_complete((*held, tile), melds, wild, options)
