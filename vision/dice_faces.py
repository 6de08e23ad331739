"""The faces of dice as patterns: what one to six pips look like in any pose, and which one a picture shows.

A face is looked at through a grid of points over its inner part. Values are told apart by the correlation of
the grid's brightness with patterns, over many poses close to a guess; so neither the colours of body and pips
nor the light matter, as long as pips are darker.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Light = npt.NDArray[np.float32]
"""(H, W) brightness, seen from straight above, `scale` pixels per mm."""

GRID: Final = 15
HALF: Final = 0.42
"""The grid reaches so far from the middle of a face, as a share of its side."""

SPOTS: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
TURNED: Final = frozenset({2, 3, 6})
"""Values whose face looks otherwise after a quarter turn."""

RADII: Final = (0.09, 0.11)
LARGE: Final = (0.1, 0.14, 0.19)
"""Radii of pips and of the 1, as shares of the side."""
PITCHES: Final = (0.25, 0.27)
ASIDE: Final = np.array([-1.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a die's upper face lies: middle (x, y in pixels), turn in radians, side in pixels."""

    x: float
    y: float
    turn: float
    side: float

    def corners(self, share: float = 1.0) -> npt.NDArray[np.float64]:
        """(4, 2) pixels of the square, or of one `share` times as large."""
        arm = self.side * share / 2
        across = np.array([np.cos(self.turn), np.sin(self.turn)]) * arm
        down = np.array([-np.sin(self.turn), np.cos(self.turn)]) * arm
        square = np.array([-across - down, across - down, across + down, down - across])
        return np.asarray(square + np.array((self.x, self.y)), np.float64)


@dataclass(frozen=True, slots=True)
class Match:
    """How well a face shows one to six pips.

    `likeness` (6,): correlation 0..1 with the best pattern of each value, `pose` that of the best value,
    `contrast` 0..1: how much darker its pips are than its body.
    """

    likeness: npt.NDArray[np.float64]
    pose: Pose
    contrast: float

    @property
    def value(self) -> int:
        """The likeliest value."""
        return int(self.likeness.argmax()) + 1

    @property
    def lead(self) -> float:
        """How far the likeliest value is ahead of the next."""
        second, first = np.sort(self.likeness)[-2:]
        return float(first - second)


@lru_cache(maxsize=32)
def _patterns(blur: float) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Patterns (N, GRID * GRID) of mean 0 and length 1, blurred by `blur` sides, and the value of each."""
    rows, values = [], []
    for value, spots in SPOTS.items():
        for radius in LARGE if value == 1 else RADII:
            for pitch in PITCHES if value != 1 else PITCHES[:1]:
                pattern = _drawn(spots, radius, pitch, blur)
                rows.append(pattern)
                values.append(value)
                if value in TURNED:
                    rows.append(np.rot90(pattern))
                    values.append(value)
    flat = np.array([row.ravel() for row in rows], np.float32)
    flat -= flat.mean(axis=1, keepdims=True)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    return flat, np.array(values)


def _drawn(spots: Iterable[tuple[int, int]], radius: float, pitch: float, blur: float) -> Floats:
    """Brightness (GRID, GRID) of a white face with dark pips."""
    fine = 8
    side = GRID * fine
    scale = side / (2 * HALF)
    face = np.ones((side, side), np.float32)
    for a, b in spots:
        middle = (round(((a * pitch + HALF) * scale) * 16), round(((b * pitch + HALF) * scale) * 16))
        cv2.circle(face, middle, round(radius * scale * 16), 0.0, -1, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(face, (0, 0), max(0.3, blur * scale), borderType=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.resize(soft, (GRID, GRID), interpolation=cv2.INTER_AREA), np.float32)


def _grid() -> Floats:
    line = (np.arange(GRID, dtype=np.float32) + 0.5) / GRID * 2 * HALF - HALF
    return np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2).astype(np.float32)


_POINTS: Final = _grid()


def match(light: Light, guess: Pose, *, blur: float, turns: npt.NDArray[np.float64]) -> Match:
    """The face near a guess: its turn is looked for among `turns` (radians, added to the guess's).

    `blur`: sigma of the picture in pixels.
    """
    coarse = _poses(guess, turns, np.array([-0.09, 0.0, 0.09]), np.array([0.93, 1.0, 1.07]))
    best, likeness, contrast = _best(light, coarse, blur)
    step = float(turns[1] - turns[0]) / 3
    for share in (1.0, 0.4):
        finer = _poses(best, step * share * ASIDE, 0.04 * share * ASIDE, 1 + 0.03 * share * ASIDE)
        best, again, contrast = _best(light, finer, blur)
        likeness = np.maximum(likeness, again)
    return Match(likeness, best, contrast)


def _poses(
    guess: Pose,
    turns: npt.NDArray[np.float64],
    steps: npt.NDArray[np.float64],
    sizes: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Rows (x, y, turn, side) about a guess; `steps` are shares of the side."""
    mesh = np.meshgrid(
        guess.x + steps * guess.side, guess.y + steps * guess.side, guess.turn + turns, guess.side * sizes
    )
    return np.stack(mesh, axis=-1).reshape(-1, 4)


def _best(
    light: Light, poses: npt.NDArray[np.float64], blur: float
) -> tuple[Pose, npt.NDArray[np.float64], float]:
    """The best pose, the likeness (6,) of each value over all poses, and the contrast in the best one."""
    patterns, values = _patterns(round(blur / float(np.median(poses[:, 3])) * 50) / 50)
    seen = _sampled(light, poses)
    level = seen.mean(axis=1, keepdims=True)
    even = seen - level
    length = np.linalg.norm(even, axis=1, keepdims=True)
    scores = (even / np.maximum(length, 1e-3)) @ patterns.T
    likeness = np.array([scores[:, values == value].max() for value in range(1, 7)], np.float64)
    row = int(scores.max(axis=1).argmax())
    x, y, turn, side = (float(number) for number in poses[row])
    low, high = np.percentile(seen[row], (4, 90))
    return Pose(x, y, turn, side), np.maximum(likeness, 0.0), float((high - low) / max(high, 1.0))


def _sampled(light: Light, poses: npt.NDArray[np.float64]) -> Floats:
    """Brightness (N, GRID * GRID) at the grid's points in each pose (N, 4)."""
    x, y, turn, side = (column[:, None].astype(np.float32) for column in poses.T)
    across, down = _POINTS[:, 0] * side, _POINTS[:, 1] * side
    cosine, sine = np.cos(turn), np.sin(turn)
    columns = np.asarray(x + across * cosine - down * sine, np.float32)
    rows = np.asarray(y + across * sine + down * cosine, np.float32)
    return np.asarray(
        cv2.remap(light, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32
    )
