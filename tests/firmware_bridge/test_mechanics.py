"""Whatever is asked of the simulated machine: no tile is lost, and nothing moves that may not."""

from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from firmware_bridge.messages import (
    ClearStop,
    CloseHatch,
    Command,
    Done,
    Failed,
    LowerWalls,
    OpenHatch,
    RaiseWalls,
    RollDice,
    StartCycle,
    Stop,
)
from firmware_bridge.states import Key, Motor, Region, State
from hardware_sim.mechanics import Mechanics

TILES = 144
BELOW = frozenset(Motor) - {Motor.HATCH, Motor.WALLS, Motor.DICE}
COMMANDS: tuple[Command, ...] = (
    OpenHatch(),
    CloseHatch(),
    StartCycle(),
    StartCycle((18, 18, 18, 18)),
    RaiseWalls(),
    LowerWalls(),
    RollDice(),
    RollDice(1),
    Stop(),
    ClearStop(),
)


class AnyUse(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.machine = Mechanics(Random(0), tiles=TILES)  # noqa: S311 - a game
        self.now = 0.0
        self.open_ops: set[int] = set()
        self.number = 0

    @rule(command=st.sampled_from(COMMANDS))
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

    @rule()
    def press(self) -> None:
        self.machine.press(Key.LIFT, 0, self.now)
        self.look()

    @rule()
    def lose_the_host(self) -> None:
        self.machine.host_lost(self.now)
        self.look()

    @rule()
    def cut_the_power(self) -> None:
        self.machine.power_cut()
        self.open_ops.clear()
        self.look()

    def look(self) -> None:
        for item in self.machine.take():
            if isinstance(item, Done | Failed):
                assert item.op_id in self.open_ops
                self.open_ops.remove(item.op_id)
        self.tiles_are_conserved()
        self.nothing_turns_under_an_open_hatch()
        self.walls_move_only_beside_a_closed_hatch_and_a_still_drum()

    @invariant()
    def tiles_are_conserved(self) -> None:
        machine = self.machine
        assert machine.table + machine.drum + sum(machine.staged) == TILES
        assert min(machine.table, machine.drum, *machine.staged) >= 0

    @invariant()
    def nothing_turns_under_an_open_hatch(self) -> None:
        states = self.machine.states
        assert not self.machine.motors & BELOW or states[Region.HATCH] is State.HATCH_CLOSED

    @invariant()
    def walls_move_only_beside_a_closed_hatch_and_a_still_drum(self) -> None:
        states = self.machine.states
        if states[Region.WALLS] is State.WALLS_RAISING:
            assert states[Region.HATCH] is State.HATCH_CLOSED
            assert states[Region.LOWER] in (State.STAGED, State.OVER)

    @invariant()
    def every_accepted_command_ends(self) -> None:
        assert self.machine.next_timer() is not None or not self.open_ops


AnyUse.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestAnyUse = AnyUse.TestCase
