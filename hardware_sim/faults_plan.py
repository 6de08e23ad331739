"""When which fault strikes: counts what happens at the table and gives the faults that are due. Pure."""

import heapq
from collections import Counter
from collections.abc import Iterable
from random import Random

from hardware_sim.faults_text import START, TICK, Injection


class Plan:
    """Faults that are to come. ``speed``: how much faster than the clock the table's seconds pass."""

    def __init__(self, injections: Iterable[Injection] = (), *, seed: int, speed: float = 1.0) -> None:
        self._random = Random(f"{seed} plan")  # noqa: S311 - a simulation
        self._speed = speed
        self._counts: Counter[str] = Counter()
        self._waiting = [one for one in injections if one.when.what != START]
        self._at_start = [one for one in injections if one.when.what == START]
        self._due: list[tuple[float, int, Injection]] = []
        self._number = 0

    @property
    def waiting(self) -> tuple[Injection, ...]:
        """What is still to come, the nearest in time first."""
        return (*(injection for _, _, injection in sorted(self._due)), *self._waiting)

    def start(self, now: float) -> None:
        """The table's time begins."""
        for injection in self._at_start:
            self._put(injection, now)
        self._at_start = []

    def add(self, injection: Injection, now: float) -> None:
        """One more; a number counts what happens from now on."""
        if injection.when.what == START:
            self._put(injection, now)
            return
        self._waiting.append(_later(injection, self._counts[injection.when.what]))

    def happened(self, what: str, now: float) -> None:
        """Something of ``faults_text.HAPPENINGS`` happens."""
        self._counts[what] += 1
        count = self._counts[what]
        for injection in [one for one in self._waiting if one.when.what == what]:
            if injection.when.number in {None, count}:
                self._put(injection, now)
            if injection.when.number == count:
                self._waiting.remove(injection)

    def turn(self, now: float) -> None:
        """The firmware's loop turns."""
        self.happened(TICK, now)

    def due(self, now: float) -> list[Injection]:
        """What strikes now."""
        due = []
        while self._due and self._due[0][0] <= now:
            due.append(heapq.heappop(self._due)[2])
        return due

    def next_timer(self) -> float | None:
        """When the next one strikes."""
        return self._due[0][0] if self._due else None

    def forget(self, name: str | None = None) -> int:
        """Drop what is still to come of the fault ``name`` (None: of all); how many those were."""
        before = len(self._due) + len(self._waiting)
        self._due = [entry for entry in self._due if name not in {None, entry[2].fault.name}]
        heapq.heapify(self._due)
        self._waiting = [one for one in self._waiting if name not in {None, one.fault.name}]
        return before - len(self._due) - len(self._waiting)

    def _put(self, injection: Injection, now: float) -> None:
        """A fault's time has come, if chance says so."""
        if self._random.random() < injection.number("p"):
            self._number += 1
            at = now + injection.when.after / self._speed
            heapq.heappush(self._due, (at, self._number, injection))


def _later(injection: Injection, count: int) -> Injection:
    """The same, with its number counted on from ``count``."""
    when = injection.when
    if when.number is None:
        return injection
    moved = type(when)(what=when.what, number=when.number + count, after=when.after)
    return Injection(fault=injection.fault, when=moved, given=injection.given)
