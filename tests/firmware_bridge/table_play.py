"""A whole round of the machine, played by a host at a board of either implementation, in virtual time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Protocol

import pytest

from firmware_bridge.errors import BoardError
from firmware_bridge.frames import DELIMITER, FrameDecoder
from firmware_bridge.host import Finished, Host
from firmware_bridge.link import HEADER, Timing
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
from firmware_bridge.reference.compiled import CoreBoard, Settings
from firmware_bridge.states import Profile, ResetCause, State
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.mechanics import Mechanics
from hardware_sim.wires import Wire, WireFaults
from hardware_sim.wires_pair import Pair

ROUND: Final = (OpenHatch(), StartCycle(), RaiseWalls(), RollDice(2), LowerWalls())
ONCE: Final = (1, 1, 1, 1)
"""Hatch openings, cycles, lifts and rolls of one round."""


IMPLEMENTATIONS: Final = ("python", "c")


class Table(Protocol):
    """A board's engine with the tiles somebody pushes in, and its watchdog."""

    def receive(self, data: bytes, now: float) -> None: ...
    def on_timer(self, now: float) -> None: ...
    def next_timer(self) -> float | None: ...
    def data_to_send(self, now: float) -> bytes: ...
    def push_tiles(self, now: float) -> None: ...
    def restarted(self, boot_id: int, now: float) -> "Table": ...


class MakeTable(Protocol):
    """Makes tables; ``speed`` divides the times of all motions."""

    def __call__(self, speed: int = 60) -> Table: ...


class PythonTable(Firmware):
    """The simulator's board."""

    def __init__(
        self,
        speed: int = 60,
        *,
        profile: Profile = Profile.FOUR_PORT,
        timing: Timing | None = None,
        rest: tuple[Mechanics, int, float] | None = None,
    ) -> None:
        mechanics, boot_id, now = rest or (Mechanics(Random(1), speed=speed, profile=profile), 9, 0.0)  # noqa: S311 - a game
        cause = ResetCause.POWER_ON if rest is None else ResetCause.WATCHDOG
        identity = Identity.of(profile, 7)
        super().__init__(mechanics, identity, boot_id=boot_id, cause=cause, now=now, timing=timing)

    def push_tiles(self, now: float) -> None:
        assert now >= 0
        if State.HATCH_OPEN in self.mechanics.states.values():
            self.mechanics.load(136)

    def restarted(self, boot_id: int, now: float) -> Table:
        self.mechanics.power_cut()
        return PythonTable(profile=self.identity.profile, rest=(self.mechanics, boot_id, now))


class CoreTable(CoreBoard):
    """The board in C."""

    def __init__(self, core: Any, speed: int = 60) -> None:
        super().__init__(core, Settings(boot_id=9, speed=speed))

    def push_tiles(self, now: float) -> None:
        self.load(136, now)

    def restarted(self, boot_id: int, now: float) -> Table:
        self.restart(boot_id, ResetCause.WATCHDOG, now)
        return self


def maker(request: pytest.FixtureRequest) -> MakeTable:
    """What a fixture with IMPLEMENTATIONS as its parameters gives."""
    if request.param == "python":
        return PythonTable
    core = request.getfixturevalue("c_core")
    return lambda speed=60: CoreTable(core, speed)


class Stallable:
    """A host whose event loop stands still for some time; what comes meanwhile waits in the system."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.until = 0.0
        self._now = 0.0
        self._waiting = bytearray()

    def receive(self, data: bytes, now: float) -> None:
        self._now = now
        self._waiting += data
        self._wake(now)

    def on_timer(self, now: float) -> None:
        self._now = now
        if self._wake(now):
            self.host.on_timer(now)

    def next_timer(self) -> float | None:
        return self.until if self.until > self._now else self.host.next_timer()

    def data_to_send(self, now: float) -> bytes:
        return self.host.data_to_send(now) if self._wake(now) else b""

    def _wake(self, now: float) -> bool:
        if now < self.until:
            return False
        if self._waiting:
            data = bytes(self._waiting)
            self._waiting.clear()
            self.host.receive(data, now)
        return True


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

    def __init__(self, table: Table, timing: Timing | None = None) -> None:
        self.host = Host(session=5, first_op_id=100, timing=timing)
        self.loop = Stallable(self.host)
        self.table = table
        self.outward, self.homeward = NumberedWire(), NumberedWire()
        self.outward.other, self.homeward.other = self.homeward, self.outward
        super().__init__(self.loop, table, self.outward, self.homeward)
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
            self.played.ends.append(self.carry_out(command))
            if isinstance(command, OpenHatch):
                self.table.push_tiles(self.now)
        self.played.counted = self.counted()
        self.played.to_board, self.played.to_host = self.outward.kinds, self.homeward.kinds
        return self.played

    def connect(self) -> None:
        """Open the port and wait until the board is there."""
        self.host.port_opened(self.now)
        self.until(lambda: self.host.ready)

    def counted(self) -> tuple[int, int, int, int]:
        """Cycles, openings, lifts and rolls, as the board has counted them."""
        before = len(self.of(Counters))
        # A report that answers a command is not said again, so that a cut in the middle costs another one.
        while len(self.of(Counters)) == before:
            self.carry_out(GetCounters())
        last = self.of(Counters)[-1]
        return last.cycles, last.openings, last.lifts, last.rolls

    def restart(self, boot_id: int) -> None:
        """The board's watchdog bites."""
        self.table = self.right = self.table.restarted(boot_id, self.now)

    def carry_out(self, command: Command) -> Done | BoardError:
        """How ``command`` ends."""
        self.until(lambda: self.host.ready)
        return self.end_of(self.host.request(command, self.now))

    def end_of(self, op_id: int) -> Done | BoardError:
        self.until(lambda: op_id in self._ended)
        return self._ended[op_id]

    def until(self, condition: Callable[[], bool], within_s: float = 400.0) -> None:
        limit = self.now + within_s
        while not condition():
            assert self.now < limit
            self.step(min(self.now + 0.05, limit))

    def of(self, kind: type[Any]) -> list[Any]:
        return [report for report in self.played.reports if isinstance(report, kind)]
