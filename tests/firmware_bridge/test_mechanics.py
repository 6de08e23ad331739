"""Whatever is asked of the machine and whatever breaks: no tile is lost, and nothing moves that may not."""

from collections.abc import Sequence
from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from firmware_bridge.faults import FaultCode
from firmware_bridge.messages import (
    AbortCycle,
    ClearJam,
    ClearStop,
    CloseHatch,
    Command,
    ConfigApplied,
    DiceCommit,
    DiceEntropy,
    DiceReveal,
    Done,
    Failed,
    GetConfig,
    GetFaults,
    Home,
    Jog,
    Lock,
    LowerWalls,
    MaintenanceBegin,
    MaintenanceEnd,
    OpenHatch,
    PauseCycle,
    RaiseWalls,
    ResumeCycle,
    RollDice,
    SelfTest,
    SetConfig,
    StartCycle,
    StateChanged,
    Stop,
    Unlock,
)
from firmware_bridge.states import Key, Motor, Profile, Region, ResetCause, State
from hardware_sim.mechanics import Cause, Detail, Mechanics
from hardware_sim.mechanics_lower import STUCK
from hardware_sim.mechanics_profiles import MODES

TILES = 144
BELOW = frozenset(Motor) - {Motor.HATCH, Motor.WALLS, Motor.DICE}
MOTIONS: tuple[Command, ...] = (
    OpenHatch(),
    CloseHatch(),
    StartCycle(),
    StartCycle((0, 0, 0, 0)),
    RaiseWalls(),
    LowerWalls(),
    RollDice(),
    RollDice(1),
    PauseCycle(),
    ResumeCycle(),
    AbortCycle(),
    Home(),
    ClearJam(0),
    ClearJam(2),
)
BENCH: tuple[Command, ...] = (
    SelfTest(3),
    *(Jog(motor, forward=True, ms=500) for motor in Motor),
)
OTHERS: tuple[Command, ...] = (
    ClearStop(),
    SetConfig(144, (18, 18, 18, 18)),
    SetConfig(136, (17, 17, 17, 17)),
    GetConfig(),
    GetFaults(),
    DiceCommit(),
    DiceEntropy(1, bytes(16)),
    DiceReveal(),
    Lock(),
    Unlock(),
    MaintenanceBegin(),
    MaintenanceEnd(),
)
SAFE_AFTER_A_START = (
    *(State.HATCH_CLOSED, State.HATCH_OPEN, State.HATCH_UNKNOWN),
    *(State.WALLS_DOWN, State.WALLS_UP, State.WALLS_UNKNOWN),
    *(State.EMPTY, State.LOWER_UNKNOWN, State.DICE_STILL),
    *(State.OPERATIONAL, State.STOP_CHAIN_OPEN, State.PROTECTIVE_STOP),
)


