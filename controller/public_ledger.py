"""Whatever moves points, below ``ledger/``, and what a recorder of it says to a table."""

from typing import Annotated, Final, TypeAlias

import msgspec

from controller.public_parts import VERSION, Count, Header, PublicMeld, Quad, Seat, TileText

LEDGER_TOPIC: Final = "ledger/settlement"
FINE_TOPIC: Final = "ledger/fine"
ADJUSTMENT_TOPIC: Final = "ledger/adjustment"
ACK_TOPIC: Final = "ledger/ack"
MOST_ACKNOWLEDGED: Final = 1000


class SettlementLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a settlement with its value in units of the rule set and the rule it comes from."""

    zh: str
    en: str
    value: int
    article: str


class Settlement(Header, frozen=True, kw_only=True):
    """``state/settlement`` (retained) and ``ledger/settlement``: how the last hand ended and who pays what.

    For a drawn hand ``drawn`` is true, ``how`` "drawn", ``winner`` null and the payments are zeros; otherwise
    ``how`` is the rule set's name of the way of winning, ``how_zh`` and ``how_en`` are its words for it
    (empty where it has none). Payments sum to zero.
    """

    hand_no: Count
    match_no: Count
    winner: Seat | None
    from_seat: Seat | None
    how: str
    how_zh: str = ""
    how_en: str = ""
    tile: TileText | None
    hand: tuple[TileText, ...]
    melds: tuple[PublicMeld, ...]
    dragon: TileText | None
    dragons: Count
    lines: tuple[SettlementLine, ...]
    unit: int | None
    point_each: int | None
    payments: Quad
    balances: Quad
    payer: Seat | None
    drawn: bool
    match_over: bool


class AmendedSettlement(Settlement, frozen=True, kw_only=True):
    """A settlement that a person has entered or corrected, on the topics of ``Settlement``.

    ``edition`` counts the settlements of this hand from 1. A correction ``supersedes`` the edition named,
    whose payments were ``superseded``; ``difference`` is what it changes for each seat, fines included (zeros
    where only the points before it have changed). ``entered``: ``author`` has told how the hand ended, nobody
    followed it. ``deal`` is its number over the life of the table's journal.
    """

    deal: Count
    edition: Annotated[int, msgspec.Meta(ge=1)] = 1
    supersedes: int | None = None
    superseded: Quad | None = None
    difference: Quad | None = None
    entered: bool = False
    author: str


class Fine(Header, frozen=True, kw_only=True):
    """``ledger/fine``: a seat has declared a win that is none, and ``author`` has confirmed it.

    The hand goes on. Payments sum to zero; ``balances`` are the points after it.
    """

    hand_no: Count
    match_no: Count
    seat: Seat
    payments: Quad
    balances: Quad
    author: str


class Adjustment(Header, frozen=True, kw_only=True):
    """``ledger/adjustment``: ``author`` has moved points for the reason given.

    Payments sum to zero; ``balances`` are the points after it. It also takes fines back that a correction has
    undone.
    """

    hand_no: Count
    match_no: Count
    payments: Quad
    balances: Quad
    reason: str
    author: str


LedgerPayload: TypeAlias = Settlement | AmendedSettlement | Fine | Adjustment

LEDGER_TOPICS: Final[dict[str, type[LedgerPayload]]] = {
    LEDGER_TOPIC: Settlement,
    FINE_TOPIC: Fine,
    ADJUSTMENT_TOPIC: Adjustment,
}
"""Topics that are not retained and must reach their reader: whatever moves points."""


class LedgerAck(msgspec.Struct, frozen=True, kw_only=True):
    """``ledger/ack``: a recorder has recorded these ledger messages of this table, each safe on its disk.

    It names each ``seq`` of one ``boot``: with several recorders at work, that one message is recorded says
    nothing of those before it. What a table does not wait for is passed over, so it may be said again.
    """

    v: int = VERSION
    boot: Count
    seqs: Annotated[tuple[Count, ...], msgspec.Meta(max_length=MOST_ACKNOWLEDGED)]
