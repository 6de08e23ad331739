"""What people see of a table, as plain data, and its payloads. Pure.

`TableView` is put together from the state of the rules; concealed tiles enter it only as numbers.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, cast

import msgspec

from controller.doubt_pictures import telling
from controller.doubts import Doubt
from controller.journal_deals import OutcomeRow
from controller.machine import Machine, Stage, Trouble
from controller.match import Match, places
from controller.public import (
    Alarm,
    CorrectionItem,
    Corrections,
    Counters,
    DeadlineItem,
    DoubtItem,
    Doubts,
    HandPoints,
    HandState,
    MeldName,
    Melds,
    Payload,
    PhaseName,
    PlacedTile,
    Ponds,
    PublicMeld,
    Quad,
    RankedSeat,
    Ranking,
    Scores,
    Settlement,
    SettlementLine,
    TableSnapshot,
)
from controller.session_witness import persons, stands
from controller.timers import Deadline
from controller.view_rules import Told, seats_in_question
from rules.events import Meld
from rules.ruleset import RuleSet
from rules.settlement import Settlement as Account
from rules.state import Phase, TableState
from rules.tiles import Tile

Players = tuple[str, str, str, str]

_PHASES: dict[Stage, PhaseName] = {
    Stage.OPENING: "hatch_open",
    Stage.OPEN: "hatch_open",
    Stage.SHUFFLING: "shuffling",
    Stage.STAGED: "walls",
    Stage.RAISING: "walls",
    Stage.WALLS: "walls",
    Stage.ROLLING: "walls",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallies:
    """Numbers since the start of the controller; the last three are told by the shells, and no news."""

    hands: int = 0
    settled: int = 0
    drawn: int = 0
    withheld: int = 0
    doubts: int = 0
    started: float = 0.0
    read_fps: float = field(default=0.0, compare=False)
    serial_frames: int = field(default=0, compare=False)
    serial_retransmitted: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """Everything that is published of one table at one moment.

    `match` is the running or coming deal; `shown_hand` the numbers of deal and match that are shown, which
    stay those of a finished deal until the next one begins. `playing`: a deal is under way. `ended` is the
    phase that a finished deal leaves. `balances` are the points after the last settlement. Two views are
    equal where people would see nothing new.
    """

    players: Players
    rules: str
    start_points: int
    heartbeat: int
    match: Match
    shown_hand: tuple[int, int]
    balances: Quad
    table: TableState
    deadline: Deadline | None
    playing: bool
    ended: PhaseName
    dice: tuple[int, int] | None
    machine: Machine
    doubts: tuple[Doubt, ...]
    settlement: Settlement | None
    history: tuple[HandPoints, ...]
    ranking: Ranking | None
    corrections: tuple[CorrectionItem, ...]
    paused: bool
    locked: bool
    told: Told
    tallies: Tallies
    now: float = field(compare=False)


def state_payloads(view: TableView) -> dict[str, Payload]:
    """Every retained topic with its payload; headers are still to be stamped."""
    payloads: dict[str, Payload] = {
        "state/table": _table(view),
        "state/scores": _scores(view),
        "state/hand": _hand(view),
        "state/doubt": Doubts(doubts=tuple(map(_doubt, view.doubts))),
        "state/alarm": _alarm(view.machine.alarm),
        "state/counters": _counters(view.tallies, view.now),
    }
    if view.settlement is not None:
        payloads["state/settlement"] = view.settlement
    if view.ranking is not None:
        payloads["state/ranking"] = view.ranking
    payloads["state/corrections"] = Corrections(match_no=view.shown_hand[1], corrections=view.corrections)
    return payloads


def ranking_payload(  # noqa: PLR0913 - all that a ranking tells of
    match: Match,
    balances: Quad,
    *,
    hands: int,
    players: Players,
    start_points: int,
    ended: Literal["played", "ended"],
    history: tuple[HandPoints, ...] = (),
) -> Ranking:
    """How a match ended after so many hands, best first."""
    rows = [
        RankedSeat(place=place, seat=seat, player=players[seat], points=points, change=points - start_points)
        for seat, (place, points) in enumerate(zip(places(balances), balances, strict=True))
    ]
    return Ranking(
        match_no=match.match_no,
        hands=hands,
        ended=ended,
        certain=match.certain,
        ranking=tuple(sorted(rows, key=lambda row: (row.place, row.seat))),
        start_points=start_points,
        history=history,
    )


def hand_points(hand_no: int, outcome: OutcomeRow) -> HandPoints:
    """The points after a deal that has ended."""
    return HandPoints(hand_no=hand_no, how=outcome.how, winner=outcome.winner, balances=outcome.balances)


def time_text(at: float) -> str:
    """Seconds since 1970 as RFC 3339 in UTC, to the millisecond."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def texts(tiles: Iterable[Tile]) -> tuple[str, ...]:
    """Tiles in notation."""
    return tuple(map(str, tiles))


