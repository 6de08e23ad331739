"""A correction of a deal: its record is told otherwise, and what was settled is superseded. Pure."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from controller.doubts import DoubtKind
from controller.journal_deals import OutcomeRow, RevisionRow
from controller.match import Match, next_match, paid
from controller.public import LEDGER_TOPIC, RevisedEvent, Settlement
from controller.session_history import (
    Counted,
    Played,
    correction_of,
    difference,
    kept_as,
    kept_in,
    recounted,
    told_otherwise,
)
from controller.session_inputs import Correct
from controller.session_match import write_end
from controller.session_notes import Notes
from controller.session_outcome import ENDED, Outcome, amended, outcome_payload, outcome_row
from controller.session_play import Play
from controller.session_replies import Refused, in_points
from controller.session_revise import fined_in, replayed, revise
from controller.view import Tallies
from rules.events import DealStarted, Drew, Entered, Event
from rules.record import format_event, parse_event
from rules.ruleset import RuleSet
from rules.state import Balances, Phase
from rules.tiles import Tile


def correct(play: Play, order: Correct, notes: Notes) -> tuple[str, str]:
    """Other events happened in the place of one; what follows from it is told and settled anew.

    Raises:
        Refused: there is no such deal or event, the rules do not allow it, or it can't be settled so.
    """
    events = _events(order)
    if play.playing and order.deal == play.deal:
        return _correct_running(play, order, events, notes)
    place = play.history.index_of(order.deal)
    if place is None:
        known = [one.deal for one in play.history.deals]
        told = f"{known[0]}-{known[-1]}" if known else "-"
        raise Refused(
            f"第{order.deal}号局不能更正；这一场有{told}号",
            f"deal {order.deal} can't be corrected; of this match there are {told}",
        )
    chain = play.history.deals[place:]
    one = chain[0]
    why = why_not_corrected(chain, play.rules)
    if why is not None:
        raise why
    _require_index(order, one.log)
    log = told_otherwise(one.log, order.index, events, play.rules)
    answers = {**one.outcome.answers, **order.answers}
    counted = recounted(chain, log, answers, play.rules, goes_on=play.playing)
    _follow(play, counted, order, answers, notes)
    points = in_points(counted[0].changes)
    return f"第{one.match.hand_no}局已更正：{points}", f"hand {one.match.hand_no} is corrected: {points}"


def _events(order: Correct) -> tuple[Event, ...]:
    try:
        events = tuple(map(parse_event, order.events))
    except ValueError as error:
        raise Refused(f"看不懂：{error}", f"can't be read: {error}") from error
    for event in events:
        known = isinstance(event, Drew) and event.tile is not Tile.UNKNOWN
        if known or (isinstance(event, DealStarted) and event.hands is not None):
            raise Refused("摸进的牌和手牌不记", "drawn and dealt tiles are not told")
    return events


def _require_index(order: Correct, log: Sequence[Event]) -> None:
    if not 0 <= order.index <= len(log):
        raise Refused(
            f"没有第{order.index}条：这一局有0到{len(log) - 1}条",
            f"there is no event {order.index}: the deal has 0 to {len(log) - 1}",
        )


def why_not_corrected(chain: Sequence[Played], rules: RuleSet) -> Refused | None:
    """Why the first of these deals, which follow each other, can't be corrected; None where it can."""
    if not all(one.under is None or one.under.is_of(rules) for one in chain):
        return Refused("这一局是按别的规则打的", "the deal was played by other rules")
    if not chain[0].match.certain:
        return Refused(
            "更前面有一局没有结算；先更正那一局", "an earlier hand was not settled: correct that one first"
        )
    return None


def _correct_running(play: Play, order: Correct, events: tuple[Event, ...], notes: Notes) -> tuple[str, str]:
    log = play.table.log
    _require_index(order, log)
    if play.table.result is not None:
        play.answers = {**play.answers, **order.answers}
    told = told_otherwise(log, order.index, events, play.rules)
    revise(play, told, order.author, notes, said=min(len(told), order.index + len(events)))
    started = told[0] if told else None
    if isinstance(started, DealStarted):
        play.match = replace(play.match, dealer=started.dealer, kept=started.kept, seated=True)
    play.answers = {**play.answers, **order.answers}
    play.tracker.insist(play.table)
    play.settle_deal(notes)
    return f"已更正，现有{len(told)}条", f"corrected: {len(told)} events stand"


