"""What a part of a picture shows: tiles, their corners, and what they may be; it gets better in steps."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from rules.tiles import Tile
from vision.name import NOT_A_TILE
from vision.rectify_fit import Poses
from vision.steady_tracks import Sighting

Chances = npt.NDArray[np.float64]
"""(44,), of tiles 0..42 and "not a tile"."""
LEAST_PROBABILITY: Final = 1e-6
"""No probability counts as smaller."""


@dataclass(slots=True, eq=False)
class Seen:
    """Tiles of a picture, some of which are asked for.

    Attributes:
        quads: (N, 4, 2) pixels of all tiles.
        poses: (N, 3) of all, as `rectify_fit` has them.
        is_back: (N,) which of all the finder took for backs.
        rows: (M,) which ones are asked for; the rest belongs to these.
        is_whole: (M,) whether what was named has the size of a tile.
        chances: M times (44,) probabilities.
    """

    quads: npt.NDArray[np.float32]
    poses: Poses
    is_back: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.intp]
    is_whole: npt.NDArray[np.bool_]
    chances: list[Chances] = field(default_factory=list)

    def doubtful(self, sure: float) -> list[int]:
        """Which of the asked ones are faces, but not surely which."""
        return [k for k in range(len(self.rows)) if self.confidence(k) < sure and self.is_face(k)]

    def parts(self) -> list[int]:
        """Which of the asked ones are faces whose corners are not as far apart as a tile's."""
        return [k for k in range(len(self.rows)) if not self.is_whole[k] and self.is_face(k)]

    def confidence(self, k: int) -> float:
        """The probability of the likeliest tile."""
        return float(self.chances[k][:NOT_A_TILE].max())

    def is_face(self, k: int) -> bool:
        """Whether it is more likely a face than a back or no tile."""
        return float(self.chances[k][NOT_A_TILE] + self.chances[k][Tile.BACK]) < 0.5

    def sightings(self) -> list[Sighting]:
        """The asked ones as the memory takes them."""
        return [
            Sighting(
                float(x),
                float(y),
                float(np.degrees(turn) % 360.0),
                np.log(np.maximum(chance, LEAST_PROBABILITY)),
                is_whole=bool(whole),
            )
            for (x, y, turn), chance, whole in zip(
                self.poses[self.rows], self.chances, self.is_whole, strict=True
            )
        ]
