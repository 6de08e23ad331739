"""The C board under a real host in virtual time: every command, once, whatever the line does."""

import hashlib
import hmac
from collections.abc import Iterator
from typing import Any, Final

import pytest
from host_pair import HOSTILE, HostPair, LosesOne

from firmware_bridge import messages as m
from firmware_bridge.errors import BoardError, CommandFailed, CommandRefused, LinkLost
from firmware_bridge.faults import FaultCode
from firmware_bridge.host import Host
from firmware_bridge.reference.compiled import CoreBoard, Settings
from firmware_bridge.states import (
    Capability,
    FailCause,
    Key,
    Motor,
    Region,
    RejectReason,
    ResetCause,
    Severity,
    State,
    StatusFlag,
)
from hardware_sim.wires import Wire, WireFaults

AS_CONFIGURED: Final = m.StartCycle((0, 0, 0, 0))
QUICK: Final = 300


class Table(HostPair):
    """A host and the C board."""

    def __init__(
        self, core: Any, to_board: Wire | None = None, to_host: Wire | None = None, **how: Any
    ) -> None:
        self.board = CoreBoard(core, Settings(**{"speed": 20, **how}))
        self.states: dict[Region, State] = {}
        host = Host(session=3, first_op_id=2**32 - 2)
        super().__init__(host, self.board, to_board or Wire(1), to_host or Wire(2))

    def told(self, report: m.Report) -> None:
        super().told(report)
        if isinstance(report, m.StateChanged):
            self.states[report.region] = report.state

    def begin(self, command: m.Command) -> int:
        self.connect()
        return self.give(command)

    def end(self, op_id: int) -> None:
        result = self.end_of(op_id)
        if isinstance(result, BoardError):
            raise result

    def refuses(self, command: m.Command) -> RejectReason:
        with pytest.raises(CommandRefused) as refused:
            self.do(command)
        return refused.value.reason

    def fails(self, op_id: int) -> tuple[FailCause, Any]:
        with pytest.raises(CommandFailed) as failed:
            self.end(op_id)
        return failed.value.cause, failed.value.fault

    def press(self, key: Key, seat: int = 0) -> None:
        self.board.press(key, seat, self.now)
        self.run(0.05)
        self.board.press(key, seat, self.now, down=False)
        self.run(0.01)

    def load(self, tiles: int = 136) -> None:
        self.do(m.OpenHatch())
        assert self.board.load(tiles, self.now)

    def sorts(self) -> int:
        """A cycle that is sorting already."""
        self.load()
        op_id = self.begin(AS_CONFIGURED)
        self.until(State.SORTING)
        return op_id

    def until(self, state: State) -> None:
        while self.states.get(state.region) is not state:
            self.step(self.now + 0.1)
            assert self.now < 3600, f"{state!r} never came"

    def status(self) -> m.Status:
        self.do(m.GetStatus())
        return self.of(m.Status)[-1]

    def moved(self) -> tuple[int, int, int, int]:
        self.do(m.GetCounters())
        last = self.of(m.Counters)[-1]
        return last.cycles, last.openings, last.lifts, last.rolls

    def play_round(self) -> None:
        self.load()
        self.do(AS_CONFIGURED, m.RaiseWalls(), m.RollDice(), m.CloseHatch())

    def lose_host(self) -> None:
        self.to_left.cut = self.to_right.cut = True
        self.host.port_closed("pulled", self.now)

    def plug_in(self) -> None:
        self.to_left.cut = self.to_right.cut = False
        self.host.port_opened(self.now)
        self.connect()


ONE_OF_EACH: Final = (1, 1, 1, 1)


def test_a_whole_round_of_the_machine(c_core: Any) -> None:
    table = Table(c_core, speed=1)
    table.play_round()
    assert table.of(m.WallsUp) == [m.WallsUp((34, 34, 34, 34))]
    (cycle,) = table.of(m.CycleDone)
    assert cycle.counts == (34, 34, 34, 34)
    assert 18_000 <= cycle.ms <= 35_000
    assert len(table.of(m.TileCount)) == 136
    assert [report.n for report in table.of(m.SideDone)] == [34, 34, 34, 34]
    assert {report.region for report in table.of(m.Travel)} == {Region.HATCH, Region.WALLS}
    (dice,) = table.of(m.DiceRolled)
    assert len(dice.values) == 2
    assert all(1 <= value <= 6 for value in dice.values)
    last = table.status()
    assert (last.walls, last.hatch, last.lower) == (State.WALLS_UP, State.HATCH_CLOSED, State.EMPTY)
    assert table.host.link.stats.retransmitted == table.board.counts[1] == 0
    assert table.host.malformed == 0


