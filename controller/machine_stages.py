"""Where a table is between two hands, and what leads from one stage to the next: the tables. Pure.

    IDLE --lift--> OPENING --open--> OPEN --lift--> SHUFFLING --walls staged--> RAISING --walls up-->
    ROLLING --dice--> PLAYING --hand over--> IDLE

The other stages are where a table waits for a person, or for the board, before it goes on.
"""

from enum import StrEnum
from typing import Final

from firmware_bridge.states import Key, State


class Stage(StrEnum):
    """Where the table is in its round from one hand to the next.

    UNKNOWN: the board has not told. UNCLEAR: hatch or carriers are half way. MOVING: they move without a
    command of ours. SHORT, OVER: the cycle has ended with too few or too many tiles. HALTED: it was
    interrupted. COMMITTING: the board draws the seed of virtual dice. CHECKING: they are rolled, and the
    board is asked for the seed that proves them.
    """

    UNKNOWN = "unknown"
    IDLE = "idle"
    OPENING = "opening"
    OPEN = "open"
    SHUFFLING = "shuffling"
    STAGED = "staged"
    RAISING = "raising"
    WALLS = "walls"
    COMMITTING = "committing"
    ROLLING = "rolling"
    CHECKING = "checking"
    PLAYING = "playing"
    UNCLEAR = "unclear"
    HOMING = "homing"
    MOVING = "moving"
    HALTED = "halted"
    SHORT = "short"
    OVER = "over"
    JAMMED = "jammed"
    CLEARING = "clearing"


ON_KEY: Final[dict[tuple[Stage, Key], Stage]] = {
    (Stage.IDLE, Key.LIFT): Stage.OPENING,
    (Stage.OPEN, Key.LIFT): Stage.SHUFFLING,
    (Stage.HALTED, Key.LIFT): Stage.SHUFFLING,
    (Stage.SHORT, Key.LIFT): Stage.OPENING,
    (Stage.OVER, Key.LIFT): Stage.OPENING,
    (Stage.OVER, Key.DICE): Stage.RAISING,
    (Stage.JAMMED, Key.LIFT): Stage.CLEARING,
    (Stage.UNCLEAR, Key.LIFT): Stage.HOMING,
    (Stage.STAGED, Key.LIFT): Stage.RAISING,
    (Stage.WALLS, Key.LIFT): Stage.ROLLING,
    (Stage.WALLS, Key.DICE): Stage.ROLLING,
}
"""What a key at the table begins. In all other stages keys move nothing."""

ON_END: Final[dict[Stage, Stage]] = {
    Stage.OPENING: Stage.OPEN,
    Stage.CLEARING: Stage.SHUFFLING,
    Stage.SHUFFLING: Stage.RAISING,
    Stage.RAISING: Stage.ROLLING,
    Stage.COMMITTING: Stage.ROLLING,
}
"""What follows when the stage's own command is done."""

GOES_ON: Final[dict[tuple[Stage, Stage], Stage]] = {
    (Stage.SHUFFLING, Stage.STAGED): Stage.RAISING,
    (Stage.RAISING, Stage.WALLS): Stage.ROLLING,
}
"""By the last stage and the one the board shows now: what follows by itself within one boot.

Each is a motion that was not commanded before, so that none happens twice.
"""

MILESTONES: Final = frozenset(
    {
        Stage.IDLE,
        Stage.OPENING,
        Stage.OPEN,
        Stage.SHUFFLING,
        Stage.STAGED,
        Stage.RAISING,
        Stage.WALLS,
        Stage.ROLLING,
        Stage.PLAYING,
    }
)
"""Stages of the way itself. The others leave in mind which of these was the last."""

LOCKABLE: Final = frozenset({Stage.OPENING, Stage.SHUFFLING})
"""What begins a new cycle; a table that is locked does not."""

_LOWER_FIRST: Final[dict[State, Stage]] = {
    State.SORTING: Stage.SHUFFLING,
    State.TOPUP_PAUSED: Stage.SHUFFLING,
    State.CLEARING: Stage.CLEARING,
}
_HATCH: Final[dict[State, Stage]] = {
    State.HATCH_OPENING: Stage.OPENING,
    State.HATCH_OPEN: Stage.OPEN,
    State.HATCH_CLOSING: Stage.MOVING,
}
_WALLS: Final[dict[State, Stage]] = {
    State.WALLS_RAISING: Stage.RAISING,
    State.WALLS_LOWERING: Stage.MOVING,
}
_LOWER: Final[dict[State, Stage]] = {
    State.JAMMED: Stage.JAMMED,
    State.STAGED: Stage.STAGED,
    State.OVER: Stage.OVER,
    State.SHORT: Stage.SHORT,
    State.LOADED: Stage.HALTED,
    State.LOWER_UNKNOWN: Stage.HALTED,
    State.EMPTY: Stage.IDLE,
}
_UNCLEAR: Final = frozenset({State.HATCH_UNKNOWN, State.WALLS_UNKNOWN})
_LIFTED: Final = frozenset({Stage.RAISING, Stage.ROLLING, Stage.WALLS})
_BUILT: Final = frozenset({Stage.SHUFFLING, Stage.STAGED})
_PUSHED_IN: Final = frozenset({Stage.OPEN, Stage.SHUFFLING})


def stage_of(  # noqa: PLR0913 - the three regions and what is remembered
    *, hatch: State, walls: State, lower: State, dice: State, before: Stage, missing: bool
) -> Stage:
    """The stage that the board's regions show.

    `before`: the last milestone, which tells walls for the next hand from those of the last. `missing`: the
    fault of missing tiles stands, so that a cycle that has ended is not one that was interrupted.
    """
    if lower in _LOWER_FIRST:
        return _LOWER_FIRST[lower]
    if hatch in _UNCLEAR or walls in _UNCLEAR:
        return Stage.UNCLEAR
    moving = _HATCH.get(hatch) or _WALLS.get(walls)
    if moving is not None:
        return moving
    if walls is State.WALLS_UP and _are_fresh(lower, before):
        return Stage.ROLLING if dice is State.DICE_ROLLING else Stage.WALLS
    return _below(lower, before, missing=missing)


def _are_fresh(lower: State, before: Stage) -> bool:
    """Whether walls that are up are those of the next hand."""
    return before in _LIFTED or (before in _BUILT and lower is State.EMPTY)


def _below(lower: State, before: Stage, *, missing: bool) -> Stage:
    stage = _LOWER.get(lower, Stage.IDLE)
    if stage is Stage.HALTED and before not in _PUSHED_IN:
        # Tiles that were left below from the last cycle: the way begins as always.
        return Stage.IDLE
    if stage is Stage.SHORT and not missing and before in _PUSHED_IN:
        return Stage.HALTED
    return stage
