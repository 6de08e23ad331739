"""Finds tiles where their size is not known: a picture is looked at in many sizes, and in its own shape.

Photographs are often squeezed to another shape on their way, and a low camera flattens what it sees. The
network has learned tiles of the proportions that tiles have. Where those of a picture are narrower or flatter
on the whole, the picture is widened or heightened until they fit. Pure: the network is a function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.find_peaks import Peaks, thinned

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]
Look = Callable[[Picture, float], Peaks]
"""What the network sees of a picture (H, W, 3) brought to a scale; px of the picture."""

SEARCHED: Final = 19.0
"""Short side of a tile at the scale of the network, px; it is trained on 13..27."""
TRUSTED: Final = (10.0, 29.0)
"""Short sides px at the network's scale that are believed."""
LIKED: Final = 0.5
"""How much a find counts less with its size a factor e off `SEARCHED`: a bell curve."""
ALIKE: Final = 4.0
"""Two sizes a factor e apart support each other by exp(-ALIKE)."""
RARE: Final = 0.4
"""How much a find of a size that no other has counts less, where two mean one tile."""
ACROSS: Final = (3.5, 5.0, 7.1, 10.0, 14.1, 20.0, 28.3, 40.0, 56.6)
"""Sizes tried: tiles whose short sides fit so often along the picture's longer side."""
COARSE: Final = 6
"""So many of the sizes, the first and quickest ones, tell a picture's shape."""
ENLARGED: Final = 2.0
"""No picture is enlarged more than this."""
LARGEST: Final = 2048
"""A picture whose longer side has more px is made smaller once, before it is looked at."""
TILE: Final = 1.35
"""A tile's face is so many times as long as wide; sets differ by a tenth."""
ASTRIDE: Final = 0.5
"""Axes that lean more than this (the tangent) against the picture's sides do not tell its shape."""
FEW: Final = 4
"""Fewer finds do not tell it either."""
WIDEST: Final = 16 / 9
"""No picture is widened or heightened more: cameras' pictures have no longer shape."""
LITTLE: Final = 1.05
"""Proportions this near to a tile's are left as they are."""
RESHAPINGS: Final = 3
"""How often a picture's shape is changed at most: the network sees strained tiles as less strained."""


def find_anywhere(picture: Picture, look: Look) -> Peaks:
    """The tiles of a picture, px of it; each is taken from the size in which it is seen best."""
    longer = max(picture.shape[:2])
    if SEARCHED * ACROSS[0] > ENLARGED * longer:
        return look(picture, ENLARGED)
    first = LARGEST / longer
    shown, seen = _in_shape(_resized(picture, first, first) if first < 1 else picture, look)
    peaks, ranks = _together([seen, _looked(shown, look, ACROSS[COARSE:])])
    best = thinned(peaks, _common(peaks, ranks))
    return _drawn_out(best, picture.shape[1] / shown.shape[1], picture.shape[0] / shown.shape[0])


def strain(peaks: Peaks, ranks: Floats) -> float:
    """How many times narrower the tiles are than tiles are, upright in the picture or lying in it.

    Below 1 they are flatter. The median of all faces that lie along the picture's sides, by their rank (N,).
    """
    up, across = peaks.ups, peaks.acrosses
    upright = _leans_little(up[:, ::-1]) & _leans_little(across)
    lying = _leans_little(up) & _leans_little(across[:, ::-1])
    told = (upright | lying) & ~peaks.backs
    if np.count_nonzero(told) < FEW:
        return 1.0
    long = np.linalg.norm(up, axis=1) / np.maximum(np.linalg.norm(across, axis=1), 1e-6)
    narrow = np.where(upright, long / TILE, TILE / np.maximum(long, 1e-6))[told]
    order = np.argsort(narrow, kind="stable")
    sums = np.cumsum(ranks[told][order] ** 4)
    return float(narrow[order][np.searchsorted(sums, sums[-1] / 2)])


def _leans_little(axes: Floats) -> NDArray[np.bool_]:
    """Which axes (N, 2) lie along the first coordinate."""
    return np.asarray(np.abs(axes[:, 1]) < ASTRIDE * np.abs(axes[:, 0]), np.bool_)


def _in_shape(picture: Picture, look: Look) -> tuple[Picture, tuple[Peaks, Floats]]:
    """A picture in the shape in which its tiles fit, and what the coarse sizes see of it."""
    wide, shown = 1.0, picture
    seen = _looked(shown, look, ACROSS[:COARSE])
    for _ in range(RESHAPINGS):
        off = strain(*seen)
        better = float(np.clip(wide * off, 1 / WIDEST, WIDEST))
        if max(off, 1 / off) < LITTLE or better == wide:
            break
        wide, shown = better, _resized(picture, max(1.0, better), max(1.0, 1 / better))
        seen = _looked(shown, look, ACROSS[:COARSE])
    return shown, seen


def _looked(picture: Picture, look: Look, sizes: Sequence[float]) -> tuple[Peaks, Floats]:
    """What is seen of a picture in some sizes, px of it, and ranks (N,): best at the network's own scale."""
    longer = max(picture.shape[:2])
    parts = [(_nothing(), np.zeros(0, np.float32))]
    for scale in (SEARCHED * across / longer for across in sizes):
        if scale <= ENLARGED:
            peaks = look(picture, scale)
            shorts = peaks.shorts() * scale
            peaks = peaks.chosen((shorts > TRUSTED[0]) & (shorts < TRUSTED[1]))
            off = np.log(peaks.shorts() * scale / SEARCHED)
            parts.append((peaks, (peaks.scores * np.exp(-LIKED * off**2)).astype(np.float32)))
    return _together(parts)


def _nothing() -> Peaks:
    none = np.zeros((0, 2), np.float32)
    return Peaks(none, none, none, none[:, 0], none[:, 0] > 0, np.zeros((0, 4), np.float32))


def _together(parts: Sequence[tuple[Peaks, Floats]]) -> tuple[Peaks, Floats]:
    peaks, ranks = zip(*parts, strict=True)
    return Peaks.together(peaks), np.concatenate(ranks)


def _common(peaks: Peaks, ranks: Floats) -> Floats:
    """The ranks (N,), less where few others are of a candidate's size: tiles of one picture differ little."""
    logs = np.log(peaks.shorts())
    near = np.exp(-ALIKE * (logs[:, None] - logs[None]) ** 2)
    support = (near * (ranks**4 * np.exp(logs))[None]).sum(axis=1)
    share = support / max(float(support.max(initial=0.0)), 1e-9)
    return np.asarray(ranks * (1 - RARE + RARE * share), np.float32)


def _resized(picture: Picture, wider: float, higher: float) -> Picture:
    """A picture made larger or smaller, by a factor each way."""
    size = (max(1, round(picture.shape[1] * wider)), max(1, round(picture.shape[0] * higher)))
    how = cv2.INTER_AREA if min(wider, higher) < 1 else cv2.INTER_LINEAR
    return cv2.resize(picture, size, interpolation=how).astype(np.uint8)


def _drawn_out(peaks: Peaks, wider: float, higher: float) -> Peaks:
    """From a picture's pixels to those of the same one made larger by a factor each way."""
    by = np.array((wider, higher), np.float32)
    boxes = peaks.boxes * np.tile(by, 2)
    return Peaks(peaks.centres * by, peaks.ups * by, peaks.acrosses * by, peaks.scores, peaks.backs, boxes)
