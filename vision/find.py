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
THRESHOLD: Final = 0.52
"""Least score of a find."""
DOUBTFUL: Final = (0.46, 0.6)
"""Finds with such scores are looked at again, at a scale smaller by `AGAIN`; the mean score decides."""
AGAIN: Final = 0.86
AROUND: Final = 3.5
"""How far a second look reaches from a find's middle, in short sides."""
LEAST: Final = 0.05
"""Least score a second look tells of."""
DARK: Final = 0.45
"""A face of which a larger part than this is dark is none."""
BACKS: Final = 0.42
"""Least score of a back, if it stands out from its ground."""
SURELY: Final = 0.75
"""From this score on, colours are not asked."""
APART: Final = 20.0
"""Colours differ from this difference in one channel on, 0..255."""
NEAR: Final = 0.25
"""A second look means the same tile within this part of a short side."""
ACROSS: Final = (5.0, 7.1, 10.0, 14.1, 20.0, 28.3, 40.0, 56.6)
"""Sizes tried where the tiles' size is not known: their short sides along the picture's longer side."""
ENLARGED: Final = 2.0
"""No picture is enlarged more than this."""


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


def _inside(points: Floats, peaks: _Peaks) -> NDArray[np.bool_]:
    """Which of N points (N, 2) lie inside which of N candidates: element-wise, either may be one row."""
    away = points - peaks.centres
    u, v = peaks.ups, peaks.acrosses
    det = v[:, 0] * u[:, 1] - v[:, 1] * u[:, 0]
    det = np.where(np.abs(det) < 1e-3, 1e-3, det)
    a = (away[:, 0] * u[:, 1] - away[:, 1] * u[:, 0]) / det
    b = (v[:, 0] * away[:, 1] - v[:, 1] * away[:, 0]) / det
    return np.asarray((np.abs(a) < 1.0) & (np.abs(b) < 1.0), np.bool_)


def _thinned(peaks: _Peaks) -> _Peaks:
    """Of candidates of which one's middle lies inside another, keep the best."""
    kept: list[int] = []
    for row in np.argsort(-peaks.scores):
        if kept:
            this, rest = np.array([row], np.intp), np.array(kept, np.intp)
            better = peaks.chosen(rest)
            if np.any(_inside(peaks.centres[this], better)):
                continue
            if np.any(_inside(better.centres, peaks.chosen(this))):
                continue
        kept.append(int(row))
    return peaks.chosen(np.array(kept, np.intp))


def _together(passes: list[_Peaks]) -> _Peaks:
    return _Peaks(
        np.concatenate([p.centres for p in passes]),
        np.concatenate([p.ups for p in passes]),
        np.concatenate([p.acrosses for p in passes]),
        np.concatenate([p.scores for p in passes]),
        np.concatenate([p.backs for p in passes]),
    )


def _samples(part: Picture, peak: _Peaks, across: Floats, up: Floats) -> Floats:
    """Pixels (N, 3) of a picture at places given in a find's half axes."""
    points = peak.centres + across.reshape(-1, 1) * peak.acrosses + up.reshape(-1, 1) * peak.ups
    x, y = np.clip(points.T.astype(int), 0, np.array([[part.shape[1] - 1], [part.shape[0] - 1]]))
    return np.asarray(part[y, x], np.float32)


def _mostly_paper(part: Picture, peak: _Peaks) -> bool:
    """Whether a find is light for the most part, as a face is; markers and printed things often are not."""
    steps = np.linspace(-0.9, 0.9, 12, dtype=np.float32)
    across, up = np.meshgrid(steps, steps)
    light = _samples(part, peak, across, up).max(axis=1)
    return float(np.mean(light < 0.5 * np.percentile(light, 90))) < DARK


