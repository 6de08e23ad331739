"""The display is told until when somebody has to move; nothing happens at the end of the time."""

from dataclasses import replace

from evening import Evening
from test_config import SMALLEST
from test_doubts import Eyes

from controller.config import parse_config
from controller.public import HandState
from controller.session import SessionSettings
from controller.timers import Deadline, Timers, deadline, timers_of
from controller.view import time_text
from rules import sets
from rules.record import parse_record
from rules.table import new_table, replay
from rules.tiles import Seat

CARD = sets.load("cixi-card")
TIMERS = Timers(think_s=15.0, claim_s=5.0)


def test_a_move_and_an_open_discard_have_their_time() -> None:
    assert deadline(new_table(CARD), TIMERS, 100.0) is None
    turn = replay(parse_record("deal 2\nindicator 1m"), CARD)
    assert deadline(turn, TIMERS, 100.0) == Deadline(115.0, 15.0, Seat.S2)
    claim = replay(parse_record("deal 2\nindicator 1m\ndiscard 2 E"), CARD)
    assert deadline(claim, TIMERS, 100.0) == Deadline(105.0, 5.0, None)
    assert deadline(claim, Timers(think_s=15.0), 100.0) is None


def test_the_display_gets_the_deadline_and_play_goes_on_after_it() -> None:
    evening = Evening(0, settings=SessionSettings(timers=TIMERS))
    evening.prepare((3, 4))
    eyes = Eyes(evening)
    eyes.lay("1m", 86.0, -86.0)
    eyes.look()
    shown = eyes.last("state/hand")
    assert isinstance(shown, HandState)
    assert shown.deadline is not None
    assert (shown.deadline.seat, shown.deadline.seconds) == (0, 15.0)
    evening.wait(60.0)
    eyes.discard(0, "E")
    eyes.look()
    shown = eyes.last("state/hand")
    assert isinstance(shown, HandState)
    assert shown.deadline is not None
    assert (shown.deadline.seat, shown.deadline.at) == (None, time_text(evening.now + 5.0))


def test_without_times_there_is_no_deadline() -> None:
    evening = Evening(0)
    evening.prepare((3, 4))
    eyes = Eyes(evening)
    eyes.lay("1m", 86.0, -86.0)
    eyes.look()
    shown = eyes.last("state/hand")
    assert isinstance(shown, HandState)
    assert shown.deadline is None


def test_a_table_says_its_own_times_or_has_the_rule_set_s() -> None:
    game = replace(CARD, think_s=20.0, claim_s=4.0)
    text = SMALLEST + "\n[timers]\nclaim_s = 0\n"
    own = parse_config(text, name="table.toml").timers
    assert timers_of(game, think_s=own.think_s, claim_s=own.claim_s) == Timers(think_s=20.0)
    assert timers_of(CARD, think_s=None, claim_s=None) == Timers()
