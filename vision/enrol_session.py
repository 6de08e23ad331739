"""A guided enrolment in progress: looks go in, rows that were taken and what is still wrong come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.enrol_guided import Trouble, judge, looks, same_places, same_tiles
from vision.enrol_views import Known

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rules.tiles import Tile
    from vision.enrol_guided import Look, Row, Verdict
    from vision.find import Finder
    from vision.name import Namer

    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]

STEADY: Final = 0.85
"""A tile that lies still was seen clearly if its embeddings in two looks have at least this cosine."""

MISSED: Final = (Trouble.NO_TILES, Trouble.COUNT)
"""What may be wrong because a tile was not found."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A row that was taken: `names` are what its tiles look like, with `?` where that is not sure."""

    row: Row
    names: tuple[str, ...]
    tiles: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A row that is not taken yet, and why, in two languages."""

    row: Row
    zh: str
    en: str


@dataclass(frozen=True, slots=True, eq=False)
class _Before:
    quads: Floats
    embeddings: Floats
    faces: tuple[Tile, ...]


class Guide:
    """Goes through rows one after another; it holds only what it cut out of the looks."""

    def __init__(
        self, rows: Sequence[Row], *, copies: int = 1, trusting: bool = False, looks: int = 2
    ) -> None:
        """Begin with the first of `rows`.

        Args:
            rows: what is to be laid out, in order.
            copies: so many times, each time as a row of its own; backs and flowers once.
            trusting: the order is believed even where tiles look otherwise.
            looks: so many looks in sequence must agree on a row.
        """
        self._rows = rows
        self._copies = copies
        self._trusting = trusting
        self._looks = looks
        self._at = 0
        self._agreed = 0
        self._before: _Before | None = None
        self._taken: _Before | None = None
        self._way: Floats | None = None
        self._known: list[Known] = []
        self._skipped: list[Row] = []

    @property
    def row(self) -> Row | None:
        """The row that is waited for; None when there are no more."""
        return self._rows[self._at] if self._at < len(self._rows) else None

    @property
    def number(self) -> int:
        """Which one it is, from 1 on."""
        return self._at + 1

    @property
    def skipped(self) -> tuple[Row, ...]:
        """Rows that were given up."""
        return tuple(self._skipped)

    @property
    def known(self) -> Known | None:
        """The tiles of all rows taken so far."""
        return Known.joined(self._known) if self._known else None

    def skip(self) -> None:
        """Give the row up and go on with the next one."""
        if self.row is not None:
            self._skipped.append(self.row)
            self._next()

    def _next(self) -> None:
        self._at += 1
        self._agreed = 0
        self._before = None

    def look(self, picture: Picture, finder: Finder, namer: Namer, *, scale: float | None = None) -> Look:
        """See what lies in a BGR picture: the first look that shows the row whole, else the first of all.

        A look that sees fewer tiles than the first one shows no row, only a part of what lies there.

        Args:
            picture: the picture (H, W, 3).
            finder: finds the tiles.
            namer: names them.
            scale: the tiles' short side px, where known.

        Raises:
            ValueError: all rows were taken already.
        """
        first: Look | None = None
        for seen in looks(picture, finder, namer, scale=scale):
            first = first or seen
            trouble = self._judged(seen).trouble
            if trouble is None and len(seen.quads) >= len(first.quads):
                return seen
            if seen is first and trouble not in MISSED:
                break
        if first is None:
            raise ValueError("no look at the picture")
        return first

    def _judged(self, seen: Look) -> Verdict:
        row = self.row
        if row is None:
            raise ValueError("no row is waited for")
        copies = 1 if row.is_backs or row.faces[0].is_flower else self._copies
        return judge(row, seen, copies=copies, trusting=self._trusting, before=self._way)

    def take(self, seen: Look) -> Taken | Waiting | None:
        """What a look at the table changes; None: nothing is wrong, but it has to be seen again.

        Raises:
            ValueError: all rows were taken already.
        """
        row = self.row
        if row is None:
            raise ValueError("no row is waited for")
        verdict = self._judged(seen)
        now = _gathered(verdict, seen)
        if self._taken is not None and same_tiles(now.embeddings, self._taken.embeddings):
            self._agreed = 0
            return Waiting(row, "还是上一排，请换牌", "still the row before, lay the next one")
        if verdict.trouble is not None:
            self._agreed = 0
            return Waiting(row, verdict.zh, verdict.en)
        waiting = self._agree(row, now)
        if waiting is not None or self._agreed < self._looks:
            return waiting
        return self._accept(row, verdict, seen, now)

    def _agree(self, row: Row, now: _Before) -> Waiting | None:
        before, self._before = self._before, now
        if before is None or not same_places(now.quads, before.quads):
            self._agreed = 1
            return None
        steady = (now.embeddings * before.embeddings).sum(axis=1)
        if float(steady.min()) < STEADY:
            self._agreed = 1
            unclear = " ".join(str(now.faces[n]) for n in np.flatnonzero(steady < STEADY))
            return Waiting(row, f"没看清：{unclear}", f"not seen clearly: {unclear}")
        self._agreed += 1
        return None

    def _accept(self, row: Row, verdict: Verdict, seen: Look, now: _Before) -> Taken:
        numbers = np.concatenate([laid.tiles for laid in verdict.laid])
        faces = np.array([int(t) for t in now.faces], np.int64)
        nowhere = np.zeros(len(numbers), np.bool_)
        self._known.append(Known.cut(seen.picture, seen.quads[numbers], four=nowhere, faces=faces))
        self._taken = now
        self._way = verdict.laid[0].way(seen) if len(verdict.laid[0].tiles) > 1 else None
        self._next()
        return Taken(row, tuple(seen.name(int(n)) for n in numbers), len(numbers))


def _gathered(verdict: Verdict, seen: Look) -> _Before:
    numbers = np.concatenate([laid.tiles for laid in verdict.laid] or [np.zeros(0, np.intp)])
    faces = tuple(face for laid in verdict.laid for face in laid.faces)
    return _Before(seen.quads[numbers], seen.embeddings[numbers], faces)
