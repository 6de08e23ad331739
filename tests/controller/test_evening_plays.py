"""Plays that are rare, from what is seen of them to the settlement."""

from collections.abc import Callable

import pytest
from evening import Evening, People, public_texts
from scripted import Scripted, nobody_wins

from controller.journal_deals import OutcomeRow
from hardware_sim.layout_bodies import Bodies, claimed, discarded, face, kong_added
from rules.events import Claimed, Discarded, Event
from rules.record import parse_event
from rules.tiles import Tile, parse_tiles


def as_it_was_played(evening: Scripted, deal: int = -1, *, asked: bool = False) -> OutcomeRow:
    """A deal's outcome, which is the truth's, as is its record; nobody was asked unless `asked`."""
    outcome, truth = evening.log.outcomes()[deal], evening.truths[deal]
    assert evening.log.texts(outcome.deal) == public_texts(truth)
    assert (outcome.how, outcome.winner, outcome.from_seat) == (truth.how, truth.winner, truth.from_seat)
    assert (outcome.payments, outcome.balances) == (truth.payments, truth.balances)
    assert (outcome.ponds, outcome.melds) == (truth.ponds, truth.melds)
    assert asked or not evening.log.doubts(outcome.deal)
    return outcome


def held(evening: Evening, seat: int, tiles: str) -> tuple[int, ...]:
    """Bodies of a hand that show these tiles."""
    rack = list(evening.bodies.racks[seat])
    found = []
    for tile in parse_tiles(tiles):
        found.append(next(body for body in rack if face(body) is tile))
        rack.remove(found[-1])
    return tuple(found)


FEIMA_HAND = {0: "5p", 1: "34p EE 77s 99m NCF 8s 2m"}
FEIMA = """
discard 0 5p
claim 1 chi 345p took 5p from 0
discard 1 N
discard 2 E
claim 1 peng EEE took E from 2
discard 1 C
discard 2 W
discard 3 7s
claim 1 peng 777s took 7s from 3
discard 1 F
discard 2 S
discard 3 S
discard 0 9m
claim 1 peng 999m took 9m from 0
discard 1 8s
"""


def test_the_one_dragon_that_is_shown_after_the_own_discard_is_a_feima() -> None:
    """Article §7: 12 and twice 11 dragons, from each."""
    evening = Scripted(0, pace=1.0)
    evening.play_script(FEIMA + "win 1 hand 2m on ?", FEIMA_HAND)
    outcome = as_it_was_played(evening)
    assert outcome.hand == ("2m",)
    assert outcome.payments == (-34, 102, -34, -34)


ADDED_KONG = """
discard 0 6s
claim 1 peng 666s took 6s from 0
discard 1 E
discard 2 W
discard 3 W
discard 0 W
draw 1 6s
declare 1 added_kong 6s
"""
ROBBERS = {0: "6s", 1: "66s E", 3: "456m 789s 123s 57s 99p"}


@pytest.mark.parametrize("fetched", [True, False], ids=["laid to the hand", "left at the peng"])
@pytest.mark.parametrize("pace", [0.0, 20.0], ids=["at once", "later"])
def test_who_wins_with_the_tile_of_an_added_kong_undoes_the_kong_and_its_maker_pays_for_all(
    pace: float, *, fetched: bool
) -> None:
    """Articles R24, R25: three times 12 and twice 7 dragons, none of them in hand."""
    evening = Scripted(0, pace=pace)
    robbed = ADDED_KONG + "win 3 hand 456m 567789s 123s 99p on 6s from 1"
    evening.play_script(robbed, ROBBERS, fetched=fetched)
    outcome = as_it_was_played(evening)
    assert outcome.melds[1] == (("peng", ("6s", "6s", "6s"), 0),)
    assert outcome.payments == (0, -78, 0, 78)


@pytest.mark.parametrize("pace", [0.0, 20.0], ids=["at once", "later"])
def test_the_tiles_that_replace_those_of_two_kongs_are_drawn_and_the_win_on_the_second_costs_five_once(
    pace: float,
) -> None:
    """Articles §6, R12, R20: from each 12 and twice 7 dragons, none of them in hand."""
    evening = Scripted(0, pace=pace)
    evening.play_script(
        ADDED_KONG
        + """
        draw 1 8p replacement
        declare 1 concealed_kong 8p
        draw 1 9s replacement
        win 1 hand 456m 789s 99p on 9s
        """,
        {0: "6s", 1: "66s E 888p 456m 78s 99p"},
    )
    outcome = as_it_was_played(evening)
    assert [kind for kind, _, _ in outcome.melds[1]] == ["added_kong", "concealed_kong"]
    assert outcome.payments == (-26, 78, -26, -26)


