"""Faults of the machine by their codes: the causes that make the simulated mechanics show them. Pure."""

from typing import Final

from firmware_bridge.faults import FaultCode
from hardware_sim.faults import BadFault, find
from hardware_sim.faults_text import Injection
from hardware_sim.mechanics import Mechanics
from hardware_sim.mechanics_causes import Cause

ALL_CODES: Final = tuple(code for code in FaultCode if code is not FaultCode.NONE)


def strike(mechanics: Mechanics, injection: Injection, now: float) -> None:
    """Put the cause of this fault into the machine; it finds it in its own time."""
    lasts = injection.number("for")
    side = int(injection.number("side")) if injection.has("side") else None
    mechanics.advance(now)
    mechanics.inject(Cause(injection.fault.code, side=side, duration_s=lasts or None))


def mend(mechanics: Mechanics, name: str | None, now: float) -> list[str]:
    """Take away the causes of the fault ``name`` (None: of all); the codes of those there were."""
    mechanics.advance(now)
    wanted = ALL_CODES if name is None else (_code(name),)
    gone = [code for code in wanted if mechanics.there(code)]
    for code in gone:
        mechanics.mend(code)
    return [code.label for code in gone]


def _code(name: str) -> FaultCode:
    try:
        return find(name).code
    except BadFault:
        return FaultCode.NONE
