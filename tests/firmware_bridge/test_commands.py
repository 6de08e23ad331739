"""A command runs once, whatever the wire does, and its end is told, whatever happens to the link."""

from collections.abc import Iterator
from random import Random

import pytest
from host_pair import HOSTILE, HostPair, LosesOne

from firmware_bridge.encoding import encode
from firmware_bridge.errors import CommandFailed, CommandRefused, LinkLost, WrongVersion
from firmware_bridge.host import Host
from firmware_bridge.link import Link, LostReason, Received, Role
from firmware_bridge.messages import (
    Booted,
    ClearStop,
    CloseHatch,
    Command,
    Counters,
    CycleDone,
    DiceRolled,
    Disconnected,
    Done,
    Fault,
    GetCounters,
    GetStatus,
    KeyPressed,
    OpenHatch,
    RaiseWalls,
    Rejected,
    RollDice,
    StartCycle,
    Status,
    Stop,
    WallsUp,
)
from firmware_bridge.states import Capability, FailCause, Key, Loss, Region, RejectReason, ResetCause, State
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.mechanics import Mechanics
from hardware_sim.wires import Wire, WireFaults
from hardware_sim.wires_pair import Pair

WHOLE_ROUND: tuple[Command, ...] = (OpenHatch(), StartCycle(), RaiseWalls(), RollDice(), CloseHatch())


QUICK = 400.0
TELLS_LITTLE = Identity(uid=1, capabilities=Capability.DICE | Capability.COUNTERS | Capability.REPLAY)
"""A board without a dictionary: whatever frame of it is lost, the round is the same."""


class Table(HostPair):
    """A host and a simulated board in virtual time."""

    def __init__(
        self,
        to_board: Wire | None = None,
        to_host: Wire | None = None,
        *,
        speed: float = 20.0,
        identity: Identity | None = None,
    ) -> None:
        self.mechanics = Mechanics(Random(5), speed=speed)  # noqa: S311 - a game
        self.identity = identity or Identity(uid=1)
        self.board = self.boot(11)
        host = Host(session=3, first_op_id=2**32 - 2)
        super().__init__(host, self.board, to_board or Wire(1), to_host or Wire(2))

    def boot(self, boot_id: int, now: float = 0.0) -> Firmware:
        return Firmware(self.mechanics, self.identity, boot_id=boot_id, cause=ResetCause.POWER_ON, now=now)

    def reboot(self, boot_id: int) -> None:
        self.mechanics.power_cut()
        self.right = self.board = self.boot(boot_id, self.now)

    def play_round(self) -> None:
        for command in WHOLE_ROUND:
            self.do(command)
            if isinstance(command, OpenHatch):
                self.mechanics.load(136)


ONE_OF_EACH = Counters(cycles=1, openings=1, lifts=1, rolls=1, motor_s=0, faults=0)


def moved(table: Table) -> Counters:
    counters = table.mechanics.counters()
    return Counters(counters.cycles, counters.openings, counters.lifts, counters.rolls, 0, 0)


def test_a_whole_round_of_the_machine() -> None:
    table = Table(speed=1.0)
    table.play_round()
    table.do(GetStatus())
    assert table.of(WallsUp) == [WallsUp((34, 34, 34, 34))]
    (cycle,) = table.of(CycleDone)
    assert cycle.counts == (34, 34, 34, 34)
    assert 18_000 <= cycle.ms <= 35_000 + 1500 + 2000
    (dice,) = table.of(DiceRolled)
    assert all(1 <= value <= 6 for value in dice.values)
    last = table.of(Status)[-1]
    assert (last.walls, last.hatch, last.lower) == (State.WALLS_UP, State.HATCH_CLOSED, State.EMPTY)
    assert table.host.link.stats.retransmitted == table.board.link.stats.retransmitted == 0


def frames_of_a_round() -> tuple[int, int]:
    out, home = LosesOne(), LosesOne()
    Table(out, home, speed=QUICK, identity=TELLS_LITTLE).play_round()
    return out.frames, home.frames


def one_loss_each() -> Iterator[tuple[int | None, int | None]]:
    out, home = frames_of_a_round()
    yield from ((number, None) for number in range(out))
    yield from ((None, number) for number in range(home))


