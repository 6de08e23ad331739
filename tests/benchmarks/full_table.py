"""A full table of the simulated camera: 60 open faces in the ponds, 70 backs in the walls, as JPEGs."""

from __future__ import annotations

import cv2
import numpy as np

from hardware_sim.presets import DEFAULT
from hardware_sim.render import Renderer
from hardware_sim.scene import TILE_WIDTH, Pose, Scene, SceneTile
from rules.tiles import Tile

FACES, BACKS = 60, 70
ROW = 10
POND_V, POND_ROW, WALL_V = 184.0, 42.0, 284.0
SEED = 7


def full_table() -> Scene:
    """Fifteen discards of each seat, and as many backs as a wall shows that has just been built."""
    chance = np.random.default_rng(SEED)
    faces = chance.permutation(np.repeat(np.arange(34), 4))[:FACES]
    tiles: list[SceneTile] = []
    for seat in range(4):
        for k in range(FACES // 4):
            u = (k % ROW - (ROW - 1) / 2) * (TILE_WIDTH + 0.6)
            tiles.append(
                _lying(len(tiles), Tile(int(faces[len(tiles)])), seat, (u, POND_V + POND_ROW * (k // ROW)))
            )
    for seat, count in enumerate((18, 18, 17, 17)):
        for k in range(count):
            place = ((k - (count - 1) / 2) * (TILE_WIDTH + 0.3), WALL_V)
            tiles.append(_lying(len(tiles), Tile.M1, seat, place, pose=Pose.FLAT_DOWN))
    return Scene(tuple(tiles))


def _lying(
    number: int, tile: Tile, seat: int, place: tuple[float, float], *, pose: Pose = Pose.FLAT_UP
) -> SceneTile:
    u, v = place
    x, y = ((u, v), (v, -u), (-u, -v), (-v, u))[seat]
    return SceneTile(number, tile, x, y, (0.0, 270.0, 180.0, 90.0)[seat], pose=pose)


def pictures(count: int) -> list[bytes]:
    """JPEGs of 1920 x 1080 px of the table at rest, each with its own noise."""
    renderer, scene = Renderer(SEED, preset=DEFAULT), full_table()
    out = []
    for _ in range(count):
        done, data = cv2.imencode(".jpg", renderer.picture(scene), [cv2.IMWRITE_JPEG_QUALITY, 85])
        assert done
        out.append(data.tobytes())
    return out
