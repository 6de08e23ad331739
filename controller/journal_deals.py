"""What is written of one deal: its start, events and doubts, how it ended, and what was taken back of it.

One structure per table of the journal; see `controller/journal_rows.py`.
"""

from typing import ClassVar, Literal, TypeAlias

import msgspec

Quad: TypeAlias = tuple[int, int, int, int]
TileTexts: TypeAlias = tuple[str, ...]
EndOfDeal = Literal["won", "drawn", "withheld", "abandoned"]
EndOfDoubt = Literal["explained", "chosen", "confirmed", "withdrawn", "withheld"]


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
    As it was raised, `likelihoods` has one number (0..1) a candidate, null where the table does not tell, and
    `resolved_by` what may resolve it (look, key, person), the quickest first; both are empty in rows from
    before schema 8.
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
    likelihoods: tuple[float | None, ...] = ()
    resolved_by: tuple[str, ...] = ()


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
