"""The simulated control board with a port and a clock (shell): what the simulator's world has in hand."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

from firmware_bridge.driver import Driver
from firmware_bridge.link import LinkStats, Timing
from firmware_bridge.messages import Lamps, Report
from firmware_bridge.port import Callbacks
from firmware_bridge.states import Key, Profile, Region, ResetCause, State
from hardware_sim.board_firmware import Identity
from hardware_sim.board_port import BoardPort, PtyPort
from hardware_sim.board_unit import PortChange, Unit
from hardware_sim.faults_text import Injection
from hardware_sim.mechanics import Detail, Mechanics
from hardware_sim.mechanics_facts import Durations
from hardware_sim.mechanics_profiles import with_spun_dice
from hardware_sim.wires import WireFaults

RESTART_S = 0.2
"""How long a port stays away that vanishes with a restart of the firmware."""


class SimBoard:
    """A control board. ``port``: where it is plugged in, or the path of a symbolic link to a pseudo-terminal.

    ``speed`` divides the machine's durations, ``tiles`` lie on the table at first, ``faults`` makes the line
    hostile in both directions, ``injections`` are to strike at their time. All draws come from ``seed``.
    """

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        port: Path | BoardPort,
        seed: int,
        speed: float = 1.0,
        *,
        tiles: int = 136,
        faults: WireFaults | None = None,
        injections: Iterable[Injection] = (),
        durations: Durations | None = None,
        profile: Profile = Profile.FOUR_PORT,
        detail: Detail = Detail.INSTANT,
        lost_after_s: float = 3.0,
        spun_dice: bool = False,
    ) -> None:
        """Keep the settings; the port appears with :meth:`start`. `spun_dice`: the board reads no dice."""
        self.port: BoardPort = PtyPort(port) if isinstance(port, Path) else port
        moves, uid = (Random(f"{seed} {use}") for use in ("moves", "uid"))  # noqa: S311 - a game
        self.mechanics = Mechanics(
            moves, speed=speed, tiles=tiles, durations=durations, profile=profile, detail=detail
        )
        identity = Identity.of(profile, uid.getrandbits(32))
        if spun_dice:
            identity = replace(identity, capabilities=with_spun_dice(identity.capabilities))
        self.unit = Unit(
            self.mechanics,
            identity,
            seed=seed,
            speed=speed,
            timing=Timing(lost_after=lost_after_s),
            wire_faults=faults,
            faults=injections,
        )
        self._driver: Driver | None = None
        self._plugged = False
        self._power = False
        self._watchers: list[Callable[[Report], None]] = []
        self._on_fault: Callable[[Injection], None] | None = None
        self._changed = asyncio.Event()

    # ---- power and plug ------------------------------------------------------------------------------

    async def start(self, cause: ResetCause = ResetCause.POWER_ON) -> None:
        """Power on: boot, make the port and publish it."""
        self.port.prepare()
        self._driver = Driver(self.unit, self._after_turn)
        self._power = True
        self.boot(cause)
        self.plug_in()

    async def stop(self) -> None:
        """Power off: remove the port and the link."""
        self.unplug()
        self._power = False
        if self._driver is not None:
            self.unit.power_off(asyncio.get_running_loop().time())
            self._driver.stop()
            self._driver = None
        await asyncio.to_thread(self.port.give_up)

    def boot(self, cause: ResetCause = ResetCause.WATCHDOG) -> None:
        """Start the firmware (anew): motions end where they are, op_ids are forgotten, boot_id is new."""
        self.unit.boot(cause, asyncio.get_running_loop().time())
        self._the_driver().pump()

    def plug_in(self) -> None:
        """Appear as a new port and point the link at it."""
        if self._plugged:
            return
        driver = self._the_driver()
        self._plugged = True
        self.unit.plug(plugged=True)
        driver.attach(self.port.plug_in(Callbacks(driver.data_came, lambda _: None, driver.pump)))
        self.port.publish()

    def unplug(self) -> None:
        """Pull the cable: the port vanishes under whoever holds it; the board runs on."""
        if not self._plugged:
            return
        self._plugged = False
        self.unit.plug(plugged=False)
        self.port.unplug()
        if self._driver is not None:
            self._driver.detach()

    def pause_reading(self) -> None:
        """Stop taking bytes, like a firmware that hangs in a loop but whose timers still run."""
        self.port.listen(listens=False)

    def resume_reading(self) -> None:
        """Take bytes again."""
        self.port.listen(listens=True)

    # ---- faults --------------------------------------------------------------------------------------

    def inflict(self, injection: Injection) -> None:
        """Let a fault strike now, or at its time. Raises BadFault where it can't."""
        self.unit.plan.add(injection, asyncio.get_running_loop().time())
        self._the_driver().pump()

    def clear(self, name: str | None = None) -> list[str]:
        """End a fault that stands (None: all); the names of those that stood or were to come."""
        gone = self.unit.clear(name, asyncio.get_running_loop().time())
        self._the_driver().pump()
        return gone

    def happened(self, what: str) -> None:
        """People do something that a fault may wait for."""
        self.unit.plan.happened(what, asyncio.get_running_loop().time())
        self._the_driver().pump()

    def mishaps(self, name: str) -> list[Injection]:
        """Faults called ``name`` that strike people, since the last call."""
        struck = [one for one in self.unit.people if one.fault.name == name]
        for one in struck:
            self.unit.people.remove(one)
        return struck

    def watch_faults(self, callback: Callable[[Injection], None]) -> None:
        """Call ``callback`` with every fault that strikes from now on."""
        self._on_fault = callback

    # ---- people at the table -------------------------------------------------------------------------

    def press(self, key: Key, seat: int) -> None:
        """Somebody at ``seat`` 0..3 presses ``key``; nothing happens while the board has no power."""
        if self._driver is not None:
            self.unit.press(key, seat, asyncio.get_running_loop().time())
            self._driver.pump()

    def load_tiles(self, n: int) -> None:
        """Push ``n`` tiles through the open hatch. Raises ValueError when that cannot be."""
        self.mechanics.load(n)
        if self._driver is not None:
            self._driver.pump()

    # ---- what can be seen ----------------------------------------------------------------------------

    @property
    def hatch(self) -> State:
        """HATCH_CLOSED, HATCH_OPENING, HATCH_OPEN, HATCH_CLOSING, HATCH_UNKNOWN (half way)."""
        return self.mechanics.states[Region.HATCH]

    @property
    def walls(self) -> State:
        """WALLS_DOWN, WALLS_RAISING, WALLS_UP, WALLS_LOWERING, WALLS_UNKNOWN (half way)."""
        return self.mechanics.states[Region.WALLS]

    @property
    def lower(self) -> State:
        """EMPTY, LOADED, SORTING, STAGED, SHORT, OVER."""
        return self.mechanics.states[Region.LOWER]

    @property
    def dice_rolling(self) -> bool:
        """True while the dice spin."""
        return self.mechanics.states[Region.DICE] is State.DICE_ROLLING

    @property
    def dice(self) -> tuple[int, ...]:
        """Values 1..6 of the dice as they lie, empty before the first roll."""
        return self.mechanics.dice

    @property
    def lamps(self) -> Lamps:
        """What the console's lamps show."""
        return self.mechanics.lamps

    @property
    def stats(self) -> LinkStats | None:
        """The board's side of the link, None without power."""
        return None if self.unit.firmware is None else self.unit.firmware.link.stats

    def watch(self, callback: Callable[[Report], None]) -> None:
        """Call ``callback`` with every report the board makes (StateChanged, WallsUp, DiceRolled, ...)."""
        self._watchers.append(callback)

    async def until(self, condition: Callable[["SimBoard"], bool]) -> None:
        """Wait until ``condition(board)`` holds; looked at whenever the board makes a report."""
        while not condition(self):
            await self._changed.wait()

    # ---- inside --------------------------------------------------------------------------------------

    def _the_driver(self) -> Driver:
        if self._driver is None:
            raise RuntimeError("the board has no power")
        return self._driver

    def _after_turn(self) -> None:
        made = self.unit.made()
        for report in made:
            for callback in self._watchers:
                callback(report)
        if made:
            self._changed.set()
            self._changed = asyncio.Event()
        for injection in self.unit.struck():
            if self._on_fault is not None:
                self._on_fault(injection)
        loop = asyncio.get_running_loop()
        for change in self.unit.port_changes():
            loop.call_soon(self._change_port, change)

    def _change_port(self, change: PortChange) -> None:
        if self._driver is None:
            return
        match change:
            case PortChange.GONE:
                self.unplug()
            case PortChange.BACK:
                self.plug_in()
            case PortChange.RESTARTED if self.port.restarts and self._plugged:
                self.unplug()
                asyncio.get_running_loop().call_later(RESTART_S, self._change_port, PortChange.BACK)
            case PortChange.DEAF | PortChange.LISTENS:
                self.port.listen(listens=change is PortChange.LISTENS)
