"""Names tiles: a crop becomes one of 34 faces, 8 flowers, a back, or "not a tile", with a confidence.

The network (`data/namer.onnx`, run by `cv2.dnn`) reads 48 x 48 crops, rectified from a tile's four corners or
stretched from a box, after the paper has been made white. Its training is `vision.training.train_namer`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from rules.tiles import Tile

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import ArrayLike, NDArray

    from vision.enrol import Enrolment

    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]

SIDE: Final = 48
"""Side of a crop, px."""
CLASSES: Final = 44
NOT_A_TILE: Final = 43
"""Class index beside `Tile`'s 0..42."""
MARGIN: Final = 0.04
"""A crop reaches this part of its size beyond the tile, half of it on each side."""
REFINE_MARGIN: Final = 0.3
"""The same of the crops in which a tile's corners are looked for."""
TEMPERATURE: Final = 0.5
"""Raw outputs are under-confident on sets of tiles the network has not seen; they are divided by this."""
REFININGS: Final = 2
"""How often corners are looked for where they are far off, each time from the last ones."""
NEAR: Final = 0.2
"""Corners this near to where a loose crop expects them, in parts of half its side, need no second look."""
PLAIN: Final = 0.995
"""A first look at least this sure needs no second one."""
FARTHEST: Final = 0.3
"""Refining moves no corner farther than this part of half a crop's side."""
WARP: Final = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
TILES: Final = tuple(Tile(k) for k in range(NOT_A_TILE))
UNIT: Final = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float32)
SURE: Final = 0.9
"""Least probability at which a name stands; below it the tile is unsure."""
SQUARE: Final = 1.3
"""Boxes whose sides differ by less than this factor do not tell which side is up: four turns are read."""
BATCH: Final = 64
OUTPUTS: Final = ("logits", "embedding", "corners")
"""All that the network gives: (N, 44), (N, 128), (N, 8)."""


@dataclass(frozen=True, slots=True)
class Named:
    """What one crop shows.

    `tile` is None when unsure; `best` is the likeliest tile in any case (a back is one); `confidence` is the
    probability 0..1 of `best`; `probabilities` (44,): `Tile` 0..42, then "not a tile".
    """

    tile: Tile | None
    best: Tile
    confidence: float
    probabilities: Floats


def crop_maps(quads: Floats, margin: float, sides: NDArray[np.int64] | int = SIDE) -> NDArray[np.float64]:
    """The maps (N, 3, 3) from pixels of crops to picture pixels of quads (N, 4, 2) with a margin.

    `sides`: of the crops, px. The unit square goes onto a quad in closed form, all quads at once.
    """
    middles = quads.mean(axis=1, keepdims=True)
    p0, p1, p2, p3 = np.moveaxis(middles + (quads - middles) * (1 + margin) - 0.5, 1, 0).astype(np.float64)
    bent, across, down = p0 - p1 + p2 - p3, p1 - p2, p3 - p2
    area = across[:, 0] * down[:, 1] - down[:, 0] * across[:, 1]
    area = np.where(area == 0, 1e-9, area)
    g = (bent[:, 0] * down[:, 1] - down[:, 0] * bent[:, 1]) / area
    h = (across[:, 0] * bent[:, 1] - bent[:, 0] * across[:, 1]) / area
    out = np.empty((len(quads), 3, 3))
    out[:, :2, 0], out[:, :2, 1], out[:, :2, 2] = p1 - p0 + g[:, None] * p1, p3 - p0 + h[:, None] * p3, p0
    out[:, 2] = np.stack([g, h, np.ones(len(quads))], axis=1)
    # A pixel's middle is half a pixel from its edge.
    out[:, :, :2] /= np.broadcast_to(sides, len(quads))[:, None, None]
    out[:, :, 2] += 0.5 * (out[:, :, 0] + out[:, :, 1])
    return out


