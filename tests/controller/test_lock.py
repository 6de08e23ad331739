"""A locked table plays its hand to the end and begins no other, until the referee unlocks it."""

from evening import Evening
from test_doubts import Eyes
from test_setup import same_again
from test_table_orders import order, table

from controller.journal_replay import past_of
from controller.session_inputs import Lock, Start, Unlock
from firmware_bridge.messages import KeyPressed, OpenHatch
from firmware_bridge.states import Key


def hatches(eyes: Eyes) -> int:
    return sum(isinstance(send.command, OpenHatch) for send in eyes.evening.log.sent)


def test_a_locked_table_begins_no_hand_by_key_or_order_and_stays_locked() -> None:
    eyes = Eyes(Evening(0))
    assert order(eyes, Lock("referee")).zh == "已锁定，不开新的一局"
    assert order(eyes, Lock("referee")).en == "it is locked already"
    eyes.evening.tell(KeyPressed(Key.LIFT, 1))
    assert order(eyes, Start("seat 1")).en == "the table is locked: the referee unlocks it"
    assert (hatches(eyes), table(eyes).locked) == (0, True)
    eyes.evening.begin(past_of(eyes.evening.log.rows))
    eyes.evening.tell(KeyPressed(Key.LIFT, 1))
    assert (hatches(eyes), table(eyes).locked) == (0, True)
    assert order(eyes, Unlock("referee")).done
    assert order(eyes, Unlock("referee")).en == "it is not locked"
    eyes.evening.tell(KeyPressed(Key.LIFT, 1))
    assert (hatches(eyes), table(eyes).locked) == (1, False)
    same_again(eyes.evening)


def test_a_running_hand_is_played_to_its_end_and_no_other_begins() -> None:
    evening = Evening(3)
    moves = evening.play_deal()
    for _ in range(20):
        next(moves)
    eyes = Eyes(evening)
    order(eyes, Lock("referee"))
    before = hatches(eyes)
    for _ in moves:
        pass
    evening.tell(KeyPressed(Key.LIFT, 1))
    evening.wait(10.0)
    assert [row.how for row in evening.log.outcomes()] == ["won"]
    assert hatches(eyes) == before
    same_again(evening)
