"""What else there is in a picture: cloths, dice, markers, cards, cups, arms, and the lamp's light."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]
    Owner = NDArray[np.int32]
    Floats = NDArray[np.float64]

HIDDEN = 0


def _colour(rng: np.random.Generator, low: int = 0, high: int = 256) -> tuple[int, int, int]:
    return int(rng.integers(low, high)), int(rng.integers(low, high)), int(rng.integers(low, high))


def cloth(rng: np.random.Generator, size: int) -> Picture:
    """A ground: felt of any colour, wood, weave, plain, or two of them with an edge."""
    hue, strong, light = int(rng.integers(180)), int(rng.integers(20, 240)), int(rng.integers(25, 215))
    if rng.random() < 0.35:
        hue = int(rng.normal(65, 12)) % 180
    base = cv2.cvtColor(np.full((1, 1, 3), (hue, strong, light), np.uint8), cv2.COLOR_HSV2BGR)[0, 0].astype(
        np.float32
    )
    out = np.empty((size, size, 3), np.float32)
    out[:] = base
    coarse = rng.normal(0, 1, (size // 16 + 1, size // 16 + 1)).astype(np.float32)
    out += cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC)[..., None] * rng.uniform(0, 12)
    kind = rng.random()
    if kind < 0.5:
        out += rng.normal(0, rng.uniform(1, 14), (size, size, 1)).astype(np.float32)
    elif kind < 0.7:
        across = np.cumsum(rng.normal(0, 2, size)).astype(np.float32)
        out += (across - across.mean())[:, None, None] * rng.uniform(0.2, 1.0)
        out += rng.normal(0, 3, (size, size, 1)).astype(np.float32)
    elif kind < 0.85:
        step = int(rng.integers(3, 14))
        y, x = np.mgrid[0:size, 0:size]
        out += (((x // step + y // step) % 2) * rng.uniform(5, 25)).astype(np.float32)[..., None]
    if rng.random() < 0.25:
        a, b = rng.uniform(-1, 1, 2)
        y, x = np.mgrid[0:size, 0:size]
        edge = (a * (x - size / 2) + b * (y - size / 2)) > rng.uniform(0.1, 0.5) * size
        out[edge] = np.array(_colour(rng, 20, 220), np.float32)
    return np.clip(out, 0, 255).astype(np.uint8)


def _box(centre: tuple[float, float], w: float, h: float, turn: float) -> NDArray[np.int32]:
    return np.round(cv2.boxPoints((centre, (w, h), turn)) * 16).astype(np.int32)


def _die(picture: Picture, rng: np.random.Generator, at: tuple[float, float], side: float) -> None:
    turn = float(rng.uniform(0, 360))
    body = _colour(rng, 200, 256) if rng.random() < 0.8 else _colour(rng, 20, 160)
    box = cv2.boxPoints((at, (side, side), turn))
    cv2.fillConvexPoly(picture, np.round(box * 16).astype(np.int32), body, cv2.LINE_AA, 4)
    ink = (40, 40, 190) if rng.random() < 0.5 else (30, 30, 30)
    spots = {1: (4,), 2: (0, 8), 3: (0, 4, 8), 4: (0, 2, 6, 8), 5: (0, 2, 4, 6, 8), 6: (0, 2, 3, 5, 6, 8)}
    ex, ey = (box[1] - box[0]) / 4, (box[3] - box[0]) / 4
    for spot in spots[int(rng.integers(1, 7))]:
        p = box[0] + ex * (spot % 3 + 1) + ey * (spot // 3 + 1)
        cv2.circle(picture, (round(p[0] * 16), round(p[1] * 16)), round(side * 1.4), ink, -1, cv2.LINE_AA, 4)


def marker(picture: Picture, rng: np.random.Generator, at: tuple[float, float], side: float) -> None:
    """Draw a marker such as tables have in their corners: black, four by four random cells, a white rim."""
    cells = np.zeros((6, 6), np.uint8)
    cells[1:5, 1:5] = rng.integers(0, 2, (4, 4)) * 255
    cells = np.pad(cells, 1, constant_values=255)
    matrix = cv2.getRotationMatrix2D((4.0, 4.0), float(rng.uniform(0, 360)), side / 6)
    matrix[0, 2] += at[0] - 4.0
    matrix[1, 2] += at[1] - 4.0
    high, wide = picture.shape[:2]
    flags = cv2.INTER_NEAREST
    drawn = cv2.warpAffine(cells, matrix, (wide, high), flags=flags)
    mask = cv2.warpAffine(np.full_like(cells, 255), matrix, (wide, high), flags=flags)
    picture[mask > 0] = drawn[mask > 0][:, None]


def _panel(picture: Picture, rng: np.random.Generator, at: tuple[float, float], r: float) -> None:
    x, y = at
    cv2.circle(picture, (round(x), round(y)), round(2.2 * r), _colour(rng, 10, 120), -1, cv2.LINE_AA)
    cv2.circle(
        picture,
        (round(x), round(y)),
        round(1.6 * r),
        _colour(rng, 10, 200),
        max(1, round(r / 5)),
        cv2.LINE_AA,
    )
    for k in range(int(rng.integers(0, 9))):
        a = k * 0.785
        p = (round(x + 1.9 * r * np.cos(a)), round(y + 1.9 * r * np.sin(a)))
        cv2.circle(picture, p, max(1, round(r / 6)), _colour(rng), -1, cv2.LINE_AA)


def _card(picture: Picture, rng: np.random.Generator, at: tuple[float, float], side: float) -> None:
    w, h = side * rng.uniform(0.15, 4.0), side * rng.uniform(0.3, 4.0)
    turn = float(rng.uniform(0, 360))
    bright = rng.random() < 0.6
    cv2.fillConvexPoly(picture, _box(at, w, h, turn), _colour(rng, 170 if bright else 0, 256), cv2.LINE_AA, 4)
    for _ in range(int(rng.integers(0, 6))):
        p = (at[0] + rng.uniform(-0.4, 0.4) * w, at[1] + rng.uniform(-0.4, 0.4) * h)
        text = "".join(rng.choice(list("AKQ0123456789+-xyz"), 3))
        where = (round(p[0]), round(p[1]))
        cv2.putText(
            picture, text, where, cv2.FONT_HERSHEY_SIMPLEX, side / 70, _colour(rng, 0, 120), 1, cv2.LINE_AA
        )


def lay_clutter(picture: Picture, owner: Owner, rng: np.random.Generator, short: float) -> None:
    """Lay things on the cloth before the tiles; sizes follow the tiles' short side px."""
    size = picture.shape[0]
    for _ in range(int(rng.integers(0, 9))):
        at = (float(rng.uniform(0, size)), float(rng.uniform(0, size)))
        which = rng.random()
        if which < 0.4:
            for _ in range(int(rng.integers(1, 4))):
                near = (at[0] + rng.normal(0, short), at[1] + rng.normal(0, short))
                _die(picture, rng, near, short * rng.uniform(0.35, 0.75))
        elif which < 0.55:
            marker(picture, rng, at, short * rng.uniform(0.8, 2.2))
        elif which < 0.7:
            _panel(picture, rng, at, short * rng.uniform(0.7, 2.0))
        elif which < 0.95:
            _card(picture, rng, at, short)
        else:
            r = round(short * rng.uniform(0.4, 2.0))
            cv2.circle(picture, (round(at[0]), round(at[1])), r, _colour(rng), -1, cv2.LINE_AA)
    owner[:] = HIDDEN


