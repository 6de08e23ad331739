"""What moves in a simulated table: hatch, carriers, drum and walls below, dice. Pure: time is an argument.

:class:`Mechanics` is the machine and the memory of its board. Commands go in by :meth:`Mechanics.start`, what
people do by :meth:`press` and :meth:`load`, what goes wrong by :meth:`inject`; what happens comes out by
:meth:`take`. The parts: upper half, lower half, dice, keys, safety, over one :class:`Machine`.
"""

from collections.abc import Sequence
from random import Random

from firmware_bridge.commands import Command, Lamps
from firmware_bridge.faults import FaultCode
from firmware_bridge.messages import Counters, Done, Failed, Fault, FaultRecord, Report, Status
from firmware_bridge.states import (
    Capability,
    FailCause,
    Key,
    Motor,
    Profile,
    Region,
    RejectReason,
    ResetCause,
    State,
)
from hardware_sim.mechanics_alone import Alone
from hardware_sim.mechanics_causes import Cause, Restart
from hardware_sim.mechanics_commands import Commands
from hardware_sim.mechanics_dice import Dice
from hardware_sim.mechanics_facts import MOVING, Durations
from hardware_sim.mechanics_keys import Keys
from hardware_sim.mechanics_lower import Lower
from hardware_sim.mechanics_machine import Machine
from hardware_sim.mechanics_motion import Motion
from hardware_sim.mechanics_profiles import KINDS, MODES, Detail, Settings
from hardware_sim.mechanics_safety import Safety
from hardware_sim.mechanics_tiles import Tiles
from hardware_sim.mechanics_trouble import TroubleMaker
from hardware_sim.mechanics_upper import Upper

__all__ = ["Cause", "Detail", "Mechanics", "Restart"]


