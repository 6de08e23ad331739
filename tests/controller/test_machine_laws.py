"""Laws of the machine under any board: any sequence of reports, losses, restarts and keys.

The board of these tests lies, refuses, fails and falls silent as Hypothesis likes; in the end it behaves.
"""

from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ready import IDLE

from controller import machine as m
from controller.machine import Machine, MachineStep, Stage
from controller.machine_motions import MOTIONS
from controller.machine_stages import MILESTONES
from firmware_bridge import messages as w
from firmware_bridge.faults import FaultCode, UnknownFault
from firmware_bridge.states import (
    Capability,
    FailCause,
    Key,
    Loss,
    Profile,
    Region,
    RejectReason,
    ResetCause,
    Severity,
    State,
    StatusFlag,
)
from firmware_bridge.virtual_dice import digest_of

STACKS = (17, 17, 17, 17)


def of(region: Region) -> st.SearchStrategy[State]:
    return st.sampled_from([state for state in State if state.region is region])


COUNTS = st.tuples(*[st.integers(0, 40)] * 4)
CODES = st.one_of(
    st.sampled_from([code for code in FaultCode if code]), st.builds(UnknownFault, st.integers(1, 0xFFFF))
)
SIDES = st.one_of(st.none(), st.integers(0, 3))
STATUSES = st.builds(
    w.Status,
    of(Region.SAFETY),
    of(Region.HATCH),
    of(Region.WALLS),
    of(Region.LOWER),
    of(Region.DICE),
    COUNTS,
    st.just(0),
    st.sampled_from([StatusFlag.NONE, StatusFlag.LOCKED, StatusFlag.COVER_OPEN]),
)
BOOTS = st.builds(
    w.Booted,
    st.integers(1, 3),
    st.just(ResetCause.WATCHDOG),
    st.sampled_from([(1, 0), (1, 1), (1, 2), (2, 0)]),
    st.just(Profile.FOUR_PORT),
    st.sampled_from(
        [
            Capability.NONE,
            Capability.DICE,
            Capability.DICE_SPUN,
            Capability.VIRTUAL_DICE,
            Capability.DICE | Capability.CONFIG | Capability.REPLAY,
        ]
    ),
    st.just(1),
    st.just("any"),
)
HAPPENINGS = st.one_of(
    st.builds(w.StateChanged, st.just(Region.SAFETY), st.sampled_from(State)).map(
        lambda changed: replace(changed, region=changed.state.region)
    ),
    st.builds(w.KeyPressed, st.sampled_from(Key), st.integers(0, 3)),
    st.builds(w.DiceRolled, st.sampled_from([(), (1,), (3, 4)])),
    st.builds(w.DiceCommitted, st.integers(1, 2), st.sampled_from([bytes(32), digest_of(bytes(32))])),
    st.builds(w.DiceRevealed, st.integers(1, 2), st.just(bytes(32))),
    st.builds(w.CycleDone, st.just(1), COUNTS, st.just(20000)),
    st.builds(w.WallsUp, COUNTS),
    st.builds(w.Fault, CODES, st.sampled_from(Severity), SIDES, st.integers(0, 9)),
    st.builds(w.FaultCleared, CODES),
    st.builds(w.Config, st.just(136), st.just(STACKS), st.just(0), st.booleans(), st.sampled_from([0, 1])),
    st.builds(w.TileCount, st.integers(0, 3), st.integers(0, 34), st.just(34)),
    st.builds(w.ReportsLost, st.just(5)),
)
REPORTS = st.one_of(
    HAPPENINGS,
    STATUSES,
    BOOTS,
    st.builds(w.Disconnected, st.just("gone"), st.sampled_from(Loss)),
    st.builds(w.Missed, st.integers(0, 99), st.integers(0, 99), HAPPENINGS),
)
ENDS = st.one_of(
    st.just(("done", "")),
    st.tuples(st.just("refused"), st.sampled_from([reason.name for reason in RejectReason] + ["?"])),
    st.tuples(
        st.just("failed"), st.sampled_from([cause.name for cause in FailCause] + ["FED_01", "HAT_01", "?"])
    ),
    st.just(("lost", "gone")),
)
TIMES = st.floats(0.0, 100.0)
STEPS = st.lists(st.one_of(REPORTS, ENDS, TIMES), max_size=60)


