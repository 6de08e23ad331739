"""What protocol 1.1 has added, over the link: replay, dictionary, dice, maintenance, lease, log, op_ids."""

from random import Random

import pytest
from machine_table import AS_SET, MachineTable

from firmware_bridge.encoding import encode
from firmware_bridge.errors import CommandFailed, CommandRefused
from firmware_bridge.faults import FaultCode
from firmware_bridge.frames import FrameDecoder
from firmware_bridge.link import HEADER
from firmware_bridge.messages import (
    Accepted,
    ClearStop,
    Command,
    DiceCommit,
    DiceCommitted,
    DiceEntropy,
    DiceReveal,
    DiceRevealed,
    DiceRolled,
    DictionaryEntry,
    Done,
    Failed,
    FaultRecord,
    GetDictionary,
    GetFaults,
    GetLink,
    GetStatus,
    Home,
    Jog,
    KeyPressed,
    KeyReleased,
    Lease,
    LinkCounts,
    MaintenanceBegin,
    MaintenanceEnd,
    Missed,
    OpenHatch,
    Rejected,
    Request,
    RollDice,
    SelfTest,
    SelfTestResult,
    SetConfig,
    StateChanged,
    Status,
    Stop,
)
from firmware_bridge.states import (
    Capability,
    FailCause,
    Key,
    Motor,
    Profile,
    Region,
    RejectReason,
    State,
    StatusFlag,
)
from firmware_bridge.virtual_dice import digest_of, roll_values
from hardware_sim.board_firmware import Identity
from hardware_sim.board_firmware_memory import KEPT_ANSWERS, KEPT_REPORTS, Answers, Reports
from hardware_sim.mechanics import Cause, Mechanics
from hardware_sim.mechanics_profiles import EVERY_BOARD
from hardware_sim.mechanics_safety import TESTS
from hardware_sim.wires import Wire


def refused(table: MachineTable, command: Command) -> RejectReason:
    result = table.carry_out(command)
    assert isinstance(result, CommandRefused), (command, result)
    return result.reason


def safety(table: MachineTable) -> State:
    return table.machine.states[Region.SAFETY]


def serviced() -> MachineTable:
    """A machine in maintenance."""
    table = MachineTable()
    table.board.press(Key.SERVICE, 0, table.now)
    table.done(MaintenanceBegin())
    return table


class Tapped(Wire):
    """Remembers all that the board has said."""

    def __init__(self) -> None:
        super().__init__(2)
        self.said = bytearray()

    def carry(self, data: bytes, now: float) -> None:
        self.said += data
        super().carry(data, now)


# ---- reports -----------------------------------------------------------------------------------------------


def test_what_happens_without_a_link_is_told_when_it_is_back() -> None:
    table = MachineTable()
    table.machine.inject(Cause(FaultCode.LNK_01, duration_s=8.0))
    table.run(5.0)
    table.board.press(Key.LIFT, 2, table.now)
    table.run(15.0)
    missed = [(one.report, one.at_ms) for one in table.heard if isinstance(one, Missed)]
    told = [report for report, _ in missed]
    assert KeyPressed(Key.LIFT, 2) in told
    assert KeyReleased(Key.LIFT, 2) in told
    at = {repr(report): at_ms for report, at_ms in missed}
    assert at[repr(KeyReleased(Key.LIFT, 2))] - at[repr(KeyPressed(Key.LIFT, 2))] == 120


def test_reports_have_numbers_without_a_gap() -> None:
    reports = Reports()
    numbers = [reports.number(KeyPressed(Key.LIFT, 0), 0, keep=True).number for _ in range(200)]
    assert numbers == list(range(1, 201))
    lost, kept = reports.since(1)
    assert lost is not None
    assert [notice.number for notice in kept] == list(range(201 - KEPT_REPORTS, 201))
    assert lost.first == kept[0].number
    assert reports.since(190) == (None, kept[-11:])


def test_an_op_id_is_known_for_ever_and_its_answers_for_a_while() -> None:
    answers = Answers()
    answers.add(Accepted(7))
    for op_id in range(100, 100 + 2 * KEPT_ANSWERS):
        answers.add(Accepted(op_id))
        answers.add(Done(op_id))
    assert answers.of(7) == [Accepted(7)]
    assert answers.of(100) == [Accepted(100), Failed(100, FailCause.NO_ANSWER)]
    assert answers.of(99 + 2 * KEPT_ANSWERS) == [Accepted(99 + 2 * KEPT_ANSWERS), Done(99 + 2 * KEPT_ANSWERS)]
    assert answers.of(1) is None


