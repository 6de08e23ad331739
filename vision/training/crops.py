"""Crops for the namer: from scenes, from photographs, and of what is no tile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import cv2
import numpy as np

from vision.name import MARGIN, NOT_A_TILE, REFINE_MARGIN, SIDE, UNIT, box_quads, crop_maps, crop_quads
from vision.training.scenes import BACK, Scene

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from vision.training.bank import Box, Photo

    Floats = NDArray[np.float64]
    Picture = NDArray[np.uint8]

LIGHT, GEOMETRY, STRONG = 0, 1, 2
UNKNOWN = np.full((4, 2), np.nan)
LOOSE = 0.42
"""Part of the crops that are cut as a first look cuts them: loosely, from corners that are off."""
LOOSELY, CLOSELY = (0.04, 0.08, 0.13), (0.03, 0.06, 0.1)
"""How far crops are off, as in `jitter`."""


@dataclass(frozen=True, slots=True)
class Crops:
    """Crops (N, 48, 48, 3), classes (N,), corners (N, 8) as `NamerNet` gives them, NaN where not told."""

    crops: Picture
    classes: NDArray[np.uint8]
    corners: NDArray[np.float32]

    @classmethod
    def of(cls, rows: list[tuple[Picture, int, Floats]]) -> Self:
        """From crops one by one with their classes and corners (4, 2)."""
        return cls(
            np.array([row[0] for row in rows], np.uint8).reshape(-1, SIDE, SIDE, 3),
            np.array([row[1] for row in rows], np.uint8),
            np.array([row[2] for row in rows], np.float32).reshape(-1, 8),
        )

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        """Several in one."""
        columns = ((p.crops, p.classes, p.corners) for p in parts)
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))

    def write(self, path: Path) -> None:
        """Write a shard."""
        np.savez(path, crops=self.crops, classes=self.classes, corners=self.corners)


def degrade(picture: Picture, rng: np.random.Generator) -> Picture:
    """Blur, noise, JPEG; the picture keeps its size."""
    out = picture
    if rng.random() < 0.2:
        # Webcams sharpen: light and dark rims along every stroke.
        soft = cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.7, 1.6)))
        gain = float(rng.uniform(0.4, 1.6))
        out = cv2.addWeighted(out, 1 + gain, soft, -gain, 0).astype(np.uint8)
    if rng.random() < 0.5:
        out = cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.3, 1.1))).astype(np.uint8)
    if rng.random() < 0.15:
        k = int(rng.integers(2, 5))
        kernel = np.zeros((k, k), np.float32)
        kernel[(k // 2, slice(None)) if rng.random() < 0.5 else (slice(None), k // 2)] = 1 / k
        out = cv2.filter2D(out, -1, kernel).astype(np.uint8)
    if rng.random() < 0.6:
        grain = rng.normal(0, rng.uniform(1, 12), (*out.shape[:2], 1 if rng.random() < 0.5 else 3))
        out = np.clip(out + grain.astype(np.float32), 0, 255).astype(np.uint8)
    if rng.random() < 0.6:
        quality = int(rng.integers(35, 96))
        _, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, quality])
        decoded = cv2.imdecode(data, cv2.IMREAD_COLOR)
        out = out if decoded is None else decoded.astype(np.uint8)
    return out


def recolour(crop: Picture, rng: np.random.Generator) -> Picture:
    """Move the inks' hues on their own, gamma, sometimes to grey, over-exposed or covered at an edge."""
    out = crop
    if rng.random() < 0.35:
        hsv = cv2.cvtColor(out, cv2.COLOR_BGR2HSV)
        hsv[..., 0] = (hsv[..., 0].astype(int) + rng.integers(-14, 15)) % 180
        hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.4, 1.5), 0, 255).astype(np.uint8)
        out = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR).astype(np.uint8)
    if rng.random() < 0.08:
        out = np.repeat(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2).astype(np.uint8)
    if rng.random() < 0.4:
        table = (255 * (np.arange(256) / 255) ** rng.uniform(0.6, 1.6) * rng.uniform(0.7, 1.25)).clip(0, 255)
        out = cv2.LUT(out, table.astype(np.uint8)).astype(np.uint8)
    if rng.random() < 0.08:
        out = out.copy()
        k = int(rng.integers(2, SIDE // 5))
        side = int(rng.integers(4))
        colour = rng.integers(0, 256, 3)
        (out[:k], out[-k:], out[:, :k], out[:, -k:])[side][:] = colour
    return out


def jitter(quad: Floats, rng: np.random.Generator, amount: float, turn: float = 1.0) -> Floats:
    """Move a quad's corners (together and apart), turn and stretch it; `amount` is relative to its sides.

    With `turn` 0 the quad's sides keep their directions, as those of boxes do.
    """
    middle = quad.mean(axis=0)
    right, down = (quad[1] - quad[0] + quad[2] - quad[3]) / 2, (quad[3] - quad[0] + quad[2] - quad[1]) / 2
    shift = rng.normal(0, amount * 0.5, 2)
    scale = 1 + rng.normal(0, amount * 0.6, 2)
    angle = rng.normal(0, amount * 0.7) * turn
    c, s = np.cos(angle), np.sin(angle)
    base = (
        np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) / 2 * scale
        + shift
        + rng.normal(0, amount * 0.25, (4, 2)) * turn
    )
    local = base @ np.array([(right[0], right[1]), (down[0], down[1])])
    out: Floats = middle + local @ np.array([(c, s), (-s, c)])
    return out


def _as_box(quad: Floats) -> Floats:
    low, high = quad.min(axis=0), quad.max(axis=0)
    box = np.array([(*low, *(high - low))])
    return np.asarray(box_quads(box)[0], np.float64)


def corners_in(matrix: Floats, quad: Floats) -> Floats:
    """Where a quad's corners lie in a crop, from where a crop of `REFINE_MARGIN` expects them (4, 2)."""
    there = cv2.perspectiveTransform(quad.reshape(-1, 1, 2) - 0.5, matrix).reshape(4, 2) + 0.5
    out: Floats = there / (SIDE / 2) - 1 - UNIT / (1 + REFINE_MARGIN)
    return out


def nearer_half_turn(corners: Floats) -> Floats:
    """The same corners counted from the other end of the tile, where that moves them less."""
    position = corners + UNIT / (1 + REFINE_MARGIN)
    other = np.roll(position, 2, axis=0) - UNIT / (1 + REFINE_MARGIN)
    return other if np.abs(other).sum() < np.abs(corners).sum() else corners


def cut(picture: Picture, frame: Floats, quad: Floats | None) -> tuple[Picture, Floats]:
    """A crop of quad `frame`: close, corners NaN; or loose with corners, given the `quad` of the tile."""
    frame32 = frame.astype(np.float32)
    if quad is None:
        return crop_quads(picture, frame32[None], MARGIN)[0], UNKNOWN
    crop = crop_quads(picture, frame32[None], REFINE_MARGIN)[0]
    return crop, nearer_half_turn(corners_in(np.linalg.inv(crop_maps(frame32[None], REFINE_MARGIN)[0]), quad))


def scene_crops(scene: Scene, rng: np.random.Generator) -> Crops:
    """Crops of a scene's tiles, and of what is none; backs are thinned out."""
    scale = float(rng.choice((1.0, 0.75, 0.5, 0.4)))
    size = round(scene.picture.shape[0] * scale)
    picture = cv2.resize(scene.picture, (size, size), interpolation=cv2.INTER_AREA).astype(np.uint8)
    picture = degrade(picture, rng)
    got: list[tuple[Picture, int, Floats]] = []
    for label in scene.labels:
        quad = label.quad * scale
        small = min(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[3] - quad[0])) < 11
        inside = ((quad > -2) & (quad < size + 2)).all()
        if small or not inside or label.visible < 0.72 or (label.tile == BACK and rng.random() < 0.75):
            continue
        loose = rng.random() < LOOSE
        frame = _as_box(quad) if rng.random() < 0.15 and label.photographed and not loose else quad
        frame = jitter(frame, rng, float(rng.choice(LOOSELY if loose else CLOSELY)))
        frame = np.roll(frame, 2, axis=0) if rng.random() < 0.5 else frame
        crop, corners = cut(picture, frame, quad if loose and label.visible > 0.9 else None)
        # A back without its colour may be a blank face.
        got.append((crop if label.tile == BACK else recolour(crop, rng), label.tile, corners))
    wrong = no_tiles(scene, rng, scale, max(1, len(got) // 24))
    got += [(recolour(cut(picture, quad, None)[0], rng), NOT_A_TILE, UNKNOWN) for quad in wrong]
    return Crops.of(got)


def no_tiles(scene: Scene, rng: np.random.Generator, scale: float, count: int) -> list[Floats]:
    """Quads that hold no one tile: cloth, things, gaps between tiles, tiles cut in half."""
    size = scene.picture.shape[0] * scale
    middles = np.array([lab.quad.mean(axis=0) for lab in scene.labels]).reshape(-1, 2) * scale
    sides = [float(np.linalg.norm(lab.quad[1] - lab.quad[0])) * scale for lab in scene.labels]
    side = float(np.median(sides)) if sides else 20.0
    out: list[Floats] = []
    for _ in range(8 * count):
        if len(middles) and rng.random() < 0.6:
            at = middles[int(rng.integers(len(middles)))] + rng.normal(0, side, 2)
        else:
            at = rng.uniform(0, size, 2)
        near = np.abs(middles - at).max(axis=1).min() if len(middles) else np.inf
        if near > 0.42 * side and len(out) < count:
            a = rng.uniform(0, np.pi)
            half = (
                np.array([(-1, -1.33), (1, -1.33), (1, 1.33), (-1, 1.33)]) * side / 2 * rng.uniform(0.7, 1.3)
            )
            out.append(at + half @ np.array([(np.cos(a), np.sin(a)), (-np.sin(a), np.cos(a))]))
    return out


def _turned(crops: Picture, rng: np.random.Generator) -> Picture:
    half = rng.random(len(crops)) < 0.5
    out = crops.copy()
    out[half] = crops[half][:, ::-1, ::-1]
    return out


def photo_crop(photo: Photo, box: Box, rng: np.random.Generator, strength: int) -> Picture:
    """One crop of a photographed tile: its box nearly as it is, moved about, or strongly changed."""
    quad = box_quads(np.array([(box.x, box.y, box.w, box.h)]))[0].astype(np.float64)
    if strength == LIGHT:
        crop = crop_quads(photo.picture, jitter(quad, rng, 0.02)[None])[0]
        return np.asarray(_turned(crop[None], rng)[0], np.uint8)
    quad = jitter(quad, rng, 0.08)
    if rng.random() < 0.3:
        quad = np.roll(quad, 1, axis=0)
    if photo.straight and rng.random() < 0.5:
        a, shear = rng.uniform(-0.79, 0.79) * rng.random(), rng.normal(0, 0.12)
        middle = quad.mean(axis=0)
        move = np.array([(np.cos(a), np.sin(a)), (-np.sin(a), np.cos(a))]) @ np.array([(1, shear), (0, 1)])
        wide = 1 + 0.5 * abs(np.sin(2 * a)) * rng.random()
        quad = middle + (quad - middle) @ move * wide
    crop = crop_quads(photo.picture, quad[None], MARGIN)[0]
    if strength == STRONG:
        size = int(rng.integers(20, 61))
        small = cv2.resize(crop, (size, size), interpolation=cv2.INTER_AREA).astype(np.uint8)
        crop = cv2.resize(degrade(small, rng), (SIDE, SIDE), interpolation=cv2.INTER_LINEAR).astype(np.uint8)
        crop = lamp(recolour(crop, rng), rng)
    return np.asarray(_turned(crop[None], rng)[0], np.uint8)


def lamp(crop: Picture, rng: np.random.Generator, often: float = 0.5) -> Picture:
    """Shade a crop across, sometimes with the lamp's spot on it; `often`: how often anything is done."""
    if rng.random() > often:
        return crop
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32) / SIDE - 0.5
    a = rng.uniform(0, 2 * np.pi)
    along = np.cos(a) * x + np.sin(a) * y - rng.uniform(-0.4, 0.4)
    shade = 1 - rng.uniform(0, 0.6) / (1 + np.exp(-along * rng.uniform(3, 60)))
    out = crop * shade[..., None] * rng.uniform(0.75, 1.0, 3)
    if rng.random() < 0.3:
        r2 = (x - rng.uniform(-0.5, 0.5)) ** 2 + (y - rng.uniform(-0.5, 0.5)) ** 2
        out += rng.uniform(40, 160) * np.exp(-r2 / rng.uniform(0.005, 0.08))[..., None]
    return np.asarray(np.clip(out, 0, 255), np.uint8)


def photo_crops(photos: list[Photo], count: int, rng: np.random.Generator, strength: int) -> Crops:
    """`count` crops, classes drawn evenly and tile sets evenly inside a class."""
    found: dict[int, dict[str, list[tuple[Photo, Box]]]] = {}
    for photo in photos:
        for box in photo.boxes:
            found.setdefault(box.tile, {}).setdefault(photo.tileset, []).append((photo, box))
    out: list[tuple[Picture, int, Floats]] = []
    for tile in rng.choice(sorted(found), count):
        sets = found[int(tile)]
        choice = sets[str(rng.choice(sorted(sets)))]
        photo, box = choice[int(rng.integers(len(choice)))]
        out.append((photo_crop(photo, box, rng, strength), int(tile), UNKNOWN))
    return Crops.of(out)
