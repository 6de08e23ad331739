"""What the simulated people answer: what has happened, and nothing that has not."""

import asyncio

import pytest

from controller.doubts import (
    dealer_problem,
    dice_problem,
    event_in_words,
    events_candidate,
    revised_candidate,
)
from controller.public import DoubtItem
from hardware_sim.people_know import Deal, how_it_ended, right_choices
from hardware_sim.truth import deal_truth, first_match
from hardware_sim.world_memory import play_deal
from rules import sets
from rules.events import Discarded, Event
from rules.tiles import Seat, Tile

CARD = sets.load("cixi-card")


def item(kind: str, candidates: tuple[str, ...], en: str = "") -> DoubtItem:
    return DoubtItem(id=1, kind=kind, zh="", en=en, candidates=candidates, at="")


@pytest.fixture(scope="module")
def deal() -> Deal:
    """A deal that is over, as everybody at the table knows it."""
    events: list[Event] = []

    async def play() -> Deal:
        _, played = await play_deal(8, CARD, tell=events.append)
        match = first_match(CARD)
        over = deal_truth(1, played.state, match, CARD, fetched=played.fetched)
        return Deal(1, int(match.dealer), over.dice, events, over=over, state=played.state)

    return asyncio.run(play())


def discard(deal: Deal) -> Discarded:
    return next(event for event in deal.events if isinstance(event, Discarded))


def test_of_several_plays_the_one_that_happened_is_chosen(deal: Deal) -> None:
    true = discard(deal)
    never = Discarded(
        true.seat, next(t for t in Tile if 0 <= t < 34 and Discarded(true.seat, t) not in deal.events)
    )
    texts = tuple(events_candidate((event,)).text for event in (never, true))
    assert right_choices(item("ambiguous", texts), deal) == (1,)
    assert right_choices(item("ambiguous", texts[:1]), deal) == ()


def test_a_hand_is_settled_as_it_stands_where_it_has_ended_so(deal: Deal) -> None:
    won = event_in_words(deal.events[-1])
    settle = "，就这样结算 (settle as it stands)"
    assert right_choices(item("displaced", (won + settle,)), deal) == (0,)
    assert right_choices(item("displaced", ("荒庄 (drawn hand)" + settle,)), deal) == ()


def test_what_was_told_stands_where_what_is_denied_has_happened(deal: Deal) -> None:
    true = event_in_words(discard(deal))
    stands = "就照原来说的 (as it was told)"
    assert right_choices(item("undone", (f"更正 (correct): 没有：{true}；x", stands)), deal) == (1,)
    assert right_choices(item("undone", ("更正 (correct): 没有：never；x", stands)), deal) == ()


def test_of_two_orders_of_the_same_plays_the_true_one_is_chosen(deal: Deal) -> None:
    first, second = [event for event in deal.events if isinstance(event, Discarded)][:2]
    orders = ((first, second), (second, first))
    texts = tuple(events_candidate(order).text for order in orders)
    assert right_choices(item("ambiguous", texts), deal) == (0,)


def test_a_correction_is_right_where_what_it_denies_did_not_happen(deal: Deal) -> None:
    true = discard(deal)
    never = Discarded(
        true.seat, next(t for t in Tile if 0 <= t < 34 and Discarded(true.seat, t) not in deal.events)
    )
    right, wrong = (
        revised_candidate((said,), 0, (now,)).text for said, now in ((never, true), (true, never))
    )
    assert right_choices(item("unexplained", (wrong, right)), deal) == (1,)


def test_dice_dealer_and_the_key_are_answered_as_they_are(deal: Deal) -> None:
    dice = tuple(candidate.text for candidate in dice_problem().candidates)
    (number,) = right_choices(item("dice", dice), deal)
    assert dice[number] == " ".join(map(str, sorted(deal.dice)))
    dealers = tuple(candidate.text for candidate in dealer_problem().candidates)
    assert right_choices(item("dealer", dealers), deal) == (deal.dealer,)
    key = ("放弃这一局 (abandon the hand)", "继续打 (play on)")
    assert right_choices(item("lift", key), deal) == ()
    running = Deal(1, deal.dealer, deal.dice, deal.events)
    assert right_choices(item("lift", key), running) == (1,)


@pytest.mark.parametrize(("seat", "answers"), [(Seat.S0, (0,)), (Seat.S1, ())])
def test_points_are_confirmed_only_with_the_dealer_who_dealt(
    deal: Deal, seat: Seat, answers: tuple[int, ...]
) -> None:
    points = item(
        "points", ("就照这样结算 (settle by these)",), f"dealer seat {seat + 1}, kept 0, points 1 2 3 4"
    )
    assert right_choices(points, deal) == answers


def test_a_deal_that_is_over_can_be_entered_and_no_other(deal: Deal) -> None:
    assert deal.over is not None
    order = how_it_ended(deal)
    assert order is not None
    assert (order["winner"], order.get("from_seat")) == (deal.over.winner, deal.over.from_seat)
    assert event_in_words(deal.events[-1]) in deal.words
    assert how_it_ended(Deal(1, 0, deal.dice, deal.events)) is None
