"""Which finds of a photograph are tiles: tiles lie and stand among tiles of their size. Pure.

Book spines, boxes and boards are taken for a tile here and there, faintly as a rule and alone or among each
other. A find of which little speaks for a tile is believed sooner where a plain one of its size is near.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Flags = NDArray[np.bool_]

PLAIN: Final = 0.7
"""From this likelihood on a find speaks for others."""
ALONE: Final = 0.75
"""From this likelihood on a find needs no other."""
KIN: Final = 1.5
"""Boxes of tiles near each other differ by less than this factor each way; that of half a tile does more."""
NEAR: Final = 3.0
"""How far from a find others speak for it, in its size: the geometric mean of its box's sides."""
LIKELY: Final = (0.4, 0.55)
"""Least likelihood of a find in company and without: what is less is print or clutter."""
STANDS: Final = 0.55
"""Least likelihood, in company, at which what is read can be sure."""


def in_company(boxes: Floats, likely: Floats) -> Flags:
    """Which finds are among tiles or plain by themselves: (N,) of boxes (N, 4) x, y, w, h and likelihoods."""
    middles, sides = boxes[:, :2] + boxes[:, 2:] / 2, np.maximum(boxes[:, 2:], 1e-3)
    away = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    logs = np.log(sides)
    kin = (np.abs(logs[:, None] - logs[None]) < np.log(KIN)).all(axis=2)
    speaks = kin & (away < NEAR * np.sqrt(sides.prod(axis=1))[:, None]) & (likely >= PLAIN)[None]
    np.fill_diagonal(speaks, val=False)
    return np.asarray(speaks.any(axis=1) | (likely >= ALONE), np.bool_)


def judged(boxes: Floats, likely: Floats) -> tuple[Flags, Flags]:
    """Which finds are tiles, and which of them so surely that their names can stand: (N,) each.

    Boxes (N, 4) x, y, w, h px around all that is seen of each; likelihoods (N,) 0..1.
    """
    company = in_company(boxes, likely)
    tiles = likely > np.where(company, *LIKELY)
    return tiles, tiles & company & (likely >= STANDS)
