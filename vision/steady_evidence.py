"""How sure repeated readings of one tile are: log-probabilities averaged over readings that agree."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Final

import numpy as np
import numpy.typing as npt

from rules.tiles import Tile
from vision.joint import ONE_SET

NOT_A_TILE: Final = 43
CLASSES: Final = 44
LogProbabilities = npt.NDArray[np.float64]
"""(44,): tiles 0..42, then "not a tile"."""

# A face that many readings agree on and that leaves every other one far behind is sure even where the rest of
# the probability, spread thin over many faces, keeps it below the usual confidence.
MANY_READS: Final = 4
CLEAR_RATIO: Final = 25.0
CLEAR_CONFIDENCE: Final = 0.85
STRICT_RATIO: Final = 50.0
# Circles, bamboos and characters look much alike in all sets; these every maker draws his own way. Of a set
# the network never saw they are what it mixes up, among each other, and every look at a still tile makes the
# same mistake: no number of looks makes up for another of them being near, whatever the name.
DRAWN_FREELY: Final = (Tile.S1, *(tile for tile in Tile if Tile.EAST <= tile < Tile.BACK))
FREELY_RATIO: Final = 100.0
PLAIN_RATIO: Final = 200.0
# Of a set printed in bold the network takes an east for a south with a hundred times the probability.
WINDS: Final = tuple(tile for tile in Tile if Tile.EAST <= tile <= Tile.NORTH)
WINDS_RATIO: Final = 400.0
# A back can only be mistaken for "not a tile", and that it was found again and again speaks against that.
BACK_CONFIDENCE: Final = 0.8
LEAST_LOG: Final = -12.0  # one wild reading may weaken a face, not rule it out
LISTED: Final = 0.005  # candidates less likely than this are not worth telling
MOST_LISTED: Final = 5


class Standing(Enum):
    """What the readings so far allow to say."""

    OPEN = auto()
    SURE = auto()
    UNSURE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How many readings must agree, how far apart in time, how sure, and for how long to try.

    Attributes:
        reads: readings that name the same face, one after the other.
        spacing_s: seconds between readings that count.
        confidence: least probability of the face, averaged over all readings.
        patience_s: seconds after the first reading when the tile is told as unsure.
        indicator_confidence: least probability where the indicator lies: it names the wild tile, and money
            depends on it. One reading more must agree there, and no other face may be near.
        copies: the tiles of the set in play.
        strict: as for the indicator: no other face may be near, whatever the probability.
    """

    reads: int = 2
    spacing_s: float = 0.15
    confidence: float = 0.95
    patience_s: float = 2.0
    indicator_confidence: float = 0.98
    copies: Mapping[Tile, int] = field(default_factory=lambda: ONE_SET)
    strict: bool = False

    @property
    def for_indicator(self) -> "Agreement":
        """What is asked of the tile that names the wild one."""
        confidence = max(self.confidence, self.indicator_confidence)
        return replace(self, reads=self.reads + 1, confidence=confidence, strict=True)


@dataclass(slots=True)
class Evidence:
    """The readings of one tile that hasn't moved.

    Readings of what had not the size of a tile (`whole` of them had) say what it may be only where there are
    no others: part of a face looks like another face.
    """

    first_at: float
    counted_at: float = -np.inf
    reads: int = 0
    whole: int = 0
    agreeing: int = 0
    best: int = -1
    log_sum: LogProbabilities = field(default_factory=lambda: np.zeros(CLASSES))

    def add(
        self, at: float, log_probabilities: LogProbabilities, agreement: Agreement, *, is_whole: bool = True
    ) -> None:
        """Count a reading, unless it comes too soon after the last one to tell anything new.

        `is_whole`: what was named has the size of a tile.
        """
        if at - self.counted_at < agreement.spacing_s - 1e-6:
            return
        self.counted_at = at
        self.reads += 1
        if not is_whole and self.whole:
            return
        if is_whole and not self.whole:
            self.log_sum, self.agreeing = np.zeros(CLASSES), 0
        self.whole += is_whole
        self.log_sum += np.maximum(log_probabilities, LEAST_LOG)
        best = int(np.argmax(log_probabilities))
        self.agreeing = self.agreeing + 1 if best == self.best else 1
        self.best = best

    def agree_anew(self) -> None:
        """What was read so far does not count as agreeing: something speaks against it."""
        self.agreeing = 0

    def probabilities(self) -> npt.NDArray[np.float64]:
        """(44,), of the mean of the log-probabilities."""
        mean = self.log_sum / max(1, self.whole or self.reads)
        weights = np.exp(mean - mean.max())
        return np.asarray(weights / weights.sum())

    def standing(self, at: float, agreement: Agreement) -> Standing:
        """Whether the likeliest class (possibly "not a tile") is sure now, or should be told as unsure."""
        if self.whole and self.agreeing >= agreement.reads and self._agreed(agreement):
            return Standing.SURE
        return self.undecided(at, agreement)

    def undecided(self, at: float, agreement: Agreement) -> Standing:
        """Whether a face that is not sure should be told as unsure by now."""
        patience = self.reads >= agreement.reads and at - self.first_at >= agreement.patience_s
        return Standing.UNSURE if patience else Standing.OPEN

    def _agreed(self, agreement: Agreement) -> bool:
        """Whether the face of the last readings is the likeliest of all, and likely enough."""
        chances = self.probabilities()
        second, first = np.sort(chances)[-2:]
        if int(chances.argmax()) != self.best:
            return False
        if self.best == Tile.BACK:
            return bool(first >= BACK_CONFIDENCE and first >= CLEAR_RATIO * chances[: Tile.BACK].max())
        is_free = self.best in DRAWN_FREELY
        also = (Tile.BACK,) if self.best == Tile.WHITE else ()  # a grey back is as blank
        free = chances[[face for face in (*DRAWN_FREELY, *also) if face != self.best]]
        if first < (FREELY_RATIO * free.sum() if is_free else PLAIN_RATIO * free.max()):
            return False
        winds = chances[[face for face in WINDS if face != self.best]]
        if self.best in WINDS and first < WINDS_RATIO * winds.max():
            return False
        if agreement.strict:
            return bool(first >= agreement.confidence and first >= STRICT_RATIO * second)
        clear = not is_free and first >= CLEAR_CONFIDENCE and first >= CLEAR_RATIO * second
        return bool(first >= agreement.confidence or (clear and self.agreeing >= MANY_READS))

    def candidates(self, allowed: Iterable[Tile]) -> tuple[tuple[Tile, float], ...]:
        """The likeliest of the allowed tiles with their probability, best first."""
        chances = self.probabilities()
        ranked = sorted(allowed, key=lambda tile: -chances[tile])[:MOST_LISTED]
        return tuple(
            (tile, float(chances[tile])) for tile in ranked if chances[tile] >= LISTED or tile == ranked[0]
        )
