"""How tiles lie in a scene: tables, grids, rows, racks, ranks, scattered; lengths are millimetres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Size = tuple[float, float, float]
"""Width, height and thickness of a tile."""
LAYOUTS = ("table", "grid", "row", "scattered", "rack", "standing")
LOW = frozenset({"rack", "standing"})
"""Layouts that are seen from low down."""
SHARES = (0.36, 0.12, 0.07, 0.14, 0.12, 0.19)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tile lies: centre on the table mm, turn, pose, level of the pile."""

    x: float
    y: float
    turn: float
    pose: str = "up"
    level: int = 0


def _grid(size: Size, rng: np.random.Generator, *, rows: int, columns: int, pose: str = "up") -> list[Place]:
    w, h, t = size
    if pose in {"stand", "side"}:
        w, h = (w, t) if pose == "stand" else (h, t)
    gap = float(rng.choice((0.0, 0.3, 1.0)))
    loose = float(rng.choice((0.0, 0.3, 1.0, 2.0)))
    out = []
    for r in range(rows):
        for c in range(columns):
            x, y = (c - (columns - 1) / 2) * (w + gap), (r - (rows - 1) / 2) * (h + gap)
            jitter = rng.normal(0, loose * 0.5, 2)
            out.append(Place(x + jitter[0], y + jitter[1], rng.normal(0, loose * 0.012), pose))
    return out


def _pond(size: Size, rng: np.random.Generator) -> list[Place]:
    places = _grid(size, rng, rows=int(rng.integers(1, 4)), columns=int(rng.integers(3, 11)))
    keep = len(places) - int(rng.integers(0, 4))
    out = []
    for p in places[:keep]:
        turn = p.turn + (rng.choice((-1, 1)) * np.pi / 2 if rng.random() < 0.06 else 0.0)
        pose = "down" if rng.random() < 0.04 else "up"
        out.append(Place(p.x, p.y, turn + (np.pi if rng.random() < 0.1 else 0.0), pose))
    return out


def _meld(size: Size, rng: np.random.Generator) -> list[Place]:
    w, h, _ = size
    out, x = [], 0.0
    for _ in range(int(rng.integers(1, 4))):
        count = int(rng.choice((3, 3, 4)))
        turned = int(rng.integers(count)) if rng.random() < 0.7 else -1
        closed = count == 4 and rng.random() < 0.5
        for k in range(count):
            wide = h if k == turned and not closed else w
            y = (h - w) / 2 if wide == h and h != w else 0.0
            pose = "down" if closed and k in {1, 2} else "up"
            out.append(Place(x + wide / 2, y, np.pi / 2 if wide == h else 0.0, pose))
            x += wide + float(rng.uniform(0, 0.6))
        x += float(rng.uniform(2, 12))
    return [Place(p.x - x / 2, p.y, p.turn, p.pose) for p in out]


def _wall(size: Size, rng: np.random.Generator) -> list[Place]:
    row = _grid(size, rng, rows=1, columns=int(rng.integers(4, 15)), pose="up")
    out = [Place(p.x, p.y, p.turn, "down") for p in row]
    top = out[int(rng.integers(0, 4)) : len(out) - int(rng.integers(0, 4))]
    shift = rng.normal(0, 0.5, 2)
    out += [Place(p.x + shift[0], p.y + shift[1], p.turn, "down", 1) for p in top]
    if top and rng.random() < 0.25:
        out[-1] = Place(top[-1].x, top[-1].y, top[-1].turn, "up", 1)
    return out


def _scattered(size: Size, rng: np.random.Generator, reach: float) -> list[Place]:
    out: list[Place] = []
    far = float(np.hypot(*size[:2])) * 0.95
    for _ in range(int(rng.integers(40, 300))):
        x, y = rng.uniform(-reach, reach, 2)
        if all((p.x - x) ** 2 + (p.y - y) ** 2 > far**2 for p in out):
            pose = str(rng.choice(("up", "up", "up", "up", "down", "stand", "side")))
            out.append(Place(x, y, rng.uniform(0, 2 * np.pi), pose))
    return out


def _moved(places: list[Place], x: float, y: float, turn: float) -> list[Place]:
    c, s = np.cos(turn), np.sin(turn)
    return [
        Place(x + c * p.x - s * p.y, y + s * p.x + c * p.y, p.turn + turn, p.pose, p.level) for p in places
    ]


