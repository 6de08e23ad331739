"""What the tracker answers, and how long it waits before it does. Pure."""

from dataclasses import dataclass

from controller.doubts import Problem
from rules.events import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Seconds the tracker waits.

    Attributes:
        claim_s: for something half done to become a play that can be told.
        set_s: for a set that was just laid to become a larger one, before it counts as what it is.
        win_s: for a thirteenth-tile hand laid open to be completed by a drawn tile, before the last discard
            counts as the winning tile.
        reread_s: for a tile that is read otherwise than before, before the new face counts; at least twice as
            long as the old one was read.
        known_s: a face that was read for so long is not given up without people.
        past_s: for a table that only other plays than those told account for, before they are taken back, or
            only turns that nobody has seen, before they are told.
        order_s: as `look_s` at a common pond, where only that order tells whose a discard is: one that is
            found late is then not told after the next.
        unseen_s: for later plays to tell which of several accounts of unseen turns is the true one.
        look_s: complete looks that follow each other faster are one: nobody plays between them.
    """

    claim_s: float = 4.0
    set_s: float = 0.8
    win_s: float = 1.5
    reread_s: float = 1.0
    known_s: float = 10.0
    past_s: float = 2.5
    unseen_s: float = 25.0
    order_s: float = 1.2
    look_s: float = 0.3


@dataclass(frozen=True, slots=True)
class Decision:
    """What the tracker made of the table.

    `events` happened, in this order; where `kept` is given, they followed the first `kept` events of the
    state's log, and what was told after those did not happen. `problem` could not be told. `agrees`: what
    lies there is what the state says. `again_at`: when time alone changes the answer (seconds). `unseen`: in
    which order the events happened nobody has seen; it makes no difference.
    """

    events: tuple[Event, ...] = ()
    kept: int | None = None
    problem: Problem | None = None
    agrees: bool = False
    again_at: float | None = None
    unseen: bool = False
