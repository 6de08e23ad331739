"""When to read the dice, and what to tell of them. Pure: cells of pictures and readings come with times.

The window's cells are compared from picture to picture: what changes is told at once as unsure (the dice
move), what has come to rest is read, and two readings some time apart must agree before values are told.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.dice import DiceLook
from vision.observations import DiceSeen
from vision.steady_gate import Looks, Mask

CHANGE: Final = 9.0
"""Levels of a cell's colour; noise of a cell's mean stays below 2."""
SAME_PLACE_MM: Final = 1.2
PATIENCE_S: Final = 2.0
"""Dice that can't be read for so long are told as unsure ..."""
AGAIN_S: Final = 1.0
"""... and tried again this often."""


@dataclass(slots=True)
class DiceWatch:
    """The memory of one window.

    Args:
        settle_s: seconds without a change before the dice are read.
        spacing_s: seconds between two readings.
    """

    settle_s: float
    spacing_s: float
    _cells: Mask | None = None
    _seen: Looks | None = None
    _changed_at: float = -np.inf
    _read_at: float = -np.inf
    _first_at: float | None = None
    _before: DiceLook | None = None
    _done: bool = False
    _unsure: bool = False

    def place(self, cells: Mask) -> None:
        """The window is seen in these cells from now on; what lies there is read anew."""
        self._cells = cells
        self.begin_again()

    def begin_again(self) -> None:
        """Nothing is known any more: what lies there is told again."""
        self._seen, self._before, self._first_at = None, None, None
        self._done = self._unsure = False

    def look(self, at: float, looks: Looks) -> list[DiceSeen]:
        """Take the cells of the next picture; tells when something begins to move."""
        if self._cells is None:
            return []
        now = looks[self._cells]
        before, self._seen = self._seen, now
        if before is not None and float(np.abs(now - before).max(initial=0.0)) < CHANGE:
            return []
        self._changed_at, self._before, self._first_at = at, None, None
        self._done = False
        if before is None or self._unsure:
            return []
        self._unsure = True
        return [DiceSeen(at=at, values=None, confidence=0.0)]

    def is_due(self, at: float) -> bool:
        """Whether the dice should be read in this picture."""
        if self._done or self._cells is None or at - self._changed_at < self.settle_s:
            return False
        waited = self._first_at is not None and at - self._first_at > PATIENCE_S
        return at - self._read_at >= (AGAIN_S if waited else self.spacing_s) - 1e-6

    def take(self, at: float, look: DiceLook) -> list[DiceSeen]:
        """Take a reading; tells values that two readings agree on, or that they can't be read."""
        self._read_at = at
        self._first_at = at if self._first_at is None else self._first_at
        before, self._before = self._before, look
        if before is not None and _agree(before, look):
            self._done = True
            if look.values is None:
                return []
            self._unsure = False
            confidence = min(before.confidence, look.confidence)
            return [DiceSeen(at=at, values=look.values, confidence=round(confidence, 4))]
        if self._unsure or at - self._first_at < PATIENCE_S:
            return []
        self._unsure = True
        return [DiceSeen(at=at, values=None, confidence=0.0)]


def _agree(one: DiceLook, other: DiceLook) -> bool:
    """Whether two readings see the same: the same dice at the same places, or both nothing at all."""
    if not one.dice and not other.dice:
        return True
    if one.values is None or one.values != other.values:
        return False
    first, second = (sorted((die.x, die.y) for die in look.dice) for look in (one, other))
    return bool(np.abs(np.subtract(first, second)).max() < SAME_PLACE_MM)
