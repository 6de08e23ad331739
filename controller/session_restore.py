"""A start goes on where the last one stopped: match, points and the running deal from the journal. Pure."""

from dataclasses import replace

from controller.doubts import Doubt, DoubtKind, Problem
from controller.journal_rows import DealRow, DoubtRow, OutcomeRow, Past
from controller.match import Match, first_match
from controller.session_outcome import payload_of
from controller.session_play import ENDED, Play
from controller.tracker import Tracker
from rules.events import DealStarted, Event, IllegalEvent
from rules.record import parse_event
from rules.ruleset import RuleSet
from rules.state import TableState
from rules.table import new_table, replay
from rules.tiles import Seat


class RecordBroken(ValueError):
    """The record of the running deal can't be replayed with this rule set."""


def restored(past: Past, rules: RuleSet, tracker: Tracker) -> Play:
    """The play at the moment the journal ends.

    Raises:
        RecordBroken: the last deal's events are not legal in `rules`.
    """
    fresh = first_match(rules)
    deal, outcome = past.deal, past.outcome
    if deal is None:
        return Play(
            rules=rules,
            tracker=tracker,
            match=fresh,
            table=new_table(rules),
            raised=past.doubts,
            balances=fresh.balances,
            shown_hand=(fresh.hand_no, fresh.match_no),
        )
    events = _events(past.events)
    last = outcome or past.before
    return Play(
        rules=rules,
        tracker=tracker,
        match=_match_at(deal, events, past.before) if outcome is None else _match_after(deal, outcome, fresh),
        table=_table(events, rules),
        deal=deal.deal,
        playing=outcome is None,
        ended="idle" if outcome is None else ENDED[outcome.how],
        doubt=_doubt(past.open_doubts),
        raised=past.doubts,
        balances=deal.balances if outcome is None else outcome.balances,
        shown_hand=(deal.hand_no, deal.match_no),
        dice=next((event.dice for event in events if isinstance(event, DealStarted)), None),
        settlement=None if last is None else payload_of(last),
    )


def _events(lines: tuple[str, ...]) -> tuple[Event, ...]:
    try:
        return tuple(map(parse_event, lines))
    except ValueError as error:
        raise RecordBroken(str(error)) from error


def _table(events: tuple[Event, ...], rules: RuleSet) -> TableState:
    try:
        return replay(events, rules)
    except IllegalEvent as error:
        raise RecordBroken(f"the last deal can't be replayed with {rules.name}: {error}") from error


def _match_at(deal: DealRow, events: tuple[Event, ...], before: OutcomeRow | None) -> Match:
    """The match of the running deal; where its dealer is not known yet, the last one's is assumed."""
    started = next((event for event in events if isinstance(event, DealStarted)), None)
    dealer, kept = (0, 0) if before is None else (before.dealer_next, before.kept_next)
    if started is not None:
        dealer, kept = started.dealer, started.kept
    return Match(
        match_no=deal.match_no,
        hand_no=deal.hand_no,
        dealer=Seat(dealer),
        kept=kept,
        balances=deal.balances,
        certain=before is None or before.certain,
    )


def _match_after(deal: DealRow, outcome: OutcomeRow, fresh: Match) -> Match:
    if outcome.match_over:
        return replace(fresh, match_no=deal.match_no + 1)
    return Match(
        match_no=deal.match_no,
        hand_no=deal.hand_no + 1,
        dealer=Seat(outcome.dealer_next),
        kept=outcome.kept_next,
        balances=outcome.balances,
        certain=outcome.certain,
    )


def _doubt(rows: tuple[DoubtRow, ...]) -> Doubt | None:
    """The open doubt in its words; what may be chosen is found again at the next look."""
    if not rows:
        return None
    row = rows[-1]
    return Doubt(row.doubt, row.at, Problem(DoubtKind(row.kind), row.zh, row.en))
