"""From tiles whose faces are known to the views of a network: as they lie, and a little changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import cv2
import numpy as np

from vision.enrol import unit
from vision.name import MARGIN, REFINE_MARGIN, SIDE, crop_quads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vision.name import Namer

    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]

VIEWS_PER_FACE: Final = 32
"""About so many views, and as many half turns, are made of a face."""
MOST_VARIANTS: Final = 12
"""At most so many changed views of one tile."""
MOST_TILES: Final = 24
"""At most so many tiles of a face are looked at."""
LOOSE: Final = 3
"""Every so many changed views are of a loose crop, the first one to begin with."""
AROUND: Final = 0.3
"""What is kept of a picture reaches this part of a tile's size beyond it on each side."""
KEPT: Final = 2.0 * SIDE
"""Larger tiles are kept at about this many px."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Tiles whose faces are known, cut out of their pictures.

    `crops` (N, 48, 48, 3) as a namer would read them; `patches`: what lies around each, BGR, and `quads` (N,
    4, 2) px the tile in it; `four` (N,): the quad does not tell which side is up, so that four turns are read
    and not two; `faces` (N,) classes 0..43.
    """

    crops: Picture
    patches: tuple[Picture, ...]
    quads: Floats
    four: NDArray[np.bool_]
    faces: NDArray[np.int64]

    @classmethod
    def cut(
        cls, picture: Picture, quads: Floats, *, four: NDArray[np.bool_], faces: NDArray[np.int64]
    ) -> Self:
        """Cut tiles out of one BGR picture; quads (N, 4, 2) px as `Namer.name_refined` takes them."""
        cut = [_patch(picture, quad) for quad in quads]
        places = np.array([quad for _, quad in cut], np.float32).reshape(-1, 4, 2)
        return cls(crop_quads(picture, quads), tuple(patch for patch, _ in cut), places, four, faces)

    @classmethod
    def joined(cls, parts: Sequence[Known]) -> Self:
        """Those of one or more pictures, in order."""
        return cls(
            np.concatenate([part.crops for part in parts]),
            tuple(patch for part in parts for patch in part.patches),
            np.concatenate([part.quads for part in parts]),
            np.concatenate([part.four for part in parts]),
            np.concatenate([part.faces for part in parts]),
        )


def _patch(picture: Picture, quad: Floats) -> tuple[Picture, Floats]:
    span = np.ptp(quad, axis=0)
    low = np.clip(np.floor(quad.min(axis=0) - AROUND * span), 0, None).astype(int)
    high = np.ceil(quad.max(axis=0) + AROUND * span).astype(int)
    patch = picture[low[1] : high[1], low[0] : high[0]]
    factor = min(1.0, KEPT / float(span.max()))
    if factor < 1:
        patch = cv2.resize(patch, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA).astype(np.uint8)
    return patch.copy(), ((quad - low) * factor).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """What a network sees in crops, one row each.

    `logits` (M, 44); `embeddings` (M, 128) at length 1; `faces` (M,) classes; `tiles` (M,): views of one
    number show one and the same tile; `plain` (M,): as the tile lies, and as a namer would read it.
    """

    logits: Floats
    embeddings: Floats
    faces: NDArray[np.int64]
    tiles: NDArray[np.int64]
    plain: NDArray[np.bool_]


def spread(faces: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of many tiles (N,) are looked at: of a face with very many only some, evenly spread."""
    keep = np.ones(len(faces), np.bool_)
    for face in np.unique(faces):
        rows = np.flatnonzero(faces == face)
        if len(rows) > MOST_TILES:
            keep[rows] = False
            keep[rows[np.linspace(0, len(rows) - 1, MOST_TILES).round().astype(int)]] = True
    return keep


def views_of(known: Known, namer: Namer, *, seed: int = 0) -> Views:
    """All views of tiles, of which there must be one; `namer` knows of no enrolment."""
    chance = np.random.default_rng(seed)
    crops, tiles = list(known.crops), list(range(len(known.faces)))
    alike = np.bincount(known.faces)
    for tile, face in enumerate(known.faces):
        for n in range(int(np.clip(VIEWS_PER_FACE // alike[face] - 1, 1, MOST_VARIANTS))):
            # A namer's first look is at a looser crop.
            margin = REFINE_MARGIN if n % LOOSE == 0 else MARGIN
            crops.append(_varied(known.patches[tile], known.quads[tile], margin, chance))
            tiles.append(tile)
    plain = np.arange(len(crops)) < len(known.faces)
    return _seen(np.array(crops), np.array(tiles), plain, known, namer)


def _seen(
    crops: Picture, tiles: NDArray[np.int64], plain: NDArray[np.bool_], known: Known, namer: Namer
) -> Views:
    """Each crop and its half turn; its quarter turns too where these are read."""
    square = known.four[tiles]
    rows = [np.arange(len(crops)), np.arange(len(crops)), np.flatnonzero(square), np.flatnonzero(square)]
    turns = [np.rot90(crops[r], k, axes=(1, 2)) for r, k in zip(rows, (0, 2, 1, 3), strict=True)]
    logits, embeddings = namer.outputs(np.concatenate(turns))
    order = np.concatenate(rows)
    return Views(logits, unit(embeddings), known.faces[tiles[order]], tiles[order], plain[order])


def _varied(patch: Picture, quad: Floats, margin: float, chance: np.random.Generator) -> Picture:
    """A crop of a tile as a finder might have given it: turned, stretched and moved by some percent."""
    middle = quad.mean(axis=0)
    turn = chance.normal(0, np.radians(4))
    turning = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    loose = (quad - middle) * chance.normal(1, 0.06, 2) @ turning.T
    moved = loose + middle + chance.normal(0, 0.05, 2) * np.ptp(quad, axis=0)
    return _worsened(crop_quads(patch, moved.astype(np.float32)[None], margin)[0], chance)


def _worsened(crop: Picture, chance: np.random.Generator) -> Picture:
    """Less sharp, from farther away, noisier, or as it is."""
    match int(chance.integers(0, 4)):
        case 0:
            return cv2.GaussianBlur(crop, (0, 0), chance.uniform(0.5, 1.4)).astype(np.uint8)
        case 1:
            side = int(chance.integers(20, 36))
            small = cv2.resize(crop, (side, side), interpolation=cv2.INTER_AREA)
            return cv2.resize(small, (SIDE, SIDE), interpolation=cv2.INTER_LINEAR).astype(np.uint8)
        case 2:
            return np.clip(crop + chance.normal(0, 8, crop.shape), 0, 255).astype(np.uint8)
        case _:
            return crop
