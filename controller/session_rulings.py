"""What people rule about the play: a false win and its fine, a player who may not win any more. Pure.

A ruling is proposed by a person, or offered where a hand was shown that is no win. It is a doubt until a
person confirms it; then it is an event of the deal with that person as its author.
"""

from controller.doubts import Doubt, DoubtKind, Problem, events_candidate, problem, seat_in_words
from controller.journal_deals import DoubtRow
from controller.match import Match, fined
from controller.public import Fine
from controller.session_inputs import PersonProposal
from rules.events import Barred, FalseWin, IllegalEvent
from rules.record import parse_event
from rules.ruleset import RuleSet
from rules.settlement import Unsettled
from rules.state import TableState
from rules.table import apply

Ruling = FalseWin | Barred


def ruling_of(proposal: PersonProposal) -> Ruling:
    """The event that is proposed."""
    if proposal.ruling == "false_win":
        return FalseWin(proposal.seat, proposal.hand)
    return Barred(proposal.seat, proposal.reason or "-")


def proposed(event: Ruling, table: TableState, match: Match, rules: RuleSet) -> Problem | None:
    """The doubt that a proposal is until it is confirmed; None where the rules know no such ruling now."""
    try:
        apply(table, event, rules)
    except IllegalEvent:
        return None
    zh, en = seat_in_words(event.seat)
    choice = (events_candidate((event,)),)
    if isinstance(event, Barred):
        zh, en = f"{zh}：{event.reason}", f"{en}: {event.reason}"
        return problem(DoubtKind.BARRED, zh=zh, en=en, candidates=choice)
    try:
        payments = fine_of(event, table, match, rules, "").payments
    except Unsettled as unknown:
        return problem(DoubtKind.FALSE_WIN, zh=f"{zh}：{unknown.zh}", en=f"{en}: {unknown.reason}")
    points = " ".join(f"{change:+d}" for change in payments)
    return problem(DoubtKind.FALSE_WIN, zh=f"{zh} {points}", en=f"{en}: {points}", candidates=choice)


def event_of(ruling: Doubt) -> Ruling | None:
    """What is booked when it is confirmed; None where it can't be yet."""
    events = (event for choice in ruling.problem.candidates for event in choice.events)
    return next((event for event in events if isinstance(event, Ruling)), None)


def offers_fine(found: Problem) -> bool:
    """Whether people may confirm a false win."""
    return any(isinstance(event, FalseWin) for choice in found.candidates for event in choice.events)


def fine_of(event: FalseWin, table: TableState, match: Match, rules: RuleSet, author: str) -> Fine:
    """The record of what a false win costs whom, from the table before it.

    Raises:
        IllegalEvent: the rules know no fine.
        Unsettled: what is known of the hand does not decide it.
        ValueError: the payments do not sum to zero.
    """
    if rules.fine is None:
        raise IllegalEvent(f"{rules.name} knows no fine")
    payments = rules.fine(table, event, match.balances)
    return Fine(
        hand_no=match.hand_no,
        match_no=match.match_no,
        seat=int(event.seat),
        payments=payments,
        balances=fined(match, payments).balances,
        author=author,
    )


def proposal_again(row: DoubtRow, table: TableState, match: Match, rules: RuleSet) -> Doubt:
    """A proposal that was open when the journal ended, with its words of then."""
    event = parse_event(row.proposal or "")
    found = proposed(event, table, match, rules) if isinstance(event, Ruling) else None
    return Doubt(row.doubt, row.at, found or Problem(DoubtKind(row.kind), row.zh, row.en))
