"""Tables full of tiles, rendered: rows, grids, ponds, walls two high, racks, scattered tiles, clutter, lamps.

`Scenes.draw()` gives a picture and what lies in it. Used to train both networks; made from nothing but this
package's own drawing and the training photographs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.training.bank import FACES, Bank, FaceSet
from vision.training.bodies import Body, Camera, Canvas, Light, draw_body, draw_shadow, facing, look_from
from vision.training.clutter import cloth, lay_clutter, lighten, reach_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BACK, NO_TILE = 42, 43
LAYOUTS = ("table", "grid", "row", "scattered", "rack")
SHARES = (0.5, 0.15, 0.07, 0.16, 0.12)


@dataclass(frozen=True, slots=True)
class Label:
    """A tile of a scene: class 0..42, its main face's corners px (TL, TR, BR, BL), the part of it seen."""

    tile: int
    quad: Floats
    visible: float
    photographed: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """A rendered picture (S, S, 3) with its labels."""

    picture: NDArray[np.uint8]
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """What the tiles of one scene have in common."""

    size: tuple[float, float, float]
    faces: FaceSet
    back: NDArray[np.uint8]
    layer: float
    edge: float
    photographed: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tile lies: centre on the table mm, turn, pose, level of the pile."""

    x: float
    y: float
    turn: float
    pose: str = "up"
    level: int = 0


def _grid(kind: Kind, rng: np.random.Generator, *, rows: int, columns: int, pose: str = "up") -> list[Place]:
    w, h, t = kind.size
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


def _pond(kind: Kind, rng: np.random.Generator) -> list[Place]:
    places = _grid(kind, rng, rows=int(rng.integers(1, 4)), columns=int(rng.integers(3, 11)))
    keep = len(places) - int(rng.integers(0, 4))
    out = []
    for p in places[:keep]:
        turn = p.turn + (rng.choice((-1, 1)) * np.pi / 2 if rng.random() < 0.06 else 0.0)
        pose = "down" if rng.random() < 0.04 else "up"
        out.append(Place(p.x, p.y, turn + (np.pi if rng.random() < 0.1 else 0.0), pose))
    return out


def _meld(kind: Kind, rng: np.random.Generator) -> list[Place]:
    w, h, _ = kind.size
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


def _wall(kind: Kind, rng: np.random.Generator) -> list[Place]:
    row = _grid(kind, rng, rows=1, columns=int(rng.integers(4, 15)), pose="up")
    out = [Place(p.x, p.y, p.turn, "down") for p in row]
    top = out[int(rng.integers(0, 4)) : len(out) - int(rng.integers(0, 4))]
    shift = rng.normal(0, 0.5, 2)
    out += [Place(p.x + shift[0], p.y + shift[1], p.turn, "down", 1) for p in top]
    if top and rng.random() < 0.25:
        out[-1] = Place(top[-1].x, top[-1].y, top[-1].turn, "up", 1)
    return out


def _scattered(kind: Kind, rng: np.random.Generator, reach: float) -> list[Place]:
    out: list[Place] = []
    far = float(np.hypot(*kind.size[:2])) * 0.95
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


def _group(kind: Kind, rng: np.random.Generator) -> list[Place]:
    which = rng.random()
    if which < 0.3:
        return _pond(kind, rng)
    if which < 0.45:
        return _meld(kind, rng)
    if which < 0.65:
        return _wall(kind, rng)
    if which < 0.8:
        return _grid(kind, rng, rows=1, columns=int(rng.integers(4, 15)), pose="stand")
    if which < 0.92:
        return _grid(kind, rng, rows=1, columns=int(rng.integers(2, 15)))
    return _grid(kind, rng, rows=1, columns=1)


def _fits(new: list[Place], old: list[Place], apart: float) -> bool:
    if not old or not new:
        return True
    a, b = (np.array([(p.x, p.y) for p in group]) for group in (new, old))
    return bool(np.min(np.sum((a[:, None] - b[None]) ** 2, axis=2)) > apart**2)


def lay_table(kind: Kind, rng: np.random.Generator, reach: float) -> list[Place]:
    """Several groups as on a table in play, at one angle and its quarter turns."""
    out: list[Place] = []
    angle = float(rng.uniform(0, 2 * np.pi)) if rng.random() < 0.5 else float(rng.normal(0, 0.05))
    for _ in range(int(rng.integers(30, 110))):
        turn = angle + float(rng.integers(4)) * np.pi / 2 + float(rng.normal(0, 0.02))
        x, y = rng.uniform(-reach, reach, 2)
        new = _moved(_group(kind, rng), x, y, turn)
        if _fits(new, out, 1.03 * kind.size[1]):
            out += new
    return out


def lay(kind: Kind, rng: np.random.Generator, reach: float, layout: str) -> list[Place]:
    """The places of a layout: table, grid, row, scattered, rack."""
    if layout == "table":
        return lay_table(kind, rng, reach)
    if layout == "scattered":
        return _scattered(kind, rng, reach)
    if layout == "grid":
        rows, columns = int(rng.integers(2, 7)), int(rng.integers(3, 10))
        places = _grid(kind, rng, rows=rows, columns=columns)
        places = [p for p in places if rng.random() > 0.03]
        places = [Place(p.x, p.y, p.turn + np.pi * (rng.random() < 0.4), p.pose) for p in places]
    elif layout == "row":
        places = _grid(kind, rng, rows=1, columns=int(rng.integers(5, 15)))
    else:
        places = _grid(kind, rng, rows=1, columns=int(rng.integers(5, 15)), pose="stand")
        front = _pond(kind, rng)
        places += _moved(front, 0.0, kind.size[1] * rng.uniform(2.0, 4.0), rng.choice((0.0, np.pi)))
    turn = float(rng.uniform(0, 2 * np.pi)) if layout != "rack" else float(rng.normal(0, 0.3))
    x, y = rng.normal(0, 0.15 * reach, 2)
    return _moved(places, float(x), float(y), turn)


def _body(place: Place, kind: Kind, face: NDArray[np.uint8], tile: int) -> Body:
    rotation = facing(place.pose, place.turn)
    origin = np.array((place.x, place.y, 0.0)) - rotation @ (np.array(kind.size) / 2)
    body = Body(tile, face, kind.back, kind.size, rotation, origin)
    low = body.corners(0.0, kind.size[2])[:, 2].min()
    body.origin[2] += place.level * kind.size[2] - low
    return body


def _edged(face: NDArray[np.uint8], edge: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Round off a face: darker or lighter rims and dark corners."""
    out = face.copy()
    if edge > 0:
        rim = max(1, round(4 * edge))
        for side, gain in zip(range(4), rng.uniform(0.72, 1.08, 4), strict=True):
            strip = (out[:rim], out[-rim:], out[:, :rim], out[:, -rim:])[side]
            strip[:] = np.clip(strip * gain, 0, 255)
        r = round(9 * edge)
        for y, x in ((0, 0), (0, -1), (-1, 0), (-1, -1)):
            mask = np.ones((r, r), np.uint8)
            cv2.circle(mask, (r - 1 if x == 0 else 0, r - 1 if y == 0 else 0), r - 1, 0, -1)
            part = out[
                (slice(0, r) if y == 0 else slice(-r, None)), (slice(0, r) if x == 0 else slice(-r, None))
            ]
            part[mask > 0] = (part[mask > 0] * 0.45).astype(np.uint8)
    return out


