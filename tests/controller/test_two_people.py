"""No win, no fine and no end of a hand rests on what one person alone has said."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from evening import Evening
from replays import replayed_alike
from test_doubts import HAND, Eyes

from controller.doubts import Candidate, Doubt, DoubtKind, Statement, problem
from controller.journal import Journal
from controller.journal_deals import DoubtEndRow, EventRow, FineRow
from controller.journal_replay import past_of, replayed
from controller.journal_rows import ROWS, BootRow, InputRow
from controller.session_inputs import Ordered, PersonAnswer, PersonProposal, Undo
from controller.session_replies import Reply
from controller.session_witness import Heard, chosen, person, stands
from rules.events import Discarded, Drew, Event, FalseWin, Won
from rules.tiles import Seat, Tile

NO_WIN = HAND.replace("W W", "W N")
FALSE_WIN = "二号位炸胡 (false win)"


@pytest.fixture
def fine() -> Eyes:
    """Seat 1 has laid a hand open that is no win."""
    eyes = Eyes.begun()
    eyes.discard(0, "E")
    eyes.look()
    eyes.show(1, NO_WIN)
    eyes.look(5.0)
    assert eyes.item().candidates == (FALSE_WIN,)
    return eyes


@pytest.fixture
def tile() -> Eyes:
    """The first discard can't be read: it is 5p or 6p."""
    eyes = Eyes.begun()
    eyes.discard(0, "?", candidates="5p 6p")
    eyes.look(5.0)
    assert len(eyes.item().candidates) == 2
    return eyes


def fines(eyes: Eyes) -> list[FineRow]:
    return [row for row in eyes.evening.log.rows if isinstance(row, FineRow)]


def ends(eyes: Eyes) -> list[DoubtEndRow]:
    return [row for row in eyes.evening.log.rows if isinstance(row, DoubtEndRow)]


def reply(eyes: Eyes, name: str, author: str, action: str, choice: int | None = None) -> Reply:
    item = eyes.item()
    words = item.candidates[choice or 0] if item.candidates else item.en
    order = PersonAnswer(item.id, action, author, choice, words)  # type: ignore[arg-type]
    eyes.evening.tell(Ordered(name, order))
    return eyes.evening.log.answers[-1].reply


def test_what_one_person_says_is_shown_to_all_and_books_nothing(fine: Eyes) -> None:
    said = reply(fine, "a1", "seat 3", "confirm")
    assert (said.done, said.en) == (True, "it is noted; another person has to confirm it")
    assert (fines(fine), fine.doubts(), ends(fine)) == ([], ["shown"], [])
    item = fine.item()
    assert (item.persons, item.said, item.said_by, item.asked) == ((2,), FALSE_WIN, "seat 3", 1)


def test_the_second_person_books_it_and_both_stand_in_the_record(fine: Eyes) -> None:
    fine.say("seat 3", "confirm")
    assert reply(fine, "a2", "seat 1", "confirm").done
    assert [row.author for row in fines(fine)] == ["seat 3 + seat 1"]
    assert [(row.how, row.choice, row.author) for row in ends(fine)] == [("chosen", 0, "seat 3 + seat 1")]
    events = [row for row in fine.evening.log.rows if isinstance(row, EventRow)]
    assert events[-1].author == "seat 3 + seat 1"


@pytest.mark.parametrize("again", ["seat 3", "Seat  3", "三号位", "丙"])
def test_one_person_is_one_however_he_calls_himself(fine: Eyes, again: str) -> None:
    fine.say("seat 3", "confirm")
    refused = reply(fine, "a2", again, "confirm")
    assert (refused.done, refused.en) == (False, "seat 3 has said so: another person has to confirm it")
    assert fines(fine) == []


def test_where_two_people_differ_both_are_asked_again(tile: Eyes) -> None:
    tile.say("seat 1", "choose", 0)
    differ = reply(tile, "a2", "seat 2", "choose", 1)
    assert (differ.done, differ.zh) == (True, "说法不同，请都再看一次")
    assert (tile.item().said, tile.item().asked, tile.events()) == ("", 2, [])
    tile.say("seat 1", "choose", 1)
    assert tile.events() == []
    tile.say("seat 2", "choose", 1)
    assert tile.events() == ["discard 0 6p"]
    assert len(ends(tile)) == 1


def test_who_sees_that_it_is_not_so_says_it_without_knowing_better(fine: Eyes) -> None:
    assert reply(fine, "a0", "seat 2", "deny").en == "nobody has said anything yet"
    fine.say("seat 3", "confirm")
    fine.say("seat 2", "deny")
    assert (fine.item().said, fine.item().asked, fines(fine)) == ("", 2, [])


def test_a_person_may_change_his_mind_before_another_confirms(tile: Eyes) -> None:
    tile.say("seat 1", "choose", 0)
    tile.say("seat 1", "choose", 1)
    assert "六筒" in tile.item().said
    tile.say("seat 2", "choose", 1)
    assert tile.events() == ["discard 0 6p"]


