"""The simulated control board on a pseudo-terminal (shell): what the simulator's world holds in its hands."""

from collections.abc import Callable
from pathlib import Path

from firmware_bridge.messages import Lamps, Report
from firmware_bridge.states import Key, State


class SimBoard:
    """A control board whose port is the symbolic link ``symlink``; ``speed`` divides its durations."""

    def __init__(self, symlink: Path, seed: int, speed: float = 1.0) -> None:
        """Keep the settings; the port appears with :meth:`start`."""
        self.symlink = symlink

    async def start(self) -> None:
        """Power on: make the port (raw) and publish it."""
        raise NotImplementedError

    async def stop(self) -> None:
        """Power off: remove the port and the link."""
        raise NotImplementedError

    def press(self, key: Key, seat: int) -> None:
        """Somebody at ``seat`` 0..3 presses ``key``."""
        raise NotImplementedError

    def load_tiles(self, n: int) -> None:
        """Players push ``n`` tiles through the open hatch. Raises ValueError when it is not open."""
        raise NotImplementedError

    @property
    def hatch(self) -> State:
        """HATCH_CLOSED, HATCH_OPENING, HATCH_OPEN, HATCH_CLOSING."""
        raise NotImplementedError

    @property
    def walls(self) -> State:
        """WALLS_DOWN, WALLS_RAISING, WALLS_UP, WALLS_LOWERING."""
        raise NotImplementedError

    @property
    def lower(self) -> State:
        """EMPTY, LOADED, SORTING, STAGED, SHORT, OVER."""
        raise NotImplementedError

    @property
    def dice_rolling(self) -> bool:
        """True while the dice spin."""
        raise NotImplementedError

    @property
    def dice(self) -> tuple[int, ...]:
        """Values 1..6 of the dice as they lie, empty before the first roll."""
        raise NotImplementedError

    @property
    def lamps(self) -> Lamps:
        """What the console's lamps show."""
        raise NotImplementedError

    def watch(self, callback: Callable[[Report], None]) -> None:
        """Call ``callback`` with every report the board makes (StateChanged, WallsUp, DiceRolled, ...)."""
        raise NotImplementedError

    async def until(self, condition: Callable[["SimBoard"], bool]) -> None:
        """Wait until ``condition(board)`` holds; looked at whenever the board makes a report."""
        raise NotImplementedError
