"""What a table publishes: the allow-list of everything that leaves it.

Each structure is one topic below ``mj/v1/<parlour>/<table>/``. The lists are closed: a concealed tile of a
running hand has no field to stand in (``HandState`` knows only how many a seat holds), so nothing has to be
filtered out. Tiles become readable when their owner lays them open: in ``Settlement.hand`` and, where the
laid-open tiles do not settle by themselves, in the words of a ``DoubtItem``.

Every payload begins with ``Header``. ``state/*`` topics are retained complete snapshots, never differences; a
reader that has seen ``(boot, seq)`` ignores anything with a smaller pair. Readers ignore unknown fields.
"""

from typing import TypeAlias

import msgspec

from controller.public_events import (
    AlarmEvent,
    BarredEvent,
    DealEvent,
    DiscardEvent,
    DrawnEvent,
    FalseWinEvent,
    IndicatorEvent,
    MeldEvent,
    PhaseEvent,
    RevisedEvent,
    WinEvent,
)
from controller.public_ledger import (
    ADJUSTMENT_TOPIC,
    FINE_TOPIC,
    LEDGER_TOPIC,
    LEDGER_TOPICS,
    Adjustment,
    AmendedSettlement,
    Fine,
    LedgerPayload,
    Settlement,
    SettlementLine,
)
from controller.public_match import (
    MOST_HANDS,
    CorrectionItem,
    Corrections,
    HandPoints,
    RankedSeat,
    Ranking,
    Scores,
    Title,
)
from controller.public_parts import (
    VERSION,
    Count,
    Header,
    MeldName,
    Melds,
    PhaseName,
    PlacedTile,
    Ponds,
    PublicMeld,
    Quad,
    Seat,
    TileText,
)

__all__ = [
    "ADJUSTMENT_TOPIC",
    "EVENT_TOPICS",
    "FINE_TOPIC",
    "LEDGER_TOPIC",
    "LEDGER_TOPICS",
    "MOST_HANDS",
    "STATE_TOPICS",
    "VERSION",
    "Adjustment",
    "Alarm",
    "AlarmEvent",
    "AmendedSettlement",
    "BarredEvent",
    "CorrectionItem",
    "Corrections",
    "Count",
    "Counters",
    "DealEvent",
    "DiscardEvent",
    "DoubtItem",
    "Doubts",
    "DrawnEvent",
    "FalseWinEvent",
    "Fine",
    "HandPoints",
    "HandState",
    "Header",
    "IndicatorEvent",
    "MeldEvent",
    "MeldName",
    "Melds",
    "Payload",
    "PhaseEvent",
    "PhaseName",
    "PlacedTile",
    "Ponds",
    "PublicMeld",
    "Quad",
    "RankedSeat",
    "Ranking",
    "RevisedEvent",
    "Scores",
    "Seat",
    "SeatWarning",
    "Settlement",
    "SettlementLine",
    "TableSnapshot",
    "TileText",
    "Title",
    "WinEvent",
    "encode",
    "json_schemas",
]


class TableSnapshot(Header, frozen=True, kw_only=True):
    """``state/table``: which hand is played and how far it is.

    ``heartbeat`` is the longest time in seconds until the next snapshot of this topic: a reader that hears
    nothing for more than twice as long shows the state as old. ``dragon`` is the wild tile of the hand.
    ``first_die`` is the die that named the first dealer of the match, thrown for chair 0. ``paused``: people
    have stopped the table; what happens there does not count. ``locked``: no other hand begins.
    ``next_dealer`` is the dealer of the next hand after one has ended: null while one is played, and
    where a die or the play has yet to tell. ``stake`` is what a unit of points is multiplied by.
    """

    phase: PhaseName
    hand_no: Count
    match_no: Count
    dealer: Seat | None
    dice: tuple[int, int] | None
    first_die: int | None = None
    dragon: TileText | None
    tiles_left: Count | None
    players: tuple[str, str, str, str]
    rules: str
    heartbeat: Count
    paused: bool = False
    locked: bool = False
    next_dealer: Seat | None = None
    stake: int = 1


class SeatWarning(msgspec.Struct, frozen=True, kw_only=True):
    """What people are to be told of a seat in this hand; ``kind`` is the rule set's name for it."""

    seat: Seat
    kind: str
    zh: str
    en: str


class DeadlineItem(msgspec.Struct, frozen=True, kw_only=True):
    """Until when somebody has to move: `seat` on his turn, everybody (null) for an open discard."""

    at: str
    seconds: float
    seat: Seat | None