class AnyUse(RuleBasedStateMachine):
    machine: Mechanics

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.open_ops: set[int] = set()
        self.number = 0
        self.boots = 1

    @initialize(
        profile=st.sampled_from(Profile),
        detail=st.sampled_from(Detail),
        seed=st.integers(0, 99),
        alone=st.booleans(),
    )
    def make(self, profile: Profile, detail: Detail, seed: int, alone: bool) -> None:  # noqa: FBT001 - drawn
        self.machine = Mechanics(
            Random(seed),  # noqa: S311 - a game
            tiles=TILES,
            profile=profile,
            detail=detail,
            serves_keys=alone,
        )
        self.machine.boot(1, ResetCause.POWER_ON, 0.0)
        self.settings = self.machine.settings

    # ---- what is done to it --------------------------------------------------------------------------

    @rule(command=st.sampled_from(MOTIONS))
    def move(self, command: Command) -> None:
        self.give(command)

    @rule(first=st.sampled_from(MOTIONS), second=st.sampled_from(MOTIONS), wait=st.sampled_from((0.1, 1.6)))
    def move_two_at_once(self, first: Command, second: Command, wait: float) -> None:
        self.give(first)
        self.wait(wait)
        self.give(second)
        self.wait(0.1)

    @rule(command=st.sampled_from(MOTIONS), wait=st.sampled_from((0.1, 1.6, 5.0)), emergency=st.booleans())
    def stop_in_the_middle(self, command: Command, wait: float, emergency: bool) -> None:  # noqa: FBT001
        self.give(command)
        self.wait(wait)
        if emergency:
            self.press_the_emergency_stop(is_open=True)
        else:
            self.give(Stop())
        self.wait(1.0)

    @rule(first=st.sampled_from(BENCH), second=st.sampled_from((*BENCH, *MOTIONS)))
    def jog_and_test(self, first: Command, second: Command) -> None:
        self.maintain()
        self.give(first)
        self.wait(0.1)
        self.give(second)
        self.wait(0.1)

    @rule(command=st.sampled_from((*OTHERS, *BENCH)))
    def give(self, command: Command) -> None:
        self.number += 1
        if self.machine.start(self.number, command, self.now) is None:
            self.open_ops.add(self.number)
        self.look()

    @rule(seconds=st.sampled_from((0.1, 1.0, 2.0, 20.0, 60.0)))
    def wait(self, seconds: float) -> None:
        self.now += seconds
        while (due := self.machine.next_timer()) is not None and due < self.now:
            self.machine.advance(due)
            self.look()
        self.machine.advance(self.now)
        self.look()

    @rule(tiles=st.sampled_from((1, 36, 100, 136, 144)))
    def push_tiles_in(self, tiles: int) -> None:
        if self.machine.states[Region.HATCH] is State.HATCH_OPEN and tiles <= self.machine.table:
            self.machine.load(tiles)
            self.look()

    @rule(key=st.sampled_from((Key.LIFT, Key.DICE, Key.SERVICE)), seat=st.sampled_from((0, 2)))
    def press(self, key: Key, seat: int) -> None:
        self.machine.press(key, seat, self.now)
        self.look()

    @rule(seat=st.sampled_from((0, 2)), down=st.booleans())
    def hold_a_lift_key(self, seat: int, down: bool) -> None:  # noqa: FBT001 - drawn
        hold = self.machine.key_down if down else self.machine.key_up
        hold(Key.LIFT, seat, self.now)
        self.look()

    @rule(tiles=st.sampled_from(sorted(MODES)))
    def turn_the_mode_switch(self, tiles: int) -> None:
        self.machine.turn_mode(tiles, self.now)
        self.look()

    @rule(is_open=st.sampled_from((False, False, True)))
    def press_the_emergency_stop(self, is_open: bool) -> None:  # noqa: FBT001 - drawn
        self.machine.set_stop_chain(self.now, is_open=is_open)
        self.look()

    @rule(
        code=st.sampled_from(sorted(set(FaultCode) - {FaultCode.NONE})),
        side=st.sampled_from((None, 0, 2)),
        at_s=st.sampled_from((0.0, 0.3, 5.0)),
        duration_s=st.sampled_from((None, 0.4, 3.0, 30.0)),
        probability=st.sampled_from((1.0, 0.1)),
    )
    def break_something(
        self, code: FaultCode, side: int | None, at_s: float, duration_s: float | None, probability: float
    ) -> None:
        self.machine.inject(Cause(code, side, at_s, duration_s=duration_s, probability=probability))
        self.look()

    @rule()
    def mend_all_and_go_on(self) -> None:
        for code in FaultCode:
            self.machine.mend(code)
        self.machine.set_stop_chain(self.now, is_open=False)
        self.machine.press(Key.LIFT, 0, self.now)
        for command in (ClearStop(), MaintenanceEnd()):
            self.give(command)
        assert self.machine.states[Region.SAFETY] in (State.OPERATIONAL, State.DEGRADED)

    @rule(tiles=st.sampled_from((130, 136, 140)), seconds=st.sampled_from((0.5, 1.0, 5.0, 9.0, 200.0)))
    def get_a_cycle_going(self, tiles: int, seconds: float) -> None:
        self.mend_all_and_go_on()
        for seat in (0, 2):
            self.hold_a_lift_key(seat, down=False)
        for command, wait in ((AbortCycle(), 3.0), (Home(), 12.0), (OpenHatch(), 3.0)):
            self.give(command)
            self.wait(wait)
        self.push_tiles_in(min(tiles, self.machine.table))
        self.give(StartCycle((0, 0, 0, 0)))
        self.wait(seconds)

    @rule(seconds=st.sampled_from((0.5, 4.0)))
    def top_up(self, seconds: float) -> None:
        self.give(PauseCycle())
        self.wait(seconds)
        self.push_tiles_in(min(6, self.machine.table))
        self.give(ResumeCycle())
        self.wait(seconds)

    @rule(side=st.sampled_from((0, 2)), code=st.sampled_from(STUCK), wait=st.sampled_from((1.0, 4.0)))
    def jam_and_clear(self, side: int, code: FaultCode, wait: float) -> None:
        self.machine.inject(Cause(code, side))
        self.wait(20.0)
        self.give(ClearJam(side))
        self.wait(wait)

    @rule()
    def maintain(self) -> None:
        self.press(Key.SERVICE, 0)
        self.wait(1.0)
        self.give(MaintenanceBegin())

    @rule()
    def lock_and_unlock(self) -> None:
        before = (self.machine.states[Region.LOWER], self.machine.motors, set(self.open_ops))
        self.give(Lock())
        assert before == (self.machine.states[Region.LOWER], self.machine.motors, self.open_ops)
        self.give(Unlock())

    @rule()
    def lose_the_host(self) -> None:
        self.machine.host_lost(self.now)
        self.look()
        assert not self.machine.exposed
        assert self.machine.states[Region.SAFETY] is not State.MAINTENANCE

    @rule()
    def find_the_host_again(self) -> None:
        self.machine.host_back()
        self.look()

    @rule()
    def cut_the_power(self) -> None:
        self.machine.power_cut()
        self.start_again(ResetCause.POWER_ON)

    def start_again(self, cause: ResetCause) -> None:
        self.open_ops.clear()
        self.boots += 1
        self.machine.boot(self.boots, cause, self.now)
        assert not self.machine.motors
        assert set(self.machine.states.values()) <= set(SAFE_AFTER_A_START)
        unknown = self.machine.states[Region.LOWER] is State.LOWER_UNKNOWN
        assert unknown == (self.machine.tiles.inside > 0)
        self.look()

    # ---- what holds always ---------------------------------------------------------------------------

    def look(self) -> None:
        """After every tick: the invariants, and that each command ends once."""
        items = self.machine.take()
        for item in items:
            if isinstance(item, Done | Failed):
                assert item.op_id in self.open_ops
                self.open_ops.remove(item.op_id)
        self.the_configuration_changes_only_when_a_sorting_begins(items)
        if self.machine.restart is not None:
            self.start_again(self.machine.restart.cause)
        self.check()

    def the_configuration_changes_only_when_a_sorting_begins(self, items: Sequence[object]) -> None:
        applied = [at for at, item in enumerate(items) if isinstance(item, ConfigApplied)]
        assert bool(applied) or self.machine.settings == self.settings
        self.settings = self.machine.settings
        for at in applied:
            state = next(item.state for item in items[at:] if isinstance(item, StateChanged))
            assert state is State.SORTING

    @invariant()
    def check(self) -> None:
        if hasattr(self, "machine"):
            self.tiles_are_conserved()
            self.motors_keep_out_of_each_others_way()

    def tiles_are_conserved(self) -> None:
        tiles = self.machine.tiles
        everywhere = [*tiles.table, *tiles.drum]
        for place in (*tiles.troughs, *tiles.bins):
            everywhere += place
        assert len(everywhere) == len(set(everywhere)) == TILES

    def motors_keep_out_of_each_others_way(self) -> None:
        states, motors = self.machine.states, self.machine.motors
        safety = states[Region.SAFETY]
        if motors & BELOW:
            assert states[Region.HATCH] is State.HATCH_CLOSED
        if Motor.DRUM in motors and safety is not State.MAINTENANCE:
            assert not self.machine.both_lifts
        if states[Region.WALLS] is State.WALLS_RAISING:
            assert states[Region.HATCH] is State.HATCH_CLOSED
            assert states[Region.LOWER] in (State.STAGED, State.OVER)
        if safety in (State.PROTECTIVE_STOP, State.STOP_CHAIN_OPEN, State.SELF_TEST):
            assert not motors
        assert not {Motor.HATCH, Motor.WALLS} <= motors
        if safety is State.MAINTENANCE:
            assert len(motors) <= 1

    @invariant()
    def every_accepted_command_ends(self) -> None:
        if hasattr(self, "machine"):
            assert self.machine.next_timer() is not None or not self.open_ops or self.paused

    @property
    def paused(self) -> bool:
        """A cycle that waits for people may wait for ever."""
        return self.machine.states[Region.LOWER] is State.TOPUP_PAUSED


AnyUse.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestAnyUse = AnyUse.TestCase
