"""Makes the training data: crops for the namer, pictures for the locator, in numbered seeded shards.

    python -m vision.training.shards --photos FOLDER --out FOLDER --first 0 --count 40

A shard holds `SCENES` scenes. The folder lies outside the repository; any shard can be made again from its
number.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.training.bank import Bank, Photo, load_photos, make_bank
from vision.training.crops import GEOMETRY, LIGHT, STRONG, degrade, photo_crops, scene_crops
from vision.training.scenes import Label, Scenes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]

SCENES = 100
PHOTO_PICTURES = 25
PHOTO_CROPS = {LIGHT: 500, GEOMETRY: 500, STRONG: 1200}
DRAWN_SETS = 25
SIZE = 416
CELL = 4
SEED = 20240


def _rows(labels: tuple[Label, ...], scale: float) -> NDArray[np.float32]:
    rows = [(lab.tile, lab.visible, *(lab.quad * scale).ravel()) for lab in labels]
    return np.array(rows, np.float32).reshape(-1, 10)


def _jpeg(picture: Picture, rng: np.random.Generator) -> NDArray[np.uint8]:
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(70, 97))])
    return data.ravel().astype(np.uint8)


def photo_picture(photo: Photo, rng: np.random.Generator) -> tuple[Picture, NDArray[np.float32], Picture]:
    """A straight photograph turned, scaled, tilted: picture, label rows, and where the labels hold."""
    short = float(np.median([min(b.w, b.h) for b in photo.boxes]))
    scale = float(np.exp(rng.uniform(np.log(14), np.log(40)))) / short
    a = float(rng.uniform(0, 2 * np.pi))
    boxes = np.array([(b.x, b.y, b.w, b.h) for b in photo.boxes])
    centre = (boxes[:, :2] + boxes[:, 2:] / 2).mean(axis=0)
    c, s = scale * np.cos(a), scale * np.sin(a)
    stretch = np.diag((float(rng.uniform(0.8, 1.25)), 1.0))
    linear = np.array([(c, -s), (s, c)]) @ stretch
    to = np.array((SIZE / 2, SIZE / 2)) + rng.normal(0, 50, 2)
    matrix = np.eye(3)
    matrix[:2, :2], matrix[:2, 2] = linear, to - linear @ centre
    tilt = np.eye(3)
    tilt[2, :2] = rng.normal(0, 0.0004, 2)
    matrix = tilt @ matrix
    fill = tuple(float(v) for v in photo.picture[::40, ::40].reshape(-1, 3).mean(axis=0))
    shrunk = cv2.GaussianBlur(photo.picture, (0, 0), 0.4 / scale) if scale < 0.6 else photo.picture
    picture = cv2.warpPerspective(shrunk, matrix, (SIZE, SIZE), borderValue=fill)
    corners = np.stack(
        [boxes[:, :2], boxes[:, :2] + boxes[:, 2:] * (1, 0), boxes[:, :2] + boxes[:, 2:],
         boxes[:, :2] + boxes[:, 2:] * (0, 1)], axis=1)  # fmt: skip
    lying = boxes[:, 2] > 1.15 * boxes[:, 3]
    corners[lying] = np.roll(corners[lying], 1, axis=1)
    quads = cv2.perspectiveTransform(corners.reshape(-1, 1, 2), matrix).reshape(-1, 8)
    tiles = np.array([b.tile for b in photo.boxes])
    rows = np.hstack([tiles[:, None], np.ones((len(tiles), 1)), quads]).astype(np.float32)
    valid = np.zeros((SIZE // CELL, SIZE // CELL), np.uint8)
    for quad in quads.reshape(-1, 4, 2):
        middle = quad.mean(axis=0)
        grown = middle + (quad - middle) * 1.6
        cv2.fillConvexPoly(valid, np.round(grown / CELL).astype(np.int32), 255.0)
    return degrade(picture.astype(np.uint8), rng), rows, valid


def make_shard(number: int, photos: list[Photo], out: Path) -> None:
    """Write shard `number`: crops-NNN.npz and pictures-NNN.npz."""
    rng = np.random.default_rng((SEED, number))
    bank: Bank = make_bank(photos, DRAWN_SETS, rng)
    scenes = Scenes(bank, rng, SIZE)
    crops, classes, pictures, labels, valids = [], [], [], [], []
    everywhere = np.full((SIZE // CELL, SIZE // CELL), 255, np.uint8)
    for _ in range(SCENES):
        scene = scenes.draw()
        got, names, _ = scene_crops(scene, rng)
        crops.append(got)
        classes.append(names)
        picture = cv2.resize(scene.picture, (SIZE, SIZE), interpolation=cv2.INTER_AREA).astype(np.uint8)
        pictures.append(_jpeg(degrade(picture, rng), rng))
        labels.append(_rows(scene.labels, 0.5))
        valids.append(everywhere)
    straight = [p for p in photos if p.straight]
    for _ in range(PHOTO_PICTURES if straight else 0):
        picture, rows, valid = photo_picture(straight[int(rng.integers(len(straight)))], rng)
        pictures.append(_jpeg(picture, rng))
        labels.append(rows)
        valids.append(valid)
    for strength, count in PHOTO_CROPS.items() if photos else ():
        got, names = photo_crops(photos, count, rng, strength)
        crops.append(got)
        classes.append(names)
    np.savez(out / f"crops-{number:03}.npz", crops=np.concatenate(crops), classes=np.concatenate(classes))
    np.savez(
        out / f"pictures-{number:03}.npz",
        data=np.concatenate(pictures),
        ends=np.cumsum([len(p) for p in pictures]),
        labels=np.concatenate(labels),
        label_ends=np.cumsum([len(rows) for rows in labels]),
        valid=np.stack(valids),
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=40)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    photos = load_photos(args.photos)
    for number in range(args.first, args.first + args.count):
        make_shard(number, photos, args.out)
        print(f"shard {number} done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
