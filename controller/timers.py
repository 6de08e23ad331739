"""How long players have, and until when: for the display, which counts down. Pure.

Nothing happens when a time has run out: people decide what they make of it.
"""

from dataclasses import dataclass

from rules.ruleset import RuleSet
from rules.state import Phase, TableState
from rules.tiles import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Timers:
    """Seconds for a move on the own turn, and for claiming a discard; 0: as long as one likes."""

    think_s: float = 0.0
    claim_s: float = 0.0


def timers_of(rules: RuleSet, *, think_s: float | None, claim_s: float | None) -> Timers:
    """The table's own times; where it has none, the rule set's."""
    return Timers(
        think_s=rules.think_s if think_s is None else think_s,
        claim_s=rules.claim_s if claim_s is None else claim_s,
    )


@dataclass(frozen=True, slots=True)
class Deadline:
    """Until when (seconds since 1970) who has to move; `seat` is None where a discard is open to all."""

    at: float
    seconds: float
    seat: Seat | None


def deadline(table: TableState, timers: Timers, since: float) -> Deadline | None:
    """The time that runs now, None where none does; `since` is when the last event happened."""
    claiming = table.phase is Phase.CLAIM
    moving = table.phase in {Phase.TURN, Phase.DRAW}
    seconds = timers.claim_s if claiming else timers.think_s if moving else 0.0
    return Deadline(since + seconds, seconds, None if claiming else table.turn) if seconds > 0 else None