def crop_quads(image: Picture, quads: ArrayLike, margin: float = MARGIN) -> Picture:
    """Rectify tiles: quads (N, 4, 2) px (TL, TR, BR, BL) of an image (H, W, 3) become (N, 48, 48, 3)."""
    corners = np.asarray(quads, np.float32).reshape(-1, 4, 2)
    out = np.empty((len(corners), SIDE, SIDE, 3), np.uint8)
    spans = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1) * (1 + margin)
    # Large tiles are shrunk by area: a plain warp would skip pixels and turn fine marks into noise.
    factors = np.maximum(1, spans // SIDE).astype(np.int64)
    maps = crop_maps(corners, margin, SIDE * factors)
    for k, factor in enumerate(factors.tolist()):
        size = (SIDE * factor, SIDE * factor)
        warped = cv2.warpPerspective(image, maps[k], size, flags=WARP, borderMode=cv2.BORDER_REPLICATE)
        out[k] = warped if factor == 1 else cv2.resize(warped, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return out


def whiten(crops: Picture) -> Floats:
    """Make the paper white: (N, 48, 48, 3) uint8 becomes (N, 3, 48, 48), -1..1.

    Per channel the 90th percentile becomes 1 and the 6th 0, then 0.6 is taken off. A channel counts as paper
    only down to 0.55 of the brightest one, and paper and ink are at least 0.4 of the paper apart: a coloured
    back keeps its colour and a blank face stays blank, while a lamp's cast goes.
    """
    planes = np.ascontiguousarray(crops.transpose(0, 3, 1, 2))
    some = planes[:, :, 1::3, 1::3].reshape(len(crops), 3, -1)
    count = some.shape[2]
    low, high = int(0.06 * count), int(0.90 * count)
    ordered = np.partition(some, (low, high), axis=2).astype(np.float32)
    paper = ordered[:, :, high]
    paper = np.maximum(np.maximum(paper, 0.55 * paper.max(axis=1, keepdims=True)), 8.0)
    ink = np.minimum(ordered[:, :, low], 0.6 * paper)
    gain = (1 / (paper - ink))[:, :, None, None]
    out = planes.astype(np.float32)
    out *= gain
    out -= ink[:, :, None, None] * gain + 0.6
    return np.asarray(np.clip(out, -1.0, 1.0, out=out), np.float32)


def box_quads(boxes: ArrayLike) -> Floats:
    """Boxes (N, 4) x, y, w, h px become quads (N, 4, 2) with the longer side upright."""
    x, y, w, h = np.asarray(boxes, np.float32).reshape(-1, 4).T
    corners = np.stack([x, y, x + w, y, x + w, y + h, x, y + h], axis=1).reshape(-1, 4, 2)
    lying = w > h
    corners[lying] = np.roll(corners[lying], 1, axis=1)
    return corners.astype(np.float32)


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True), np.float32)


def _reach(off: Floats) -> Floats:
    """How far the farthest corner lies from where it is expected: (N,) of (N, 4, 2)."""
    return np.asarray(np.abs(off).max(axis=(1, 2)), np.float32)


def _moved(corners: Floats, off: Floats) -> Floats:
    """Quads (N, 4, 2) px whose corners go where their loose crops show them."""
    there = (np.clip(off, -FARTHEST, FARTHEST) + UNIT / (1 + REFINE_MARGIN) + 1) * (SIDE / 2) - 0.5
    maps = crop_maps(corners, REFINE_MARGIN)
    out = there @ maps[:, :, :2].transpose(0, 2, 1) + maps[:, None, :, 2]
    return np.asarray(out[..., :2] / out[..., 2:] + 0.5, np.float32)


def network_bytes() -> bytes:
    """The committed network, ONNX."""
    return files("vision.data").joinpath("namer.onnx").read_bytes()


