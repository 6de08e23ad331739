"""Draws the pictures of laid-open hands `data/drawn-hand-*.jpg` with the simulated camera.

.venv/bin/python tests/vision/draw_hands.py
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from hardware_sim import presets
from hardware_sim.render import Renderer
from hardware_sim.scene import TILE_HEIGHT, TILE_WIDTH, Pose, Scene, SceneTile
from rules.tiles import Tile, parse_tiles

DATA = Path(__file__).parent / "data"
SEED = 11
HAND_V, SETS_V = 378.0, 330.0
BETWEEN_SETS, BEFORE_WINNING = 8.0, 16.0
Piece = tuple[Tile, float, float, Pose]
"""Face, millimetres of space before it, turn in degrees, pose."""


def hand(concealed: str, winning: str | None) -> list[Piece]:
    pieces: list[Piece] = [(tile, 0.4, 0.0, Pose.FLAT_UP) for tile in parse_tiles(concealed)]
    if winning is not None:
        pieces.append((Tile.parse(winning), BEFORE_WINNING, 0.0, Pose.FLAT_UP))
    return pieces


def declared(text: str, turned: int | None, *, concealed: bool = False) -> list[Piece]:
    pieces: list[Piece] = []
    for place, tile in enumerate(parse_tiles(text)):
        pose = Pose.FLAT_DOWN if concealed and place in {0, 3} else Pose.FLAT_UP
        pieces.append((tile, BETWEEN_SETS if place == 0 else 0.4, 90.0 if place == turned else 0.0, pose))
    return pieces


def laid(pieces: list[Piece], v: float, first: int) -> list[SceneTile]:
    """A row from u = -270 on, lower edges level."""
    u, tiles = -270.0, []
    for k, (tile, space, turn, pose) in enumerate(pieces):
        wide, high = (TILE_HEIGHT, TILE_WIDTH) if turn else (TILE_WIDTH, TILE_HEIGHT)
        y = v + (TILE_HEIGHT - high) / 2
        tiles.append(SceneTile(first + k, tile, u + space + wide / 2, y, turn, pose=pose))
        u += space + wide
    return tiles


def picture(tiles: list[SceneTile]) -> np.ndarray:
    """The part of a 4K picture where these tiles lie."""
    renderer = Renderer(SEED, preset=presets.named("4k"))
    whole = renderer.picture(Scene(tuple(tiles)))
    return whole[1780:2150, 1150:2800]


def askew(seen: np.ndarray) -> np.ndarray:
    """As from a hand-held camera, low and a little turned."""
    high, wide = seen.shape[:2]
    corners = np.array([(0, 0), (wide, 0), (wide, high), (0, high)], np.float32)
    there = np.array([(170, 90), (wide - 260, 0), (wide - 40, 0.72 * high), (0, 0.98 * high)], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, there)
    return cv2.warpPerspective(seen, matrix, (wide, high), borderMode=cv2.BORDER_REFLECT)


def main() -> None:
    """Write the three pictures."""
    closed = picture(laid(hand("123m 456m 789p 22s 55p", "5p"), HAND_V, 0))
    sets = declared("EEE", 0) + declared("345s", 0) + declared("9999p", None, concealed=True)
    open_ = picture(laid(hand("234m 7p", "7p"), HAND_V, 0) + laid(sets, SETS_V, 20))
    for name, seen in (("closed", closed), ("sets", open_), ("askew", askew(closed))):
        cv2.imwrite(str(DATA / f"drawn-hand-{name}.jpg"), seen, [cv2.IMWRITE_JPEG_QUALITY, 85])


if __name__ == "__main__":
    main()
