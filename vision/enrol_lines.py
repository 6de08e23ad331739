"""Which tiles lie side by side in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NEXT: Final = (0.6, 1.7)
"""A neighbour's middle lies this far, in widths of a tile, to the side ..."""
LEVEL: Final = 0.4
"""... and at most this part of a tile's height higher or lower ..."""
ALIKE: Final = np.radians(18)
"""... and is turned by no more than this, or by that and half a turn."""


def lines_of(quads: Floats) -> list[NDArray[np.intp]]:
    """Tiles (N, 4, 2) px as lines, each a list of their numbers from one end to the other, longest first.

    A quad's first side is a tile's upper or lower edge; a line goes along these.
    """
    across = quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]
    up = quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]
    joined = _neighbours(quads.mean(axis=1), across * np.float32(0.5), up * np.float32(0.5))
    lines, left = [], set(range(len(quads)))
    while left:
        group, fresh = set[int](), {left.pop()}
        while fresh:
            group |= fresh
            fresh = {int(k) for n in fresh for k in np.flatnonzero(joined[n])} - group
        left -= group
        lines.append(_in_order(np.array(sorted(group)), quads.mean(axis=1)))
    return sorted(lines, key=len, reverse=True)


def _neighbours(middles: Floats, across: Floats, up: Floats) -> NDArray[np.bool_]:
    """(N, N): whether the second lies beside the first, as the first sees it or the other way round."""
    wide, high = np.linalg.norm(across, axis=1), np.linalg.norm(up, axis=1)
    way = middles[None] - middles[:, None]
    aside = np.abs((way * (across / wide[:, None])[:, None]).sum(axis=2)) / wide[:, None]
    off = np.abs((way * (up / high[:, None])[:, None]).sum(axis=2)) / high[:, None]
    turn = np.arctan2(across[:, 1], across[:, 0])
    askew = np.abs((turn[None] - turn[:, None] + np.pi / 2) % np.pi - np.pi / 2)
    beside = (aside > NEXT[0]) & (aside < NEXT[1]) & (off < LEVEL) & (askew < ALIKE)
    return np.asarray(beside | beside.T)


def _in_order(group: NDArray[np.intp], middles: Floats) -> NDArray[np.intp]:
    """A line's tiles from left to right, or from top to bottom where it rather goes down."""
    places = middles[group]
    spread = places - places.mean(axis=0)
    _, _, axes = np.linalg.svd(spread, full_matrices=False)
    axis = axes[0] if axes[0][np.abs(axes[0]).argmax()] > 0 else -axes[0]
    return np.asarray(group[np.argsort(spread @ axis)])