def frames_of_a_round(core: Any) -> tuple[int, int]:
    out, home = LosesOne(), LosesOne()
    Table(core, out, home, speed=QUICK).play_round()
    return out.frames, home.frames


def one_loss_each(core: Any) -> Iterator[tuple[int | None, int | None]]:
    out, home = frames_of_a_round(core)
    yield from ((number, None) for number in range(out))
    yield from ((None, number) for number in range(home))


@pytest.mark.timeout(300)  # hundreds of rounds of the machine
def test_whichever_single_frame_is_lost_every_command_runs_once(c_core: Any) -> None:
    losses = list(one_loss_each(c_core))
    assert len(losses) > 50
    for out, home in losses:
        table = Table(c_core, LosesOne(out), LosesOne(home), speed=QUICK)
        table.play_round()
        assert table.moved() == ONE_OF_EACH, (out, home)
        assert len(table.of(m.DiceRolled)) == len(table.of(m.CycleDone)) == 1, (out, home)


def test_every_command_runs_once_over_a_hostile_wire(c_core: Any) -> None:
    for seed in range(20):
        table = Table(c_core, Wire(2 * seed, HOSTILE), Wire(2 * seed + 1, HOSTILE))
        table.play_round()
        assert table.moved() == ONE_OF_EACH, seed


@pytest.mark.parametrize("cut_after", [0.0, 0.0005, 0.0015, 0.01, 0.05])
@pytest.mark.parametrize("command", [AS_CONFIGURED, m.RollDice()], ids=repr)
def test_a_command_under_way_survives_a_pulled_cable(
    c_core: Any, command: m.Command, cut_after: float
) -> None:
    table = Table(c_core, LosesOne(), LosesOne())
    table.load()
    if command == AS_CONFIGURED:
        table.do(m.CloseHatch())
    before = table.moved()
    op_id = table.begin(command)
    table.run(cut_after)
    table.lose_host()
    table.run(1.0)
    table.plug_in()
    table.end(op_id)
    gained = [after - earlier for after, earlier in zip(table.moved(), before, strict=True)]
    assert sum(gained) == 1
    assert len(table.of(m.DiceRolled)) + len(table.of(m.CycleDone)) + len(table.of(m.Missed)) >= 1


def test_answers_that_are_no_longer_kept_are_no_answers_and_move_nothing(c_core: Any) -> None:
    table = Table(c_core)
    table.do(m.OpenHatch())
    first = table.host._next_op_id - 1  # noqa: SLF001 - asks again as no host would
    for _ in range(40):
        table.do(m.GetStatus())
    table.do(m.CloseHatch())
    table.host._next_op_id = first  # noqa: SLF001
    del table.finished[first]
    op_id = table.begin(m.OpenHatch())
    assert table.fails(op_id)[0] is FailCause.NO_ANSWER
    table.host._next_op_id += 100  # noqa: SLF001
    assert table.status().hatch is State.HATCH_CLOSED


def test_what_happened_without_a_link_is_told_afterwards_as_missed(c_core: Any) -> None:
    table = Table(c_core)
    table.sorts()
    table.lose_host()
    table.run(60.0)
    table.board.press(Key.CONFIRM, 2, table.now)
    table.run(0.1)
    table.plug_in()
    table.run(1.0)
    missed = [report.report for report in table.of(m.Missed)]
    numbers = [report.number for report in table.of(m.Missed)]
    assert numbers == sorted(set(numbers))
    assert m.KeyPressed(Key.CONFIRM, 2) in missed
    assert any(isinstance(report, m.CycleDone) for report in missed)
    assert m.FaultCleared(FaultCode.LNK_01) in missed
    assert table.status().lower is State.STAGED