def test_the_dictionary_is_told_in_pages() -> None:
    table = MachineTable(identity=Identity(uid=1, capabilities=EVERY_BOARD & ~Capability.REPLAY))
    table.done(GetDictionary(0, 8), GetDictionary(8, 8))
    assert [entry.index for entry in table.of(DictionaryEntry)] == list(range(16))
    assert len({entry.entries for entry in table.of(DictionaryEntry)}) == 1


def test_the_fault_log_and_the_link_are_told() -> None:
    table = MachineTable()
    table.machine.inject(Cause(FaultCode.TIL_03, duration_s=5.0))
    table.load()
    table.done(AS_SET, GetFaults(), GetLink())
    (record,) = table.of(FaultRecord)
    assert (record.boot_id, record.code, record.cleared) == (11, FaultCode.TIL_03, True)
    assert isinstance(table.of(LinkCounts)[-1].received, int)


@pytest.mark.parametrize(
    "command", [Home(), RollDice(), OpenHatch(), SetConfig(108, (14, 13, 14, 13))], ids=repr
)
def test_the_same_op_id_never_moves_anything_twice(command: Command) -> None:
    table = MachineTable()
    table.run(20.0)
    op_id = 4711
    for _ in range(3):
        table.host.link.send(encode(Request(op_id, command)))
        table.run(8.0)
    changed = [
        one for one in table.of(StateChanged) if one.state in (State.DICE_ROLLING, State.HATCH_OPENING)
    ]
    assert len(changed) == (1 if isinstance(command, RollDice | OpenHatch) else 0)
    assert table.machine.counters().rolls == (1 if isinstance(command, RollDice) else 0)


@pytest.mark.parametrize(
    ("command", "needs"),
    [
        (SetConfig(136, (17, 17, 17, 17)), Capability.CONFIG),
        (GetFaults(), Capability.FAULT_LOG),
        (MaintenanceBegin(), Capability.MAINTENANCE),
        (DiceCommit(), Capability.VIRTUAL_DICE),
    ],
    ids=repr,
)
def test_a_board_that_lacks_a_capability_says_so(command: Command, needs: Capability) -> None:
    table = MachineTable(identity=Identity(uid=1, capabilities=EVERY_BOARD & ~needs))
    table.run(20.0)
    tap = table.to_left = Tapped()
    table.host.link.send(encode(Request(99, command)))
    table.run(1.0)
    messages = [payload[HEADER.size :] for payload in FrameDecoder().feed(bytes(tap.said))]
    assert encode(Rejected(99, RejectReason.UNSUPPORTED)) in messages


# ---- dice --------------------------------------------------------------------------------------------------


def test_virtual_dice_can_be_checked_by_anybody() -> None:
    table = MachineTable()
    entropy = {seat: bytes([seat]) * 16 for seat in (0, 2)}
    table.done(DiceCommit())
    assert refused(table, DiceCommit()) is RejectReason.WRONG_STATE
    table.done(*(DiceEntropy(seat, data) for seat, data in entropy.items()))
    assert refused(table, DiceEntropy(2, bytes(16))) is RejectReason.WRONG_STATE
    assert refused(table, DiceReveal()) is RejectReason.WRONG_STATE
    table.done(RollDice(2), DiceReveal(), DiceReveal())
    (committed,) = table.of(DiceCommitted)
    first, again = table.of(DiceRevealed)
    assert first == again
    assert digest_of(first.seed) == committed.digest
    assert table.of(DiceRolled) == [DiceRolled(roll_values(first.seed, committed.roll, entropy, 2))]
    assert refused(table, DiceEntropy(1, bytes(16))) is RejectReason.WRONG_STATE


def test_a_restart_forgets_the_seed() -> None:
    machine = MachineTable()
    machine.done(DiceCommit())
    machine.machine.inject(Cause(FaultCode.PWR_03))
    machine.run(8.0)
    assert refused(machine, DiceReveal()) is RejectReason.WRONG_STATE
    machine.done(DiceCommit())
    assert [committed.roll for committed in machine.of(DiceCommitted)] == [1, 1]


