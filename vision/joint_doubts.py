"""What the doubtful tiles of a table tell of the others: faces of this set that are hard to tell apart. Pure.

All tiles of a table are of one set. Where the network wavers between two faces at one tile, it does not know
how this set draws them, and takes another tile for the wrong one of the two just as well, now and then with
high confidence. So where some tile of the table wavers between two faces, the names of both stand only where
they are far apart. Looking again does not help: a still tile looks the same every time.

How far depends on how many tiles there are: where more tiles may have a face than a set has of it, one of the
named ones probably is the wrong one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
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
"""A name stands beside a face that is confused with it here where it is so many times as likely ..."""
FAR_APART: Final = 100_000.0
"""... or so many times where the doubtful tiles, by their chances, make its face one of too many ..."""
TOO_MANY: Final = 0.1
"""... by this much of a tile."""


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


def too_near(
    readings: Sequence[Reading], doubtful: Sequence[Chances], copies: Mapping[Tile, int]
) -> frozenset[int]:
    """The indices of readings whose name is not far enough from a face that is confused with it.

    What else speaks for a name (`Reading.support`) counts. Backs are no names that are told apart by art.

    Args:
        readings: the tiles with names.
        doubtful: (44,) probabilities of the tiles without one.
        copies: the tiles of the set in play.
    """
    pairs = confused(doubtful)
    claims: dict[int, float] = defaultdict(
        float, {int(face): -float(number) for face, number in copies.items()}
    )
    for reading in readings:
        if reading.name is not None:
            claims[int(reading.name)] += reading.stands_for
    for chances in doubtful:
        for face in copies:
            claims[int(face)] += float(chances[face])
    return frozenset(
        k
        for k, reading in enumerate(readings)
        if reading.name is not None and reading.name is not Tile.BACK
        for apart in [FAR_APART if claims[int(reading.name)] > TOO_MANY else APART]
        if any(name == reading.name and _near(reading, other, apart) for name, other in pairs)
    )


def _near(reading: Reading, other: int, apart: float) -> bool:
    chances = np.asarray(reading.chances, np.float64)
    return bool(chances[reading.name] * np.exp(reading.support) < apart * chances[other])
