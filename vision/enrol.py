"""What was learned of a table's own set of tiles, and how it is mixed with what the network says."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.name import CLASSES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


class BadEnrolment(Exception):
    """An enrolment that can't be used; the text is one line that says why."""


def digest(network: bytes) -> str:
    """What tells one network from another: 16 hexadecimal digits."""
    return hashlib.sha256(network).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mix:
    """How much the net and the enrolled views count.

    A face's score is `net` x its log-probability in the network's view, plus the log-softmax over faces of
    `scale` x the cosine to its nearest enrolled view; cosines below `floor` all count alike, so that what
    resembles no view is left to the network. `sharpness` makes log-probabilities of the sum.
    """

    net: float = 1.5
    scale: float = 40.0
    floor: float = 0.6
    sharpness: float = 1.0


FIRST: Final = Mix()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Enrolment:
    """A table's own set of tiles, as one network sees it.

    Attributes:
        network: digest of the network.
        views: (V, 128) embeddings of length 1, ordered by face.
        faces: (V,) the class 0..43 of each view, never falling.
        mix: how views and network are weighed.
    """

    network: str
    views: Floats
    faces: NDArray[np.int64]
    mix: Mix = FIRST

    def require(self, network: bytes) -> None:
        """Check that this was made with a network, given as ONNX bytes.

        Raises:
            BadEnrolment: it was made with another one.
        """
        there = digest(network)
        if there != self.network:
            raise BadEnrolment(
                f"was made with another network ({self.network}, this one is {there}); enrol the set anew"
            )

    def mixed(self, logits: Floats, embeddings: Floats) -> Floats:
        """Log-probabilities (N, 44) from a network's logits (N, 44) and embeddings (N, 128)."""
        nearest = np.full((len(logits), CLASSES), self.mix.floor, np.float32)
        starts = np.flatnonzero(np.diff(self.faces, prepend=-1))
        lengths = np.linalg.norm(embeddings, axis=1, keepdims=True)
        cosines = embeddings / np.maximum(lengths, 1e-9) @ self.views.T
        nearest[:, self.faces[starts]] = np.maximum.reduceat(cosines, starts, axis=1)
        nearest = np.maximum(nearest, self.mix.floor)
        score = self.mix.net * log_softmax(logits) + log_softmax(self.mix.scale * nearest)
        return log_softmax(self.mix.sharpness * score)


def log_softmax(scores: Floats) -> Floats:
    """Log-probabilities along the last axis."""
    less = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(less - np.log(np.exp(less).sum(axis=-1, keepdims=True)), np.float32)
