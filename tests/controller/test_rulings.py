"""A false win is fined and a player kept from winning only when a person confirms it; play goes on."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from evening import Evening
from replays import replayed_alike
from test_doubts import HAND, Eyes

from controller.journal import Journal
from controller.journal_deals import DoubtEndRow, EventRow, FineRow
from controller.journal_replay import past_of
from controller.journal_rows import OutboxRow
from controller.match import fined, first_match
from controller.public import BarredEvent, Doubts, FalseWinEvent, Fine, Scores, Settlement
from controller.session_inputs import PersonAnswer, PersonProposal
from rules import sets
from rules.tiles import Seat, Tile, parse_tiles

NO_WIN = HAND.replace("W W", "W N")
FINED = (24, -72, 24, 24)


@dataclass
class Table(Eyes):
    """Observations over an evening; `first` is the number of the first discard."""

    first: int = 0


def begun(rules: str = "cixi-card", **options: object) -> Table:
    """An evening whose first deal is under way: indicator 1m, E of seat 0 open, 100 points each."""
    evening = Evening(0, rules=sets.load(rules, options))
    evening.prepare((3, 4))
    eyes = Table(evening)
    eyes.lay("1m", 86.0, -86.0)
    eyes.look()
    eyes.first = eyes.discard(0, "E")
    eyes.look()
    return eyes


@pytest.fixture
def eyes() -> Table:
    return begun()


def propose(eyes: Eyes, ruling: str, seat: int, reason: str = "", hand: str = "") -> None:
    proposal = PersonProposal(ruling, Seat(seat), "waiter", reason, parse_tiles(hand))  # type: ignore[arg-type]
    eyes.evening.tell(proposal)


def balances(eyes: Eyes) -> tuple[int, ...]:
    scores = eyes.last("state/scores")
    assert isinstance(scores, Scores)
    return scores.balances


def rows(eyes: Eyes, kind: type[Any]) -> list[Any]:
    return [row for row in eyes.evening.log.rows if isinstance(row, kind)]


def told(eyes: Eyes, kind: type[Any]) -> list[Any]:
    return [payload for _, payload in eyes.evening.log.published if isinstance(payload, kind)]


def test_a_hand_that_does_not_win_is_fined_when_a_person_confirms_the_false_win(eyes: Eyes) -> None:
    eyes.show(1, NO_WIN)
    eyes.look(5.0)
    assert eyes.doubts() == ["shown"]
    assert rows(eyes, FineRow) == []
    assert balances(eyes) == (100, 100, 100, 100)
    eyes.answer("confirm")
    (fine,) = rows(eyes, FineRow)
    assert (fine.seat, fine.payments, fine.balances, fine.author) == (
        1,
        FINED,
        (124, 28, 124, 124),
        "referee + seat 4",
    )
    event = next(row for row in rows(eyes, EventRow) if (row.deal, row.n) == (fine.deal, fine.n))
    assert (event.text.split()[:2], event.author) == (["false_win", "1"], "referee + seat 4")
    assert balances(eyes) == (124, 28, 124, 124)
    (ledger,) = told(eyes, Fine)
    assert (ledger.payments, ledger.balances, sum(ledger.payments)) == (FINED, (124, 28, 124, 124), 0)
    assert [payload.seat for payload in told(eyes, FalseWinEvent)] == [1]
    assert [row.topic for row in rows(eyes, OutboxRow)] == ["ledger/fine"]
    assert eyes.doubts() == []


def test_after_a_false_win_play_goes_on_and_the_next_win_is_settled_from_the_points_that_are_left(
    eyes: Eyes,
) -> None:
    eyes.show(1, NO_WIN)
    eyes.look(5.0)
    eyes.answer("confirm")
    eyes.discard(1, "9s")
    eyes.look()
    assert eyes.events()[-2:] == ["draw 1", "discard 1 9s"]
    assert eyes.doubts() == []
    eyes.show(2, "2p 3p 4p 2s 3s 4s 6s 7s 8s 9s 9s S S")
    eyes.look(5.0)
    (outcome,) = eyes.evening.log.outcomes()
    assert (outcome.how, outcome.winner) == ("won", 2)
    assert sum(outcome.payments) == 0
    assert outcome.balances == tuple(
        have + change for have, change in zip((124, 28, 124, 124), outcome.payments, strict=True)
    )
    (settlement,) = [payload for topic, payload in eyes.evening.log.published if topic == "ledger/settlement"]
    assert isinstance(settlement, Settlement)
    assert settlement.balances == outcome.balances


def test_a_player_who_has_won_falsely_may_not_win_any_more(eyes: Eyes) -> None:
    number = eyes.show(1, NO_WIN)
    eyes.look(5.0)
    eyes.answer("confirm")
    eyes.take(*number)
    eyes.show(1, HAND)
    eyes.look(10.0)
    assert eyes.evening.log.outcomes() == []


def test_a_false_win_with_the_discard_put_to_the_hand_is_offered_and_the_tile_is_missed(eyes: Table) -> None:
    eyes.take(eyes.first)
    eyes.show(1, NO_WIN)
    eyes.look(20.0)
    shown = eyes.last("state/doubt")
    assert isinstance(shown, Doubts)
    assert [text for doubt in shown.doubts for text in doubt.candidates] == ["二号位炸胡 (false win)"]
    eyes.answer("confirm")
    assert [fine.payments for fine in rows(eyes, FineRow)] == [FINED]
    eyes.look(5.0)
    assert eyes.doubts() == ["vanished"]


def test_a_proposed_false_win_is_booked_when_it_is_confirmed_and_not_before(eyes: Eyes) -> None:
    propose(eyes, "false_win", 3)
    assert eyes.doubts() == ["false_win"]
    shown = eyes.last("state/doubt")
    assert isinstance(shown, Doubts)
    assert shown.doubts[0].en.endswith("seat 4: +24 +24 +24 -72")
    eyes.discard(1, "9s")
    eyes.look(20.0)
    assert eyes.events()[-1] == "discard 1 9s"
    assert (eyes.doubts(), rows(eyes, FineRow)) == (["false_win"], [])
    eyes.answer("confirm")
    assert [(fine.seat, fine.author) for fine in rows(eyes, FineRow)] == [(3, "waiter + referee")]
    assert eyes.events()[-1] == "false_win 3 hand"
    assert [(row.how, row.author) for row in rows(eyes, DoubtEndRow)] == [("confirmed", "waiter + referee")]
    assert eyes.doubts() == []


def test_a_proposal_that_is_taken_back_costs_nothing_and_the_hand_goes_on(eyes: Eyes) -> None:
    propose(eyes, "false_win", 3)
    eyes.answer("withdraw")
    assert (eyes.doubts(), rows(eyes, FineRow)) == ([], [])
    assert eyes.phase() == "playing"
    eyes.discard(1, "9s")
    eyes.look()
    assert eyes.events()[-1] == "discard 1 9s"


def test_a_hand_does_not_end_while_a_ruling_is_open(eyes: Eyes) -> None:
    propose(eyes, "barred", 1, "a tile too many")
    eyes.show(1, HAND)
    eyes.look(5.0)
    assert eyes.evening.log.outcomes() == []
    eyes.answer("withdraw")
    eyes.look(5.0)
    assert [row.how for row in eyes.evening.log.outcomes()] == ["won"]


def test_a_player_whom_people_have_barred_does_not_win_and_declaring_is_a_false_win(eyes: Eyes) -> None:
    propose(eyes, "barred", 1, "a tile too many")
    eyes.answer("confirm")
    assert eyes.events()[-1] == "barred 1 because a tile too many"
    assert [(p.seat, p.reason) for p in told(eyes, BarredEvent)] == [(1, "a tile too many")]
    assert (balances(eyes), rows(eyes, FineRow)) == ((100, 100, 100, 100), [])
    eyes.show(1, HAND)
    eyes.look(5.0)
    assert eyes.evening.log.outcomes() == []
    assert eyes.doubts() == ["shown"]
    eyes.answer("confirm")
    assert [fine.payments for fine in rows(eyes, FineRow)] == [FINED]


def test_who_has_too_little_pays_three_equal_parts_of_what_he_has() -> None:
    eyes = begun(start_points=50)
    propose(eyes, "false_win", 1)
    eyes.answer("confirm")
    assert [(fine.payments, fine.balances) for fine in rows(eyes, FineRow)] == [
        ((16, -48, 16, 16), (66, 2, 66, 66))
    ]


def test_a_fine_that_has_changed_since_it_was_read_is_confirmed_anew(eyes: Eyes) -> None:
    propose(eyes, "false_win", 1)
    eyes.show(1, NO_WIN)
    eyes.look(5.0)
    doubts = eyes.last("state/doubt")
    assert isinstance(doubts, Doubts)
    _, proposal = doubts.doubts
    eyes.answer("confirm")
    eyes.evening.tell(PersonAnswer(proposal.id, "confirm", "referee"))
    assert len(rows(eyes, FineRow)) == 1
    shown = eyes.last("state/doubt")
    assert isinstance(shown, Doubts)
    assert shown.doubts[0].en.endswith("seat 2: +9 -27 +9 +9")
    eyes.evening.tell(PersonAnswer(proposal.id, "confirm", "referee"))
    assert [fine.payments for fine in rows(eyes, FineRow)] == [FINED, (9, -27, 9, 9)]


def test_a_fine_that_hangs_on_tiles_nobody_has_seen_is_not_booked() -> None:
    eyes = begun(zhahu="formula")
    propose(eyes, "false_win", 1)
    assert eyes.doubts() == ["false_win"]
    eyes.answer("confirm")
    assert (eyes.doubts(), rows(eyes, FineRow)) == (["false_win"], [])
    eyes.answer("withdraw")
    propose(eyes, "false_win", 1, hand="2m2m13p")
    eyes.answer("confirm")
    assert [fine.payments for fine in rows(eyes, FineRow)] == [(26, -78, 26, 26)]


def test_a_table_that_refuses_wrong_moves_knows_no_rulings() -> None:
    eyes = begun("cixi-platform")
    propose(eyes, "false_win", 1)
    propose(eyes, "barred", 1, "a tile too many")
    assert eyes.doubts() == []
    eyes.show(1, NO_WIN)
    eyes.look(5.0)
    shown = eyes.last("state/doubt")
    assert isinstance(shown, Doubts)
    assert [(doubt.kind, doubt.candidates) for doubt in shown.doubts] == [("shown", ())]


def test_between_two_hands_nothing_is_ruled() -> None:
    eyes = Eyes(Evening(0))
    propose(eyes, "false_win", 1)
    assert eyes.doubts() == []


def test_whoever_insists_on_the_lift_key_ends_a_hand_with_an_open_ruling(eyes: Eyes) -> None:
    propose(eyes, "false_win", 1)
    eyes.lift()
    eyes.evening.wait(6.0)
    eyes.lift()
    assert [row.how for row in eyes.evening.log.outcomes()] == ["withheld"]
    assert eyes.doubts() == []
    assert {row.how for row in rows(eyes, DoubtEndRow)} == {"withheld"}


def test_after_a_withheld_hand_a_fine_waits_until_the_points_are_confirmed(eyes: Eyes) -> None:
    eyes.lift()
    eyes.evening.wait(5.0)
    eyes.lift()
    eyes.evening.prepare((1, 2), opened=True)
    eyes.lay("1m", 86.0, -86.0)
    eyes.look()
    eyes.discard(2, "E")
    eyes.look()
    eyes.show(3, NO_WIN)
    eyes.look(5.0)
    assert eyes.doubts() == ["points"]
    eyes.answer("choose", 0)
    assert rows(eyes, FineRow) == []
    eyes.look(5.0)
    eyes.answer("confirm")
    assert [fine.payments for fine in rows(eyes, FineRow)] == [(24, 24, 24, -72)]


def test_a_fine_and_an_open_ruling_outlive_a_kill_and_are_replayed(eyes: Eyes, tmp_path: Path) -> None:
    eyes.show(1, NO_WIN)
    eyes.look(5.0)
    eyes.answer("confirm")
    propose(eyes, "barred", 2, "a tile short")
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write(eyes.evening.log.rows)
        past = journal.past()
    assert past == past_of(eyes.evening.log.rows)
    again = Eyes(Evening(0, past=past))
    assert balances(again) == (124, 28, 124, 124)
    assert again.doubts() == ["barred"]
    again.answer("confirm")
    assert [row.text for row in rows(again, EventRow)] == ["barred 2 because a tile short"]
    assert replayed_alike(path, eyes.evening.model, FineRow)


def test_a_fine_sums_to_zero_or_is_none() -> None:
    match = first_match(sets.load("cixi-card"))
    assert fined(match, FINED).balances == (124, 28, 124, 124)
    with pytest.raises(ValueError, match="does not sum to zero"):
        fined(match, (24, -72, 24, 25))


def test_proposals_are_read_from_what_was_written() -> None:
    proposal = PersonProposal("false_win", Seat.S2, "waiter", hand=(Tile.M1,))
    assert msgspec.json.decode(msgspec.json.encode(proposal), type=PersonProposal) == proposal
