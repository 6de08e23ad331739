"""Makes an enrolment of the views of known tiles, and checks it on tiles that are left out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from rules.tiles import Tile
from vision.enrol import BadEnrolment, Enrolment, LeftOut, Mix, digest, mixed_with, nearest
from vision.enrol_views import Known, Views, views_of
from vision.name import NOT_A_TILE, TEMPERATURE, Namer, network_bytes

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

SHARPNESSES: Final = (1.0, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3)
"""What log-probabilities are multiplied by, as far as the left-out tiles ask for it."""
NETS: Final = (1.5, 1.0, 0.6, 0.3)
"""How much the network counts: as much as possible, but where it surely takes a tile for another one less."""
STRANGERS: Final = 50.0
"""A class without views counts as near as this share, in percent, of the tiles' nearest strangers are at
most; so, on the whole, the network alone decides about it."""
BELOW: Final = 0.05
"""Cosines count down to this much below the level of strangers."""
FLOWERS_SEEN_BY: Final = 60
"""Of so many tiles some are flowers, if the set has any."""


MOST_ODD: Final = 0.25
"""If more of the tiles left out than this share look like others than is said, the labels are wrong."""


class WorseEnrolment(BadEnrolment):
    """An enrolment that names tiles left out of it worse than the network alone does, or mostly wrongly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Odd:
    """A tile that looks like another one than it was said to be: its number, both, and how likely."""

    tile: int
    said: Tile
    seems: Tile
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """An enrolment and what is to be told of its making.

    `missing`: faces of the set of which no tile was shown; `odd`: tiles that even the enrolment, without
    them, reads otherwise.
    """

    enrolment: Enrolment
    missing: tuple[Tile, ...]
    odd: tuple[Odd, ...]


def learn(
    known: Known,
    *,
    kinds: Collection[Tile] | None = None,
    tileset: str = "",
    made: str = "",
    network: bytes | None = None,
) -> Learned:
    """Learn a set from at least one tile of it.

    Args:
        known: its tiles.
        kinds: the faces it has; when None the 34, and flowers as far as the tiles let one think so.
        tileset: what people call it.
        made: the day, as it is to be written down.
        network: ONNX bytes instead of the committed network.

    Raises:
        WorseEnrolment: it would name tiles worse than the network alone, or the labels contradict the tiles.
    """
    data = network if network is not None else network_bytes()
    views = views_of(known, Namer(data))
    ordered = np.argsort(views.faces, kind="stable")
    expected = _expected(views, kinds)
    trial = Trial(views, known.faces)
    level = trial.strangers(STRANGERS)
    mix = Mix(floor=level - BELOW)
    levels = np.full(44, level, np.float32)
    levels[[int(t) for t in Tile if 0 <= t < Tile.BACK and t not in expected]] = mix.floor
    mix = trial.sharpened(trial.balanced(mix, levels), levels)
    enrolment = Enrolment(
        network=digest(data),
        views=views.embeddings[ordered].astype(np.float16).astype(np.float32),
        faces=views.faces[ordered],
        levels=levels,
        mix=mix,
        tileset=tileset,
        made=made,
        left_out=trial.score(mix, levels),
    )
    if enrolment.left_out.after < enrolment.left_out.before:
        raise WorseEnrolment(_worse(enrolment.left_out))
    odd = trial.odd(mix, levels)
    if len(odd) > MOST_ODD * enrolment.left_out.tiles:
        raise WorseEnrolment(_contradicted(len(odd), enrolment.left_out.tiles))
    missing = tuple(sorted(expected - enrolment.covered))
    return Learned(enrolment=enrolment, missing=missing, odd=odd)


def _worse(score: LeftOut) -> str:
    return (
        f"of {score.tiles} tiles left out the network alone names {score.before} rightly, with this "
        f"enrolment only {score.after}: refused (are all labels right, and the pictures sharp?)"
    )


def _contradicted(odd: int, tiles: int) -> str:
    return (
        f"of {tiles} tiles left out {odd} look like others than they were said to be: refused "
        "(are all labels right, and the pictures sharp?)"
    )


