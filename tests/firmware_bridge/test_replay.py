"""Reports missed while the link was down come later, once; after another boot nothing is asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talking_board import EVERYTHING, KEPT, Conversation, TalkingBoard

from firmware_bridge.errors import LinkLost
from firmware_bridge.messages import (
    Done,
    GetReports,
    KeyPressed,
    Missed,
    Notice,
    OpenHatch,
    Report,
    ReportsLost,
    StartCycle,
    StateChanged,
    Status,
    TileCount,
)
from firmware_bridge.replay import Replay
from firmware_bridge.states import Capability, Key, Region, State


def test_what_happened_without_a_link_is_handed_on_with_its_number_and_clock() -> None:
    talk = Conversation()
    talk.cut()
    first = talk.board.report(KeyPressed(Key.LIFT, 2))
    talk.board.report(TileCount(1, 2, 34), keep=False)
    last = talk.board.report(StateChanged(Region.LOWER, State.STAGED))
    talk.mend()
    assert talk.of(Missed) == [
        Missed(first, 10 * first, KeyPressed(Key.LIFT, 2)),
        Missed(last, 10 * last, StateChanged(Region.LOWER, State.STAGED)),
    ]
    assert not talk.of(KeyPressed)


def test_where_nothing_was_missed_nothing_is_asked() -> None:
    talk = Conversation()
    talk.cut()
    talk.mend()
    assert GetReports not in [type(request.command) for request in talk.board.asked]


def test_a_first_connection_asks_for_nothing_that_was_before() -> None:
    board = TalkingBoard()
    board.report(KeyPressed(Key.LIFT, 0))
    talk = Conversation(board)
    assert not talk.of(Missed)
    assert not talk.of(KeyPressed)


def test_a_host_that_wants_the_history_hears_what_a_boot_said_before() -> None:
    board = TalkingBoard()
    pressed = board.report(KeyPressed(Key.LIFT, 0))
    talk = Conversation(board, history=True)
    assert talk.of(Missed) == [Missed(pressed, 10 * pressed, KeyPressed(Key.LIFT, 0))]
    talk.cut()
    talk.mend()
    assert not talk.of(Missed)


def test_a_gap_that_the_board_cannot_fill_is_told() -> None:
    talk = Conversation()
    talk.cut()
    numbers = [talk.board.report(KeyPressed(Key.LIFT, n % 4)) for n in range(KEPT + 10)]
    talk.mend()
    assert talk.of(ReportsLost) == [ReportsLost(numbers[10])]
    assert [missed.number for missed in talk.of(Missed)] == numbers[10:]


def test_a_link_that_goes_in_the_middle_of_a_replay_costs_nothing() -> None:
    talk = Conversation()
    talk.cut()
    numbers = [talk.board.report(KeyPressed(Key.DICE, n % 4)) for n in range(60)]
    talk.plug_in(latency_s=0.01)
    while len(talk.of(Missed)) < 5:
        talk.step(talk.now + 0.001)
    before = talk.of(Missed)
    talk.board.report(KeyPressed(Key.LIFT, 3))
    talk.cut()
    talk.mend()
    assert len(before) < len(numbers)
    assert [missed.number for missed in before + talk.of(Missed)][: len(numbers)] == numbers


def test_another_boot_is_asked_for_nothing_and_told_nothing_twice() -> None:
    talk = Conversation(TalkingBoard(ends=False))
    op_id = talk.host.request(OpenHatch(), talk.now)
    talk.run(0.5)
    talk.cut()
    talk.mend(TalkingBoard(boot_id=2))
    assert isinstance(talk.finished[op_id], LinkLost)
    assert talk.board.commands() == []
    assert GetReports not in [type(request.command) for request in talk.board.asked]
    assert not talk.of(Missed)
    assert talk.of(Status)


def test_the_same_boot_gets_a_command_again_under_its_old_number_and_no_other() -> None:
    talk = Conversation(TalkingBoard(ends=False))
    op_id = talk.host.request(OpenHatch(), talk.now)
    talk.run(0.5)
    talk.cut()
    talk.mend()
    openings = [request.op_id for request in talk.board.asked if request.command == OpenHatch()]
    assert openings == [op_id, op_id]
    talk.board.send(Done(op_id))
    talk.run(0.5)
    assert talk.finished[op_id] == Done(op_id)


def test_a_board_without_replay_is_not_asked() -> None:
    talk = Conversation(TalkingBoard(capabilities=EVERYTHING & ~Capability.REPLAY))
    talk.cut()
    talk.board.report(KeyPressed(Key.LIFT, 2))
    talk.mend()
    assert GetReports not in [type(request.command) for request in talk.board.asked]
    talk.board.report(KeyPressed(Key.DICE, 1))
    talk.run(0.5)
    assert talk.of(KeyPressed) == [KeyPressed(Key.DICE, 1)]


@pytest.mark.parametrize("paused_s", [10.0, 3000.0])
def test_the_time_of_a_top_up_is_not_the_cycle_s_time(paused_s: float) -> None:
    talk = Conversation(TalkingBoard(ends=False))
    op_id = talk.host.request(StartCycle(), talk.now)
    talk.run(200.0)
    talk.board.report(StateChanged(Region.LOWER, State.TOPUP_PAUSED))
    talk.run(paused_s)
    talk.board.report(StateChanged(Region.LOWER, State.SORTING))
    talk.run(90.0)
    assert op_id not in talk.finished
    talk.run(20.0)
    assert op_id in talk.finished


# ---- the cursor, under every order of events -----------------------------------------------------------

REPORT = KeyPressed(Key.LIFT, 0)


class Ideal:
    """A board's history against a cursor: what each session loses is drawn by Hypothesis."""

    def __init__(self) -> None:
        self.replay = Replay()
        self.made: list[int] = []
        self.handed: list[int] = []
        self.number = 0

    def next(self, *, kept: bool) -> Notice:
        self.number += 1
        if kept:
            self.made.append(self.number)
        return Notice(self.number, 0, REPORT)

    def take(self, notice: Notice) -> Report | None:
        report = self.replay.take(notice)
        if report is not None and notice.number in self.made:
            self.handed.append(notice.number)
        return report

    def session(self, live: int, *, missed: int, stop_replay_after: int | None) -> None:
        for _ in range(missed):
            self.next(kept=True)
        booted = self.next(kept=False)
        first = self.replay.begin(1, booted.number)
        if first is not None:
            again = [Notice(number, 0, REPORT) for number in self.made if number >= first]
            for notice in again[:stop_replay_after]:
                report = self.take(notice)
                assert isinstance(report, Missed | None)
        for _ in range(live):
            assert self.take(self.next(kept=True)) == REPORT
        if stop_replay_after is None:
            self.replay.end()


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.none() | st.integers(0, 5)), max_size=8),
)
def test_each_report_is_handed_on_once_however_often_the_link_goes(
    sessions: list[tuple[int, int, int | None]],
) -> None:
    board = Ideal()
    board.session(1, missed=0, stop_replay_after=None)
    for live, missed, stop in sessions:
        board.session(live, missed=missed, stop_replay_after=stop)
    board.session(0, missed=1, stop_replay_after=None)
    assert sorted(board.handed) == board.made
