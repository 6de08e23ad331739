"""What the doubtful tiles of a table tell of the others: faces of this set that are hard to tell apart. Pure.

All tiles of a table are of one set. Where the network wavers between two faces at one tile, it does not know
how this set draws them, and takes another tile for the wrong one of the two just as well, now and then with
high confidence. So where some tile of the table wavers between two faces, the names of both stand only where
they are far apart. Looking again does not help: a still tile looks the same every time.
"""

from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Final

import numpy as np

from rules.tiles import Tile
from vision.joint import Chances, Reading

WAVERS: Final = 0.1
"""A doubtful tile wavers between faces likelier than this, and always between the likeliest two ..."""
NOTHING: Final = 0.02
"""... where the second is likelier than this."""
APART: Final = 500.0
"""A name stands beside a face that is confused with it here where it is so many times as likely."""


def confused(doubtful: Iterable[Chances]) -> frozenset[tuple[int, int]]:
    """The pairs of faces, both ways round, that some doubtful tile's (44,) probabilities waver between."""
    pairs: set[tuple[int, int]] = set()
    for chances in doubtful:
        faces = np.asarray(chances, np.float64)[: Tile.BACK + 1]
        first_two = np.argsort(faces)[-2:]
        near = {int(k) for k in np.flatnonzero(faces > WAVERS)}
        near |= {int(k) for k in first_two if faces[k] > NOTHING}
        pairs |= set(permutations(near, 2))
    return frozenset(pairs)


def too_near(readings: Sequence[Reading], pairs: frozenset[tuple[int, int]]) -> frozenset[int]:
    """The indices of readings whose name is not far enough from a face that is confused with it.

    What else speaks for a name (`Reading.support`) counts. Backs are no names that are told apart by art.
    """
    return frozenset(
        k
        for k, reading in enumerate(readings)
        if reading.name is not None and reading.name is not Tile.BACK
        if any(name == reading.name and _near(reading, other) for name, other in pairs)
    )


def _near(reading: Reading, other: int) -> bool:
    chances = np.asarray(reading.chances, np.float64)
    return bool(chances[reading.name] * np.exp(reading.support) < APART * chances[other])
