"""Deal after deal: who deals, who has how much, and when a match is over."""

import pytest
from evening import Evening
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.match import deal_ended, deal_withheld, first_match
from rules import sets
from rules.table import new_table

RULES = sets.load("cixi-card")


def test_an_evening_begins_with_seat_0_and_the_points_of_the_rule_set() -> None:
    match = first_match(RULES)
    assert (match.match_no, match.hand_no, match.dealer, match.kept) == (1, 1, 0, 0)
    assert match.balances == (100, 100, 100, 100)


def test_a_deal_without_a_result_is_dealt_again_by_the_same_dealer() -> None:
    match = first_match(RULES)
    step = deal_withheld(match)
    assert (step.after.hand_no, step.after.dealer) == (2, match.dealer)
    assert step.balances == match.balances


def test_a_deal_that_is_not_over_ends_nothing() -> None:
    with pytest.raises(ValueError, match="a deal ends"):
        deal_ended(first_match(RULES), new_table(RULES), None, RULES)


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10_000))
def test_points_are_only_ever_moved_and_a_match_ends_when_somebody_has_none(seed: int) -> None:
    evening = Evening(seed)
    evening.play(5)
    evening.finish()
    outcomes = evening.log.outcomes()
    assert len(outcomes) == 5
    for outcome in outcomes:
        assert sum(outcome.balances) == 400
        assert min(outcome.balances) >= 0
        assert outcome.match_over == (min(outcome.balances) == 0)
