"""Finds tiles in a picture: where faces and backs lie, at any rotation, touching or not.

The network (`data/locator.onnx`, run by `cv2.dnn`) reads the picture at a scale where tiles are about
`CANONICAL` px wide and gives, for every 4 x 4 px, how likely a tile's centre lies there and the tile's two
axes. Its training is `vision.training.train_locator`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]

CELL: Final = 4
"""Side of one position of the network's map, px at its scale."""
CANONICAL: Final = 28.0
"""Short side of a tile at the network's scale, px; it is trained on 21..36."""
STEP: Final = 32
"""Inputs are padded to multiples of this, so that few sizes occur and buffers are kept."""
THRESHOLD: Final = 0.48
"""Least score of a find."""
SCALES: Final = (1.6, 1.13, 0.8, 0.566, 0.4, 0.283, 0.2)
"""Scales tried where the tiles' size is not known, of a picture whose longer side is `LONGEST`."""
LONGEST: Final = 1280.0


@dataclass(frozen=True, slots=True)
class Found:
    """One tile of a picture.

    `quad` (4, 2) float32 px of the whole picture, corners TL, TR, BR, BL of the upright tile or of its half
    turn; `score` 0..1; whether its back is up.
    """

    quad: Floats
    score: float
    is_back: bool

    @property
    def centre(self) -> tuple[float, float]:
        """The middle, px."""
        x, y = self.quad.mean(axis=0)
        return float(x), float(y)

    @property
    def short(self) -> float:
        """The short side, px."""
        a, b = np.linalg.norm(self.quad[1] - self.quad[0]), np.linalg.norm(self.quad[3] - self.quad[0])
        return float(min(a, b))


def as_input(picture: Picture) -> Floats:
    """A BGR picture (H, W, 3) as the network's input (1, 3, H, W), about -1..1."""
    scaled = picture.astype(np.float32).transpose(2, 0, 1)[None] * (1 / 96) - 1.25
    return np.ascontiguousarray(scaled)


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -30, 30))), np.float32)


@dataclass(frozen=True, slots=True)
class _Peaks:
    """Candidates of one pass, px: centres and the two half axes (N, 2), scores and backs (N,)."""

    centres: Floats
    ups: Floats
    acrosses: Floats
    scores: Floats
    backs: NDArray[np.bool_]

    def moved(self, scale: float, shift: tuple[float, float]) -> _Peaks:
        """From the network's scale to the whole picture."""
        factor = np.float32(1 / scale)
        place = (self.centres * factor + np.array(shift, np.float32)).astype(np.float32)
        return _Peaks(place, self.ups * factor, self.acrosses * factor, self.scores, self.backs)

    def long_upright(self) -> _Peaks:
        """The longer axis as the upright one: so it is where the camera looks down on the table."""
        up, across = (np.linalg.norm(a, axis=1, keepdims=True) for a in (self.ups, self.acrosses))
        wrong = across > up
        ups = np.where(wrong, -self.acrosses, self.ups).astype(np.float32)
        acrosses = np.where(wrong, self.ups, self.acrosses).astype(np.float32)
        return _Peaks(self.centres, ups, acrosses, self.scores, self.backs)

    def chosen(self, rows: NDArray[np.intp]) -> _Peaks:
        """Some of them."""
        return _Peaks(
            self.centres[rows], self.ups[rows], self.acrosses[rows], self.scores[rows], self.backs[rows]
        )


def _axis(cos2: Floats, sin2: Floats, log_length: Floats) -> Floats:
    turn = np.arctan2(sin2, cos2) / 2
    length = np.exp(np.clip(log_length, -2, 4)) * CELL
    return np.stack([np.cos(turn) * length, np.sin(turn) * length], axis=1).astype(np.float32)


def _peaks(output: Floats, threshold: float) -> _Peaks:
    """Local maxima of the two heat maps of a network output (10, h, w)."""
    heat = _sigmoid(output[:2])
    top = np.stack([cv2.dilate(h, np.ones((3, 3), np.uint8)) for h in heat])
    kinds, ys, xs = np.nonzero((heat >= threshold) & (heat >= top))
    numbers = output[2:, ys, xs]
    centres = (
        np.stack([xs + 0.5 + np.clip(numbers[0], -2, 2), ys + 0.5 + np.clip(numbers[1], -2, 2)], axis=1)
        * CELL
    )
    up, across = _axis(*numbers[2:5]), _axis(*numbers[5:8])
    # A tile's picture is never mirrored: across turns into up clockwise on the screen.
    mirrored = across[:, 0] * up[:, 1] - across[:, 1] * up[:, 0] < 0
    across[mirrored] *= -1
    return _Peaks(centres.astype(np.float32), up, across, heat[kinds, ys, xs], kinds == 1)


