"""A correction replays the deal; what was settled is superseded, never edited, and later deals follow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from evening import Evening
from hypothesis import given, settings
from hypothesis import strategies as st
from replays import replayed_alike
from test_doubts import Eyes
from test_table_orders import _plain, balances, log, order, rows, told

from controller.commands import read
from controller.journal import Journal
from controller.journal_deals import OutcomeRow, RevisionRow
from controller.journal_replay import past_of
from controller.journal_rows import InputRow, MatchRow, OutboxRow
from controller.public import AmendedSettlement, Corrections, Ranking, RevisedEvent
from controller.session_inputs import Correct, Enter, NextMatch, Undo
from rules import sets
from rules.record import parse_event
from rules.tiles import Seat

HAND = "2p 3p 4p 2s 3s 4s 6s 7s 8s 9s 9s W W"


def entered(winner: int, giver: int | None, hand: str = HAND) -> str:
    how, source = ("selfdraw", "") if giver is None else ("discard", f" from {giver}")
    return f"entered {winner} {how} hand {hand.replace(' ', '')} on W{source}"


def enter(winner: int | None, giver: int | None) -> Enter:
    return Enter(
        winner=None if winner is None else Seat(winner),
        from_seat=None if giver is None else Seat(giver),
        hand="" if winner is None else HAND,
        tile="" if winner is None else "W",
        author="referee",
    )


def evening(ends: Sequence[tuple[int | None, int | None]], **options: object) -> Eyes:
    """Deals that end so, one after the other; none is running."""
    eyes = Eyes(Evening(0, rules=sets.load("cixi-card", options)))
    for end in ends:
        Eyes.begun(eyes.evening)
        reply = order(eyes, enter(*end))
        assert reply.done, reply
    return eyes


def last_outcomes(eyes: Eyes) -> list[OutcomeRow]:
    return list({row.deal: row for row in rows(eyes, OutcomeRow)}.values())


def test_a_corrected_settlement_supersedes_the_first_with_the_difference_per_seat() -> None:
    eyes = evening([(1, 0)])
    (first,) = rows(eyes, OutcomeRow)
    reply = order(eyes, Correct(1, 2, (entered(1, 2),), "referee"))
    assert (reply.done, reply.zh[:6]) == (True, "第1局已更正")
    old, new = rows(eyes, OutcomeRow)
    assert old == first
    change = tuple(now - before for now, before in zip(new.payments, old.payments, strict=True))
    assert (new.edition, new.supersedes, new.difference, new.author) == (2, 1, change, "referee")
    assert any(change)
    assert sum(new.payments) == sum(change) == 0
    assert balances(eyes) == new.balances
    for topic in ("ledger/settlement", "state/settlement"):
        shown = eyes.last(topic)
        assert isinstance(shown, AmendedSettlement)
        assert (shown.edition, shown.supersedes, shown.superseded) == (2, 1, old.payments)
        assert (shown.payments, shown.difference, shown.balances) == (new.payments, change, new.balances)
    assert [row.topic for row in rows(eyes, OutboxRow)] == ["ledger/settlement"] * 2
    assert [(event.how, event.hand_no) for event in told(eyes, RevisedEvent)] == [("corrected", 1)]
    (revision,) = rows(eyes, RevisionRow)
    assert (revision.deal, parse_event(revision.events[-1])) == (1, parse_event(entered(1, 2)))


def test_later_deals_follow_with_their_points() -> None:
    eyes = evening([(1, 0), (1, 2), (None, None)])
    before = last_outcomes(eyes)
    order(eyes, Correct(1, 2, (entered(1, None),), "referee"))
    after = last_outcomes(eyes)
    change = after[0].difference
    assert change is not None
    for old, new in zip(before[1:], after[1:], strict=True):
        assert (new.edition, new.payments, new.difference) == (2, old.payments, (0, 0, 0, 0))
        assert new.balances == tuple(have + more for have, more in zip(old.balances, change, strict=True))
    assert balances(eyes) == after[-1].balances
    for _ in range(2):
        shown = eyes.last("state/corrections")
        assert isinstance(shown, Corrections)
        (one,) = shown.corrections
        assert (one.deal, one.edition, one.author, one.superseded) == (1, 2, "referee", before[0].payments)
        assert (one.payments, one.difference) == (after[0].payments, change)
        eyes.evening.begin(past_of(eyes.evening.log.rows))
    Eyes.begun(eyes.evening)
    assert balances(eyes) == after[-1].balances


def test_a_correction_of_one_deal_may_change_what_a_later_one_can_pay() -> None:
    eyes = evening([(1, None)], start_points=40)
    Eyes.begun(eyes.evening)
    order(eyes, enter(1, 0))
    first, second = last_outcomes(eyes)
    order(eyes, Correct(1, 2, ("entered drawn",), "referee"))
    corrected, follows = last_outcomes(eyes)
    assert (corrected.payments, corrected.how) == ((0, 0, 0, 0), "drawn")
    assert sum(follows.payments) == 0
    assert follows.balances == tuple(40 + change for change in follows.payments)
    assert (first.edition, second.edition) == (1, 1)


def test_the_running_deal_stands_on_the_corrected_points() -> None:
    eyes = evening([(1, 0)])
    Eyes.begun(eyes.evening)
    order(eyes, Correct(1, 2, (entered(1, None),), "referee"))
    (outcome,) = last_outcomes(eyes)
    assert balances(eyes) == outcome.balances
    eyes.evening.begin(past_of(eyes.evening.log.rows))
    assert balances(eyes) == outcome.balances
    order(eyes, enter(2, 3))
    last = last_outcomes(eyes)[-1]
    assert last.before == outcome.balances
    assert last.balances == tuple(
        have + change for have, change in zip(outcome.balances, last.payments, strict=True)
    )


def test_an_event_of_the_running_deal_is_corrected_and_the_table_does_not_take_it_back() -> None:
    eyes = Eyes.begun()
    eyes.discard(0, "6p")
    eyes.look()
    eyes.discard(1, "E")
    eyes.look()
    reply = order(eyes, Correct(1, 2, ("discard 0 5p",), "seat 1"))
    assert reply.done
    assert log(eyes)[2:] == ["discard 0 5p", "draw 1", "discard 1 E"]
    eyes.look(20.0)
    assert (log(eyes)[2:], eyes.doubts()) == (["discard 0 5p", "draw 1", "discard 1 E"], [])
    eyes.discard(2, "9s")
    eyes.look()
    assert log(eyes)[-1] == "discard 2 9s"


def test_draws_come_and_go_as_a_correction_needs_them() -> None:
    eyes = Eyes.begun()
    eyes.discard(0, "5p")
    eyes.look()
    reply = order(eyes, Correct(1, 3, ("discard 1 E", "discard 2 9s"), "x"))
    assert reply.done
    assert log(eyes)[2:] == ["discard 0 5p", "draw 1", "discard 1 E", "draw 2", "discard 2 9s"]
    order(eyes, Correct(1, 2, (), "x"))
    assert order(eyes, Undo("x")).done


def test_a_withheld_deal_is_settled_by_a_correction_and_points_are_certain_again() -> None:
    eyes = Eyes.begun()
    eyes.lift()
    eyes.evening.wait(5.0)
    eyes.lift()
    assert [row.how for row in rows(eyes, OutcomeRow)] == ["withheld"]
    eyes.evening.prepare((1, 2), opened=True)
    eyes.lay("1m", 86.0, -86.0)
    eyes.look()
    assert eyes.doubts() == ["points"]
    assert order(eyes, Correct(1, 2, (entered(1, 0),), "referee")).done
    assert eyes.doubts() == []
    outcome = last_outcomes(eyes)[0]
    assert (outcome.how, outcome.edition, outcome.certain) == ("won", 2, True)
    assert log(eyes)[0] == "deal 1 dice 1 2"
    assert balances(eyes) == outcome.balances


@pytest.mark.parametrize(
    ("wanted", "en"),
    [
        (Correct(9, 2, (), "x"), "deal 9 can't be corrected; of this match there are 1-2"),
        (Correct(1, 7, (), "x"), "there is no event 7: the deal has 0 to 2"),
        (Correct(1, 2, (), "x"), "the hand would not be over"),
        (Correct(1, 2, ("nonsense",), "x"), "can't be read: not an event: 'nonsense'"),
        (Correct(1, 1, ("indicator 5x",), "x"), "can't be read: "),
        (
            Correct(1, 2, ("discard 1 5p",), "x"),
            "the rules do not allow it: seat 1 moves, it is seat 0's turn",
        ),
        (Correct(1, 2, ("draw 0 5p",), "x"), "drawn and dealt tiles are not told"),
        (Correct(1, 2, (entered(1, 1),), "x"), "the rules do not allow it: a win by discard needs"),
    ],
)
def test_what_can_not_be_corrected_so_is_refused_and_changes_nothing(wanted: Correct, en: str) -> None:
    eyes = evening([(1, 0), (2, 1)])
    before = [row for row in eyes.evening.log.rows if not isinstance(row, InputRow)]
    shown = balances(eyes)
    reply = order(eyes, wanted)
    assert (reply.done, reply.changed) == (False, ())
    assert reply.en.startswith(en), reply.en
    after = [row for row in eyes.evening.log.rows if not isinstance(row, InputRow)]
    assert [type(row).__name__ for row in after[len(before) :]] == ["AnswerRow"]
    assert balances(eyes) == shown


def test_a_match_does_not_end_in_the_past() -> None:
    eyes = evening([(1, None), (1, None)], start_points=60)
    reply = order(eyes, Correct(1, 1, ("indicator 1m", entered(1, None, "2m2m2m2m" + HAND[6:])), "x"))
    assert not reply.done


def test_the_last_deal_of_a_match_may_come_out_otherwise() -> None:
    eyes = evening([(1, None)], start_points=30)
    (won,) = rows(eyes, OutcomeRow)
    shown = eyes.last("state/ranking") if won.match_over else None
    order(eyes, Correct(1, 2, ("entered drawn",), "referee"))
    assert balances(eyes) == (30, 30, 30, 30)
    Eyes.begun(eyes.evening)
    (drawn,) = last_outcomes(eyes)
    assert not drawn.match_over
    running = past_of(eyes.evening.log.rows).deal
    assert running is not None
    assert (running.match_no, running.hand_no) == (1, 2)
    assert shown is None or isinstance(shown, Ranking)


def test_a_match_that_a_person_has_ended_is_ranked_anew_and_the_next_is_not_touched() -> None:
    eyes = evening([(1, 0), (2, 3)])
    order(eyes, NextMatch("referee"))
    order(eyes, Correct(1, 2, (entered(3, 0),), "referee"))
    for _ in range(2):
        shown = eyes.last("state/ranking")
        assert isinstance(shown, Ranking)
        points = {one.seat: one.points for one in shown.ranking}
        assert tuple(points[seat] for seat in range(4)) == last_outcomes(eyes)[-1].balances
        assert balances(eyes) == last_outcomes(eyes)[-1].balances
        eyes.evening.begin(past_of(eyes.evening.log.rows))
    assert len(rows(eyes, MatchRow)) == 2
    Eyes.begun(eyes.evening)
    assert balances(eyes) == (100, 100, 100, 100)


END = st.one_of(
    st.just((None, None)),
    st.tuples(st.integers(0, 3), st.integers(0, 3)).map(
        lambda pair: (pair[0], None if pair[0] == pair[1] else pair[1])
    ),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(END, min_size=1, max_size=3), END, st.booleans(), st.data())
def test_a_correction_equals_the_deal_played_rightly_from_the_start(
    right: list[tuple[int | None, int | None]],
    wrong: tuple[int | None, int | None],
    restarted: bool,  # noqa: FBT001
    data: st.DataObject,
) -> None:
    at = data.draw(st.integers(0, len(right) - 1), label="at")
    if at < len(right) - 1:
        # Who has dealt has dealt: only the last deal may have had another winner.
        wrong = (right[at][0], wrong[1] if right[at][0] not in {None, wrong[1]} else None)
    lived = [*right[:at], wrong, *right[at + 1 :]]
    mistaken, played = evening(lived), evening(right)
    if restarted:
        mistaken.evening.begin(past_of(mistaken.evening.log.rows))
    winner, giver = right[at]
    line = "entered drawn" if winner is None else entered(winner, giver)
    assert order(mistaken, Correct(at + 1, 2, (line,), "referee")).done
    fields = ("how", "winner", "from_seat", "payments", "balances", "dealer_next", "kept_next", "match_over")
    assert [[getattr(row, name) for name in fields] for row in last_outcomes(mistaken)] == [
        [getattr(row, name) for name in fields] for row in last_outcomes(played)
    ]
    for eyes in (mistaken, played):
        if restarted:
            eyes.evening.begin(past_of(eyes.evening.log.rows))
        Eyes.begun(eyes.evening)
    for topic in ("state/scores", "state/table"):
        assert _like(mistaken.last(topic)) == _like(played.last(topic))
    assert log(mistaken) == log(played)


def _like(payload: Any) -> Any:
    return {name: value for name, value in _plain(payload).items() if name != "boot"}


def test_corrections_are_replayed_from_the_file_and_found_at_a_start(tmp_path: Path) -> None:
    eyes = evening([(1, 0), (1, 2), (2, 1)])
    order(eyes, Correct(1, 2, (entered(1, None),), "referee"))
    order(eyes, Correct(2, 2, (entered(1, 3),), "referee"))
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write(eyes.evening.log.rows)
        assert journal.past() == past_of(eyes.evening.log.rows)
    replayed_alike(path, eyes.evening.model, OutcomeRow, RevisionRow, OutboxRow)
    shown = {topic: _like(eyes.last(topic)) for topic in ("state/scores", "state/settlement")}
    eyes.evening.begin(past_of(eyes.evening.log.rows))
    assert {topic: _like(eyes.last(topic)) for topic in shown} == shown


def test_json_becomes_a_correction() -> None:
    body = '{"verb":"correct","author":"x","deal":3,"index":12,"events":["discard 0 5p"]}'
    assert read(body.encode()).order == Correct(3, 12, ("discard 0 5p",), "x")
