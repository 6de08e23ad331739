"""What a table writes down: one structure per table of the journal; those of a deal are in `journal_deals`.

Field names are column names; fields that are not numbers or text are stored as JSON. `controller/journal.py`
explains the tables to readers of the file. Rows are only ever added.
"""

from typing import ClassVar, Literal, TypeAlias

import msgspec

from controller.agreed import Agreed, Options
from controller.journal_deals import (
    DealRow,
    DoubtEndRow,
    DoubtRow,
    EventRow,
    FineRow,
    OutcomeRow,
    Quad,
    RevisionRow,
)


class BootRow(msgspec.Struct, frozen=True, kw_only=True):
    """A start of the controller. `rules` and `model` are names, `settings` the session's settings as JSON.

    `options` are all options of the rule set; null in a journal that was begun when they were not written.
    """

    table: ClassVar[str] = "boots"
    key: ClassVar[str] = "PRIMARY KEY (boot)"
    boot: int
    at: float
    version: str
    rules: str
    model: str
    settings: str
    options: Options | None = None


class SetupRow(msgspec.Struct, frozen=True, kw_only=True):
    """People have agreed by what rules the coming match is played; `setup` counts from 1.

    `options` are all options of the rule set. It holds while the configuration names `instead_of`.
    """

    table: ClassVar[str] = "setups"
    key: ClassVar[str] = "PRIMARY KEY (setup)"
    setup: int
    boot: int
    at: float
    match_no: int
    rules: str
    options: Options
    instead_of: Agreed
    author: str


class InputRow(msgspec.Struct, frozen=True, kw_only=True):
    """Something that came in: an observation, a report, a change of the link, a person's answer.

    `at` is the time it was handled; `body` is its JSON.
    """

    table: ClassVar[str] = "inputs"
    key: ClassVar[str] = ""
    boot: int
    at: float
    kind: str
    body: str


class DecisionRow(msgspec.Struct, frozen=True, kw_only=True):
    """Something the controller decided beside events.

    `kind`: "command" sent to the board, "stage" entered by the machine, "alarm" raised or cleared, "board"
    whose boot_id is talked to now, "dealer" whom one die has named (`DealerNamed`), "dice" what the two dice
    of a deal show, and who says so (`DiceKnown`), "pictures" of the moment that were kept (the doubt they
    belong to, names of files), "paused" whether people have stopped the table, "locked" whether
    they begin no other hand, "players"
    who sits there (`PlayersNamed`), "standing" where the match stands after an order (`Standing`), "said"
    what one person has said to each open doubt (a list of `Said`).
    """

    table: ClassVar[str] = "decisions"
    key: ClassVar[str] = ""
    boot: int
    at: float
    kind: str
    body: str


class AdjustmentRow(msgspec.Struct, frozen=True, kw_only=True):
    """A referee has moved points: `payments` (zero sum) changed the balances to `balances`.

    `adjustment` counts over the journal's life from 1. `deal` is the last deal that had begun (0: none),
    `during` whether it was still being played.
    """

    table: ClassVar[str] = "adjustments"
    key: ClassVar[str] = "PRIMARY KEY (adjustment)"
    adjustment: int
    deal: int
    during: bool
    boot: int
    at: float
    match_no: int
    payments: Quad
    balances: Quad
    reason: str
    author: str


class MatchRow(msgspec.Struct, frozen=True, kw_only=True):
    """A match is over because `author` has ended it; one that its rules end is told by its last outcome.

    `deals` is the number of its deals, `places` are those of seats 0..3 (1 is the best; equal points share a
    place). `certain` is false where a deal before was withheld and nobody has confirmed the points. A
    correction of one of its deals adds another row; the last one holds.
    """

    table: ClassVar[str] = "matches"
    key: ClassVar[str] = ""
    match_no: int
    boot: int
    at: float
    deals: int
    players: tuple[str, str, str, str]
    balances: Quad
    places: Quad
    certain: bool
    author: str


class AnswerRow(msgspec.Struct, frozen=True, kw_only=True):
    """A person's order has been answered: `verb` what was ordered, `done` whether it was carried out.

    `id` is the sender's name for it. `zh` and `en` say why not, or what was done; `changed` line by line.
    """

    table: ClassVar[str] = "answers"
    key: ClassVar[str] = ""
    boot: int
    at: float
    id: str
    verb: str
    author: str
    done: bool
    zh: str
    en: str
    changed: tuple[str, ...]


class OutboxRow(msgspec.Struct, frozen=True, kw_only=True):
    """A message that must reach its reader: kept until acknowledged, known by (boot, seq)."""

    table: ClassVar[str] = "outbox"
    key: ClassVar[str] = "PRIMARY KEY (boot, seq)"
    boot: int
    seq: int
    at: float
    topic: str
    payload: str


class AckRow(msgspec.Struct, frozen=True, kw_only=True):
    """The outbox message (boot, seq) has been recorded by its reader."""

    table: ClassVar[str] = "acks"
    key: ClassVar[str] = "PRIMARY KEY (boot, seq)"
    boot: int
    seq: int
    at: float


class GapRow(msgspec.Struct, frozen=True, kw_only=True):
    """The chain does not hold up to batch `until`; what follows it is checked again.

    `how`: "pruned" (old rows were deleted), "changed" (a row is not as it was written), "lost" (the end was
    cut off) or "salvaged" (only what could be read was taken over). `zh` and `en` say it to people. `inputs`
    is the number of the last input of then.
    """

    table: ClassVar[str] = "gaps"
    key: ClassVar[str] = ""
    at: float
    how: Literal["pruned", "changed", "lost", "salvaged"]
    until: int
    zh: str
    en: str
    inputs: int


Row: TypeAlias = (
    BootRow
    | InputRow
    | DecisionRow
    | DealRow
    | EventRow
    | DoubtRow
    | DoubtEndRow
    | OutcomeRow
    | FineRow
    | RevisionRow
    | AdjustmentRow
    | MatchRow
    | AnswerRow
    | OutboxRow
    | AckRow
    | GapRow
    | SetupRow
)

ROWS: tuple[type[Row], ...] = (
    BootRow,
    InputRow,
    DecisionRow,
    DealRow,
    EventRow,
    DoubtRow,
    DoubtEndRow,
    OutcomeRow,
    FineRow,
    RevisionRow,
    AdjustmentRow,
    MatchRow,
    AnswerRow,
    OutboxRow,
    AckRow,
    GapRow,
    SetupRow,
)

SETTLED: tuple[type[Row], ...] = (
    DealRow,
    OutcomeRow,
    FineRow,
    RevisionRow,
    AdjustmentRow,
    MatchRow,
    AnswerRow,
    OutboxRow,
    DoubtEndRow,
    GapRow,
    SetupRow,
)
"""Rows that survive a power cut at once. The others survive a killed process; after a power cut what they
told is seen again on the table."""
