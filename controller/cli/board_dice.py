"""What rolls of dice say about the dice, and what they can't say. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, exp, pi, sqrt
from typing import Final

from controller.cli.board_text import wrapped
from controller.cli.demo_show import right

FACES: Final = range(1, 7)
LEAST: Final = 30
"""Rolls of one die below which the test says nothing: five expected of each face."""

UNLIKELY: Final = 0.001
STRANGE: Final = 0.05
"""Bounds of p; for several dice each is divided by their number."""

_SEEN_MOSTLY: Final = 12.83
"""Noncentrality at which a test with 5 degrees of freedom finds a bias four times in five (p < 0.05)."""


@dataclass(frozen=True, slots=True)
class Die:
    """Counts of faces 1..6 of one die."""

    counts: tuple[int, ...]

    @property
    def rolls(self) -> int:
        """How often it was rolled."""
        return sum(self.counts)

    @property
    def chi_square(self) -> float:
        """Pearson's sum over six faces, 5 degrees of freedom."""
        expected = self.rolls / 6
        return sum((count - expected) ** 2 for count in self.counts) / expected if self.rolls else 0.0

    @property
    def p(self) -> float:
        """How often fair dice deviate at least as much."""
        return tail(self.chi_square)

    @property
    def blind_spot(self) -> float:
        """Share of one face up to which a biased die mostly goes unnoticed, 1/6 .. 1."""
        return min(1.0, 1 / 6 + sqrt(_SEEN_MOSTLY / (7.2 * self.rolls))) if self.rolls else 1.0


def tail(x: float) -> float:
    """Chance that chi-square with 5 degrees of freedom is at least ``x``."""
    return erfc(sqrt(x / 2)) + sqrt(2 * x / pi) * exp(-x / 2) * (1 + x / 3)


def dice_of(rolls: Sequence[tuple[int, ...]]) -> tuple[Die, ...]:
    """The dice of these rolls, first to last."""
    columns = max((len(roll) for roll in rolls), default=0)
    found = []
    for at in range(columns):
        counts = Counter(roll[at] for roll in rolls if len(roll) > at)
        found.append(Die(tuple(counts[face] for face in FACES)))
    return tuple(found)


def table(dice: Sequence[Die]) -> list[str]:
    """Counts by face, a column for each die."""
    head = "点 face" + "".join(right(f"骰 die {n}", 14) for n in range(1, len(dice) + 1))
    lines = [head]
    for face in FACES:
        cells = [f"{die.counts[face - 1]} {_percent(die.counts[face - 1], die.rolls)}" for die in dice]
        lines.append(f"   {face}   " + "".join(right(cell, 14) for cell in cells))
    if all(die.rolls >= LEAST for die in dice):
        lines.append("χ²(5)  " + "".join(right(f"{die.chi_square:.2f}", 14) for die in dice))
        lines.append("p      " + "".join(right(f"{die.p:.3f}", 14) for die in dice))
    return lines


def _percent(count: int, rolls: int) -> str:
    return right(f"{100 * count / rolls:.1f} %" if rolls else "–", 7)


def verdict(dice: Sequence[Die]) -> tuple[str, str]:
    """What follows, in Chinese and English. Never that dice are fair: no number of rolls shows that."""
    rolls = min((die.rolls for die in dice), default=0)
    if rolls < LEAST:
        return (
            f"只掷了 {rolls} 次，什么都说明不了；至少 {LEAST} 次，最好 600 次",
            f"{rolls} rolls say nothing; at least {LEAST} are needed, 600 are better",
        )
    worst = min(die.p for die in dice) * len(dice)
    if worst < UNLIKELY:
        return (
            f"骰子偏：公平的骰子极少这样（p = {worst:.1g}）；先查读数，再换骰子",
            f"biased: fair dice hardly ever do this (p = {worst:.1g}); check the reader, then the dice",
        )
    if worst < STRANGE:
        return (
            f"可疑，但公平的骰子有时也这样（p = {worst:.2g}）；再掷多一些",
            f"suspicious, but fair dice do this now and then (p = {worst:.2g}); roll more",
        )
    limit = f"{100 * max(die.blind_spot for die in dice):.0f} %"
    return (
        f"没有看出偏差；但某一面占到 {limit}（应为 16.7 %），掷 {rolls} 次也未必看得出",
        f"no bias seen; but a face at {limit} instead of 16.7 % could go unnoticed in {rolls} rolls",
    )


def shown(dice: Sequence[Die]) -> list[str]:
    """The table and what follows from it."""
    zh, en = verdict(dice)
    return [*(table(dice) if dice else ()), *wrapped(zh), *wrapped(en)]
