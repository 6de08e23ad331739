"""What was told and was none is told again when the table leaves no doubt of it, and never settled wrong."""

from pathlib import Path

from evening import Evening
from replays import replayed_alike
from test_doubts import Eyes, upright

from controller.journal import Journal
from controller.journal_deals import EventRow, RevisionRow
from controller.journal_replay import past_of
from controller.public import Doubts
from vision.observations import CameraLost
from vision.zones import table_point


def acts(eyes: Eyes) -> list[str]:
    return [line for line in eyes.told() if not line.startswith("draw")]


def meld(eyes: Eyes, seat: int, tiles: str, *, turned: int, left: float = 250.0) -> list[int]:
    """A set whose tile number `turned` lies sideways."""
    numbers, u = [], left
    for place, tile in enumerate(tiles.split()):
        half = 20.75 if place == turned else 15.5
        angle = upright(seat) + (90.0 if place == turned else 0.0)
        numbers.append(eyes.lay(tile, *table_point(seat, u + half, 333.0), angle=angle))  # type: ignore[arg-type]
        u += 2 * half
    return numbers


def test_a_face_that_was_read_for_a_moment_gives_way_to_the_one_that_stays(eyes: Eyes) -> None:
    wrong = eyes.discard(0, "6p")
    eyes.look()
    eyes.take(wrong)
    eyes.discard(0, "5p")
    eyes.look(0.5)
    assert acts(eyes) == ["discard 0 6p"]
    eyes.look(1.0)
    eyes.discard(1, "E")
    eyes.look()
    assert acts(eyes) == ["discard 0 5p", "discard 1 E"]
    assert not eyes.evening.log.doubts(1)


def test_a_face_that_was_read_for_longer_does_not_give_way_at_once(eyes: Eyes) -> None:
    right = eyes.discard(0, "5p")
    eyes.look(4.0)
    eyes.take(right)
    wrong = eyes.discard(0, "6p")
    eyes.look(3.0)
    assert acts(eyes) == ["discard 0 5p"]
    eyes.take(wrong)
    eyes.discard(0, "5p")
    eyes.look(3.0)
    assert acts(eyes) == ["discard 0 5p"]
    assert not eyes.evening.log.doubts(1)


def test_an_indicator_that_was_misread_changes_the_wild_tile_when_it_is_read_well() -> None:
    evening = Evening(0)
    evening.prepare((3, 4))
    eyes = Eyes(evening)
    wrong = eyes.lay("1m", 86.0, -86.0)
    eyes.look()
    eyes.take(wrong)
    eyes.lay("1s", 86.0, -86.0)
    eyes.discard(0, "5p")
    eyes.look(3.0)
    assert evening.log.texts(1)[1] == "indicator 1s"
    assert str(evening.session.table.wild) == "2s"
    assert acts(eyes) == ["discard 0 5p"]


def test_a_discard_that_was_taken_back_for_another_did_not_happen(eyes: Eyes) -> None:
    eyes.discard(0, "E")
    eyes.look()
    number = eyes.discard(1, "5p")
    eyes.look(20.0)
    eyes.take(number)
    eyes.look(2.0)
    eyes.lay("7s", *table_point(1, -120.0, 190.0), angle=upright(1))
    eyes.look(5.0)
    assert acts(eyes) == ["discard 0 E", "discard 1 7s"]
    eyes.discard(2, "W")
    eyes.look()
    assert acts(eyes) == ["discard 0 E", "discard 1 7s", "discard 2 W"]


