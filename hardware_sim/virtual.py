"""Host, line, firmware and mechanics in virtual time: hours of a table in seconds, and nothing sleeps. Pure.

table = VirtualTable(seed=1, faults=parse_faults("drop=0.1,reset@cycle1+5s"))
table.connect()
table.command(OpenHatch())
"""

import math
from collections.abc import Callable, Iterable
from random import Random
from typing import TYPE_CHECKING, Final

from firmware_bridge.driver import BLOCKED_S
from firmware_bridge.faults import FaultCode
from firmware_bridge.host import Finished, Host
from firmware_bridge.link import Timing
from firmware_bridge.messages import Command, Done, Report
from firmware_bridge.states import Key, Region, ResetCause, State
from hardware_sim.board_firmware import Identity
from hardware_sim.board_unit import PortChange, Unit
from hardware_sim.faults_text import Injection
from hardware_sim.mechanics import Mechanics
from hardware_sim.mechanics_facts import Durations

if TYPE_CHECKING:
    from firmware_bridge.errors import BoardError

REOPEN_S: Final = 0.05
"""How long a host takes to open a port anew."""

PATIENCE_S: Final = 600.0
"""Longest wait for anything, in the table's seconds."""


class NeverHappened(AssertionError):
    """What was waited for did not happen in time."""


class VirtualTable:
    """A host at a board. ``heard``: reports that the host has got, ``made``: those the board has made."""

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        *,
        seed: int,
        faults: Iterable[Injection] = (),
        speed: float = 1.0,
        tiles: int = 136,
        durations: Durations | None = None,
        identity: Identity | None = None,
        timing: Timing | None = None,
    ) -> None:
        self.now = 0.0
        self.mechanics = Mechanics(
            Random(f"{seed} moves"),  # noqa: S311 - a simulation
            speed=speed,
            tiles=tiles,
            durations=durations,
        )
        self.unit = Unit(
            self.mechanics,
            identity or Identity(uid=1 + seed),
            seed=seed,
            speed=speed,
            timing=timing,
            faults=faults,
        )
        self.host = Host(session=1 + seed % 1000, first_op_id=1, timing=timing)
        self.heard: list[tuple[float, Report]] = []
        self.made: list[tuple[float, Report]] = []
        self.ended: dict[int, Done | BoardError] = {}
        self._plugged = self._open = False
        self._open_at: float | None = None
        self._deaf = False
        self._held = b""
        self.unit.boot(ResetCause.POWER_ON, self.now)
        self._change_port(PortChange.BACK)

    # ---- what tests do -------------------------------------------------------------------------------

    def connect(self, within_s: float = PATIENCE_S) -> None:
        """Wait until host and board have met. Raises NeverHappened."""
        self.run_until(lambda: self.host.ready, within_s)

    def begin(self, command: Command) -> int:
        """Send a command; ``ended`` gets its end under the number returned here. Raises as the host does."""
        return self.host.request(command, self.now)

    def command(self, command: Command, within_s: float = PATIENCE_S) -> Done:
        """Send a command and wait for its end. Raises its BoardError, NeverHappened."""
        op_id = self.begin(command)
        self.run_until(lambda: op_id in self.ended, within_s)
        result = self.ended[op_id]
        if isinstance(result, Done):
            return result
        raise result

    def press(self, key: Key, seat: int = 0) -> None:
        """Somebody presses a key."""
        self.unit.press(key, seat, self.now)

    def load_tiles(self, number: int) -> None:
        """Somebody pushes tiles in. Raises ValueError when that can't be."""
        self.mechanics.load(number)

    def state(self, region: Region) -> State:
        """What the machine is in truth."""
        return self.mechanics.states[region]

    def told(self, kind: type[Report]) -> list[Report]:
        """What the host has heard of one kind."""
        return [report for _, report in self.heard if isinstance(report, kind)]

    @property
    def faults(self) -> set[FaultCode]:
        """What stands at the board."""
        return set(self.mechanics.faults)

    def run(self, seconds: float) -> None:
        """Let so much time pass."""
        end = self.now + seconds
        while self.now < end:
            self._step(end)

    def run_until(self, condition: Callable[[], bool], within_s: float = PATIENCE_S) -> None:
        """Let time pass until ``condition`` holds. Raises NeverHappened."""
        end = self.now + within_s
        while not condition():
            if self.now >= end:
                raise NeverHappened(f"not within {within_s:g} s; {self._how_it_stands()}")
            self._step(end)

    # ---- inside --------------------------------------------------------------------------------------

    def _step(self, at_most: float) -> None:
        """All that happens now, then on to the next moment, at the latest ``at_most``."""
        while self._exchange():
            pass
        times = (self.host.next_timer(), self._unit_timer(), self._open_at)
        following = min((time for time in times if time is not None), default=at_most)
        self.now = min(max(following, math.nextafter(self.now, math.inf)), at_most)
        self.host.on_timer(self.now)
        self.unit.on_timer(self.now)
        self._look()

    def _unit_timer(self) -> float | None:
        """What is due at a board without a port stays due: it is looked at now and then."""
        at = self.unit.next_timer()
        return at if at is None or self._plugged else max(at, self.now + BLOCKED_S)

    def _exchange(self) -> bool:
        """One turn of both ends; True when bytes moved."""
        outward = self.host.data_to_send(self.now) if self._open else b""
        homeward = self.unit.data_to_send(self.now) if self._plugged else b""
        if self._deaf:
            self._held, outward = self._held + outward, b""
        if outward:
            self.unit.receive(outward, self.now)
        if homeward and self._open:
            self.host.receive(homeward, self.now)
        self._look()
        return bool(outward or homeward)

    def _look(self) -> None:
        """Take what both ends have to tell, and look after the port."""
        for outcome in self.host.outcomes():
            if isinstance(outcome, Finished):
                self.ended[outcome.op_id] = outcome.result
            else:
                self.heard.append((self.now, outcome))
        self.made += [(self.now, report) for report in self.unit.made()]
        for change in self.unit.port_changes():
            self._change_port(change)
        if self._open and self.host.reopen:
            self._close(None)
        if self._open_at is not None and self.now >= self._open_at and self._plugged:
            self._open_at, self._open = None, True
            self.host.port_opened(self.now)

    def _change_port(self, change: PortChange) -> None:
        match change:
            case PortChange.GONE:
                self._plugged, self._deaf, self._held = False, False, b""
                self.unit.plug(plugged=False)
                self._close("the cable was pulled")
                self._open_at = None
            case PortChange.BACK:
                self._plugged = True
                self.unit.plug(plugged=True)
                self._open_at = self.now + REOPEN_S
            case PortChange.DEAF:
                self._deaf = True
            case PortChange.LISTENS:
                self._deaf = False
                held, self._held = self._held, b""
                self.unit.receive(held, self.now)

    def _close(self, why: str | None) -> None:
        if self._open:
            self._open = False
            self.host.port_closed(why, self.now)
        self.host.reopen = False
        self._open_at = self.now + REOPEN_S

    def _how_it_stands(self) -> str:
        states = " ".join(state.name for state in self.mechanics.states.values())
        link = "link up" if self.host.ready else f"no link ({self.host.trouble})"
        faults = " ".join(sorted(code.label for code in self.faults)) or "no faults"
        return f"{link}, {states}, {faults}"
