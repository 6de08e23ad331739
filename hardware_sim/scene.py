"""What lies on the table at one moment: the world fills a Scene, the camera draws it.

Millimetres, origin in the centre of the table, x to the right and y DOWN in the picture. Seat 0 sits at the
bottom, seat 1 at the right, seat 2 at the top, seat 3 at the left.

Angles are degrees, clockwise in the picture, of the direction in which a tile's face is "up": at 0 a face
reads upright for seat 0, at 270 for seat 1, at 180 for seat 2, at 90 for seat 3 (`seat_angle`).
"""

from dataclasses import dataclass
from enum import Enum
from math import cos, radians, sin

from rules.tiles import Tile

TILE_WIDTH = 31.0  # a Chinese 42# tile: face 31 x 41.5, thickness 22
TILE_HEIGHT = 41.5
TILE_DEPTH = 22.0
CLOTH_HALF = 420.0
MARKER_SIZE = 40.0
MARKER_CENTRES = ((-388.0, -388.0), (388.0, -388.0), (388.0, 388.0), (-388.0, 388.0))  # ids 0..3
DOME_RADIUS = 40.0
HATCH_RADIUS = 55.0


class Pose(Enum):
    """How a tile lies: face up, face down, or standing with its face towards the direction it has "down"."""

    FLAT_UP = "flat_up"
    FLAT_DOWN = "flat_down"
    STANDING = "standing"


FLAT_UP, FLAT_DOWN, STANDING = Pose.FLAT_UP, Pose.FLAT_DOWN, Pose.STANDING


@dataclass(frozen=True, slots=True)
class SceneTile:
    """One body on the table.

    `id` stays with the body while it moves. `x`, `y` is the centre of its footprint in mm, `z` the height of
    its underside above the cloth (0, or 22 for the upper tile of a stack; other values for a carried tile). A
    STANDING tile with the angle of its owner's seat shows its face to its owner and its back to the centre.
    """

    id: int
    tile: Tile
    x: float
    y: float
    angle: float = 0.0
    z: float = 0.0
    pose: Pose = Pose.FLAT_UP


@dataclass(frozen=True, slots=True)
class Dice:
    """One or two dice in the dome: their upper faces 1..6, centres in mm, turns in degrees.

    `size`: mm of a side. `leans`: which way (degrees) and how far (degrees) each is tipped, empty where all
    lie flat. `moving`: mm they move during one exposure. `look`: seed of how they and the dome look.
    """

    values: tuple[int, ...]
    places: tuple[tuple[float, float], ...] = ((-12.0, 3.0), (13.0, -5.0))
    angles: tuple[float, ...] = (20.0, -35.0)
    size: float = 15.0
    leans: tuple[tuple[float, float], ...] = ()
    moving: float = 0.0
    look: int = 0


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm reaching in from a seat's edge; (x, y) in mm is where its fingertips are."""

    seat: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Scene:
    """All that the camera can see.

    `hatch_open`: 0 closed and flush .. 1 raised; `set_colour`: 0 | 1, which of the two sets is in play (the
    colour of the backs).
    """

    tiles: tuple[SceneTile, ...] = ()
    dice: Dice | None = None
    hatch_open: float = 0.0
    arms: tuple[Arm, ...] = ()
    set_colour: int = 0


def seat_angle(seat: int) -> float:
    """Return the angle of a tile that reads upright for `seat` (0..3)."""
    return (360.0 - 90.0 * seat) % 360.0


def seat_point(seat: int, u: float, v: float) -> tuple[float, float]:
    """Return (x, y) of the point `u` mm to the player's right, `v` mm from the centre to him."""
    return ((u, v), (v, -u), (-u, -v), (-v, u))[seat]


def up_vector(angle: float) -> tuple[float, float]:
    """Return the unit vector (x, y) towards the top of a face turned by `angle` degrees."""
    return sin(radians(angle)), -cos(radians(angle))
