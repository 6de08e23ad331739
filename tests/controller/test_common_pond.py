"""A pond that all share: the turn tells whose a discard is, and where nobody can know, people are asked."""

from evening import Evening, public_texts
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from mischief import Mischief
from nuisance import Nuisance
from test_doubts import Eyes
from test_evenings import is_right_or_withheld

from hardware_sim.presets import Ponds

SEEDS = st.integers(0, 100_000)
PHASES = (Phase.explicit, Phase.generate)


@settings(max_examples=2, deadline=None, phases=PHASES)
@given(SEEDS)
def test_in_a_common_pond_the_turn_tells_whose_each_discard_is(seed: int) -> None:
    evening = Evening(seed, ponds=Ponds.COMMON, pace=2.0)
    evening.play(2)
    evening.finish()
    for outcome, truth in zip(evening.log.outcomes(), evening.truths, strict=True):
        assert evening.log.texts(outcome.deal) == public_texts(truth)
        assert (outcome.payments, outcome.ponds) == (truth.payments, truth.ponds)
        assert not evening.log.doubts(outcome.deal)


@settings(max_examples=1, deadline=None, phases=PHASES)
@given(SEEDS)
@example(3)  # a discard falls where another was taken from, and is not read at once
@example(4119)  # an arm hides several discards: nobody knows which was thrown first
def test_at_a_common_pond_people_and_camera_that_err_lead_to_the_truth_or_a_doubt(seed: int) -> None:
    people = Mischief(takes_back=0.02, mislays=0.02, false_claim=0.1, arm=0.01, pushes=0.02, shows=0.003)
    camera = Nuisance(misread=0.01, unsure=0.03, flicker=0.05, hasty=0.05)
    evening = Evening(seed, people=people, spoil=camera, pace=2.0, ponds=Ponds.COMMON)
    evening.play(2)
    evening.finish()
    is_right_or_withheld(evening)


def dealt() -> Eyes:
    """A hand at a common pond: the indicator is turned, seat 0 is to discard."""
    evening = Evening(0, ponds=Ponds.COMMON)
    evening.prepare((3, 4))
    eyes = Eyes(evening)
    eyes.lay("1m", 86.0, -86.0)
    eyes.look()
    return eyes


def test_two_discards_of_which_nobody_saw_the_first_are_asked_about_while_play_goes_on() -> None:
    eyes = dealt()
    eyes.lay("E", 130.0, 130.0)
    eyes.lay("9p", -130.0, 130.0)
    eyes.look(2.0)
    eyes.lay("3s", -130.0, -130.0)
    eyes.look(2.0)
    assert eyes.doubts() == ["ambiguous"]
    assert eyes.events() == []
    eyes.answer("choose", 1)
    eyes.look(2.0)
    assert eyes.events() == ["discard 0 E", "draw 1", "discard 1 9p", "draw 2", "discard 2 3s"]
    assert eyes.doubts() == []


def test_a_discard_that_is_found_at_once_after_the_next_is_not_told_after_it() -> None:
    eyes = dealt()
    eyes.lay("E", 130.0, 130.0)
    eyes.look(0.5)
    eyes.lay("9p", -130.0, 130.0)
    eyes.look(2.0)
    assert eyes.doubts() == ["ambiguous"]


def test_after_a_hand_left_open_people_say_who_deals() -> None:
    eyes = dealt()
    eyes.lay("E", 130.0, 130.0)
    eyes.look(2.0)
    eyes.lift()
    eyes.evening.wait(5.0)
    eyes.lift()
    eyes.evening.prepare((2, 2), opened=True)
    assert eyes.doubts() == ["dealer"]
    eyes.answer("choose", 2)
    assert eyes.evening.log.texts(2) == ["deal 2 dice 2 2"]
    assert eyes.doubts() == ["points"]
