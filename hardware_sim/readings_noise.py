"""How a camera errs: what it makes of one tile that comes to lie, one telling after the other. Pure.

Shares are of tiles. Those of the noise `measured` are of the committed networks on the preset `casual`, as a
running table reads it (`python -m hardware_sim.scene_score --preset casual --count 60 --seed 31000`); what
that command can't show is named as assumed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Final

from rules.tiles import Tile

Span = tuple[float, float]
"""Seconds at speed 1, from .. to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """One kind of camera.

    Attributes:
        unsure: tiles that are told as unsure.
        passing: tiles that are told by a wrong name first, and by the right one before the table is at rest
            (assumed).
        overlooked: tiles that are not found at once (found share of the command above).
        lost: share of an arm's movements that make a told tile vanish and appear anew (assumed).
        unlisted: of unsure tiles, those whose true face is not among the candidates (assumed).
        seen_s: from a tile's rest to its telling: the stillness and the two agreeing reads of the defaults.
        gone_s: from a tile's leaving to the telling of that.
        unsure_s: patience before a tile is told as unsure.
        surer_s: until an unsure tile is read surely, as its neighbours and shadows change (assumed).
        overlooked_s: until an overlooked tile is found.
        settle_s: stillness after which the table is at rest.
        dice_s: until dice that lie are read.
        shake_mm: deviation of a place that is told.
    """

    unsure: float = 0.0
    passing: float = 0.0
    overlooked: float = 0.0
    lost: float = 0.0
    unlisted: float = 0.0
    seen_s: Span = (0.45, 0.85)
    gone_s: Span = (0.45, 0.85)
    unsure_s: float = 2.0
    surer_s: Span = (1.0, 12.0)
    overlooked_s: Span = (0.5, 4.0)
    settle_s: float = 0.25
    dice_s: float = 0.6
    shake_mm: float = 0.0


NOISES: Final = MappingProxyType(
    {
        "late": Noise(),
        "measured": Noise(
            unsure=0.014, passing=0.002, overlooked=0.001, lost=0.002, unlisted=0.02, shake_mm=0.7
        ),
    }
)
"""By name: a camera that is only late, and one that errs as measured."""

STRANGE_S: Final = 3.0
"""A thing that lies there and is not read as a tile keeps the table from rest for so long, and no longer."""

LOOK_ALIKE: Final[Mapping[Tile, tuple[Tile, ...]]] = MappingProxyType(
    {
        Tile.M7: (Tile.M4,),
        Tile.M8: (Tile.M9,),
        Tile.M2: (Tile.M3,),
        Tile.P1: (Tile.P9,),
        Tile.P7: (Tile.P6,),
        Tile.S1: (Tile.RED,),
        Tile.RED: (Tile.S1,),
        Tile.EAST: (Tile.SOUTH, Tile.P8),
        Tile.SOUTH: (Tile.P8,),
        Tile.WEST: (Tile.P8,),
        Tile.GREEN: (Tile.P8,),
    }
)
"""Faces that were taken for others most often, by what for."""


@dataclass(frozen=True, slots=True)
class Telling:
    """What is said of a tile `after` seconds: its name or "?", and the likeliest faces.

    `late`: the table may be told to be at rest before it. `strange`: the same, after `STRANGE_S`.
    """

    after: float
    tile: str
    candidates: tuple[tuple[str, float], ...]
    late: bool = False
    strange: bool = False


def tellings(face: str, noise: Noise, rng: Random, *, strict: bool = False) -> tuple[Telling, ...]:
    """What a camera says of a tile with this face (or "back"), first to last; the last is always true.

    `strict`: more is asked of the readings, as of the indicator's.
    """
    first = rng.uniform(*noise.seen_s)
    sure = ((face, 1.0),)
    if face == "back":
        return (Telling(first, face, sure),)
    chance = rng.random() / (2.0 if strict else 1.0)
    if chance < noise.unsure:
        doubt = Telling(first + noise.unsure_s, "?", _candidates(face, noise, rng))
        return doubt, Telling(rng.uniform(*noise.surer_s), face, sure, late=True)
    chance = rng.random()
    if chance < noise.passing:
        other = rng.choice(_others(face))
        return Telling(first, other, ((other, 0.97), (face, 0.03))), Telling(
            rng.uniform(*noise.seen_s), face, sure
        )
    if chance < noise.passing + noise.overlooked:
        return (Telling(first + rng.uniform(*noise.overlooked_s), face, sure, strange=True),)
    return (Telling(first, face, sure),)


def _candidates(face: str, noise: Noise, rng: Random) -> tuple[tuple[str, float], ...]:
    """The likeliest faces of an unsure tile: mostly the true one first."""
    others = _others(face)
    if rng.random() < noise.unlisted:
        return tuple(zip(others, (0.6, 0.3, 0.1), strict=False))
    chance = rng.uniform(0.45, 0.93)
    faces = [(face, chance), (others[0], 1.0 - chance)]
    if rng.random() < 0.15:
        faces = [(others[0], chance), (face, 1.0 - chance)]
    return tuple((name, round(share, 4)) for name, share in faces)


def _others(face: str) -> tuple[str, ...]:
    """The faces it is taken for most easily."""
    tile = Tile.parse(face)
    alike = LOOK_ALIKE.get(tile, ())
    if tile.is_suited:
        near = [Tile(tile + step) for step in (1, -1) if 1 <= (tile.rank or 0) + step <= 9]
    else:
        near = [honour for honour in (Tile.EAST, Tile.NORTH, Tile.RED) if honour is not tile]
    return tuple(dict.fromkeys(str(Tile(other)) for other in (*alike, *near)))
