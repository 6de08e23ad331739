"""Crops of single tiles as bodies in space: standing, lying, leaning, seen from low or high, touching others.

Small scenes of a few tiles each; every visible face gives a crop by its corners, by the box round its whole
body, or by the box round the face alone, as people and finders mark tiles. Made from nothing but this
package's own drawing and the training photographs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.name import SQUARE, box_quads
from vision.training.bodies import Body, Camera, Canvas, Light, draw_body, draw_shadow, facing, look_from
from vision.training.clutter import cloth
from vision.training.crops import CLOSELY, LOOSE, LOOSELY, Crops, cut, degrade, jitter, lamp, recolour

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.training.bank import Bank, FaceSet

    Floats = NDArray[np.float64]
    Picture = NDArray[np.uint8]

LAYOUTS = ("standing", "lying", "scattered")
SHARES = (0.45, 0.35, 0.2)
BACK = 42
LEAST_SEEN = 0.62
LEAST_SIDE = 7.0
"""Px at the final scale: a face whose nearer sides are shorter is not shown."""


class Solids:
    """Draws small scenes and cuts crops from them."""

    def __init__(self, bank: Bank, rng: np.random.Generator, photographed: float = 0.45) -> None:
        self._bank, self._rng, self._photographed = bank, rng, photographed

    def crops(self, count: int) -> Crops:
        """At least `count` crops."""
        got: list[tuple[Picture, int, Floats]] = []
        while len(got) < count:
            got += self._scene()
        return Crops.of(got)

    def _scene(self) -> list[tuple[Picture, int, Floats]]:
        rng, bank = self._rng, self._bank
        real = bool(bank.photographed) and rng.random() < self._photographed
        sets = bank.photographed if real else bank.sets
        faces = sets[int(rng.integers(len(sets)))]
        back = bank.backs[int(rng.integers(len(bank.backs)))]
        layout = str(rng.choice(LAYOUTS, p=SHARES))
        width = float(rng.uniform(20, 34))
        size = (width, width * float(rng.uniform(1.2, 1.48)), width * float(rng.uniform(0.5, 0.88)))
        bodies = self._lay(layout, size, faces, back)
        short = float(np.exp(rng.uniform(np.log(32), np.log(110))))
        side = int(min(520, 6.0 * short))
        camera = self._camera(layout, short / width, side)
        canvas = Canvas(_ground(rng, side), np.zeros((side, side), np.int32))
        self._draw(canvas, bodies, camera)
        return self._cut(canvas, bodies, camera)

    def _lay(
        self, layout: str, size: tuple[float, float, float], faces: FaceSet, back: Picture
    ) -> list[Body]:
        rng = self._rng
        w, h, t = size
        gap, loose = float(rng.choice((0.0, 0.4, 1.5, 8.0))), float(rng.choice((0.0, 0.4, 1.2)))
        out: list[Body] = []
        turn = float(rng.normal(0, 0.35)) if layout == "standing" else float(rng.uniform(0, 2 * np.pi))
        c, s = np.cos(turn), np.sin(turn)

        def put(x: float, y: float, more: float, pose: str) -> None:
            tile, face = self._face(faces)
            rotation = facing(pose, turn + more) @ _leaning(rng, pose)
            origin = np.array((c * x - s * y, s * x + c * y, 0.0)) - rotation @ (np.array(size) / 2)
            body = Body(tile, face, back, size, rotation, origin)
            body.origin[2] -= body.corners(0.0, t)[:, 2].min()
            out.append(body)

        if layout == "standing":
            for row in range(int(rng.integers(1, 3))):
                away = row * rng.uniform(1.0, 3.5) * h
                count = int(rng.integers(2, 6))
                offset = rng.uniform(-0.5, 0.5) * w
                low = rng.random() < 0.25 and row > 0
                for k in range(count):
                    at = (k - (count - 1) / 2) * (w + gap) + offset
                    put(
                        at,
                        away + rng.normal(0, loose),
                        rng.normal(0, 0.03 * loose + 0.01 * gap),
                        "up" if low else "stand",
                    )
        elif layout == "lying":
            rows, columns = int(rng.integers(1, 4)), int(rng.integers(1, 4))
            for row in range(rows):
                for column in range(columns):
                    x, y = (column - (columns - 1) / 2) * (w + gap), (row - (rows - 1) / 2) * (h + gap)
                    pose = "down" if rng.random() < 0.09 else "up"
                    put(x + rng.normal(0, loose), y + rng.normal(0, loose),
                        rng.normal(0, 0.03 * loose) + np.pi * (rng.random() < 0.15), pose)  # fmt: skip
        else:
            for x, y in _apart(rng, int(rng.integers(3, 8)), 1.02 * float(np.hypot(w, h)), 2.2 * h):
                put(
                    x,
                    y,
                    rng.uniform(0, 2 * np.pi),
                    str(rng.choice(("up", "up", "up", "stand", "side", "down"))),
                )
        return out

    def _face(self, faces: FaceSet) -> tuple[int, Picture]:
        while True:
            tile = int(self._rng.integers(len(faces.faces)))
            choice = faces.faces[tile]
            if choice:
                return tile, choice[int(self._rng.integers(len(choice)))]

    def _camera(self, layout: str, scale: float, side: int) -> Camera:
        rng = self._rng
        low, high = {"standing": (0.65, 1.45), "lying": (0.0, 1.05), "scattered": (0.1, 1.2)}[layout]
        tilt = float(rng.uniform(low, high))
        if layout == "lying" and rng.random() < 0.5:
            tilt = abs(float(rng.normal(0, 0.2)))
        roll = float(rng.normal(0, 0.12)) if layout == "standing" else float(rng.uniform(0, 2 * np.pi))
        distance = float(np.exp(rng.uniform(np.log(220), np.log(1500))))
        centre = (side / 2 + rng.normal(0, 0.04) * side, side * (0.62 if layout == "standing" else 0.5))
        return look_from(tilt=tilt, roll=roll, focal=scale * distance, distance=distance, centre=centre)

    def _draw(self, canvas: Canvas, bodies: list[Body], camera: Camera) -> None:
        rng = self._rng
        direction = np.array((*rng.uniform(-0.8, 0.8, 2), rng.uniform(0.4, 1.0)))
        light = Light(direction / np.linalg.norm(direction), float(rng.uniform(0.5, 0.95)))
        mask = np.zeros(canvas.owner.shape, np.uint8)
        for body in bodies:
            draw_shadow(mask, body, camera, light)
        mask = cv2.blur(mask, (int(rng.integers(1, 9)),) * 2).astype(np.uint8)
        gain = 1 - mask.astype(np.float32) * (rng.uniform(0.1, 0.7) / 255)
        canvas.picture[:] = (canvas.picture * gain[..., None]).astype(np.uint8)
        far = [-float(np.linalg.norm(body.middle - camera.position)) for body in bodies]
        layer = float(rng.uniform(0.15, 0.55))
        for i in sorted(range(len(bodies)), key=far.__getitem__):
            draw_body(canvas, bodies[i], i + 1, camera, light, layer)

    def _cut(self, canvas: Canvas, bodies: list[Body], camera: Camera) -> list[tuple[Picture, int, Floats]]:
        rng = self._rng
        side = canvas.picture.shape[0]
        small = cv2.resize(canvas.picture, (side // 2, side // 2), interpolation=cv2.INTER_AREA).astype(
            np.uint8
        )
        picture = degrade(small, rng)
        counts = np.bincount(canvas.owner.ravel(), minlength=2 * len(bodies) + 3)
        scale = (side // 2) / side
        out = []
        for number, (drawn, is_back) in canvas.quads.items():
            body = bodies[number - 1]
            seen = counts[2 * number + 1] / max(1.0, float(cv2.contourArea(drawn.astype(np.float32))))
            quad = drawn * scale
            outline = camera.project(body.corners(0.0, body.size[2])) * scale
            if (
                seen < LEAST_SEEN
                or _narrowest(quad) < LEAST_SIDE
                or outline.min() < -3
                or outline.max() > side // 2 + 3
            ):
                continue
            tile = BACK if is_back else body.tile
            for _ in range(1 + int(rng.random() < 0.8)):
                crop, corners = self._crop(picture, quad, outline)
                # A back without its colour may be a blank face.
                crop = lamp(crop if is_back else recolour(crop, rng), rng, 0.3)
                out.append((crop, tile, corners))
        return out

    def _crop(self, picture: Picture, quad: Floats, outline: Floats) -> tuple[Picture, Floats]:
        rng = self._rng
        which = rng.random()
        loose = which < LOOSE
        if which < LOOSE + 0.17:
            frame = jitter(quad, rng, float(rng.choice(LOOSELY if loose else CLOSELY)))
        else:
            around = outline if which < 0.9 else quad
            low, high = around.min(axis=0), around.max(axis=0)
            box = np.asarray(box_quads(np.array([(*low, *(high - low))]))[0], np.float64)
            frame = jitter(box, rng, float(rng.choice((0.02, 0.05, 0.08))), turn=0.0)
            if max(high - low) < SQUARE * min(high - low) and rng.random() < 0.5:
                frame = np.roll(frame, 1, axis=0)
        frame = np.roll(frame, 2, axis=0) if rng.random() < 0.5 else frame
        return cut(picture, frame, quad if loose else None)


def _ground(rng: np.random.Generator, side: int) -> Picture:
    coarse = cloth(rng, (side + 1) // 2)
    return cv2.resize(coarse, (side, side), interpolation=cv2.INTER_LINEAR).astype(np.uint8)


def _narrowest(quad: Floats) -> float:
    """The least distance between opposite sides' middles, px."""
    middles = (quad + np.roll(quad, -1, axis=0)) / 2
    return float(min(np.linalg.norm(middles[0] - middles[2]), np.linalg.norm(middles[1] - middles[3])))


def _leaning(rng: np.random.Generator, pose: str) -> Floats:
    """A standing tile may lean back, as against a rack; others lie flat."""
    a = float(rng.uniform(-0.05, 0.5)) if pose in {"stand", "side"} and rng.random() < 0.3 else 0.0
    c, s = np.cos(a), np.sin(a)
    if pose == "side":
        return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    return np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])


def _apart(rng: np.random.Generator, count: int, far: float, reach: float) -> list[tuple[float, float]]:
    out: list[tuple[float, float]] = []
    for x, y in rng.uniform(-reach, reach, (4 * count, 2)):
        if len(out) < count and all((p - x) ** 2 + (q - y) ** 2 > far**2 for p, q in out):
            out.append((float(x), float(y)))
    return out