class Watched:
    """A machine, and what must hold whatever it is told."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.now = 1000.0
        self.keyless = True
        """Since the last restart of the board or failure of a motion nobody has pressed a key."""
        self.commands = machine.number

    def tell(self, arrived: object) -> None:
        before = self.machine
        match arrived:
            case float():
                self.now += arrived
                step = m.tick(before, self.now)
            case (str() as how, str() as detail):
                step = self.end(how, detail)
            case _:
                step = m.report(before, arrived, self.now)  # type: ignore[arg-type]
                self._note(before, arrived)
        self._check(before, step)
        self.machine = step.machine

    def end(self, how: str, detail: str) -> MachineStep:
        if how == "done":
            return m.command_done(self.machine, self.machine.number, self.now)
        if how == "failed" and isinstance(self.machine.pending, MOTIONS):
            self.keyless = True
        return m.command_failed(self.machine, self.machine.number, how, detail, self.now)

    def _note(self, before: Machine, arrived: object) -> None:
        match arrived:
            case w.Booted(boot_id) if before.boot_id not in {None, boot_id}:
                self.keyless = True
            case w.KeyPressed() | w.Missed(report=w.KeyPressed()):
                self.keyless = False

    def _check(self, before: Machine, step: MachineStep) -> None:
        after, command = step.machine, step.command
        if command is None:
            return
        self.commands += 1
        assert before.pending is None or after.number == before.number + 1
        assert after.pending is command
        assert after.board is not None
        assert after.board.protocol[0] == 1
        if isinstance(command, MOTIONS):
            assert not self.keyless, f"{command} without a key"
            assert after.status is not None
            assert after.status.safety in {State.OPERATIONAL, State.DEGRADED}

    def one_at_a_time(self, arrived: object) -> None:
        """The same, and a command under way is never followed by another before its end."""
        waiting = self.machine.pending
        ends = isinstance(arrived, tuple)
        reboots = isinstance(arrived, w.Booted) and arrived.boot_id != self.machine.boot_id
        number = self.machine.number
        self.tell(arrived)
        if waiting is not None and not ends and not reboots:
            assert self.machine.number == number


@settings(max_examples=300, deadline=None)
@given(STEPS, st.sampled_from(sorted(MILESTONES)))
def test_no_sequence_makes_it_fail_or_move_without_a_key(steps: list[object], before: Stage) -> None:
    machine = Machine(stacks=STACKS, before=before, boot_id=1)
    watched = Watched(m.hand_continues(machine) if before is Stage.PLAYING else machine)
    for step in steps:
        watched.one_at_a_time(step)
    # Each step is checked where it is told; the numbers of commands rise by one, so the last counts them all.
    assert watched.machine.number == watched.commands


@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_a_hand_in_play_is_never_lost(steps: list[object]) -> None:
    watched = Watched(m.hand_continues(Machine(stacks=STACKS, boot_id=1)))
    for step in steps:
        watched.tell(step)
        assert watched.machine.stage is Stage.PLAYING
        assert watched.machine.before is Stage.PLAYING


TO: Final[dict[type[w.Command], dict[str, State]]] = {
    w.ClearStop: {"safety": State.OPERATIONAL},
    w.OpenHatch: {"hatch": State.HATCH_OPEN},
    w.CloseHatch: {"hatch": State.HATCH_CLOSED},
    w.LowerWalls: {"walls": State.WALLS_DOWN},
    w.Home: {"hatch": State.HATCH_CLOSED, "walls": State.WALLS_DOWN},
    w.ClearJam: {"lower": State.SHORT},
}
"""Where a command brings the regions of a board that behaves."""


class GoodBoard:
    """A board that does what it is told, from whatever state it is in; people add what is missing."""

    def __init__(self, status: w.Status, *, old: bool = False) -> None:
        self.old = old
        lower = {State.SORTING: State.SHORT, State.CLEARING: State.JAMMED, State.TOPUP_PAUSED: State.SHORT}
        if status.hatch is State.HATCH_OPEN:
            lower[State.EMPTY] = State.LOADED
        self.status = replace(
            status,
            safety=State.PROTECTIVE_STOP if status.safety is State.PROTECTIVE_STOP else State.OPERATIONAL,
            hatch=State.HATCH_OPEN if status.hatch is State.HATCH_OPEN else State.HATCH_UNKNOWN,
            walls=status.walls if status.walls in {State.WALLS_DOWN, State.WALLS_UP} else State.WALLS_UNKNOWN,
            lower=lower.get(status.lower, status.lower),
            dice=State.DICE_STILL,
            flags=StatusFlag.NONE,
        )

    def do(self, command: w.Command) -> list[object]:
        match command:
            case w.GetStatus():
                return [self.status, ("done", "")]
            case w.StartCycle():
                return self._sort()
            case w.RaiseWalls():
                return self._raise()
            case w.RollDice():
                return [w.DiceRolled((2, 3)), ("done", "")]
            case w.OpenHatch() if self.status.lower is State.EMPTY:
                return self._change(hatch=State.HATCH_OPEN, lower=State.LOADED)
        return self._change(**TO.get(type(command), {}))

    def _sort(self) -> list[object]:
        stuck = {State.STAGED, State.EMPTY} if self.old else {State.STAGED, State.EMPTY, State.JAMMED}
        if self.status.lower in stuck:
            return [("refused", "WRONG_STATE")]
        return self._change(hatch=State.HATCH_CLOSED, walls=State.WALLS_DOWN, lower=State.STAGED)

    def _raise(self) -> list[object]:
        if self.status.hatch is not State.HATCH_CLOSED:
            return [("refused", "HATCH_NOT_CLOSED")]
        if self.status.lower not in {State.STAGED, State.OVER}:
            return [("refused", "NOT_STAGED")]
        return self._change(walls=State.WALLS_UP, lower=State.EMPTY)

    def _change(self, **states: State) -> list[object]:
        self.status = replace(self.status, **states)  # type: ignore[arg-type]
        return [*(w.StateChanged(state.region, state) for state in states.values()), ("done", "")]


@settings(max_examples=300, deadline=None)
@given(STEPS, STATUSES, st.sampled_from([(1, 0), (1, 1)]))
def test_once_the_board_behaves_people_come_to_their_hand(
    steps: list[object], status: w.Status, protocol: tuple[int, int]
) -> None:
    watched = Watched(Machine(stacks=STACKS, boot_id=1))
    for step in steps:
        watched.tell(step)
    if watched.machine.stage is Stage.PLAYING:
        watched.machine = m.hand_over(watched.machine)
    board = GoodBoard(status, old=protocol == (1, 0))
    watched.tell(w.Disconnected("gone"))
    watched.tell(w.Booted(9, ResetCause.POWER_ON, protocol, Profile.FOUR_PORT, Capability.DICE, 1, "good"))
    watched.tell(board.status)
    for press in range(20):
        for _ in range(20):
            if watched.machine.pending is None:
                break
            for told in board.do(watched.machine.pending):
                watched.tell(told)
        watched.tell(1.0)
        if watched.machine.stage is Stage.PLAYING:
            return
        watched.tell(w.KeyPressed(Key.LIFT, press % 4))
    raise AssertionError(f"stuck in {watched.machine.stage}: {board.status}")


def test_a_machine_in_order_needs_two_keys() -> None:
    watched, board = Watched(Machine(stacks=STACKS)), GoodBoard(replace(IDLE, hatch=State.HATCH_OPEN))
    watched.tell(w.Booted(9, ResetCause.POWER_ON, (1, 1), Profile.FOUR_PORT, Capability.DICE, 1, "good"))
    watched.tell(replace(board.status, lower=State.LOADED))
    board.status = replace(board.status, lower=State.LOADED)
    watched.tell(w.KeyPressed(Key.LIFT, 0))
    while watched.machine.pending is not None:
        for told in board.do(watched.machine.pending):
            watched.tell(told)
    assert watched.machine.stage is Stage.PLAYING


@pytest.mark.parametrize("safety", [state for state in State if state.region is Region.SAFETY])
@pytest.mark.parametrize("key", Key)
def test_a_key_moves_something_only_while_the_board_works(safety: State, key: Key) -> None:
    machine = Machine(stacks=STACKS, boot_id=1)
    board = w.Booted(1, ResetCause.POWER_ON, (1, 1), Profile.FOUR_PORT, Capability.DICE, 1, "any")
    for report in (board, replace(IDLE, safety=safety)):
        machine = m.report(machine, report, 1.0).machine
    while machine.pending is not None:
        machine = m.command_done(machine, machine.number, 1.0).machine
    step = m.report(machine, w.KeyPressed(key, 0), 2.0)
    moves = isinstance(step.command, MOTIONS)
    assert moves == (key is Key.LIFT and safety in {State.OPERATIONAL, State.DEGRADED})