@pytest.mark.timeout(300)  # two hundred rounds of the machine
def test_whichever_single_frame_is_lost_every_command_runs_once() -> None:
    losses = list(one_loss_each())
    assert len(losses) > 50
    for out, home in losses:
        table = Table(LosesOne(out), LosesOne(home), speed=QUICK, identity=TELLS_LITTLE)
        table.play_round()
        assert moved(table) == ONE_OF_EACH, (out, home)
        assert len(table.of(DiceRolled)) == len(table.of(CycleDone)) == 1, (out, home)


def test_every_command_runs_once_over_a_hostile_wire() -> None:
    for seed in range(20):
        table = Table(Wire(2 * seed, HOSTILE), Wire(2 * seed + 1, HOSTILE))
        table.play_round()
        assert moved(table) == ONE_OF_EACH, seed


@pytest.mark.parametrize("command", [OpenHatch(), StartCycle(), RaiseWalls(), RollDice()], ids=repr)
@pytest.mark.parametrize("cut_after", [0.0, 0.0005, 0.0015, 0.01, 0.05])
def test_a_command_under_way_survives_a_pulled_cable(command: Command, cut_after: float) -> None:
    table = Table(LosesOne(), LosesOne())
    for before in WHOLE_ROUND[: WHOLE_ROUND.index(command)]:
        table.do(before)
        if isinstance(before, OpenHatch):
            table.mechanics.load(136)
    table.connect()
    earlier = moved(table)
    op_id = table.host.request(command, table.now)
    table.run(cut_after)
    table.to_right.cut = table.to_left.cut = True
    table.host.port_closed("pulled", table.now)
    table.run(1.0)
    table.to_right.cut = table.to_left.cut = False
    table.host.port_opened(table.now)
    table.run(9.0)
    assert table.of(Disconnected) == [Disconnected("pulled", Loss.PORT)]
    assert table.finished[op_id] == Done(op_id)
    gained = moved(table)
    assert (
        gained.cycles + gained.openings + gained.lifts + gained.rolls
        == earlier.cycles + earlier.openings + earlier.lifts + earlier.rolls + 1
    )


def test_after_a_restart_of_the_board_no_command_is_repeated() -> None:
    table = Table()
    table.connect()
    op_id = table.host.request(OpenHatch(), table.now)
    table.run(0.02)
    table.reboot(12)
    table.run(2.0)
    result = table.finished[op_id]
    assert isinstance(result, LinkLost)
    assert "restarted" in str(result)
    assert table.mechanics.states[Region.HATCH] is State.HATCH_UNKNOWN
    assert [report.boot_id for report in table.of(Booted)] == [11, 12]
    table.do(OpenHatch())


def test_a_command_ends_when_the_board_does_not_come_back() -> None:
    table = Table()
    table.connect()
    op_id = table.host.request(StartCycle(), table.now)
    table.to_right.cut = table.to_left.cut = True
    table.run(14.0)
    assert isinstance(table.finished[op_id], LinkLost)
    with pytest.raises(LinkLost):
        table.host.request(OpenHatch(), table.now)


def test_a_command_whose_end_never_comes_fails_by_its_own_limit() -> None:
    table = Table(speed=0.01)
    table.connect()
    op_id = table.host.request(OpenHatch(), table.now)
    table.run(16.0)
    failure = table.finished[op_id]
    assert isinstance(failure, CommandFailed)
    assert failure.cause is FailCause.NO_ANSWER


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (StartCycle(), RejectReason.NO_TILES),
        (StartCycle((1, 1, 1, 1)), RejectReason.BAD_ARGUMENT),
        (RaiseWalls(), RejectReason.NOT_STAGED),
    ],
    ids=repr,
)
def test_a_command_that_does_not_fit_the_state_is_refused_in_words(
    command: Command, reason: RejectReason
) -> None:
    table = Table()
    with pytest.raises(CommandRefused, match=reason.name):
        table.do(command)


def test_walls_do_not_rise_beside_an_open_hatch() -> None:
    table = Table()
    table.do(OpenHatch())
    with pytest.raises(CommandRefused, match="HATCH_NOT_CLOSED"):
        table.do(RaiseWalls())


def test_missing_tiles_are_a_fault_and_the_cycle_goes_on_when_they_are_found() -> None:
    table = Table()
    table.do(OpenHatch())
    table.mechanics.load(133)
    with pytest.raises(CommandFailed, match="CNT-01"):
        table.do(StartCycle())
    (fault,) = table.of(Fault)
    assert fault.evidence == 3
    table.do(OpenHatch())
    table.mechanics.load(3)
    table.do(StartCycle())
    table.do(RaiseWalls())
    assert table.of(WallsUp) == [WallsUp((34, 34, 34, 34))]


