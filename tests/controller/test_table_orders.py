"""What people order about table and match: undo, abandon, pause, points, names, the next match."""

from pathlib import Path
from typing import Any

import pytest
from evening import Evening
from hypothesis import given, settings
from hypothesis import strategies as st
from replays import replayed_alike
from test_doubts import HAND, Eyes

from controller.commands import VERBS, read
from controller.journal import Journal
from controller.journal_deals import OutcomeRow, RevisionRow
from controller.journal_inputs import body_of, input_from
from controller.journal_replay import past_of
from controller.journal_rows import AdjustmentRow, MatchRow
from controller.match import places
from controller.public import Adjustment, Ranking, RevisedEvent, Scores, TableSnapshot
from controller.session import SessionSettings
from controller.session_inputs import (
    Abandon,
    Adjust,
    Names,
    NextMatch,
    Order,
    Ordered,
    Pause,
    PersonAnswer,
    PersonProposal,
    Resume,
    Undo,
)
from controller.session_orders import VERBS as ORDERS
from controller.session_replies import Reply
from rules.record import parse_event
from rules.tiles import Seat

NUMBERS = iter(range(1, 1_000_000))


def order(eyes: Eyes, wanted: Order) -> Reply:
    """Give an order and have its answer."""
    before = len(eyes.evening.log.answers)
    eyes.evening.tell(Ordered(f"t{next(NUMBERS)}", wanted))
    (answer,) = eyes.evening.log.answers[before:]
    return answer.reply


def rows(eyes: Eyes, kind: type[Any]) -> list[Any]:
    return [row for row in eyes.evening.log.rows if isinstance(row, kind)]


def told(eyes: Eyes, kind: type[Any]) -> list[Any]:
    return [payload for _, payload in eyes.evening.log.published if isinstance(payload, kind)]


def balances(eyes: Eyes) -> tuple[int, ...]:
    scores = eyes.last("state/scores")
    assert isinstance(scores, Scores)
    return scores.balances


def table(eyes: Eyes) -> TableSnapshot:
    shown = eyes.last("state/table")
    assert isinstance(shown, TableSnapshot)
    return shown


def log(eyes: Eyes) -> list[str]:
    """The record of the running deal as a restart would find it."""
    return list(past_of(eyes.evening.log.rows).events)


def won() -> Eyes:
    """A deal that seat 1 has won on W of seat 0."""
    eyes = Eyes.begun()
    eyes.discard(0, "W")
    eyes.look()
    eyes.show(1, HAND)
    eyes.look(5.0)
    assert [row.how for row in eyes.evening.log.outcomes()] == ["won"]
    return eyes


# undo


