"""The kinds of machines that are simulated: ports, times, what they can do, what they are set to. Pure."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from firmware_bridge.commands import Four
from firmware_bridge.configuration import adds_up, crc_of
from firmware_bridge.reports import Config, ConfigApplied
from firmware_bridge.states import Capability, Profile
from hardware_sim.mechanics_facts import FOUR_PORT, Durations


class Detail(Enum):
    """How closely sorting is simulated.

    INSTANT: a stack is in its wall in one step, at its share of the cycle's time. QUEUES: every tile goes
    drum, ring, trough, head, wall, in ticks of a tenth of a second. NOISY: the same with tiles that lie face
    up and go round again, slow rings and travels that take longer or shorter.
    """

    INSTANT = "instant"
    QUEUES = "queues"
    NOISY = "noisy"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a machine builds: tiles of the set, stacks of sides 0..3, tiles dealt into each of four hands."""

    tiles: int
    stacks: Four
    dealt: int = 0

    @property
    def wanted(self) -> tuple[int, ...]:
        """Tiles for each bin: walls of sides 0..3, hands of sides 0..3."""
        return (*(2 * number for number in self.stacks), *([self.dealt] * 4))

    def fits(self, *, deals: bool) -> bool:
        """Whether it adds up."""
        return adds_up(self.tiles, self.stacks, self.dealt, deals=deals)

    def report(self, *, pending: bool) -> Config:
        """As GetConfig tells it."""
        crc = crc_of(self.tiles, self.stacks, self.dealt)
        return Config(self.tiles, self.stacks, self.dealt, pending, crc)

    def applied(self) -> ConfigApplied:
        """As it is told when it comes into force."""
        return ConfigApplied(self.tiles, self.stacks, self.dealt)


MODES: Final[dict[int, Settings]] = {
    tiles: Settings(tiles, stacks)
    for tiles, stacks in (
        (108, (14, 13, 14, 13)),
        (112, (14, 14, 14, 14)),
        (120, (15, 15, 15, 15)),
        (124, (16, 15, 16, 15)),
        (136, (17, 17, 17, 17)),
        (144, (18, 18, 18, 18)),
        (152, (19, 19, 19, 19)),
    )
}
"""Positions of the mode switch on the console, by the number of tiles."""

EVERY_BOARD: Final = (
    Capability.DICE
    | Capability.SEAT_KEYS
    | Capability.LAMPS
    | Capability.COUNTERS
    | Capability.VIRTUAL_DICE
    | Capability.REPLAY
    | Capability.FAULT_LOG
    | Capability.DICTIONARY
    | Capability.CONFIG
    | Capability.MAINTENANCE
    | Capability.LOCK
)


@dataclass(frozen=True, slots=True)
class MachineKind:
    """``port_bins``: for each port (ring, trough, head) the bins it fills, in this order."""

    profile: Profile
    durations: Durations
    port_bins: tuple[tuple[int, ...], ...]
    settings: Settings
    capabilities: Capability
    chain: bool = False

    @property
    def deals(self) -> bool:
        """Whether it can deal hands."""
        return Capability.DEALS in self.capabilities


SPUN: Final = ~(Capability.DICE | Capability.VIRTUAL_DICE)


def with_spun_dice(capabilities: Capability) -> Capability:
    """The same board, but its dice are only spun: a camera has to read them."""
    return capabilities & SPUN | Capability.DICE_SPUN


KINDS: Final[dict[Profile, MachineKind]] = {
    Profile.SINGLE_PORT: MachineKind(
        Profile.SINGLE_PORT,
        Durations(
            hatch=2.0,
            walls=3.0,
            dice=(3.0, 5.0),
            cycle=(110.0, 130.0),
            missing_after=15.0,
            slow_after=180.0,
            head=(0.6, 0.8),
            side=5.0,
        ),
        port_bins=((0, 1, 2, 3),),
        settings=MODES[136],
        capabilities=EVERY_BOARD,
        chain=True,
    ),
    Profile.FOUR_PORT: MachineKind(
        Profile.FOUR_PORT,
        FOUR_PORT,
        port_bins=((0,), (1,), (2,), (3,)),
        settings=MODES[136],
        capabilities=EVERY_BOARD,
    ),
    Profile.EIGHT_PORT_DEAL: MachineKind(
        Profile.EIGHT_PORT_DEAL,
        Durations(hatch=1.5, walls=2.5, dice=(2.0, 4.0), cycle=(15.0, 25.0), missing_after=15.0),
        port_bins=((0,), (1,), (2,), (3,), (4,), (5,), (6,), (7,)),
        settings=Settings(136, (11, 10, 11, 10), dealt=13),
        capabilities=EVERY_BOARD | Capability.DEALS,
    ),
}
"""One feed and head with a chain; four of each; eight, that deal the hands too."""
