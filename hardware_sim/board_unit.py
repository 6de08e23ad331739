"""A whole board in one engine: supply, firmware, mechanics, the line to it, the faults of all. Pure.

Its shell gives it a port and a clock: :mod:`hardware_sim.board` (a pseudo-terminal or USB, real time) or
:mod:`hardware_sim.virtual` (virtual time).
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from random import Random
from typing import Final

from firmware_bridge.link import Phase, Timing
from firmware_bridge.messages import DiceRolled, KeyPressed, Report, StateChanged
from firmware_bridge.states import Key, ResetCause, State
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.board_versions import FIRST_CAPABILITIES
from hardware_sim.faults import BadFault, Kind
from hardware_sim.faults_camera import CameraFaults
from hardware_sim.faults_line import Cable
from hardware_sim.faults_mechanical import mend, strike
from hardware_sim.faults_plan import Plan
from hardware_sim.faults_text import Injection
from hardware_sim.mechanics import Mechanics
from hardware_sim.wires import WireFaults


class PortChange(Enum):
    """What becomes of the port; the shell carries it out after the turn."""

    GONE = "gone"
    BACK = "back"
    RESTARTED = "restarted"
    DEAF = "deaf"
    LISTENS = "listens"


ON_STATE: Final = {
    State.HATCH_OPENING: "open",
    State.HATCH_CLOSING: "close",
    State.STAGED: "staged",
    State.WALLS_RAISING: "raise",
    State.WALLS_UP: "walls",
    State.DICE_ROLLING: "roll",
}
"""What happens at the table when a state begins (``faults_text.HAPPENINGS``)."""

CYCLE_ENDS: Final = frozenset({State.STAGED, State.OVER, State.EMPTY})
"""A cycle that jammed, or was short of tiles, goes on as the same one until one of these."""


class Unit:
    """The engine. ``faults``: what is to go wrong; ``speed``: of the mechanics, which have the same."""

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        mechanics: Mechanics,
        identity: Identity,
        *,
        seed: int,
        speed: float = 1.0,
        timing: Timing | None = None,
        wire_faults: WireFaults | None = None,
        faults: Iterable[Injection] = (),
    ) -> None:
        """Without supply until :meth:`boot`."""
        self.mechanics = mechanics
        self.identity = identity
        self.line = Cable(seed, wire_faults)
        self.camera = CameraFaults()
        self.plan = Plan(faults, seed=seed, speed=speed)
        self.firmware: Firmware | None = None
        self.boots = 0
        self.people: deque[Injection] = deque()
        self._struck: deque[Injection] = deque()
        self._boot_ids = Random(f"{seed} boots")  # noqa: S311 - a game
        self._timing = timing
        self._boot_s, self._boot_noise = 0.0, 0
        self._starting: tuple[float, ResetCause] | None = None
        self._hung = False
        self._later: list[tuple[float, str]] = []
        self._made: deque[Report] = deque()
        self._changes: deque[PortChange] = deque()
        self._in_cycle = self._has_host = self._begun = False

    # ---- supply --------------------------------------------------------------------------------------

    def boot(self, cause: ResetCause, now: float) -> None:
        """Start the firmware (anew): motions end where they are, op_ids are forgotten, boot_id is new."""
        self.power_off(now)
        self._starting = (now + self._boot_s, cause)
        if self._boot_noise:
            self.line.to_host.noise(self._boot_noise, now)
        self._start(now)
        if not self._begun:
            self._begun = True
            self.plan.start(now)
            self._strike(now)

    def power_off(self, now: float) -> None:
        """Nothing runs any more; a frame that was being sent breaks off."""
        if self.firmware is not None:
            half = self.firmware.data_to_send(now)
            self.line.to_host.carry(half[: len(half) // 2], now)
            self.mechanics.power_cut()
        self.firmware = self._starting = None
        self._hung = self._has_host = False
        self._later = [(at, what) for at, what in self._later if what not in {"watchdog", "power"}]

    def _start(self, now: float) -> None:
        if self._starting is None or now < self._starting[0]:
            return
        _, cause = self._starting
        boot_id = self._boot_ids.getrandbits(32)
        self.firmware = Firmware(
            self.mechanics, self.identity, boot_id=boot_id, cause=cause, now=now, timing=self._timing
        )
        self._starting = None
        self.boots += 1
        self.plan.happened("boot", now)

    # ---- engine --------------------------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> None:
        """Bytes from the host enter the wire."""
        self.line.to_board.carry(data, now)
        self._arrive(now)

    def on_timer(self, now: float) -> None:
        """One turn of the firmware's loop."""
        for what in [what for at, what in self._later if at <= now]:
            self._undo(what, now)
        self._later = [entry for entry in self._later if entry[0] > now]
        self.line.on_timer(now)
        self._start(now)
        self._arrive(now)
        if self.firmware is not None and not self._hung:
            self.firmware.on_timer(now)
        self.plan.turn(now)
        self._look(now)
        self._strike(now)

    def data_to_send(self, now: float) -> bytes:
        """Bytes that come out of the wire at the host's end."""
        if self.firmware is not None and not self._hung:
            self.line.to_host.carry(self.firmware.data_to_send(now), now)
        return self.line.to_host.deliver(now)

    def next_timer(self) -> float | None:
        """When to come back."""
        times = [self.line.next_timer(), self.plan.next_timer(), *(at for at, _ in self._later)]
        if self._starting is not None:
            times.append(self._starting[0])
        if self.firmware is not None and not self._hung:
            times.append(self.firmware.next_timer())
        return min((time for time in times if time is not None), default=None)

    # ---- the world -----------------------------------------------------------------------------------

    def press(self, key: Key, seat: int, now: float) -> None:
        """Somebody presses a key; nothing happens while no firmware runs."""
        if self.firmware is not None and not self._hung:
            self.firmware.press(key, seat, now)
            self._look(now)

    @property
    def has_host(self) -> bool:
        """True while a host is there."""
        return self._has_host

    def made(self) -> list[Report]:
        """Reports made since the last call, whether or not a host hears them."""
        made = list(self._made)
        self._made.clear()
        return made

    def struck(self) -> list[Injection]:
        """Faults that have struck since the last call."""
        struck = list(self._struck)
        self._struck.clear()
        return struck

    def port_changes(self) -> list[PortChange]:
        """What the shell has to do with the port since the last call."""
        changes = list(self._changes)
        self._changes.clear()
        return changes

    def plug(self, *, plugged: bool) -> None:
        """The shell's port is there, or gone."""
        self.line.plug(plugged=plugged)

    # ---- faults --------------------------------------------------------------------------------------

    def inflict(self, injection: Injection, now: float) -> None:
        """Let a fault strike now. Raises BadFault where it can't."""
        self._struck.append(injection)
        match injection.fault.kind:
            case Kind.PEOPLE:
                self.people.append(injection)
            case Kind.CAMERA:
                self.camera.strike(injection)
                self._until(injection, now)
            case Kind.LINE if injection.fault.name not in {"stall", "unplug", "renumber"}:
                self.line.strike(injection, now)
                self._until(injection, now)
            case Kind.LINE:
                self._change_port(injection, now)
            case _ if injection.fault.code:
                strike(self.mechanics, injection, now)
            case _:
                self._shake_firmware(injection, now)

    def clear(self, name: str | None, now: float) -> list[str]:
        """End the standing fault ``name`` (None: all); the names of those that stood or were to come."""
        gone = self.line.clear(name) + self.camera.clear(name)
        gone += mend(self.mechanics, name, now)
        if name in {None, "slow-boot"} and (self._boot_s or self._boot_noise):
            self._boot_s, self._boot_noise = 0.0, 0
            gone.append("slow-boot")
        if self.plan.forget(name) and name not in gone:
            gone.append(name or "what was to come")
        return gone

    def _strike(self, now: float) -> None:
        for injection in self.plan.due(now):
            self.inflict(injection, now)

    def _until(self, injection: Injection, now: float) -> None:
        lasts = injection.number("for") if injection.has("for") else 0.0
        name = injection.fault.name
        self._later = [entry for entry in self._later if entry[1] != name]
        if lasts:
            self._later.append((now + lasts, name))

    def _change_port(self, injection: Injection, now: float) -> None:
        match injection.fault.name:
            case "stall":
                self._changes.append(PortChange.DEAF)
                self._later.append((now + injection.number("for"), "stall"))
            case "unplug":
                self._changes.append(PortChange.GONE)
                self._later.append((now + injection.number("for"), "unplug"))
            case _:
                self._changes += (PortChange.GONE, PortChange.BACK)

    def _shake_firmware(self, injection: Injection, now: float) -> None:
        match injection.fault.name:
            case "reset":
                self._restart(ResetCause[injection.word("cause").upper()], now)
            case "power-cut":
                self._changes.append(PortChange.GONE)
                self.power_off(now)
                self._later.append((now + injection.number("for"), "power"))
            case "slow-boot":
                self._boot_s = injection.number("s")
                self._boot_noise = int(injection.number("noise"))
                self._restart(ResetCause.RESET_LINE, now)
            case "hang":
                self._hung = True
                self._later.append((now + injection.number("for"), "watchdog"))
            case "old-firmware" | "other-firmware":
                major, minor = map(int, injection.word("version").split("."))
                known = self.identity.capabilities
                known = known & FIRST_CAPABILITIES if minor == 0 else known
                self.identity = replace(self.identity, protocol=(major, minor), capabilities=known)
                self._restart(ResetCause.SOFTWARE, now)
            case name:
                raise BadFault(f"{name}: this board can't do it")

    def _restart(self, cause: ResetCause, now: float) -> None:
        self._changes.append(PortChange.RESTARTED)
        self.boot(cause, now)

    def _undo(self, what: str, now: float) -> None:
        """The end of what was to last some time."""
        match what:
            case "stall":
                self._changes.append(PortChange.LISTENS)
            case "unplug":
                self._changes.append(PortChange.BACK)
            case "power":
                self._changes.append(PortChange.BACK)
                self.boot(ResetCause.POWER_ON, now)
            case "watchdog" if self._hung:
                self._restart(ResetCause.WATCHDOG, now)
            case _:
                self.line.clear(what)
                self.camera.clear(what)
                mend(self.mechanics, what, now)

    # ---- inside --------------------------------------------------------------------------------------

    def _arrive(self, now: float) -> None:
        data = self.line.to_board.deliver(now)
        if data and self.firmware is not None and not self._hung:
            self.firmware.receive(data, now)

    def _look(self, now: float) -> None:
        """Notice what happens, for the plan and for whoever watches."""
        if self.firmware is None:
            return
        for report in self.firmware.made():
            self._made.append(report)
            what = self._happening(report)
            if what:
                self.plan.happened(what, now)
        met = self.firmware.link.phase is Phase.UP
        if met and not self._has_host:
            self.plan.happened("host", now)
        self._has_host = met

    def _happening(self, report: Report) -> str | None:
        match report:
            case StateChanged(_, State.SORTING):
                begins, self._in_cycle = not self._in_cycle, True
                return "cycle" if begins else None
            case StateChanged(_, state):
                self._in_cycle = self._in_cycle and state not in CYCLE_ENDS
                return ON_STATE.get(state)
            case DiceRolled(values) if len(values) != 1:
                # One die names the first dealer; the hand begins with the next roll.
                return "hand"
            case KeyPressed():
                return "key"
        return None