def test_an_undo_takes_back_what_was_said_and_nothing_that_has_happened(fine: Eyes) -> None:
    fine.say("seat 3", "confirm")
    fine.evening.tell(Undo("seat 3"))
    assert (fine.item().said, fine.told()) == ("", ["discard 0 E"])
    fine.say("seat 1", "confirm")
    assert fines(fine) == []
    fine.say("seat 4", "confirm")
    assert [row.author for row in fines(fine)] == ["seat 1 + seat 4"]


def test_one_wrong_answer_does_not_cost_the_true_winner_his_win() -> None:
    """Somebody says false win while the hand is half laid open; what comes to lie there proves the win."""
    eyes = Eyes.begun()
    eyes.discard(0, "E")
    eyes.look()
    shown = eyes.show(1, HAND.rsplit(" ", 2)[0])
    eyes.look(6.0)
    eyes.say("seat 3", "choose", eyes.item().candidates.index(FALSE_WIN))
    assert eyes.item().said == FALSE_WIN
    eyes.take(*shown)
    eyes.show(1, HAND)
    eyes.look(5.0)
    assert [(row.how, row.winner) for row in eyes.evening.log.outcomes()] == [("won", 1)]
    assert (fines(eyes), [row.how for row in ends(eyes)]) == ([], ["explained"])


def test_a_hand_is_given_up_by_two(tile: Eyes) -> None:
    tile.say("seat 1", "withdraw")
    assert tile.evening.log.outcomes() == []
    tile.say("seat 1", "withdraw")
    assert tile.evening.log.outcomes() == []
    tile.say("seat 2", "withdraw")
    assert [(row.how, row.author) for row in tile.evening.log.outcomes()] == [
        ("abandoned", "seat 1 + seat 2")
    ]


def test_to_play_on_after_a_lift_key_one_person_is_enough() -> None:
    eyes = Eyes.begun()
    eyes.discard(0, "E")
    eyes.look()
    eyes.lift()
    eyes.evening.wait(6.0)
    assert eyes.item().persons == (2, 1)
    eyes.say("seat 1", "choose", 1)
    assert (eyes.doubts(), eyes.phase()) == ([], "playing")


def test_who_proposes_a_ruling_does_not_confirm_it(fine: Eyes) -> None:
    fine.evening.tell(PersonProposal("barred", Seat.S2, "waiter", "a tile short"))
    number = 2
    words = "三号位本局不得和牌：a tile short (may not win this hand)"
    fine.evening.tell(Ordered("a1", PersonAnswer(number, "confirm", "Waiter", None, words)))
    assert fine.evening.log.answers[-1].reply.en == "waiter has said so: another person has to confirm it"
    fine.evening.tell(Ordered("a2", PersonAnswer(number, "confirm", "referee", None, words)))
    assert fine.evening.log.answers[-1].reply.done
    assert fine.events()[-1] == "barred 2 because a tile short"


def test_what_was_said_outlives_a_kill_and_is_replayed(fine: Eyes, tmp_path: Path) -> None:
    fine.evening.tell(PersonProposal("barred", Seat.S2, "waiter", "a tile short"))
    fine.say("seat 3", "confirm")
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write(fine.evening.log.rows)
        past = journal.past()
    assert past == past_of(fine.evening.log.rows)
    again = Eyes(Evening(0, past=past))
    again.lay("1m", 86.0, -86.0)
    again.discard(0, "E")
    again.show(1, NO_WIN)
    again.look(5.0)
    assert (again.item().said, again.item().said_by) == (FALSE_WIN, "seat 3")
    again.say("seat 3", "confirm")
    assert fines(again) == []
    again.say("seat 4", "confirm")
    assert [row.author for row in fines(again)] == ["seat 3 + seat 4"]
    replayed_alike(path, fine.evening.model, *(kind for kind in ROWS if kind is not BootRow))


def test_a_journal_of_before_is_replayed_as_it_was_written(tile: Eyes) -> None:
    """Then one answer was enough, by its number alone."""
    (boot,) = [row for row in tile.evening.log.rows if isinstance(row, BootRow)]
    settings = msgspec.json.decode(boot.settings)
    assert settings.pop("two_people") is True
    old = msgspec.structs.replace(boot, settings=msgspec.json.encode(settings).decode())
    answer = PersonAnswer(tile.item().id, "choose", "referee", 1)
    tile.evening.tell(answer)
    assert tile.events() == []
    inputs = [row for row in tile.evening.log.rows if isinstance(row, InputRow)]
    texts = [row.text for row in replayed([old], inputs, tile.evening.model) if isinstance(row, EventRow)]
    assert texts[-1] == "discard 0 6p"


