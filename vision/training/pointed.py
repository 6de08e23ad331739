"""Sets of many faces that are easily taken for each other: birds, flowers, winds in heavy print."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from vision.training.bank import FACES, Bank, FaceSet
from vision.training.synth import draw_back, draw_face, draw_style, fonts

if TYPE_CHECKING:
    import numpy as np

    from vision.training.synth import Style

BIRD, EAST, RED, WHITE, FLOWER = 18, 27, 31, 33, 34
MANY = {BIRD: 12, **dict.fromkeys(range(EAST, RED), 8), RED: 2, RED + 1: 2, WHITE: 2}
"""How many pictures of a face a set holds; of each flower two, of the others one in every third set."""


def _typeface(rng: np.random.Generator) -> str:
    """A typeface; families of many faces are not drawn more often than others."""
    families: dict[str, list[str]] = {}
    for path in fonts():
        families.setdefault(Path(path).name[:4], []).append(path)
    names = sorted(families)
    family = families[names[int(rng.integers(len(names)))]]
    return family[int(rng.integers(len(family)))]


def _style(rng: np.random.Generator) -> Style:
    style = draw_style(rng)
    heavy = bool(rng.random() < 0.55)
    return replace(
        style,
        font=_typeface(rng),
        black=int(rng.choice((3, 5, 7, 9, 11, 13))) if heavy else 0,
        bold=0 if heavy else int(rng.choice((0, 0, 1, 2, 4, 6))),
        margin=float(rng.uniform(0.0, 0.2)),
        wind_ink=str(rng.choice(list("bkkgr"))),
        corner=int(rng.choice((0, 0, 0, 0, 1, 2, 3))),
    )


def pointed_set(name: str, rng: np.random.Generator) -> FaceSet:
    """A set whose pictures of one face are of as many styles."""
    others = rng.random() < 0.34
    counts = [MANY.get(tile, 2 if tile >= FLOWER else int(others)) for tile in range(FACES)]
    return FaceSet(
        name, tuple(tuple(draw_face(t, _style(rng)) for _ in range(n)) for t, n in enumerate(counts))
    )


def pointed_bank(count: int, rng: np.random.Generator) -> Bank:
    """A bank of `count` such sets."""
    sets = tuple(pointed_set(f"pointed-{k}", rng) for k in range(count))
    return Bank(sets, (), tuple(draw_back(rng) for _ in range(count)))
