"""Finds tiles in a picture: where faces and backs lie, at any rotation, touching or not.

A network (run by `cv2.dnn`) reads the picture at a scale where tiles are about as wide as it is trained on
and gives, for every 4 x 4 px, how likely a tile's centre lies there and the tile's two axes.
`data/locator.onnx` serves a table seen from above, where the tiles' size is known.
`data/locator_any.onnx` serves photographs and reads the picture at many scales.
Their training is `vision.training.train_locator`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.find_anywhere import find_anywhere
from vision.find_parts import Box, sheet_of
from vision.find_peaks import CELL, Peaks, peaks_of, thinned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]

CANONICAL: Final = 24.0
"""Short side of a tile at the scale of the network for tables, px; it is trained on 18..30."""
STEP: Final = 32
"""Inputs are padded to multiples of this, so that few sizes occur and buffers are kept."""
THRESHOLD: Final = 0.5
"""Least score of a find."""
DOUBTFUL: Final = (0.44, 0.57)
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
LARGER: Final = 1.012
"""The network for tables draws tiles a hundredth too small."""
FACE_FIRST: Final = 0.85
"""How much a back's score counts beside a face's where both mean one tile: whoever names it knows backs."""
SURELY: Final = 0.75
"""From this score on, colours are not asked."""
APART: Final = 20.0
"""Colours differ from this difference in one channel on, 0..255."""
NEAR: Final = 0.25
"""A second look means the same tile within this part of a short side."""
FULL: Final = (576, 512)
"""What a full table has beside bare cloth fits on about so many px at the network's scale, high and wide."""
POSSIBLE: Final = 0.4
"""Least score where the tiles' size is not known: whoever names them tells what is none."""


@dataclass(frozen=True, slots=True)
class Found:
    """One tile of a picture.

    `quad` (4, 2) float32 px of the whole picture, corners TL, TR, BR, BL of the upright tile or of its half
    turn; `score` 0..1; whether its back is up; `box` x, y, w, h px: upright, around all that is seen of the
    tile, its sides too.
    """

    quad: Floats
    score: float
    is_back: bool
    box: tuple[float, float, float, float]

    @property
    def centre(self) -> tuple[float, float]:
        """The middle, px."""
        x, y = self.quad.mean(axis=0)
        return float(x), float(y)

    @property
    def short(self) -> float:
        """The short side, px."""
        a, b = (np.linalg.norm(self.quad[1] - self.quad[0]), np.linalg.norm(self.quad[3] - self.quad[0]))
        return float(min(a, b))


_LEVELS = ((np.arange(256, dtype=np.float32) - 120) * np.float32(1 / 96)).astype(np.float32)


def as_input(picture: Picture) -> Floats:
    """A BGR picture (H, W, 3) as the network's input (1, 3, H, W), -1.25..1.4."""
    out = np.empty((1, 3, *picture.shape[:2]), np.float32)
    for plane, channel in zip(cv2.split(picture), out[0], strict=True):
        cv2.LUT(plane, _LEVELS, dst=channel)
    return out


def _resized(part: Picture, scale: float) -> Picture:
    """A picture made smaller or larger."""
    wide, high = (max(CELL, round(n * scale)) for n in (part.shape[1], part.shape[0]))
    if (high, wide) == part.shape[:2]:
        return part
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return cv2.resize(part, (wide, high), interpolation=how).astype(np.uint8)


def _padded(small: Picture) -> Picture:
    """A picture with its last rows and columns repeated to whole steps."""
    right, below = -small.shape[1] % STEP, -small.shape[0] % STEP
    padded = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_REPLICATE)
    return np.asarray(padded, np.uint8)


_STEPS = np.linspace(-0.9, 0.9, 12, dtype=np.float32)
_NEAR = np.linspace(-0.6, 0.6, 5, dtype=np.float32)
_FAR = np.linspace(1.35, 1.65, 3, dtype=np.float32)
_FACE = np.meshgrid(_STEPS, _STEPS)
_INNER = np.meshgrid(_NEAR, _NEAR)
_ALONG, _AWAY = np.meshgrid(_NEAR, _FAR)
_SIDES = ((_ALONG, _AWAY), (_ALONG, -_AWAY), (_AWAY, _ALONG), (-_AWAY, _ALONG))


