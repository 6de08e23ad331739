"""One sorting: builds what is wanted, notices what goes wrong, tries what the fault table says. Pure."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from firmware_bridge.faults import FaultCode
from firmware_bridge.reports import SideDone, TileCount
from firmware_bridge.states import State
from hardware_sim.mechanics_machine import Machine
from hardware_sim.mechanics_motion import MotionFails, Steps
from hardware_sim.mechanics_sorting import builder_for
from hardware_sim.mechanics_tiles import SIDES

if TYPE_CHECKING:
    from hardware_sim.mechanics_causes import Cause

TRY_S: Final = 0.5
"""One jog back and on."""
LAST_TILES_S: Final = 30.0
"""Tiles are in the drum and none has come up for so long: CNT-03."""
FLIP_S: Final = 10.0
"""The flip routine after that."""
NO_MAGNET_S: Final = 20.0
"""A tile that goes round for so long has lost its magnet."""
SLOW_FACTOR: Final = 4.0
HELD_BACK: Final = {FaultCode.CNT_01: 1, FaultCode.CNT_03: 2, FaultCode.TIL_02: 1}
"""Tiles that a cause keeps down in the drum; the drum's own sensor does not see the one of CNT-01."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that stops the sorting: noticed after ``notice_s``, tried to free for ``tries_s``."""

    code: FaultCode
    notice_s: float
    tries_s: float
    evidence: int
    at_side: bool = True
    chain: bool = False


TROUBLES: Final = (
    Trouble(FaultCode.DRM_01, 1.0, 5.0, 0, at_side=False),
    Trouble(FaultCode.RNG_01, 3.0, 0.0, 3000),
    Trouble(FaultCode.FED_01, 1.5, 5.0, 6500),
    Trouble(FaultCode.HED_01, 1.5, 5.0, 6500),
    Trouble(FaultCode.HED_04, 0.5, 10.0, 33),
    Trouble(FaultCode.CHN_01, 4.0, 0.0, 3, at_side=False, chain=True),
    Trouble(FaultCode.CHN_02, 0.5, 5.0, 1500, chain=True),
)
"""What is looked for in every tick of sorting."""

PUSH: Final = Trouble(FaultCode.PSH_01, 1.0, 5.0, 6000)
"""What is looked for when a side is complete."""

SIGNS: Final[dict[FaultCode, int]] = {
    FaultCode.DRM_02: 400,
    FaultCode.RNG_02: 40,
    FaultCode.HED_03: 12,
    FaultCode.TIL_01: 1,
    FaultCode.TIL_03: 2,
}
"""Warnings that come up while sorting, and their evidence; the cycle goes on."""


