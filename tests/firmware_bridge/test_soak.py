"""Both implementations under a hostile line: messages once and in order, motions once, or an honest loss."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final, Protocol

import pytest
from link_ends import Ends, numbered

from firmware_bridge.errors import BoardError
from firmware_bridge.frames import DELIMITER, FrameDecoder
from firmware_bridge.host import Finished, Host
from firmware_bridge.link import HEADER, Kind, Link, Role
from firmware_bridge.messages import (
    Command,
    Counters,
    Done,
    GetCounters,
    LowerWalls,
    OpenHatch,
    RaiseWalls,
    Report,
    RollDice,
    StartCycle,
)
from firmware_bridge.reference.compiled import CoreBoard, CoreLink, Settings
from firmware_bridge.states import ResetCause, State
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.mechanics import Mechanics
from hardware_sim.wires import Wire, WireFaults
from hardware_sim.wires_pair import Pair

IMPLEMENTATIONS: Final = ("python", "c")

TENTH: Final = WireFaults(
    loss=0.1, flip=0.05, insert=0.05, duplicate=0.05, split=0.3, latency_s=0.002, jitter_s=0.004, echo_s=0.3
)
"""A tenth lost, a twentieth damaged, some doubled and late, in each direction."""

MESSAGES: Final = 50
SHORT, LONG = 150, 2000
TRIED: Final = 40
"""Frames of each direction that the short form loses in turn."""

SILENT_AT_MOST_S: Final = 5.0
"""A link that brings nothing for so long says that it is lost."""


# ---- messages ------------------------------------------------------------------------------------------


@dataclass
class Figures:
    """What came of some runs."""

    runs: int = 0
    whole: int = 0
    longest_s: float = 0.0
    longest_wait_s: float = 0.0
    again: int = 0

    def __str__(self) -> str:
        return (
            f"{self.whole} of {self.runs} runs whole, {self.runs - self.whole} lost the link and said so; "
            f"the longest took {self.longest_s:.2f} s, the longest wait for a message was "
            f"{self.longest_wait_s:.2f} s; the host sent {self.again / self.runs:.1f} frames a run again"
        )


def soak(board: Callable[[int], Any], faults: WireFaults, runs: int, told: Callable[[str], None]) -> Figures:
    """Runs of fifty messages each way, each in order and once; ``told`` hears of the progress."""
    figures = Figures()
    for seed in range(runs):
        ends = Ends(faults, seed=seed, session=seed, board=board(seed))
        out, home = numbered("command", MESSAGES), numbered("report", MESSAGES)
        ends.talk(out, home)
        got_out, got_home = ends.received(Role.BOARD), ends.received(Role.HOST)
        assert got_out == out[: len(got_out)], seed
        assert got_home == home[: len(got_home)], seed
        whole = len(got_out) == len(got_home) == MESSAGES
        assert whole or ends.lost(Role.HOST), seed
        assert ends.longest_wait <= SILENT_AT_MOST_S, seed
        figures.runs += 1
        figures.whole += whole
        figures.longest_s = max(figures.longest_s, ends.now)
        figures.longest_wait_s = max(figures.longest_wait_s, ends.longest_wait)
        figures.again += ends.host.stats.retransmitted
        if seed % 500 == 499:
            told(f"  {seed + 1} runs, {figures.whole} whole")
    return figures


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Says something while the test runs."""

    def say(text: str) -> None:
        with capsys.disabled():
            sys.stdout.write(text + "\n")
            sys.stdout.flush()

    return say


@pytest.fixture(params=IMPLEMENTATIONS)
def board_link(request: pytest.FixtureRequest) -> Callable[[int], Any]:
    """Makes the board's end, by seed, of one implementation or the other."""
    if request.param == "python":
        return lambda seed: Link(Role.BOARD, boot_id=seed)
    core = request.getfixturevalue("c_core")
    return lambda seed: CoreLink(core, boot_id=seed, base_ms=2**32 - 1000)


@pytest.mark.parametrize("loss", [0.1, 0.2, 0.3])
@pytest.mark.timeout(1800)
def test_every_message_arrives_once_and_in_order_or_the_loss_is_said(
    board_link: Callable[[int], Any],
    loss: float,
    told: Callable[[str], None],
    request: pytest.FixtureRequest,
) -> None:
    in_full = request.config.getoption("--long")
    runs = LONG if in_full else SHORT
    figures = soak(board_link, replace(TENTH, loss=loss), runs, told if in_full else lambda _: None)
    if in_full:
        told(f"{request.node.callspec.params['board_link']}, {loss:.0%} loss: {figures}")
    assert figures.whole == runs or loss > TENTH.loss


# ---- motions -------------------------------------------------------------------------------------------

ROUND: Final = (OpenHatch(), StartCycle(), RaiseWalls(), RollDice(2), LowerWalls())
ONCE: Final = (1, 1, 1, 1)
"""Hatch openings, cycles, lifts and rolls of one round."""


class Table(Protocol):
    """A board's engine with the tiles somebody pushes in."""

    def receive(self, data: bytes, now: float) -> None: ...
    def on_timer(self, now: float) -> None: ...
    def next_timer(self) -> float | None: ...
    def data_to_send(self, now: float) -> bytes: ...
    def push_tiles(self, now: float) -> None: ...


class PythonTable(Firmware):
    """The simulator's board."""

    def __init__(self) -> None:
        mechanics = Mechanics(Random(1), speed=60.0)  # noqa: S311 - a game
        super().__init__(mechanics, Identity(uid=7), boot_id=9, cause=ResetCause.POWER_ON, now=0.0)

    def push_tiles(self, now: float) -> None:
        assert now >= 0
        if State.HATCH_OPEN in self.mechanics.states.values():
            self.mechanics.load(136)


