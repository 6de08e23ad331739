"""What can't be told for certain is shown to people, and nothing is settled meanwhile."""

from dataclasses import dataclass
from itertools import count
from typing import Self

import pytest
from evening import Evening

from controller.camera_words import CAMERA_CODES
from controller.public import DoubtItem, Doubts, Payload, Settlement, TableSnapshot
from controller.session_inputs import PersonAnswer
from firmware_bridge.messages import KeyPressed, OpenHatch
from firmware_bridge.states import Key
from rules.record import format_event
from vision.observations import Appeared, CameraBack, CameraLost, CameraTrouble, Settled, Vanished
from vision.zones import table_point

NUMBERS = count(5_000_000)


def upright(seat: int) -> float:
    """The angle of a tile that reads upright for its player."""
    return (360.0 - 90.0 * seat) % 360.0


@dataclass
class Eyes:
    """Observations over an evening whose first deal is under way: indicator 1m, seat 0 to discard."""

    evening: Evening

    @classmethod
    def begun(cls, evening: Evening | None = None) -> Self:
        """A deal that has just begun: indicator 1m, so the wild tile is 2m; seat 0 is to discard."""
        evening = evening or Evening(0)
        evening.prepare((3, 4))
        eyes = cls(evening)
        eyes.lay("1m", 86.0, -86.0)
        eyes.look()
        return eyes

    @classmethod
    def shown_no_win(cls) -> Self:
        """E of seat 0 lies open, seat 1 has shown a hand that is no win."""
        eyes = cls.begun()
        eyes.discard(0, "E")
        eyes.look()
        eyes.show(1, HAND.replace("W W", "W N"))
        eyes.look(5.0)
        return eyes

    def lay(self, tile: str, x: float, y: float, *, angle: float = 0.0, candidates: str = "") -> int:
        number = next(NUMBERS)
        likely = tuple((face, 0.4) for face in candidates.split())
        seen = Appeared(at=0.0, id=number, tile=tile, x=x, y=y, angle=angle, candidates=likely)
        self.evening.tell(seen)
        return number

    def discard(self, seat: int, tile: str, place: int = 0, *, candidates: str = "") -> int:
        x, y = table_point(seat, -144.0 + 31.5 * place, 184.0)  # type: ignore[arg-type]
        return self.lay(tile, x, y, angle=upright(seat), candidates=candidates)

    def take(self, *numbers: int) -> None:
        for number in numbers:
            self.evening.tell(Vanished(at=0.0, id=number))

    def row(self, seat: int, tiles: str, *, v: float, left: float) -> list[int]:
        places = [table_point(seat, left + 31.2 * k, v) for k in range(len(tiles.split()))]  # type: ignore[arg-type]
        return [
            self.lay(tile, *place, angle=upright(seat))
            for tile, place in zip(tiles.split(), places, strict=True)
        ]

    def show(self, seat: int, tiles: str) -> list[int]:
        return self.row(seat, tiles, v=382.0, left=-220.0)

    def look(self, wait: float = 0.0) -> None:
        self.evening.tell(Settled(at=0.0))
        self.evening.wait(wait)

    def last(self, topic: str) -> Payload:
        return [payload for t, payload in self.evening.log.published if t == topic][-1]

    def doubts(self) -> list[str]:
        shown = self.last("state/doubt")
        assert isinstance(shown, Doubts)
        return [item.kind for item in shown.doubts]

    def doubt(self) -> DoubtItem:
        """The only open doubt."""
        shown = self.last("state/doubt")
        assert isinstance(shown, Doubts)
        (item,) = shown.doubts
        return item

    def events(self) -> list[str]:
        return self.evening.log.texts(1)[2:]

    def told(self) -> list[str]:
        """The deal's events after the indicator as they stand."""
        return [format_event(event) for event in self.evening.session.table.log[2:]]

    def item(self) -> DoubtItem:
        """The oldest open doubt."""
        shown = self.last("state/doubt")
        assert isinstance(shown, Doubts)
        return shown.doubts[0]

    def say(self, author: str, action: str, choice: int | None = None) -> None:
        """One person answers, in the words that he reads now."""
        item = self.item()
        words = item.candidates[choice or 0] if item.candidates else item.en
        self.evening.tell(PersonAnswer(item.id, action, author, choice, words))  # type: ignore[arg-type]

    def answer(self, action: str, choice: int | None = None) -> None:
        """Two people answer the same, where one is not enough."""
        number = self.item().id
        self.say("referee", action, choice)
        if self.doubts() and self.item().id == number:
            self.say("seat 4", action, choice)

    def lift(self) -> None:
        self.evening.tell(KeyPressed(Key.LIFT, 0))

    def phase(self) -> str:
        shown = self.last("state/table")
        assert isinstance(shown, TableSnapshot)
        return shown.phase