class HandState(Header, frozen=True, kw_only=True):
    """``state/hand``: what lies open on the table; of concealed hands only the number of tiles.

    `deadline` is the time that runs for a move, null where the table plays without. ``claims_left`` says how
    many sets each seat (outer) may still make with discards of each opponent (inner; 0 for oneself) without
    losing anything by it; null where the rule set bounds nothing. ``warnings`` follow from what lies open and
    what people have ruled. ``hand_no`` and ``match_no`` are those of the ``state/table`` that it belongs to:
    topics may arrive one by one.
    """

    hand_no: Count = 0
    match_no: Count = 0
    indicator: TileText | None
    dragon: TileText | None
    turn: Seat | None
    last_discard: PlacedTile | None
    ponds: Ponds
    melds: Melds
    concealed: Quad
    tiles_left: Count | None
    deadline: DeadlineItem | None = None
    claims_left: tuple[Quad, Quad, Quad, Quad] | None = None
    warnings: tuple[SeatWarning, ...] = ()


class DoubtItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something the controller is not certain of, in words, with what people may choose from.

    `likelihoods` has one number (0..1) a candidate, null where the table does not tell. `resolved_by` says
    what would resolve it: "look", "key", "person", the quickest first. `persons` has one number a candidate:
    how many different people have to choose it. `said` are the words of the choice that one of them,
    `said_by`, has made and another has to confirm (of a proposed ruling: who proposes it); empty: none. The
    question is put for the `asked`th time: people have differed as often as that less one. `pictures` are
    names of pictures of that moment, the most telling first; the controller serves them over HTTP below
    ``/pictures/`` while the doubt is open. They show what lies open to all.
    ``seats`` are those whose play is in question.
    """

    id: int
    kind: str
    zh: str
    en: str
    candidates: tuple[str, ...]
    at: str
    likelihoods: tuple[float | None, ...] = ()
    resolved_by: tuple[str, ...] = ()
    persons: tuple[int, ...] = ()
    said: str = ""
    said_by: str = ""
    asked: int = 1
    pictures: tuple[str, ...] = ()
    seats: tuple[Seat, ...] = ()


class Doubts(Header, frozen=True, kw_only=True):
    """``state/doubt``: every open doubt, oldest first."""

    doubts: tuple[DoubtItem, ...]


class Alarm(Header, frozen=True, kw_only=True):
    """``state/alarm``: what keeps the table from playing, or ``active`` false.

    ``advice_zh`` and ``advice_en``: what to do, step by step. ``sides`` are the sides of the table it is at.
    """

    active: bool
    code: str
    zh: str
    en: str
    advice_zh: tuple[str, ...] = ()
    advice_en: tuple[str, ...] = ()
    since: str | None
    sides: tuple[Seat, ...] = ()


class Counters(Header, frozen=True, kw_only=True):
    """``state/counters``: since the start of this controller (``hands`` .. ``doubts``) and of its links."""

    hands: Count
    settled: Count
    drawn: Count
    withheld: Count
    doubts: Count
    uptime_s: Count
    read_fps: float
    serial_frames: Count
    serial_retransmitted: Count


Payload: TypeAlias = (
    TableSnapshot
    | Scores
    | HandState
    | LedgerPayload
    | Ranking
    | Corrections
    | Doubts
    | Alarm
    | Counters
    | DealEvent
    | IndicatorEvent
    | DiscardEvent
    | MeldEvent
    | WinEvent
    | DrawnEvent
    | FalseWinEvent
    | BarredEvent
    | RevisedEvent
    | PhaseEvent
    | AlarmEvent
)

STATE_TOPICS: dict[str, type[Payload]] = {
    "state/table": TableSnapshot,
    "state/scores": Scores,
    "state/hand": HandState,
    "state/settlement": Settlement,
    "state/doubt": Doubts,
    "state/alarm": Alarm,
    "state/counters": Counters,
    "state/ranking": Ranking,
    "state/corrections": Corrections,
}
"""Retained topics; ``state/availability`` beside them is plain text."""

EVENT_TOPICS: dict[str, type[Payload]] = {
    "event/deal": DealEvent,
    "event/indicator": IndicatorEvent,
    "event/discard": DiscardEvent,
    "event/meld": MeldEvent,
    "event/win": WinEvent,
    "event/drawn": DrawnEvent,
    "event/false_win": FalseWinEvent,
    "event/barred": BarredEvent,
    "event/revised": RevisedEvent,
    "event/phase": PhaseEvent,
    "event/alarm": AlarmEvent,
}
"""Topics that are not retained."""


def encode(payload: Payload) -> bytes:
    """UTF-8 JSON of a payload, fields in the order of the definition."""
    return msgspec.json.encode(payload)


def json_schemas() -> dict[str, dict[str, object]]:
    """JSON Schema of every topic, keyed by topic."""
    topics = {**STATE_TOPICS, **EVENT_TOPICS, **LEDGER_TOPICS}
    return {topic: msgspec.json.schema(kind) for topic, kind in topics.items()}
