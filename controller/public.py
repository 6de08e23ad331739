"""What a table publishes: the allow-list of everything that leaves it.

Each structure is one topic below ``mj/v1/<parlour>/<table>/``. The lists are closed: a concealed tile of a
running hand has no field to stand in (``HandState`` knows only how many a seat holds), so nothing has to be
filtered out. Tiles become readable when their owner lays them open: in ``Settlement.hand`` and, where the
laid-open tiles do not settle by themselves, in the words of a ``DoubtItem``.

Every payload begins with ``Header``. ``state/*`` topics are retained complete snapshots, never differences; a
reader that has seen ``(boot, seq)`` ignores anything with a smaller pair. Readers ignore unknown fields.
"""

from typing import Annotated, Literal, TypeAlias

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


MOST_HANDS = 60
"""So many hands of a match are told in its history, the last ones."""


class HandPoints(msgspec.Struct, frozen=True, kw_only=True):
    """A hand of a match that has ended: how, who won it, and the points of each seat after it."""

    hand_no: Count
    how: Literal["won", "drawn", "withheld", "abandoned"]
    winner: Seat | None
    balances: Quad


class Title(msgspec.Struct, frozen=True, kw_only=True):
    """The title that goes with a seat's points."""

    zh: str
    en: str


class Scores(Header, frozen=True, kw_only=True):
    """``state/scores``: the points each seat holds in the running match.

    ``points_zh`` and ``points_en`` are what the rule set calls points; ``titles`` one a seat, or none at all.

    ``history`` are the points after each of its hands so far, as they count now, at most ``MOST_HANDS``.
    """

    balances: Quad
    start_points: int
    history: tuple[HandPoints, ...] = ()
    points_zh: str = ""
    points_en: str = ""
    titles: tuple[Title, ...] = ()


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


class RankedSeat(msgspec.Struct, frozen=True, kw_only=True):
    """A seat at the end of a match: ``place`` from 1 (equal points share one), points, and what it won."""

    place: int
    seat: Seat
    player: str
    points: int
    change: int


class Ranking(Header, frozen=True, kw_only=True):
    """``state/ranking``: how the last match ended that is over, best first; nothing before the first.

    ``ended`` is "played" where its rules ended it, "ended" where a person did. ``certain`` is false where a
    hand was withheld and nobody has confirmed the points since. ``history`` are the points after each of its
    hands, at most ``MOST_HANDS``; what was moved after the last one stands in ``ranking`` alone.
    """

    match_no: Count
    hands: Count
    ended: Literal["played", "ended"]
    certain: bool
    ranking: tuple[RankedSeat, ...]
    start_points: int = 0
    history: tuple[HandPoints, ...] = ()


class CorrectionItem(msgspec.Struct, frozen=True, kw_only=True):
    """A hand whose settlement was corrected: what it is now, what it was before, and the difference."""

    deal: Count
    hand_no: Count
    edition: int
    author: str
    at: str
    payments: Quad
    superseded: Quad
    difference: Quad


class Corrections(Header, frozen=True, kw_only=True):
    """``state/corrections``: the hands of the last hand's match that were corrected, as they hold now."""

    match_no: Count
    corrections: tuple[CorrectionItem, ...]


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
    | Settlement
    | AmendedSettlement
    | Fine
    | Adjustment
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

LEDGER_TOPIC = "ledger/settlement"
FINE_TOPIC = "ledger/fine"
ADJUSTMENT_TOPIC = "ledger/adjustment"
LEDGER_TOPICS: dict[str, type[Payload]] = {
    LEDGER_TOPIC: Settlement,
    FINE_TOPIC: Fine,
    ADJUSTMENT_TOPIC: Adjustment,
}
"""Topics that are not retained and must reach their reader: whatever moves points."""


def encode(payload: Payload) -> bytes:
    """UTF-8 JSON of a payload, fields in the order of the definition."""
    return msgspec.json.encode(payload)


def json_schemas() -> dict[str, dict[str, object]]:
    """JSON Schema of every topic, keyed by topic."""
    topics = {**STATE_TOPICS, **EVENT_TOPICS, **LEDGER_TOPICS}
    return {topic: msgspec.json.schema(kind) for topic, kind in topics.items()}
