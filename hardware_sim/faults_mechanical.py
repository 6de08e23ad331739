"""Faults of the machine by their codes: what makes the simulated mechanics show each of them. Pure."""

from dataclasses import dataclass

from firmware_bridge.faults import FaultCode
from hardware_sim.faults import BadFault, find
from hardware_sim.faults_text import Injection
from hardware_sim.mechanics import Mechanics


@dataclass(frozen=True, slots=True)
class Strike:
    """A cause for the mechanics."""

    code: FaultCode
    side: int | None

    def strike(self, mechanics: Mechanics, now: float) -> None:
        """Let it happen."""
        mechanics.advance(now)
        mechanics.raise_fault(self.code, self.side)


def cause_of(injection: Injection) -> Strike:
    """What has to be wrong in the machine for this fault."""
    side = int(injection.number("side")) if injection.has("side") else None
    return Strike(injection.fault.code, side)


def mend(mechanics: Mechanics, name: str | None, now: float) -> list[str]:
    """Take away the cause of the fault ``name`` (None: of all); the names of those there were."""
    mechanics.advance(now)
    wanted = None if name is None else _code(name)
    gone = [code for code in mechanics.faults if wanted in {None, code} and code is not FaultCode.LNK_01]
    for code in gone:
        mechanics.clear_fault(code)
    return [code.label for code in gone]


def _code(name: str) -> FaultCode:
    try:
        return find(name).code
    except BadFault:
        return FaultCode.NONE