def _samples(part: Picture, peaks: Peaks, across: Floats, up: Floats) -> Floats:
    """Pixels (N, M, 3) of a picture at M places given in the finds' half axes."""
    a, u = across.reshape(1, -1, 1), up.reshape(1, -1, 1)
    points = peaks.centres[:, None] + a * peaks.acrosses[:, None] + u * peaks.ups[:, None]
    x, y = np.clip(points.astype(int), 0, (part.shape[1] - 1, part.shape[0] - 1)).transpose(2, 0, 1)
    return np.asarray(part[y, x], np.float32)


def _mostly_paper(part: Picture, peaks: Peaks) -> NDArray[np.bool_]:
    """Which finds are light for the most part, as faces are; markers and printed things often are not."""
    light = _samples(part, peaks, *_FACE).max(axis=2)
    dark = light < 0.5 * np.percentile(light, 90, axis=1, keepdims=True)
    return np.asarray(dark.mean(axis=1) < DARK, np.bool_)


def _stands_out(part: Picture, peaks: Peaks) -> NDArray[np.bool_]:
    """Which backs differ in colour from what lies beyond their sides; bare cloth between things does not.

    Two opposite sides suffice where it is likely a back, so that it may lie among others; else it takes all.
    """
    inner = np.median(_samples(part, peaks, *_INNER), axis=1)
    outer = [np.median(_samples(part, peaks, a, u), axis=1) for a, u in _SIDES]
    below, above, right, left = (np.abs(colour - inner).max(axis=1) > APART for colour in outer)
    likely = peaks.scores >= DOUBTFUL[1]
    two = (below & above) | (right & left)
    return np.asarray(np.where(likely, two, below & above & right & left), np.bool_)


def _ranked(peaks: Peaks) -> Peaks:
    """Of a table's candidates that mean one tile the best, a face before a back."""
    ranks = np.where(peaks.backs, FACE_FIRST * peaks.scores, peaks.scores).astype(np.float32)
    return thinned(peaks, ranks).long_upright()


def _found(peaks: Peaks) -> list[Found]:
    corners = np.hstack([peaks.boxes[:, :2], peaks.boxes[:, 2:] - peaks.boxes[:, :2]]).tolist()
    rows = zip(peaks.quads(), peaks.scores, peaks.backs, corners, strict=True)
    return [Found(q, float(s), bool(b), (x, y, w, h)) for q, s, b, (x, y, w, h) in rows]


def _at(net: cv2.dnn.Net, part: Picture, scale: float, threshold: float) -> Peaks:
    """What a network sees of a picture at a scale, px of the picture."""
    small = _resized(part, scale)
    high, wide = small.shape[:2]
    net.setInput(as_input(_padded(small)))
    peaks = peaks_of(np.asarray(net.forward(), np.float32)[0], threshold)
    inside = (peaks.centres[:, 0] < wide) & (peaks.centres[:, 1] < high)
    return peaks.chosen(inside).moved(wide / part.shape[1], (0.0, 0.0))


def _loaded(name: str, given: bytes | None) -> cv2.dnn.Net:
    """A committed network, or the given one; of the engines of cv2.dnn the classic one is the fastest."""
    data = given if given is not None else files("vision.data").joinpath(name).read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8), cv2.dnn.ENGINE_CLASSIC)


def _within(box: Box, image: Picture) -> Box:
    """A box, as far as it lies within a picture."""
    x, y, w, h = box
    x0, y0 = max(0, x), max(0, y)
    return x0, y0, max(0, min(x + w, image.shape[1]) - x0), max(0, min(y + h, image.shape[0]) - y0)


