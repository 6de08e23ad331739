"""Motions as generators, and the line of time they run on. Pure: time is an argument.

A motion yields how long its next step takes (seconds of a real machine) and changes the state between the
steps; :class:`Timeline` runs all of them in the order in which their steps end.
"""

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Final

from firmware_bridge.faults import FaultCode
from firmware_bridge.states import State

Steps = Generator[float, None, None]

NOBODY: Final = None
"""The op_id of a motion that no command waits for."""


@dataclass(slots=True, eq=False)
class Motion:
    """``due``: when its step ends. ``outside``: people and causes, which no stop of the board stops.

    ``state``: the one it has entered last. ``rest``: what is left of its step while it is held.
    """

    steps: Steps
    due: float
    op_id: int | None = NOBODY
    by_host: bool = False
    outside: bool = False
    state: State | None = None
    rest: float | None = None


class MotionFails(Exception):
    """A motion ends with this fault."""

    def __init__(self, fault: FaultCode, side: int | None = None, evidence: int = 0) -> None:
        super().__init__(fault.label)
        self.fault = fault
        self.side = side
        self.evidence = evidence


Ended = Callable[[Motion, MotionFails | None], None]
"""Called when a motion has come to its end, or has failed."""


class Timeline:
    """All motions; ``speed`` times as fast as a real machine. ``ticks``: steps of the machine so far."""

    def __init__(self, speed: float, ended: Ended) -> None:
        self.speed = speed
        self.now = 0.0
        self.ticks = 0
        self.running: Motion | None = None
        self.motions: list[Motion] = []
        self._ended = ended
        self._waiting: list[tuple[int, Motion]] = []

    def add(self, motion: Motion) -> Motion:
        """Let a motion begin; its first step runs with the next :meth:`run`."""
        self.motions.append(motion)
        return motion

    def drop(self, motion: Motion) -> None:
        """End a motion without a word."""
        if motion in self.motions:
            self.motions.remove(motion)
            if motion is not self.running:
                motion.steps.close()

    def hold(self, motion: Motion) -> None:
        """Let a motion stand still in the middle of its step."""
        if motion.rest is None:
            motion.rest = max(0.0, motion.due - self.now)

    def release(self, motion: Motion) -> None:
        """Let a motion that was held go on."""
        if motion.rest is not None:
            motion.due, motion.rest = self.now + motion.rest, None

    def at_tick(self, tick: int, motion: Motion) -> None:
        """Hold ``motion`` until the machine has run ``tick`` steps; then it comes before everything else."""
        motion.rest = 0.0
        self._waiting.append((tick, motion))
        self._wake()

    def run(self, until: float) -> None:
        """Run all that ends by ``until``, step by step."""
        while (motion := self._next()) is not None and motion.due <= until:
            self.now = max(self.now, motion.due)
            self.step(motion)
        self.now = max(self.now, until)

    def next_due(self) -> float | None:
        """When the next step ends."""
        motion = self._next()
        return None if motion is None else motion.due

    def step(self, motion: Motion) -> None:
        """Run the next step of ``motion``."""
        before, self.running = self.running, motion
        self.ticks += not motion.outside
        try:
            motion.due = self.now + next(motion.steps) / self.speed
        except StopIteration:
            self._end(motion, None)
        except MotionFails as failure:
            self._end(motion, failure)
        finally:
            self.running = before
            self._wake()

    def _wake(self) -> None:
        for tick, motion in list(self._waiting):
            if self.ticks >= tick:
                self._waiting.remove((tick, motion))
                motion.due, motion.rest = -math.inf, None

    def _next(self) -> Motion | None:
        return min((one for one in self.motions if one.rest is None), key=lambda one: one.due, default=None)

    def _end(self, motion: Motion, failure: MotionFails | None) -> None:
        if motion in self.motions:
            self.motions.remove(motion)
            self._ended(motion, failure)
