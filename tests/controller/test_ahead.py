"""A discard is told before the whole table is at rest; what the table at rest says stands all the same."""

from dataclasses import dataclass
from random import Random

import pytest
from evening import Evening
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from mischief import Mischief
from nuisance import Nuisance
from test_doubts import HAND, Eyes, upright
from test_evenings import is_right_or_withheld
from test_second_thoughts import acts, meld

from controller.journal_deals import RevisionRow
from controller.public import HandState
from controller.public_events import DiscardEvent
from controller.session import SessionSettings
from hardware_sim.layout_bodies import Bodies
from rules.events import Event, WallExhausted, Won
from vision.observations import Observation, Settled
from vision.zones import table_point

SEEDS = st.integers(0, 100_000)
PHASES = (Phase.explicit, Phase.generate)


def shown_discards(eyes: Eyes) -> list[tuple[int, str]]:
    published = (payload for _, payload in eyes.evening.log.published)
    return [(told.seat, told.tile) for told in published if isinstance(told, DiscardEvent)]


def revisions(eyes: Eyes) -> int:
    return sum(isinstance(row, RevisionRow) for row in eyes.evening.log.rows)


def test_a_discard_that_was_read_is_told_before_the_table_is_at_rest(eyes: Eyes) -> None:
    eyes.discard(0, "5p")
    assert shown_discards(eyes) == [(0, "5p")]
    hand = eyes.last("state/hand")
    assert isinstance(hand, HandState)
    assert hand.ponds[0] == ("5p",)


def test_the_first_discard_is_told_with_the_indicator_and_the_indicator_alone_waits() -> None:
    evening = Evening(0)
    evening.prepare((3, 4))
    eyes = Eyes(evening)
    eyes.lay("1m", 86.0, -86.0)
    assert evening.session.table.indicator is None
    eyes.discard(0, "5p")
    assert evening.log.texts(1)[1:] == ["indicator 1m", "discard 0 5p"]
    eyes.look()
    assert revisions(eyes) == 0


def test_an_indicator_told_ahead_that_is_read_otherwise_names_no_wild_tile() -> None:
    evening = Evening(0)
    evening.prepare((3, 4))
    eyes = Eyes(evening)
    wrong = eyes.lay("1m", 86.0, -86.0)
    eyes.discard(0, "5p")
    eyes.take(wrong)
    eyes.lay("1s", 86.0, -86.0)
    eyes.look()
    assert evening.log.texts(1)[1:] == ["indicator 1s", "discard 0 5p"]
    assert str(evening.session.table.wild) == "2s"


def test_discards_follow_each_other_without_any_rest_and_are_each_told_once(eyes: Eyes) -> None:
    for place, tile in enumerate(("E", "9m", "3s")):
        for seat in range(4):
            eyes.discard(seat, tile, place)
    told = [(seat, tile) for tile in ("E", "9m", "3s") for seat in range(4)]
    assert shown_discards(eyes) == told
    eyes.look()
    assert shown_discards(eyes) == told
    assert revisions(eyes) == 0
    assert acts(eyes) == [f"discard {seat} {tile}" for seat, tile in told]


def test_a_discard_after_a_set_that_was_read_whole_is_told_at_once(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.take(number)
    meld(eyes, 2, "5p 5p 5p", turned=1)
    assert acts(eyes) == ["discard 0 5p"]
    eyes.discard(2, "E")
    assert acts(eyes) == ["discard 0 5p", "claim 2 peng 555p took 5p from 0", "discard 2 E"]
    eyes.look()
    assert revisions(eyes) == 0


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(lambda eyes: eyes.discard(0, "?", 1, candidates="5p 6p"), id="an unread tile"),
        pytest.param(lambda eyes: eyes.lay("9s", 0.0, 90.0), id="a tile where none belongs"),
        pytest.param(lambda eyes: eyes.row(1, "2s 2s", v=333.0, left=270.0), id="half a set"),
        pytest.param(lambda eyes: eyes.show(1, HAND), id="a hand laid open"),
        pytest.param(lambda eyes: eyes.lay("2m", 70.0, -86.0), id="a second indicator"),
        pytest.param(lambda eyes: eyes.discard(2, "E"), id="a discard out of turn"),
    ],
)
def test_beside_anything_else_a_discard_waits_for_the_table_at_rest(eyes: Eyes, other: object) -> None:
    assert callable(other)
    other(eyes)
    eyes.discard(0, "5p")
    assert acts(eyes) == []


def test_a_set_that_does_not_tell_whose_discard_it_took_waits(eyes: Eyes) -> None:
    eyes.discard(0, "E")
    eyes.look()
    eyes.row(3, "5p 5p 5p", v=333.0, left=250.0)
    eyes.discard(3, "W")
    assert acts(eyes) == ["discard 0 E"]


def test_a_tile_before_others_of_its_pond_waits(eyes: Eyes) -> None:
    eyes.discard(0, "5p", 1)
    for seat in (1, 2, 3):
        eyes.discard(seat, "E")
    eyes.discard(0, "9s", 0)
    assert len(acts(eyes)) == 4


