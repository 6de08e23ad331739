"""Deals played before a real session and a real journal, for what happens at the moment they are settled."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1] / "controller"))
from evening import Evening  # type: ignore[import-not-found]

from controller.journal import Journal
from controller.public import Settlement, encode
from controller.session import Session
from controller.session_effects import Effect, Publish

if TYPE_CHECKING:
    from collections.abc import Iterable

    from controller.session_inputs import Input


@dataclass
class Moment:
    """What a session does where it settles: how long it took, the messages up to then, and with it."""

    seconds: float
    before: dict[str, bytes]
    with_it: list[Publish] = field(default_factory=list)


class Timed(Session):
    """A session that knows when its last input came."""

    began = 0.0

    def handle(self, arrived: Input, now: float) -> tuple[Effect, ...]:
        """As ever."""
        self.began = time.perf_counter()
        return super().handle(arrived, now)


class Settling(Evening):  # type: ignore[misc]
    """Plays deals before a session and a journal; keeps what happened at every settlement."""

    def __init__(self, seed: int, journal: Journal) -> None:
        self.moments: list[Moment] = []
        self._retained: dict[str, bytes] = {}
        super().__init__(seed, keep=journal.write)

    def _carry_out(self, effects: Iterable[Effect]) -> None:
        told = tuple(effects)
        if not isinstance(self.session, Timed):
            self.session.__class__ = Timed
        published = [effect for effect in told if isinstance(effect, Publish)]
        settles = any(isinstance(each.payload, Settlement) for each in published)
        before = dict(self._retained)
        super()._carry_out(told)
        if settles and isinstance(self.session, Timed):
            self.moments.append(Moment(time.perf_counter() - self.session.began, before, published))
        self._retained |= {each.topic: encode(each.payload) for each in published if each.retain}


def played(deals: int, journal: Path) -> list[Moment]:
    """The settlements of so many deals."""
    with Journal.open(journal) as kept:
        evening = Settling(1, kept)
        evening.play(deals)
        evening.finish()
    return evening.moments