class Namer:
    """Names crops; holds the network, so that one object serves one thread."""

    def __init__(
        self,
        network: bytes | None = None,
        *,
        sure: float = SURE,
        kinds: Collection[Tile] | None = None,
        enrolled: Enrolment | None = None,
    ) -> None:
        """Load the network.

        Args:
            network: ONNX bytes instead of the committed network.
            sure: least probability at which a name stands.
            kinds: the faces of the set in play; no other face is ever named. All 42 when None.
            enrolled: what was learned of the table's own set of tiles, with this very network.

        Raises:
            BadEnrolment: `enrolled` was made with another network.
        """
        data = network if network is not None else network_bytes()
        if enrolled is not None:
            enrolled.require(data)
        self._enrolled = enrolled
        self._net = cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))
        self._sure = sure
        shut = [t for t in Tile if kinds is not None and 0 <= t < Tile.BACK and t not in kinds]
        self._shut = np.zeros(CLASSES, np.float32)
        self._shut[[int(t) for t in shut]] = -np.inf

    def warm_up(self) -> None:
        """Have the network get its memory now; else a table's first picture takes 5 ms longer."""
        self.outputs(np.zeros((BATCH, SIDE, SIDE, 3), np.uint8))

    def outputs(self, crops: Picture) -> tuple[Floats, Floats]:
        """Logits (N, 44) and embeddings (N, 128) of crops (N, 48, 48, 3) as they stand, whitened first."""
        logits, embeddings, _ = self._outputs(whiten(crops))
        return logits, embeddings

    def _outputs(self, inputs: Floats) -> tuple[Floats, Floats, Floats]:
        parts = []
        for start in range(0, len(inputs), BATCH):
            self._net.setInput(np.ascontiguousarray(inputs[start : start + BATCH]))
            parts.append([np.array(part, np.float32) for part in self._net.forward(OUTPUTS)])
        logits, embeddings, corners = (np.concatenate(column) for column in zip(*parts, strict=True))
        return logits, embeddings, corners.reshape(-1, 4, 2)

    def _seen(self, inputs: Floats) -> tuple[Floats, Floats]:
        """Log-probabilities (N, 44), but for a constant, and corners (N, 4, 2) of each input on its own."""
        logits, embeddings, corners = self._outputs(inputs)
        if self._enrolled is not None:
            return self._enrolled.mixed(logits, embeddings), corners
        return np.asarray(logits / TEMPERATURE, np.float32), corners

    def refine(self, image: Picture, quads: ArrayLike) -> Floats:
        """Move the corners of quads (N, 4, 2) px that lie roughly on tiles onto the tiles' corners."""
        corners = np.array(quads, np.float32).reshape(-1, 4, 2)
        far = np.arange(len(corners))
        for _ in range(REFININGS if len(corners) else 0):
            _, off = self._seen(whiten(crop_quads(image, corners[far], REFINE_MARGIN)))
            corners[far] = _moved(corners[far], off)
            far = far[_reach(off) > NEAR]
            if not len(far):
                break
        return corners

    def look(self, image: Picture, quads: ArrayLike) -> tuple[list[Named], Floats]:
        """Name the tiles at quads as `name` does, and move the quads (N, 4, 2) onto the tiles' corners.

        One look at a loose crop tells name and corners. Only where it leaves doubt about the name, or the
        corners were far off, the tile is looked at again at its new corners, closely, in both half turns.
        """
        corners = np.array(quads, np.float32).reshape(-1, 4, 2)
        if len(corners) == 0:
            return [], corners
        scores, off = self._seen(whiten(crop_quads(image, corners, REFINE_MARGIN)))
        corners = _moved(corners, off)
        again = np.union1d(self._doubtful(scores), np.flatnonzero(_reach(off) > NEAR))
        if len(again):
            close = self._both_turns(whiten(crop_quads(image, corners[again])))
            scores[again] = (scores[again] + 2 * close) / 3
        return self._named(scores), corners

    def _both_turns(self, inputs: Floats) -> Floats:
        scores, _ = self._seen(np.concatenate([inputs, inputs[..., ::-1, ::-1]]))
        return np.asarray((scores[: len(inputs)] + scores[len(inputs) :]) / 2, np.float32)

    def _doubtful(self, scores: Floats) -> NDArray[np.intp]:
        """Which rows of scores (N, 44) name no tile plainly."""
        return np.flatnonzero(self._chances(scores)[:, :NOT_A_TILE].max(axis=1) < PLAIN)

    def _chances(self, scores: Floats) -> Floats:
        return softmax(np.asarray(scores + self._shut, np.float32))

    def _read(self, crops: Picture, four: NDArray[np.bool_]) -> list[Named]:
        """Name crops as they stand; in doubt in both half turns, and those of `four` in all turns."""
        inputs = whiten(crops)
        scores, _ = self._seen(inputs)
        doubt = self._doubtful(scores)
        if len(doubt):
            half, _ = self._seen(inputs[doubt][..., ::-1, ::-1])
            scores[doubt] = (scores[doubt] + half) / 2
        lying = doubt[four[doubt]]
        if len(lying):
            scores[lying] = (scores[lying] + self._both_turns(np.rot90(inputs[lying], axes=(2, 3)))) / 2
        return self._named(scores)

    def _named(self, scores: Floats) -> list[Named]:
        chances = self._chances(scores)
        best = chances[:, :NOT_A_TILE].argmax(axis=1)
        sure = chances[np.arange(len(best)), best]
        tiles = [TILES[k] for k in best.tolist()]
        return [
            Named(tile if p >= self._sure else None, tile, p, row)
            for tile, p, row in zip(tiles, sure.tolist(), chances, strict=True)
        ]

    def name(self, image: Picture, quads: ArrayLike) -> list[Named]:
        """Name the tiles at quads (N, 4, 2) px of a BGR image: corners of the upright tile or a half turn.

        The quads may be some percent off, as a finder's are.
        """
        return self.look(image, quads)[0]

    def name_refined(self, image: Picture, quads: ArrayLike) -> list[Named]:
        """As `name`, where the corners are exact already."""
        corners = np.asarray(quads, np.float32).reshape(-1, 4, 2)
        if len(corners) == 0:
            return []
        return self._read(crop_quads(image, corners), np.zeros(len(corners), np.bool_))

    def name_boxes(self, image: Picture, boxes: ArrayLike) -> list[Named]:
        """Name the tiles in boxes (N, 4) x, y, w, h px of a BGR image; their turn is found by the way."""
        rows = np.asarray(boxes, np.float32).reshape(-1, 4)
        if len(rows) == 0:
            return []
        sides = np.sort(rows[:, 2:], axis=1)
        square = sides[:, 1] < SQUARE * sides[:, 0]
        return self._read(crop_quads(image, box_quads(rows)), square)
