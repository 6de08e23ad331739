"""What a board says of itself that has just started and stands still, empty."""

from firmware_bridge.messages import Booted, Status
from firmware_bridge.states import Capability, Profile, ResetCause, State

BOOTED = Booted(7, ResetCause.POWER_ON, (1, 0), Profile.FOUR_PORT, Capability.DICE, 1, "1.0")
IDLE = Status(
    State.OPERATIONAL,
    State.HATCH_CLOSED,
    State.WALLS_DOWN,
    State.EMPTY,
    State.DICE_STILL,
    (0, 0, 0, 0),
    0,
)
