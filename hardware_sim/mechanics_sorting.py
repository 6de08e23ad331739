"""How tiles get from the drum into the walls, at three levels of detail. Pure.

A builder moves tiles by one tick at a time and says whether anything moved; what stops it, and what is told,
is the business of :mod:`hardware_sim.mechanics_cycle`.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, Protocol

from firmware_bridge.faults import FaultCode
from hardware_sim.mechanics_machine import Machine
from hardware_sim.mechanics_profiles import Detail

TICK_S: Final = 0.1
IDLE_S: Final = 0.5
"""A tick of the coarse builder that finds no tile."""

PICKS_PER_S: Final = 2.4
"""Tiles that one magnet ring picks up from a full drum ..."""
FULL: Final = 8
"""... which is one with so many tiles and more."""
FACE_UP: Final = 0.3
"""Share of tiles that lie the wrong way under a ring and go round again (NOISY)."""
WEAK: Final = 0.5
"""A weak ring picks up so much less."""
TURNED: Final = 0.2
"""Share of tiles that a head sends round while TIL-01 has a cause."""
TROUGH_LENGTH: Final = 8
TRAVEL_S: Final = 0.8
"""From the ring through the trough to the head."""


class Builder(Protocol):
    """Builds what is ``wanted`` in each bin out of the drum."""

    def tick_s(self) -> float:
        """How long the next tick takes."""

    def step(self, at_work: Collection[int], held: int) -> bool:
        """One tick: only the bins ``at_work`` are filled; ``held`` tiles of the drum do not come up.

        True when a tile moved.
        """


def builder_for(machine: Machine, wanted: tuple[int, ...]) -> Builder:
    """The builder of this machine's level of detail, for one sorting."""
    if machine.detail is Detail.INSTANT:
        return Shares(machine, wanted)
    return Queues(machine, wanted)


class Shares:
    """A stack is in its wall in one step; all steps take the same share of the cycle's time."""

    def __init__(self, machine: Machine, wanted: tuple[int, ...]) -> None:
        self._machine = machine
        self._wanted = wanted
        self._each = machine.random.uniform(*machine.durations.cycle) / max(1, sum(wanted) // 2)
        self._idle = False

    def tick_s(self) -> float:
        """The share of a stack."""
        return IDLE_S if self._idle else self._each

    def step(self, at_work: Collection[int], held: int) -> bool:
        """Two tiles into one of the bins."""
        tiles = self._machine.tiles
        while tiles.loose > len(tiles.drum):
            tiles.send_round(next(port for port, trough in enumerate(tiles.troughs) if trough))
        open_bins = [place for place in at_work if len(tiles.bins[place]) < self._wanted[place]]
        self._idle = not open_bins or len(tiles.drum) <= held
        if self._idle:
            return False
        place = self._machine.random.choice(open_bins)
        number = min(2, len(tiles.drum) - held, self._wanted[place] - len(tiles.bins[place]))
        for _ in range(number):
            tiles.pick(0, self._machine.random)
            tiles.stack(0, place)
        return True


@dataclass(slots=True)
class _Port:
    """``ready``: when each tile of the trough is before the head, in seconds of this sorting."""

    bins: tuple[int, ...]
    ready: list[float] = field(default_factory=list)
    head_free: float = 0.0


class Queues:
    """Every tile by itself: ring, trough, head and wall of each port are queues."""

    def __init__(self, machine: Machine, wanted: tuple[int, ...]) -> None:
        self._machine = machine
        self._wanted = wanted
        self._noisy = machine.detail is Detail.NOISY
        self._now = 0.0
        self._side = -1
        self._ports = [
            _Port(bins, [0.0] * len(trough))
            for bins, trough in zip(machine.kind.port_bins, machine.tiles.troughs, strict=True)
        ]

    def tick_s(self) -> float:
        """A tenth of a second."""
        return TICK_S

    def step(self, at_work: Collection[int], held: int) -> bool:
        """One tick of every port."""
        self._now += TICK_S
        moved = False
        for number, port in enumerate(self._ports):
            place = self._place(port, at_work)
            if place is not None:
                stacked = self._stack(number, port, place)
                picked = self._pick(number, port, at_work, held)
                moved = moved or stacked or picked
            elif port.ready and self._over(port):
                self._machine.tiles.send_round(number)
                port.ready.pop(0)
                moved = True
        return moved or any(port.ready and self._place(port, at_work) is not None for port in self._ports)

    def _over(self, port: _Port) -> bool:
        """Whether the port has nothing left to build: what lies in its trough falls back."""
        return all(len(self._machine.tiles.bins[place]) >= self._wanted[place] for place in port.bins)

    def _place(self, port: _Port, at_work: Collection[int]) -> int | None:
        """The bin that the port fills now."""
        bins = self._machine.tiles.bins
        places = (one for one in port.bins if one in at_work and len(bins[one]) < self._wanted[one])
        return next(places, None)

    def _stack(self, number: int, port: _Port, place: int) -> bool:
        machine = self._machine
        if not port.ready or max(port.ready[0], port.head_free) > self._now:
            return False
        port.ready.pop(0)
        if machine.causes.there(FaultCode.TIL_01) and machine.random.random() < TURNED:
            machine.tiles.send_round(number)
            return True
        machine.tiles.stack(number, place)
        port.head_free = self._now + machine.random.uniform(*machine.durations.head)
        if len(machine.tiles.bins[place]) >= self._wanted[place]:
            port.head_free += machine.durations.side
        return True

    def _pick(self, number: int, port: _Port, at_work: Collection[int], held: int) -> bool:
        machine, tiles = self._machine, self._machine.tiles
        there = len(tiles.drum) - held
        missing = sum(max(0, self._wanted[one] - len(tiles.bins[one])) for one in port.bins if one in at_work)
        if there <= 0 or len(port.ready) >= min(TROUGH_LENGTH, missing):
            return False
        weak = WEAK if machine.causes.there(FaultCode.RNG_02) else 1.0
        chance = weak * PICKS_PER_S * TICK_S * min(1.0, max(there, 3) / FULL)
        if machine.random.random() >= chance or (self._noisy and machine.random.random() < FACE_UP):
            return False
        tiles.pick(number, machine.random)
        port.ready.append(self._now + TRAVEL_S)
        return True
