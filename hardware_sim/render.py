"""Draws Scenes as the camera of one table sees them, redrawing only what changed since the last one.

`Renderer(seed, preset=...)`: the seed decides camera, lamps, cloth and noise, the preset of what kind.
`picture(scene)` is what the sensor delivers: drawn at twice the resolution, reduced, blurred by the lens, lit
by `lamp`, bent by the lens, and given fresh noise.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np

from hardware_sim.arms import ArmLook, draw_arms
from hardware_sim.camera_lens import SIZE, Bend, Lens, bend_of, lens_for
from hardware_sim.faces_sheet import Picture
from hardware_sim.lamp import GAIN_ONE, NOISE_MARGIN, NOISE_MIDDLE, Lamp, lamp_for
from hardware_sim.presets import DEFAULT, Preset
from hardware_sim.render_table import Console, draw_ground
from hardware_sim.render_tiles import Box, Sprite, draw_tile
from hardware_sim.scene import Scene, SceneTile

PAD = 14  # px drawn at least around a redrawn box, so that blurs at its edge come out the same
BLOCK = (480, 270)  # px, of the blocks in which a whole picture is drawn
WHOLE_FROM = 0.6  # redraw everything when this share of the picture changed


@lru_cache(maxsize=4)
def _table(seed: int, preset: Preset) -> tuple[Lens, Lamp, Bend | None]:
    """Return what never changes at one table; nobody writes to it."""
    lens = lens_for(seed, preset.size, preset.distortion)
    return lens, lamp_for(seed, preset), bend_of(lens)


@lru_cache(maxsize=2)
def _ground(seed: int, size: tuple[int, int]) -> Picture:
    """Return the bare table, which light and lens do not change; nobody writes to it."""
    return draw_ground(lens_for(seed, size), seed)


class Renderer:
    """The picture of one table, kept up to date."""

    def __init__(self, seed: int, *, preset: Preset = DEFAULT) -> None:
        self.seed = seed
        self.preset = preset
        # Neither style nor disorder changes the table itself, so that such presets share one.
        same = replace(preset, name=DEFAULT.name, ponds=DEFAULT.ponds, faces=DEFAULT.faces)
        self.lens, self.lamp, self._bend = _table(seed, same)
        self._ground = _ground(seed, preset.size)
        self._pad = max(PAD, self.lamp.shadow_reach + 5, round(3 * self.lamp.blur) + 4)
        self._look = ArmLook.for_seed(seed)
        self._chance = np.random.default_rng((seed, 4))
        self._sprites: dict[SceneTile, Sprite] = {}
        self._sorted: list[Sprite] = []
        self._scene: Scene | None = None
        self._clean: Picture = np.zeros_like(self._ground)

    def picture(self, scene: Scene) -> Picture:
        """Return the picture of `scene`, (H, W, 3) uint8 BGR, with fresh noise; a new array."""
        self._bring_up_to_date(scene)
        seen = self._clean
        if scene.arms:
            seen = seen.copy()
            draw_arms(seen, (self.lens, self.lamp), self._look, scene.arms)
        if self._bend is not None:
            bent = cv2.remap(seen, *self._bend, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
            seen = np.asarray(bent, np.uint8)
        left, top = (int(value) for value in self._chance.integers(0, NOISE_MARGIN, 2))
        width, height = self.lens.size
        noise = self.lamp.noise[top : top + height, left : left + width]
        return np.asarray(cv2.addWeighted(seen, 1.0, noise, 1.0, -NOISE_MIDDLE), np.uint8)

    def clean(self, scene: Scene) -> Picture:
        """Return the picture of `scene` without arms, the lens's distortion and noise; a copy."""
        self._bring_up_to_date(scene)
        return self._clean.copy()

    def _bring_up_to_date(self, scene: Scene) -> None:
        boxes = self._changes(scene)
        self._scene = scene
        console = Console(scene.hatch_open, scene.dice)
        for box in boxes:
            self._redraw(box, console)

    def _changes(self, scene: Scene) -> list[Box]:
        """Draw new sprites, drop old ones; return the boxes of the picture that have to be redrawn."""
        before = self._scene
        if before is None or before.set_colour != scene.set_colour:
            self._sprites = {}
        boxes: list[Box] = []
        wanted = set(scene.tiles)
        boxes.extend(self._sprites.pop(gone).cover for gone in self._sprites.keys() - wanted)
        for new in wanted - self._sprites.keys():
            sprite = draw_tile((self.lens, self.lamp), new, self.preset.style, scene.set_colour)
            self._sprites[new] = sprite
            boxes.append(sprite.cover)
        if boxes:
            self._sorted = sorted(self._sprites.values(), key=lambda sprite: sprite.order)
        if before is None or before.set_colour != scene.set_colour:
            return whole_picture(self.lens.size)
        if (before.hatch_open, before.dice) != (scene.hatch_open, scene.dice):
            boxes.append(Console(scene.hatch_open, scene.dice).cover(self.lens))
        return merged(boxes, self.lens.size)

    def _redraw(self, box: Box, console: Console) -> None:
        """Draw one box of the clean picture anew."""
        outer = (
            max(0, box[0] - self._pad),
            max(0, box[1] - self._pad),
            min(self.lens.size[0], box[2] + self._pad),
            min(self.lens.size[1], box[3] + self._pad),
        )
        near = [sprite for sprite in self._sorted if overlap(sprite.cover, outer)]
        ground = self._shaded_ground(outer, near)
        size = (ground.shape[1], ground.shape[0])
        canvas = np.asarray(
            cv2.resize(ground, (size[0] * 2, size[1] * 2), interpolation=cv2.INTER_LINEAR), np.uint8
        )
        if overlap(console.cover(self.lens), outer):
            console.draw(canvas, self.lens, (outer[0], outer[1]))
        for sprite in near:
            _paste(canvas, sprite, outer)
        small = np.asarray(cv2.resize(canvas, size, interpolation=cv2.INTER_AREA), np.uint8)
        blurred = self._through_lens(small)
        rows = slice(box[1] - outer[1], box[3] - outer[1])
        columns = slice(box[0] - outer[0], box[2] - outer[0])
        gain = self.lamp.gain[box[1] : box[3], box[0] : box[2]]
        lit = cv2.multiply(blurred[rows, columns], gain, scale=1 / GAIN_ONE)
        self._clean[box[1] : box[3], box[0] : box[2]] = lit

    def _through_lens(self, sharp: Picture) -> Picture:
        reach = 5 if self.lamp.blur < 1 else 2 * round(2.5 * self.lamp.blur) + 1
        blurred = cv2.GaussianBlur(sharp, (reach, reach), self.lamp.blur)
        if self.lamp.smear is not None:
            blurred = cv2.filter2D(blurred, -1, self.lamp.smear)
        return np.asarray(blurred, np.uint8)

    def _shaded_ground(self, outer: Box, near: Iterable[Sprite]) -> Picture:
        ground = self._ground[outer[1] : outer[3], outer[0] : outer[2]]
        dark = np.zeros(ground.shape[:2], np.uint8)
        for sprite in near:
            outline = np.round((sprite.shadow - (outer[0], outer[1])) * 16).astype(np.int32)
            cv2.fillConvexPoly(dark, outline, 255, cv2.LINE_AA, 4)
        kernel = 2 * (self.lamp.shadow_reach - 2) + 1
        soft = cv2.GaussianBlur(dark, (kernel, kernel), self.lamp.softness)
        left_over = cv2.convertScaleAbs(soft, alpha=-self.lamp.darkness, beta=255.0)
        return np.asarray(cv2.multiply(ground, cv2.merge([left_over] * 3), scale=1 / 255), np.uint8)


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share a pixel."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def whole_picture(size: tuple[int, int] = SIZE) -> list[Box]:
    """Return the blocks in which a whole picture is drawn: small enough for the processor's cache."""
    return [
        (x, y, min(x + BLOCK[0], size[0]), min(y + BLOCK[1], size[1]))
        for y in range(0, size[1], BLOCK[1])
        for x in range(0, size[0], BLOCK[0])
    ]


