"""A start goes on where the last one stopped: match, points and the running deal from the journal. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from controller.agreed import Agreed, agreed, written_options
from controller.doubts import Doubt, DoubtKind, Problem
from controller.journal_deals import DealRow, DoubtRow, FineRow, OutcomeRow
from controller.journal_decisions import DiceKnown, Standing
from controller.journal_start import Past, PlayedDeal
from controller.match import Match, first_match
from controller.public import MOST_HANDS, AmendedSettlement, HandPoints, Ranking
from controller.session_dice import DealDice
from controller.session_history import NOTHING, History, Played, correction_of, difference
from controller.session_outcome import ENDED, payload_of
from controller.session_play import Play
from controller.session_rulings import proposal_again
from controller.session_witness import as_written
from controller.tracker import Tracker
from controller.view import Players, hand_points, ranking_payload
from rules.events import DealStarted, Event, IllegalEvent
from rules.record import parse_event
from rules.ruleset import RuleSet
from rules.state import Balances, TableState
from rules.table import new_table, replay
from rules.tiles import Seat


class RecordBroken(ValueError):
    """The record of the running deal can't be replayed with this rule set."""


def restored(
    past: Past, rules: RuleSet, tracker: Tracker, configured: Players, defaults: Agreed | None = None
) -> Play:
    """The play at the moment the journal ends; where it was found damaged, people are to confirm the points.

    `configured` are the names that the configuration gives, `defaults` its rules, by default `rules`.

    Raises:
        RecordBroken: the running deal was begun under other rules or options, or the last deal's events are
            not legal in `rules`.
    """
    play = _as_recorded(past, rules, tracker, configured)
    play.defaults = defaults or agreed(rules)
    play.locked = past.locked
    play.setups = 0 if past.setup is None else past.setup.setup
    if past.cut:
        play.match = replace(play.match, certain=False)
    return play


def _as_recorded(past: Past, rules: RuleSet, tracker: Tracker, configured: Players) -> Play:
    if past.outcome is None and past.begun is not None:
        _require_the_same(past.begun, rules)
    fresh = first_match(rules)
    deal, outcome = past.deal, past.outcome
    if deal is None:
        match = _standing(past, fresh, rules) or _named(past, fresh)
        return Play(
            rules=rules,
            tracker=tracker,
            match=match,
            table=new_table(rules),
            raised=past.doubts,
            revised=past.revisions,
            adjustments=past.adjustments,
            balances=match.balances,
            shown_hand=(fresh.hand_no, fresh.match_no),
            players=_players(past, configured),
            configured=configured,
            paused=past.paused,
        )
    events = _events(past.events)
    match = _match_at(past, deal, events) if outcome is None else _match_after(past, deal, outcome, rules)
    table = _table(events, rules, over=outcome is not None)
    last = outcome or past.before
    players = _players(past, configured)
    known = past.dice if past.dice is not None and past.dice.deal == deal.deal else None
    return Play(
        rules=rules,
        tracker=tracker,
        match=match,
        table=table,
        deal=deal.deal,
        playing=outcome is None,
        ended="idle" if outcome is None else ENDED[outcome.how],
        doubt=_doubt([row for row in past.open_doubts if row.proposal is None], past),
        ruling=next(
            (
                as_written(
                    replace(proposal_again(row, table, match, rules), pictures=_pictures(row, past)),
                    past.statements,
                )
                for row in past.open_doubts
                if row.proposal is not None
            ),
            None,
        ),
        raised=past.doubts,
        written=past.written,
        revised=past.revisions,
        fined=past.fined,
        before=_before(past, deal),
        said=past.said,
        history=_history(past, deal),
        undone=None if past.undone is None else parse_event(past.undone),
        adjustments=past.adjustments,
        balances=_balances(past, deal),
        shown_hand=(deal.hand_no, deal.match_no),
        players=players,
        configured=configured,
        paused=past.paused,
        ranking=_ranking(past, rules, players),
        dice=DealDice(_dice(known, events), known),
        settlement=None if last is None else payload_of(last),
    )


def _dice(known: DiceKnown | None, events: Sequence[Event]) -> tuple[int, int] | None:
    """What the deal's dice show: as was said of them last, else as its first event says."""
    if known is not None:
        return known.values
    return next((event.dice for event in events if isinstance(event, DealStarted)), None)


