"""The faults that stand between the simulated camera and whoever reads it. Pure."""

from collections.abc import Callable
from enum import Enum
from typing import Final

from hardware_sim.faults_text import Injection


class Manner(Enum):
    """What the stream's server sends."""

    PICTURES = "pictures"
    GARBAGE = "garbage"
    TRICKLE = "trickle"
    HTML = "html"
    NOTHING = "nothing"


MANNERS: Final = {
    "camera-unplug": Manner.NOTHING,
    "camera-html": Manner.HTML,
    "camera-trickle": Manner.TRICKLE,
    "camera-garbage": Manner.GARBAGE,
}
"""The stronger first, where several stand."""


class CameraFaults:
    """The faults that stand; `watch` is told when they change."""

    def __init__(self) -> None:
        self._standing: dict[str, Injection] = {}
        self._watcher: Callable[[str], None] | None = None

    @property
    def standing(self) -> tuple[Injection, ...]:
        """The faults that stand."""
        return tuple(self._standing.values())

    @property
    def manner(self) -> Manner:
        """What the server sends now."""
        return next((MANNERS[name] for name in MANNERS if name in self._standing), Manner.PICTURES)

    @property
    def freezes(self) -> bool:
        """Whether the last picture is repeated."""
        return "camera-freeze" in self._standing

    def watch(self, watcher: Callable[[str], None]) -> None:
        """Call `watcher` with the name of every fault that begins or ends."""
        self._watcher = watcher

    def strike(self, injection: Injection) -> None:
        """Let a fault stand; one that only happens is told of."""
        name = injection.fault.name
        if injection.has("for"):
            self._standing[name] = injection
        self._tell(name)

    def clear(self, name: str | None = None) -> list[str]:
        """End the fault `name` (None: all); the names of those that stood."""
        gone = [one for one in self._standing if name in {None, one}]
        for one in gone:
            del self._standing[one]
            self._tell(one)
        return gone

    def _tell(self, name: str) -> None:
        if self._watcher is not None:
            self._watcher(name)