def test_the_last_event_is_taken_back_and_the_record_says_so(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    reply = order(eyes, Undo("seat 1"))
    assert (reply.done, reply.zh, reply.en) == (True, "已撤回：discard 0 5p", "taken back: discard 0 5p")
    assert log(eyes) == ["deal 0 dice 3 4", "indicator 1m"]
    (row,) = rows(eyes, RevisionRow)
    assert (row.how, row.author, row.undone) == ("undone", "seat 1", "discard 0 5p")
    assert [(event.how, event.author) for event in told(eyes, RevisedEvent)] == [("undone", "seat 1")]
    eyes.discard(0, "E")
    eyes.look()
    assert log(eyes)[2:] == ["discard 0 E"]


def test_what_still_lies_so_after_an_undo_is_asked_and_not_booked(eyes: Eyes) -> None:
    eyes.discard(0, "5p")
    eyes.look()
    order(eyes, Undo("seat 1"))
    eyes.look(20.0)
    assert (log(eyes)[2:], eyes.doubts()) == ([], ["undone"])
    eyes.answer("confirm")
    assert (log(eyes)[2:], eyes.doubts()) == (["discard 0 5p"], [])


def test_a_tile_that_was_taken_back_may_be_laid_again(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    order(eyes, Undo("seat 1"))
    eyes.take(number)
    eyes.look()
    eyes.discard(0, "5p")
    eyes.look()
    assert (log(eyes)[2:], eyes.doubts()) == (["discard 0 5p"], [])


def test_draws_go_with_the_event_that_they_followed_from(eyes: Eyes) -> None:
    eyes.discard(0, "5p")
    eyes.look()
    second = eyes.discard(1, "E")
    eyes.look()
    assert log(eyes)[2:] == ["discard 0 5p", "draw 1", "discard 1 E"]
    eyes.take(second)
    order(eyes, Undo("x"))
    assert log(eyes)[2:] == ["discard 0 5p", "draw 1"]
    order(eyes, Undo("x"))
    assert log(eyes)[2:] == []
    assert order(eyes, Undo("x")).done
    assert order(eyes, Undo("x")).en == "nothing has happened that could be taken back"


def test_a_fine_that_is_taken_back_is_paid_back(eyes: Eyes) -> None:
    eyes.evening.tell(PersonProposal("false_win", Seat.S3, "waiter"))
    eyes.answer("confirm")
    assert balances(eyes) == (124, 124, 124, 28)
    assert order(eyes, Undo("referee")).done
    assert balances(eyes) == (100, 100, 100, 100)
    (row,) = rows(eyes, AdjustmentRow)
    assert (row.payments, row.during, row.author) == ((-24, -24, -24, 72), True, "referee")
    assert [payload.payments for payload in told(eyes, Adjustment)] == [(-24, -24, -24, 72)]
    eyes.evening.begin(past_of(eyes.evening.log.rows))
    assert balances(eyes) == (100, 100, 100, 100)


def test_an_undo_outlives_a_kill(eyes: Eyes) -> None:
    eyes.discard(0, "5p")
    eyes.look()
    order(eyes, Undo("seat 1"))
    again = Evening(0, past=past_of(eyes.evening.log.rows))
    eyes.evening = again
    eyes.lay("1m", 86.0, -86.0)
    eyes.discard(0, "5p")
    eyes.look(5.0)
    assert eyes.doubts() == ["undone"]


TILES = ["5p", "E", "9s", "3m", "W", "2s", "C", "7m"]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(TILES), min_size=1, max_size=8, unique=True), st.data())
def test_an_undo_followed_by_the_same_event_is_the_same_state(tiles: list[str], data: st.DataObject) -> None:
    eyes = Eyes.begun()
    seat = 0
    for place, tile in enumerate(tiles):
        number = eyes.discard(seat, tile, place // 4)
        eyes.look()
        if data.draw(st.booleans(), label="undone"):
            before = past_of(eyes.evening.log.rows)
            shown = eyes.last("state/hand")
            eyes.take(number)
            order(eyes, Undo("x"))
            eyes.look()
            eyes.discard(seat, tile, place // 4)
            eyes.look()
            after = past_of(eyes.evening.log.rows)
            assert (after.events, after.open_doubts) == (before.events, before.open_doubts)
            assert _plain(eyes.last("state/hand")) == _plain(shown)
        seat = (seat + 1) % 4


def _plain(payload: Any) -> Any:
    return {name: getattr(payload, name) for name in payload.__struct_fields__ if name not in {"seq", "ts"}}


# abandon


def test_a_hand_is_given_up_with_a_reason_and_the_same_dealer_deals_again(eyes: Eyes) -> None:
    reply = order(eyes, Abandon("referee", "机器卡牌 a jam"))
    assert (reply.done, reply.changed) == (True, ("deal 1 abandoned: +0 +0 +0 +0",))
    (row,) = rows(eyes, OutcomeRow)
    assert (row.how, row.reason, row.author, row.dealer_next) == ("abandoned", "机器卡牌 a jam", "referee", 0)
    assert order(eyes, Abandon("referee", "again")).en == "no hand is being played"
    eyes.evening.prepare((2, 2))
    assert log(eyes)[0] == "deal 0 dice 2 2"


def test_a_hand_is_not_given_up_without_a_reason(eyes: Eyes) -> None:
    assert order(eyes, Abandon("referee", "  ")).en == "a reason is needed"
    assert table(eyes).phase == "playing"


# pause


def test_while_the_table_is_paused_nothing_counts_and_no_key_moves_anything(eyes: Eyes) -> None:
    assert order(eyes, Pause("x")).done
    assert table(eyes).paused
    eyes.discard(0, "5p")
    eyes.look(20.0)
    eyes.lift()
    eyes.evening.wait(10.0)
    assert (log(eyes)[2:], eyes.doubts(), table(eyes).phase) == ([], [], "playing")
    assert order(eyes, Pause("x")).en == "it is paused already"
    eyes.evening.begin(past_of(eyes.evening.log.rows))
    assert table(eyes).paused
    assert order(eyes, Resume("x")).done
    eyes.lay("1m", 86.0, -86.0)
    eyes.discard(0, "5p")
    eyes.look()
    assert log(eyes)[2:] == ["discard 0 5p"]
    assert order(eyes, Resume("x")).en == "it is not paused"


# points


def test_a_referee_moves_points_with_a_reason(eyes: Eyes) -> None:
    reply = order(eyes, Adjust((10, -4, -6, 0), "补记 forgotten fine", "referee"))
    assert reply.done
    assert balances(eyes) == (110, 96, 94, 100)
    (row,) = rows(eyes, AdjustmentRow)
    assert (row.adjustment, row.deal, row.during, row.balances, row.reason) == (
        1,
        1,
        True,
        (110, 96, 94, 100),
        "补记 forgotten fine",
    )
    (payload,) = told(eyes, Adjustment)
    assert (payload.payments, payload.balances, payload.author) == (
        (10, -4, -6, 0),
        (110, 96, 94, 100),
        "referee",
    )
    eyes.evening.begin(past_of(eyes.evening.log.rows))
    assert balances(eyes) == (110, 96, 94, 100)


@pytest.mark.parametrize(
    ("wanted", "en"),
    [
        (Adjust((1, 0, 0, 0), "r", "x"), "payments have to sum to zero: +1 +0 +0 +0 is +1"),
        (Adjust((0, 0, 0, 0), "r", "x"), "no points are to be moved"),
        (Adjust((1, -1, 0, 0), " ", "x"), "a reason is needed"),
    ],
)
def test_points_are_not_moved_without_rhyme_and_reason(eyes: Eyes, wanted: Adjust, en: str) -> None:
    assert order(eyes, wanted).en == en
    assert (balances(eyes), rows(eyes, AdjustmentRow)) == ((100, 100, 100, 100), [])


def test_a_settlement_stands_on_the_points_that_were_moved(eyes: Eyes) -> None:
    order(eyes, Adjust((-90, 90, 0, 0), "r", "x"))
    eyes.discard(0, "W")
    eyes.look()
    eyes.show(1, HAND)
    eyes.look(5.0)
    (row,) = eyes.evening.log.outcomes()
    assert row.payments[0] == -10
    assert row.match_over


def test_points_moved_between_two_hands_hold_in_the_next_and_after_a_kill() -> None:
    eyes = won()
    after = balances(eyes)
    order(eyes, Adjust((5, -5, 0, 0), "r", "x"))
    moved = (after[0] + 5, after[1] - 5, *after[2:])
    assert balances(eyes) == moved
    eyes.evening.begin(past_of(eyes.evening.log.rows))
    assert balances(eyes) == moved
    eyes.evening.prepare((1, 1))
    assert past_of(eyes.evening.log.rows).deal.balances == moved  # type: ignore[union-attr]


def test_points_moved_between_two_hands_may_end_the_match() -> None:
    eyes = won()
    mine = balances(eyes)[2]
    order(eyes, Adjust((0, mine, -mine, 0), "r", "referee"))
    shown = eyes.last("state/ranking")
    assert isinstance(shown, Ranking)
    assert (shown.match_no, shown.ended, shown.ranking[-1].seat) == (1, "played", 2)
    assert order(eyes, Adjust((1, -1, 0, 0), "r", "x")).en == (
        "the last match is over and the next one has not begun"
    )


# match and names


def test_a_match_is_ended_between_two_hands_and_ranked() -> None:
    eyes = won()
    names = ("张三", "李四", "王五", "赵六")
    assert order(eyes, Names(names, "x")).done
    final = balances(eyes)
    assert order(eyes, NextMatch("referee")).done
    (row,) = rows(eyes, MatchRow)
    assert (row.match_no, row.deals, row.balances, row.places, row.players) == (
        1,
        1,
        final,
        places(final),  # type: ignore[arg-type]
        names,
    )
    for _ in range(2):
        shown = eyes.last("state/ranking")
        assert isinstance(shown, Ranking)
        best = shown.ranking[0]
        assert (best.seat, best.player, best.points) == (1, "李四", final[1])
        assert sum(one.change for one in shown.ranking) == 0
        assert (shown.ended, shown.hands, shown.certain) == ("ended", 1, True)
        assert balances(eyes) == final
        eyes.evening.begin(past_of(eyes.evening.log.rows))
    assert order(eyes, NextMatch("referee")).en == "no hand of this match was played yet"
    eyes.evening.prepare((1, 1))
    assert (table(eyes).match_no, table(eyes).hand_no, balances(eyes)) == (2, 1, (100, 100, 100, 100))


def test_a_match_does_not_end_in_the_middle_of_a_hand(eyes: Eyes) -> None:
    assert order(eyes, NextMatch("x")).en == "a hand is being played: finish or abandon it first"


def test_players_are_named_until_the_configuration_names_others(eyes: Eyes) -> None:
    names = ("张三", "李四", "王五", "赵六")
    assert order(eyes, Names(names, "x")).done
    assert table(eyes).players == names
    past = past_of(eyes.evening.log.rows)
    eyes.evening.begin(past)
    assert table(eyes).players == names
    eyes.evening.settings = SessionSettings(players=("A", "B", "C", "D"))
    eyes.evening.begin(past)
    assert table(eyes).players == ("A", "B", "C", "D")


@pytest.mark.parametrize("name", ["", "  ", "一二三四五六七八九十一二三", "a\nb"])
def test_a_name_that_can_not_be_shown_is_refused(eyes: Eyes, name: str) -> None:
    assert not order(eyes, Names((name, "b", "c", "d"), "x")).done
    assert table(eyes).players == ("甲", "乙", "丙", "丁")


def test_equal_points_share_a_place() -> None:
    assert places((100, 130, 70, 100)) == (2, 1, 4, 2)


# all of them


EVERY: list[Order] = [
    PersonAnswer(1, "confirm", "x"),
    PersonProposal("barred", Seat.S2, "x", "a tile short"),
    Undo("x"),
    Abandon("x", "r"),
    Adjust((1, -1, 0, 0), "r", "x"),
    Pause("x"),
    Resume("x"),
    NextMatch("x"),
    Names(("a", "b", "c", "d"), "x"),
]


def test_every_order_has_a_word_and_is_read_from_the_journal() -> None:
    assert {type(one) for one in EVERY} <= set(ORDERS)
    assert set(ORDERS.values()) == set(VERBS)
    for one in EVERY:
        ordered = Ordered("a", one, 5.0)
        assert input_from("Ordered", body_of(ordered)) == ordered


@pytest.mark.parametrize(
    "body",
    [
        '{"verb":"undo","author":"x"}',
        '{"verb":"abandon","author":"x","reason":"r"}',
        '{"verb":"adjust","author":"x","payments":[1,-1,0,0],"reason":"r"}',
        '{"verb":"pause","author":"x"}',
        '{"verb":"resume","author":"x"}',
        '{"verb":"next_match","author":"x"}',
        '{"verb":"names","author":"x","players":["a","b","c","d"]}',
    ],
)
def test_json_becomes_every_order(body: str) -> None:
    assert read(body.encode()).order in EVERY


ORDER = st.one_of(
    st.sampled_from([Undo("x"), Pause("x"), Resume("x"), NextMatch("x"), Abandon("x", "r")]),
    st.sampled_from([-7, 3, 20]).map(lambda n: Adjust((n, -n, 0, 0), "r", "x")),
    st.just(PersonProposal("false_win", Seat.S3, "x")),
    st.tuples(st.integers(1, 6), st.sampled_from("xy")).map(
        lambda told: PersonAnswer(told[0], "confirm", told[1], words="四号位炸胡 (false win)")
    ),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.one_of(ORDER, st.sampled_from(TILES)), max_size=14))
def test_whatever_is_ordered_points_stay_and_a_restart_finds_the_same(steps: list[Order | str]) -> None:
    eyes = Eyes.begun()
    for step in steps:
        if isinstance(step, str):
            eyes.discard(0, step)
            eyes.look()
        else:
            order(eyes, step)
        assert sum(balances(eyes)) == 400
    past = past_of(eyes.evening.log.rows)
    shown = {topic: _plain(eyes.last(topic)) for topic in ("state/scores", "state/table")}
    again = Eyes(Evening(0, past=past))
    for topic, payload in shown.items():
        now = _plain(again.last(topic))
        assert {**now, "boot": 0, "phase": ""} == {**payload, "boot": 0, "phase": ""}
    assert [parse_event(line) for line in past.events]


def test_orders_are_replayed_from_the_file(tmp_path: Path) -> None:
    eyes = won()
    for one in EVERY:
        order(eyes, one)
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write(eyes.evening.log.rows)
        assert journal.past() == past_of(eyes.evening.log.rows)
    replayed_alike(path, eyes.evening.model, AdjustmentRow, MatchRow, RevisionRow)
