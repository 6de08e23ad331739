"""Whether a camera's pictures can be used: black, over-exposed, frozen, of another size, of another opening.

Pure: facts about each picture and its time come in, a trouble or none comes out. Each trouble has a test
that begins it and an easier one that keeps it, and stands only when its test held for some time. Pictures
that look like a trouble that does not stand yet are `suspect`: nothing is read from them.

A live picture is never the same twice: its sensor's noise differs. A picture counts as the last one when
nearly no place of it has changed (a clock that the camera writes into its picture may go on). Pictures that
are sent twice do no harm, nor do several seconds without a change where the source is a film with a codec
that leaves out what stands still.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from vision.images import Frame, Image
from vision.observations import CameraTrouble

DARK_LEVEL: Final = 16.0
BRIGHT_LEVEL: Final = 250.0
SAME_SHARE: Final = 0.002  # of the samples; the digits of a clock are less
SAMPLE_STEP: Final = 3  # every third pixel of the small picture, both ways
LEAST_REPEATS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is measured of one picture.

    Attributes:
        at: seconds.
        size: (width, height), pixels.
        opening: number of the stream it came out of.
        dark: share 0..1 of the picture that is darker than `DARK_LEVEL`.
        bright: share that is brighter than `BRIGHT_LEVEL`.
        changed: share of places that differ from the last picture's; 1 where there was none.
    """

    at: float
    size: tuple[int, int]
    opening: int = 0
    dark: float = 0.0
    bright: float = 0.0
    changed: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long a trouble must last before it is told, in seconds.

    `frozen_s` is None where pictures may stand still by nature (a folder of images).
    """

    exposure_s: float = 0.8
    frozen_s: float | None = 1.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What is known of the pictures so far; the fields behind `trouble` are its memory.

    Attributes:
        trouble: what stands, None while pictures are good.
        suspect: nothing should be read from the last picture.
        news: the last picture begins a stream or has another size: whatever was known of its place is void.
    """

    trouble: CameraTrouble | None = None
    suspect: bool = False
    news: CameraTrouble | None = None
    last: Facts | None = None
    repeats: int = 0
    changed_at: float = -np.inf
    since: tuple[tuple[CameraTrouble, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Test:
    """When a trouble begins and while it lasts; `hold_s` says how long it must hold to stand."""

    begins: Callable[[Facts, Health], bool]
    lasts: Callable[[Facts, Health], bool]
    hold_s: Callable[[Limits], float]


TESTS: Final[dict[CameraTrouble, Test]] = {
    # A black cloth under a lamp is far brighter than the noise behind a lens cap, and its markers are white.
    CameraTrouble.BLACK: Test(
        lambda facts, _: facts.dark >= 0.98,
        lambda facts, _: facts.dark >= 0.9,
        lambda limits: limits.exposure_s,
    ),
    # White tiles all over a table are a sixth of it.
    CameraTrouble.OVEREXPOSED: Test(
        lambda facts, _: facts.bright >= 0.5,
        lambda facts, _: facts.bright >= 0.35,
        lambda limits: limits.exposure_s,
    ),
    CameraTrouble.FROZEN: Test(
        lambda _, health: health.repeats >= LEAST_REPEATS,
        lambda _, health: health.repeats > 0,
        lambda limits: np.inf if limits.frozen_s is None else limits.frozen_s,
    ),
}
"""In the order in which they count: a black picture may be a frozen one too."""


def saw(health: Health, facts: Facts, limits: Limits) -> Health:
    """Take the next picture into account."""
    last = health.last
    same = last is not None and last.opening == facts.opening and facts.changed <= SAME_SHARE
    changed_at = health.changed_at if same or _frozen_again(health, facts) else facts.at
    repeats = health.repeats + 1 if changed_at != facts.at else 0
    health = replace(health, last=facts, repeats=repeats, changed_at=changed_at, news=_news(last, facts))
    before = dict(health.since)
    since = {}
    for kind, test in TESTS.items():
        if (test.lasts if health.trouble is kind else test.begins)(facts, health):
            begun = changed_at if kind is CameraTrouble.FROZEN else facts.at
            since[kind] = before.get(kind, begun)
    stands = [kind for kind, at in since.items() if facts.at - at >= TESTS[kind].hold_s(limits) - 1e-6]
    exposure = bool(since.keys() - {CameraTrouble.FROZEN})
    return replace(
        health,
        trouble=stands[0] if stands else None,
        # A repeated picture tells nothing new; where pictures stand still by nature it does.
        suspect=exposure or bool(stands) or (repeats > 0 and limits.frozen_s is not None),
        since=tuple(since.items()),
    )


def facts_of(frame: Frame, before: Frame | None) -> Facts:
    """Measure a picture; `before` is the one it is compared with.

    Raises:
        BadPicture: it can't be decoded.
    """
    if before is not None and frame.same_bytes(before):
        small, changed = before.small, 0.0
    else:
        small = frame.small
        changed = 1.0 if before is None else changed_share(small, before.small)
    luma = cv2.cvtColor(small[::SAMPLE_STEP, ::SAMPLE_STEP], cv2.COLOR_BGR2GRAY)
    return Facts(
        at=frame.at,
        size=frame.size,
        opening=frame.opening,
        dark=float((luma < DARK_LEVEL).mean()),
        bright=float((luma >= BRIGHT_LEVEL).mean()),
        changed=changed,
    )


def changed_share(now: Image, before: Image) -> float:
    """The share of places at which two pictures differ at all."""
    if now.shape != before.shape:
        return 1.0
    some = np.s_[::SAMPLE_STEP, ::SAMPLE_STEP]
    return float((now[some] != before[some]).any(axis=2).mean())


def _frozen_again(health: Health, facts: Facts) -> bool:
    """Whether a frozen stream that was opened again still shows the same picture."""
    return health.trouble is CameraTrouble.FROZEN and facts.changed <= SAME_SHARE


def _news(last: Facts | None, facts: Facts) -> CameraTrouble | None:
    if last is None:
        return None
    if last.size != facts.size:
        return CameraTrouble.SIZE_CHANGED
    return CameraTrouble.STREAM_RESTARTED if last.opening != facts.opening else None