def test_the_oldest_reports_that_are_lost_are_said_to_be(c_core: Any) -> None:
    table = Table(c_core)
    table.do(m.GetReports(1))
    assert not table.of(m.ReportsLost)
    for _ in range(150):
        table.press(Key.CONFIRM, 1)
    table.do(m.GetReports(1))
    (lost,) = table.of(m.ReportsLost)
    assert lost.first > 1


def test_a_restart_repeats_nothing_and_shows_what_is_unclear(c_core: Any) -> None:
    table = Table(c_core)
    op_id = table.sorts()
    table.board.restart(77, ResetCause.WATCHDOG, table.now)
    with pytest.raises(LinkLost, match="restarted"):
        table.end(op_id)
    status = table.status()
    assert (status.hatch, status.lower, status.cycles) == (State.HATCH_CLOSED, State.LOWER_UNKNOWN, 0)
    assert [fault.code for fault in table.of(m.Fault)] == [FaultCode.PWR_03]
    assert sum(table.board.tiles) == 136
    table.do(AS_CONFIGURED, m.RaiseWalls())
    assert table.of(m.WallsUp) == [m.WallsUp((34, 34, 34, 34))]


def test_missing_tiles_end_a_cycle_and_it_goes_on_when_they_are_found(c_core: Any) -> None:
    table = Table(c_core)
    table.load(134)
    assert table.fails(table.begin(AS_CONFIGURED)) == (FailCause.FAULT, FaultCode.CNT_01)
    assert table.of(m.Fault)[-1] == m.Fault(FaultCode.CNT_01, Severity.STOP_CYCLE, None, 2)
    assert table.status().lower is State.SHORT
    table.load(2)
    table.do(AS_CONFIGURED)
    assert m.FaultCleared(FaultCode.CNT_01) in table.heard
    assert table.status().staged == (34, 34, 34, 34)


def test_too_many_tiles_end_a_cycle_and_its_walls_may_be_raised(c_core: Any) -> None:
    table = Table(c_core)
    table.load(136)
    op_id = table.begin(m.StartCycle((16, 16, 15, 15)))
    assert table.fails(op_id) == (FailCause.FAULT, FaultCode.CNT_02)
    table.do(m.RaiseWalls())
    assert table.of(m.WallsUp) == [m.WallsUp((32, 32, 30, 30))]
    assert table.status().lower is State.LOADED


def test_two_lift_keys_pause_a_cycle_and_one_resumes_it(c_core: Any) -> None:
    table = Table(c_core)
    op_id = table.sorts()
    table.board.press(Key.LIFT, 0, table.now)
    table.run(0.01)
    table.board.press(Key.LIFT, 2, table.now)
    at = table.now
    table.until(State.TOPUP_PAUSED)
    assert table.status().hatch is State.HATCH_OPEN
    table.run(2.0)
    assert not [r for r in table.of(m.StateChanged)[-2:] if r.state is State.SORTING], "both keys are down"
    for seat in (0, 2):
        table.board.press(Key.LIFT, seat, table.now, down=False)
    table.press(Key.LIFT)
    table.end(op_id)
    assert table.now > at
    assert table.status().lower is State.STAGED


def test_a_cycle_paused_by_command_waits_for_as_long_as_it_takes(c_core: Any) -> None:
    table = Table(c_core)
    op_id = table.sorts()
    table.do(m.PauseCycle())
    assert table.status().lower is State.TOPUP_PAUSED
    counted = len(table.of(m.TileCount))
    table.run(600.0)
    assert len(table.of(m.TileCount)) == counted
    table.do(m.ResumeCycle())
    assert table.status().lower is State.SORTING
    table.end(op_id)


def test_an_aborted_cycle_leaves_its_tiles_where_they_are(c_core: Any) -> None:
    table = Table(c_core)
    op_id = table.sorts()
    table.run(0.2)
    table.do(m.AbortCycle())
    assert table.fails(op_id)[0] is FailCause.ABORTED
    assert table.status().lower is State.SHORT
    table.do(AS_CONFIGURED)
    assert table.refuses(m.AbortCycle()) is RejectReason.WRONG_STATE


