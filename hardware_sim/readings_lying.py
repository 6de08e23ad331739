"""What lies open on the table, and what has changed since the last look. Pure but for its memory."""

from typing import Final

from hardware_sim.scene import Pose, Scene, SceneTile

WALL_V: Final = (262.0, 306.0)
"""Distance (mm) of the walls' tiles from the centre, in their owner's frame."""
BACK: Final = "back"


class Lying:
    """Notices what a perfect reading has to tell of, by body.

    Tiles standing in racks and the backs of the walls are not told: a camera has no use for them.
    """

    def __init__(self) -> None:
        """Nothing has been seen yet."""
        self._tiles: dict[int, SceneTile] = {}
        self._scene: tuple[SceneTile, ...] = ()
        self._here: dict[int, SceneTile] = {}

    def look(self, scene: Scene) -> tuple[tuple[int, ...], tuple[SceneTile, ...]]:
        """The bodies that no longer lie where they lay, and the tiles that lie somewhere new."""
        if scene.tiles is self._scene:
            return (), ()  # only arms, dice or hatch have moved
        before, here = self._here, dict(zip(map(id, scene.tiles), scene.tiles, strict=True))
        self._scene, self._here = scene.tiles, here
        # What is the same object lies where it lay: most tiles need no closer look.
        came = {tile.id: tile for number, tile in here.items() if number not in before and is_told(tile)}
        went = [tile.id for number, tile in before.items() if number not in here]
        gone = tuple(body for body in went if body in self._tiles and came.get(body) != self._tiles[body])
        new = tuple(tile for body, tile in came.items() if self._tiles.get(body) != tile)
        for body in gone:
            del self._tiles[body]
        self._tiles |= came
        return gone, new


def is_told(tile: SceneTile) -> bool:
    """Whether a reading tells of this tile: it lies, and in no wall."""
    if tile.pose is Pose.STANDING:
        return False
    return tile.pose is Pose.FLAT_UP or not WALL_V[0] <= max(abs(tile.x), abs(tile.y)) <= WALL_V[1]


def shown(tile: SceneTile) -> str:
    """What a reading calls the tile."""
    return BACK if tile.pose is Pose.FLAT_DOWN else str(tile.tile)
