"""People's orders are answered: carried out once or refused in one line of Chinese and English."""

from pathlib import Path

import pytest
from evening import Evening
from replays import replayed_alike
from test_doubts import Eyes

from controller.commands import BadCommand, read
from controller.journal import Journal
from controller.journal_inputs import body_of, input_from
from controller.journal_rows import AnswerRow, InputRow
from controller.public import Doubts
from controller.session_inputs import Ordered, PersonAnswer, PersonProposal
from controller.session_replies import REMEMBERED_S, Reply
from rules.tiles import Seat, parse_tiles

FALSE_WIN = "二号位炸胡 (false win)"


def told(eyes: Eyes, ordered: Ordered) -> Reply:
    """Give an order as the shells do."""
    before = len(eyes.evening.log.answers)
    eyes.evening.tell(ordered)
    (answer,) = eyes.evening.log.answers[before:]
    assert answer.id == ordered.id
    return answer.reply


def open_doubt(eyes: Eyes) -> int:
    shown = eyes.last("state/doubt")
    assert isinstance(shown, Doubts)
    return shown.doubts[0].id


def answers(eyes: Eyes) -> list[AnswerRow]:
    return [row for row in eyes.evening.log.rows if isinstance(row, AnswerRow)]


@pytest.fixture
def eyes() -> Eyes:
    """E of seat 0 lies open, seat 1 has shown a hand that is no win."""
    return Eyes.shown_no_win()


def test_an_answer_says_what_it_has_changed(eyes: Eyes) -> None:
    number = open_doubt(eyes)
    eyes.say("seat 4", "confirm")
    reply = told(eyes, Ordered("a1", PersonAnswer(number, "confirm", "referee", words=FALSE_WIN)))
    assert (reply.done, reply.zh) == (True, f"第{number}号疑问已答复")
    assert any(line.startswith("deal 1: false_win 1") for line in reply.changed)
    assert "deal 1 fine: +24 -72 +24 +24" in reply.changed
    (row,) = answers(eyes)
    assert (row.id, row.verb, row.author, row.done, row.changed) == (
        "a1",
        "answer",
        "referee",
        True,
        reply.changed,
    )


def test_an_order_that_comes_twice_is_answered_twice_and_carried_out_once(eyes: Eyes) -> None:
    order = Ordered("a1", PersonProposal("barred", Seat.S2, "waiter", "a tile short"))
    first = told(eyes, order)
    rows = len(eyes.evening.log.rows)
    eyes.evening.wait(REMEMBERED_S - 5.0)
    assert told(eyes, order) == first
    assert len(answers(eyes)) == 1
    assert not any(
        isinstance(row, InputRow) and row.kind == "Ordered" for row in eyes.evening.log.rows[rows:]
    )
    eyes.evening.wait(10.0)
    again = told(eyes, order)
    assert (again.done, again.zh[:8]) == (False, "还有一项裁决没有")


def test_an_order_that_is_too_late_changes_nothing(eyes: Eyes) -> None:
    late = Ordered("a1", PersonAnswer(open_doubt(eyes), "confirm", "referee"), eyes.evening.now - 1.0)
    reply = told(eyes, late)
    assert (reply.done, reply.zh, reply.en, reply.changed) == (
        False,
        "命令已经过期",
        "the order has expired",
        (),
    )
    assert eyes.doubts() == ["shown"]


@pytest.mark.parametrize(
    ("order", "zh", "en"),
    [
        (PersonAnswer(99, "confirm", "x"), "没有待答的第99号疑问", "there is no open doubt 99"),
        (PersonAnswer(1, "choose", "x", 7), "选项：7，应为0到0", "choice: 7, expected 0 to 0"),
        (PersonAnswer(1, "choose", "x"), "选项：没有，应为0到0", "choice: none, expected 0 to 0"),
        (
            PersonAnswer(1, "choose", "x", 0, "一号位打一万 (discards 1m)"),
            "选项已变，请再看再选：" + FALSE_WIN,
            "the choices have changed, choose anew: " + FALSE_WIN,
        ),
        (
            PersonAnswer(1, "choose", "x", 0),
            f"请连同选项的文字一起回答：choice=0 words='{FALSE_WIN}'",
            f"say the words of the choice too: choice=0 words='{FALSE_WIN}'",
        ),
        (PersonProposal("barred", Seat.S1, "x", "twice"), None, None),
    ],
)
def test_what_can_not_be_done_is_said_in_one_line(
    eyes: Eyes, order: PersonAnswer | PersonProposal, zh: str | None, en: str | None
) -> None:
    if zh is None:
        assert told(eyes, Ordered("a0", order)).done
        ruling = told(eyes, Ordered("a1", order))
        assert ruling.en == "ruling 2 is still open"
        return
    before = eyes.evening.log.rows[:]
    reply = told(eyes, Ordered("a1", order))
    assert (reply.done, reply.zh, reply.en, reply.changed) == (False, zh, en, ())
    kinds = [type(row).__name__ for row in eyes.evening.log.rows[len(before) :]]
    assert kinds == ["InputRow", "AnswerRow"]