def test_a_stopped_virtual_roll_comes_out_the_same() -> None:
    table = MachineTable()
    table.done(DiceCommit())
    table.give(RollDice(2))
    table.run(0.5)
    table.done(Stop())
    table.board.press(Key.DICE, 0, table.now)
    table.done(ClearStop(), RollDice(2), DiceReveal())
    (committed,), (revealed,) = table.of(DiceCommitted), table.of(DiceRevealed)
    assert digest_of(revealed.seed) == committed.digest
    assert table.of(DiceRolled) == [DiceRolled(roll_values(revealed.seed, 1, {}, 2))]


def test_dice_that_a_camera_reads_are_not_told() -> None:
    spun = EVERY_BOARD & ~Capability.DICE | Capability.DICE_SPUN
    table = MachineTable(identity=Identity(uid=1, capabilities=spun))
    table.done(RollDice(2))
    assert table.of(DiceRolled) == [DiceRolled(())]
    assert len(table.machine.dice) == 2
    table.done(DiceCommit(), RollDice(2))
    assert len(table.of(DiceRolled)[-1].values) == 2


def test_a_board_with_virtual_dice_alone_rolls_nothing_without_a_commitment() -> None:
    only = EVERY_BOARD & ~Capability.DICE
    table = MachineTable(identity=Identity(uid=1, capabilities=only))
    assert refused(table, RollDice()) is RejectReason.WRONG_STATE
    table.done(DiceCommit(), RollDice())


# ---- maintenance -------------------------------------------------------------------------------------------


def test_maintenance_needs_somebody_inside_the_cabinet() -> None:
    table = MachineTable()
    assert refused(table, MaintenanceBegin()) is RejectReason.NEEDS_LOCAL_KEY
    table.board.press(Key.LIFT, 0, table.now)
    assert refused(table, MaintenanceBegin()) is RejectReason.NEEDS_LOCAL_KEY
    table.board.press(Key.SERVICE, 0, table.now)
    table.run(31.0)
    assert refused(table, MaintenanceBegin()) is RejectReason.NEEDS_LOCAL_KEY
    table.board.press(Key.SERVICE, 0, table.now)
    table.done(MaintenanceBegin())
    assert safety(table) is State.MAINTENANCE
    assert refused(table, OpenHatch()) is RejectReason.WRONG_STATE
    table.done(MaintenanceEnd(), OpenHatch())
    assert refused(table, SelfTest(1)) is RejectReason.WRONG_STATE


def test_nothing_moves_when_maintenance_begins() -> None:
    table = MachineTable()
    table.board.press(Key.SERVICE, 0, table.now)
    table.give(OpenHatch())
    table.run(0.3)
    assert refused(table, MaintenanceBegin()) is RejectReason.BUSY


@pytest.mark.parametrize("motor", Motor, ids=lambda motor: motor.name)
def test_a_motor_is_jogged_for_half_a_second_at_most(motor: Motor) -> None:
    table = serviced()
    op_id = table.give(Jog(motor, forward=True, ms=500))
    table.run(0.1)
    assert table.machine.motors == {motor}
    table.run(0.45)
    assert not table.machine.motors
    assert isinstance(table.end_of(op_id), Done)
    if motor in (Motor.HATCH, Motor.WALLS):
        unknown = State.HATCH_UNKNOWN if motor is Motor.HATCH else State.WALLS_UNKNOWN
        assert unknown in table.machine.states.values()
        table.done(MaintenanceEnd(), Home())


def test_nothing_below_is_jogged_under_an_open_hatch() -> None:
    table = MachineTable()
    table.done(OpenHatch())
    table.board.press(Key.SERVICE, 0, table.now)
    table.done(MaintenanceBegin())
    assert refused(table, Jog(Motor.DRUM, forward=True, ms=100)) is RejectReason.HATCH_NOT_CLOSED


@pytest.mark.parametrize("test", range(1, 16))
def test_self_tests_find_what_is_broken(test: int) -> None:
    table = serviced()
    table.done(SelfTest(test))
    assert table.of(SelfTestResult) == [SelfTestResult(test, passed=True, evidence=0)]
    assert safety(table) is State.MAINTENANCE
    if TESTS[test][0] not in (FaultCode.PWR_01, FaultCode.FW_01, FaultCode.CFG_01):
        table.machine.inject(Cause(TESTS[test][0]))
        table.done(SelfTest(test))
        assert table.of(SelfTestResult)[-1] == SelfTestResult(
            test, passed=False, evidence=TESTS[test][0].value
        )


