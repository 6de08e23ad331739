"""What a link keeps of its last frames is a text that plays again and gives the same reports."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talking_board import EVERYTHING, Conversation, TalkingBoard

from firmware_bridge.capture import BadCapture, Capture, capture_of, format_capture, parse_capture
from firmware_bridge.capture_replay import Replayed, replay
from firmware_bridge.capture_ring import FRAMES_KEPT, NOTES_KEPT, CaptureRing, Direction, Entry
from firmware_bridge.errors import LinkLost
from firmware_bridge.faults import FaultCode
from firmware_bridge.host import Finished
from firmware_bridge.messages import (
    Booted,
    Disconnected,
    Done,
    Fault,
    KeyPressed,
    Missed,
    OpenHatch,
    Report,
    StateChanged,
    Status,
)
from firmware_bridge.states import Capability, Key, Loss, Region, Severity, State
from hardware_sim.wires import Wire, WireFaults

GOLDEN = Path(__file__).with_name("capture.txt")
FEW = EVERYTHING & ~Capability.DICTIONARY
HOSTILE = WireFaults(loss=0.1, flip=0.05, insert=0.05, duplicate=0.05, split=0.3, jitter_s=0.004, echo_s=0.1)


class Recorded(Conversation):
    """A conversation that remembers all reports with their times."""

    def __init__(self, board: TalkingBoard | None = None, *, kept: int = FRAMES_KEPT) -> None:
        self.all: list[Replayed] = []
        self._kept = kept
        super().__init__(board)

    def step(self, at_most: float = float("inf")) -> None:
        if self.now == 0.0 and self._kept != FRAMES_KEPT:
            self.host.link.ring, self._kept = CaptureRing(self._kept), FRAMES_KEPT
        super().step(at_most)
        self.all += [Replayed(self.now, report) for report in self.heard[len(self.all) :]]

    def capture(self, **about: str) -> Capture:
        return capture_of(self.host.link.ring, self.host.identity, about=about)

    def pull(self, seconds: float) -> None:
        """The cable is out for some time, then in again."""
        self.to_left, self.to_right = (Wire(seed, WireFaults(loss=1.0)) for seed in (3, 4))
        self.host.port_closed("board: the port is gone", self.now)
        self.run(seconds)
        self.plug_in(0.002)
        self.run(1.0)

    @property
    def reports(self) -> list[Report]:
        return [each.report for each in self.all]


def eventful() -> Recorded:
    """A session with a command, noise, a fault, a pulled cable, missed reports, and another boot."""
    talk = Recorded(TalkingBoard(boot_id=0xB0A7, capabilities=FEW))
    talk.carry_out(OpenHatch())
    talk.board.report(StateChanged(Region.HATCH, State.HATCH_OPEN))
    talk.run(0.3)
    talk.host.receive(b"AT+GCAP\r\n\x00" + b"\xff" * 100 + b"\x00", talk.now)
    talk.board.report(Fault(FaultCode.CNT_01, Severity.STOP_CYCLE, evidence=2))
    talk.run(0.3)
    talk.to_left.cut = talk.to_right.cut = True
    talk.run(3.5)
    talk.board.report(KeyPressed(Key.LIFT, 2))
    talk.pull(0.5)
    talk.mend(TalkingBoard(boot_id=0xB0A8, capabilities=FEW))
    talk.carry_out(OpenHatch())
    return talk


def test_a_link_keeps_the_last_frames_of_each_direction_and_no_more() -> None:
    ring = CaptureRing()
    for number in range(1000):
        ring.sent(b"out\x00", float(number))
        ring.received(b"in", 2, float(number))
        ring.note("opened", float(number))
    entries = ring.entries()
    assert sum(entry.direction is Direction.SENT for entry in entries) == FRAMES_KEPT == 200
    assert sum(entry.direction is Direction.RECEIVED for entry in entries) == FRAMES_KEPT
    assert sum(entry.direction is Direction.NOTE for entry in entries) == NOTES_KEPT
    assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)
    assert entries[-3:] == [
        Entry(999.0, Direction.SENT, b"out\x00"),
        Entry(999.0, Direction.RECEIVED, b"in\x00"),
        Entry(999.0, Direction.NOTE, b"opened"),
    ]


def test_the_golden_capture_stays_what_it_is(pytestconfig: pytest.Config) -> None:
    text = format_capture(eventful().capture(why="a test", at="2026-01-01 00:00:00"))
    if pytestconfig.getoption("--update"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_the_golden_capture_plays_again_with_the_same_reports() -> None:
    capture = parse_capture(GOLDEN.read_text(encoding="utf-8"))
    told = list(replay(capture))
    expected = eventful()
    assert [each.report for each in told] == expected.reports
    # The conversation tells a report after it has gone on to the next moment, a heartbeat later at most.
    assert [each.at for each in told] == pytest.approx([each.at for each in expected.all], abs=0.26)
    assert {Booted, Status, Fault, Disconnected, Missed, StateChanged} <= {type(each.report) for each in told}
    assert capture.about == {"why": "a test", "at": "2026-01-01 00:00:00"}


def test_a_capture_reads_as_it_was_written() -> None:
    text = format_capture(eventful().capture())
    assert format_capture(parse_capture(text)) == text


def chatty(seed: int, faults: WireFaults, *, kept: int = FRAMES_KEPT, rounds: int = 30) -> Recorded:
    """Many reports and commands over a bad line."""
    talk = Recorded(TalkingBoard(capabilities=FEW), kept=kept)
    talk.to_left, talk.to_right = Wire(2 * seed, faults), Wire(2 * seed + 1, faults)
    for number in range(rounds):
        talk.board.report(KeyPressed(Key.LIFT, number % 4))
        talk.host.request(OpenHatch(), talk.now)
        talk.run(0.05)
    talk.run(1.0)
    return talk


@pytest.mark.parametrize("seed", range(12))
def test_whatever_the_line_did_the_capture_gives_the_same_reports(seed: int) -> None:
    talk = chatty(seed, HOSTILE)
    assert [each.report for each in replay(talk.capture())] == talk.reports


@pytest.mark.parametrize("seed", range(12))
def test_a_capture_that_begins_in_the_middle_gives_the_reports_from_there_on(seed: int) -> None:
    talk = chatty(seed, HOSTILE, kept=150, rounds=150)
    booted, *told = [each.report for each in replay(talk.capture())]
    assert booted == talk.host.identity
    assert len(told) > 10
    assert told == talk.reports[-len(told) :]


def test_a_reconnection_after_the_middle_is_replayed_too() -> None:
    talk = chatty(1, HOSTILE, kept=150, rounds=150)
    talk.pull(1.0)
    talk.board.report(KeyPressed(Key.DICE, 1))
    talk.run(0.5)
    told = [each.report for each in replay(talk.capture())][1:]
    assert Disconnected("board: the port is gone", Loss.PORT) in told
    assert told == talk.reports[-len(told) :]


def test_a_replay_loses_a_command_s_link_where_the_capture_did() -> None:
    talk = Recorded(TalkingBoard(capabilities=FEW))
    talk.board.ends = False
    op_id = talk.host.request(OpenHatch(), talk.now)
    talk.to_left.cut = talk.to_right.cut = True
    talk.run(15.0)
    assert isinstance(talk.finished[op_id], LinkLost)
    assert [each.report for each in replay(talk.capture())] == talk.reports


def test_a_middle_without_a_board_is_refused_in_words() -> None:
    capture = chatty(1, WireFaults(), kept=30, rounds=60).capture()
    with pytest.raises(BadCapture, match="does not say which board"):
        list(replay(replace(capture, board=None)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda _: "", 'line 1: expected "longzhuo capture 1"'),
        (lambda text: text.replace("capture 1", "capture 2", 1), "line 1"),
        (lambda text: text.replace("board: ", "board: zz", 1), "Booted report in hexadecimal"),
        (lambda text: text.replace("lost_after_s: 3", "lost_after_s: soon", 1), "expected seconds"),
        (lambda text: text.replace("lost_after_s: 3", "what", 1), 'line 3: expected "key: value"'),
        (lambda text: text.replace(" > ", " ? ", 1), "expected SECONDS, a direction"),
        (lambda text: text.replace(" > 00", " > 0g", 1), "line 6"),
        (lambda text: text.replace("! opened", "! exploded", 1), "line 5"),
    ],
)
def test_what_is_no_capture_is_refused_with_its_line(change: Callable[[str], str], words: str) -> None:
    with pytest.raises(BadCapture) as caught:
        parse_capture(change(format_capture(eventful().capture())))
    assert words in str(caught.value)


@given(st.integers(0, 3000), st.binary(max_size=8), st.integers(0, 40))
def test_no_text_whatever_raises_anything_else(at: int, piece: bytes, gone: int) -> None:
    text = GOLDEN.read_text(encoding="utf-8")
    at = min(at * 7 % len(text), len(text))
    spoilt = text[:at] + piece.decode("latin-1") + text[at + gone :]
    try:
        for each in replay(parse_capture(spoilt)):
            assert each.at >= 0
    except BadCapture:
        pass


def test_the_ends_of_commands_are_no_reports() -> None:
    talk = Recorded(TalkingBoard(capabilities=FEW))
    assert isinstance(talk.carry_out(OpenHatch()), Done)
    assert not any(isinstance(each.report, Finished) for each in replay(talk.capture()))
