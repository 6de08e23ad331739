"""What lies open on the table, and what has changed since the last look. Pure but for its memory."""

from typing import Final

from hardware_sim.scene import Pose, Scene, SceneTile

WALL_V: Final = (262.0, 306.0)
"""Distance (mm) of the walls' tiles from the centre, in their owner's frame."""
BACK: Final = "back"


class Lying:
    """The tiles a perfect reading tells of, by body.

    Tiles standing in racks and the backs of the walls are not told: a camera has no use for them.
    """

    def __init__(self) -> None:
        """Nothing has been seen yet."""
        self.tiles: dict[int, SceneTile] = {}
        self._scene: tuple[SceneTile, ...] = ()

    def look(self, scene: Scene) -> tuple[tuple[int, ...], tuple[SceneTile, ...]]:
        """The bodies that no longer lie where they lay, and the tiles that lie somewhere new."""
        if scene.tiles is self._scene:
            return (), ()  # only arms, dice or hatch have moved
        self._scene = scene.tiles
        seen = {tile.id: tile for tile in scene.tiles if is_told(tile)}
        gone = tuple(body for body, tile in self.tiles.items() if seen.get(body) != tile)
        new = tuple(tile for body, tile in seen.items() if self.tiles.get(body) != tile)
        self.tiles = seen
        return gone, new


def is_told(tile: SceneTile) -> bool:
    """Whether a reading tells of this tile: it lies, and in no wall."""
    if tile.pose is Pose.STANDING:
        return False
    return tile.pose is Pose.FLAT_UP or not WALL_V[0] <= max(abs(tile.x), abs(tile.y)) <= WALL_V[1]


def shown(tile: SceneTile) -> str:
    """What a reading calls the tile."""
    return BACK if tile.pose is Pose.FLAT_DOWN else str(tile.tile)