class Scenes:
    """Draws scenes from a bank; `size` px square at the final scale, drawn at twice that."""

    def __init__(self, bank: Bank, rng: np.random.Generator, size: int = 416) -> None:
        self._bank, self._rng, self._size = bank, rng, size

    def _kind(self, photographed: float) -> Kind:
        rng, bank = self._rng, self._bank
        real = bool(bank.photographed) and rng.random() < photographed
        sets = bank.photographed if real else bank.sets
        width = float(rng.uniform(23, 34))
        return Kind(
            size=(width, width * float(rng.uniform(1.25, 1.45)), width * float(rng.uniform(0.5, 0.82))),
            faces=sets[int(rng.integers(len(sets)))],
            back=bank.backs[int(rng.integers(len(bank.backs)))],
            layer=float(rng.uniform(0.2, 0.55)),
            edge=float(rng.choice((0.0, 0.5, 1.0, 1.4))),
            photographed=real,
        )

    def _face(self, kind: Kind) -> tuple[int, NDArray[np.uint8]]:
        while True:
            tile = int(self._rng.integers(FACES))
            choice = kind.faces.faces[tile]
            if choice:
                return tile, choice[int(self._rng.integers(len(choice)))]

    def _camera(self, layout: str, short: float, width: float) -> Camera:
        rng, big = self._rng, 2.0 * self._size
        tilt = abs(rng.normal(0, 0.08)) if layout == "table" else rng.uniform(0, 0.9)
        tilt = rng.uniform(0.6, 1.15) if layout == "rack" else tilt
        distance = float(rng.uniform(450, 1400))
        roll = float(rng.normal(0, 0.05)) if layout == "rack" else float(rng.uniform(0, 2 * np.pi))
        centre = (big / 2 + rng.normal(0, 0.1) * big, big / 2 + rng.normal(0, 0.1) * big)
        if layout == "rack":
            centre = (big / 2, big / 2)
        return look_from(
            tilt=tilt, roll=roll, focal=2 * short / width * distance, distance=distance, centre=centre
        )

    def draw(
        self, *, short: float | None = None, photographed: float = 0.35, layout: str | None = None
    ) -> Scene:
        """One scene; `short` is about the tiles' short side px at the final scale, 14..40 when not given."""
        rng = self._rng
        kind = self._kind(photographed)
        if layout is None:
            layout = str(rng.choice(LAYOUTS, p=SHARES))
        short = float(np.exp(rng.uniform(np.log(14), np.log(40)))) if short is None else short
        camera = self._camera(layout, short, kind.size[0])
        reach = 0.62 * self._size / short * kind.size[0]
        height = rng.uniform(0.4, 1.0)
        direction = np.array((*rng.uniform(-0.8, 0.8, 2), height))
        light = Light(direction / np.linalg.norm(direction), float(rng.uniform(0.5, 0.95)))
        big = 2 * self._size
        canvas = Canvas(cloth(rng, big), np.zeros((big, big), np.int32))
        places = lay(kind, rng, reach, layout)
        bodies = [_body(p, kind, *self._face(kind)[::-1]) for p in places]
        self._shade(canvas, bodies, camera, light)
        lay_clutter(canvas.picture, canvas.owner, rng, 2 * short)
        far = [-float(np.linalg.norm(b.middle[:2] - camera.position[:2])) for b in bodies]
        for i in sorted(range(len(bodies)), key=lambda i: (places[i].level, far[i])):
            face = _edged(bodies[i].face, kind.edge, rng)
            draw_body(canvas, replace(bodies[i], face=face), i + 1, camera, light, kind.layer)
        if rng.random() < 0.3:
            reach_in(canvas.picture, canvas.owner, rng, 2 * short)
        return Scene(lighten(canvas.picture, rng), self._labels(canvas, bodies, kind))

    def _shade(self, canvas: Canvas, bodies: list[Body], camera: Camera, light: Light) -> None:
        mask = np.zeros(canvas.owner.shape, np.uint8)
        for body in bodies:
            draw_shadow(mask, body, camera, light)
        mask = cv2.blur(mask, (int(self._rng.integers(1, 12)),) * 2).astype(np.uint8)
        gain = 1 - mask.astype(np.float32) * (self._rng.uniform(0.1, 0.7) / 255)
        canvas.picture[:] = (canvas.picture * gain[..., None]).astype(np.uint8)

    def _labels(self, canvas: Canvas, bodies: list[Body], kind: Kind) -> tuple[Label, ...]:
        counts = np.bincount(canvas.owner.ravel(), minlength=2 * len(bodies) + 3)
        out = []
        for number, (quad, is_back) in canvas.quads.items():
            area = float(cv2.contourArea(quad.astype(np.float32)))
            visible = min(1.0, float(counts[2 * number + 1]) / max(area, 1.0))
            tile = BACK if is_back else bodies[number - 1].tile
            out.append(Label(tile, quad, visible, kind.photographed))
        return tuple(out)
