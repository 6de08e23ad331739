"""What a table writes down: one structure per table of the journal, and what is read back at a start.

Field names are column names; fields that are not numbers or text are stored as JSON. `controller/journal.py`
explains the tables to readers of the file. Rows are only ever added.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import msgspec

from controller.journal_decisions import PlayersNamed, Said, Standing

Quad: TypeAlias = tuple[int, int, int, int]
TileTexts: TypeAlias = tuple[str, ...]
Options: TypeAlias = dict[str, bool | int | str]
EndOfDeal = Literal["won", "drawn", "withheld", "abandoned"]
EndOfDoubt = Literal["explained", "chosen", "confirmed", "withdrawn", "withheld"]


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
    belong to, names of files), "paused" whether people have stopped the table, "players"
    who sits there (`PlayersNamed`), "standing" where the match stands after an order (`Standing`), "said"
    what one person has said to each open doubt (a list of `Said`).
    """

    table: ClassVar[str] = "decisions"
    key: ClassVar[str] = ""
    boot: int
    at: float
    kind: str
    body: str


class DealerNamed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One die, thrown for chair 0 before a match, has named its first dealer; `by` says who has read it."""

    match_no: int
    die: int
    dealer: int
    by: str = "board"


class DiceKnown(msgspec.Struct, frozen=True, kw_only=True):
    """What the two dice of a deal show.

    `by` is "board", "virtual", "camera", or the person who has answered. `values` is null where board and
    camera have read different ones (`board`, `camera`) and nobody has answered yet.
    """

    deal: int
    values: tuple[int, int] | None
    by: str
    board: tuple[int, int] | None = None
    camera: tuple[int, int] | None = None


class DealRow(msgspec.Struct, frozen=True, kw_only=True):
    """A deal begins; `deal` counts over the journal's life from 1, `balances` are those before it.

    `dealer` is null where only the people or the play itself tell who deals: after a withheld deal, or when
    no die has named the first dealer.
    """

    table: ClassVar[str] = "deals"
    key: ClassVar[str] = "PRIMARY KEY (deal)"
    deal: int
    boot: int
    at: float
    match_no: int
    hand_no: int
    dealer: int | None
    balances: Quad


class EventRow(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a deal as one line of a record; `author` is "table" or who entered it.

    "table, unseen" stands where nobody has seen in which order it happened, and it makes no difference.
    `n` counts what was written of the deal, from 0; what a `RevisionRow` has taken back keeps its number.
    """

    table: ClassVar[str] = "events"
    key: ClassVar[str] = "PRIMARY KEY (deal, n)"
    deal: int
    n: int
    boot: int
    at: float
    text: str
    author: str


class DoubtRow(msgspec.Struct, frozen=True, kw_only=True):
    """A doubt is raised; `doubt` counts over the journal's life from 1, `candidates` are readable lines.

    `proposal` is the event a person has proposed, as one line of a record; null for what was found.
    """

    table: ClassVar[str] = "doubts"
    key: ClassVar[str] = "PRIMARY KEY (doubt)"
    doubt: int
    boot: int
    at: float
    deal: int
    kind: str
    zh: str
    en: str
    candidates: tuple[str, ...]
    proposal: str | None = None


class DoubtEndRow(msgspec.Struct, frozen=True, kw_only=True):
    """A doubt ends; `choice` is the candidate taken (from 0), `author` who decided ("table": a look)."""

    table: ClassVar[str] = "doubt_ends"
    key: ClassVar[str] = "PRIMARY KEY (doubt)"
    doubt: int
    boot: int
    at: float
    how: EndOfDoubt
    choice: int | None
    author: str


class OutcomeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A deal ends: what lay on the table, who won with what, who pays, and what follows.

    `ponds` and `melds` are as the deal left them, by seat; a meld is [kind, tiles, taken_from]. `hand`
    includes the winning tile. `reason` is why a deal was withheld or abandoned, else empty. `settlement` is
    the published payload as JSON, empty where nothing was settled. `answers` are what people have answered
    to the rule set's questions. `dealer_next`, `kept_next` (deals the
    next dealer has kept by winning) and `balances` hold after the deal; `match_over` says that the next deal
    opens a new match. `certain` is false after a withheld deal, whose result only the people know, until they
    have confirmed what follows from it.

    A correction adds a row of the same deal with the next `edition`: it `supersedes` the edition named, which
    stays as it is; `difference` is what it changes for each seat (payments and fines of the deal). The last
    edition holds. `author` has corrected, entered or abandoned it, else "table". `before` are the points
    before the deal as this edition counts them, `fined` what false wins in it have cost.
    """

    table: ClassVar[str] = "outcomes"
    key: ClassVar[str] = "PRIMARY KEY (deal, edition)"
    deal: int
    boot: int
    at: float
    how: EndOfDeal
    reason: str
    indicator: str | None
    wild: str | None
    ponds: tuple[TileTexts, ...]
    melds: tuple[tuple[tuple[str, TileTexts, int | None], ...], ...]
    winner: int | None
    from_seat: int | None
    tile: str | None
    hand: TileTexts
    payments: Quad
    balances: Quad
    dealer_next: int
    kept_next: int
    match_over: bool
    certain: bool
    settlement: str
    answers: dict[str, str] = {}
    edition: int = 1
    supersedes: int | None = None
    difference: Quad | None = None
    author: str = "table"
    before: Quad | None = None
    fined: Quad | None = None


class FineRow(msgspec.Struct, frozen=True, kw_only=True):
    """A false win has been fined: event `n` of the deal, which goes on.

    `payments` are what it costs whom, `balances` the points after it, `author` who has confirmed it.
    """

    table: ClassVar[str] = "fines"
    key: ClassVar[str] = "PRIMARY KEY (deal, n)"
    deal: int
    n: int
    boot: int
    at: float
    seat: int
    payments: Quad
    balances: Quad
    author: str


class RevisionRow(msgspec.Struct, frozen=True, kw_only=True):
    """An event was taken back, or a deal corrected: its record is another from here on.

    `revision` counts over the journal's life from 1. Rows of the deal in `events` with a number below `n`
    count no more; `events` stand in their place. `balances` are the points that hold now, of the running
    deal's match. `author` has ordered it ("table": the table tells otherwise than before); a correction of an
    earlier deal may revise a later one. `undone` is the event that a person has taken back. `fined` is what
    false wins of the deal cost by this record (null: none was told).
    """

    table: ClassVar[str] = "revisions"
    key: ClassVar[str] = "PRIMARY KEY (revision)"
    revision: int
    deal: int
    boot: int
    at: float
    how: Literal["undone", "corrected"]
    n: int
    events: tuple[str, ...]
    balances: Quad
    author: str
    undone: str | None = None
    fined: Quad | None = None


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
)
"""Rows that survive a power cut at once. The others survive a killed process; after a power cut what they
told is seen again on the table."""


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A deal that has ended: its record as its revisions leave it, its last outcome, the start before it.

    `written` is the number of its rows in `events`.
    """

    deal: DealRow
    events: tuple[str, ...]
    outcome: OutcomeRow
    begun: BootRow | None
    written: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What a start finds: all zero and empty for a new journal.

    Attributes:
        boot: number of this start, from 1.
        doubts: number of doubts ever raised.
        deal: the last deal, None before the first.
        events: records of the last deal's events, in order.
        outcome: the last deal's outcome, None while it is still being played.
        before: the outcome of the deal before the last, None where there is none.
        open_doubts: doubts of the last deal that have not ended.
        stage: the machine's last stage, empty for a new journal.
        board: the board's last boot_id.
        begun: the start at which the last deal began, None before the first.
        fines: what has been fined in the last deal.
        named: the last first dealer whom a die has named.
        dice: what the dice of the deal for which that was said last show.
        written: number of rows in `events` of the last deal, those that count no more included.
        revisions: number of revisions over the journal's life.
        undone: the event that a person has taken back last, None where something was written since.
        fined: what false wins of the last deal have cost.
        said: so many events of the last deal stand because a person has corrected it.
        adjustments: number of adjustments over the journal's life.
        played: the deals of the last deal's match and of the one before that have ended.
        match: the last match that a person has ended.
        paused: people have stopped the table.
        players: who sits there, where a person has said so.
        standing: where the match stood after the last order that changed it.
        answers: the answers to orders of the last ten minutes before the last one.
        cut: the record was found damaged since the last outcome.
        statements: what one person has said to doubts and nobody has confirmed, as told last.
    """

    boot: int = 1
    doubts: int = 0
    deal: DealRow | None = None
    events: tuple[str, ...] = ()
    outcome: OutcomeRow | None = None
    before: OutcomeRow | None = None
    open_doubts: tuple[DoubtRow, ...] = ()
    stage: str = ""
    board: int | None = None
    begun: BootRow | None = None
    fines: tuple[FineRow, ...] = ()
    named: DealerNamed | None = None
    dice: DiceKnown | None = None
    written: int = 0
    revisions: int = 0
    undone: str | None = None
    fined: Quad = (0, 0, 0, 0)
    said: int = 0
    adjustments: int = 0
    played: tuple[PlayedDeal, ...] = ()
    match: MatchRow | None = None
    paused: bool = False
    players: PlayersNamed | None = None
    standing: Standing | None = None
    answers: tuple[AnswerRow, ...] = ()
    cut: bool = False
    statements: tuple[Said, ...] = ()
