"""The points after each hand of a match are told with the scores and the ranking, corrected and restored."""

from pathlib import Path

from evening import Evening
from test_corrections import enter, entered, evening
from test_doubts import Eyes
from test_table_orders import order, table

from controller.journal import Journal
from controller.journal_deals import OutcomeRow
from controller.journal_replay import past_of
from controller.public import MOST_HANDS, HandPoints, Ranking, Scores, TableSnapshot
from controller.session_inputs import Abandon, Adjust, Correct, NextMatch
from controller.session_news import is_news
from rules.tiles import Seat


def history(eyes: Eyes) -> tuple[HandPoints, ...]:
    scores = eyes.last("state/scores")
    assert isinstance(scores, Scores)
    return scores.history


def ranking(eyes: Eyes) -> Ranking:
    shown = eyes.last("state/ranking")
    assert isinstance(shown, Ranking)
    return shown


def outcomes(eyes: Eyes) -> list[OutcomeRow]:
    return list({row.deal: row for row in eyes.evening.log.outcomes()}.values())


def test_every_hand_of_the_match_is_told_with_the_points_after_it() -> None:
    eyes = evening([(1, 0), (None, None), (1, 2)])
    Eyes.begun(eyes.evening)
    order(eyes, Abandon("referee", "牌不全"))
    told = history(eyes)
    assert [(one.hand_no, one.how, one.winner) for one in told] == [
        (1, "won", 1),
        (2, "drawn", None),
        (3, "won", 1),
        (4, "abandoned", None),
    ]
    assert [one.balances for one in told] == [row.balances for row in outcomes(eyes)]


def test_a_correction_moves_the_points_of_its_hand_and_of_those_after_it() -> None:
    eyes = evening([(1, 0), (2, 1)])
    before = history(eyes)
    order(eyes, Correct(1, 2, (entered(1, 2),), "referee"))
    told = history(eyes)
    assert [one.balances for one in told] == [row.balances for row in outcomes(eyes)]
    assert all(one.balances != old.balances for one, old in zip(told, before, strict=True))


def test_the_ranking_keeps_the_hands_of_its_match_when_the_next_one_has_begun() -> None:
    eyes = evening([(1, 0), (2, 1)])
    order(eyes, Adjust((5, -5, 0, 0), "罚", "referee"))
    last = history(eyes)
    order(eyes, NextMatch("referee"))
    assert ranking(eyes).history == last
    assert ranking(eyes).start_points == 100
    by_seat = {row.seat: row.points for row in ranking(eyes).ranking}
    moved = [by_seat[seat] - last[-1].balances[seat] for seat in range(4)]
    assert moved == [5, -5, 0, 0]
    Eyes.begun(eyes.evening)
    assert history(eyes) == ()
    assert ranking(eyes).history == last


def test_a_start_finds_the_same_history_and_ranking(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        eyes = Eyes(Evening(0, keep=journal.write))
        for end in ((1, 0), (None, None)):
            Eyes.begun(eyes.evening)
            order(eyes, enter(*end))
        order(eyes, NextMatch("referee"))
        Eyes.begun(eyes.evening)
        order(eyes, enter(3, None))
        expected = history(eyes), ranking(eyes).history
        assert [len(one) for one in expected] == [1, 2]
        assert journal.past() == past_of(eyes.evening.log.rows)
        for _ in range(2):
            eyes.evening.begin(journal.past())
            assert (history(eyes), ranking(eyes).history) == expected


def test_a_match_without_end_tells_its_last_hands_only() -> None:
    eyes = evening([])
    for _ in range(MOST_HANDS + 2):
        Eyes.begun(eyes.evening)
        order(eyes, enter(None, None))
    told = history(eyes)
    assert len(told) == MOST_HANDS
    assert told[0].hand_no == 3


def test_who_deals_next_is_told_from_the_end_of_a_hand_to_the_next() -> None:
    eyes = evening([(2, 0)])
    assert table(eyes).next_dealer == 2
    Eyes.begun(eyes.evening)
    assert table(eyes).next_dealer is None
    order(eyes, enter(None, None))
    assert table(eyes).next_dealer == 2
    order(eyes, NextMatch("referee"))
    assert table(eyes).next_dealer is None  # a die is to tell


def test_what_is_told_beside_the_state_gets_no_number_of_its_own() -> None:
    shown = table(evening([(2, 0)]))
    assert isinstance(shown, TableSnapshot)
    scores = Scores(balances=(100, 100, 100, 100), start_points=100)
    hand = HandPoints(hand_no=1, how="drawn", winner=None, balances=scores.balances)
    more = Scores(balances=scores.balances, start_points=100, history=(hand,))
    assert not is_news(scores, more)
    assert is_news(more, Scores(balances=(90, 110, 100, 100), start_points=100, history=(hand,)))
    assert Seat(shown.next_dealer or 0) is Seat.S2