def _group(size: Size, rng: np.random.Generator) -> list[Place]:
    which = rng.random()
    if which < 0.3:
        return _pond(size, rng)
    if which < 0.45:
        return _meld(size, rng)
    if which < 0.65:
        return _wall(size, rng)
    if which < 0.8:
        return _grid(size, rng, rows=1, columns=int(rng.integers(4, 15)), pose="stand")
    if which < 0.92:
        return _grid(size, rng, rows=1, columns=int(rng.integers(2, 15)))
    return _grid(size, rng, rows=1, columns=1)


def _fits(new: list[Place], old: list[Place], apart: float) -> bool:
    if not old or not new:
        return True
    a, b = (np.array([(p.x, p.y) for p in group]) for group in (new, old))
    return bool(np.min(np.sum((a[:, None] - b[None]) ** 2, axis=2)) > apart**2)


def lay_table(size: Size, rng: np.random.Generator, reach: float) -> list[Place]:
    """Several groups as on a table in play, at one angle and its quarter turns."""
    out: list[Place] = []
    angle = float(rng.uniform(0, 2 * np.pi)) if rng.random() < 0.5 else float(rng.normal(0, 0.05))
    for _ in range(int(rng.integers(30, 110))):
        turn = angle + float(rng.integers(4)) * np.pi / 2 + float(rng.normal(0, 0.02))
        x, y = rng.uniform(-reach, reach, 2)
        new = _moved(_group(size, rng), x, y, turn)
        if _fits(new, out, 1.03 * size[1]):
            out += new
    return out


def _standing(size: Size, rng: np.random.Generator) -> list[Place]:
    """Tiles that stand up in ranks one behind another, in rows or each apart."""
    w, h, t = size
    out: list[Place] = []
    y, near = 0.0, float(rng.uniform(1.2, 5.0)) * t
    for _ in range(int(rng.integers(1, 5))):
        count, shift = int(rng.integers(1, 12)), float(rng.normal(0, 2)) * w
        gap = 0.0 if rng.random() < 0.5 else float(rng.uniform(0.05, 2.5)) * w
        loose = 0.0 if gap == 0 else 0.3
        bend = float(rng.normal(0, 0.004))
        for k in range(count):
            x = shift + (k - (count - 1) / 2) * (w + gap) + float(rng.normal(0, loose)) * w * 0.5
            turn = float(rng.normal(0, 0.02 + 0.25 * loose)) + bend * x * 0.3
            deep = y + bend * x * x / w + float(rng.normal(0, 1)) * loose * t
            which = rng.random()
            pose = "stand" if which < 0.9 else str(rng.choice(("up", "side", "away")))
            out.append(Place(x, deep, turn, pose))
        y -= near + (0.0 if rng.random() < 0.5 else float(rng.uniform(0, 2)) * h)
    return [p for k, p in enumerate(out) if _clear(p, out[:k], 0.9 * t)]


def _clear(place: Place, others: list[Place], apart: float) -> bool:
    return all((p.x - place.x) ** 2 + (p.y - place.y) ** 2 > apart**2 for p in others)


def lay(size: Size, rng: np.random.Generator, reach: float, layout: str) -> list[Place]:
    """The places of one of `LAYOUTS`."""
    if layout == "table":
        return lay_table(size, rng, reach)
    if layout == "scattered":
        return _scattered(size, rng, reach)
    if layout == "grid":
        rows, columns = int(rng.integers(2, 7)), int(rng.integers(3, 10))
        places = _grid(size, rng, rows=rows, columns=columns)
        places = [p for p in places if rng.random() > 0.03]
        places = [Place(p.x, p.y, p.turn + np.pi * (rng.random() < 0.4), p.pose) for p in places]
    elif layout == "standing":
        places = _standing(size, rng)
    elif layout == "row":
        places = _grid(size, rng, rows=1, columns=int(rng.integers(5, 15)))
    else:
        places = _grid(size, rng, rows=1, columns=int(rng.integers(5, 15)), pose="stand")
        front = _pond(size, rng)
        places += _moved(front, 0.0, size[1] * rng.uniform(2.0, 4.0), rng.choice((0.0, np.pi)))
    turn = float(rng.uniform(0, 2 * np.pi)) if layout not in LOW else float(rng.normal(0, 0.3))
    x, y = rng.normal(0, 0.15 * reach, 2)
    return _moved(places, float(x), float(y), turn)