def test_a_set_is_told_when_the_table_is_still(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    eyes.row(2, "5p 5p 5p", v=333.0, left=270.0)
    eyes.evening.wait(10.0)
    assert eyes.events() == ["discard 0 5p"]
    eyes.look(1.0)
    assert eyes.events() == ["discard 0 5p", "claim 2 peng 555p took 5p from 0"]


def test_a_misreading_that_passes_leaves_no_trace(eyes: Eyes) -> None:
    wrong = eyes.discard(0, "6p")
    eyes.take(wrong)
    eyes.discard(0, "5p")
    eyes.look()
    assert eyes.events() == ["discard 0 5p"]


def test_draws_are_implied(eyes: Eyes) -> None:
    eyes.discard(0, "5p")
    eyes.look()
    eyes.discard(1, "E")
    eyes.look()
    assert eyes.events() == ["discard 0 5p", "draw 1", "discard 1 E"]


def test_two_discards_in_one_look_are_told_in_their_order(eyes: Eyes) -> None:
    eyes.discard(1, "E")
    eyes.discard(0, "5p")
    eyes.look()
    assert eyes.events() == ["discard 0 5p", "draw 1", "discard 1 E"]


def test_a_claim_that_is_half_done_is_waited_for(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    eyes.look(2.0)
    assert eyes.doubts() == []
    eyes.row(2, "5p 5p 5p", v=333.0, left=250.0)
    eyes.look(1.0)
    assert eyes.events()[1:] == ["claim 2 peng 555p took 5p from 0"]


def test_a_set_that_grows_is_told_when_it_is_complete(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    eyes.row(2, "5p 5p 5p", v=333.0, left=250.0)
    eyes.look()
    eyes.lay("5p", *table_point(2, 218.8, 333.0), angle=180.0)
    eyes.look(1.0)
    assert eyes.events()[1:] == ["claim 2 kong 5555p took 5p from 0"]


def test_a_tile_that_is_gone_is_a_doubt_until_it_is_back(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    eyes.look(5.0)
    assert eyes.doubts() == ["vanished"]
    eyes.discard(0, "5p")
    eyes.look()
    assert eyes.doubts() == []
    assert eyes.events() == ["discard 0 5p"]


def test_a_discard_out_of_turn_is_a_doubt(eyes: Eyes) -> None:
    eyes.discard(2, "5p")
    eyes.look(5.0)
    assert eyes.doubts() == ["unexplained"]
    assert eyes.events() == []


def test_a_fifth_copy_is_a_doubt(eyes: Eyes) -> None:
    for seat, place in ((0, 0), (1, 0), (2, 0)):
        eyes.discard(seat, "1m", place)
        eyes.look()
    eyes.discard(3, "1m")
    eyes.look(5.0)
    assert eyes.doubts() == ["copies"]


def test_a_tile_that_can_not_be_read_is_never_guessed(eyes: Eyes) -> None:
    eyes.discard(0, "?", candidates="5p 6p")
    eyes.look(5.0)
    assert eyes.doubts() == ["unsure"]
    assert eyes.events() == []
    shown = eyes.last("state/doubt")
    assert isinstance(shown, Doubts)
    assert [text.split("(")[1] for text in shown.doubts[0].candidates] == ["discards 5p)", "discards 6p)"]


def test_a_person_says_what_an_unread_tile_is(eyes: Eyes) -> None:
    eyes.discard(0, "?", candidates="5p 6p")
    eyes.look(5.0)
    eyes.answer("choose", 1)
    assert eyes.events() == ["discard 0 6p"]
    assert eyes.doubts() == []
    eyes.discard(1, "E")
    eyes.look(5.0)
    assert eyes.events() == ["discard 0 6p", "draw 1", "discard 1 E"]
    assert eyes.doubts() == []


def test_a_known_tile_that_can_not_be_read_again_is_still_the_same(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    eyes.discard(0, "?", candidates="6p 5p")
    eyes.look(5.0)
    assert eyes.doubts() == []


def test_a_tile_known_for_long_that_is_read_otherwise_is_a_doubt(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look(12.0)
    eyes.take(number)
    eyes.discard(0, "6p")
    eyes.look(5.0)
    assert eyes.doubts() == ["unexplained"]


def test_a_known_tile_that_is_misread_while_play_goes_on_is_no_doubt_when_it_is_read_as_before(
    eyes: Eyes,
) -> None:
    number = eyes.discard(0, "5p")
    eyes.look(2.0)
    eyes.take(number)
    wrong = eyes.discard(0, "6p")
    eyes.look(1.0)
    eyes.discard(1, "E")
    eyes.look(1.0)
    assert eyes.events() == ["discard 0 5p"]
    eyes.take(wrong)
    eyes.discard(0, "5p")
    eyes.discard(2, "W")
    eyes.look()
    assert [line for line in eyes.events() if not line.startswith("draw")] == [
        "discard 0 5p",
        "discard 1 E",
        "discard 2 W",
    ]
    assert not eyes.evening.log.doubts(1)


def test_a_doubt_about_a_known_tile_ends_by_itself_when_it_is_read_as_before(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look(12.0)
    eyes.take(number)
    wrong = eyes.discard(0, "6p")
    eyes.look(5.0)
    eyes.discard(1, "E")
    eyes.look()
    assert eyes.doubts() == ["unexplained"]
    eyes.take(wrong)
    eyes.discard(0, "5p")
    eyes.look()
    assert eyes.doubts() == []
    assert eyes.events() == ["discard 0 5p", "draw 1", "discard 1 E"]


def test_a_misread_discard_that_comes_later_does_not_turn_the_order_of_two(eyes: Eyes) -> None:
    wrong = eyes.discard(0, "6p")
    eyes.look()
    eyes.take(wrong)
    eyes.discard(0, "5p")
    for seat, tile in ((1, "E"), (2, "W"), (3, "N")):
        eyes.look()
        eyes.discard(seat, tile)
    eyes.look()
    eyes.discard(0, "6p", 1)
    eyes.look()
    assert eyes.events() == ["discard 0 6p"]
    eyes.evening.wait(2.0)
    assert [line for line in eyes.told() if not line.startswith("draw")] == [
        "discard 0 5p",
        "discard 1 E",
        "discard 2 W",
        "discard 3 N",
        "discard 0 6p",
    ]


def test_a_person_confirms_what_the_order_of_the_tiles_speaks_against(eyes: Eyes) -> None:
    eyes.discard(1, "E")
    eyes.look(1.0)
    eyes.discard(0, "5p")
    eyes.look(5.0)
    assert eyes.events() == []
    assert eyes.doubts() == ["unexplained"]
    eyes.answer("confirm")
    assert eyes.events() == ["discard 0 5p", "draw 1", "discard 1 E"]
    assert eyes.doubts() == []


def test_a_claim_made_of_a_misread_discard_and_of_tiles_that_came_later_is_none(eyes: Eyes) -> None:
    wrong = eyes.discard(0, "C")
    eyes.look()
    eyes.take(wrong)
    number = eyes.discard(0, "2m")
    eyes.look()
    eyes.take(number)
    eyes.lay("2m", *table_point(1, 245.0, 333.0), angle=180.0)
    eyes.row(1, "2m 2m", v=333.0, left=281.2)
    eyes.look()
    for seat, tile in ((1, "9p"), (2, "W"), (3, "N")):
        eyes.discard(seat, tile)
        eyes.look()
    later = eyes.discard(0, "C")
    eyes.look()
    eyes.take(later)
    eyes.lay("C", *table_point(2, 245.0, 333.0), angle=180.0)
    eyes.lay("C", *table_point(2, 281.2, 333.0), angle=270.0)
    eyes.lay("C", *table_point(2, 317.4, 333.0), angle=180.0)
    eyes.look()
    eyes.discard(2, "S", 1)
    eyes.look(17.0)
    assert eyes.events() == ["discard 0 C"]
    assert eyes.doubts() == ["unexplained"]
    shown = eyes.last("state/doubt")
    assert isinstance(shown, Doubts)
    assert "please check: seat 1 pond lacks C, seat 2 pond has a new 9p" in shown.doubts[0].en
    assert shown.doubts[0].en.endswith(" more")
    assert "一号位牌河少了中" in shown.doubts[0].zh


def test_a_tile_beside_every_place_is_a_doubt_that_blocks_no_play(eyes: Eyes) -> None:
    eyes.lay("9s", 0.0, 90.0)
    eyes.look(5.0)
    assert eyes.doubts() == ["displaced"]
    eyes.discard(0, "5p")
    eyes.look()
    assert eyes.events() == ["discard 0 5p"]
    assert eyes.doubts() == ["displaced"]


def test_a_discard_claimed_at_once_is_believed_where_it_was_seen_to_pass(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.take(number)
    eyes.row(2, "5p 5p 5p", v=333.0, left=250.0)
    eyes.look(1.0)
    assert eyes.events() == ["discard 0 5p", "claim 2 peng 555p took 5p from 0"]


def test_a_round_in_one_look_is_told_in_the_order_in_which_its_tiles_came(eyes: Eyes) -> None:
    eyes.discard(0, "5p")
    eyes.look()
    number = eyes.discard(1, "7s")
    eyes.take(number)
    eyes.row(2, "6s 7s 8s", v=333.0, left=250.0)
    for seat, tile, place in ((2, "E", 0), (3, "W", 0), (0, "9p", 1), (1, "N", 0)):
        eyes.discard(seat, tile, place)
    eyes.look()
    assert [line for line in eyes.events() if not line.startswith("draw")] == [
        "discard 0 5p",
        "discard 1 7s",
        "claim 2 chi 678s took 7s from 1",
        "discard 2 E",
        "discard 3 W",
        "discard 0 9p",
        "discard 1 N",
    ]


def test_a_discard_that_is_read_late_is_told_in_the_place_where_it_lies(eyes: Eyes) -> None:
    eyes.discard(0, "6s")
    eyes.look()
    eyes.discard(2, "W")
    eyes.discard(3, "1s")
    eyes.discard(0, "N", 1)
    eyes.discard(1, "3m", 1)  # the second in its pond, of which the first is read after it
    eyes.discard(1, "3p", 0)
    eyes.discard(2, "P", 1)
    eyes.look(3.0)
    discards = [text for text in eyes.evening.log.texts(1) if text.startswith("discard 1")]
    assert discards == ["discard 1 3p", "discard 1 3m"]
    assert eyes.doubts() == []


def test_a_discard_that_nobody_saw_is_a_doubt(eyes: Eyes) -> None:
    eyes.row(2, "5p 5p 5p", v=333.0, left=250.0)
    eyes.look(5.0)
    assert eyes.events() == []
    assert eyes.doubts() == ["unexplained"]


def test_a_discard_that_nobody_saw_is_told_by_the_turned_tile(eyes: Eyes) -> None:
    x, y = table_point(2, 281.0, 333.0)
    eyes.lay("5p", *table_point(2, 245.0, 333.0), angle=180.0)
    eyes.lay("5p", x, y, angle=270.0)
    eyes.lay("5p", *table_point(2, 317.0, 333.0), angle=180.0)
    eyes.look(5.0)
    assert eyes.events() == ["discard 0 5p", "claim 2 peng 555p took 5p from 0"]


def test_an_unread_tile_of_a_set_is_known_where_the_rules_leave_no_choice(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    eyes.row(2, "5p 5p", v=333.0, left=250.0)
    eyes.lay("?", *table_point(2, 312.4, 333.0), angle=180.0, candidates="6p 5p")
    eyes.look(1.0)
    assert eyes.events()[1:] == ["claim 2 peng 555p took 5p from 0"]
    eyes.discard(2, "E")
    eyes.look(5.0)
    assert eyes.events()[2:] == ["discard 2 E"]
    assert eyes.doubts() == []


def test_an_unread_tile_of_a_set_is_not_guessed_where_it_may_be_two(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    eyes.row(1, "5p 6p", v=333.0, left=250.0)
    eyes.lay("?", *table_point(1, 312.4, 333.0), angle=270.0, candidates="4p 7p")
    eyes.look(5.0)
    assert eyes.doubts() == ["unsure"]
    eyes.answer("choose", 1)
    assert eyes.events()[1:] == ["claim 1 chi 567p took 5p from 0"]


def test_a_set_whose_turned_tile_is_not_the_one_that_has_gone_is_a_doubt(eyes: Eyes) -> None:
    number = eyes.discard(0, "5s")
    eyes.look()
    eyes.take(number)
    eyes.lay("4s", *table_point(1, 245.0, 333.0), angle=180.0)
    eyes.lay("3s", *table_point(1, 281.2, 333.0), angle=270.0)
    eyes.lay("5s", *table_point(1, 312.4, 333.0), angle=270.0)
    eyes.look(5.0)
    assert eyes.events() == ["discard 0 5s"]
    assert eyes.doubts() == ["unexplained"]


HAND = "2p 3p 4p 2s 3s 4s 6s 7s 8s E E W W"


def test_a_win_with_the_tile_left_in_the_pond_waits_for_a_drawn_tile(eyes: Eyes) -> None:
    eyes.discard(0, "E")
    eyes.look()
    eyes.show(1, HAND)
    eyes.look(1.0)
    assert eyes.phase() == "playing"
    eyes.evening.wait(2.0)
    assert eyes.phase() == "settled"
    assert eyes.events()[-1].endswith("on E from 0")


def test_a_hand_laid_open_tile_by_tile_is_no_win_before_it_is_complete(eyes: Eyes) -> None:
    eyes.discard(0, "E")
    eyes.look()
    tiles = HAND.split()
    for place, tile in enumerate(tiles):
        eyes.lay(tile, *table_point(1, -220.0 + 31.2 * place, 382.0), angle=upright(1))
        eyes.look()
    assert eyes.phase() == "playing"
    eyes.lay("W", *table_point(1, -220.0 + 31.2 * len(tiles) + 20.0, 382.0), angle=upright(1))
    eyes.look()
    assert eyes.phase() == "settled"
    assert eyes.events()[-2:] == ["draw 1", "win 1 hand 234p 234678s EE WWW on W"]


def test_a_shown_hand_that_does_not_win_is_a_doubt(eyes: Eyes) -> None:
    eyes.discard(0, "E")
    eyes.look()
    eyes.show(1, HAND.replace("W W", "W N"))
    eyes.look(5.0)
    assert eyes.doubts() == ["shown"]


def test_a_win_of_an_unread_hand_is_not_settled(eyes: Eyes) -> None:
    eyes.discard(0, "E")
    eyes.look()
    eyes.show(1, HAND.replace("2p", "?"))
    eyes.look(5.0)
    assert eyes.doubts() == ["unsure"]


def test_the_lift_key_in_the_middle_of_a_hand_asks_first(eyes: Eyes) -> None:
    eyes.discard(0, "5p")
    eyes.look()
    eyes.lift()
    eyes.evening.wait(5.0)
    assert eyes.doubts() == ["lift"]
    assert eyes.evening.log.outcomes() == []
    eyes.answer("choose", 1)
    eyes.discard(1, "E")
    eyes.look(5.0)
    assert eyes.doubts() == []
    assert eyes.events()[-1] == "discard 1 E"


def test_whoever_insists_on_the_lift_key_ends_the_hand_without_a_settlement(eyes: Eyes) -> None:
    eyes.discard(0, "5p")
    eyes.look()
    eyes.lift()
    eyes.evening.wait(5.0)
    eyes.lift()
    (outcome,) = eyes.evening.log.outcomes()
    assert (outcome.how, outcome.payments, outcome.certain) == ("withheld", (0, 0, 0, 0), False)
    assert outcome.reason
    assert eyes.evening.log.sent[-1].command == OpenHatch()
    assert not [payload for _, payload in eyes.evening.log.published if isinstance(payload, Settlement)]


def test_after_a_withheld_hand_the_first_discard_shows_the_dealer_and_people_confirm_the_points(
    eyes: Eyes,
) -> None:
    eyes.discard(0, "5p")
    eyes.look()
    eyes.lift()
    eyes.evening.wait(5.0)
    eyes.lift()
    eyes.evening.prepare((1, 2), opened=True)
    shown = eyes.last("state/table")
    assert isinstance(shown, TableSnapshot)
    assert shown.dealer is None
    assert eyes.doubts() == ["points"]
    eyes.lay("1m", 86.0, -86.0)
    eyes.look()
    eyes.discard(2, "E")
    eyes.look()
    assert eyes.evening.log.texts(2) == ["deal 2 dice 1 2", "indicator 1m", "discard 2 E"]
    eyes.show(1, HAND)
    eyes.look(5.0)
    assert eyes.doubts() == ["points"]
    assert len(eyes.evening.log.outcomes()) == 1
    eyes.answer("choose", 0)
    outcome = eyes.evening.log.outcomes()[1]
    assert (outcome.how, outcome.certain, outcome.dealer_next) == ("won", True, 1)


def test_a_person_may_give_a_hand_up(eyes: Eyes) -> None:
    eyes.discard(2, "5p")
    eyes.look(5.0)
    eyes.answer("withdraw")
    (outcome,) = eyes.evening.log.outcomes()
    assert outcome.how == "abandoned"
    assert eyes.doubts() == []


def test_an_answer_to_a_doubt_that_is_closed_means_nothing(eyes: Eyes) -> None:
    eyes.discard(0, "5p")
    eyes.look()
    eyes.evening.tell(PersonAnswer(77, "withdraw", "referee"))
    assert eyes.evening.log.outcomes() == []


def test_a_winner_s_lift_key_settles_at_once_and_opens_the_hatch(eyes: Eyes) -> None:
    eyes.discard(0, "E")
    eyes.look()
    eyes.show(1, HAND)
    eyes.look()
    eyes.lift()
    assert eyes.evening.log.outcomes()[0].how == "won"
    assert eyes.evening.log.sent[-1].command == OpenHatch()


def test_without_a_picture_nothing_is_decided(eyes: Eyes) -> None:
    unread = eyes.discard(0, "?", candidates="5p 6p")
    eyes.evening.tell(CameraLost(at=0.0, reason="no frame"))
    eyes.evening.wait(10.0)
    assert (eyes.events(), eyes.evening.log.doubts(1)) == ([], [])
    assert getattr(eyes.last("state/alarm"), "code", "") == "CAM-00"
    eyes.evening.tell(CameraBack(at=0.0))
    eyes.take(unread)
    eyes.discard(0, "5p")
    eyes.look()
    assert eyes.events() == ["discard 0 5p"]
    assert getattr(eyes.last("state/alarm"), "active", True) is False


@pytest.mark.parametrize("trouble", CameraTrouble)
def test_each_trouble_of_the_camera_has_its_words_and_steps(eyes: Eyes, trouble: CameraTrouble) -> None:
    eyes.evening.tell(CameraLost(at=0.0, reason="details", trouble=trouble))
    alarm = eyes.last("state/alarm")
    assert (getattr(alarm, "active", False), getattr(alarm, "code", "")) == (True, CAMERA_CODES[trouble])
    assert getattr(alarm, "zh", "") != getattr(alarm, "en", "")
    assert len(getattr(alarm, "advice_zh", ())) == len(getattr(alarm, "advice_en", ())) >= 3
    other = CameraTrouble.FROZEN if trouble is not CameraTrouble.FROZEN else CameraTrouble.BLACK
    eyes.evening.tell(CameraLost(at=0.0, reason="details", trouble=other))
    assert getattr(eyes.last("state/alarm"), "code", "") == CAMERA_CODES[other]
    eyes.evening.tell(CameraBack(at=0.0))
    assert getattr(eyes.last("state/alarm"), "active", True) is False


def test_time_without_a_picture_is_no_time_in_which_a_play_stays_half_done(eyes: Eyes) -> None:
    """A discard that nobody may make is told as a doubt after some seconds; nobody sees them pass."""
    eyes.discard(2, "5p")
    eyes.look()
    eyes.evening.wait(1.0)
    eyes.evening.tell(CameraLost(at=0.0, reason="no frame"))
    eyes.evening.wait(60.0)
    eyes.evening.tell(CameraBack(at=0.0))
    eyes.look()
    assert eyes.doubts() == []
    eyes.evening.wait(10.0)
    assert eyes.doubts() != []


def test_another_eye_s_numbers_mean_other_tiles(eyes: Eyes) -> None:
    eyes.discard(0, "5p")
    eyes.look()
    eyes.evening.tell(CameraLost(at=0.0, reason="unplugged"))
    eyes.lay("1m", 86.0, -86.0)
    eyes.discard(0, "5p")
    eyes.look(5.0)
    assert eyes.doubts() == []
    assert eyes.events() == ["discard 0 5p"]


def test_what_lies_there_between_two_hands_means_nothing() -> None:
    evening = Evening(0)
    eyes = Eyes(evening)
    eyes.discard(0, "5p")
    eyes.look(5.0)
    assert eyes.doubts() == []
    assert evening.log.texts(1) == []