@pytest.mark.parametrize("first", [Jog(Motor.HEAD, forward=False, ms=500), SelfTest(2)], ids=repr)
def test_one_motor_or_test_at_a_time(first: Command) -> None:
    table = serviced()
    op_id = table.give(first)
    table.run(0.1)
    assert refused(table, Jog(Motor.DRUM, forward=True, ms=100)) is RejectReason.BUSY
    assert refused(table, SelfTest(1)) is RejectReason.BUSY
    assert isinstance(table.end_of(op_id), Done)


def test_a_lost_link_leaves_maintenance_and_ends_the_jog() -> None:
    table = serviced()
    table.machine.inject(Cause(FaultCode.LNK_01, duration_s=6.0))
    table.run(4.0)
    assert safety(table) is State.OPERATIONAL


# ---- lease and lost link -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("lease_ms", "stopped"), [(None, True), (3000, False), (250, True)])
def test_what_hands_can_reach_stops_when_the_lease_is_over(lease_ms: int | None, stopped: bool) -> None:  # noqa: FBT001 - drawn
    table = MachineTable()
    if lease_ms is not None:
        table.done(Lease(lease_ms), GetStatus())
        assert table.of(Status)[-1].flags == StatusFlag.LEASED
    op_id = table.give(OpenHatch())
    table.run(0.05)
    table.machine.inject(Cause(FaultCode.LNK_01, duration_s=2.2))
    table.run(1.44)
    expected = State.HATCH_UNKNOWN if stopped else State.HATCH_OPENING
    assert table.machine.states[Region.HATCH] is expected
    result = table.end_of(op_id)
    if stopped:
        assert isinstance(result, CommandFailed)
        assert result.cause is FailCause.HOST_LOST
    else:
        assert isinstance(result, Done)


def test_motion_that_a_key_began_needs_no_host() -> None:
    table = MachineTable()
    table.load()
    table.give(AS_SET)
    table.until(State.SORTING)
    for seat in (0, 2):
        table.board.key_down(Key.LIFT, seat, table.now)
    table.machine.inject(Cause(FaultCode.LNK_01, duration_s=9.0))
    table.run(4.0)
    assert table.lower is State.TOPUP_PAUSED


def test_a_cycle_that_still_closes_the_hatch_ends_with_the_host() -> None:
    table = MachineTable()
    table.load()
    op_id = table.give(AS_SET)
    table.run(0.1)
    table.machine.inject(Cause(FaultCode.LNK_01, duration_s=2.0))
    table.run(4.0)
    result = table.end_of(op_id)
    assert isinstance(result, CommandFailed)
    assert result.cause is FailCause.HOST_LOST
    assert table.machine.states[Region.HATCH] is State.HATCH_UNKNOWN
    assert table.lower is State.LOADED
    table.done(AS_SET)


# ---- start and keys ----------------------------------------------------------------------------------------


def test_a_booting_board_tells_and_does_nothing_else() -> None:
    table = MachineTable(boot_s=3.0)
    table.done(GetStatus())
    assert table.of(Status)[-1].safety is State.BOOTING
    assert refused(table, OpenHatch()) is RejectReason.WRONG_STATE
    table.run(3.0)
    table.done(OpenHatch())


def test_a_table_works_by_its_keys_while_no_host_is_there() -> None:
    machine = Mechanics(Random(1), serves_keys=True)  # noqa: S311 - a game
    now = 0.0

    def press(key: Key, wait_s: float) -> None:
        nonlocal now
        machine.press(key, 0, now)
        now += wait_s
        machine.advance(now)

    press(Key.LIFT, 5.0)
    assert machine.states[Region.HATCH] is State.HATCH_OPEN
    machine.load(136)
    press(Key.LIFT, 60.0)
    assert machine.states[Region.LOWER] is State.STAGED
    press(Key.LIFT, 5.0)
    assert machine.states[Region.WALLS] is State.WALLS_UP
    press(Key.DICE, 6.0)
    assert len(machine.dice) == 2
    machine.host_back()
    press(Key.LIFT, 5.0)
    assert machine.states[Region.HATCH] is State.HATCH_CLOSED


def test_identities_of_all_kinds_fit_their_machines() -> None:
    for profile in Profile:
        deals = Capability.DEALS in Identity.of(profile, 1).capabilities
        assert deals == (profile is Profile.EIGHT_PORT_DEAL)
