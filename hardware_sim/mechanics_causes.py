"""What goes wrong in a machine, by order of whoever tests it. Pure.

A cause is not a fault: it is the coin in the drum, the hand in the hatch, the dirty sensor. The machine finds
it in its own time, does what the fault table says, and reports.
"""

from dataclasses import dataclass
from random import Random

from firmware_bridge.faults import FaultCode
from firmware_bridge.states import ResetCause


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that leads to the fault ``code``.

    ``side`` 0..3 where it is at one side (None: at whichever). ``at_s``: so long after it was injected;
    ``tick``: not before the machine has run so many steps. ``duration_s``: how long it stays, whatever
    anybody does; None: until it is mended, and a jam until ClearJam has jogged it out. ``probability``: how
    often it acts, of the times the machine comes past it (a travel, a roll, a tick of sorting).
    Times are those of a real machine.
    """

    code: FaultCode
    side: int | None = None
    at_s: float = 0.0
    tick: int | None = None
    duration_s: float | None = None
    probability: float = 1.0

    def __post_init__(self) -> None:
        """Check what can be. Raises ValueError."""
        if self.side not in (None, 0, 1, 2, 3):
            raise ValueError(f"side {self.side}, expected 0..3 or none")
        if not 0.0 < self.probability <= 1.0:
            raise ValueError(f"probability {self.probability}, expected more than 0 and at most 1")


@dataclass(frozen=True, slots=True)
class Restart:
    """The firmware restarts: after ``at_s``, or at step ``tick`` of the machine; dead for ``off_s``.

    POWER_ON and BROWN_OUT are a lost supply, WATCHDOG and the others a reset line.
    """

    cause: ResetCause = ResetCause.POWER_ON
    at_s: float = 0.0
    tick: int | None = None
    off_s: float = 1.0


class Causes:
    """The causes that are there now."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._there: list[Cause] = []

    def begin(self, cause: Cause) -> None:
        """It is there from now on."""
        self._there.append(cause)

    def end(self, cause: Cause) -> None:
        """It has gone; nothing happens when it had gone before."""
        if cause in self._there:
            self._there.remove(cause)

    def there(self, code: FaultCode, side: int | None = None) -> list[Cause]:
        """Causes of ``code`` that are at ``side`` or at none; with None: all of them."""
        return [
            cause
            for cause in self._there
            if cause.code is code and (side is None or cause.side in (None, side))
        ]

    def stands(self, cause: Cause) -> bool:
        """Whether it is still there."""
        return cause in self._there

    def acts(self, code: FaultCode, side: int | None = None) -> Cause | None:
        """The machine comes past (at ``side``): the cause that does something to it now."""
        for cause in self.there(code, side):
            if cause.probability >= 1.0 or self._random.random() < cause.probability:
                return cause
        return None