class Sorting:
    """One sorting of a cycle. ``turned_s``: how long it has turned, seconds of a real machine."""

    def __init__(self, machine: Machine, wanted: tuple[int, ...]) -> None:
        self.turned_s = 0.0
        self._machine = machine
        self._wanted = wanted
        self._builder = builder_for(machine, wanted)
        self._idle_s = 0.0
        self._silent: dict[int, Cause] = {}
        self._told = list(machine.tiles.staged)
        self._done = [n >= self._target(side) for side, n in enumerate(machine.tiles.staged)]

    @property
    def turned_ms(self) -> int:
        """The same on the board's clock."""
        return self._machine.ms(self.turned_s)

    def run(self) -> Steps:
        """Turn until all is built. Raises MotionFails with what ends it early."""
        while (work := self._at_work()) or not all(self._done):
            if not work:
                raise self._silent_head()
            yield from self._turn(self._tick_s())
            self._look_for_signs()
            yield from self._look_for_trouble()
            held = self._held()
            moved = self._builder.step(self._at_work(), held)
            self._idle_s = 0.0 if moved else self._idle_s + self._tick_s()
            yield from self._count()
            yield from self._starve(held)

    # ---- inside --------------------------------------------------------------------------------------

    def _turn(self, seconds: float) -> Steps:
        yield seconds
        machine = self._machine
        self.turned_s += seconds
        machine.memory.motor_s += seconds
        if self.turned_s > machine.durations.slow_after:
            machine.raise_fault(FaultCode.CYC_01, evidence=round(self.turned_s))

    def _tick_s(self) -> float:
        slow = SLOW_FACTOR if self._machine.causes.there(FaultCode.CYC_01) else 1.0
        return slow * self._builder.tick_s()

    def _target(self, side: int) -> int:
        return self._wanted[side] + self._wanted[side + SIDES]

    def _at_work(self) -> list[int]:
        """Bins that are not full and whose head counts."""
        bins = self._machine.tiles.bins
        return [
            place
            for place, wanted in enumerate(self._wanted)
            if len(bins[place]) < wanted and place % SIDES not in self._silent
        ]

    def _count(self) -> Steps:
        """Tell what the counting sensors have seen."""
        machine = self._machine
        for side, n in enumerate(machine.tiles.staged):
            target = self._target(side)
            if n != self._told[side] and (n % 2 == 0 or n == target):
                self._told[side] = n
                machine.report(TileCount(side, n, target))
            if n >= target and not self._done[side]:
                yield from self._free(PUSH, side)
                self._done[side] = True
                machine.report(SideDone(side, n, self.turned_ms))
        if machine.causes.acts(FaultCode.CNT_04):
            machine.raise_fault(FaultCode.CNT_04, evidence=machine.tiles.inside + 1)

    # ---- what goes wrong -----------------------------------------------------------------------------

    def _look_for_signs(self) -> None:
        for code, evidence in SIGNS.items():
            if code not in self._machine.faults and (cause := self._machine.causes.acts(code)):
                self._machine.raise_fault(code, cause.side, evidence)

    def _look_for_trouble(self) -> Steps:
        sides = sorted({place % SIDES for place in self._at_work()})
        silent = self._machine.causes.acts(FaultCode.HED_02)
        known = silent in self._silent.values()
        if silent is not None and not known and (silent.side is None or silent.side in sides):
            self._silent[sides[0] if silent.side is None else silent.side] = silent
        for trouble in TROUBLES:
            for side in sides if trouble.at_side else sides[:1]:
                yield from self._free(trouble, side)

    def _free(self, trouble: Trouble, side: int) -> Steps:
        """Notice a trouble at ``side``, try to free it, and give up when its time is over."""
        machine = self._machine
        if trouble.chain and not machine.kind.chain:
            return
        cause = machine.causes.acts(trouble.code, side)
        if cause is None:
            return
        yield from self._turn(trouble.notice_s)
        tried = 0.0
        while machine.causes.stands(cause):
            if tried >= trouble.tries_s:
                raise MotionFails(trouble.code, side if trouble.at_side else None, trouble.evidence)
            yield from self._turn(TRY_S)
            tried += TRY_S

    def _held(self) -> int:
        """Tiles of the drum that do not come up."""
        return sum(number for code, number in HELD_BACK.items() if self._machine.causes.there(code))

    def _silent_head(self) -> MotionFails:
        """The other sides are built: the one whose head does not count ends the cycle."""
        side = min(self._silent)
        return MotionFails(FaultCode.HED_02, side, self._machine.ms(self._idle_s + 3.0))

    def _starve(self, held: int) -> Steps:
        """No tile has come for long: missing ones, or ones that do not come up."""
        machine = self._machine
        hidden = len(machine.causes.there(FaultCode.CNT_01))
        seen = machine.tiles.loose - min(held, hidden)
        if not self._at_work():
            return
        if seen <= 0 and self._idle_s >= machine.durations.missing_after:
            raise self._missing()
        if self._idle_s >= NO_MAGNET_S and machine.causes.there(FaultCode.TIL_02):
            machine.raise_fault(FaultCode.TIL_02, evidence=round(self._idle_s))
        if seen > 0 and self._idle_s >= LAST_TILES_S:
            machine.raise_fault(FaultCode.CNT_03, evidence=seen)
            yield from self._turn(FLIP_S)
            self._idle_s = 0.0
            if machine.tiles.loose <= self._held():
                raise self._missing()
            machine.clear_fault(FaultCode.CNT_03)

    def _missing(self) -> MotionFails:
        machine = self._machine
        machine.below = frozenset()
        machine.enter(State.SHORT)
        return MotionFails(FaultCode.CNT_01, evidence=sum(self._wanted) - sum(machine.tiles.staged))
