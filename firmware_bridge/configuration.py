"""What a machine can be set to build: the arithmetic of tiles, stacks and dealt hands. Pure."""

from binascii import crc32
from typing import Final

from firmware_bridge.commands import Four

TILE_NUMBERS: Final = frozenset({108, 112, 120, 124, 136, 144, 152})
"""Numbers of tiles in a set."""

STACKS_MAX: Final = 20
"""Stacks that a side can hold."""


def adds_up(tiles: int, stacks: Four, dealt: int, *, deals: bool) -> bool:
    """Whether the walls and the dealt hands take exactly the tiles of a known set.

    ``dealt``: tiles for each of the four hands; only a machine that ``deals`` can be set to more than none.
    """
    return (
        tiles in TILE_NUMBERS
        and max(stacks) <= STACKS_MAX
        and 2 * sum(stacks) + 4 * dealt == tiles
        and (deals or dealt == 0)
    )


def crc_of(tiles: int, stacks: Four, dealt: int) -> int:
    """CRC-32 of the six bytes of a configuration, by which a host sees at a glance that it is the same."""
    return crc32(bytes((tiles, *stacks, dealt)))