def _stands_out(part: Picture, peak: _Peaks) -> bool:
    """Whether a back differs in colour from what lies beyond its sides; bare cloth between things does not.

    Two opposite sides suffice where it is likely a back, so that it may lie among others; else it takes all.
    """
    near = np.linspace(-0.6, 0.6, 5, dtype=np.float32)
    far = np.linspace(1.35, 1.65, 3, dtype=np.float32)
    along, away = np.meshgrid(near, far)
    inner = np.median(_samples(part, peak, *np.meshgrid(near, near)), axis=0)
    sides = ((along, away), (along, -away), (away, along), (-away, along))
    outer = [np.median(_samples(part, peak, a, u), axis=0) for a, u in sides]
    below, above, right, left = (float(np.abs(colour - inner).max()) > APART for colour in outer)
    if peak.scores[0] < DOUBTFUL[1]:
        return below and above and right and left
    return (below and above) or (right and left)


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
        if scale is not None:
            peaks = _thinned(self._at(part, CANONICAL / scale, min(BACKS, DOUBTFUL[0]))).long_upright()
            peaks = self._kept(part, peaks, scale)
        else:
            peaks = _thinned(self._at_any(part))
        return _found(peaks.moved(1.0, (x0, y0)))

    def _kept(self, part: Picture, peaks: _Peaks, short: float) -> _Peaks:
        """The candidates that stand, the doubtful ones after a test of their colours and a second look."""
        kept = []
        for k, (score, back) in enumerate(zip(peaks.scores, peaks.backs, strict=True)):
            peak = peaks.chosen(np.array([k], np.intp))
            if score < SURELY and not (_stands_out if back else _mostly_paper)(part, peak):
                continue
            doubtful = DOUBTFUL[0] < score < DOUBTFUL[1] and not back
            least = BACKS if back else self._threshold
            if (self._second(part, peak, short) if doubtful else score) >= least:
                kept.append(k)
        return peaks.chosen(np.array(kept, np.intp))

    def _second(self, part: Picture, peak: _Peaks, short: float) -> float:
        """The mean of a candidate's score and of what a look at another scale gives it."""
        reach = round(AROUND * short)
        x, y = (int(v) - reach for v in peak.centres[0])
        x, y = max(0, min(x, part.shape[1] - 2 * reach)), max(0, min(y, part.shape[0] - 2 * reach))
        window = part[y : y + 2 * reach, x : x + 2 * reach]
        seen = self._at(window, AGAIN * CANONICAL / short, LEAST)
        away = np.linalg.norm(seen.centres + np.array((x, y), np.float32) - peak.centres, axis=1)
        same = seen.scores[(away < NEAR * short) & (seen.backs == peak.backs)]
        return (float(peak.scores[0]) + (float(same.max()) if len(same) else 0.0)) / 2

    def _at(self, part: Picture, scale: float, threshold: float = THRESHOLD) -> _Peaks:
        wide, high = (max(CELL, round(n * scale)) for n in (part.shape[1], part.shape[0]))
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        small = part if (high, wide) == part.shape[:2] else cv2.resize(part, (wide, high), interpolation=how)
        right, below = -wide % STEP, -high % STEP
        padded = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_REPLICATE).astype(np.uint8)
        self._net.setInput(as_input(padded))
        peaks = _peaks(np.asarray(self._net.forward(), np.float32)[0], threshold)
        inside = (peaks.centres[:, 0] < wide) & (peaks.centres[:, 1] < high)
        return peaks.chosen(np.flatnonzero(inside)).moved(wide / part.shape[1], (0.0, 0.0))

    def _at_any(self, part: Picture) -> _Peaks:
        """Try all scales, then read once more at the scale the best finds agree on."""
        longer = max(part.shape[:2])
        scales = [CANONICAL * across / longer for across in ACROSS]
        passes = [self._at(part, s) for s in scales if s <= ENLARGED] or [self._at(part, ENLARGED)]
        peaks = _thinned(_together(passes))
        if len(peaks.scores) == 0:
            return peaks
        logs = np.log(
            2 * np.minimum(np.linalg.norm(peaks.ups, axis=1), np.linalg.norm(peaks.acrosses, axis=1))
        )
        near = np.exp(-8 * (logs[:, None] - logs[None]) ** 2)
        support = (near * peaks.scores[None] ** 4 * np.exp(logs)[None]).sum(axis=1)
        return self._at(part, CANONICAL / float(np.exp(logs[support.argmax()])))
