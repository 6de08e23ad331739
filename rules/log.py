"""Questions that a state answers from its log and its tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.events import DealStarted, Discarded, KongDeclared, MeldKind

if TYPE_CHECKING:
    from rules.state import TableState
    from rules.tiles import Seat, Tile


def known_copies(state: TableState, tile: Tile) -> int:
    """How many copies of the tile are known to be in hands, sets, ponds or to be the indicator."""
    number = int(state.indicator is tile) + sum(pond.count(tile) for pond in state.ponds)
    for hand in state.hands:
        number += hand.concealed.count(tile) + sum(meld.tiles.count(tile) for meld in hand.melds)
    return number


def kong_to_rob(state: TableState) -> KongDeclared | None:
    """The added kong that may be robbed just now, or None."""
    last = state.log[-1] if state.log else None
    added = isinstance(last, KongDeclared) and last.kind is MeldKind.ADDED_KONG
    return last if added and isinstance(last, KongDeclared) else None


def claims_from(state: TableState, seat: Seat, opponent: Seat) -> int:
    """How many sets `seat` has made with discards of `opponent`."""
    return sum(meld.taken_from is opponent for meld in state.hands[seat].melds)


def discards_of(state: TableState, seat: Seat) -> tuple[Tile, ...]:
    """All discards of a seat in this deal, claimed ones included, oldest first."""
    return tuple(event.tile for event in state.log if isinstance(event, Discarded) and event.seat is seat)


def kept_of(state: TableState) -> int:
    """How many deals the dealer of this deal has kept by winning."""
    started = state.log[0] if state.log else None
    return started.kept if isinstance(started, DealStarted) else 0
