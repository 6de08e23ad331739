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
from vision.training.layouts import LAYOUTS, LOW, SHARES, Place, lay
from vision.training.room import behind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BACK, NO_TILE = 42, 43
STRETCHED = 0.35
"""How often a scene is stretched: many photographs are made square, whatever the camera's sides were."""


@dataclass(frozen=True, slots=True)
class Label:
    """A tile of a scene: class 0..42, its main face's corners px (TL, TR, BR, BL), the part of it seen.

    `box`: x0, y0, x1, y1 px around all that is seen of the tile, its sides too.
    """

    tile: int
    quad: Floats
    visible: float
    photographed: bool
    box: tuple[float, float, float, float]


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
    """Draws scenes from a bank; `size` px square at the final scale, drawn at twice that.

    `stretched`: how often the picture is made wider or higher.
    """

    def __init__(
        self, bank: Bank, rng: np.random.Generator, size: int = 416, *, stretched: float = STRETCHED
    ) -> None:
        self._bank, self._rng, self._size, self._stretched = bank, rng, size, stretched

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
        tilt = rng.uniform(0.6, 1.38) if layout in LOW else tilt
        distance = float(rng.uniform(450, 1400))
        roll = float(rng.normal(0, 0.05)) if layout in LOW else float(rng.uniform(0, 2 * np.pi))
        centre = (big / 2 + rng.normal(0, 0.1) * big, big / 2 + rng.normal(0, 0.1) * big)
        if layout in LOW:
            centre = (big / 2, big / 2 + rng.uniform(0, 0.2) * big)
        camera = look_from(
            tilt=tilt, roll=roll, focal=2 * short / width * distance, distance=distance, centre=centre
        )
        if rng.random() < self._stretched * (2 if layout == "standing" else 1):
            high = float(np.exp(rng.uniform(-0.35, 0.35)))
            stretch = np.diag((1 / high, high, 1.0))
            stretch[:2, 2] = big / 2 - big / 2 * np.diag(stretch)[:2]
            camera = replace(camera, matrix=stretch @ camera.matrix)
        return camera

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
        places = lay(kind.size, rng, reach, layout)
        bodies = [_body(p, kind, *self._face(kind)[::-1]) for p in places]
        self._shade(canvas, bodies, camera, light)
        lay_clutter(canvas.picture, canvas.owner, rng, 2 * short)
        if layout in LOW and rng.random() < 0.7:
            far = camera.project(np.array([(0.0, -rng.uniform(60, 500), 0.0)]))[0, 1]
            behind(canvas.picture, float(far), rng, 2 * short)
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
        boxes = _seen_boxes(canvas.owner, len(bodies))
        out = []
        for number, (quad, is_back) in canvas.quads.items():
            if not np.isfinite(boxes[number]).all():
                continue  # Nothing of it is seen.
            area = float(cv2.contourArea(quad.astype(np.float32)))
            visible = min(1.0, float(counts[2 * number + 1]) / max(area, 1.0))
            tile = BACK if is_back else bodies[number - 1].tile
            out.append(Label(tile, quad, visible, kind.photographed, boxes[number]))
        return tuple(out)


def _seen_boxes(owner: NDArray[np.int32], count: int) -> list[tuple[float, float, float, float]]:
    """For bodies 0..count the box around all pixels that show them; an inverted one where none does."""
    ys, xs = np.nonzero(owner)
    bodies = owner[ys, xs] // 2
    low, high = np.full((2, count + 1), np.inf), np.full((2, count + 1), -np.inf)
    for row, places in enumerate((xs, ys)):
        np.minimum.at(low[row], bodies, places)
        np.maximum.at(high[row], bodies, places + 1)
    return [(low[0, k], low[1, k], high[0, k], high[1, k]) for k in range(count + 1)]
