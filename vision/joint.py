"""Readings of one moment taken together: a set has so many tiles of a kind, a hand so many tiles. Pure.

Each reading has a name by itself. Where more readings bear a name than there are such tiles, some are wrong,
and the ones most likely wrong become unsure. How likely is told by odds: the probability of the name against
that of everything else which the tile could be instead, faces of which all tiles lie there already left out.
Readings that are equally certain, or nearly, become unsure together: nothing tells which of them is wrong.

A name is never changed into another one, and no reading is dropped or counted away: unsure readings are for
people, or for the next look.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from rules.tiles import Tile

CLASSES: Final = 44
LEAST: Final = 1e-9
"""No probability counts as smaller."""

NEARLY: Final = 0.25
"""Readings whose log-odds differ by less are as certain as each other."""

FACES: Final = tuple(tile for tile in Tile if 0 <= tile < Tile.BACK)
ONE_SET: Final[Mapping[Tile, int]] = MappingProxyType({t: 1 if t.is_flower else 4 for t in FACES})
"""The tiles of a whole set: four of each face, one of each flower."""

Chances = npt.NDArray[np.floating]
"""(44,) probabilities: tiles 0..42, then "not a tile"."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One tile as it was read by itself.

    Attributes:
        name: what it is called; None where it is unsure by itself. A tile face down is called BACK.
        chances: (44,) probabilities.
        support: what else speaks for the name, as log-odds: it was relied on before, or a tile of that face
            was taken away elsewhere a moment ago.
        stands_for: tiles of its face that it stands for: two in a concealed kong whose outer tiles lie face
            down.
    """

    name: Tile | None
    chances: Chances
    support: float = 0.0
    stands_for: int = 1


@dataclass(frozen=True, slots=True)
class Limits:
    """What can lie there.

    Attributes:
        copies: tiles of each face that may lie among the readings; a face that is not named has none.
        groups: readings by their index that lie together, and how many tiles can lie there at most.
    """

    copies: Mapping[Tile, int] = field(default_factory=lambda: ONE_SET)
    groups: tuple[tuple[frozenset[int], int], ...] = ()


def copies_left(copies: Mapping[Tile, int], elsewhere: Iterable[Tile]) -> dict[Tile, int]:
    """The copies that are left when some tiles are known to lie where no reading is from."""
    gone = Counter(elsewhere)
    return {tile: max(0, number - gone[tile]) for tile, number in copies.items()}


def unsure_together(readings: Sequence[Reading], limits: Limits) -> frozenset[int]:
    """The indices of readings with a name that becomes unsure, because too many have it or lie together.

    Their order does not matter. Readings without a name take no part: they are unsure already.
    """
    certain = _certainty(readings, limits.copies)
    named = [k for k, reading in enumerate(readings) if reading.name in limits.copies]
    unknown = [k for k, r in enumerate(readings) if r.name in FACES and r.name not in limits.copies]
    out = set(unknown)
    for face in {readings[k].name for k in named}:
        same = [k for k in named if readings[k].name is face]
        room = limits.copies[face] if face is not None else 0
        out |= _too_many({k: readings[k].stands_for for k in same}, certain, room)
    for members, size in limits.groups:
        kept = {k: 1 for k in members if readings[k].name is not None and k not in out}
        out |= _too_many(kept, certain, size)
    return frozenset(out)


def _too_many(weights: Mapping[int, int], certain: Sequence[float], room: int) -> set[int]:
    """The least certain of these, so that what is left has room; all that are as certain as the last one."""
    excess = sum(weights.values()) - room
    edge = -np.inf
    for k in sorted(weights, key=lambda k: certain[k]):
        if excess <= 0:
            break
        edge = certain[k] + NEARLY
        excess -= weights[k]
    return {k for k in weights if certain[k] < edge}


def _certainty(readings: Sequence[Reading], copies: Mapping[Tile, int]) -> list[float]:
    """Log-odds of each reading's name against all it may be instead; infinitely low without a name."""
    lying = Counter(reading.name for reading in readings for _ in range(reading.stands_for))
    open_to = np.ones(CLASSES, np.bool_)
    for face in FACES:
        open_to[face] = lying[face] < copies.get(face, 0)
    return [_log_odds(reading, open_to) for reading in readings]


def _log_odds(reading: Reading, open_to: npt.NDArray[np.bool_]) -> float:
    if reading.name is None:
        return -np.inf
    chances = np.asarray(reading.chances, np.float64)
    others = open_to.copy()
    others[reading.name] = False
    against = max(float(chances[others].sum()), LEAST)
    return float(np.log(max(float(chances[reading.name]), LEAST) / against)) + reading.support