def _require_the_same(begun: Agreed, rules: RuleSet) -> None:
    """A deal is settled by the rules it was begun with; others may follow when it is over."""
    if begun.rules != rules.name:
        raise RecordBroken(
            f"the running hand was begun with rules = {begun.rules!r}, now they are {rules.name!r}; "
            "finish it with the old ones"
        )
    now = written_options(rules)
    changed = [
        f"{name} = {value!r}, now it is {now.get(name)!r}"
        for name, value in (begun.options or {}).items()
        if now.get(name) != value
    ]
    if changed:
        raise RecordBroken(
            f"the running hand was begun with option {'; '.join(changed)}; finish it with the old options"
        )


def _events(lines: tuple[str, ...]) -> tuple[Event, ...]:
    try:
        return tuple(map(parse_event, lines))
    except ValueError as error:
        raise RecordBroken(str(error)) from error


def _table(events: tuple[Event, ...], rules: RuleSet, *, over: bool) -> TableState:
    try:
        return replay(events, rules)
    except IllegalEvent as error:
        if over:
            # It was settled under other rules; what lay there then is shown no more.
            return new_table(rules)
        raise RecordBroken(f"the last deal can't be replayed with {rules.name}: {error}") from error


def _match_at(past: Past, deal: DealRow, events: tuple[Event, ...]) -> Match:
    """The match of the running deal; where its dealer is not known yet, the last one's is assumed."""
    before = past.before
    started = next((event for event in events if isinstance(event, DealStarted)), None)
    dealer, kept = (0, 0) if before is None else (before.dealer_next, before.kept_next)
    if started is not None:
        dealer, kept = started.dealer, started.kept
    certain = before is None or before.certain
    if past.standing is not None and _is_later(past.standing, deal):
        certain = past.standing.certain
    return Match(
        match_no=deal.match_no,
        hand_no=deal.hand_no,
        dealer=Seat(dealer),
        kept=kept,
        balances=_balances(past, deal),
        seated=started is not None or deal.dealer is not None,
        die=_die(past, deal.match_no),
        certain=certain,
    )


def _match_after(past: Past, deal: DealRow, outcome: OutcomeRow, rules: RuleSet) -> Match:
    """The match of the next deal; points of one game are worth nothing in another."""
    ordered = _standing(past, first_match(rules), rules)
    if ordered is not None:
        return ordered
    if outcome.match_over or not _is_same_game(past.begun, rules):
        return _named(past, replace(first_match(rules), match_no=deal.match_no + 1))
    return Match(
        match_no=deal.match_no,
        hand_no=deal.hand_no + 1,
        dealer=Seat(outcome.dealer_next),
        kept=outcome.kept_next,
        balances=outcome.balances,
        seated=bool(past.events) or deal.dealer is not None,
        die=_die(past, deal.match_no),
        certain=outcome.certain,
    )


def _is_same_game(before: Agreed | None, rules: RuleSet) -> bool:
    """Whether points of a game that was played by other rules are worth something in the next."""
    if before is None:
        return True
    return before.rules == rules.name and before.start_points in {None, rules.start_points}


def _is_later(standing: Standing, row: DealRow | OutcomeRow | FineRow) -> bool:
    """Whether an order has changed where the match stands after that was written."""
    return (standing.boot, standing.at) >= (row.boot, row.at)


def _standing(past: Past, fresh: Match, rules: RuleSet) -> Match | None:
    """The coming deal's match as the last order has left it, None where none came since the last deal."""
    standing = past.standing
    if standing is None or not _is_same_game(past.stood, rules):
        return None
    if past.outcome is not None and not _is_later(standing, past.outcome):
        return None
    match = replace(
        fresh,
        match_no=standing.match_no,
        hand_no=standing.hand_no,
        dealer=Seat(standing.dealer),
        kept=standing.kept,
        balances=standing.balances,
        seated=standing.seated,
        die=standing.die,
        certain=standing.certain,
    )
    return match if match.seated else _named(past, match)


def _players(past: Past, configured: Players) -> Players:
    """Who sits there: as was said, unless the configuration has been changed since."""
    named = past.players
    return configured if named is None or named.instead_of != configured else named.players


def _before(past: Past, deal: DealRow) -> Balances:
    """The points before the last deal as they count now."""
    if past.outcome is not None:
        return past.outcome.before or deal.balances
    standing = past.standing
    if standing is not None and standing.before is not None and _is_later(standing, deal):
        return standing.before
    return deal.balances