def test_a_hand_that_is_won_while_a_tile_lies_astray_is_settled_by_two_people() -> None:
    """Nobody looks at the table any more when the hand is over; the stray tile may be his or nobody's."""
    eyes = Eyes.begun()
    eyes.discard(0, "E")
    eyes.look()
    eyes.lay("9s", 0.0, 90.0)
    eyes.look(5.0)
    eyes.show(1, HAND)
    eyes.look(5.0)
    assert (eyes.doubts(), eyes.evening.log.outcomes()) == (["displaced"], [])
    assert eyes.item().candidates == ("二号位和一号位的东 (wins on E)，就这样结算 (settle as it stands)",)
    past = past_of(eyes.evening.log.rows)
    eyes.say("seat 1", "choose", 0)
    assert eyes.evening.log.outcomes() == []
    eyes.say("seat 2", "choose", 0)
    assert [(row.how, row.winner) for row in eyes.evening.log.outcomes()] == [("won", 1)]
    again = Eyes(Evening(0, past=past))
    assert len(again.item().candidates) == 1
    again.answer("choose", 0)
    assert [(row.how, row.winner) for row in again.evening.log.outcomes()] == [("won", 1)]


@pytest.mark.parametrize(("choice", "tile"), [(0, "5p"), (1, "6p")])
def test_what_two_people_have_said_is_asked_again_where_the_table_says_otherwise(
    tmp_path: Path, choice: int, tile: str
) -> None:
    eyes = Eyes.begun()
    number = eyes.discard(0, "?", candidates="5p 6p")
    eyes.look(5.0)
    eyes.answer("choose", 1)
    eyes.discard(1, "E")
    eyes.look(1.0)
    assert eyes.told()[-1] == "discard 1 E"
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.write(eyes.evening.log.rows)
        assert journal.past().said == past_of(eyes.evening.log.rows).said == 3
    eyes.take(number)
    eyes.discard(0, "5p")
    eyes.look(15.0)
    assert eyes.doubts() == ["undone"]
    assert eyes.told()[0] == "discard 0 6p"
    eyes.answer("choose", choice)
    eyes.look(15.0)
    assert eyes.told() == [f"discard 0 {tile}", "draw 1", "discard 1 E"]
    assert eyes.doubts() == []


# the law of it

DISCARD = Discarded(Seat.S0, Tile.P1)
LATER: tuple[Event, ...] = (Drew(Seat.S1, Tile.UNKNOWN), Discarded(Seat.S1, Tile.EAST))


def asked(*candidates: Candidate) -> Doubt:
    return Doubt(1, 0.0, problem(DoubtKind.UNEXPLAINED, zh="", en="", candidates=candidates))


def test_a_choice_that_tells_more_of_the_same_is_still_the_one_that_was_made() -> None:
    made, other = Candidate("1p", (DISCARD,)), Candidate("2p", (Discarded(Seat.S0, Tile.P2),))
    _, doubt = chosen(asked(made, other), made, "seat 1", ())
    more = Candidate("1p, E", (DISCARD, *LATER))
    later = replace(doubt, problem=asked(more, Candidate("2p, E", (*other.events, *LATER))).problem)
    assert stands(later) == more
    assert chosen(later, more, "seat 2", ())[0] is Heard.AGREED


@pytest.mark.parametrize(
    "end", [FalseWin(Seat.S1, ()), Won(Seat.S1, (), Tile.P1, Seat.S0)], ids=["fine", "win"]
)
def test_an_end_is_never_added_to_what_somebody_has_said(end: Event) -> None:
    made = Candidate("1p", (DISCARD,))
    _, doubt = chosen(asked(made), made, "seat 1", ())
    costly = Candidate("1p and more", (DISCARD, end))
    later = replace(doubt, problem=asked(costly).problem)
    assert stands(later) is None
    heard, after = chosen(later, costly, "seat 2", ())
    assert (heard, after.said) == (Heard.SAID, Statement("seat 2", costly, later.problem.en))


def test_a_choice_that_two_present_ones_continue_is_made_anew() -> None:
    made = Candidate("1p", (DISCARD,))
    _, doubt = chosen(asked(made), made, "seat 1", ())
    both = (Candidate("a", (DISCARD, *LATER)), Candidate("b", (DISCARD, LATER[0])))
    assert stands(replace(doubt, problem=asked(*both).problem)) is None


def test_what_answers_a_question_does_not_answer_another() -> None:
    yes = Candidate("yes", answer="yes")
    _, doubt = chosen(asked(yes), yes, "seat 1", ())
    other = problem(DoubtKind.UNSETTLED, zh="另一问", en="another question", candidates=(yes,))
    assert stands(replace(doubt, problem=other)) is None


def test_people_are_known_by_seat_and_name() -> None:
    players = ("王阿姨", "Li", "老周", "Chen")
    assert {person(name, players) for name in ("seat 2", "SEAT 2", "二号位", "li", " Li ")} == {"seat 2"}
    assert person("Referee", players) == "referee"


def test_a_choice_that_is_offered_twice_is_one() -> None:
    made = Candidate("1p", (DISCARD,), likelihood=0.4)
    _, doubt = chosen(asked(made, made), made, "seat 1", ())
    again = replace(doubt, problem=asked(replace(made, likelihood=0.3), made).problem)
    assert chosen(again, made, "seat 2", ())[0] is Heard.AGREED