def test_while_a_set_may_still_grow_the_discard_told_ahead_stands(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.take(number)
    meld(eyes, 2, "5p 5p 5p", turned=1)
    eyes.look()
    assert (acts(eyes), revisions(eyes)) == (["discard 0 5p"], 0)
    eyes.evening.wait(1.0)
    assert acts(eyes) == ["discard 0 5p", "claim 2 peng 555p took 5p from 0"]
    assert revisions(eyes) == 0


def test_a_win_waits_for_the_table_at_rest(eyes: Eyes) -> None:
    eyes.discard(0, "W")
    eyes.show(1, HAND)
    assert acts(eyes) == ["discard 0 W"]
    assert not eyes.evening.log.outcomes()


def test_while_something_is_in_doubt_nothing_is_told_ahead(eyes: Eyes) -> None:
    astray = eyes.lay("9s", 0.0, 90.0)
    eyes.look(10.0)
    assert eyes.doubts() == ["displaced"]
    eyes.take(astray)
    eyes.discard(0, "5p")
    assert acts(eyes) == []
    eyes.look()
    assert acts(eyes) == ["discard 0 5p"]


def test_a_discard_told_ahead_that_is_taken_back_did_not_happen(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.take(number)
    eyes.look()
    assert acts(eyes) == []
    eyes.discard(0, "9s")
    eyes.look()
    assert acts(eyes) == ["discard 0 9s"]
    assert eyes.evening.log.doubts(1) == []


def test_a_discard_told_ahead_that_is_read_otherwise_becomes_that_at_the_first_rest(eyes: Eyes) -> None:
    eyes.take(eyes.discard(0, "6p"))
    eyes.discard(0, "5p")
    eyes.look()
    assert acts(eyes) == ["discard 0 5p"]
    topics = [topic for topic, _ in eyes.evening.log.published if topic.startswith("event/")]
    assert topics[-3:] == ["event/discard", "event/revised", "event/discard"]
    hand = eyes.last("state/hand")
    assert isinstance(hand, HandState)
    assert hand.ponds[0] == ("5p",)


def test_a_discard_told_ahead_that_can_be_read_no_more_is_open_again_and_then_a_doubt(eyes: Eyes) -> None:
    eyes.take(eyes.discard(0, "6p"))
    unread = eyes.discard(0, "?", candidates="6p 5p")
    eyes.look(6.0)
    assert acts(eyes) == []
    assert eyes.doubts() == ["unsure"]
    eyes.take(unread)
    eyes.discard(0, "5p")
    eyes.look()
    assert acts(eyes) == ["discard 0 5p"]


def test_a_tile_of_a_pond_that_is_pushed_over_is_no_discard_for_longer_than_until_the_rest(
    eyes: Eyes,
) -> None:
    first = eyes.discard(0, "5p")
    for seat in (1, 2, 3):
        eyes.discard(seat, "E")
    eyes.look()
    eyes.lay("5p", *table_point(0, -100.0, 184.0), angle=upright(0))
    eyes.take(first)
    eyes.look()
    assert acts(eyes) == ["discard 0 5p", "discard 1 E", "discard 2 E", "discard 3 E"]


def test_what_a_set_makes_of_a_discard_told_ahead_is_decided_at_rest(eyes: Eyes) -> None:
    """The next player's own discard is read before his set: at first it looks as if he had drawn."""
    number = eyes.discard(0, "5p")
    eyes.discard(1, "E")
    assert acts(eyes) == ["discard 0 5p", "discard 1 E"]
    eyes.take(number)
    meld(eyes, 1, "5p 6p 7p", turned=0)
    eyes.look(1.0)
    assert acts(eyes) == ["discard 0 5p", "claim 1 chi 567p took 5p from 0", "discard 1 E"]
    assert eyes.evening.log.doubts(1) == []


@dataclass
class Hurried:
    """A camera for whom the table is at rest in a share of its looks only."""

    camera: Nuisance
    rests: float

    def __call__(self, told: list[Observation], rng: Random) -> list[Observation]:
        out = self.camera(told, rng)
        return out[:-1] if isinstance(out[-1], Settled) and rng.random() >= self.rests else out


@dataclass
class WaitAtTheEnd:
    """People who let the table rest when the deal is over."""

    people: Mischief

    def __call__(self, evening: Evening, event: Event, bodies: Bodies) -> None:
        self.people(evening, event, bodies)
        if isinstance(event, Won | WallExhausted):
            evening.tell(Settled(at=evening.now))


def hurried_evening(seed: int, *, rests: float, ahead: bool) -> Evening:
    people = Mischief(takes_back=0.02, mislays=0.02, false_claim=0.1, arm=0.01, pushes=0.02, shows=0.003)
    camera = Nuisance(misread=0.01, unsure=0.03, flicker=0.05, hasty=0.05)
    settings = SessionSettings(ahead=ahead)
    evening = Evening(
        seed, settings=settings, people=WaitAtTheEnd(people), spoil=Hurried(camera, rests), pace=1.5
    )
    evening.play(2)
    evening.finish()
    return evening


@settings(max_examples=4, deadline=None, phases=PHASES)
@given(SEEDS, st.sampled_from([1.0, 0.6, 0.3]))
def test_what_is_told_ahead_changes_nothing_of_what_the_table_at_rest_says(seed: int, rests: float) -> None:
    ahead = hurried_evening(seed, rests=rests, ahead=True)
    is_right_or_withheld(ahead)
    strict = hurried_evening(seed, rests=rests, ahead=False)
    assert [row.payments for row in ahead.log.outcomes()] == [row.payments for row in strict.log.outcomes()]
    for deal, _ in enumerate(ahead.truths, start=1):
        assert ahead.log.texts(deal) == strict.log.texts(deal)
        assert [row.kind for row in ahead.log.doubts(deal)] == [row.kind for row in strict.log.doubts(deal)]
