"""The simulated board as `BoardTable` has it: firmware and mechanics, without a line."""

from random import Random

from firmware_bridge.faults import FaultCode
from firmware_bridge.states import Capability, Key, ResetCause
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.mechanics import Cause, Mechanics, Restart


class SimulatedBoard(Firmware):
    """`tiles`: number on the table, loose below, in the walls."""

    def __init__(
        self,
        seed: int = 1,
        *,
        protocol: tuple[int, int] = (1, 1),
        capabilities: Capability | None = None,
        tiles: int = 136,
        mechanics: type[Mechanics] = Mechanics,
    ) -> None:
        known = Identity(7).capabilities if capabilities is None else capabilities
        super().__init__(
            mechanics(Random(seed), tiles=tiles),  # noqa: S311 - a simulation
            Identity(7, protocol=protocol, capabilities=known),
            boot_id=1,
            cause=ResetCause.POWER_ON,
            now=0.0,
        )

    @property
    def tiles(self) -> tuple[int, ...]:
        return (self.mechanics.table, self.mechanics.drum, *self.mechanics.staged)

    def press(self, key: Key, seat: int, now: float, *, down: bool = True) -> None:
        (self.key_down if down else self.key_up)(key, seat, now)

    def load(self, tiles: int, now: float) -> bool:
        """Push tiles in; False where the hatch is not open."""
        self.mechanics.advance(now)
        try:
            self.mechanics.load(tiles)
        except ValueError:
            return False
        return True

    def restart(self, _: int, cause: ResetCause, now: float) -> None:
        """The firmware restarts, now."""
        self.mechanics.inject(Restart(cause))
        self.on_timer(now)

    def happens(self, code: FaultCode, now: float, *, side: int | None = None) -> None:
        """The cause of a fault comes up."""
        self.mechanics.advance(now)
        self.mechanics.inject(Cause(code, side=side))

    def mend(self, now: float) -> None:
        """Somebody takes all causes away."""
        self.mechanics.advance(now)
        for code in FaultCode:
            self.mechanics.mend(code)
