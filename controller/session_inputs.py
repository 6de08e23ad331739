"""What comes into a session: observations, reports, answers to commands, people's answers, time.

The board's link speaks for itself: `Disconnected` (link lost) and `Booted` (link up again) are reports.
"""

from dataclasses import dataclass
from typing import Literal

from firmware_bridge.messages import Report
from rules.tiles import Seat, Tile
from vision.observations import Observation


@dataclass(frozen=True, slots=True)
class CommandDone:
    """The board has finished the command that was sent under `number`."""

    number: int


@dataclass(frozen=True, slots=True)
class CommandFailed:
    """The command sent under `number` did not reach its end.

    `how`: "refused" (nothing has moved), "failed" (it was begun), "lost" (the link went first: unknown).
    `detail` says why in words, such as the name of the reason.
    """

    number: int
    how: Literal["refused", "failed", "lost"]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Tick:
    """Only time has passed."""


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """A person answers an open doubt.

    `action`: "choose" takes the candidate number `choice` (from 0), "confirm" the only one, "withdraw"
    takes a proposed ruling back, or ends the deal without a settlement. `author` is who answers, for the
    record.
    """

    doubt: int
    action: Literal["choose", "confirm", "withdraw"]
    author: str
    choice: int | None = None


@dataclass(frozen=True, slots=True)
class PersonProposal:
    """A person proposes a ruling about the running deal; nothing is booked before a person confirms it.

    `ruling`: "false_win" (`seat` has declared a win that is none; `hand` are the tiles he has shown, empty
    where nobody has seen them) or "barred" (`seat` may not win this deal, for the `reason` given).
    """

    ruling: Literal["false_win", "barred"]
    seat: Seat
    author: str
    reason: str = ""
    hand: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class Measured:
    """What the shells count, for `state/counters`."""

    read_fps: float = 0.0
    serial_frames: int = 0
    serial_retransmitted: int = 0


Input = Observation | Report | CommandDone | CommandFailed | Tick | PersonAnswer | PersonProposal | Measured
