"""Makes the namer's training data in numbered seeded shards: crops of scenes and photographs, and of solids.

    python -m vision.training.shards --photos FOLDER --out FOLDER --what crops --first 0 --count 40
    python -m vision.training.shards --photos FOLDER --out FOLDER --what solids --first 0 --count 30

A shard of crops holds those of `SCENES` scenes and `PHOTO_CROPS` of photographs, one of solids `SOLIDS` crops
of tiles in space. "pointed" are solids whose faces are easily taken for each other, "nothing" are crops of
what is no tile; both are named after the kind they are used with: their numbers begin where those end. The
folder lies outside the repository; a shard can be made again from its number.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np

from vision.training.bank import Photo, load_photos, make_bank
from vision.training.crops import GEOMETRY, LIGHT, STRONG, Crops, photo_crops, scene_crops
from vision.training.nothing import nothing_crops
from vision.training.pointed import pointed_bank
from vision.training.scenes import Scenes
from vision.training.solids import Solids

SCENES = 100
SOLIDS = 4000
PHOTO_CROPS = {LIGHT: 500, GEOMETRY: 500, STRONG: 1200}
DRAWN_SETS = 25
POINTED = 16
"""Sets of a shard of faces that are easily mistaken."""
NOTHING = 2500
WHOLLY_LABELLED = ("jp-tray",)
"""The tile sets in whose photographs every tile is labelled."""
SIZE = 416
SEED = 20240


def make_crops(number: int, photos: list[Photo], out: Path) -> None:
    """Write shard `number` of scenes and photographs: crops-NNN.npz."""
    rng = np.random.default_rng((SEED, number))
    scenes = Scenes(make_bank(photos, DRAWN_SETS, rng), rng, SIZE)
    parts = [scene_crops(scenes.draw(), rng) for _ in range(SCENES)]
    parts += [photo_crops(photos, n, rng, strength) for strength, n in PHOTO_CROPS.items() if photos]
    Crops.joined(parts).write(out / f"crops-{number:03}.npz")


def make_solids(number: int, photos: list[Photo], out: Path) -> None:
    """Write shard `number` of tiles in space: solids-NNN.npz."""
    rng = np.random.default_rng((SEED, SOLIDS, number))
    solids = Solids(make_bank(photos, DRAWN_SETS, rng), rng)
    solids.crops(SOLIDS).write(out / f"solids-{number:03}.npz")


def make_pointed(number: int, photos: list[Photo], out: Path) -> None:
    """Write shard `number` of tiles in space whose faces are easily mistaken: solids-NNN.npz."""
    del photos
    rng = np.random.default_rng((SEED, POINTED, number))
    Solids(pointed_bank(POINTED, rng), rng).crops(SOLIDS).write(out / f"solids-{number:03}.npz")


def make_nothing(number: int, photos: list[Photo], out: Path) -> None:
    """Write shard `number` of what is no tile: crops-NNN.npz."""
    rng = np.random.default_rng((SEED, NOTHING, number))
    whole = [photo for photo in photos if photo.tileset in WHOLLY_LABELLED]
    nothing_crops(NOTHING, whole, rng).write(out / f"crops-{number:03}.npz")


MAKERS = {"crops": make_crops, "solids": make_solids, "pointed": make_pointed, "nothing": make_nothing}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--what", choices=sorted(MAKERS), required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=40)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    photos = load_photos(args.photos)
    for number in range(args.first, args.first + args.count):
        MAKERS[args.what](number, photos, args.out)
        print(f"{args.what} {number} done", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