def text(tile: Tile | None) -> str | None:
    """A tile in notation, None for none."""
    return None if tile is None else str(tile)


def public_meld(meld: Meld) -> PublicMeld:
    """A declared set as it is published."""
    taken_from = None if meld.taken_from is None else int(meld.taken_from)
    return PublicMeld(kind=cast("MeldName", str(meld.kind)), tiles=texts(meld.tiles), taken_from=taken_from)


def drawn_payload(table: TableState, match: Match, balances: Quad, *, match_over: bool) -> Settlement:
    """The settlement of a drawn deal: nobody pays."""
    return Settlement(
        hand_no=match.hand_no,
        match_no=match.match_no,
        winner=None,
        from_seat=None,
        how="drawn",
        how_zh="荒庄",
        how_en="drawn hand",
        tile=None,
        hand=(),
        melds=(),
        dragon=text(table.wild),
        dragons=0,
        lines=(),
        unit=None,
        point_each=None,
        payments=(0, 0, 0, 0),
        balances=balances,
        payer=None,
        drawn=True,
        match_over=match_over,
    )


def settlement_payload(  # noqa: PLR0913 - all that a settlement tells of
    account: Account, table: TableState, match: Match, balances: Quad, *, rules: RuleSet, match_over: bool
) -> Settlement:
    """The settlement of a won deal."""
    ways = rules.desk.ways if rules.desk is not None else {}
    how_zh, how_en = ways.get(account.how, ("", ""))
    return msgspec.structs.replace(
        drawn_payload(table, match, balances, match_over=match_over),
        winner=int(account.winner),
        from_seat=None if account.from_seat is None else int(account.from_seat),
        how=account.how,
        how_zh=how_zh,
        how_en=how_en,
        tile=None if account.tile is Tile.UNKNOWN else str(account.tile),
        hand=texts(account.hand),
        melds=tuple(map(public_meld, account.melds)),
        dragons=account.dragons,
        lines=tuple(
            SettlementLine(zh=line.zh, en=line.en, value=line.value, article=line.article)
            for line in account.lines
        ),
        unit=account.unit,
        point_each=account.point_each,
        payments=account.payments,
        payer=None if account.payer is None else int(account.payer),
        drawn=False,
    )


def _table(view: TableView) -> TableSnapshot:
    hand_no, match_no = view.shown_hand
    begun = view.table.phase is not Phase.READY
    return TableSnapshot(
        phase=_phase(view),
        hand_no=hand_no,
        match_no=match_no,
        dealer=_dealer(view),
        dice=view.dice,
        first_die=view.match.die,
        dragon=text(view.table.wild),
        tiles_left=view.table.wall.left if begun else None,
        players=view.players,
        rules=view.rules,
        heartbeat=view.heartbeat,
        paused=view.paused,
        locked=view.locked,
        next_dealer=_next_dealer(view),
        stake=view.told.stake,
    )


