"""What is no tile: printed pages, book spines, labels, keyboards, screens, wood, cards, tiles' sides.

`nothing_crops` cuts it as a finder that errs would: about as large as one thing in the picture, at any turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.name import NOT_A_TILE
from vision.training.clutter import cloth, lay_clutter, reach_in
from vision.training.crops import UNKNOWN, Crops, cut, degrade, lamp, recolour
from vision.training.printed import SIDE, keyboard, labels, page, paint, screen
from vision.training.room import behind

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from vision.training.bank import Photo
    from vision.training.printed import Spots

    Picture = NDArray[np.uint8]
    Floats = NDArray[np.float64]
    Draw = Callable[[Picture, float, np.random.Generator], Spots]

CUTS = 12
"""Crops of one picture."""


def spines(picture: Picture, short: float, rng: np.random.Generator) -> Spots:
    """Books beside each other."""
    behind(picture, SIDE * rng.uniform(0.8, 1.2), rng, short)
    return []


def wood(picture: Picture, short: float, rng: np.random.Generator) -> Spots:
    """Grain and knots, boards with edges."""
    x = np.arange(SIDE, dtype=np.float32)[None]
    bend = cv2.resize(
        rng.normal(0, 1, (5, 5)).astype(np.float32), (SIDE, SIDE), interpolation=cv2.INTER_CUBIC
    )
    wave = np.sin(x / short * rng.uniform(2, 25) + bend * rng.uniform(1, 8)) + 0.5 * np.sin(
        x / short * rng.uniform(10, 60)
    )
    base = np.array((rng.integers(20, 150), rng.integers(50, 190), rng.integers(90, 235)), np.float32)
    out = base + (wave * rng.uniform(3, 22))[..., None] * np.array((0.7, 0.9, 1.0), np.float32)
    for _ in range(int(rng.integers(0, 5))):
        at = int(rng.integers(SIDE))
        (out[at : at + 2] if rng.random() < 0.5 else out[:, at : at + 2])[:] *= rng.uniform(0.2, 0.6)
    picture[:] = np.clip(out, 0, 255).astype(np.uint8)
    return []


def sides(picture: Picture, short: float, rng: np.random.Generator) -> Spots:
    """Rows of tiles seen from the side: pale above, coloured below, a seam between each two."""
    pale, other = paint(rng, 190, 250), tuple(int(v) for v in rng.integers(0, 230, 3))
    y, out = float(rng.uniform(-short, 0)), []
    while y < SIDE:
        high, split = short * rng.uniform(0.5, 1.2), rng.uniform(0.25, 0.75)
        x, wide = float(rng.uniform(-short, 0)), short * rng.uniform(0.9, 1.45)
        while x < SIDE:
            p, m, q = (round(x), round(y)), round(y + split * high), (round(x + wide), round(y + high))
            cv2.rectangle(picture, p, (q[0], m), pale, -1)
            cv2.rectangle(picture, (p[0], m), q, other, -1)
            cv2.rectangle(picture, p, q, tuple(v * 0.5 for v in pale), int(rng.choice((1, 1, 2))))
            out.append((x, y, wide, float(high)))
            x += wide + (0 if rng.random() < 0.9 else short)
        y += high + (0 if rng.random() < 0.3 else short * rng.uniform(0.3, 2))
    return out


def things(picture: Picture, short: float, rng: np.random.Generator) -> Spots:
    """Dice, markers, cards, cups, hands."""
    for _ in range(3):
        lay_clutter(picture, np.zeros(picture.shape[:2], np.int32), rng, short * rng.uniform(0.7, 1.5))
    if rng.random() < 0.4:
        reach_in(picture, np.zeros(picture.shape[:2], np.int32), rng, short)
    for _ in range(int(rng.integers(0, 3))):
        at = tuple(int(v) for v in rng.uniform(0, SIDE, 2))
        for k in range(int(rng.integers(1, 5)), 0, -1):
            cv2.circle(picture, at, round(short * 0.3 * k), paint(rng, 0, 256), -1, cv2.LINE_AA)
    return []


DRAWS: tuple[Draw, ...] = (page, page, spines, spines, labels, labels, keyboard, screen, wood, sides, things)


def _frame(short: float, rng: np.random.Generator) -> Floats:
    """A quad about as large as a tile, whole in the picture."""
    sides = short / 2, short * rng.uniform(0.5, 0.9)
    half = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * sides * rng.uniform(0.6, 1.5)
    a = rng.normal(0, 0.1) + rng.choice((0, np.pi / 2)) if rng.random() < 0.6 else rng.uniform(0, np.pi)
    turned = half @ np.array([(np.cos(a), np.sin(a)), (-np.sin(a), np.cos(a))])
    out: Floats = turned + rng.normal(0, 0.04 * short, (4, 2)) + rng.uniform(0.15, 0.85, 2) * SIDE
    return out


def _about(spots: Spots, short: float, rng: np.random.Generator) -> Floats:
    """A quad round one of the things drawn, or any."""
    if not spots or rng.random() < 0.35:
        return _frame(short, rng)
    x, y, w, h = spots[int(rng.integers(len(spots)))]
    corners = np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)]) + rng.normal(0, 0.06 * short, (4, 2))
    return np.roll(corners, int(rng.integers(4)), axis=0)


def _plain(crop: Picture) -> bool:
    """Nothing is to be seen: it may as well be a back or a blank face."""
    grey = cv2.GaussianBlur(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), (0, 0), 1.5).astype(np.float32)
    return float(grey[4:-4, 4:-4].std()) < (16.0 if grey.mean() > 150 else 7.0)


def _finished(picture: Picture, frame: Floats, rng: np.random.Generator) -> Picture:
    loose = frame.mean(axis=0) + (frame - frame.mean(axis=0)) * (1.25 if rng.random() < 0.5 else 1.0)
    return lamp(recolour(cut(picture, loose, None)[0], rng), rng, 0.3)


def nothing_crops(count: int, photos: list[Photo], rng: np.random.Generator) -> Crops:
    """`count` crops of class "not a tile", a fifth from between the tiles of wholly labelled photographs."""
    out: list[tuple[Picture, int, Floats]] = []
    whole = [p for p in photos if p.straight and p.boxes]
    while len(out) < count:
        if whole and rng.random() < 0.2:
            frames = _between(photo := whole[int(rng.integers(len(whole)))], rng)
            crops = [_finished(photo.picture, frame, rng) for frame in frames]
            out += [(crop, NOT_A_TILE, UNKNOWN) for crop in crops if not _plain(crop)]
            continue
        picture = cv2.resize(cloth(rng, SIDE // 2), (SIDE, SIDE), interpolation=cv2.INTER_LINEAR).astype(
            np.uint8
        )
        short = float(np.exp(rng.uniform(np.log(22), np.log(90))))
        spots = DRAWS[int(rng.integers(len(DRAWS)))](picture, short, rng)
        picture = degrade(picture, rng)
        crops = [_finished(picture, _about(spots, short, rng), rng) for _ in range(CUTS)]
        out += [(crop, NOT_A_TILE, UNKNOWN) for crop in crops if not _plain(crop)]
    return Crops.of(out[:count])


def _between(photo: Photo, rng: np.random.Generator) -> list[Floats]:
    """Quads of a photograph that touch no labelled tile's middle part."""
    high, wide = photo.picture.shape[:2]
    short = float(np.median([min(b.w, b.h) for b in photo.boxes]))
    middles = np.array([(b.x + b.w / 2, b.y + b.h / 2) for b in photo.boxes])
    reach = np.array([(b.w, b.h) for b in photo.boxes])
    out: list[Floats] = []
    for _ in range(4 * CUTS):
        frame = _frame(short, rng)
        frame += rng.uniform(0, 1, 2) * (wide, high) - frame.mean(axis=0)
        away = np.abs(middles - frame.mean(axis=0)) / reach
        inside = frame.min() > 0 and (frame < (wide, high)).all()
        if inside and away.max(axis=1).min() > 0.75 and len(out) < CUTS:
            out.append(frame)
    return out
