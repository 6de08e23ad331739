"""Where every tile lies, to the millimetre: from bodies in their rows to what the camera can see.

The table's places are those of the model `longzhuo840`; (u, v) is a seat's own frame (u to his right, v
from the centre toward him). Disorder is the tile's own for as long as a deal lasts: the same seed and the
same body give the same crookedness, so nothing moves that was not moved. Footprints of tiles of one height
never overlap.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import starmap
from random import Random
from types import MappingProxyType
from typing import Final

from hardware_sim.layout_bodies import Bodies, LaidMeld, Slot, face
from hardware_sim.layout_common import common_place
from hardware_sim.layout_fit import LOOSE_ROWS, POND_ROWS, Piece, Row, Spot, Wobble, lay_pond, lay_row
from hardware_sim.presets import Ponds
from hardware_sim.scene import (
    FLAT_DOWN,
    FLAT_UP,
    STANDING,
    TILE_DEPTH,
    Pose,
    SceneTile,
    seat_angle,
    seat_point,
)

RACK_V: Final = 382.0
RACK_PITCH: Final = 31.7
OPEN_BOTTOM: Final = 402.5
APART_GAP: Final = 22.0
MELD_RIGHT: Final = 355.0
MELD_BOTTOM: Final = 354.5
MELD_GAP: Final = 8.5
WALL_V: Final = 284.5
WALL_PITCH: Final = 31.0
INDICATOR_CENTRE: Final = (86.0, -86.0)
HEAP_CELL: Final = 52.0
HEAP_CELLS: Final = 13
HEAP_CLEAR: Final = 84.0
"""No tile of the heap lies nearer to the centre (mm): the hatch opens there."""
UPSIDE_DOWN: Final = 0.3
"""Share of tiles whose face stands on its head for the player who laid it."""


@dataclass(frozen=True, slots=True)
class Disorder:
    """How ponds are laid: the rows, and how far (mm) and how much (degrees) a tile may be off."""

    rows: tuple[Row, ...]
    reach: float
    turn: float


DISORDERS: Final = MappingProxyType(
    {
        Ponds.TIDY: Disorder(POND_ROWS, 0.9, 2.4),
        Ponds.CASUAL: Disorder(LOOSE_ROWS, 2.5, 6.0),
        Ponds.MESSY: Disorder(LOOSE_ROWS, 6.0, 18.0),
    }
)


def scene_tiles(bodies: Bodies, *, seed: int, ponds: Ponds = Ponds.TIDY) -> tuple[SceneTile, ...]:
    """Every body on the table, with `seed` deciding the disorder of this deal."""
    return tuple(_all_tiles(bodies, seed, ponds))


def _all_tiles(bodies: Bodies, seed: int, ponds: Ponds) -> Iterator[SceneTile]:
    yield from _heap(bodies.heap, seed)
    yield from starmap(_in_wall, bodies.wall)
    for seat in range(4):
        if ponds is Ponds.COMMON:
            yield from _in_common(bodies.ponds[seat], seat, seed)
        else:
            yield from _pond(bodies.ponds[seat], seat, seed, ponds)
        yield from _melds(bodies.melds[seat], seat, seed)
        if bodies.shown == seat:
            yield from _open_hand(bodies, seat, seed)
        else:
            yield from _rack(bodies.racks[seat], seat, seed)
    if bodies.indicator is not None:
        yield _indicator(bodies.indicator, seed)


@lru_cache(maxsize=1 << 14)
def _wobble(seed: int, body: int, place: str, reach: float, turn: float) -> Wobble:
    rng = Random(f"{seed} {body} {place}")  # noqa: S311 - disorder on a table
    return Wobble(rng.uniform(-reach, reach), rng.uniform(-reach, reach), rng.uniform(-turn, turn))


def _half_turn(seed: int, body: int) -> float:
    """0, or 180 where this tile stands on its head in this deal."""
    return 180.0 if Random(f"{seed} {body} up").random() < UPSIDE_DOWN else 0.0  # noqa: S311


def _placed(body: int, seat: int, spot: Spot, *, turn: float = 0.0, pose: Pose = FLAT_UP) -> SceneTile:
    x, y = seat_point(seat, spot.u, spot.v)
    angle = (seat_angle(seat) + spot.angle + turn) % 360.0
    return SceneTile(body, face(body), x, y, angle, pose=pose)


@lru_cache(maxsize=1 << 15)
def _in_wall(slot: Slot, body: int) -> SceneTile:
    right = (17 - 1) / 2 * WALL_PITCH
    spot = Spot(right - slot.stack * WALL_PITCH, WALL_V, 0.0)
    return replace(_placed(body, slot.side, spot, pose=FLAT_DOWN), z=slot.layer * TILE_DEPTH)


@lru_cache(maxsize=16)
def _rack(rack: tuple[int, ...], seat: int, seed: int) -> tuple[SceneTile, ...]:
    left = -(len(rack) - 1) / 2 * RACK_PITCH
    tiles = []
    for place, body in enumerate(rack):
        wobble = _wobble(seed, body, "rack", 0.2, 0.5)
        spot = Spot(left + place * RACK_PITCH + wobble.u, RACK_V + wobble.v, wobble.angle)
        tiles.append(_placed(body, seat, spot, pose=STANDING))
    return tuple(tiles)


def _open_hand(bodies: Bodies, seat: int, seed: int) -> Iterator[SceneTile]:
    row = bodies.racks[seat]
    if not row:
        return
    pieces = [Piece(wobble=_wobble(seed, body, "open", 0.6, 0.6)) for body in row]
    apart = () if bodies.apart is None else (bodies.apart,)
    pieces += [Piece(wobble=_wobble(seed, body, "apart", 0.6, 1.5), gap=APART_GAP) for body in apart]
    spots = lay_row(pieces, bottom=OPEN_BOTTOM)
    middle = (spots[0].u + spots[-1].u) / 2
    for body, spot in zip((*row, *apart), spots, strict=True):
        moved = Spot(spot.u - middle, spot.v, spot.angle)
        yield _placed(body, seat, moved, turn=_half_turn(seed, body))


def _in_common(pond: tuple[int, ...], seat: int, seed: int) -> Iterator[SceneTile]:
    for number, body in enumerate(pond):
        x, y, angle = common_place(seed, seat, number)
        yield SceneTile(body, face(body), x, y, angle)


@lru_cache(maxsize=1 << 8)
def _pond(pond: tuple[int, ...], seat: int, seed: int, ponds: Ponds) -> tuple[SceneTile, ...]:
    """A discard moves none of those before it."""
    if not pond:
        return ()
    how = DISORDERS[ponds]
    wobbles = tuple(_wobble(seed, body, "pond", how.reach, how.turn) for body in pond)
    spot = lay_pond(wobbles, how.rows)[-1]
    last = _placed(pond[-1], seat, spot, turn=_half_turn(seed, pond[-1]))
    return (*_pond(pond[:-1], seat, seed, ponds), last)


@lru_cache(maxsize=16)
def _melds(melds: tuple[LaidMeld, ...], seat: int, seed: int) -> tuple[SceneTile, ...]:
    return tuple(_laid(melds, seat, seed))


def _laid(melds: tuple[LaidMeld, ...], seat: int, seed: int) -> Iterator[SceneTile]:
    right = MELD_RIGHT
    for meld in melds:
        spots = lay_row([_meld_piece(meld, body, seed) for body in meld.bodies], bottom=MELD_BOTTOM)
        shift = right - spots[-1].right()
        for body, spot in zip(meld.bodies, spots, strict=True):
            turned = 90.0 if body == meld.turned else 0.0
            pose = FLAT_DOWN if body in meld.face_down else FLAT_UP
            moved = Spot(spot.u + shift, spot.v, spot.angle)
            yield _placed(body, seat, moved, turn=turned + _half_turn(seed, body), pose=pose)
        right = spots[0].u + shift - (spots[0].right() - spots[0].u) - MELD_GAP


def _meld_piece(meld: LaidMeld, body: int, seed: int) -> Piece:
    return Piece(turn=90.0 if body == meld.turned else 0.0, wobble=_wobble(seed, body, "meld", 0.4, 0.6))


@lru_cache(maxsize=4)
def _indicator(body: int, seed: int) -> SceneTile:
    rng = Random(f"{seed} {body} indicator")  # noqa: S311 - disorder on a table
    x, y = (centre + rng.uniform(-3.0, 3.0) for centre in INDICATOR_CENTRE)
    angle = (rng.choice((0.0, 90.0, 180.0, 270.0)) + rng.uniform(-8.0, 8.0)) % 360.0
    return SceneTile(body, face(body), x, y, angle)


@lru_cache(maxsize=4)
def _heap_places(seed: int) -> tuple[tuple[float, float, float, Pose], ...]:
    """A place for every body: a cell larger than the tile's diagonal, so that any turn fits."""
    middle = (HEAP_CELLS - 1) / 2
    grid = range(HEAP_CELLS)
    cells = [((c - middle) * HEAP_CELL, (r - middle) * HEAP_CELL) for c in grid for r in grid]
    free = [(x, y) for x, y in cells if x * x + y * y > HEAP_CLEAR**2]
    rng = Random(f"{seed} heap")  # noqa: S311 - disorder on a table
    rng.shuffle(free)
    return tuple((x, y, rng.uniform(0.0, 360.0), rng.choice((FLAT_UP, FLAT_DOWN))) for x, y in free)


def _heap(heap: tuple[int, ...], seed: int) -> Iterator[SceneTile]:
    return (_heap_tile(body, seed) for body in heap)


@lru_cache(maxsize=1 << 8)
def _heap_tile(body: int, seed: int) -> SceneTile:
    x, y, angle, pose = _heap_places(seed)[body]
    return SceneTile(body, face(body), x, y, angle, 0.0, pose)
