"""Questions that a state answers from its log and its tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.events import Barred, DealStarted, Discarded, FalseWin, KongDeclared, MeldKind

if TYPE_CHECKING:
    from rules.events import Event
    from rules.state import TableState
    from rules.tiles import Seat, Tile


def known_copies(state: TableState, tile: Tile) -> int:
    """How many copies of the tile are known to be in hands, sets, ponds or to be the indicator."""
    number = int(state.indicator is tile)
    for pond in state.ponds:
        number += pond.count(tile)
    for hand in state.hands:
        number += hand.concealed.count(tile) + hand.flowers.count(tile)
        for meld in hand.melds:
            number += meld.tiles.count(tile)
    return number


def last_move(state: TableState) -> Event | None:
    """The last event that moved the game; what people ruled about it comes after it in the log."""
    moves = (event for event in reversed(state.log) if not isinstance(event, FalseWin | Barred))
    return next(moves, None)


def is_barred(state: TableState, seat: Seat) -> bool:
    """Whether people have ruled that the player may not win this deal."""
    return any(isinstance(event, FalseWin | Barred) and event.seat is seat for event in state.log)


def has_won_falsely(state: TableState, seat: Seat) -> bool:
    """Whether the player has declared a win in this deal that was none."""
    return any(isinstance(event, FalseWin) and event.seat is seat for event in state.log)


def kong_to_rob(state: TableState) -> KongDeclared | None:
    """The added kong that may be robbed just now, or None."""
    last = last_move(state)
    added = isinstance(last, KongDeclared) and last.kind is MeldKind.ADDED_KONG
    return last if added and isinstance(last, KongDeclared) else None


def claims_from(state: TableState, seat: Seat, opponent: Seat, *, kongs: bool = True) -> int:
    """How many sets `seat` has made with discards of `opponent`; exposed kongs are counted if `kongs`."""
    melds = state.hands[seat].melds
    return sum(meld.taken_from is opponent and (kongs or meld.kind is not MeldKind.KONG) for meld in melds)


def discards_of(state: TableState, seat: Seat) -> tuple[Tile, ...]:
    """All discards of a seat in this deal, claimed ones included, oldest first."""
    return tuple(event.tile for event in state.log if isinstance(event, Discarded) and event.seat is seat)


def kept_of(state: TableState) -> int:
    """How many deals the dealer of this deal has kept by winning."""
    started = state.log[0] if state.log else None
    return started.kept if isinstance(started, DealStarted) else 0
