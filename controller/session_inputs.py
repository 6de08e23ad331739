"""What comes into a session: observations, reports, answers to commands, people's answers, time.

The board's link speaks for itself: `Disconnected` (link lost) and `Booted` (link up again) are reports.
What a person wants is one of `Order`; `author` is who, for the record. It comes inside `Ordered`, which is
answered.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    takes a proposed ruling back, or ends the deal without a settlement, "deny" says that it is not so as
    another person has said. `author` is who answers: what stays
    in the record holds when another one has answered the same. `words` are those of the choice as he has
    read them (of a doubt without choices: its English words): they change while people think.
    """

    doubt: int
    action: Literal["choose", "confirm", "withdraw", "deny"]
    author: str
    choice: int | None = None
    words: str | None = None


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
class Undo:
    """The last event of the running deal did not happen."""

    author: str


@dataclass(frozen=True, slots=True)
class Correct:
    """Other events happened in the place of event `index` (from 0) of a deal, or none.

    `deal` is its number over the journal's life. `events` are lines of a record; `index` may be the number of
    the deal's events: then they come after the last one. `answers` are those to the rule set's questions.
    """

    deal: int
    index: int
    events: tuple[str, ...]
    author: str
    answers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Abandon:
    """The running deal is given up; nobody pays and the same dealer deals again."""

    author: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Enter:
    """How the running deal ended, told by a person; nobody followed it to its end. Drawn without a `winner`.

    `how` is one of the rule set's ways of winning; empty: by a discard where `from_seat` gave the tile, else
    a self-draw. `hand` are the winner's tiles without the winning `tile`, `melds` his declared sets, such as
    "peng 555p from 1". `indicator` and `flags` (circumstances under the rule set's names) are what the table
    has not told.
    """

    winner: Seat | None
    author: str
    from_seat: Seat | None = None
    how: str = ""
    hand: str = ""
    melds: tuple[str, ...] = ()
    tile: str = ""
    indicator: str = ""
    flags: Mapping[str, bool | int | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Adjust:
    """A referee moves points from seat to seat; `payments` are the changes of seats 0..3 and sum to zero."""

    payments: tuple[int, int, int, int]
    reason: str
    author: str


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing that happens at the table counts until it goes on."""

    author: str


@dataclass(frozen=True, slots=True)
class Resume:
    """The table goes on."""

    author: str


@dataclass(frozen=True, slots=True)
class Lock:
    """The table begins no other hand until it is unlocked; a running one is played to its end."""

    author: str


@dataclass(frozen=True, slots=True)
class Unlock:
    """The table begins hands again."""

    author: str


@dataclass(frozen=True, slots=True)
class NextMatch:
    """The match ends here; the next deal opens a new one."""

    author: str


@dataclass(frozen=True, slots=True)
class Names:
    """Who sits on seats 0..3."""

    players: tuple[str, str, str, str]
    author: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """By what rules the coming match is played; `options` replace defaults of the rule set.

    Without a name (`rules`) it stays the rule set that it is. `players`: who sits on seats 0..3, where that
    is to be said too.
    """

    author: str
    rules: str = ""
    options: Mapping[str, bool | int | str] = field(default_factory=dict)
    players: tuple[str, str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """The table goes on to the next hand where it waits for people, as by its lift key."""

    author: str


Order = (
    PersonAnswer
    | PersonProposal
    | Undo
    | Correct
    | Abandon
    | Enter
    | Adjust
    | Pause
    | Resume
    | NextMatch
    | Names
    | SetUp
    | Start
    | Lock
    | Unlock
)


@dataclass(frozen=True, slots=True)
class Ordered:
    """An order that waits for an answer.

    `id` is its sender's name for it: an order that comes again under it within ten minutes is answered again
    and not carried out twice. `expires` is when (seconds since 1970) it is too late to be carried out.
    """

    id: str
    order: Order
    expires: float | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What the shells count, for `state/counters`."""

    read_fps: float = 0.0
    serial_frames: int = 0
    serial_retransmitted: int = 0


@dataclass(frozen=True, slots=True)
class NotRecorded:
    """The journal can't be written, for the reason in Chinese and English; nothing is settled meanwhile."""

    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """All that waited is written; the journal takes what comes."""


@dataclass(frozen=True, slots=True)
class RecordCut:
    """A start has found the journal damaged: what the running deal and the points stand on may be missing."""

    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class Pictured:
    """Pictures of the moment were kept: the names of the files, and the doubt they belong to (None: none)."""

    doubt: int | None
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BrokerTrouble:
    """The broker does not let the table speak: a code of `broker_words`, and its particulars."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class BrokerMended:
    """That trouble is over."""

    code: str


RecordState = NotRecorded | Recorded | RecordCut | Pictured
BrokerState = BrokerTrouble | BrokerMended

Input = (
    Observation
    | Report
    | CommandDone
    | CommandFailed
    | Tick
    | Measured
    | Order
    | Ordered
    | RecordState
    | BrokerState
)
