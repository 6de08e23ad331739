"""Facts of the simulated machines: durations, tile numbers, and what halting does to a motion. Pure."""

from dataclasses import dataclass
from typing import Final

from firmware_bridge.configuration import TILE_NUMBERS
from firmware_bridge.states import State

__all__ = ["FOUR_PORT", "HALTED", "MOVING", "TILE_NUMBERS", "Durations"]


@dataclass(frozen=True, slots=True)
class Durations:
    """Times of a machine in seconds; pairs are the least and the most.

    ``cycle``: a whole sorting; ``missing_after``: no tile has come for so long; ``slow_after``: a cycle that
    takes longer is slow; ``head``: one head needs so long for a tile; ``side``: what a chain and its push
    plate need for a side.
    """

    hatch: float
    walls: float
    dice: tuple[float, float]
    cycle: tuple[float, float]
    missing_after: float
    slow_after: float = 60.0
    head: tuple[float, float] = (0.5, 0.7)
    side: float = 0.0


FOUR_PORT: Final = Durations(hatch=1.5, walls=2.0, dice=(3.0, 5.0), cycle=(18.0, 35.0), missing_after=15.0)
"""The common machine: four heads build four walls at the same time."""

MOVING: Final = frozenset(
    {State.HATCH_OPENING, State.HATCH_CLOSING, State.WALLS_RAISING, State.WALLS_LOWERING}
)
"""States in which something moves where hands may be."""

HALTED: Final[dict[State, State]] = {
    State.HATCH_OPENING: State.HATCH_UNKNOWN,
    State.HATCH_CLOSING: State.HATCH_UNKNOWN,
    State.WALLS_RAISING: State.WALLS_UNKNOWN,
    State.WALLS_LOWERING: State.WALLS_UNKNOWN,
    State.DICE_ROLLING: State.DICE_STILL,
}
"""What a moving state becomes when the motion is halted half way; the lower half is not so simple."""