def merged(boxes: Iterable[Box], size: tuple[int, int] = SIZE) -> list[Box]:
    """Return disjoint boxes, inside the picture, that cover all the given ones."""
    result: list[Box] = []
    for box in boxes:
        new = (max(0, box[0]), max(0, box[1]), min(size[0], box[2]), min(size[1], box[3]))
        if new[0] >= new[2] or new[1] >= new[3]:
            continue
        while touching := [old for old in result if overlap(old, new)]:
            result = [old for old in result if old not in touching]
            group = [new, *touching]
            new = (
                min(one[0] for one in group),
                min(one[1] for one in group),
                max(one[2] for one in group),
                max(one[3] for one in group),
            )
        result.append(new)
    area = sum((box[2] - box[0]) * (box[3] - box[1]) for box in result)
    return whole_picture(size) if area > WHOLE_FROM * size[0] * size[1] else result


def _paste(canvas: Picture, sprite: Sprite, outer: Box) -> None:
    """Copy the part of a sprite that lies on the canvas (of twice the resolution) of the box `outer`."""
    x, y = 2 * (sprite.left - outer[0]), 2 * (sprite.top - outer[1])
    height, width = sprite.mask.shape
    left, top = max(0, x), max(0, y)
    right, bottom = min(canvas.shape[1], x + width), min(canvas.shape[0], y + height)
    if left >= right or top >= bottom:
        return
    inside = (slice(top - y, bottom - y), slice(left - x, right - x))
    cv2.copyTo(sprite.pixels[inside], sprite.mask[inside], canvas[top:bottom, left:right])