def test_the_first_discard_after_a_replacement_is_hot_and_its_giver_pays_for_all() -> None:
    """Article R25: three times 12 and twice 7 dragons, none of them in hand."""
    evening = Scripted(0, pace=1.0)
    evening.play_script(
        """
        discard 0 E
        draw 1 8p
        declare 1 concealed_kong 8p
        draw 1 6s replacement
        discard 1 6s
        win 3 hand 456m 567789s 123s 99p on 6s from 1
        """,
        {0: "E", 1: "888p", 3: "456m 789s 123s 57s 99p"},
    )
    assert as_it_was_played(evening).payments == (0, -78, 0, 78)


WAITING = "456m 789s 123s 57s 99p"
"""Waits for 6s; a win with it costs 12 and twice 2 dragons, from each where it was drawn."""


def self_draw(seat: int) -> str:
    return f"draw {seat} 6s\nwin {seat} hand 456m 567789s 123s 99p on 6s\n"


def test_a_dealer_stays_after_a_drawn_hand_which_neither_adds_to_his_wins_nor_ends_them() -> None:
    """Articles R21, R36, R37: the last hand costs 5 dragons more, for the one deal he kept before."""
    evening = Scripted(0, pace=0.5)
    evening.play_script("discard 0 E\ndiscard 1 N\n" + self_draw(2), {0: "E", 2: WAITING})
    lap = "discard 2 E\ndiscard 3 N\ndiscard 0 N\ndiscard 1 N\n"
    evening.play_script(lap + self_draw(2), {2: WAITING + " E"})
    evening.play_script(*nobody_wins(2))
    evening.play_script(lap + self_draw(2), {2: WAITING + " E"})
    evening.finish()
    outcomes = [as_it_was_played(evening, deal) for deal in range(4)]
    assert [row.how for row in outcomes] == ["won", "won", "drawn", "won"]
    assert [(row.dealer_next, row.kept_next) for row in outcomes] == [(2, 0), (2, 1), (2, 1), (2, 2)]
    assert outcomes[2].payments == (0, 0, 0, 0)
    assert outcomes[3].payments == (-26, -26, 78, -26)


CLAIMED_OTHERWISE = """
discard 0 5p
claim 2 peng 555p took 5p from 0
discard 2 N
"""


def chi_first(seconds: float, *, with_discard: bool) -> People:
    """Seat 1 makes a run of the discard that seat 2 then takes, and perhaps has discarded already."""

    def people(evening: Evening, event: Event, bodies: Bodies) -> None:
        if isinstance(event, Claimed):
            laid = claimed(evening.bodies, 1, held(evening, 1, "67p"), event.from_seat)
            evening.show(laid)
            if with_discard:
                evening.wait(1.5)
                evening.show(discarded(laid, 1, held(evening, 1, "C")[0]))
            evening.wait(seconds)
        evening.show(bodies)

    return people


@pytest.mark.parametrize("seconds", [1.0, 6.0, 30.0])
@pytest.mark.parametrize("with_discard", [False, True], ids=["laid", "laid and discarded"])
def test_a_run_that_gives_way_to_another_s_triplet_did_not_happen(
    seconds: float, *, with_discard: bool
) -> None:
    """Article §4: peng goes before chi."""
    evening = Scripted(0, pace=1.0, people=chi_first(seconds, with_discard=with_discard))
    evening.play_script(CLAIMED_OTHERWISE + self_draw(3), {0: "5p", 1: "67p C", 2: "55p N", 3: WAITING})
    assert as_it_was_played(evening).payments == (-16, -16, -16, 48)


UNREAD = {
    "chi": "discard 0 5p\nclaim 1 chi 567p took 5p from 0\ndiscard 1 C\ndiscard 2 N\n",
    "peng": "discard 0 5p\nclaim 2 peng 555p took 5p from 0\ndiscard 2 C\n",
    "kong": "discard 0 5p\nclaim 2 kong 5555p took 5p from 0\ndraw 2 N replacement\ndiscard 2 N\n",
    "later": "discard 0 E\ndraw 1 5p\ndiscard 1 5p\nclaim 2 peng 555p took 5p from 1\ndiscard 2 C\n",
}


