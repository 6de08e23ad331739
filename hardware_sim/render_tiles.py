"""One tile as the camera sees it: a sprite of its body and face, and the outline of its shadow."""

from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from hardware_sim.camera_lens import Lens, Points
from hardware_sim.faces import TEXTURE_SCALE, face_texture, rounded_outline
from hardware_sim.faces_sheet import Picture
from hardware_sim.faces_style import CLASSIC, Colour, FaceStyle
from hardware_sim.lamp import Lamp
from hardware_sim.scene import (
    FLAT_DOWN,
    STANDING,
    TILE_DEPTH,
    TILE_HEIGHT,
    TILE_WIDTH,
    SceneTile,
    up_vector,
)
from rules.tiles import Tile

Box: TypeAlias = tuple[int, int, int, int]  # left, top, right, bottom in pixels; the latter two not included

BACK_LAYER = 9.0  # mm of a tile's thickness that has the colour of its back


@dataclass(frozen=True, eq=False)
class Sprite:
    """A drawn tile.

    `pixels` (h, w, 3) and `mask` (h, w) at twice the picture's resolution, their first pixel at the picture's
    `left`, `top`; `shadow` (N, 2) the convex outline of its shadow in pixels; `cover`: all it can change;
    `order`: sprites are drawn from the smallest to the largest.
    """

    pixels: Picture
    mask: Picture
    left: int
    top: int
    shadow: npt.NDArray[np.float32]
    cover: Box
    order: tuple[float, float, int]


@dataclass(frozen=True, eq=False)
class _Slab:
    """A part of a body with one colour: an outline in mm (N, 2) from height `low` to `high`."""

    outline: Points
    low: float
    high: float
    colour: Colour


def _on_table(outline: Points, tile: SceneTile) -> Points:
    """Return an outline around (0, 0) moved and turned to where the tile is."""
    up = np.array(up_vector(tile.angle))
    right = np.array([-up[1], up[0]])
    return np.asarray(outline[:, :1] * right - outline[:, 1:] * up + (tile.x, tile.y))


@cache
def _outline(style: FaceStyle) -> Points:
    return rounded_outline(TILE_WIDTH, TILE_HEIGHT, style.radius)


def _slabs(tile: SceneTile, style: FaceStyle, set_colour: int = 0) -> list[_Slab]:
    low, body, back = tile.z, style.body, style.backs[set_colour]
    if tile.pose is STANDING:
        front_depth = TILE_DEPTH - BACK_LAYER
        front = rounded_outline(TILE_WIDTH, front_depth + 1, 2.0) + np.array([0, BACK_LAYER / 2])
        rear = rounded_outline(TILE_WIDTH, BACK_LAYER, 2.0) - np.array([0, front_depth / 2])
        return [
            _Slab(_on_table(front, tile), low, low + TILE_HEIGHT, body),
            _Slab(_on_table(rear, tile), low, low + TILE_HEIGHT, back),
        ]
    outline = _on_table(_outline(style), tile)
    if tile.pose is FLAT_DOWN:
        seam = low + TILE_DEPTH - BACK_LAYER
        return [
            _Slab(outline, low, seam, body),
            _Slab(outline, seam, low + TILE_DEPTH, back),
        ]
    seam = low + BACK_LAYER
    return [_Slab(outline, low, seam, back), _Slab(outline, seam, low + TILE_DEPTH, body)]


def _times(colour: Colour, factor: float) -> tuple[float, float, float]:
    return colour[0] * factor, colour[1] * factor, colour[2] * factor


def _side_light(lens: Lens, lamp: Lamp, tile: SceneTile) -> float:
    """Return how bright the side is that the camera sees: the one facing the point below the camera."""
    inward = np.array([lens.place[0] - tile.x, lens.place[1] - tile.y])
    length = max(1.0, float(np.hypot(*inward)))
    lamps = -np.array(lamp.shadow) / max(0.01, float(np.hypot(*lamp.shadow)))
    return 0.66 + 0.2 * float(inward @ lamps) / length


def _shadow(lens: Lens, lamp: Lamp, slabs: list[_Slab]) -> npt.NDArray[np.float32]:
    """Return the outline in pixels, on the cloth, of the shadow that a body throws."""
    spots = []
    for slab in slabs:
        for height in (slab.low, slab.high):
            moved = slab.outline + np.array(lamp.shadow) * height
            spots.append(lens.pixels(np.column_stack((moved, np.zeros(len(moved))))))
    return _hull(np.vstack(spots))


def body_outline(lens: Lens, tile: SceneTile) -> npt.NDArray[np.float32]:
    """Return the convex outline (N, 2) in pixels of a whole body, its visible sides included."""
    rims = [
        lens.pixels(np.column_stack((slab.outline, np.full(len(slab.outline), height))))
        for slab in _slabs(tile, CLASSIC)
        for height in (slab.low, slab.high)
    ]
    return _hull(np.vstack(rims))


def _hull(points: Points) -> npt.NDArray[np.float32]:
    return np.asarray(cv2.convexHull(points.astype(np.float32))[:, 0], np.float32)


def _fixed(points: npt.NDArray[np.floating], corner: tuple[int, int]) -> npt.NDArray[np.int32]:
    """Return pixels of the picture as sixteenths of pixels of a sprite that starts at `corner`."""
    return np.asarray(np.round((2 * (points - corner) + 0.5) * 16), np.int32)


