"""Keys at the seats tell what the table leaves open, and nothing that it does not show."""

import pytest
from test_doubts import HAND, Eyes
from test_second_thoughts import acts, meld

from firmware_bridge.messages import KeyPressed
from firmware_bridge.states import Key


def press(eyes: Eyes, key: Key, seat: int) -> None:
    eyes.evening.tell(KeyPressed(key, seat))


def test_a_discard_that_nobody_saw_is_told_by_the_key_of_who_took_it(eyes: Eyes) -> None:
    press(eyes, Key.CLAIM_PENG, 2)
    eyes.row(2, "5p 5p 5p", v=333.0, left=250.0)
    eyes.look(2.0)
    assert acts(eyes) == ["discard 0 5p", "claim 2 peng 555p took 5p from 0"]


@pytest.mark.parametrize(("key", "seat"), [(Key.CLAIM_CHI, 2), (Key.CLAIM_PENG, 1), (Key.CONFIRM, 2)])
def test_another_s_key_or_another_key_tells_nothing_of_it(eyes: Eyes, key: Key, seat: int) -> None:
    press(eyes, key, seat)
    eyes.row(2, "5p 5p 5p", v=333.0, left=250.0)
    eyes.look(6.0)
    assert acts(eyes) == []
    assert eyes.doubts() == ["unexplained"]


def test_a_key_alone_is_no_play(eyes: Eyes) -> None:
    eyes.discard(0, "5p")
    eyes.look()
    press(eyes, Key.CLAIM_PENG, 2)
    eyes.look(10.0)
    assert acts(eyes) == ["discard 0 5p"]
    assert eyes.doubts() == []


def test_a_claim_that_was_pressed_in_vain_is_forgotten_with_the_next_event(eyes: Eyes) -> None:
    press(eyes, Key.CLAIM_PENG, 2)
    number = eyes.discard(0, "E")
    eyes.look()
    eyes.take(number)
    meld(eyes, 3, "E E E", turned=2)
    eyes.look(2.0)
    eyes.row(2, "5p 5p 5p", v=333.0, left=250.0)
    eyes.look(6.0)
    assert acts(eyes) == ["discard 0 E", "claim 3 peng EEE took E from 0"]


def test_the_win_key_says_that_no_drawn_tile_will_follow(eyes: Eyes) -> None:
    eyes.discard(0, "E")
    eyes.look()
    press(eyes, Key.CLAIM_WIN, 1)
    eyes.show(1, HAND)
    eyes.look()
    assert eyes.phase() == "settled"
    assert eyes.told()[-1].endswith("on E from 0")
