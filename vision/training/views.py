"""Makes the locator's training data: drawn scenes and changed photographs, in numbered seeded shards.

    python -m vision.training.views --photos FOLDER --out FOLDER --first 0 --count 40 [--drawn 9]
    python -m vision.training.views --photos FOLDER --out FOLDER --first 700 --count 30 --layout table

The folder lies outside the repository; any shard can be made again from its number.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.training.bank import Photo, load_photos, make_bank
from vision.training.crops import degrade
from vision.training.layouts import LAYOUTS
from vision.training.scenes import STRETCHED, Label, Scenes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]

SCENES = 100
PHOTO_PICTURES = 30
DRAWN_SETS = 16
SIZE = 320
SHORT = (11.0, 30.0)
"""Short side of the tiles in a picture, px."""
ON_TABLES = (15.0, 30.0)
"""The same where only tables seen from above are drawn."""
CELL = 4
SEED = 31007
COMPLETE = frozenset({"jp-tray"})
"""Sets on whose photographs every tile is labelled: nothing else on them is one."""
ROW = 14
"""Numbers of a label: tile, part seen, 8 of the corners, box x0, y0, x1, y1 (nan where nobody knows it)."""


def rows_of(labels: tuple[Label, ...], scale: float) -> Floats:
    """The labels of a scene as rows (N, ROW)."""
    rows = [
        (lab.tile, lab.visible, *(lab.quad * scale).ravel(), *(scale * v for v in lab.box)) for lab in labels
    ]
    return np.array(rows, np.float32).reshape(-1, ROW)


def _jpeg(picture: Picture, rng: np.random.Generator) -> NDArray[np.uint8]:
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(70, 97))])
    return data.ravel().astype(np.uint8)


def _placed(photo: Photo, rng: np.random.Generator, turn: float, tilt: float) -> NDArray[np.float64]:
    """Where a photograph goes (3, 3): turned, stretched, its tiles SHORT px, their middle near the middle."""
    boxes = np.array([(b.x, b.y, b.w, b.h) for b in photo.boxes])
    high = float(np.exp(rng.uniform(-0.35, 0.35)))
    stretch = np.diag((1 / high, high))
    sides = np.median(boxes[:, 2:] @ stretch, axis=0)
    scale = float(np.exp(rng.uniform(*np.log(SHORT)))) / float(sides.min())
    around = boxes[int(rng.integers(len(boxes)))] if rng.random() < 0.5 else boxes.mean(axis=0)
    c, s = scale * np.cos(turn), scale * np.sin(turn)
    linear = np.array([(c, -s), (s, c)]) @ stretch
    matrix = np.eye(3)
    matrix[:2, :2] = linear
    middle = around[:2] + around[2:] / 2
    matrix[:2, 2] = np.array((SIZE / 2, SIZE / 2)) + rng.normal(0, 40, 2) - linear @ middle
    tilted = np.eye(3)
    tilted[2, :2] = rng.normal(0, tilt, 2)
    return np.asarray(tilted @ matrix, np.float64)


def photo_picture(photo: Photo, rng: np.random.Generator) -> tuple[Picture, Floats, Picture]:
    """A straight photograph turned, scaled, stretched, tilted: picture, label rows, where the labels hold.

    Half of them are turned by quarters only and not tilted: their boxes bound the tiles all the same.
    """
    square = rng.random() < 0.5
    turn = float(rng.integers(4)) * np.pi / 2 if square else float(rng.uniform(0, 2 * np.pi))
    matrix = _placed(photo, rng, turn, 0.0 if square else 0.0005)
    boxes = np.array([(b.x, b.y, b.w, b.h) for b in photo.boxes])
    fill = tuple(float(v) for v in photo.picture[::40, ::40].reshape(-1, 3).mean(axis=0))
    shrink = float(np.sqrt(abs(np.linalg.det(matrix[:2, :2]))))
    soft = cv2.GaussianBlur(photo.picture, (0, 0), 0.4 / shrink) if shrink < 0.6 else photo.picture
    picture = cv2.warpPerspective(soft, matrix, (SIZE, SIZE), borderValue=fill)
    corners = np.stack(
        [boxes[:, :2], boxes[:, :2] + boxes[:, 2:] * (1, 0), boxes[:, :2] + boxes[:, 2:],
         boxes[:, :2] + boxes[:, 2:] * (0, 1)], axis=1)  # fmt: skip
    lying = boxes[:, 2] > 1.15 * boxes[:, 3]
    corners[lying] = np.roll(corners[lying], 1, axis=1)
    quads = cv2.perspectiveTransform(corners.reshape(-1, 1, 2), matrix).reshape(-1, 4, 2)
    around = np.hstack([quads.min(axis=1), quads.max(axis=1)]) if square else np.full((len(quads), 4), np.nan)
    tiles = np.array([b.tile for b in photo.boxes])
    rows = np.hstack([tiles[:, None], np.ones((len(tiles), 1)), quads.reshape(-1, 8), around])
    all_known = 255 * (photo.tileset in COMPLETE)
    valid = np.full((SIZE // CELL, SIZE // CELL), all_known, np.uint8)
    for quad in quads:
        middle = quad.mean(axis=0)
        grown = middle + (quad - middle) * 1.6
        cv2.fillConvexPoly(valid, np.round(grown / CELL).astype(np.int32), 255.0)
    return degrade(picture.astype(np.uint8), rng), rows.astype(np.float32), valid


def make_shard(
    number: int,
    photos: list[Photo],
    out: Path,
    *,
    counts: tuple[int, int] = (SCENES, PHOTO_PICTURES),
    layout: str | None = None,
) -> None:
    """Write shard `number`: pictures-NNN.npz, `counts` drawn scenes and changed photographs.

    All scenes have one of `vision.training.layouts.LAYOUTS` where it is given; tables then aren't stretched.
    """
    rng = np.random.default_rng((SEED, number))
    only_tables = layout == "table"
    bank = make_bank(photos, DRAWN_SETS, rng)
    scenes = Scenes(bank, rng, SIZE, stretched=0.0 if only_tables else STRETCHED)
    shorts = np.log(ON_TABLES if only_tables else SHORT)
    pictures, labels, valids = [], [], []
    for _ in range(counts[0]):
        scene = scenes.draw(short=float(np.exp(rng.uniform(*shorts))), layout=layout)
        picture = cv2.resize(scene.picture, (SIZE, SIZE), interpolation=cv2.INTER_AREA).astype(np.uint8)
        pictures.append(_jpeg(degrade(picture, rng), rng))
        labels.append(rows_of(scene.labels, 0.5))
        valids.append(np.full((SIZE // CELL, SIZE // CELL), 255, np.uint8))
    straight = [p for p in photos if p.straight]
    for _ in range(counts[1] if straight else 0):
        picture, rows, valid = photo_picture(straight[int(rng.integers(len(straight)))], rng)
        pictures.append(_jpeg(picture, rng))
        labels.append(rows)
        valids.append(valid)
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
    parser.add_argument("--drawn", type=int, default=SCENES, help="drawn scenes a shard")
    parser.add_argument("--changed", type=int, default=PHOTO_PICTURES, help="changed photographs a shard")
    parser.add_argument("--layout", choices=LAYOUTS, help="draw scenes of this kind only")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    photos = load_photos(args.photos)
    for number in range(args.first, args.first + args.count):
        counts = (args.drawn, args.changed)
        make_shard(number, photos, args.out, counts=counts, layout=args.layout)
        print(f"shard {number} done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