def test_an_answer_in_the_words_that_were_read_is_taken_and_kept(eyes: Eyes) -> None:
    assert told(eyes, Ordered("a1", PersonAnswer(1, "choose", "x", 0, FALSE_WIN))).done
    (row,) = [row for row in eyes.evening.log.rows if isinstance(row, InputRow) and row.kind == "Ordered"]
    assert input_from(row.kind, row.body) == Ordered("a1", PersonAnswer(1, "choose", "x", 0, FALSE_WIN))
    unsaid = Ordered("a2", PersonAnswer(1, "choose", "x", 0))
    assert "words" not in body_of(unsaid)
    assert input_from("Ordered", body_of(unsaid)) == unsaid


def test_between_two_hands_nothing_can_be_answered() -> None:
    eyes = Eyes(Evening(0))
    assert told(eyes, Ordered("a", PersonAnswer(1, "confirm", "x"))).en == "there is no open doubt 1"
    assert told(eyes, Ordered("b", PersonProposal("barred", Seat.S1, "x"))).en == "no hand is being played"


def test_orders_are_replayed_and_their_answers_outlive_a_kill(eyes: Eyes, tmp_path: Path) -> None:
    eyes.say("seat 4", "confirm")
    order = Ordered("a1", PersonAnswer(open_doubt(eyes), "confirm", "referee", words=FALSE_WIN))
    first = told(eyes, order)
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write(eyes.evening.log.rows)
        past = journal.past()
    assert len(replayed_alike(path, eyes.evening.model, AnswerRow)) == 1
    eyes.evening.begin(past)
    assert told(eyes, order) == first
    assert len(answers(eyes)) == 1


@pytest.mark.parametrize(
    "order",
    [
        Ordered("x-1", PersonAnswer(3, "choose", "一号位", 2), 1e9),
        Ordered("x-2", PersonProposal("false_win", Seat.S3, "w", "r", parse_tiles("123m 55p"))),
    ],
)
def test_orders_are_read_as_they_were_written(order: Ordered) -> None:
    assert input_from("Ordered", body_of(order)) == order


def test_json_becomes_an_order() -> None:
    found = read(
        b'{"id": "u1", "verb": "answer", "author": "seat 2", "expires": 5.5, "doubt": 7,'
        b' "action": "choose", "choice": 0}'
    )
    assert (found.id, found.verb, found.expires) == ("u1", "answer", 5.5)
    assert found.order == PersonAnswer(7, "choose", "seat 2", 0)


HOSTILE = {
    b"": None,
    b"\xff\xfe": None,
    b"[" * 10_000: None,
    b'{"verb": "answer"}': None,
    b'{"id": "k1", "verb": "burn", "author": "x"}': "k1",
    b'{"id": "k1", "verb": "answer", "author": "x", "doubt": 1e400, "action": "confirm"}': "k1",
    b'{"id": "k1", "verb": "answer", "author": "x", "doubt": NaN, "action": "confirm"}': None,
    b'{"id": "../#", "verb": "answer", "author": "x", "doubt": 1, "action": "confirm"}': None,
    b'{"id": "k1", "verb": "answer", "author": "x", "doubt": 1, "action": "confirm", "sudo": 1}': "k1",
    b'{"id": "k1", "verb": "answer", "author": "a\\u202eb", "doubt": 1, "action": "confirm"}': "k1",
    b'{"id": "k1", "verb": "answer", "author": "a\\nb", "doubt": 1, "action": "confirm"}': "k1",
    b'{"id": "k1", "verb": "undo", "author": " Table"}': "k1",
    b'{"id": "k1", "verb": "undo", "author": "camera"}': "k1",
    b'{"id": "k1", "verb": "propose", "author": "a", "ruling": "barred", "seat": 4}': "k1",
    b'{"id": "k1", "verb": "propose", "author": "a", "ruling": "barred", "seat": 1, "hand": "0z"}': "k1",
    b" " * (16 * 1024 + 1): None,
}


@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_order_is_refused_in_one_line(body: bytes) -> None:
    with pytest.raises(BadCommand) as refused:
        read(body)
    assert refused.value.id == HOSTILE[body]
    for line in (refused.value.zh, refused.value.en):
        assert "\n" not in line
        assert 5 < len(line) < 300
    assert any("一" <= letter <= "鿿" for letter in refused.value.zh)
