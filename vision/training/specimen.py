"""Writes drawn scenes with what lies in them, for tests and for looking at: no photograph enters them.

python -m vision.training.specimen --out FOLDER --seed 5 --count 2 --layout table
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

from rules.tiles import Tile
from vision.training.bank import Bank, drawn_sets
from vision.training.layouts import LAYOUTS
from vision.training.scenes import Scene, Scenes
from vision.training.synth import draw_back

SIZE = 448
SHORT = 36.0
SETS = 6


def specimens(seed: int, count: int, layout: str = "table") -> list[Scene]:
    """Drawn tiles, (896, 896, 3), about 72 px wide where not far away; tables are seen from above."""
    rng = np.random.default_rng((seed, 77))
    bank = Bank(tuple(drawn_sets(SETS, rng)), (), tuple(draw_back(rng) for _ in range(SETS)))
    scenes = Scenes(bank, rng, SIZE)
    return [scenes.draw(short=SHORT, photographed=0.0, layout=layout) for _ in range(count)]


def write(scene: Scene, name: str, folder: Path) -> None:
    """Write NAME.jpg (448 px square) and NAME.json: tile, visible part 0..1, quad, box px of each label."""
    picture = cv2.resize(scene.picture, (SIZE, SIZE), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(folder / f"{name}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 92])
    labels = [
        {
            "tile": str(Tile(label.tile)),
            "visible": round(label.visible, 3),
            "quad": (label.quad / 2).round(2).tolist(),
            "box": [round(v / 2, 2) for v in label.box],
        }
        for label in scene.labels
    ]
    lines = ",\n".join(json.dumps(label) for label in labels)
    (folder / f"{name}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--count", type=int, default=2)
    parser.add_argument("--layout", choices=LAYOUTS, default="table")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    name = "drawn" if args.layout == "table" else args.layout
    for number, scene in enumerate(specimens(args.seed, args.count, args.layout)):
        write(scene, f"{name}-{args.seed}-{number}", args.out)


if __name__ == "__main__":
    main()
