"""The match: number of the deal, dealer, points of the seats, and what a deal's end makes of them. Pure."""

from dataclasses import dataclass, replace

from rules.deal import first_dealer
from rules.events import Won
from rules.ruleset import RuleSet
from rules.settlement import Settlement
from rules.state import Balances, TableState
from rules.tiles import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Where a table stands between two deals.

    Attributes:
        match_no: number of the match, from 1.
        hand_no: number of the deal in its match that is played or comes next, from 1.
        dealer: dealer of that deal.
        kept: deals this dealer has kept by winning, without a break.
        balances: points of seats 0..3 before that deal, and after what was fined in it so far.
        seated: it is known who deals; false until one die has named the first dealer of the match.
        die: the die that named the first dealer, None where people or the play did.
        certain: dealer, kept and balances are known; false after a deal whose result only the people know.
    """

    match_no: int
    hand_no: int
    dealer: Seat
    kept: int
    balances: Balances
    seated: bool = True
    die: int | None = None
    certain: bool = True


@dataclass(frozen=True, slots=True)
class MatchStep:
    """The match after a deal; `balances` are the points that end it, `over` that a new match follows."""

    after: Match
    balances: Balances
    over: bool


def first_match(rules: RuleSet) -> Match:
    """The first deal of an evening: one die is to name the dealer, everybody has the rule set's points."""
    start = rules.start_points
    return Match(
        match_no=1, hand_no=1, dealer=Seat.S0, kept=0, balances=(start, start, start, start), seated=False
    )


def seated_by_die(match: Match, die: int, rules: RuleSet) -> Match:
    """The match whose first dealer one die has named; it is thrown for chair 0.

    Raises:
        ValueError: the die shows no number of the rule set.
    """
    return replace(match, dealer=first_dealer(Seat.S0, die, rules), seated=True, die=die)


def deal_ended(match: Match, state: TableState, settlement: Settlement | None, rules: RuleSet) -> MatchStep:
    """What follows a deal that was won (with its settlement) or drawn (without).

    Raises:
        ValueError: the state is not over, or was won and comes without a settlement.
    """
    won = isinstance(state.result, Won)
    if state.result is None or won != (settlement is not None):
        raise ValueError(f"a deal ends won and settled or drawn, not {state.result} with {settlement}")
    balances = _paid(match.balances, settlement)
    if rules.match_over(balances, settlement):
        return MatchStep(next_match(match, rules), balances, over=True)
    dealer = rules.next_dealer(state)
    kept = 0
    if dealer is match.dealer:
        kept = match.kept + (settlement is not None and settlement.winner is dealer)
    after = replace(match, hand_no=match.hand_no + 1, dealer=dealer, kept=kept, balances=balances)
    return MatchStep(after, balances, over=False)


def fined(match: Match, payments: Balances) -> Match:
    """The match after a fine in the middle of a deal; whether it is over is seen when the deal ends.

    Raises:
        ValueError: the payments do not sum to zero.
    """
    if sum(payments) != 0:
        raise ValueError(f"a fine of {payments} does not sum to zero")
    return replace(match, balances=paid(match.balances, payments))


def adjusted(match: Match, payments: Balances) -> Match:
    """The match after a referee has moved points.

    Raises:
        ValueError: the payments do not sum to zero.
    """
    return fined(match, payments)


def next_match(match: Match, rules: RuleSet) -> Match:
    """The first deal of the match after this one."""
    return replace(first_match(rules), match_no=match.match_no + 1)


def places(balances: Balances) -> Balances:
    """The places of seats 0..3 by their points: 1 is the best, equal points share a place.

    >>> places((100, 130, 70, 100))
    (2, 1, 4, 2)
    """
    first, second, third, fourth = (1 + sum(other > own for other in balances) for own in balances)
    return (first, second, third, fourth)


def deal_abandoned(match: Match) -> MatchStep:
    """What follows a deal that people have given up: the same dealer deals again, nobody pays."""
    return MatchStep(replace(match, hand_no=match.hand_no + 1), match.balances, over=False)


def deal_withheld(match: Match) -> MatchStep:
    """What follows a deal whose result only the people know: nothing is certain but its number."""
    step = deal_abandoned(match)
    return replace(step, after=replace(step.after, certain=False))


def dealer_seen(match: Match, dealer: Seat) -> Match:
    """The match where the play has shown who deals; whoever deals again has most likely won."""
    kept = match.kept + 1 if dealer is match.dealer and match.seated else 0
    return replace(match, dealer=dealer, kept=kept, seated=True)


def _paid(balances: Balances, settlement: Settlement | None) -> Balances:
    return balances if settlement is None else paid(balances, settlement.payments)


def paid(balances: Balances, payments: Balances) -> Balances:
    """The points after payments."""
    first, second, third, fourth = (
        points + change for points, change in zip(balances, payments, strict=True)
    )
    return (first, second, third, fourth)
