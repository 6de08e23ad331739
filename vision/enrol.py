"""What was learned of a table's own set of tiles, and how it is mixed with what the network says.

    enrolled = Enrolment.load(Path("table.enrolled"))
    namer = Namer(enrolled=enrolled)

`vision.enrol_learn` makes one from pictures of tiles whose faces are known.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from rules.tiles import Tile
from vision import enrol_file
from vision.enrol_file import BadEnrolment, LeftOut, Mix
from vision.name import NOT_A_TILE
from vision.whole_file import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

__all__ = ["BadEnrolment", "Enrolment", "LeftOut", "Mix", "digest", "log_softmax", "unit"]


def digest(network: bytes) -> str:
    """What tells one network from another: 16 hexadecimal digits."""
    return hashlib.sha256(network).hexdigest()[:16]


def log_softmax(scores: Floats) -> Floats:
    """Log-probabilities along the last axis."""
    less = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(less - np.log(np.exp(less).sum(axis=-1, keepdims=True)), np.float32)


def unit(embeddings: Floats) -> Floats:
    """Embeddings (N, 128) at length 1."""
    lengths = np.linalg.norm(embeddings, axis=-1, keepdims=True)
    return np.asarray(embeddings / np.maximum(lengths, 1e-9), np.float32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Enrolment:
    """A table's own set of tiles, as one network sees it.

    Attributes:
        network: `digest` of the network it was made with; only that one's embeddings mean anything to it.
        views: (V, 128) embeddings of length 1, ordered by face.
        faces: (V,) the class 0..43 of each view, never falling.
        levels: (44,) the cosine that a class without views counts with.
        mix: how views and network are weighed.
        tileset: what people call the set.
        made: the day it was made, as the maker wrote it.
        left_out: how well tiles were named that were left out of it.
    """

    network: str
    views: Floats
    faces: NDArray[np.int64]
    levels: Floats
    mix: Mix = field(default_factory=Mix)
    tileset: str = ""
    made: str = ""
    left_out: LeftOut = field(default_factory=LeftOut)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            BadEnrolment: it can't be read, or is no enrolment of this version.
        """
        head, arrays = enrol_file.read(path)
        return cls(
            network=head.network,
            views=unit(arrays.views),
            faces=arrays.faces,
            levels=arrays.levels,
            mix=head.mix,
            tileset=head.tileset,
            made=head.made,
            left_out=head.left_out,
        )

    def save(self, path: Path) -> None:
        """Write a file, whole or not at all; the same enrolment gives the same bytes.

        Raises:
            OSError: it can't be written; what was there before is as it was.
        """
        head = enrol_file.Head(
            version=enrol_file.VERSION,
            network=self.network,
            mix=self.mix,
            tileset=self.tileset,
            made=self.made,
            left_out=self.left_out,
        )
        arrays = enrol_file.Arrays(views=self.views, faces=self.faces, levels=self.levels)
        write_whole(path, enrol_file.packed(head, arrays))

    @property
    def covered(self) -> frozenset[Tile]:
        """The faces (and the back) of which there are views."""
        return frozenset(Tile(int(k)) for k in np.unique(self.faces) if k < NOT_A_TILE)

    def require(self, network: bytes) -> None:
        """Check that this was made with a network, given as ONNX bytes.

        Raises:
            BadEnrolment: it was made with another one.
        """
        there = digest(network)
        if there != self.network:
            raise BadEnrolment(
                f"the enrolment of {self.tileset or 'the set'} was made with another network "
                f"({self.network}, this program's is {there}): enrol the set anew"
            )

    def mixed(self, logits: Floats, embeddings: Floats) -> Floats:
        """Log-probabilities (N, 44) from a network's logits (N, 44) and embeddings (N, 128)."""
        cosines = unit(embeddings) @ self.views.T
        return mixed_with(self.mix, logits, nearest(cosines, self.faces, self.levels))


def nearest(cosines: Floats, faces: NDArray[np.int64], levels: Floats) -> Floats:
    """For each class the greatest of the cosines (N, V) to its views, its level where it has none: (N, 44).

    A cosine of -1 or less counts as no view.
    """
    out = np.tile(levels, (len(cosines), 1)).astype(np.float32)
    starts = np.flatnonzero(np.diff(faces, prepend=-1))
    if len(starts):
        best = np.maximum.reduceat(cosines, starts, axis=1)
        classes = faces[starts]
        out[:, classes] = np.where(best > -1, best, out[:, classes])
    return out


def mixed_with(mix: Mix, logits: Floats, closest: Floats) -> Floats:
    """Log-probabilities (N, 44) of a network's logits and the cosines to each class's nearest view."""
    score = mix.net * log_softmax(logits) + mix.scale * np.maximum(closest, mix.floor)
    return log_softmax(np.asarray(mix.sharpness * score, np.float32))
