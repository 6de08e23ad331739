"""Deal after deal: who deals, who has how much, and when a match is over."""

from dataclasses import replace

import pytest
from evening import Evening
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from controller.match import deal_abandoned, deal_ended, deal_withheld, dealer_seen, first_match
from rules import sets
from rules.table import new_table
from rules.tiles import Seat

RULES = sets.load("cixi-card")


def test_an_evening_begins_with_seat_0_and_the_points_of_the_rule_set() -> None:
    match = first_match(RULES)
    assert (match.match_no, match.hand_no, match.dealer, match.kept) == (1, 1, 0, 0)
    assert match.balances == (100, 100, 100, 100)


def test_a_deal_that_is_given_up_is_dealt_again_by_the_same_dealer() -> None:
    match = first_match(RULES)
    step = deal_abandoned(match)
    assert (step.after.hand_no, step.after.dealer, step.after.certain) == (2, match.dealer, True)
    assert step.balances == match.balances


def test_after_a_deal_whose_result_only_the_people_know_nothing_is_certain() -> None:
    step = deal_withheld(first_match(RULES))
    assert not step.after.certain
    assert dealer_seen(step.after, Seat.S2) == replace(step.after, dealer=Seat.S2, kept=0)
    assert dealer_seen(step.after, Seat.S0) == replace(step.after, dealer=Seat.S0, kept=1)


def test_a_deal_that_is_not_over_ends_nothing() -> None:
    with pytest.raises(ValueError, match="a deal ends"):
        deal_ended(first_match(RULES), new_table(RULES), None, RULES)


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