def test_a_peng_that_is_put_back_for_a_chi_did_not_happen(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    peng = meld(eyes, 2, "5p 5p 5p", turned=1)
    eyes.look(3.0)
    assert acts(eyes) == ["discard 0 5p", "claim 2 peng 555p took 5p from 0"]
    eyes.take(*peng)
    meld(eyes, 1, "5p 6p 7p", turned=0)
    eyes.look(4.0)
    assert acts(eyes) == ["discard 0 5p", "claim 1 chi 567p took 5p from 0"]
    assert eyes.doubts() == []


def test_a_peng_that_is_put_back_leaves_the_discard_open(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    peng = meld(eyes, 2, "5p 5p 5p", turned=1)
    eyes.look(3.0)
    eyes.take(*peng)
    eyes.discard(0, "5p")
    eyes.look(4.0)
    assert acts(eyes) == ["discard 0 5p"]
    eyes.discard(1, "E")
    eyes.look()
    assert acts(eyes) == ["discard 0 5p", "discard 1 E"]


def test_a_discard_that_was_misread_is_what_the_set_that_took_it_says(eyes: Eyes) -> None:
    number = eyes.discard(0, "6p")
    eyes.look()
    eyes.take(number)
    meld(eyes, 2, "5p 5p 5p", turned=1)
    eyes.look(4.0)
    assert acts(eyes) == ["discard 0 5p", "claim 2 peng 555p took 5p from 0"]


def test_a_set_that_grows_late_is_the_larger_one(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    peng = meld(eyes, 2, "5p 5p 5p", turned=1)
    eyes.look(3.0)
    eyes.take(*peng)
    meld(eyes, 2, "5p 5p 5p 5p", turned=1, left=219.0)
    eyes.look(4.0)
    assert acts(eyes) == ["discard 0 5p", "claim 2 kong 5555p took 5p from 0"]


def test_people_choose_where_a_tile_known_for_long_is_read_otherwise(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look(12.0)
    eyes.take(number)
    eyes.discard(0, "6p")
    eyes.look(6.0)
    shown = eyes.last("state/doubt")
    assert isinstance(shown, Doubts)
    assert [text for doubt in shown.doubts for text in doubt.candidates] == [
        "更正 (correct): 没有：一号位打五筒 (discards 5p)；一号位打六筒 (discards 6p)"
    ]
    eyes.answer("choose", 0)
    assert acts(eyes) == ["discard 0 6p"]
    assert [row.author for row in eyes.evening.log.rows if isinstance(row, RevisionRow)] == [
        "referee + seat 4"
    ]


def test_a_corrected_record_outlives_a_kill_and_is_replayed(eyes: Eyes, tmp_path: Path) -> None:
    wrong = eyes.discard(0, "6p")
    eyes.look()
    eyes.take(wrong)
    eyes.discard(0, "5p")
    eyes.look(3.0)
    eyes.discard(1, "E")
    eyes.look()
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write(eyes.evening.log.rows)
        past = journal.past()
    assert past == past_of(eyes.evening.log.rows)
    assert past.events[2:] == ("discard 0 5p", "draw 1", "discard 1 E")
    again = Eyes(Evening(0, past=past))
    assert acts(again) == ["discard 0 5p", "discard 1 E"]
    assert {type(row) for row in replayed_alike(path, eyes.evening.model, EventRow, RevisionRow)} == {
        EventRow,
        RevisionRow,
    }


def test_a_hand_of_which_nobody_saw_the_middle_is_not_settled_by_the_order_in_which_it_is_read() -> None:
    """The last set, a kong, may have been made in one of several turns: one of them would cost more."""
    evening = Evening(0)
    evening.prepare((6, 2))
    eyes = Eyes(evening)
    eyes.lay("9m", 86.0, -86.0)
    eyes.look(1.0)
    for seat, tiles in ((0, "5p 2p 5p"), (1, "2m W"), (2, "N 1s 1p"), (3, "8m 9p")):
        for place, tile in enumerate(tiles.split()):
            eyes.discard(seat, tile, place)
    meld(eyes, 2, "9s 7s 8s", turned=0, left=245.0)
    meld(eyes, 2, "E E E E", turned=3, left=90.0)
    eyes.show(2, "1m 1m 3m 3m 5m 6m 5s")
    eyes.lay("6s", *table_point(2, -220.0 + 31.2 * 7 + 20.0, 382.0), angle=upright(2))
    eyes.look(30.0)
    assert evening.log.outcomes() == []
    assert len(eyes.doubts()) == 1


def test_what_new_eyes_tell_first_says_nothing_of_its_order(eyes: Eyes) -> None:
    eyes.discard(0, "5p")
    eyes.look(1.0)
    eyes.evening.tell(CameraLost(at=0.0, reason="the controller was started again"))
    eyes.evening.wait(1.0)
    eyes.lay("1m", 86.0, -86.0)
    eyes.discard(0, "5p")
    for seat, tile in ((1, "7s"), (2, "E"), (3, "W")):
        number = eyes.discard(seat, tile)
        if seat == 1:
            eyes.take(number)
    eyes.row(2, "6s 7s 8s", v=333.0, left=250.0)
    eyes.look(6.0)
    assert acts(eyes) == ["discard 0 5p"]
    assert eyes.doubts() != []