def test_a_jam_ends_the_cycle_is_cleared_and_the_cycle_goes_on(c_core: Any) -> None:
    table = Table(c_core)
    op_id = table.sorts()
    table.run(0.2)
    table.board.fault(FaultCode.HED_01, table.now, side=2, evidence=300)
    assert table.fails(op_id) == (FailCause.FAULT, FaultCode.HED_01)
    assert table.status().lower is State.JAMMED
    assert table.refuses(AS_CONFIGURED) is RejectReason.WRONG_STATE
    assert table.fails(table.begin(m.ClearJam(1))) == (FailCause.FAULT, FaultCode.HED_01)
    table.do(m.ClearJam(2))
    assert m.FaultCleared(FaultCode.HED_01) in table.heard
    table.do(AS_CONFIGURED, m.GetCounters(), m.GetFaults())
    assert table.of(m.Counters)[-1].jams == (0, 0, 1, 0)
    (record,) = table.of(m.FaultRecord)
    assert (record.code, record.side, record.evidence, record.cleared) == (FaultCode.HED_01, 2, 300, True)


def test_a_stop_ends_everything_until_a_key_and_clear_stop(c_core: Any) -> None:
    table = Table(c_core)
    op_id = table.sorts()
    table.run(0.2)
    table.do(m.Stop())
    assert table.fails(op_id)[0] is FailCause.STOPPED
    status = table.status()
    assert (status.safety, status.lower) == (State.PROTECTIVE_STOP, State.LOWER_UNKNOWN)
    for command in (m.OpenHatch(), AS_CONFIGURED, m.Home(), m.Lock(), m.Lease(500)):
        assert table.refuses(command) is RejectReason.STOPPED
    assert table.refuses(m.ClearStop()) is RejectReason.NEEDS_LOCAL_KEY
    table.press(Key.CONFIRM)
    table.do(m.ClearStop(), AS_CONFIGURED)


def test_a_blocked_lift_stops_everything_and_home_frees_it(c_core: Any) -> None:
    table = Table(c_core)
    op_id = table.begin(m.OpenHatch())
    table.run(0.02)
    table.board.fault(FaultCode.HAT_01, table.now)
    assert table.fails(op_id) == (FailCause.FAULT, FaultCode.HAT_01)
    assert table.status().hatch is State.HATCH_UNKNOWN
    table.press(Key.LIFT)
    table.do(m.ClearStop(), m.Home())
    assert m.FaultCleared(FaultCode.HAT_01) in table.heard
    assert table.status().hatch is State.HATCH_CLOSED


def test_the_wired_stop_chain_is_shown_and_leaves_a_protective_stop(c_core: Any) -> None:
    table = Table(c_core)
    table.connect()
    table.board.fault(FaultCode.EST_01, table.now)
    table.press(Key.LIFT)
    table.do(m.Stop())
    assert table.status().safety is State.STOP_CHAIN_OPEN
    table.press(Key.LIFT)
    assert table.refuses(m.ClearStop()) is RejectReason.STOPPED
    table.board.fault_gone(FaultCode.EST_01, table.now)
    assert table.status().safety is State.PROTECTIVE_STOP
    table.do(m.ClearStop())
    assert table.status().safety is State.OPERATIONAL


def test_exposed_motion_stops_with_the_lease_and_a_shuffle_goes_on(c_core: Any) -> None:
    table = Table(c_core, speed=1)
    table.do(m.Lease(300))
    assert table.status().flags == StatusFlag.LEASED
    op_id = table.begin(m.OpenHatch())
    table.run(0.1)
    table.to_right.cut = table.to_left.cut = True
    table.run(0.6)
    table.to_right.cut = table.to_left.cut = False
    assert table.fails(op_id)[0] is FailCause.HOST_LOST
    assert table.status().hatch is State.HATCH_UNKNOWN
    table.do(m.Home())
    cycle = table.sorts()
    table.lose_host()
    table.run(5.0)
    table.plug_in()
    table.end(cycle)
    assert table.status().flags == StatusFlag.NONE


def test_a_locked_machine_begins_no_cycle_and_ends_none(c_core: Any) -> None:
    table = Table(c_core)
    op_id = table.sorts()
    table.do(m.Lock())
    table.end(op_id)
    table.do(m.RaiseWalls())
    table.load()
    assert table.refuses(AS_CONFIGURED) is RejectReason.LOCKED
    table.board.restart(78, ResetCause.POWER_ON, table.now)
    table.run(1.0)
    assert table.status().flags == StatusFlag.LOCKED
    table.do(m.Unlock(), AS_CONFIGURED)


