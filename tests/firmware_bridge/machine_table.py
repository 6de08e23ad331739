"""A host and a simulated board of any kind in virtual time, for the tests of its mechanics."""

from random import Random
from typing import Any

from host_pair import HostPair

from firmware_bridge.host import Host
from firmware_bridge.messages import Command, Done, Fault, Missed, OpenHatch, StartCycle
from firmware_bridge.states import Profile, Region, ResetCause, State
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.mechanics import Detail, Mechanics
from hardware_sim.wires import Wire, WireFaults

AS_SET = StartCycle((0, 0, 0, 0))


class MachineTable(HostPair):
    """``machine``: what the board moves."""

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        *,
        profile: Profile = Profile.FOUR_PORT,
        detail: Detail = Detail.INSTANT,
        tiles: Any = 136,
        seed: int = 5,
        identity: Identity | None = None,
        boot_s: float = 0.0,
    ) -> None:
        self.machine = Mechanics(
            Random(seed),  # noqa: S311 - a game
            tiles=tiles,
            profile=profile,
            detail=detail,
        )
        self.board = Firmware(
            self.machine,
            identity or Identity.of(profile, uid=1),
            boot_id=11,
            cause=ResetCause.POWER_ON,
            now=0.0,
            boot_s=boot_s,
        )
        wires = (Wire(seed, WireFaults(latency_s=0.001)) for seed in (1, 2))
        super().__init__(Host(session=3, first_op_id=7), self.board, *wires)
        self.run(2.0)

    def done(self, *commands: Command) -> None:
        """All of them, each to its end."""
        for command in commands:
            result = self.carry_out(command)
            assert isinstance(result, Done), (command, result)

    def load(self, number: int | None = None) -> None:
        """Open the hatch and push tiles in."""
        self.done(OpenHatch())
        self.machine.load(self.machine.table if number is None else number)

    def until(self, state: State, within_s: float = 400.0) -> None:
        """Let time pass until a region is in ``state``."""
        end = self.now + within_s
        while self.machine.states[state.region] is not state:
            assert self.now < end, f"{state.name} never came: {self.machine.states}"
            self.step(self.now + 0.05)

    def of(self, kind: type[Any]) -> list[Any]:
        """What was heard of this kind, late or not."""
        told = (one.report if isinstance(one, Missed) else one for one in self.heard)
        return [report for report in told if isinstance(report, kind)]

    def faults(self) -> list[Any]:
        """Codes of the faults that were heard."""
        return [report.code for report in self.of(Fault)]

    @property
    def lower(self) -> State:
        """State of the lower half."""
        return self.machine.states[Region.LOWER]
