"""Where things lie on a table: zones in a seat's own frame, and which zone a point of the table is in.

The table's frame is in millimetres, origin at the centre, x right and y DOWN as the camera shows it; seat 0
sits at the bottom (y = +), seat 1 at the right, seat 2 at the top, seat 3 at the left. A seat's own frame is
(u, v): u to the player's right, v from the centre toward the player. A table model fills in the numbers; this
module owns the types.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Number = TypeVar("Number", float, Floats)
SeatNumber = Literal[0, 1, 2, 3]
SEATS: Final[tuple[SeatNumber, ...]] = (0, 1, 2, 3)


class ZoneKind(StrEnum):
    """What a zone is for."""

    POND = "pond"
    MELD = "meld"
    HAND = "hand"
    WALL = "wall"
    INDICATOR = "indicator"
    DICE = "dice"
    HATCH = "hatch"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """A rectangle of the table.

    With a `seat` the bounds are in that seat's frame (a = u, b = v), without one in the table's (a = x, b =
    y); all in millimetres, edges belong to the zone. A round zone gives the radius of a disc about the
    bounds' centre.
    """

    kind: ZoneKind
    seat: SeatNumber | None = None
    a_min: float
    a_max: float
    b_min: float
    b_max: float
    radius: float | None = None

    def __post_init__(self) -> None:
        if self.a_min > self.a_max or self.b_min > self.b_max:
            raise ValueError(f"{self.kind} zone: bounds are the wrong way round")

    def holds(self, x: float, y: float) -> bool:
        """Whether the table point (x, y) lies in the zone."""
        a, b = (x, y) if self.seat is None else seat_local(self.seat, x, y)
        if self.radius is not None:
            middle_a, middle_b = (self.a_min + self.a_max) / 2, (self.b_min + self.b_max) / 2
            return (a - middle_a) ** 2 + (b - middle_b) ** 2 <= self.radius**2
        return self.a_min <= a <= self.a_max and self.b_min <= b <= self.b_max

    def holds_each(self, x: Floats, y: Floats) -> npt.NDArray[np.bool_]:
        """The same for many points (N,)."""
        a, b = (x, y) if self.seat is None else seat_local(self.seat, x, y)
        if self.radius is not None:
            middle_a, middle_b = (self.a_min + self.a_max) / 2, (self.b_min + self.b_max) / 2
            return np.asarray((a - middle_a) ** 2 + (b - middle_b) ** 2 <= self.radius**2)
        return np.asarray((self.a_min <= a) & (a <= self.a_max) & (self.b_min <= b) & (b <= self.b_max))


@dataclass(frozen=True, slots=True)
class Spot:
    """A point told by its zone: kind, owner, and (u, v) of that seat; (x, y) where it is no one's."""

    kind: ZoneKind
    seat: SeatNumber | None
    u: float
    v: float


class TileSides(Protocol):
    """Millimetres of a tile: short and long side of the face, thickness."""

    @property
    def width(self) -> float: ...  # noqa: D102
    @property
    def length(self) -> float: ...  # noqa: D102
    @property
    def thickness(self) -> float: ...  # noqa: D102


class CornerMarkers(Protocol):
    """ArUco markers printed upright (top toward seat 2): dictionary, side in mm, centres in mm by number."""

    @property
    def dictionary(self) -> str: ...  # noqa: D102
    @property
    def side(self) -> float: ...  # noqa: D102
    @property
    def centres(self) -> Mapping[int, tuple[float, float]]: ...  # noqa: D102


class TableGeometry(Protocol):
    """The facts of a table that eyes need; every table model has them."""

    @property
    def tile(self) -> TileSides: ...  # noqa: D102
    @property
    def cloth(self) -> float:
        """Side of the square cloth in millimetres."""

    @property
    def zones(self) -> tuple[Zone, ...]:
        """Where things lie; the first that holds a point wins."""

    @property
    def reach(self) -> float:
        """Millimetres around a zone within which a loosely laid tile still belongs to it."""

    @property
    def markers(self) -> CornerMarkers: ...  # noqa: D102


def seat_local(seat: SeatNumber, x: Number, y: Number) -> tuple[Number, Number]:
    """(u, v) of the table point (x, y), or of many at once, in the frame of `seat`.

    >>> seat_local(1, 200.0, 30.0)
    (-30.0, 200.0)
    """
    match seat:
        case 0:
            return x, y
        case 1:
            return -y, x
        case 2:
            return -x, -y
        case 3:
            return y, -x


def table_point(seat: SeatNumber, u: float, v: float) -> tuple[float, float]:
    """(x, y) on the table of the point (u, v) of `seat`; inverse of `seat_local`.

    >>> table_point(1, -30.0, 200.0)
    (200.0, 30.0)
    """
    match seat:
        case 0:
            return u, v
        case 1:
            return v, -u
        case 2:
            return -u, -v
        case 3:
            return -v, u


def local_angle(seat: SeatNumber, angle: float) -> float:
    """A table angle (degrees clockwise in the picture) as that seat sees it: 0 is upright to the player.

    >>> local_angle(1, 270.0)
    0.0
    """
    return (angle + 90.0 * seat) % 360.0


def spot(zones: Iterable[Zone], x: float, y: float) -> Spot:
    """The first zone that holds (x, y), else OUTSIDE in the table's frame."""
    for zone in zones:
        if zone.holds(x, y):
            u, v = (x, y) if zone.seat is None else seat_local(zone.seat, x, y)
            return Spot(zone.kind, zone.seat, u, v)
    return Spot(ZoneKind.OUTSIDE, None, x, y)


def nearest_spot(zones: Iterable[Zone], x: float, y: float, *, reach: float) -> Spot:
    """As `spot`, but a point in no zone falls to the nearest zone within `reach` mm: tiles lie loosely."""
    known = tuple(zones)
    exact = spot(known, x, y)
    if exact.kind is not ZoneKind.OUTSIDE:
        return exact
    best, distance = exact, reach
    for zone in known:
        u, v = (x, y) if zone.seat is None else seat_local(zone.seat, x, y)
        away_u = max(zone.a_min - u, 0.0, u - zone.a_max)
        away_v = max(zone.b_min - v, 0.0, v - zone.b_max)
        away = float((away_u**2 + away_v**2) ** 0.5)
        if away <= distance:
            best, distance = Spot(zone.kind, zone.seat, u, v), away
    return best