class Finder:
    """Finds tiles; holds the networks, so that one object serves one thread."""

    def __init__(
        self, network: bytes | None = None, *, anywhere: bytes | None = None, threshold: float = THRESHOLD
    ) -> None:
        """Load the network for tables; the one for photographs is loaded when it is first needed.

        Args:
            network: ONNX bytes instead of the committed network for tables (`locator.onnx`).
            anywhere: the same for photographs (`locator_any.onnx`).
            threshold: least score of a find where the tiles' size is known.
        """
        self._net = _loaded("locator.onnx", network)
        self._given = anywhere
        self._anywhere: cv2.dnn.Net | None = None
        self._threshold = threshold

    def warm_up(self) -> None:
        """Have the network for tables get its memory now; else a table's first picture takes 5 ms longer."""
        self._net.setInput(np.zeros((1, 3, *FULL), np.float32))
        self._net.forward()

    def find(self, image: Picture, scale: float | None = None, *, roi: Box | None = None) -> list[Found]:
        """Find the tiles of a BGR picture (H, W, 3), best first.

        Args:
            image: the picture.
            scale: the tiles' short side px, where known (15 % off does no harm) and the camera looks down on
                them; else several scales are tried.
            roi: x, y, w, h px of the part to search; results are in the whole picture's pixels all the same.
        """
        x, y, w, h = roi if roi is not None else (0, 0, image.shape[1], image.shape[0])
        if scale is not None:
            return self.find_in(image, [(x, y, w, h)], scale)
        x, y, w, h = _within((x, y, w, h), image)
        if min(w, h) < CELL:
            return []
        peaks = thinned(self._at_any(image[y : y + h, x : x + w]))
        return _found(peaks.moved(1.0, (x, y)))

    def find_in(self, image: Picture, parts: Sequence[Box], scale: float) -> list[Found]:
        """Find the tiles in several parts (x, y, w, h px) of a table's picture at once, best first.

        Tiles that an edge of a part cuts are left out. `scale`: the tiles' short side px, as `find` takes it.
        """
        boxes = [box for box in (_within(part, image) for part in parts) if min(box[2:]) >= CELL]
        if not boxes:
            return []
        peaks = _ranked(self._on_sheet(image, boxes, CANONICAL / scale, min(BACKS, DOUBTFUL[0])))
        return _found(self._kept(image, peaks, scale).enlarged(LARGER))

    def find_untested(self, image: Picture, scale: float, *, least: float = POSSIBLE) -> list[Found]:
        """All that may be tiles of a table, from score `least` on, whatever their colours, best first.

        For who knows how many lie there, and can tell what is none. `scale`: as `find` takes it.
        """
        whole = (0, 0, image.shape[1], image.shape[0])
        return _found(_ranked(self._on_sheet(image, [whole], CANONICAL / scale, least)).enlarged(LARGER))

    def _on_sheet(self, image: Picture, boxes: Sequence[Box], scale: float, least: float) -> Peaks:
        """What the network for tables sees of parts of a picture at a scale, px of the picture."""
        sheet = sheet_of(image, boxes, scale)
        self._net.setInput(as_input(sheet.picture))
        output = np.asarray(self._net.forward(), np.float32)[0]
        return sheet.whole(peaks_of(output, least))

    def _kept(self, part: Picture, peaks: Peaks, short: float) -> Peaks:
        """The candidates that stand, the doubtful ones after a test of their colours and a second look."""
        sure = peaks.scores >= SURELY
        unsure = peaks.chosen(~sure)
        if len(unsure.scores) == 0:
            return peaks
        fits = np.where(unsure.backs, _stands_out(part, unsure), _mostly_paper(part, unsure))
        unsure = unsure.chosen(fits)
        scores = unsure.scores.copy()
        asked = (scores > DOUBTFUL[0]) & (scores < DOUBTFUL[1]) & ~unsure.backs
        if asked.any():
            scores[asked] = self._second(part, unsure.chosen(asked), short)
        stand = unsure.chosen(scores >= np.where(unsure.backs, BACKS, self._threshold))
        return Peaks.together([peaks.chosen(sure), stand])

    def _second(self, part: Picture, peaks: Peaks, short: float) -> Floats:
        """The means (N,) of candidates' scores and of what a look at another scale gives them."""
        reach = round(AROUND * short)
        most = np.maximum((part.shape[1] - 2 * reach, part.shape[0] - 2 * reach), 0)
        corners = np.clip(peaks.centres.astype(int) - reach, 0, most)
        scale = AGAIN * CANONICAL / short
        windows = [_padded(_resized(part[y : y + 2 * reach, x : x + 2 * reach], scale)) for x, y in corners]
        blob = cv2.dnn.blobFromImages(windows, 1 / 96, mean=(120.0, 120.0, 120.0))
        self._net.setInput(blob)
        out = np.empty(len(peaks.scores), np.float32)
        for k, output in enumerate(np.asarray(self._net.forward(), np.float32)):
            seen = peaks_of(output, LEAST).moved(scale, (float(corners[k, 0]), float(corners[k, 1])))
            away = np.linalg.norm(seen.centres - peaks.centres[k], axis=1)
            same = seen.scores[(away < NEAR * short) & (seen.backs == peaks.backs[k])]
            out[k] = (peaks.scores[k] + (same.max() if len(same) else 0.0)) / 2
        return out

    def _at_any(self, part: Picture) -> Peaks:
        """What the network for photographs sees of a part, px of it."""
        net = self._anywhere
        if net is None:
            net = self._anywhere = _loaded("locator_any.onnx", self._given)
        return find_anywhere(part, lambda picture, scale: _at(net, picture, scale, POSSIBLE))