def _thinned(peaks: _Peaks) -> _Peaks:
    """Keep the best of candidates that lie inside one another."""
    order = np.argsort(-peaks.scores)
    kept: list[int] = []
    for row in order:
        if kept:
            rest = np.array(kept)
            away = peaks.centres[row] - peaks.centres[rest]
            u, v = peaks.ups[rest], peaks.acrosses[rest]
            det = v[:, 0] * u[:, 1] - v[:, 1] * u[:, 0]
            det = np.where(np.abs(det) < 1e-3, 1e-3, det)
            a = (away[:, 0] * u[:, 1] - away[:, 1] * u[:, 0]) / det
            b = (v[:, 0] * away[:, 1] - v[:, 1] * away[:, 0]) / det
            if np.any((np.abs(a) < 1.0) & (np.abs(b) < 1.0)):
                continue
        kept.append(int(row))
    return peaks.chosen(np.array(kept, np.intp))


def _found(peaks: _Peaks) -> list[Found]:
    c, u, v = peaks.centres, peaks.ups, peaks.acrosses
    quads = np.stack([c - v - u, c + v - u, c + v + u, c - v + u], axis=1).astype(np.float32)
    rows = zip(quads, peaks.scores, peaks.backs, strict=True)
    return [Found(q, float(s), bool(b)) for q, s, b in rows]


class Finder:
    """Finds tiles; holds the network, so that one object serves one thread."""

    def __init__(self, network: bytes | None = None, *, threshold: float = THRESHOLD) -> None:
        data = network if network is not None else files("vision.data").joinpath("locator.onnx").read_bytes()
        self._net = cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))
        self._threshold = threshold

    def find(
        self, image: Picture, scale: float | None = None, *, roi: tuple[int, int, int, int] | None = None
    ) -> list[Found]:
        """Find the tiles of a BGR picture (H, W, 3), best first.

        Args:
            image: the picture.
            scale: the tiles' short side px, where known (15 % off does no harm) and the camera looks down on
                them; else several scales are tried.
            roi: x, y, w, h px of the part to search; results are in the whole picture's pixels all the same.
        """
        x, y, w, h = roi if roi is not None else (0, 0, image.shape[1], image.shape[0])
        x0, y0 = max(0, x), max(0, y)
        part = image[y0 : max(y0, y + h), x0 : max(x0, x + w)]
        if part.shape[0] < CELL or part.shape[1] < CELL:
            return []
        peaks = self._at(part, CANONICAL / scale).long_upright() if scale is not None else self._at_any(part)
        return _found(_thinned(peaks.moved(1.0, (x0, y0))))

    def _at(self, part: Picture, scale: float) -> _Peaks:
        wide, high = (max(CELL, round(n * scale)) for n in (part.shape[1], part.shape[0]))
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        small = part if (high, wide) == part.shape[:2] else cv2.resize(part, (wide, high), interpolation=how)
        right, below = -wide % STEP, -high % STEP
        padded = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_REPLICATE).astype(np.uint8)
        self._net.setInput(as_input(padded))
        peaks = _peaks(np.asarray(self._net.forward(), np.float32)[0], self._threshold)
        inside = (peaks.centres[:, 0] < wide) & (peaks.centres[:, 1] < high)
        return peaks.chosen(np.flatnonzero(inside)).moved(min(wide / part.shape[1], 1e9), (0.0, 0.0))

    def _at_any(self, part: Picture) -> _Peaks:
        """Try all scales, then read once more at the scale the best finds agree on."""
        unit = LONGEST / max(part.shape[:2])
        passes = [self._at(part, unit * s) for s in SCALES if max(part.shape[:2]) * unit * s >= STEP]
        sizes, weights = [], []
        for peaks in passes:
            short = 2 * np.minimum(np.linalg.norm(peaks.ups, axis=1), np.linalg.norm(peaks.acrosses, axis=1))
            sizes.append(np.log(np.maximum(short, 1.0)))
            weights.append(peaks.scores)
        logs, weight = np.concatenate(sizes), np.concatenate(weights)
        if len(logs) == 0:
            return passes[0]
        support = (weight[None] * np.exp(-0.5 * ((logs[:, None] - logs[None]) / 0.25) ** 2)).sum(axis=1)
        return self._at(part, CANONICAL / float(np.exp(logs[support.argmax()])))
