"""What four people do when the table does not go on: look, press the key, fetch the tile, free what is stuck.

They know only what the console shows: what moves, which faults stand. No two looks are nearer than their
patience.
"""

from dataclasses import dataclass
from typing import Final

from firmware_bridge.faults import FAULTS, FaultCode
from firmware_bridge.states import Severity, State
from hardware_sim.board import SimBoard

MISSING: Final = frozenset({FaultCode.CNT_01, FaultCode.CNT_03})
"""Faults at which people look under the table."""

BY_HAND: Final = frozenset(
    {
        FaultCode.PWR_05,
        FaultCode.CON_01,
        FaultCode.HAT_01,
        FaultCode.HAT_02,
        FaultCode.HAT_03,
        FaultCode.EST_01,
        FaultCode.TIL_03,
    }
)
"""Causes that anybody takes away at the first look: a hand in the hatch, an open cover, a pressed button."""

MOVES: Final = frozenset(
    {
        State.HATCH_OPENING,
        State.HATCH_CLOSING,
        State.WALLS_RAISING,
        State.WALLS_LOWERING,
        State.SORTING,
        State.CLEARING,
        State.DICE_ROLLING,
        State.BOOTING,
    }
)
"""States in which people wait."""


@dataclass(slots=True)
class Floor:
    """Tiles that fell from the table and that nobody has seen yet."""

    tiles: int = 0

    def fall(self, number: int) -> None:
        """They slip through somebody's hands."""
        self.tiles += number

    def search(self, board: SimBoard) -> int:
        """Look under the table, if the console says that tiles are missing; what is found."""
        if not MISSING & set(board.mechanics.faults):
            return 0
        found, self.tiles = self.tiles, 0
        return found


def moves(board: SimBoard) -> bool:
    """Whether the machine is at work, as far as people see and hear."""
    return any(state in MOVES for state in board.mechanics.states.values())


def free(board: SimBoard, *, again: bool) -> None:
    """Take away what stops the machine and what people can reach; ``again``: somebody with a tool does it."""
    for code in FaultCode:
        stops = code in FAULTS and FAULTS[code].severity >= Severity.STOP_CYCLE
        if board.mechanics.there(code) and (code in BY_HAND or (again and stops)):
            board.clear(code.label)
