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

VERSION = 1

Seat: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=3)]
TileText: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^([1-9][mps]|[1-8]f|[ESWNCFP]|back|\?)$")]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Quad: TypeAlias = tuple[int, int, int, int]
PhaseName = Literal[
    "idle", "hatch_open", "shuffling", "walls", "dealing", "playing", "settled", "drawn", "stopped"
]
MeldName = Literal["chi", "peng", "kong", "added_kong", "concealed_kong"]


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """First fields of every payload: schema version, boot, sequence number, time (RFC 3339, UTC).

    The last three are stamped when the payload is published.
    """

    v: int = VERSION
    boot: Count = 0
    seq: Count = 0
    ts: str = ""


class TableSnapshot(Header, frozen=True, kw_only=True):
    """``state/table``: which hand is played and how far it is.

    ``heartbeat`` is the longest time in seconds until the next snapshot of this topic: a reader that hears
    nothing for more than twice as long shows the state as old. ``dragon`` is the wild tile of the hand.
    ``first_die`` is the die that named the first dealer of the match, thrown for chair 0. ``paused``: people
    have stopped the table; what happens there does not count.
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


class Scores(Header, frozen=True, kw_only=True):
    """``state/scores``: the points each seat holds in the running match."""

    balances: Quad
    start_points: int


class PlacedTile(msgspec.Struct, frozen=True, kw_only=True):
    """A tile and the seat before which it lies."""

    seat: Seat
    tile: TileText


class PublicMeld(msgspec.Struct, frozen=True, kw_only=True):
    """An exposed meld; ``taken_from`` is the seat whose discard it took, null for a concealed kong."""

    kind: MeldName
    tiles: tuple[TileText, ...]
    taken_from: Seat | None


Ponds: TypeAlias = tuple[
    tuple[TileText, ...], tuple[TileText, ...], tuple[TileText, ...], tuple[TileText, ...]
]
Melds: TypeAlias = tuple[
    tuple[PublicMeld, ...], tuple[PublicMeld, ...], tuple[PublicMeld, ...], tuple[PublicMeld, ...]
]


class HandState(Header, frozen=True, kw_only=True):
    """``state/hand``: what lies open on the table; of concealed hands only the number of tiles."""

    indicator: TileText | None
    dragon: TileText | None
    turn: Seat | None
    last_discard: PlacedTile | None
    ponds: Ponds
    melds: Melds
    concealed: Quad
    tiles_left: Count | None


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
    hand was withheld and nobody has confirmed the points since.
    """

    match_no: Count
    hands: Count
    ended: Literal["played", "ended"]
    certain: bool
    ranking: tuple[RankedSeat, ...]


class DoubtItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something the controller is not certain of, in words, with what people may choose from.

    `likelihoods` has one number (0..1) a candidate, null where the table does not tell. `resolved_by` says
    what would resolve it: "look", "key", "person", the quickest first.
    """

    id: int
    kind: str
    zh: str
    en: str
    candidates: tuple[str, ...]
    at: str
    likelihoods: tuple[float | None, ...] = ()
    resolved_by: tuple[str, ...] = ()


class Doubts(Header, frozen=True, kw_only=True):
    """``state/doubt``: every open doubt, oldest first."""

    doubts: tuple[DoubtItem, ...]


class Alarm(Header, frozen=True, kw_only=True):
    """``state/alarm``: what keeps the table from playing, or ``active`` false.

    ``advice_zh`` and ``advice_en``: what to do, step by step.
    """

    active: bool
    code: str
    zh: str
    en: str
    advice_zh: tuple[str, ...] = ()
    advice_en: tuple[str, ...] = ()
    since: str | None


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


class DealEvent(Header, frozen=True, kw_only=True):
    """``event/deal``: the dice are thrown, tiles are taken."""

    hand_no: Count
    dealer: Seat
    dice: tuple[int, int] | None


class IndicatorEvent(Header, frozen=True, kw_only=True):
    """``event/indicator``: the indicator lies open; the wild tile follows from it."""

    tile: TileText
    dragon: TileText | None


class DiscardEvent(Header, frozen=True, kw_only=True):
    """``event/discard``."""

    seat: Seat
    tile: TileText


class MeldEvent(Header, frozen=True, kw_only=True):
    """``event/meld``: a chi, peng or kong lies open."""

    seat: Seat
    meld: PublicMeld


class WinEvent(Header, frozen=True, kw_only=True):
    """``event/win``: somebody has won; the hand follows in the settlement."""

    seat: Seat
    from_seat: Seat | None


class DrawnEvent(Header, frozen=True, kw_only=True):
    """``event/drawn``: the wall ran out."""

    hand_no: Count


class FalseWinEvent(Header, frozen=True, kw_only=True):
    """``event/false_win``: a win that is none was declared; the hand goes on, the fine follows."""

    seat: Seat


class BarredEvent(Header, frozen=True, kw_only=True):
    """``event/barred``: people have found that a seat may not win this hand."""

    seat: Seat
    reason: str


class RevisedEvent(Header, frozen=True, kw_only=True):
    """``event/revised``: ``author`` has taken the last event back ("undone") or corrected the hand."""

    hand_no: Count
    match_no: Count
    how: Literal["undone", "corrected"]
    author: str


class PhaseEvent(Header, frozen=True, kw_only=True):
    """``event/phase``: the table entered another phase."""

    phase: PhaseName


class AlarmEvent(Header, frozen=True, kw_only=True):
    """``event/alarm``: an alarm was raised or cleared."""

    active: bool
    code: str


Payload: TypeAlias = (
    TableSnapshot
    | Scores
    | HandState
    | Settlement
    | Fine
    | Adjustment
    | Ranking
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