def test_an_open_cover_holds_up_what_turns(c_core: Any) -> None:
    table = Table(c_core)
    table.load()
    table.board.fault(FaultCode.PWR_05, table.now)
    assert table.refuses(AS_CONFIGURED) is RejectReason.COVER_OPEN
    assert table.status().flags == StatusFlag.COVER_OPEN
    table.board.fault_gone(FaultCode.PWR_05, table.now)
    table.do(AS_CONFIGURED)


def test_a_configuration_waits_for_the_next_sorting(c_core: Any) -> None:
    table = Table(c_core)
    op_id = table.sorts()
    table.do(m.SetConfig(108, (14, 13, 14, 13), 0), m.GetConfig())
    assert [(config.tiles, config.pending) for config in table.of(m.Config)] == [(136, False), (108, True)]
    assert table.of(m.Config)[0].crc == 0xB8395389
    table.end(op_id)
    assert table.status().staged == (34, 34, 34, 34)
    table.do(m.RaiseWalls())
    table.load(108)
    table.do(AS_CONFIGURED)
    assert table.of(m.ConfigApplied) == [m.ConfigApplied(108, (14, 13, 14, 13), 0)]
    assert table.status().staged == (28, 26, 28, 26)
    table.board.restart(79, ResetCause.POWER_ON, table.now)
    table.run(1.0)
    table.do(m.GetConfig())
    assert table.of(m.Config)[-1].tiles == 108


@pytest.mark.parametrize(
    ("tiles", "stacks", "dealt"),
    [
        (136, (17, 17, 17, 16), 0),
        (137, (17, 17, 17, 17), 0),
        (138, (18, 17, 17, 17), 0),
        (136, (21, 17, 15, 15), 0),
        (136, (4, 4, 4, 4), 13),
        (136, (11, 10, 11, 10), 13),
    ],
)
def test_a_configuration_that_does_not_add_up_is_refused(
    c_core: Any, tiles: int, stacks: tuple[int, int, int, int], dealt: int
) -> None:
    table = Table(c_core)
    assert table.refuses(m.SetConfig(tiles, stacks, dealt)) is RejectReason.BAD_CONFIG


def test_virtual_dice_can_be_checked_by_everybody(c_core: Any) -> None:
    table = Table(c_core)
    assert table.refuses(m.DiceReveal()) is RejectReason.WRONG_STATE
    assert table.refuses(m.DiceEntropy(0, bytes(16))) is RejectReason.WRONG_STATE
    seeds = set()
    for roll in (1, 2, 3):
        table.do(m.DiceCommit())
        assert table.refuses(m.DiceCommit()) is RejectReason.WRONG_STATE
        table.do(m.DiceEntropy(1, b"sixteen bytes ..."[:16]))
        assert table.refuses(m.DiceEntropy(1, bytes(16))) is RejectReason.WRONG_STATE
        table.do(m.RollDice(), m.DiceReveal())
        committed, revealed = table.of(m.DiceCommitted)[-1], table.of(m.DiceRevealed)[-1]
        assert committed.roll == revealed.roll == roll
        assert committed.digest == hashlib.sha256(revealed.seed).digest()
        entropy = bytes(16) + b"sixteen bytes ..."[:16] + bytes(32)
        message = roll.to_bytes(4, "little") + entropy + bytes(4)
        stream = [byte for byte in hmac.digest(revealed.seed, message, "sha256") if byte < 252]
        assert table.of(m.DiceRolled)[-1].values == tuple(1 + byte % 6 for byte in stream[:2])
        seeds.add(revealed.seed)
    assert len(seeds) == 3


def test_dice_that_a_camera_reads_have_no_values_and_none_are_made_up(c_core: Any) -> None:
    spun = Table(c_core, capabilities=Capability.DICE_SPUN)
    spun.do(m.RollDice())
    assert spun.of(m.DiceRolled) == [m.DiceRolled(())]
    virtual = Table(c_core, capabilities=Capability.VIRTUAL_DICE)
    assert virtual.refuses(m.RollDice()) is RejectReason.WRONG_STATE
    table = Table(c_core)
    table.connect()
    table.board.fault(FaultCode.DIC_02, table.now)
    assert table.fails(table.begin(m.RollDice())) == (FailCause.FAULT, FaultCode.DIC_02)
    assert not table.of(m.DiceRolled)


