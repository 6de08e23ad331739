"""Laying loose tiles side by side so that they touch and never overlap, with a little disorder that stays.

Everything here is in one seat's own frame: u to the player's right, v from the centre toward him,
millimetres; angles in degrees away from upright.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import cos, inf, radians, sin

from hardware_sim.scene import TILE_HEIGHT, TILE_WIDTH

STEP = 0.2
"""Millimetres a tile is pushed on at a time until it is free."""
NEAR = 60.0
"""Two tiles whose centres are further apart than this (mm, along one axis) never touch."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a tile's footprint lies: its centre, its turn, and its sides (`across` is along u at angle 0)."""

    u: float
    v: float
    angle: float
    across: float = TILE_WIDTH
    along: float = TILE_HEIGHT

    def corners(self) -> tuple[tuple[float, float], ...]:
        """The four corners, in order around."""
        c, s = cos(radians(self.angle)), sin(radians(self.angle))
        half = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        return tuple(
            (
                self.u + c * a * self.across / 2 - s * b * self.along / 2,
                self.v + s * a * self.across / 2 + c * b * self.along / 2,
            )
            for a, b in half
        )

    def right(self) -> float:
        """The largest u of the footprint."""
        return max(u for u, _ in self.corners())


@dataclass(frozen=True, slots=True)
class Wobble:
    """How one tile differs from perfect order: millimetres and degrees."""

    u: float
    v: float
    angle: float

    def scaled(self, by: float) -> "Wobble":
        """The same disorder, `by` times as large."""
        return Wobble(self.u * by, self.v * by, self.angle * by)


STRAIGHT = Wobble(0.0, 0.0, 0.0)


def overlap(first: Spot, second: Spot) -> bool:
    """Whether two footprints share area (touching edges do not count)."""
    if abs(first.u - second.u) > NEAR or abs(first.v - second.v) > NEAR:
        return False
    one, two = first.corners(), second.corners()
    for spot in (first, second):
        for turn in (0.0, 90.0):
            c, s = cos(radians(spot.angle + turn)), sin(radians(spot.angle + turn))
            a = [c * u + s * v for u, v in one]
            b = [c * u + s * v for u, v in two]
            if max(a) <= min(b) + 1e-9 or max(b) <= min(a) + 1e-9:
                return False
    return True


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a pond: the left edge of its first tile, the line it lies on, and which way is free.

    `low`, `high`: no tile of it reaches beyond these v. `loose`: tiles lie as far apart as their disorder
    says instead of touching.
    """

    left: float
    v: float
    outward: float
    places: int
    pitch: float = 32.0
    low: float = -inf
    high: float = inf
    loose: bool = False

    def holds(self, spot: Spot, place: int) -> bool:
        """Whether a tile leaves room for those after it and stays within the row's limits."""
        across = [v for _, v in spot.corners()]
        fits = self.low <= min(across) and max(across) <= self.high
        return fits and spot.right() <= self.left + self.pitch * (place + 1)


POND_ROWS = (
    Row(left=-160.0, v=184.5, outward=1.0, places=10),
    Row(left=-160.0, v=227.0, outward=1.0, places=10),
    Row(left=-112.0, v=141.5, outward=-1.0, places=7),
)
LOOSE_ROWS = (
    Row(left=-160.0, v=186.0, outward=1.0, places=8, pitch=40.0, low=160.0, high=212.0, loose=True),
    Row(left=-160.0, v=231.0, outward=1.0, places=8, pitch=40.0, high=259.0, loose=True),
    Row(left=-112.0, v=140.0, outward=-1.0, places=6, pitch=37.0, low=116.0, loose=True),
    Row(left=-54.0, v=97.0, outward=-1.0, places=3, pitch=35.0, low=74.0),
)
"""Where less tidy players lay their discards: more room each, so that a tile may be turned in its place."""


@lru_cache(maxsize=1 << 12)
def lay_pond(wobbles: tuple[Wobble, ...], rows: tuple[Row, ...] = POND_ROWS) -> tuple[Spot, ...]:
    """Where the tiles of a pond lie, first discard first. A tile's place depends only on those before it."""
    if not wobbles:
        return ()
    before = lay_pond(wobbles[:-1], rows)
    row, place = _row_of(len(before), rows)
    for scale in (1.0, 0.5, 0.25):
        spot = _laid(row, place, wobbles[-1].scaled(scale), before)
        if row.holds(spot, place):
            return (*before, spot)
    return (*before, _laid(row, place, STRAIGHT, before))


def _row_of(count: int, rows: tuple[Row, ...]) -> tuple[Row, int]:
    for row in rows:
        if count < row.places:
            return row, count
        count -= row.places
    raise ValueError(f"a pond holds at most {sum(row.places for row in rows)} tiles")


def _laid(row: Row, place: int, wobble: Wobble, before: Sequence[Spot]) -> Spot:
    left = before[-1].right() if place else row.left
    spot = Spot(left + TILE_WIDTH / 2 + max(0.0, wobble.u), row.v + wobble.v, wobble.angle)
    if place == 0:
        spot = replace(spot, u=spot.u + max(0.0, row.left - (spot.u * 2 - spot.right())))
    beside = before[-1] if place else None
    if beside is not None:
        gap = max(0.0, wobble.u) if row.loose else 0.0
        spot = replace(spot, u=_pulled_close(spot, beside) + gap)
    while True:
        if beside is not None and overlap(spot, beside):
            spot = replace(spot, u=spot.u + STEP)
        elif any(overlap(spot, other) for other in before):
            spot = replace(spot, v=spot.v + row.outward * STEP)
        else:
            return spot


def _pulled_close(spot: Spot, beside: Spot) -> float:
    """The smallest u at which a tile does not overlap its left neighbour."""
    near = replace(spot, u=beside.u + TILE_WIDTH - 2 * STEP)
    while overlap(near, beside):
        near = replace(near, u=near.u + STEP)
    return near.u


@dataclass(frozen=True, slots=True)
class Piece:
    """A tile to be laid in a row: how it is turned beside upright (0, 90, 180, 270) and its disorder."""

    turn: float = 0.0
    wobble: Wobble = STRAIGHT
    gap: float = 0.0


def lay_row(pieces: Sequence[Piece], *, bottom: float, left: float = 0.0) -> tuple[Spot, ...]:
    """Tiles side by side from `left` on, near edges on the line v = `bottom`, `gap` mm before a piece."""
    laid: list[Spot] = []
    for piece in pieces:
        sideways = piece.turn % 180.0 != 0.0
        across, along = (TILE_HEIGHT, TILE_WIDTH) if sideways else (TILE_WIDTH, TILE_HEIGHT)
        edge = laid[-1].right() if laid else left
        u = edge + piece.gap + across / 2
        spot = Spot(u, bottom - along / 2 + piece.wobble.v, piece.wobble.angle, across, along)
        spot = replace(spot, u=u + _left_excess(spot))
        laid.append(spot)
    return tuple(laid)


def _left_excess(spot: Spot) -> float:
    return max(0.0, spot.u - spot.across / 2 - min(u for u, _ in spot.corners()))
