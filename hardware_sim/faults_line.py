"""The cable between port and board: a wire in each direction and the faults that stand on them. Pure."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hardware_sim.faults_text import Injection
from hardware_sim.wires import Wire, WireFaults

TO_BOARD: Final = "to_board"
TO_HOST: Final = "to_host"
PROBE: Final = b"AT\r\n"
Spoil = Callable[[WireFaults, float], WireFaults]
SHARES: Final[dict[str, Spoil]] = {
    "drop": lambda wire, share: replace(wire, loss=share),
    "flip": lambda wire, share: replace(wire, flip=share),
    "insert": lambda wire, share: replace(wire, insert=share),
    "drop-bytes": lambda wire, share: replace(wire, byte_loss=share),
    "flip-bytes": lambda wire, share: replace(wire, byte_flip=share),
}
"""Faults that are nothing but a share, and what they do to a wire."""


class Cable:
    """Two wires. ``faults``: how they are before any fault of the list strikes."""

    def __init__(self, seed: int, faults: WireFaults | None = None) -> None:
        self.to_board = Wire(2 * seed, faults)
        self.to_host = Wire(2 * seed + 1, faults)
        self._clean = faults or WireFaults()
        self._standing: dict[str, Injection] = {}
        self._plugged = True
        self._probe_at: float | None = None

    @property
    def standing(self) -> tuple[Injection, ...]:
        """The faults that stand."""
        return tuple(self._standing.values())

    def strike(self, injection: Injection, now: float) -> None:
        """Let a fault of the line stand; the same one again takes its place."""
        name = injection.fault.name
        if name == "noise":
            count = int(injection.number("bytes"))
            for wire in self._wires(injection):
                wire.noise(count, now)
            return
        if name == "at-noise":
            self._probe_at = now
        self._standing[name] = injection
        self._set()

    def clear(self, name: str | None = None) -> list[str]:
        """End the fault ``name`` (None: all); the names of those that stood."""
        gone = [one for one in self._standing if name in {None, one}]
        for one in gone:
            del self._standing[one]
        if "at-noise" in gone:
            self._probe_at = None
        self._set()
        return gone

    def plug(self, *, plugged: bool) -> None:
        """The cable is in, or out: then what was under way is gone."""
        self._plugged = plugged
        if not plugged:
            self.to_board.shake_off()
            self.to_host.shake_off()
        self._set()

    def on_timer(self, now: float) -> None:
        """A modem manager asks again."""
        if self._probe_at is not None and now >= self._probe_at:
            self.to_board.strange(PROBE, now)
            self._probe_at = now + self._standing["at-noise"].number("every")

    def next_timer(self) -> float | None:
        """When bytes come out or are put in."""
        times = (self.to_board.next_timer(), self.to_host.next_timer(), self._probe_at)
        return min((time for time in times if time is not None), default=None)

    # ---- inside --------------------------------------------------------------------------------------

    def _wires(self, injection: Injection) -> list[Wire]:
        direction = injection.word("dir")
        named = {TO_BOARD: self.to_board, TO_HOST: self.to_host}
        return [wire for name, wire in named.items() if direction in {"both", name}]

    def _set(self) -> None:
        """Make the wires as the standing faults say."""
        for wire in (self.to_board, self.to_host):
            wire.faults = self._clean
            wire.cut = not self._plugged
        for injection in self._standing.values():
            if injection.has("dir"):
                for wire in self._wires(injection):
                    _spoil(wire, injection)


def _spoil(wire: Wire, injection: Injection) -> None:
    match injection.fault.name:
        case "half-open":
            wire.cut = True
        case "baud":
            wire.faults = replace(wire.faults, garbled=True)
        case "duplicate":
            share, echo_s = injection.number("share"), injection.number("echo") / 1000
            wire.faults = replace(wire.faults, duplicate=share, echo_s=echo_s)
        case "split":
            wire.faults = replace(
                wire.faults,
                split=injection.number("share"),
                split_at=int(injection.number("byte")),
                gap_s=injection.number("gap") / 1000,
            )
        case "delay":
            late, jitter = injection.number("ms") / 1000, injection.number("jitter") / 1000
            wire.faults = replace(wire.faults, latency_s=late, jitter_s=jitter)
        case "pace":
            wire.faults = replace(wire.faults, baud=int(injection.number("baud")))
        case name if name in SHARES:
            wire.faults = SHARES[name](wire.faults, injection.number("share"))