def _scores(view: TableView) -> Scores:
    zh, en = view.told.points_named
    return Scores(
        balances=view.balances,
        start_points=view.start_points,
        history=view.history,
        points_zh=zh,
        points_en=en,
        titles=view.told.titles,
    )


def _dealer(view: TableView) -> int | None:
    """The dealer of the deal that is shown; none while only the play can tell."""
    if view.table.phase is not Phase.READY:
        return int(view.table.dealer)
    return int(view.match.dealer) if view.match.certain and view.match.seated else None


def _next_dealer(view: TableView) -> int | None:
    """The dealer of the coming deal once one has ended, as far as anybody knows."""
    over = not view.playing and view.table.phase is Phase.OVER
    return int(view.match.dealer) if over and view.match.certain and view.match.seated else None


def _phase(view: TableView) -> PhaseName:
    if view.machine.stopped:
        return "stopped"
    if view.playing:
        return "dealing" if view.table.phase in {Phase.READY, Phase.DEALT} else "playing"
    return _PHASES.get(view.machine.before, view.ended)


def _hand(view: TableView) -> HandState:
    table, until, told = view.table, view.deadline, view.told
    hand_no, match_no = view.shown_hand
    moving = table.phase in {Phase.TURN, Phase.CLAIM, Phase.DRAW}
    last = table.last_discard
    return HandState(
        hand_no=hand_no,
        match_no=match_no,
        indicator=text(table.indicator),
        dragon=text(table.wild),
        turn=int(table.turn) if moving else None,
        last_discard=None if last is None else PlacedTile(seat=int(last[0]), tile=str(last[1])),
        ponds=cast("Ponds", tuple(map(texts, table.ponds))),
        melds=cast("Melds", tuple(tuple(map(public_meld, hand.melds)) for hand in table.hands)),
        concealed=cast("Quad", tuple(len(hand.concealed) for hand in table.hands)),
        tiles_left=None if table.phase is Phase.READY else table.wall.left,
        deadline=None if until is None else _deadline(until),
        claims_left=told.claims_left,
        warnings=told.warnings,
    )


def _deadline(until: Deadline) -> DeadlineItem:
    seat = None if until.seat is None else int(until.seat)
    return DeadlineItem(at=time_text(until.at), seconds=until.seconds, seat=seat)


def _doubt(doubt: Doubt) -> DoubtItem:
    found, said = doubt.problem, stands(doubt)
    return DoubtItem(
        id=doubt.id,
        kind=str(found.kind),
        zh=found.zh,
        en=found.en,
        candidates=tuple(candidate.text for candidate in found.candidates),
        likelihoods=tuple(candidate.likelihood for candidate in found.candidates),
        resolved_by=tuple(map(str, found.resolved_by)),
        at=time_text(doubt.at),
        persons=tuple(persons(found, candidate) for candidate in found.candidates),
        said="" if said is None else said.text,
        said_by="" if said is None or doubt.said is None else doubt.said.author,
        asked=doubt.asked,
        pictures=telling(doubt.pictures, found),
        seats=seats_in_question(found),
    )


def _alarm(trouble: Trouble | None) -> Alarm:
    if trouble is None:
        return Alarm(active=False, code="", zh="", en="", since=None)
    return Alarm(
        active=True,
        code=trouble.code,
        zh=trouble.zh,
        en=trouble.en,
        advice_zh=tuple(zh for zh, _ in trouble.steps),
        advice_en=tuple(en for _, en in trouble.steps),
        since=time_text(trouble.since),
        sides=trouble.sides,
    )


def _counters(tallies: Tallies, now: float) -> Counters:
    return Counters(
        hands=tallies.hands,
        settled=tallies.settled,
        drawn=tallies.drawn,
        withheld=tallies.withheld,
        doubts=tallies.doubts,
        uptime_s=max(0, int(now - tallies.started)),
        read_fps=round(tallies.read_fps, 1),
        serial_frames=tallies.serial_frames,
        serial_retransmitted=tallies.serial_retransmitted,
    )
