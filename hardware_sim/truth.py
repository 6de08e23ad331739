"""What really happened, written down where only the verdict reads it.

`truth.jsonl` holds one JSON object a line. `{"kind": "start", ...}` names seed and rules; `{"kind": "event",
"deal", "at", "text"}` is written as things happen, with every tile known; `{"kind": "deal", ...}`
(`DealTruth`) when a deal ends. The settlement is made of the public events and of the tiles that were laid
open, never of what no camera could have seen.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Literal, Self

import msgspec

from hardware_sim.readings_lying import shown
from hardware_sim.scene import SceneTile
from rules.deal import first_dealer
from rules.events import DealStarted, Event, Won
from rules.record import format_event
from rules.ruleset import RuleSet
from rules.scoring import settle
from rules.settlement import Settlement, Unsettled
from rules.state import Balances, TableState, public
from rules.tiles import Seat, Tile

Four = tuple[int, int, int, int]
TileTexts = tuple[str, ...]
MeldTruth = tuple[str, TileTexts, int | None]
"""Kind, tiles in order, and the seat whose discard it took."""


class Start(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="start"):
    """First line: how the simulator was started; `options` are all options of the rule set."""

    seed: int
    rules: str
    speed: float
    options: dict[str, bool | int | str] | None = None


class EventTruth(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="event"):
    """An event as one line of a record with every tile known; `at` in seconds since the start."""

    deal: int
    at: float
    text: str


class Lain(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="lain"):
    """Tiles that lie somewhere new since `at` (seconds since 1970), and bodies that lie there no more.

    A tile is (body, face, x mm, y mm). Only what lies open, or face down ("back") outside the walls.
    """

    at: float
    tiles: tuple[tuple[int, str, float, float], ...] = ()
    gone: tuple[int, ...] = ()


class DealTruth(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="deal"):
    """A deal that has ended.

    `began` is when its dice lay (seconds since 1970). `people_s` is how long the people's movements take at
    speed 1, `wall_s` how long the deal took. `how`: "won", "drawn", or "unsettled" where the public events
    and the shown tiles decide no account (`reason` says why). `hand` includes the winning tile. `fetched`:
    whether a tile won from a discard was laid to the hand or left in the pond. `balances` are those after the
    deal, before a new match sets them afresh.
    """

    deal: int
    match_no: int
    dealer: int
    kept: int
    dice: tuple[int, int]
    indicator: str | None
    wild: str | None
    ponds: tuple[TileTexts, ...]
    melds: tuple[tuple[MeldTruth, ...], ...]
    how: Literal["won", "drawn", "unsettled"]
    reason: str
    winner: int | None
    from_seat: int | None
    tile: str | None
    hand: TileTexts
    fetched: bool
    payments: Four
    balances: Four
    match_over: bool
    lines: tuple[str, ...]
    events: tuple[str, ...]
    began: float = 0.0
    people_s: float = 0.0
    wall_s: float = 0.0


Line = Start | EventTruth | Lain | DealTruth


@dataclass(frozen=True, slots=True)
class Match:
    """Where a match stands before a deal: who deals, how often he kept the deal by winning, the points.

    `opens`: it is the first deal, whose dealer one die names.
    """

    dealer: Seat
    kept: int
    balances: Balances
    number: int = 1
    opens: bool = False


def first_match(rules: RuleSet, number: int = 1) -> Match:
    """A match before its first deal: seat 0 deals unless a die says otherwise, all have the same points."""
    points = rules.start_points
    return Match(Seat.S0, 0, (points, points, points, points), number, opens=True)


def seated(match: Match, die: int | None, rules: RuleSet) -> Match:
    """The match with the dealer whom a die, thrown for seat 0, names before the first deal; None: no die."""
    if not match.opens or die is None:
        return match
    return replace(match, dealer=first_dealer(Seat.S0, die, rules))


def settled(state: TableState, match: Match, rules: RuleSet) -> Settlement | None:
    """The account of a won deal as everybody at the table can make it; None for a drawn hand.

    Raises:
        Unsettled: what was shown does not decide it.
    """
    if not isinstance(state.result, Won):
        return None
    return settle(public(state), rules, match.balances)


def paid(balances: Balances, payments: Balances) -> Balances:
    """The balances after the payments."""
    a, b, c, d = (have + change for have, change in zip(balances, payments, strict=True))
    return (a, b, c, d)


def next_match(match: Match, state: TableState, settlement: Settlement | None, rules: RuleSet) -> Match:
    """Where the match stands before the next deal; a new match after the last deal of one."""
    balances = paid(match.balances, settlement.payments) if settlement else match.balances
    if rules.match_over(balances, settlement):
        return first_match(rules, match.number + 1)
    dealer = rules.next_dealer(state)
    won = isinstance(state.result, Won)
    kept = match.kept if not won else match.kept + 1
    kept = kept if dealer is match.dealer else 0
    return replace(match, dealer=dealer, kept=kept, balances=balances, opens=False)


def deal_truth(number: int, state: TableState, match: Match, rules: RuleSet, *, fetched: bool) -> DealTruth:
    """The line of a deal that has ended (`state` with every tile known, in phase OVER)."""
    settlement, reason = None, ""
    try:
        settlement = settled(state, match, rules)
    except Unsettled as unsettled:
        reason = unsettled.reason
    won = state.result if isinstance(state.result, Won) else None
    payments = settlement.payments if settlement else (0, 0, 0, 0)
    balances = paid(match.balances, payments)
    return DealTruth(
        deal=number,
        match_no=match.number,
        dealer=match.dealer,
        kept=match.kept,
        dice=_dice(state),
        indicator=None if state.indicator is None else str(state.indicator),
        wild=None if state.wild is None else str(state.wild),
        ponds=tuple(_texts(pond) for pond in state.ponds),
        melds=tuple(
            tuple((str(meld.kind), _texts(meld.tiles), meld.taken_from) for meld in hand.melds)
            for hand in state.hands
        ),
        how="drawn" if won is None else "unsettled" if settlement is None else "won",
        reason=reason,
        winner=None if won is None else won.seat,
        from_seat=None if won is None else won.from_seat,
        tile=None if won is None or won.tile is Tile.UNKNOWN else str(won.tile),
        hand=() if won is None else _texts(tuple(sorted(won.hand))),
        fetched=fetched,
        payments=payments,
        balances=balances,
        match_over=rules.match_over(balances, settlement),
        lines=tuple(f"{line.zh} {line.en} {line.value}" for line in settlement.lines) if settlement else (),
        events=tuple(format_event(event) for event in state.log),
    )


def _texts(tiles: tuple[Tile, ...]) -> TileTexts:
    return tuple(str(tile) for tile in tiles)


def _dice(state: TableState) -> tuple[int, int]:
    match state.log:
        case (DealStarted(dice=(first, second)), *_):
            return first, second
    return 0, 0


class TruthFile:
    """Appends lines to `truth.jsonl`; each is on the disk before play goes on."""

    def __init__(self, path: Path) -> None:
        """Begin the file anew."""
        self._file: IO[bytes] = path.open("wb")

    def write(self, line: Line) -> None:
        """Append one line."""
        self._file.write(msgspec.json.encode(line) + b"\n")
        self._file.flush()

    def event(self, deal: int, at: float, event: Event) -> None:
        """Append an event."""
        self.write(EventTruth(deal=deal, at=round(at, 3), text=format_event(event)))

    def lain(self, at: float, gone: tuple[int, ...], new: tuple[SceneTile, ...]) -> None:
        """Append what lies somewhere new, if anything does."""
        tiles = tuple((tile.id, shown(tile), round(tile.x, 1), round(tile.y, 1)) for tile in new)
        if gone or tiles:
            self.write(Lain(at=round(at, 3), tiles=tiles, gone=gone))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_truth(path: Path) -> tuple[Line, ...]:
    """Every line of a truth file; a last line that is still being written is left out.

    Raises:
        OSError: the file can't be read.
        ValueError: a line is no truth; the message says which.
    """
    decoder = msgspec.json.Decoder(Line)
    found: list[Line] = []
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
        if not line.endswith(b"\n"):
            break
        try:
            found.append(decoder.decode(line))
        except msgspec.MsgspecError as error:
            raise ValueError(f"{path}, line {number}: no line of a truth file ({error})") from error
    return tuple(found)