def _follow(
    play: Play, counted: Sequence[Counted], order: Correct, answers: dict[str, str], notes: Notes
) -> None:
    """Write and publish what has become of the deals, and go on from there."""
    place = play.history.index_of(order.deal) or 0
    last = counted[-1]
    between = difference(_now(play), play.history.deals[-1].outcome.balances)
    for number, count in enumerate(counted):
        if number and count.is_as_before:
            continue
        given = answers if number == 0 else count.played.outcome.answers
        row, payload = _edition(play, count, order.author, given, notes)
        if count.log != count.played.log:
            _revised(play, count, row.balances, order.author, notes)
        notes.write(row)
        if payload is not None:
            notes.tell(LEDGER_TOPIC, payload)
            if count.played.deal == play.deal or (play.playing and count is last):
                play.settlement = payload
        told = correction_of(row, count.match.hand_no, count.played.outcome.payments)
        play.history.deals[place + number] = replace(
            count.played,
            match=count.match,
            log=count.log,
            fined=count.fined,
            outcome=row,
            correction=told or count.played.correction,
        )
    hand = counted[0].match
    notes.tell(
        "event/revised",
        RevisedEvent(hand_no=hand.hand_no, match_no=hand.match_no, how="corrected", author=order.author),
    )
    play.tallies = _tallied(play.tallies, counted[0])
    if play.playing:
        _running_follows(play, last, between, order.author, notes)
    else:
        _match_follows(play, last, between, order.author, notes)
    notes.standing(play.match, play.before if play.playing else None)


def _tallied(tallies: Tallies, count: Counted) -> Tallies:
    """The numbers since the start, where the deal was one of those."""
    was, now = count.played.outcome.how, count.how
    names = {"won": "settled", "drawn": "drawn", "withheld": "withheld"}
    for how, change in ((was, -1), (now, 1)):
        if was != now and how in names:
            number = max(0, getattr(tallies, names[how]) + change)
            tallies = replace(tallies, **{names[how]: number})
    return tallies


def _now(play: Play) -> Balances:
    """The points at the end of the last deal, with what was moved since; of a running deal: before it."""
    if play.playing:
        return play.before or play.match.balances
    return play.balances


def _edition(
    play: Play, count: Counted, author: str, answers: dict[str, str], notes: Notes
) -> tuple[OutcomeRow, Settlement | None]:
    old = count.played.outcome
    outcome = Outcome(
        count.how,
        count.step,
        count.account,
        reason=old.reason if count.how == old.how else "",
        author=author,
        before=count.match.balances,
        fined=count.fined,
        answers=answers,
    )
    payload = outcome_payload(outcome, count.table, count.match, play.rules)
    if payload is not None:
        payload = amended(
            payload,
            deal=count.played.deal,
            edition=old.edition + 1,
            supersedes=old.edition,
            superseded=old.payments,
            difference=count.changes,
            entered=isinstance(count.log[-1], Entered),
            author=author,
        )
    row = outcome_row(count.played.deal, count.table, outcome, payload, notes)
    row = msgspec.structs.replace(
        row, edition=old.edition + 1, supersedes=old.edition, difference=count.changes
    )
    return row, payload


def _revised(play: Play, count: Counted, balances: Balances, author: str, notes: Notes) -> None:
    play.revised += 1
    notes.write(
        RevisionRow(
            revision=play.revised,
            deal=count.played.deal,
            boot=notes.boot,
            at=notes.now,
            how="corrected",
            n=count.played.written,
            events=tuple(map(format_event, count.log)),
            balances=balances,
            author=author,
            fined=count.fined,
        )
    )


def _running_follows(play: Play, last: Counted, between: Balances, author: str, notes: Notes) -> None:
    """The running deal stands on other points, and its dealer may have kept another number of deals."""
    moved = difference(play.match.balances, paid(play.before or play.match.balances, play.fined))
    before = paid(last.step.balances, between)
    was_certain = play.match.certain
    kept = kept_in(play.match, last.match, last.step.after)
    play.before = before
    play.match = replace(
        play.match,
        balances=paid(paid(before, play.fined), moved),
        kept=kept,
        certain=last.step.after.certain,
    )
    play.balances = play.match.balances
    log = kept_as(play.table.log, kept)
    fined = fined_in(replayed(log, play), play)
    if log != play.table.log or fined != play.fined:
        revise(play, log, author, notes)
    if play.match.certain and not was_certain:
        _points_are_known(play, last.step.after, author, notes)


def _points_are_known(play: Play, expected: Match, author: str, notes: Notes) -> None:
    """Dealer and points of the running deal are certain now."""
    if play.doubt is not None and play.doubt.problem.kind is DoubtKind.POINTS:
        play.end_doubt("explained", None, author, notes)
    if play.table.phase is Phase.READY:
        play.match = replace(play.match, dealer=expected.dealer, kept=expected.kept, seated=True)
        play.begin(notes)
        if play.dice.values is None:
            play.raise_doubt(play.dice.problem(), notes)


def _match_follows(play: Play, last: Counted, between: Balances, author: str, notes: Notes) -> None:
    """No deal is running: the match goes on, or is over, as the last deal says now."""
    play.balances = paid(last.step.balances, between)
    play.ended = ENDED[last.how]
    match = replace(last.match, certain=last.step.after.certain)
    ended = play.ranking is not None and play.ranking.match_no == match.match_no
    by_person = ended and play.ranking is not None and play.ranking.ended == "ended"
    if by_person:
        write_end(play, replace(match, balances=play.balances), author, notes)
    if last.step.over or by_person:
        play.rank(match, play.balances, hands=match.hand_no, ended="ended" if by_person else "played")
        if not ended:
            play.match = next_match(match, play.rules)
        return
    if ended:
        play.ranking = None
    play.match = replace(last.step.after, balances=play.balances)
