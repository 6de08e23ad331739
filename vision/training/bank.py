"""The faces scenes are made of: drawn sets, a set of free art, faces cut from the training photographs."""

from __future__ import annotations

import csv
import importlib.util
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from rules.tiles import Tile
from vision.training.synth import HEIGHT, WIDTH, draw_back, draw_face, draw_style

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]

FACES = 42
ART = ("Man", "Pin", "Sou")
ART_HONOURS = ("Ton", "Nan", "Shaa", "Pei", "Chun", "Hatsu", "Haku")


@dataclass(frozen=True, slots=True)
class Box:
    """A labelled tile of a photograph: pixel box and tile."""

    x: float
    y: float
    w: float
    h: float
    tile: int

    def covers(self, other: Box) -> float:
        """The part of this box that another covers."""
        w = min(self.x + self.w, other.x + other.w) - max(self.x, other.x)
        h = min(self.y + self.h, other.y + other.h) - max(self.y, other.y)
        return max(0.0, w) * max(0.0, h) / (self.w * self.h)


@dataclass(frozen=True, slots=True)
class Photo:
    """A training photograph with its boxes; `straight`: no box reaches far into another."""

    picture: Picture
    boxes: tuple[Box, ...]
    tileset: str
    straight: bool


def load_photos(folder: Path) -> list[Photo]:
    """Read the labelled photographs of a folder; raises FileNotFoundError without a labels.csv."""
    rows: dict[str, list[Box]] = defaultdict(list)
    sets: dict[str, str] = {}
    with (folder / "labels.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            x, y, w, h = (float(row[k]) for k in "xywh")
            rows[row["file"]].append(Box(x, y, w, h, int(Tile.parse(row["tile"]))))
            sets[row["file"]] = row["tileset"]
    out = []
    for name, boxes in sorted(rows.items()):
        picture = cv2.imread(str(folder / name))
        if picture is None:
            raise FileNotFoundError(f"{folder / name}: no readable picture")
        straight = all(a.covers(b) < 0.1 for a in boxes for b in boxes if a is not b)
        out.append(Photo(picture.astype(np.uint8), tuple(boxes), sets[name], straight))
    return out


def face_of(photo: Photo, box: Box) -> Picture:
    """A face cut from a straight photograph, upright or upside down, 96 x 128."""
    x0, y0 = max(0, round(box.x + 0.02 * box.w)), max(0, round(box.y + 0.02 * box.h))
    x1, y1 = round(box.x + 0.98 * box.w), round(box.y + 0.98 * box.h)
    cut = photo.picture[y0:y1, x0:x1]
    if box.w > 1.15 * box.h:
        cut = np.rot90(cut).astype(np.uint8)
    return cv2.resize(np.ascontiguousarray(cut), (WIDTH, HEIGHT), interpolation=cv2.INTER_LINEAR).astype(
        np.uint8
    )


@dataclass(frozen=True, slots=True)
class FaceSet:
    """One set of tiles: for each of the 42 faces the pictures there are (none for faces the set lacks)."""

    name: str
    faces: tuple[tuple[Picture, ...], ...]


def photo_sets(photos: list[Photo], per_face: int = 40) -> list[FaceSet]:
    """The tile sets of the photographs, from their straight pictures."""
    found: dict[str, list[list[Picture]]] = {}
    for photo in photos:
        faces = found.setdefault(photo.tileset, [[] for _ in range(FACES)])
        for box in photo.boxes if photo.straight else ():
            if len(faces[box.tile]) < per_face and min(box.w, box.h) >= 20:
                faces[box.tile].append(face_of(photo, box))
    return [FaceSet(name, tuple(tuple(f) for f in faces)) for name, faces in sorted(found.items())]


def drawn_sets(count: int, rng: np.random.Generator) -> list[FaceSet]:
    """Invented sets."""
    out = []
    for k in range(count):
        style = draw_style(rng)
        out.append(FaceSet(f"drawn-{k}", tuple((draw_face(t, style),) for t in range(FACES))))
    return out


def art_sets(count: int, rng: np.random.Generator) -> list[FaceSet]:
    """The CC0 art that the package mahjong-learner carries, on several papers; none where it is missing."""
    spec = importlib.util.find_spec("mahjong_learner")
    if spec is None or spec.origin is None:
        return []
    folder = Path(spec.origin).parent / "tiles_img"
    names = [f"{suit}{rank}" for suit in ART for rank in range(1, 10)] + list(ART_HONOURS)
    pictures = [cv2.imread(str(folder / f"{name}.png"), cv2.IMREAD_UNCHANGED) for name in names]
    out = []
    for k in range(count):
        paper = 255.0 - float(rng.integers(0, 40)) * np.array((1.0, 0.4, 0.2))
        inner = float(rng.uniform(0.72, 0.95))
        faces = [(_on_paper(p, paper, inner),) if p is not None else () for p in pictures]
        out.append(FaceSet(f"art-{k}", (*faces, *((),) * (FACES - len(faces)))))
    return out


def _on_paper(art: NDArray[np.generic], paper: NDArray[np.float64], inner: float) -> Picture:
    w, h = round(WIDTH * inner), round(HEIGHT * inner)
    small = cv2.resize(art.astype(np.uint8), (w, h), interpolation=cv2.INTER_AREA).astype(np.float32)
    alpha = small[..., 3:] / 255
    out = np.empty((HEIGHT, WIDTH, 3), np.float32)
    out[:] = paper
    x, y = (WIDTH - w) // 2, (HEIGHT - h) // 2
    part = out[y : y + h, x : x + w]
    part[:] = part * (1 - alpha) + small[..., :3] * alpha
    return out.astype(np.uint8)


@dataclass(frozen=True, slots=True)
class Bank:
    """All sets to draw from: drawn, art, photographed; and backs."""

    sets: tuple[FaceSet, ...]
    photographed: tuple[FaceSet, ...]
    backs: tuple[Picture, ...]


def make_bank(photos: list[Photo], drawn: int, rng: np.random.Generator) -> Bank:
    """A bank of `drawn` invented sets, the free art, and the photographed sets."""
    sets = drawn_sets(drawn, rng) + art_sets(max(1, drawn // 20), rng)
    backs = tuple(draw_back(rng) for _ in range(max(4, drawn)))
    return Bank(tuple(sets), tuple(photo_sets(photos)), backs)
