"""What reading costs, stage by stage: processor time of the thread that reads."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2

from vision.images import Frame
from vision.observations import Settled

if TYPE_CHECKING:
    from vision.reading_eyes import Eyes

STAGES: Final = ("decode", "health", "place", "looks", "dice", "steady", "find", "fit", "name")
"""In the order of their work: a reduced or whole JPEG becomes pixels; troubles of the camera; the markers;
mean colours of cells, and which of them changed; the dice; what the memory makes of it; tiles are found;
corners put right; faces named."""


class Costs:
    """Seconds of processor time by stage, since it was made."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def of(self, stage: str) -> Iterator[None]:
        """Count what is done meanwhile."""
        started = time.thread_time()
        try:
            yield
        finally:
            self.seconds[stage] += time.thread_time() - started


@dataclass(frozen=True, slots=True)
class PictureCost:
    """What looking at one picture took, milliseconds of processor time."""

    stages: dict[str, float]
    tiles: int

    @property
    def total(self) -> float:
        """All stages together."""
        return sum(self.stages.values())


@dataclass(frozen=True, slots=True)
class ReadingCost:
    """A table that is read for the first time, and one that has not changed since.

    `whole`: the dearest picture that was read, `again`: the second dearest; `unchanged`: the mean of all
    after the table had settled.
    """

    whole: PictureCost
    again: PictureCost
    unchanged: PictureCost


def measure(eyes: "Eyes", pictures: Sequence[bytes], *, seconds_apart: float = 0.1) -> ReadingCost:
    """Let eyes look at the JPEGs of a table at rest, as a camera sends them: thirty or more.

    The eyes are warmed up before, as those of a sight are that opens.

    Raises:
        ValueError: the table did not settle before the last ten pictures.
    """
    cv2.setNumThreads(1)
    eyes.warm_up()
    costs: list[PictureCost] = []
    settled_at = len(pictures)
    for number, data in enumerate(pictures):
        before, named = dict(eyes.costs.seconds), eyes.tiles_named
        told = eyes.look(Frame(data, 1.0 + seconds_apart * number, number))
        spent = {stage: 1e3 * (eyes.costs.seconds[stage] - before.get(stage, 0.0)) for stage in STAGES}
        costs.append(PictureCost(spent, eyes.tiles_named - named))
        if any(isinstance(one, Settled) for one in told):
            settled_at = min(settled_at, number)
    after = costs[settled_at + 1 :]
    if len(after) < 10:
        raise ValueError(f"the table settled at picture {settled_at} of {len(costs)}: show more")
    dearest = sorted(costs[1:], key=lambda cost: -cost.total)
    mean = {stage: sum(cost.stages[stage] for cost in after) / len(after) for stage in STAGES}
    return ReadingCost(dearest[0], dearest[1], PictureCost(mean, 0))
