"""A pond that all share: discards lie anyhow in the middle of the table, whoever threw them.

Every player throws his n-th discard to a place of its own, which the seed decides: a tile lies where it fell
until it is claimed, and the next one may fall there again.
"""

from functools import lru_cache
from math import hypot
from random import Random
from typing import Final

CELL: Final = 52.0
"""Millimetres from place to place: more than a tile's diagonal, so that any turn fits."""
CELLS: Final = 10
HATCH_CLEAR: Final = 80.0
"""No tile lies nearer to the centre (mm), where hatch and dice are ..."""
INDICATOR: Final = (86.0, -86.0)
INDICATOR_CLEAR: Final = 57.0
"""... or to the indicator."""


@lru_cache(maxsize=16)
def _places(seed: int) -> tuple[tuple[float, float, float], ...]:
    """Every place (x, y, angle), in the order in which the players in turn make use of them."""
    middle = (CELLS - 1) / 2
    cells = [((c - middle) * CELL, (r - middle) * CELL) for c in range(CELLS) for r in range(CELLS)]
    free = [
        (x, y)
        for x, y in cells
        if hypot(x, y) >= HATCH_CLEAR and hypot(x - INDICATOR[0], y - INDICATOR[1]) >= INDICATOR_CLEAR
    ]
    rng = Random(f"{seed} common pond")  # noqa: S311 - disorder on a table
    rng.shuffle(free)
    return tuple((x, y, rng.uniform(0.0, 360.0)) for x, y in free)


def common_place(seed: int, seat: int, number: int) -> tuple[float, float, float]:
    """Where the discard of a seat falls that lies there as its tile `number` (from 0): x, y mm and degrees.

    Raises:
        ValueError: there is no room for so many.
    """
    places = _places(seed)
    if not 0 <= number < len(places) // 4:
        raise ValueError(f"a common pond holds at most {len(places) // 4} tiles of a player")
    return places[4 * number + seat]
