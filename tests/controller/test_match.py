"""Deal after deal: who deals, who has how much, and when a match is over."""

from dataclasses import replace

import pytest
from evening import Evening
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from controller.journal_deals import DealRow
from controller.match import (
    deal_abandoned,
    deal_ended,
    deal_withheld,
    dealer_seen,
    first_match,
    seated_by_die,
)
from controller.public import Scores, TableSnapshot
from rules import sets
from rules.events import Won
from rules.ruleset import Answers
from rules.settlement import Settlement
from rules.state import Balances, TableState
from rules.table import new_table
from rules.tiles import SEATS, Seat

RULES = sets.load("cixi-card")


def test_an_evening_begins_with_the_points_of_the_rule_set_and_no_dealer_yet() -> None:
    match = first_match(RULES)
    assert (match.match_no, match.hand_no, match.seated, match.kept) == (1, 1, False, 0)
    assert match.balances == (100, 100, 100, 100)


@pytest.mark.parametrize(("die", "dealer"), [(1, 0), (2, 1), (3, 2), (4, 3), (5, 0), (6, 1)])
def test_one_die_thrown_for_chair_0_names_the_first_dealer(die: int, dealer: int) -> None:
    match = seated_by_die(first_match(RULES), die, RULES)
    assert (match.seated, match.die, match.dealer) == (True, die, dealer)


def test_a_deal_that_is_given_up_is_dealt_again_by_the_same_dealer() -> None:
    match = first_match(RULES)
    step = deal_abandoned(match)
    assert (step.after.hand_no, step.after.dealer, step.after.certain) == (2, match.dealer, True)
    assert step.balances == match.balances


def test_after_a_deal_whose_result_only_the_people_know_nothing_is_certain() -> None:
    step = deal_withheld(seated_by_die(first_match(RULES), 1, RULES))
    assert not step.after.certain
    assert dealer_seen(step.after, Seat.S2) == replace(step.after, dealer=Seat.S2, kept=0)
    assert dealer_seen(step.after, Seat.S0) == replace(step.after, dealer=Seat.S0, kept=1)


def test_a_deal_that_is_not_over_ends_nothing() -> None:
    with pytest.raises(ValueError, match="a deal ends"):
        deal_ended(first_match(RULES), new_table(RULES), None, RULES)


def every_loser_pays_seven(
    before: TableState, won: Won, _balances: Balances | None, _answers: Answers
) -> Settlement:
    first, second, third, fourth = (21 if seat is won.seat else -7 for seat in SEATS)
    return Settlement(
        winner=won.seat,
        from_seat=won.from_seat,
        how="sevens",
        hand=won.hand,
        melds=before.hands[won.seat].melds,
        tile=won.tile,
        lines=(),
        dragons=0,
        total=None,
        unit=None,
        point_each=None,
        payments=(first, second, third, fourth),
    )


def test_points_dealers_and_ends_are_those_of_any_rule_set() -> None:
    sevens = replace(
        RULES,
        name="sevens",
        start_points=77,
        settle=every_loser_pays_seven,
        next_dealer=lambda state: state.dealer.previous,
        match_over=lambda balances, _: max(balances) > 90,
        desk=None,
        options={},
    )
    evening = Evening(21, rules=sevens)
    evening.play(4)
    evening.finish()
    outcomes = evening.log.outcomes()
    deals = [row for row in evening.log.rows if isinstance(row, DealRow)]
    assert deals[0].balances == (77, 77, 77, 77)
    assert {row.how for row in outcomes} <= {"won", "drawn"}
    wins = [row for row in outcomes if row.how == "won"]
    assert wins
    for row in wins:
        assert sorted(row.payments) == [-7, -7, -7, 21]
        assert row.payments[row.winner or 0] == 21
    for deal, row, following in zip(deals, outcomes, deals[1:], strict=False):
        assert row.match_over == (max(row.balances) > 90)
        fresh = (0, (77, 77, 77, 77)) if row.match_over else ((deal.dealer or 0) - 1, row.balances)
        assert ((following.dealer or 0) % 4, following.balances) == (fresh[0] % 4, fresh[1])
    tables = [p for _, p in evening.log.published if isinstance(p, TableSnapshot)]
    scores = [p for _, p in evening.log.published if isinstance(p, Scores)]
    assert {table.rules for table in tables} == {"sevens"}
    assert {score.start_points for score in scores} == {77}


@settings(max_examples=2, deadline=None, phases=(Phase.generate,))
@given(st.integers(0, 10_000))
def test_points_are_only_ever_moved_and_a_match_ends_when_somebody_has_none(seed: int) -> None:
    evening = Evening(seed)
    evening.play(4)
    evening.finish()
    outcomes = evening.log.outcomes()
    assert len(outcomes) == 4
    for outcome in outcomes:
        assert sum(outcome.balances) == 400
        assert min(outcome.balances) >= 0
        assert outcome.match_over == (min(outcome.balances) == 0)
