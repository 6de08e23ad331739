"""Facts of the simulated machines: durations, tile numbers, and what halting does to a motion. Pure."""

from dataclasses import dataclass
from typing import Final

from firmware_bridge.messages import ClearStop, GetCounters, GetStatus, Lamps, Stop
from firmware_bridge.states import State

TILE_NUMBERS: Final = frozenset({108, 112, 120, 124, 136, 144, 152})
"""Numbers of tiles a machine can be set to build."""


@dataclass(frozen=True, slots=True)
class Durations:
    """Times of a machine in seconds; pairs are the least and the most."""

    hatch: float
    walls: float
    dice: tuple[float, float]
    cycle: tuple[float, float]
    missing_after: float


FOUR_PORT: Final = Durations(hatch=1.5, walls=2.0, dice=(3.0, 5.0), cycle=(18.0, 35.0), missing_after=15.0)
"""The common machine: four heads build four walls at the same time."""

Still = Stop | ClearStop | Lamps | GetStatus | GetCounters
"""Commands that move nothing."""

ALLOWED_IN_STOP: Final = (Stop, ClearStop, GetStatus, GetCounters, Lamps)
"""Commands that a protective stop leaves."""

MOVING: Final = frozenset(
    {State.HATCH_OPENING, State.HATCH_CLOSING, State.WALLS_RAISING, State.WALLS_LOWERING}
)
"""States in which something moves where hands may be."""

HALTED: Final[dict[State, State]] = {
    State.HATCH_OPENING: State.HATCH_UNKNOWN,
    State.HATCH_CLOSING: State.HATCH_UNKNOWN,
    State.WALLS_RAISING: State.WALLS_UNKNOWN,
    State.WALLS_LOWERING: State.WALLS_UNKNOWN,
    State.SORTING: State.SHORT,
    State.DICE_ROLLING: State.DICE_STILL,
}
"""What a moving state becomes when the motion is halted half way."""