class Mechanics:
    """One machine. ``tiles``: how many lie on its table top at first, or the numbers of these tiles.

    ``speed`` divides all its times; ``durations`` are those of its ``profile`` unless given.
    ``serves_keys``: it works by its own keys while no host is there.
    """

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        random: Random,
        *,
        speed: float = 1.0,
        tiles: int | Sequence[int] = 136,
        durations: Durations | None = None,
        profile: Profile = Profile.FOUR_PORT,
        detail: Detail = Detail.INSTANT,
        serves_keys: bool = False,
    ) -> None:
        kind = KINDS[profile]
        order = range(tiles) if isinstance(tiles, int) else tiles
        self._machine = machine = Machine(
            random, kind, durations or kind.durations, Tiles(order, len(kind.port_bins)), speed
        )
        machine.detail = detail
        self._dice = Dice(machine)
        self._upper = Upper(machine)
        self._lower = Lower(machine, self._upper)
        self._safety = Safety(machine)
        self._keys = Keys(machine, self._lower, self._safety.service_key)
        self._lower.both_lifts = lambda: self._keys.both_lifts
        self._alone = Alone(machine, self._upper, self._lower, self._dice)
        self._serves_keys = serves_keys
        self._commands = Commands(
            machine, upper=self._upper, lower=self._lower, dice=self._dice, safety=self._safety
        )
        self._trouble = TroubleMaker(machine, self._keys, self._lower, self._safety, self.power_cut)
        self._serve(host_there=False)

    # ---- what the board's firmware does with it ------------------------------------------------------

    def boot(
        self,
        boot_id: int,
        cause: ResetCause,
        now: float,
        *,
        capabilities: Capability | None = None,
        boot_s: float = 0.0,
    ) -> None:
        """The firmware has started; it is BOOTING for ``boot_s`` (on its own clock) and finds what stands."""
        machine = self._machine
        self.advance(now)
        machine.boot_id, machine.boot_at = boot_id, now
        machine.memory.boots += 1
        if capabilities is not None:
            machine.capabilities = capabilities
        machine.count_below()
        self._trouble.restart = None
        self._trouble.look_at_start(cause)
        if boot_s > 0:
            self._commands.boot(boot_s)

    def take(self) -> list[Report | Done | Failed]:
        """What has happened since the last call, in order."""
        return [item for _, item in self.take_timed()]

    def take_timed(self) -> list[tuple[float, Report | Done | Failed]]:
        """The same with the moment of each."""
        out = list(self._machine.out)
        self._machine.out.clear()
        return out

    def start(self, op_id: int, command: Command, now: float) -> RejectReason | None:
        """Begin ``command``; its Done or Failed comes by :meth:`take`. A reason: nothing was begun."""
        self.advance(now)
        reason = self._safety.forbids(command) or self._commands.begin(op_id, command)
        self.advance(now)
        return reason

    def advance(self, now: float) -> None:
        """Run all motions up to ``now``."""
        self._machine.timeline.run(now)

    def next_timer(self) -> float | None:
        """When the next step of a motion ends."""
        return self._machine.timeline.next_due()

    def host_lost(self, now: float) -> None:
        """The host is gone: what moves in reach of hands stops, an enclosed shuffle goes on."""
        self.advance(now)
        self.lease_over(now)
        self._safety.leave(FailCause.HOST_LOST)
        self._commands.forget_lease()
        self._machine.raise_fault(FaultCode.LNK_01)
        self._serve(host_there=False)

    def host_back(self) -> None:
        """The host is there (again)."""
        self._commands.forget_lease()
        self._machine.clear_fault(FaultCode.LNK_01)
        self._serve(host_there=True)

    @property
    def exposed(self) -> bool:
        """Whether something moves in reach of hands that a host has begun."""
        return self._safety.jogs or bool(self._exposed())

    @property
    def lease_s(self) -> float:
        """For how long that goes on without a word of the host."""
        return self._commands.lease_s

    def lease_over(self, now: float) -> None:
        """The host has been silent for that long: what it has begun in reach of hands stops."""
        self.advance(now)
        if self._safety.jogs:
            self._safety.end_bench(FailCause.HOST_LOST)
        if exposed := self._exposed():
            self._machine.halt(exposed, FailCause.HOST_LOST)
            self._lower.host_gone()

    def power_cut(self) -> None:
        """The supply is gone in the middle of whatever goes on; nobody hears of it.

        When it is back, what moved is UNKNOWN, and so is what lies below: only sorting counts it again.
        """
        self._machine.cut()
        self._dice.restart()
        self._safety.restart()
        self._commands.forget_lease()
        self._serve(host_there=False)

    @property
    def restart(self) -> Restart | None:
        """A restart that has been injected and waits for the firmware to do it; the machine is dead."""
        return self._trouble.restart

    def status(self) -> Status:
        """State of every region."""
        return self._commands.status()

    def counters(self) -> Counters:
        """Counts since the machine was made."""
        return self._machine.memory.counters()

    def raise_fault(self, code: FaultCode, side: int | None = None, evidence: int = 0) -> None:
        """A fault comes up; one that is there already is not reported again."""
        self._machine.raise_fault(code, side, evidence)

    def clear_fault(self, code: FaultCode) -> None:
        """A fault goes; nothing happens when it was not there."""
        self._machine.clear_fault(code)

    # ---- what people at the table do with it ---------------------------------------------------------

    def press(self, key: Key, seat: int, now: float) -> None:
        """Somebody presses a key and lets it go. Raises ValueError on a seat that is none."""
        self.advance(now)
        if self.restart is None:
            self._keys.tap(key, seat)
        self.advance(now)

    def key_down(self, key: Key, seat: int, now: float) -> None:
        """Somebody presses a key and holds it. Raises ValueError on a seat that is none."""
        self.advance(now)
        if self.restart is None:
            self._keys.down(key, seat)
        self.advance(now)

    def key_up(self, key: Key, seat: int, now: float) -> None:
        """Somebody lets a key go."""
        self.advance(now)
        self._keys.up(key, seat)

    def load(self, tiles: int) -> None:
        """Push tiles through the open hatch. Raises ValueError when it is closed or there are not so many."""
        if self.states[Region.HATCH] is not State.HATCH_OPEN:
            raise ValueError("the hatch is not open")
        self._machine.tiles.push_in(tiles)
        if self._machine.tiles.loose and self._machine.lower is State.EMPTY:
            self._machine.enter(State.LOADED)

    def turn_mode(self, tiles: int, now: float) -> None:
        """Turn the mode switch on the console. Raises ValueError on a number it does not have."""
        if tiles not in MODES:
            raise ValueError(f"mode {tiles}, expected one of {sorted(MODES)}")
        self.advance(now)
        self._trouble.turn_to(MODES[tiles])

    def set_cover(self, now: float, *, is_open: bool) -> None:
        """Open or close the cover of the cabinet."""
        self.advance(now)
        self._trouble.set_cover(is_open=is_open)

    def set_stop_chain(self, now: float, *, is_open: bool) -> None:
        """Press or release the wired emergency stop."""
        self.advance(now)
        self._trouble.set_stop_chain(is_open=is_open)

    # ---- what goes wrong -----------------------------------------------------------------------------

    def inject(self, cause: Cause | Restart) -> None:
        """Let something go wrong, now or at its time."""
        self._trouble.inject(cause)
        self.advance(self._machine.now)

    def mend(self, code: FaultCode, side: int | None = None) -> None:
        """Take all causes of ``code`` away (those at ``side``, and at none)."""
        self._trouble.mend(code, side)

    def there(self, code: FaultCode) -> bool:
        """Whether a cause of ``code`` is there now."""
        return bool(self._machine.causes.there(code))

    # ---- what can be seen from outside ---------------------------------------------------------------

    @property
    def states(self) -> dict[Region, State]:
        """State of every region."""
        return self._machine.states

    @property
    def faults(self) -> dict[FaultCode, Fault]:
        """Faults that stand."""
        return self._machine.faults

    @property
    def settings(self) -> Settings:
        """The configuration in force."""
        return self._machine.memory.settings

    @property
    def both_lifts(self) -> bool:
        """Whether two LIFT keys are down at once."""
        return self._keys.both_lifts

    @property
    def fault_log(self) -> tuple[FaultRecord, ...]:
        """The last faults, oldest first."""
        return tuple(self._machine.memory.log)

    @property
    def motors(self) -> frozenset[Motor]:
        """The motors that run at this moment."""
        return self._machine.motors

    @property
    def ticks(self) -> int:
        """Steps that the machine has run."""
        return self._machine.timeline.ticks

    @property
    def tiles(self) -> Tiles:
        """Where every tile is: hidden truth, for oracles."""
        return self._machine.tiles

    @property
    def table(self) -> int:
        """Tiles on the table top."""
        return len(self.tiles.table)

    @property
    def drum(self) -> int:
        """Tiles below that are in no wall."""
        return self.tiles.loose

    @property
    def staged(self) -> tuple[int, int, int, int]:
        """Tiles built below on sides 0..3."""
        return self.tiles.staged

    @property
    def dice(self) -> tuple[int, ...]:
        """Values of the dice as they lie."""
        return self._dice.values

    @property
    def lamps(self) -> Lamps:
        """What the console's lamps show."""
        return self._machine.lamps

    @property
    def speed(self) -> float:
        """How many times as fast as a real machine."""
        return self._machine.timeline.speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._machine.timeline.speed = speed

    def _exposed(self) -> list[Motion]:
        """Motions of the host that move hatch or carriers now."""
        now = {state for state in self.states.values() if state in MOVING}
        motions = self._machine.timeline.motions
        return [one for one in motions if one.by_host and one.rest is None and one.state in now]

    def _serve(self, *, host_there: bool) -> None:
        self._keys.alone = self._alone.key if self._serves_keys and not host_there else None