def _history(past: Past, deal: DealRow) -> History:
    """The deals of the last deal's match that have ended."""
    history = History()
    certain = True
    for one in past.played:
        if one.deal.match_no == deal.match_no:
            played = _played(one, certain=certain or one.outcome.certain)
            named = replace(played.match, die=_die(past, deal.match_no))
            history.add(replace(played, match=named))
        certain = one.outcome.certain
    return history


def _played(one: PlayedDeal, *, certain: bool) -> Played:
    log, outcome = _events(one.events), one.outcome
    started = next((event for event in log if isinstance(event, DealStarted)), None)
    before = outcome.before or one.deal.balances
    shown = payload_of(outcome)
    superseded = shown.superseded if isinstance(shown, AmendedSettlement) else None
    return Played(
        deal=one.deal.deal,
        match=Match(
            match_no=one.deal.match_no,
            hand_no=one.deal.hand_no,
            dealer=Seat(0) if started is None else started.dealer,
            kept=0 if started is None else started.kept,
            balances=before,
            seated=started is not None,
            certain=certain,
        ),
        log=log,
        fined=outcome.fined or difference(difference(outcome.balances, before), outcome.payments),
        outcome=outcome,
        written=one.written,
        correction=correction_of(outcome, one.deal.hand_no, superseded or NOTHING),
        under=one.begun,
    )


def _ranking(past: Past, rules: RuleSet, players: Players) -> Ranking | None:
    """How the last match ended that is over."""
    over = next((one for one in reversed(past.played) if one.outcome.match_over), None)
    row = past.match
    start = {one.deal.match_no: one.begun.start_points for one in past.played if one.begun is not None}
    if row is not None and (over is None or over.deal.match_no < row.match_no):
        match = replace(first_match(rules), match_no=row.match_no, certain=row.certain)
        return ranking_payload(
            match,
            row.balances,
            hands=row.deals,
            players=row.players,
            start_points=_start(start.get(row.match_no), rules),
            ended="ended",
            history=_points(past, row.match_no),
        )
    if over is None:
        return None
    match = replace(first_match(rules), match_no=over.deal.match_no)
    return ranking_payload(
        match,
        over.outcome.balances,
        hands=over.deal.hand_no,
        players=players,
        start_points=_start(start.get(over.deal.match_no), rules),
        ended="played",
        history=_points(past, match.match_no),
    )


def _points(past: Past, match_no: int) -> tuple[HandPoints, ...]:
    """The points after each deal of a match that has ended."""
    last = [one for one in past.played if one.deal.match_no == match_no][-MOST_HANDS:]
    return tuple(hand_points(one.deal.hand_no, one.outcome) for one in last)


def _start(written: int | None, rules: RuleSet) -> int:
    """The points at the start of a match, today's rules' where they were not written."""
    return rules.start_points if written is None else written


def _named(past: Past, match: Match) -> Match:
    """The match with its first dealer, where a die had named him already."""
    named = past.named
    if named is None or named.match_no != match.match_no:
        return match
    return replace(match, dealer=Seat(named.dealer), seated=True, die=named.die)


def _die(past: Past, match_no: int) -> int | None:
    return past.named.die if past.named is not None and past.named.match_no == match_no else None


def _balances(past: Past, deal: DealRow) -> Balances:
    """The points that people see: of the last deal, or as the last order has left them."""
    last = past.outcome or (past.fines[-1] if past.fines else deal)
    standing = past.standing
    if standing is not None and _is_later(standing, last) and standing.match_no == deal.match_no:
        return standing.balances
    ended = past.match
    return ended.balances if ended is not None and ended.match_no == deal.match_no else last.balances


def _doubt(rows: Sequence[DoubtRow], past: Past) -> Doubt | None:
    """The open doubt in its words; what may be chosen is found again at the next look."""
    if not rows:
        return None
    row = rows[-1]
    doubt = Doubt(
        row.doubt, row.at, Problem(DoubtKind(row.kind), row.zh, row.en), pictures=_pictures(row, past)
    )
    return as_written(doubt, past.statements)


def _pictures(row: DoubtRow, past: Past) -> tuple[str, ...]:
    """What was kept of the doubt's moment."""
    return next((names for doubt, names in past.pictures if doubt == row.doubt), ())
