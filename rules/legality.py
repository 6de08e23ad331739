"""Small checks that every event of a deal shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.events import IllegalEvent
from rules.tiles import Seat, Tile

if TYPE_CHECKING:
    from rules.state import TableState


def require_turn(state: TableState, seat: Seat) -> None:
    """The seat must be the one to move.

    Raises:
        IllegalEvent: it is not.
    """
    if seat is not state.turn:
        raise IllegalEvent(f"seat {seat} moves, it is seat {state.turn}'s turn")


def without(concealed: tuple[Tile, ...], tiles: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """The concealed tiles without those; an UNKNOWN tile stands for any.

    Raises:
        IllegalEvent: the hand does not hold them.
    """
    rest = list(concealed)
    for tile in tiles:
        if tile in rest:
            rest.remove(tile)
        elif Tile.UNKNOWN in rest:
            rest.remove(Tile.UNKNOWN)
        else:
            raise IllegalEvent(f"the hand holds no {tile}")
    return tuple(rest)