def test_maintenance_needs_somebody_inside_the_cabinet(c_core: Any) -> None:
    table = Table(c_core)
    jog = m.Jog(Motor.HATCH, True, 200)  # noqa: FBT003 - the message's field
    assert table.refuses(jog) is RejectReason.WRONG_STATE
    assert table.refuses(m.MaintenanceBegin()) is RejectReason.NEEDS_LOCAL_KEY
    table.press(Key.SERVICE)
    table.run(31.0)
    assert table.refuses(m.MaintenanceBegin()) is RejectReason.NEEDS_LOCAL_KEY
    table.press(Key.SERVICE)
    table.do(m.MaintenanceBegin(), jog, m.SelfTest(7))
    assert table.refuses(m.Jog(Motor.DRUM, True, 200)) is RejectReason.HATCH_NOT_CLOSED  # noqa: FBT003
    assert table.of(m.SelfTestResult) == [m.SelfTestResult(7, True, 0)]  # noqa: FBT003
    assert table.refuses(AS_CONFIGURED) is RejectReason.WRONG_STATE
    status = table.status()
    assert (status.safety, status.hatch) == (State.MAINTENANCE, State.HATCH_UNKNOWN)
    table.do(m.MaintenanceEnd(), m.Home())
    table.press(Key.SERVICE)
    table.do(m.MaintenanceBegin())
    table.lose_host()
    table.run(4.0)
    table.plug_in()
    assert table.status().safety is State.OPERATIONAL


def test_a_key_that_stays_down_is_a_fault_and_ignored(c_core: Any) -> None:
    table = Table(c_core)
    table.connect()
    table.board.press(Key.LIFT, 1, table.now)
    table.run(10.5)
    assert table.of(m.Fault) == [m.Fault(FaultCode.CON_01, Severity.WARN, None, int(Key.LIFT))]
    op_id = table.sorts()
    table.press(Key.LIFT, 3)
    table.end(op_id)
    assert State.TOPUP_PAUSED not in {report.state for report in table.of(m.StateChanged)}
    table.board.press(Key.LIFT, 1, table.now, down=False)
    table.run(0.1)
    assert m.FaultCleared(FaultCode.CON_01) in table.heard


def test_without_a_host_the_keys_serve_the_machine(c_core: Any) -> None:
    table = Table(c_core)
    table.to_left.cut = table.to_right.cut = True
    for _ in range(3):
        table.press(Key.LIFT)
        table.run(60.0)
        table.board.load(136, table.now)
    table.plug_in()
    status = table.status()
    assert (status.walls, status.cycles) == (State.WALLS_UP, 1)


def test_more_questions_than_the_queue_has_room_for_are_all_answered(c_core: Any) -> None:
    """The board acknowledges no message that it has no room to answer; the session stands."""
    far = WireFaults(latency_s=0.02)
    table = Table(c_core, Wire(1, far), Wire(2, far))
    table.connect()
    for _ in range(5):
        asked = [*(table.give(m.GetCounters()) for _ in range(31)), table.give(m.Stop())]
        assert all(isinstance(table.end_of(op_id), m.Done) for op_id in asked)
    assert len(table.of(m.Counters)) == 5 * 31
    assert not table.of(m.Disconnected)


def test_the_link_counts_of_both_sides_agree(c_core: Any) -> None:
    table = Table(c_core, Wire(1, HOSTILE), Wire(2, HOSTILE))
    table.play_round()
    table.do(m.GetLink())
    (counts,) = table.of(m.LinkCounts)
    assert counts.damaged > 0
    assert counts.retransmitted > 0
    assert counts.sent <= table.board.counts[0]


def test_a_bad_line_is_told_and_a_good_one_clears_it(c_core: Any) -> None:
    table = Table(c_core, to_board=Wire(1), to_host=Wire(2, WireFaults(loss=0.05)))
    while not table.of(m.Fault):
        table.press(Key.CONFIRM)
    (fault,) = table.of(m.Fault)
    assert fault.code is FaultCode.LNK_02
    assert fault.evidence > 10
    table.to_left.faults = WireFaults()
    for _ in range(1100):
        table.press(Key.CONFIRM)
    assert m.FaultCleared(FaultCode.LNK_02) in table.heard
