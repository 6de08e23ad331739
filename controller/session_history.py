"""The deals of a match, and what a correction of one makes of it and of those after it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from controller.agreed import Agreed
from controller.journal_deals import EndOfDeal, OutcomeRow
from controller.match import Match, MatchStep, deal_ended, paid
from controller.public import MOST_HANDS, CorrectionItem, HandPoints
from controller.session_replies import Refused
from controller.view import hand_points, time_text
from rules.events import DealStarted, Drew, Event, IllegalEvent, Won
from rules.ruleset import RuleSet
from rules.scoring import Unsettled, fines, settle
from rules.settlement import Settlement as Account
from rules.state import Balances, Phase, TableState
from rules.table import apply, new_table, replay
from rules.tiles import Tile

NOTHING: Final = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A deal that has ended.

    Attributes:
        deal: its number over the journal's life.
        match: where it stood in its match: dealer, deals kept, points before it.
        log: its record.
        fined: what false wins in it have cost.
        outcome: its last outcome.
        written: number of its events that are written.
        under: the rules it was played by, None where they are not known.
        correction: how its settlement was corrected, None where it was not.
    """

    deal: int
    match: Match
    log: tuple[Event, ...]
    fined: Balances
    outcome: OutcomeRow
    written: int
    under: Agreed | None = None
    correction: CorrectionItem | None = None

    @property
    def moved(self) -> Balances:
        """What a referee has moved during the deal."""
        before = paid(paid(self.match.balances, self.fined), self.outcome.payments)
        return difference(self.outcome.balances, before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What has become of a deal: its record, the table, the account, what follows."""

    played: Played
    match: Match
    log: tuple[Event, ...]
    table: TableState
    how: EndOfDeal
    account: Account | None
    fined: Balances
    step: MatchStep

    @property
    def payments(self) -> Balances:
        """What the settlement moves."""
        return self.account.payments if self.account is not None else NOTHING

    @property
    def changes(self) -> Balances:
        """What is otherwise than before for each seat, fines included."""
        old = paid(self.played.outcome.payments, self.played.fined)
        return difference(paid(self.payments, self.fined), old)

    @property
    def is_as_before(self) -> bool:
        """Whether nothing is otherwise than before."""
        outcome = self.played.outcome
        settled = (self.step.balances, self.step.after.certain) == (outcome.balances, outcome.certain)
        return settled and self.log == self.played.log and self.payments == outcome.payments


def difference(now: Balances, before: Balances) -> Balances:
    """What has changed, seat by seat."""
    first, second, third, fourth = (one - other for one, other in zip(now, before, strict=True))
    return first, second, third, fourth


def correction_of(outcome: OutcomeRow, hand_no: int, superseded: Balances) -> CorrectionItem | None:
    """What people see of a correction, None where it moves no points of its own."""
    change = outcome.difference
    if change is None or not any(change):
        return None
    return CorrectionItem(
        deal=outcome.deal,
        hand_no=hand_no,
        edition=outcome.edition,
        author=outcome.author,
        at=time_text(outcome.at),
        payments=outcome.payments,
        superseded=superseded,
        difference=change,
    )


def told_otherwise(
    log: Sequence[Event], index: int, events: Sequence[Event], rules: RuleSet
) -> tuple[Event, ...]:
    """The record with other events in the place of event `index`; draws come and go as they have to.

    Raises:
        Refused: the rules do not allow one of them.
    """
    told = [*log[:index], *events, *log[index + 1 :]]
    state = new_table(rules)
    for event in told:
        state = _with_draws(state, event, rules)
    return state.log


def _with_draws(state: TableState, event: Event, rules: RuleSet) -> TableState:
    try:
        return apply(state, event, rules)
    except IllegalEvent as error:
        if isinstance(event, Drew):
            return state
        drawn = _drawn(state, rules)
        try:
            return apply(drawn or state, event, rules)
        except IllegalEvent as again:
            reason = again if drawn is not None else error
            raise Refused(f"规则不允许：{reason}", f"the rules do not allow it: {reason}") from reason


def _drawn(state: TableState, rules: RuleSet) -> TableState | None:
    """The state after the draw that is due, None where none is."""
    due = {
        Phase.CLAIM: Drew(state.turn.next, Tile.UNKNOWN),
        Phase.DRAW: Drew(state.turn, Tile.UNKNOWN, replacement=True),
    }.get(state.phase)
    try:
        return None if due is None else apply(state, due, rules)
    except IllegalEvent:
        return None


def recounted(
    chain: Sequence[Played],
    log: tuple[Event, ...],
    answers: Mapping[str, str],
    rules: RuleSet,
    *,
    goes_on: bool,
) -> tuple[Counted, ...]:
    """What becomes of the first deal with this record and these answers, and of those after it in its match.

    `goes_on`: more was played in the match after the last of these deals.

    Raises:
        Refused: the record does not end the deal or does not decide it, or a match would end otherwise
            although more was played since.
    """
    found: list[Counted] = []
    for number, one in enumerate(chain):
        if number == 0:
            count = _counted(one, one.match, log, answers, rules)
        else:
            match = following(one, found[-1])
            count = _counted(one, match, kept_as(one.log, match.kept), one.outcome.answers, rules)
        found.append(count)
        last = number == len(chain) - 1
        if count.step.over and (goes_on or not last):
            hand = one.match.hand_no
            raise Refused(
                f"第{hand}局后比赛就结束了，但后面还打了；请用调整分数",
                f"the match would end with hand {hand}, but more was played: move points instead",
            )
    return tuple(found)


def following(one: Played, before: Counted) -> Match:
    """Where a deal stands when the one before it has come out otherwise; who has dealt, has dealt."""
    expected = before.step.after
    between = difference(one.match.balances, before.played.outcome.balances)
    return replace(
        one.match,
        balances=paid(before.step.balances, between),
        kept=kept_in(one.match, before.match, expected),
        certain=one.match.certain or expected.certain,
    )


def kept_in(actual: Match, before: Match, expected: Match) -> int:
    """Deals that the actual dealer has kept by winning, where the deal before has come out otherwise."""
    if actual.dealer is expected.dealer:
        return expected.kept
    return before.kept if actual.dealer is before.dealer else 0


def kept_as(log: tuple[Event, ...], kept: int) -> tuple[Event, ...]:
    """The record with so many deals kept."""
    if log and isinstance(log[0], DealStarted) and log[0].kept != kept:
        return (replace(log[0], kept=kept), *log[1:])
    return log


def _counted(
    one: Played, match: Match, log: tuple[Event, ...], answers: Mapping[str, str], rules: RuleSet
) -> Counted:
    hand = one.match.hand_no
    try:
        table = replay(log, rules)
        fined = fines(table, rules, match.balances)
        at_end = replace(match, balances=paid(paid(match.balances, fined), one.moved))
        won = isinstance(table.result, Won)
        account = settle(table, rules, at_end.balances, answers) if won else None
    except IllegalEvent as error:
        raise Refused(f"第{hand}局：规则不允许：{error}", f"hand {hand}: not allowed: {error}") from error
    except Unsettled as unknown:
        choices = ", ".join(unknown.candidates)
        raise Refused(
            f"第{hand}局：{unknown.zh}；请在answers里给出{unknown.question}：{choices}",
            f"hand {hand}: {unknown.reason}; give {unknown.question} in answers: {choices}",
        ) from unknown
    how = one.outcome.how
    if table.result is not None:
        how = "won" if won else "drawn"
        step = deal_ended(at_end, table, account, rules)
    elif log == one.log or (how in {"withheld", "abandoned"} and log[1:] == one.log[1:]):
        certain = at_end.certain and how != "withheld"
        after = replace(at_end, hand_no=match.hand_no + 1, certain=certain)
        step = MatchStep(after, at_end.balances, over=False)
    else:
        raise Refused(
            "这样这一局还没有结束：最后应是和牌或荒庄",
            "the hand would not be over: the last event has to be a win or a drawn hand",
        )
    return Counted(
        played=one, match=match, log=log, table=table, how=how, account=account, fined=fined, step=step
    )


@dataclass(slots=True)
class History:
    """The deals of the last deal's match."""

    deals: list[Played] = field(default_factory=list)

    def add(self, played: Played) -> None:
        """A deal has ended."""
        if self.deals and self.deals[-1].match.match_no != played.match.match_no:
            self.deals.clear()
        self.deals.append(played)

    def points(self, match_no: int) -> tuple[HandPoints, ...]:
        """The points after each deal of that match, the last `MOST_HANDS`; none of another match."""
        last = self.deals[-MOST_HANDS:]
        return tuple(
            hand_points(one.match.hand_no, one.outcome) for one in last if one.match.match_no == match_no
        )

    def index_of(self, deal: int) -> int | None:
        """The place of a deal, None where it is none of these."""
        return next((place for place, one in enumerate(self.deals) if one.deal == deal), None)
