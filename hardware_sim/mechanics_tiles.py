"""Where every tile of a machine is: the one truth about tiles. Pure; which tile is which never gets out."""

from collections.abc import Sequence
from random import Random
from typing import Final

from firmware_bridge.commands import Four

SIDES: Final = 4
BINS: Final = 2 * SIDES
"""Places a tile ends in: bin 0..3 the wall of that side, bin 4..7 the hand that is dealt there."""


class Tiles:
    """``order``: numbers of the tiles, all on the table top at first. Raises ValueError on what cannot be."""

    def __init__(self, order: Sequence[int], ports: int) -> None:
        self.table: list[int] = list(order)
        self.drum: list[int] = []
        self.troughs: list[list[int]] = [[] for _ in range(ports)]
        self.bins: list[list[int]] = [[] for _ in range(BINS)]

    @property
    def staged(self) -> Four:
        """Tiles built and dealt below, for each side."""
        a, b, c, d = (len(self.bins[side]) + len(self.bins[side + SIDES]) for side in range(SIDES))
        return a, b, c, d

    @property
    def loose(self) -> int:
        """Tiles inside that are in no wall: in the drum and on their way from it."""
        return len(self.drum) + sum(map(len, self.troughs))

    @property
    def inside(self) -> int:
        """All tiles below."""
        return self.loose + sum(self.staged)

    def push_in(self, number: int) -> None:
        """From the table top through the open hatch."""
        if not 0 <= number <= len(self.table):
            raise ValueError(f"{number} tiles pushed in, expected 0..{len(self.table)} (those on the table)")
        for _ in range(number):
            self.drum.append(self.table.pop())

    def pick(self, port: int, random: Random) -> None:
        """A magnet ring takes some tile out of the drum into its trough."""
        at = random.randrange(len(self.drum))
        self.drum[at], self.drum[-1] = self.drum[-1], self.drum[at]
        self.troughs[port].append(self.drum.pop())

    def stack(self, port: int, place: int) -> None:
        """A head takes the first tile of its trough to bin ``place``."""
        self.bins[place].append(self.troughs[port].pop(0))

    def send_round(self, port: int) -> None:
        """The first tile of a trough falls back into the drum."""
        self.drum.append(self.troughs[port].pop(0))

    def take_apart(self) -> None:
        """All that was built goes back into the drum, to be counted anew."""
        for place in self.bins:
            self.drum += place
            place.clear()

    def lift(self) -> None:
        """What was built and dealt comes up to the table top."""
        for place in self.bins:
            self.table += place
            place.clear()