def test_a_stop_ends_every_motion_and_only_a_key_at_the_table_lifts_it() -> None:
    table = Table()
    table.do(OpenHatch())
    table.mechanics.load(136)
    cycle = table.host.request(StartCycle(), table.now)
    table.run(0.5)
    table.do(Stop())
    failure = table.finished[cycle]
    assert isinstance(failure, CommandFailed)
    assert failure.cause is FailCause.STOPPED
    with pytest.raises(CommandRefused, match="STOPPED"):
        table.do(OpenHatch())
    with pytest.raises(CommandRefused, match="NEEDS_LOCAL_KEY"):
        table.do(ClearStop())
    table.board.press(Key.LIFT, 2, table.now)
    table.do(ClearStop())
    assert table.of(KeyPressed) == [KeyPressed(Key.LIFT, 2)]
    table.do(StartCycle())


def test_when_the_host_goes_what_hands_can_reach_stops_and_a_shuffle_goes_on() -> None:
    for command, state in ((OpenHatch(), State.HATCH_UNKNOWN), (StartCycle(), State.STAGED)):
        table = Table(speed=1.0)
        table.do(OpenHatch())
        table.mechanics.load(136)
        table.do(CloseHatch())
        table.board.link.timing = type(table.board.link.timing)(lost_after=0.5)
        table.host.request(command, table.now)
        table.run(0.1)
        table.to_right.cut = True
        table.run(60.0)
        assert table.mechanics.states[state.region] is state


def test_a_board_of_another_major_version_is_told_apart_in_words() -> None:
    table = Table(identity=Identity(uid=1, protocol=(2, 0)))
    with pytest.raises(WrongVersion, match=r"protocol 2\.0, this program 1\.1: update this program"):
        table.do(OpenHatch())


def test_an_unknown_command_is_refused_as_unsupported() -> None:
    host, mechanics = Link(Role.HOST), Mechanics(Random(1))  # noqa: S311 - a game
    board = Firmware(mechanics, Identity(uid=1), boot_id=1, cause=ResetCause.POWER_ON, now=0.0)
    pair = Pair(host, board, Wire(1), Wire(2))
    host.connect(0.0)
    pair.run(0.1)
    host.send(bytes((0x3F, 9, 0, 0, 0)))
    pair.run(0.1)
    assert Received(encode(Rejected(9, RejectReason.UNSUPPORTED))) in host.events()
    assert board.malformed == 1


def test_wrong_speed_is_named_when_only_garbage_comes() -> None:
    host = Host(session=1, first_op_id=1)
    host.port_opened(0.0)
    host.receive(b"\xf8\x80\x00\xf8" * 40, 1.0)
    host.on_timer(3.1)
    (gone,) = host.outcomes()
    assert isinstance(gone, Disconnected)
    assert "no valid frame" in gone.reason
    assert host.reopen


def test_reports_of_a_newer_board_that_this_version_does_not_know_are_counted() -> None:
    host, board = Host(session=1, first_op_id=1), Link(Role.BOARD, boot_id=1)
    pair = Pair(host, board, Wire(1), Wire(2))
    host.port_opened(0.0)
    pair.run(0.1)
    board.send(bytes((0xEE, 1, 0, 0, 0, 2, 0, 0, 0)))
    pair.run(0.1)
    assert host.malformed == 1


def test_the_reason_of_a_silent_board_is_given_in_words() -> None:
    table = Table()
    table.connect()
    table.to_left.cut = True
    table.run(3.5)
    assert table.of(Disconnected) == [Disconnected(LostReason.SILENCE.value)]


def test_seventeen_reads_of_the_counters_change_nothing() -> None:
    table = Table()
    for _ in range(17):
        table.do(GetCounters())
    assert table.of(Counters) == [Counters(0, 0, 0, 0, 0, 0, boots=1)] * 17


def test_many_questions_at_once_are_all_answered() -> None:
    far = WireFaults(latency_s=0.02)
    table = Table(Wire(1, far), Wire(2, far))
    table.connect()
    for _ in range(5):
        asked = [*(table.give(GetCounters()) for _ in range(31)), table.give(Stop())]
        assert all(isinstance(table.end_of(op_id), Done) for op_id in asked)
    assert len(table.of(Counters)) == 5 * 31
    assert not table.of(Disconnected)