class CoreTable(CoreBoard):
    """The board in C."""

    def __init__(self, core: Any) -> None:
        super().__init__(core, Settings(boot_id=9, speed=60))

    def push_tiles(self, now: float) -> None:
        self.load(136, now)


@pytest.fixture(params=IMPLEMENTATIONS)
def make_table(request: pytest.FixtureRequest) -> Callable[[], Table]:
    """Makes a board of one implementation or the other."""
    if request.param == "python":
        return PythonTable
    core = request.getfixturevalue("c_core")
    return lambda: CoreTable(core)


class NumberedWire(Wire):
    """Counts the frames that enter and loses one of them, or from one on all for some time."""

    def __init__(self) -> None:
        super().__init__(0, WireFaults(latency_s=0.002))
        self.kinds: list[int] = []
        self.loses: int | None = None
        self.cut_at: int | None = None
        self.other: NumberedWire | None = None

    def carry(self, data: bytes, now: float) -> None:
        for stuffed in data.split(DELIMITER):
            if not stuffed:
                continue
            (payload,) = FrameDecoder().feed(stuffed + DELIMITER)
            number = len(self.kinds)
            self.kinds.append(HEADER.unpack_from(payload)[0])
            if number == self.cut_at and self.other is not None:
                self.cut = self.other.cut = True
            if number != self.loses:
                super().carry(stuffed + DELIMITER, now)


@dataclass
class Played:
    """One round: how each command ended, and what the board has counted."""

    ends: list[Done | BoardError] = field(default_factory=list)
    counted: tuple[int, int, int, int] = (0, 0, 0, 0)
    reports: list[Report] = field(default_factory=list)
    to_board: list[int] = field(default_factory=list)
    to_host: list[int] = field(default_factory=list)


class Play(Pair):
    """A host that plays a round at a table."""

    def __init__(self, table: Table) -> None:
        self.host = Host(session=5, first_op_id=100)
        self.table = table
        self.outward, self.homeward = NumberedWire(), NumberedWire()
        self.outward.other, self.homeward.other = self.homeward, self.outward
        super().__init__(self.host, table, self.outward, self.homeward)
        self.played = Played()
        self.mend_at: float | None = None
        self._ended: dict[int, Done | BoardError] = {}

    def step(self, at_most: float = float("inf")) -> None:
        super().step(at_most)
        if self.outward.cut and self.mend_at is None:
            self.mend_at = self.now + 4.0
        if self.mend_at is not None and self.now >= self.mend_at and self.outward.cut:
            self.outward.cut = self.homeward.cut = False
            self.host.port_closed("pulled", self.now)
            self.host.port_opened(self.now)
        for outcome in self.host.outcomes():
            if isinstance(outcome, Finished):
                self._ended[outcome.op_id] = outcome.result
            else:
                self.played.reports.append(outcome)

    def whole_round(self) -> Played:
        self.host.port_opened(self.now)
        for command in ROUND:
            self.played.ends.append(self._carry_out(command))
            if isinstance(command, OpenHatch):
                self.table.push_tiles(self.now)
        # A report that answers a command is not said again, so that a cut in the middle costs another one.
        while not (counters := [each for each in self.played.reports if isinstance(each, Counters)]):
            self._carry_out(GetCounters())
        last = counters[-1]
        self.played.counted = (last.cycles, last.openings, last.lifts, last.rolls)
        self.played.to_board, self.played.to_host = self.outward.kinds, self.homeward.kinds
        return self.played

    def _carry_out(self, command: Command) -> Done | BoardError:
        while not self.host.ready:
            self.step(self.now + 0.05)
        op_id = self.host.request(command, self.now)
        while op_id not in self._ended:
            self.step(self.now + 0.05)
        return self._ended[op_id]


@pytest.fixture
def every(request: pytest.FixtureRequest) -> Callable[[list[int]], Iterable[int]]:
    """Numbers of the frames to try: all in the long form, about forty of each direction in the short one."""
    in_full = request.config.getoption("--long")
    return lambda frames: range(0, len(frames), 1 if in_full else max(1, len(frames) // TRIED))


@pytest.mark.timeout(600)
def test_with_every_single_frame_lost_once_in_turn_each_motion_runs_once(
    make_table: Callable[[], Table], every: Callable[[list[int]], Iterable[int]]
) -> None:
    good = Play(make_table()).whole_round()
    assert good.counted == ONCE
    assert {Kind.RESET, Kind.DATA, Kind.ALIVE} <= set(good.to_board)
    assert {Kind.RESET_ACK, Kind.DATA} <= set(good.to_host)
    for number in every(good.to_board):
        play = Play(make_table())
        play.outward.loses = number
        assert_once(play.whole_round(), f"host's frame {number}")
    for number in every(good.to_host):
        play = Play(make_table())
        play.homeward.loses = number
        assert_once(play.whole_round(), f"board's frame {number}")


def assert_once(played: Played, where: str) -> None:
    assert all(isinstance(end, Done) for end in played.ends), where
    assert played.counted == ONCE, where


@pytest.mark.timeout(600)
def test_with_the_line_cut_at_every_single_frame_no_motion_runs_twice(
    make_table: Callable[[], Table], every: Callable[[list[int]], Iterable[int]]
) -> None:
    good = Play(make_table()).whole_round()
    tried = resumed = 0
    for outward, frames in ((True, good.to_board), (False, good.to_host)):
        for number in every(frames):
            play = Play(make_table())
            (play.outward if outward else play.homeward).cut_at = number
            played = play.whole_round()
            assert max(played.counted) <= 1, (outward, number)
            tried += 1
            resumed += all(isinstance(end, Done) for end in played.ends)
    assert resumed > tried / 4