def _expected(views: Views, kinds: Collection[Tile] | None) -> frozenset[Tile]:
    """The faces the set has."""
    if kinds is not None:
        return frozenset(t for t in kinds if 0 <= t < Tile.BACK)
    faces = {int(f) for f in views.faces}
    flowers = any(Tile(f).is_flower for f in faces if f < NOT_A_TILE)
    few = len(np.unique(views.tiles)) < FLOWERS_SEEN_BY
    return frozenset(t for t in Tile if 0 <= t < (Tile.BACK if flowers or few else 34))


class Trial:
    """Every tile read as a namer would, its own views left out.

    A tile that is the only one of its face keeps its changed views: so it is learned whether it is told from
    the others at all.
    """

    def __init__(self, views: Views, faces: NDArray[np.int64]) -> None:
        order = np.argsort(views.faces, kind="stable")
        self._view_faces = views.faces[order]
        plain = np.flatnonzero(views.plain)
        self._tiles = views.tiles[plain]
        self._logits = views.logits[plain]
        self._faces = faces
        cosines = views.embeddings[plain] @ views.embeddings[order].T
        self._tested = np.bincount(faces)[faces] > 1
        own = views.tiles[order][None, :] == self._tiles[:, None]
        cosines[own & (views.plain[order][None, :] | self._tested[self._tiles][:, None])] = -1
        self._cosines = np.clip(cosines, -1, 1)

    def strangers(self, percent: float) -> float:
        """The cosine to the nearest tile of another face, at most, of so many percent of the views."""
        other = self._view_faces[None, :] != self._faces[self._tiles][:, None]
        nearest_other = np.where(other, self._cosines, -1).max(axis=1)
        return float(np.clip(np.percentile(nearest_other, percent), 0.3, 0.9))

    def _mean(self, scores: Floats) -> Floats:
        """Of all turns in which a tile is read."""
        out = np.zeros((len(self._faces), scores.shape[1]), np.float32)
        np.add.at(out, self._tiles, scores)
        turns = np.bincount(self._tiles, minlength=len(out)).astype(np.float32)
        return np.asarray(out / turns[:, None], np.float32)

    def _read(self, mix: Mix, levels: Floats) -> Floats:
        """Log-probabilities (N, 44), of each tile."""
        closest = nearest(self._cosines, self._view_faces, levels)
        mean = self._mean(mixed_with(mix, self._logits, closest))
        return np.asarray(mean - np.log(np.exp(mean).sum(axis=1, keepdims=True)), np.float32)

    def balanced(self, mix: Mix, levels: Floats) -> Mix:
        """The same, the network counting so much that most tiles are read rightly, and rather much."""
        fit = [msgspec.structs.replace(mix, net=net) for net in NETS]
        right = [int((self._best(m, levels) == self._faces).sum()) for m in fit]
        return fit[int(np.argmax(right))]

    def _best(self, mix: Mix, levels: Floats) -> NDArray[np.intp]:
        return np.asarray(self._read(mix, levels)[:, :NOT_A_TILE].argmax(axis=1))

    def sharpened(self, mix: Mix, levels: Floats) -> Mix:
        """The same, as sure of itself as it may be."""
        rows = np.flatnonzero(self._tested)
        fit = [msgspec.structs.replace(mix, sharpness=s) for s in SHARPNESSES]
        likely = [float(self._read(m, levels)[rows, self._faces[rows]].sum()) for m in fit]
        return fit[int(np.argmax(likely))]

    def score(self, mix: Mix, levels: Floats) -> LeftOut:
        """How tiles are named of whose faces another tile was shown: by the network, and mixed."""
        before = self._mean(self._logits / np.float32(TEMPERATURE))
        named = (before[:, :NOT_A_TILE].argmax(axis=1), self._best(mix, levels))
        right = [int((best == self._faces)[self._tested].sum()) for best in named]
        return LeftOut(tiles=int(self._tested.sum()), before=right[0], after=right[1])

    def odd(self, mix: Mix, levels: Floats) -> tuple[Odd, ...]:
        """Tiles that are read as another face than they were said to be."""
        shares = np.exp(self._read(mix, levels))
        best = shares[:, :NOT_A_TILE].argmax(axis=1)
        wrong = np.flatnonzero(self._tested & (best != self._faces))
        return tuple(
            Odd(
                tile=int(n),
                said=Tile(int(self._faces[n])),
                seems=Tile(int(best[n])),
                probability=float(shares[n, best[n]]),
            )
            for n in wrong
        )