@pytest.mark.parametrize("moves", UNREAD.values(), ids=UNREAD)
@pytest.mark.parametrize("pace", [0.0, 4.0])
def test_a_discard_that_was_claimed_before_it_was_read_is_told_by_the_set(moves: str, pace: float) -> None:
    def people(evening: Evening, event: Event, bodies: Bodies) -> None:
        if isinstance(event, Discarded) and event.tile is Tile.P5:
            evening.bodies = bodies
        else:
            evening.show(bodies)

    evening = Scripted(0, pace=pace, people=people)
    own = "555p" if "kong" in moves else "55p C"
    evening.play_script(moves + self_draw(3), {0: moves.split()[2], 1: "67p C", 2: own, 3: WAITING})
    assert as_it_was_played(evening).payments == (-16, -16, -16, 48)


def taken_back(at: str, wrong: Callable[[Evening, Bodies], Bodies], seconds: float) -> People:
    """Before the event `at` something else is laid and, after so many seconds, taken back."""

    def people(evening: Evening, event: Event, bodies: Bodies) -> None:
        if event == parse_event(at):
            before = evening.bodies
            evening.show(wrong(evening, before))
            evening.wait(seconds)
            evening.show(before)
            evening.wait(1.0)
        evening.show(bodies)

    return people


@pytest.mark.parametrize("seconds", [1.0, 6.0, 30.0])
def test_a_run_that_is_put_back_leaves_the_discard_to_be_won(seconds: float) -> None:
    """Article §7: of a win by discard its giver pays all and the others half."""
    people = taken_back(
        "win 3 hand 456m 567789s 123s 99p on 6s from 0",
        lambda evening, bodies: claimed(bodies, 1, held(evening, 1, "57s"), 0),
        seconds,
    )
    evening = Scripted(0, pace=1.0, people=people)
    lap = "discard 0 E\ndiscard 1 N\ndiscard 2 N\ndiscard 3 N\n"
    won = "discard 0 6s\nwin 3 hand 456m 567789s 123s 99p on 6s from 0"
    evening.play_script(lap + won, {0: "E", 1: "57s", 3: WAITING})
    assert as_it_was_played(evening).payments == (-16, -8, -8, 32)


@pytest.mark.parametrize("seconds", [1.0, 6.0, 30.0])
@pytest.mark.parametrize(("pace", "fetched"), [(1.0, False), (1.0, True), (8.0, True)])
def test_a_fourth_tile_that_was_taken_back_and_thrown_was_no_kong_to_rob(
    seconds: float, pace: float, *, fetched: bool
) -> None:
    """Articles §7, R25: no five dragons more, and nobody pays for all."""
    people = taken_back(
        "discard 1 6s",
        lambda evening, bodies: kong_added(bodies, 1, held(evening, 1, "6s")[0]),
        seconds,
    )
    evening = Scripted(0, pace=pace, people=people)
    moves = ADDED_KONG.replace("declare 1 added_kong 6s", "discard 1 6s")
    won = "win 3 hand 456m 567789s 123s 99p on 6s from 1"
    evening.play_script(moves + won, ROBBERS, fetched=fetched)
    assert as_it_was_played(evening).payments == (-8, -16, -8, 32)


@pytest.mark.parametrize("seconds", [1.0, 6.0, 30.0])
def test_who_takes_a_dragon_back_that_he_had_thrown_may_win_with_it(seconds: float) -> None:
    """Article §9: a thrown dragon bars its player; 12 and twice 1 dragon, from each."""
    people = taken_back(
        "discard 3 N",
        lambda evening, bodies: discarded(bodies, 3, held(evening, 3, "2m")[0]),
        seconds,
    )
    evening = Scripted(0, pace=1.0, people=people)
    lap = "discard 0 E\ndiscard 1 C\ndiscard 2 C\ndiscard 3 N\ndiscard 0 F\ndiscard 1 F\ndiscard 2 F\n"
    evening.play_script(
        lap + "draw 3 3s\nwin 3 hand 2m 456m 56789s 123s 99p on 3s", {0: "E", 3: "2m 456m 56789s 12s 99p"}
    )
    outcome = as_it_was_played(evening, asked=True)
    assert outcome.payments == (-14, -14, -14, 42)
