"""Small checks that every event of a deal shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.events import IllegalEvent, MeldKind
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


def forms_set(kind: MeldKind, tiles: tuple[Tile, ...]) -> bool:
    """Whether sorted tiles are a set of that kind."""
    if kind is MeldKind.CHI:
        first = tiles[0] if tiles else Tile.UNKNOWN
        run = (first, first + 1, first + 2)
        return first.is_suited and first % 9 <= 6 and tuple(map(int, tiles)) == run
    return len(tiles) == (4 if kind.is_kong else 3) and len(set(tiles)) == 1
