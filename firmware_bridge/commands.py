"""What a host can ask of a board: one class per command. Pure.

A command gets three answers: the link's ACK (the frame arrived), ``Accepted`` or ``Rejected`` (the board
begins, or nothing moves), and after ``Accepted`` one of ``Done`` and ``Failed``.
"""

from dataclasses import dataclass

from firmware_bridge.states import Buzz, Lamp, Motor

Four = tuple[int, int, int, int]
"""One number for each of the sides (or seats) 0..3."""


@dataclass(frozen=True, slots=True)
class OpenHatch:
    """Raise the centre so that tiles can be pushed in. Done when it is open."""


@dataclass(frozen=True, slots=True)
class CloseHatch:
    """Lower the centre. Done when it is closed."""


@dataclass(frozen=True, slots=True)
class StartCycle:
    """Close the hatch, lower the carriers, shuffle and build walls below. Done when all walls are staged.

    ``stacks``: stacks of two tiles for seats 0..3; twice their sum is the number of tiles expected.
    All 0: as the board is set.
    """

    stacks: Four = (17, 17, 17, 17)


@dataclass(frozen=True, slots=True)
class RaiseWalls:
    """Lift the staged walls to the table top. Done when they are up."""


@dataclass(frozen=True, slots=True)
class LowerWalls:
    """Lower the (empty) carriers. Done when they are down."""


@dataclass(frozen=True, slots=True)
class RollDice:
    """Roll one or two dice. Done when they lie still; ``DiceRolled`` tells the values before."""

    count: int = 2


@dataclass(frozen=True, slots=True)
class Lamps:
    """Set the ready lamp and the four seat lamps, and sound the buzzer once."""

    ready: Lamp = Lamp.OFF
    seats: tuple[Lamp, Lamp, Lamp, Lamp] = (Lamp.OFF, Lamp.OFF, Lamp.OFF, Lamp.OFF)
    buzz: Buzz = Buzz.NONE


@dataclass(frozen=True, slots=True)
class GetStatus:
    """Ask for a ``Status`` report; it comes before Done."""


@dataclass(frozen=True, slots=True)
class GetCounters:
    """Ask for a ``Counters`` report; it comes before Done."""


@dataclass(frozen=True, slots=True)
class GetReports:
    """Ask for the kept reports with number ``first`` and later; they come again before Done."""

    first: int


@dataclass(frozen=True, slots=True)
class GetFaults:
    """Ask for the fault log: one ``FaultRecord`` each, oldest first, before Done."""


@dataclass(frozen=True, slots=True)
class GetDictionary:
    """Ask for ``count`` entries of the board's dictionary from index ``first`` on; they come before Done."""

    first: int
    count: int = 8


@dataclass(frozen=True, slots=True)
class SetConfig:
    """Set what the machine builds from the next sorting on.

    ``tiles`` in a set, ``stacks`` of two for seats 0..3, and ``dealt`` tiles for each player's hand:
    2 x sum of the stacks + 4 x dealt = tiles, else BAD_CONFIG.
    """

    tiles: int
    stacks: Four
    dealt: int = 0


@dataclass(frozen=True, slots=True)
class GetConfig:
    """Ask for a ``Config`` report of the configuration in force, and of the one that waits, before Done."""


@dataclass(frozen=True, slots=True)
class GetLink:
    """Ask for a ``LinkCounts`` report; it comes before Done."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Protective stop: every motion ends now. Accepted in every state."""


@dataclass(frozen=True, slots=True)
class ClearStop:
    """Leave the protective stop. Accepted only after a key was pressed at the table since the stop."""


@dataclass(frozen=True, slots=True)
class PauseCycle:
    """Let people add tiles: all motion below stops, the hatch opens. Done in TOPUP_PAUSED."""


@dataclass(frozen=True, slots=True)
class ResumeCycle:
    """Close the hatch and go on with the paused cycle. Done when it sorts again."""


@dataclass(frozen=True, slots=True)
class AbortCycle:
    """End the cycle: nothing turns, ``StartCycle`` fails as ABORTED. Done when all stands still."""


@dataclass(frozen=True, slots=True)
class Home:
    """Move hatch and carriers to HATCH_CLOSED and WALLS_DOWN, never into a blocked lift."""


@dataclass(frozen=True, slots=True)
class ClearJam:
    """Jog feed and head of side 0..3 back until the jam is gone."""

    side: int


@dataclass(frozen=True, slots=True)
class DiceCommit:
    """Draw the secret seed of the next virtual roll; ``DiceCommitted`` comes before Done."""


@dataclass(frozen=True, slots=True)
class DiceEntropy:
    """16 bytes of seat 0..3 that the next virtual roll takes in; once per seat and roll."""

    seat: int
    entropy: bytes


@dataclass(frozen=True, slots=True)
class DiceReveal:
    """Tell the seed of the last virtual roll: ``DiceRevealed`` comes before Done."""


@dataclass(frozen=True, slots=True)
class Lock:
    """Begin no cycle from now on; one that runs goes on."""


@dataclass(frozen=True, slots=True)
class Unlock:
    """Take the lock away."""


@dataclass(frozen=True, slots=True)
class MaintenanceBegin:
    """Enter MAINTENANCE, within 30 s after the SERVICE key, while nothing moves."""


@dataclass(frozen=True, slots=True)
class MaintenanceEnd:
    """Leave MAINTENANCE; everything stands still."""


@dataclass(frozen=True, slots=True)
class Jog:
    """Run one motor for ``ms`` milliseconds (1..500). Only in MAINTENANCE."""

    motor: Motor
    forward: bool
    ms: int


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Run the board's test 1..15; ``SelfTestResult`` comes before Done. Only in MAINTENANCE."""

    test: int


@dataclass(frozen=True, slots=True)
class Lease:
    """Set for how long (250..3000 ms) exposed motion goes on without a valid frame of the host."""

    ms: int


Command = (
    OpenHatch
    | CloseHatch
    | StartCycle
    | RaiseWalls
    | LowerWalls
    | RollDice
    | Lamps
    | GetStatus
    | GetCounters
    | GetReports
    | GetFaults
    | GetDictionary
    | SetConfig
    | GetConfig
    | GetLink
    | Stop
    | ClearStop
    | PauseCycle
    | ResumeCycle
    | AbortCycle
    | Home
    | ClearJam
    | DiceCommit
    | DiceEntropy
    | DiceReveal
    | Lock
    | Unlock
    | MaintenanceBegin
    | MaintenanceEnd
    | Jog
    | SelfTest
    | Lease
)