def reach_in(picture: Picture, owner: Owner, rng: np.random.Generator, short: float) -> None:
    """Draw arms from outside over everything: a sleeve, a hand with fingers."""
    size = picture.shape[0]
    for _ in range(int(rng.integers(1, 3))):
        a = rng.uniform(0, 2 * np.pi)
        start = np.array((np.cos(a), np.sin(a))) * size * 0.8 + size / 2
        end = rng.uniform(0.1, 0.9, 2) * size
        skin = np.array((rng.integers(90, 190), rng.integers(120, 200), rng.integers(160, 245)), np.float64)
        thick = short * rng.uniform(1.5, 2.8)
        along = (end - start) / max(1.0, float(np.linalg.norm(end - start)))
        cuff = end - along * short * rng.uniform(2.5, 6)
        sleeve, hand = tuple(float(v) for v in _colour(rng)), tuple(float(v) for v in skin)
        for target, paints in ((picture, (sleeve, hand)), (owner, ((float(HIDDEN),), (float(HIDDEN),)))):
            _line(target, (start, cuff), paints[0], thick * 1.25)
            _line(target, (cuff, end), paints[1], thick * 0.8)
            for k in range(4):
                turn = (k - 1.5) * 0.3
                c, s = np.cos(turn), np.sin(turn)
                tip = end + np.array((c * along[0] - s * along[1], s * along[0] + c * along[1])) * short * 1.6
                _line(target, (end, tip), paints[1], thick * 0.25)


def _line(
    picture: Picture | Owner, ends: tuple[Floats, Floats], colour: tuple[float, ...], width: float
) -> None:
    p, q = ((round(float(v[0])), round(float(v[1]))) for v in ends)
    kind = cv2.LINE_8 if picture.dtype == np.int32 else cv2.LINE_AA
    cv2.line(picture, p, q, colour, max(1, round(width)), kind)


def lighten(picture: Picture, rng: np.random.Generator) -> Picture:
    """Light the picture: uneven lamp, colour cast, glare spots, a hard shadow's edge."""
    size = picture.shape[0]
    few = 5
    field = cv2.resize(
        rng.uniform(0.7, 1.1, (few, few)).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC
    )
    if rng.random() < 0.2:
        y, x = np.mgrid[0:size, 0:size].astype(np.float32)
        a = rng.uniform(0, 2 * np.pi)
        side = (x - rng.uniform(0.2, 0.8) * size) * np.cos(a) + (y - rng.uniform(0.2, 0.8) * size) * np.sin(a)
        field *= 1 - rng.uniform(0.2, 0.55) / (1 + np.exp(-np.clip(side / rng.uniform(1, 30), -30, 30)))
    cast = rng.uniform(0.72, 1.0, 3)
    cast /= cast.max()
    gain = field[..., None] * (cast * rng.uniform(0.5, 1.25)).astype(np.float32)
    out = picture.astype(np.float32) * gain
    if rng.random() < 0.5:
        out += _glare(rng, size)
    return np.asarray(np.clip(out, 0, 255), np.uint8)


def _glare(rng: np.random.Generator, size: int) -> NDArray[np.float32]:
    small = size // 4
    spots = np.zeros((small, small), np.float32)
    for _ in range(int(rng.integers(1, 5))):
        at = (int(rng.integers(small)), int(rng.integers(small)))
        axes = (int(rng.integers(2, small // 5)), int(rng.integers(2, small // 12)))
        cv2.ellipse(spots, at, axes, float(rng.uniform(0, 180)), 0, 360, float(rng.uniform(40, 255)), -1)
    k = 2 * int(rng.integers(1, 12)) + 1
    soft = cv2.GaussianBlur(spots, (k, k), 0)
    return cv2.resize(soft, (size, size), interpolation=cv2.INTER_LINEAR)[..., None].astype(np.float32)