def _paint_top(
    sprite: tuple[Picture, tuple[int, int]], lens: Lens, tile: SceneTile, look: tuple[FaceStyle, int]
) -> None:
    """Warp the upper side of a lying tile into the sprite."""
    pixels, corner = sprite
    style, set_colour = look
    scale = TEXTURE_SCALE * max(1.0, lens.scale)
    texture = face_texture(Tile.BACK if tile.pose is FLAT_DOWN else tile.tile, set_colour, style, scale)
    height = tile.z + TILE_DEPTH
    up = np.array(up_vector(tile.angle))
    place = np.array([[-up[1], -up[0], tile.x], [up[0], -up[1], tile.y], [0, 0, 1]])
    half = (0.5 - TILE_WIDTH * scale / 2, 0.5 - texture.shape[0] / 2)
    to_mm = np.array([[1, 0, half[0]], [0, 1, half[1]], [0, 0, scale]]) / scale
    zoom = np.array([[2, 0, 0.5 - 2 * corner[0]], [0, 2, 0.5 - 2 * corner[1]], [0, 0, 1]])
    size = (pixels.shape[1], pixels.shape[0])
    warped = cv2.warpPerspective(
        texture[..., :3], zoom @ lens.plane(height) @ place @ to_mm, size, borderMode=cv2.BORDER_REPLICATE
    )
    outline = _on_table(_outline(style), tile)
    rim = lens.pixels(np.column_stack((outline, np.full(len(outline), height))))
    mask = np.zeros(pixels.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, _fixed(rim, corner), 255, cv2.LINE_8, 4)
    cv2.copyTo(warped, mask, pixels)


def _add_shine(pixels: Picture, lamp: Lamp, corner: tuple[int, int], laid: tuple[SceneTile, float]) -> None:
    """Let the lamps mirror in a tile, a little shifted: no two tiles lie equally level."""
    tile, scale = laid
    chance = np.random.default_rng((tile.id, round(tile.x * 4) & 0xFFFF, round(tile.y * 4) & 0xFFFF))
    shift = chance.normal(0, 4.5 * scale, 2)
    height, width = pixels.shape[:2]
    move = np.array([[1 / 8, 0, corner[0] / 4 + shift[0]], [0, 1 / 8, corner[1] / 4 + shift[1]]])
    shine = cv2.warpAffine(lamp.shine, move, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    tone = float(chance.uniform(0.96, 1.0))
    if not shine.any():
        cv2.convertScaleAbs(pixels, pixels, tone)
        return
    share = shine[..., None].astype(np.float32) / 255
    pixels[:] = (pixels * (tone * (1 - share)) + 255 * share).astype(np.uint8)


def draw_tile(
    view: tuple[Lens, Lamp], tile: SceneTile, style: FaceStyle = CLASSIC, set_colour: int = 0
) -> Sprite:
    """Draw one tile of a set."""
    lens, lamp = view
    slabs = _slabs(tile, style, set_colour)
    rims = [
        lens.pixels(np.column_stack((slab.outline, np.full(len(slab.outline), height))))
        for slab in slabs
        for height in (slab.low, slab.high)
    ]
    spots = np.vstack(rims)
    left, top = (int(np.floor(value)) - 2 for value in spots.min(axis=0))
    right, bottom = (int(np.ceil(value)) + 3 for value in spots.max(axis=0))
    corner = (left, top)
    pixels = np.zeros(((bottom - top) * 2, (right - left) * 2, 3), np.uint8)
    mask = np.zeros(pixels.shape[:2], np.uint8)
    light = _side_light(lens, lamp, tile)
    for slab, low, high in zip(slabs, rims[::2], rims[1::2], strict=True):
        hull = _fixed(_hull(np.vstack((low, high))), corner)
        cv2.fillConvexPoly(pixels, hull, _times(slab.colour, light), cv2.LINE_8, 4)
        cv2.fillConvexPoly(mask, hull, 255, cv2.LINE_8, 4)
        if tile.pose is STANDING:
            rim = _fixed(high, corner)
            cv2.fillConvexPoly(pixels, rim, _times(slab.colour, 0.95), cv2.LINE_8, 4)
            cv2.polylines(pixels, [rim], isClosed=True, color=_times(slab.colour, 0.7), thickness=2, shift=4)
    if tile.pose is not STANDING:
        _paint_top((pixels, corner), lens, tile, (style, set_colour))
    _add_shine(pixels, lamp, corner, (tile, lens.scale))
    shadow = _shadow(lens, lamp, slabs)
    cover = _cover(np.array((left, top, right, bottom)), shadow, lamp.shadow_reach)
    return Sprite(pixels, mask, left, top, shadow, cover, _order(lens, tile))


def _cover(body: npt.NDArray[np.intp], shadow: npt.NDArray[np.float32], reach: int) -> Box:
    start = np.minimum(body[:2], np.floor(shadow.min(axis=0)) - reach).astype(int)
    stop = np.maximum(body[2:], np.ceil(shadow.max(axis=0)) + reach + 1).astype(int)
    return int(start[0]), int(start[1]), int(stop[0]), int(stop[1])


def _order(lens: Lens, tile: SceneTile) -> tuple[float, float, int]:
    """Lower layers first; in a layer the far ones first: bodies lean away from the point below the camera."""
    return tile.z, -float(np.hypot(tile.x - lens.place[0], tile.y - lens.place[1])), tile.id
