"""From what a camera says to settlements: right, or in doubt, never wrong."""

import pytest
from evening import Evening, Spoil, public_texts
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from nuisance import Nuisance

SEEDS = st.integers(0, 100_000)
PHASES = (Phase.explicit, Phase.generate)
"""A smaller seed is no simpler evening: nothing is shrunk."""


@settings(max_examples=3, deadline=None, phases=PHASES)
@given(SEEDS)
def test_what_a_perfect_camera_sees_becomes_the_very_events_that_happened(seed: int) -> None:
    evening = Evening(seed)
    evening.play(2)
    evening.finish()
    outcomes = evening.log.outcomes()
    assert [row.how for row in outcomes] == [truth.how for truth in evening.truths]
    for outcome, truth in zip(outcomes, evening.truths, strict=True):
        assert evening.log.texts(outcome.deal) == public_texts(truth)
        assert outcome.payments == truth.payments
        assert outcome.balances == truth.balances
        assert (outcome.indicator, outcome.wild) == (truth.indicator, truth.wild)
        assert (outcome.ponds, tuple(sorted(outcome.hand))) == (truth.ponds, tuple(sorted(truth.hand)))
        assert outcome.dealer_next in {0, 1, 2, 3}
        assert not evening.log.doubts(outcome.deal)


@settings(max_examples=2, deadline=None, phases=PHASES)
@given(SEEDS)
@pytest.mark.parametrize(
    "camera",
    [
        pytest.param(lambda: Nuisance(hasty=0.3), id="counts as settled in the middle of moves"),
        pytest.param(lambda: Nuisance(flicker=0.3), id="loses tiles for a moment"),
        pytest.param(lambda: Nuisance(unsure=0.2), id="is not sure at first"),
    ],
)
def test_a_camera_that_is_only_slow_to_see_leads_to_the_same_events(
    camera: type[Nuisance], seed: int
) -> None:
    spoil: Spoil = camera()
    evening = Evening(seed, spoil=spoil)
    evening.play(1)
    evening.finish()
    for outcome, truth in zip(evening.log.outcomes(), evening.truths, strict=True):
        assert evening.log.texts(outcome.deal) == public_texts(truth)
        assert outcome.payments == truth.payments


@settings(max_examples=5, deadline=None, phases=PHASES)
@given(SEEDS)
@example(52)  # a misread discard that a later claim seems to account for
def test_a_camera_that_misreads_for_a_moment_leads_to_the_truth_or_a_doubt(seed: int) -> None:
    evening = Evening(seed, spoil=Nuisance(misread=0.02, unsure=0.05, flicker=0.1, hasty=0.1), pace=1.5)
    evening.play(3)
    evening.finish()
    outcomes = evening.log.outcomes()
    assert len(outcomes) == 3
    points = (100, 100, 100, 100)
    for outcome, truth in zip(outcomes, evening.truths, strict=True):
        assert tuple(b - a for a, b in zip(points, outcome.balances, strict=True)) == outcome.payments
        points = (100,) * 4 if outcome.match_over else outcome.balances
        if outcome.how == "withheld":
            assert evening.log.doubts(outcome.deal)
            assert outcome.payments == (0, 0, 0, 0)
            continue
        # Who has kept the deal how often after a withheld one is known to the people only.
        assert evening.log.texts(outcome.deal)[1:] == public_texts(truth)[1:]
        assert outcome.payments == truth.payments
