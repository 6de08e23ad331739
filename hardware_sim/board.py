"""The simulated control board on a pseudo-terminal (shell): what the simulator's world holds in its hands."""

import asyncio
import os
import tty
from collections.abc import Callable
from pathlib import Path
from random import Random

from firmware_bridge.driver import Driver
from firmware_bridge.link import LinkStats, Timing
from firmware_bridge.messages import Lamps, Report
from firmware_bridge.port import Callbacks, Transport
from firmware_bridge.states import Key, Region, ResetCause, State
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.board_line import Line
from hardware_sim.mechanics import Mechanics
from hardware_sim.mechanics_facts import FOUR_PORT, Durations
from hardware_sim.wires import WireFaults


class SimBoard:
    """A control board whose port is the symbolic link ``symlink``.

    ``speed`` divides the machine's durations, ``tiles`` lie on the table at first, ``faults`` makes the line
    hostile in both directions. All draws come from ``seed``.
    """

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        symlink: Path,
        seed: int,
        speed: float = 1.0,
        *,
        tiles: int = 136,
        faults: WireFaults | None = None,
        durations: Durations = FOUR_PORT,
        lost_after_s: float = 3.0,
    ) -> None:
        """Keep the settings; the port appears with :meth:`start`."""
        self.symlink = symlink
        moves, uid, boots = (Random(f"{seed} {use}") for use in ("moves", "uid", "boots"))  # noqa: S311 - a game
        self.mechanics = Mechanics(moves, speed=speed, tiles=tiles, durations=durations)
        self.identity = Identity(uid=uid.getrandbits(32))
        self._boots = boots
        self._timing = Timing(lost_after=lost_after_s)
        self._faults = faults
        self._seed = seed
        self._firmware: Firmware | None = None
        self._line: Line | None = None
        self._driver: Driver | None = None
        self._terminal: Pseudoterminal | None = None
        self._watchers: list[Callable[[Report], None]] = []
        self._changed = asyncio.Event()

    # ---- power and plug ------------------------------------------------------------------------------

    async def start(self, cause: ResetCause = ResetCause.POWER_ON) -> None:
        """Power on: boot, make the port (raw) and publish it."""
        self.boot(cause)
        self.plug_in()

    async def stop(self) -> None:
        """Power off: remove the port and the link."""
        self.unplug()
        if self._driver is not None:
            self._driver.stop()
        self._driver = self._line = self._firmware = None

    def boot(self, cause: ResetCause = ResetCause.WATCHDOG) -> None:
        """Start the firmware (anew): motions end where they are, op_ids are forgotten, boot_id is new."""
        now = asyncio.get_running_loop().time()
        self.mechanics.power_cut()
        self._firmware = Firmware(
            self.mechanics,
            self.identity,
            boot_id=self._boots.getrandbits(32),
            cause=cause,
            now=now,
            timing=self._timing,
        )
        self._line = Line(self._firmware, self._seed, self._faults)
        if self._driver is not None:
            self._driver.stop()
        self._driver = Driver(self._line, self._after_turn)
        if self._terminal is not None:
            self._driver.attach(self._terminal.open(self._callbacks()))

    def plug_in(self) -> None:
        """Make a new pseudo-terminal and point the link at it."""
        if self._driver is None:
            raise RuntimeError("the board has no power")
        self._terminal = Pseudoterminal()
        self._driver.attach(self._terminal.open(self._callbacks()))
        self._terminal.publish(self.symlink)

    def unplug(self) -> None:
        """Pull the cable: the port vanishes under whoever holds it; the board runs on."""
        if self._terminal is not None:
            self._terminal.close(self.symlink)
            self._terminal = None
        if self._driver is not None:
            self._driver.detach()

    def pause_reading(self) -> None:
        """Stop taking bytes, like a firmware that hangs in a loop but whose timers still run."""
        if self._terminal is not None:
            self._terminal.transport.pause_reading()

    def resume_reading(self) -> None:
        """Take bytes again."""
        if self._terminal is not None:
            self._terminal.transport.resume_reading()

    # ---- people at the table -------------------------------------------------------------------------

    def press(self, key: Key, seat: int) -> None:
        """Somebody at ``seat`` 0..3 presses ``key``; nothing happens while the board has no power."""
        if self._firmware is not None and self._driver is not None:
            self._firmware.press(key, seat, asyncio.get_running_loop().time())
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
        return None if self._firmware is None else self._firmware.link.stats

    def watch(self, callback: Callable[[Report], None]) -> None:
        """Call ``callback`` with every report the board makes (StateChanged, WallsUp, DiceRolled, ...)."""
        self._watchers.append(callback)

    async def until(self, condition: Callable[["SimBoard"], bool]) -> None:
        """Wait until ``condition(board)`` holds; looked at whenever the board makes a report."""
        while not condition(self):
            await self._changed.wait()

    # ---- inside --------------------------------------------------------------------------------------

    def _callbacks(self) -> Callbacks:
        if self._driver is None:
            raise RuntimeError("the board has no power")
        return Callbacks(self._driver.data_came, lambda _: None, self._driver.pump)

    def _after_turn(self) -> None:
        made = [] if self._firmware is None else self._firmware.made()
        for report in made:
            for callback in self._watchers:
                callback(report)
        if made:
            self._changed.set()
            self._changed = asyncio.Event()


class Pseudoterminal:
    """A pseudo-terminal, raw before anyone knows its name."""

    def __init__(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self._transport: Transport | None = None

    @property
    def transport(self) -> Transport:
        """The board's end, after :meth:`open`."""
        if self._transport is None:
            raise RuntimeError("the terminal is not open")
        return self._transport

    def open(self, callbacks: Callbacks) -> Transport:
        """The board's end (again, after a boot)."""
        # The own slave descriptor stays open: clients may come and go without the master seeing an end.
        fd = os.dup(self._master)
        self._transport = Transport(fd, lambda: os.close(fd), callbacks)
        return self._transport

    def publish(self, symlink: Path) -> None:
        """Point ``symlink`` at this terminal, in one step; a stale link is replaced."""
        symlink.parent.mkdir(parents=True, exist_ok=True)
        new = symlink.with_name(f".{symlink.name}.new")
        new.unlink(missing_ok=True)
        new.symlink_to(os.ttyname(self._slave))
        new.replace(symlink)

    def close(self, symlink: Path) -> None:
        """Vanish: whoever has the terminal open reads its end."""
        name = os.ttyname(self._slave)
        if self._transport is not None:
            self._transport.abort()
        if symlink.is_symlink() and os.readlink(symlink) == name:  # noqa: PTH115 - the text of the link
            symlink.unlink()
        os.close(self._slave)
        os.close(self._master)
