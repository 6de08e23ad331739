"""Whether counts look as chance makes them: two tests, and how large a bias would have been found. Pure.

The chi-square test looks once at everything. The sequential test looks after every observation: it bets
against chance with what it has seen so far, and its stake grows beyond 1/alpha with a probability of at most
alpha if there is nothing to be found (Ville's inequality), however often anybody looks.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

ALPHA: Final = 0.001
"""How often a test finds a bias where there is none, at most."""

POWER: Final = 0.9
FEWEST_EXPECTED: Final = 5.0
"""With fewer expected in any class the chi-square distribution does not hold."""

FEWEST: Final = 120
"""With fewer observations nothing is said."""

CAUTION: Final = 20.0
"""The sequential test begins as if it had seen so many observations of each class as chance makes them."""

_SMALLEST: Final = 1e-300


@dataclass(frozen=True, slots=True)
class Result:
    """A test of counts.

    Attributes:
        observations: how many there were.
        needed: how many it takes before anything is said.
        chi_square: the statistic, with `freedom` degrees.
        p: probability of a statistic as large by chance alone.
        stake: how much the sequential test had won at best, None where it does not apply.
        after: the observation after which its stake was beyond 1/alpha, None where it never was.
        detectable: the effect (Cohen's w) that is found with a probability of 90 %.
    """

    observations: int
    needed: int
    chi_square: float
    freedom: int
    p: float
    stake: float | None
    after: int | None
    detectable: float

    @property
    def enough(self) -> bool:
        """Whether there are enough observations to say anything."""
        return self.observations >= self.needed

    @property
    def biased(self) -> bool:
        """Whether it can hardly be chance."""
        by_stake = self.stake is not None and self.stake > 1 / ALPHA
        return self.enough and (self.p < ALPHA or by_stake)


def compared(seen: Sequence[int], chances: Mapping[int, float]) -> Result:
    """Test observations, in their order, against the chance of each class; chances sum to one.

    Raises:
        ValueError: an observation is of no class.
    """
    counts = dict.fromkeys(chances, 0)
    log_stake, best, after = 0.0, 0.0, None
    of_all = CAUTION * len(chances)
    for number, value in enumerate(seen):
        if value not in counts:
            raise ValueError(f"{value} is none of {sorted(chances)}")
        chance = chances[value]
        log_stake += math.log((counts[value] + of_all * chance) / (number + of_all) / chance)
        counts[value] += 1
        best = max(best, log_stake)
        if after is None and log_stake > -math.log(ALPHA):
            after = number + 1
    total = len(seen)
    needed = max(FEWEST, math.ceil(FEWEST_EXPECTED / min(chances.values())))
    pairs = [(counts[name], chances[name] * total) for name in chances]
    return _result(pairs, len(chances) - 1, (total, needed), (math.exp(min(best, 700.0)), after))


def independent(rows: Sequence[Sequence[int]]) -> Result:
    """Test whether the classes (columns) of counts come alike in every row; empty ones count not."""
    kept = [row for row in rows if sum(row)]
    columns = [column for column in zip(*kept, strict=True) if sum(column)] if kept else []
    total = sum(map(sum, kept))
    freedom = max(1, (len(kept) - 1) * (len(columns) - 1))
    pairs = [
        (cell, sum(row) * sum(column) / total)
        for row, cells in zip(kept, zip(*columns, strict=True), strict=True)
        for column, cell in zip(columns, cells, strict=True)
    ]
    fewest = min((expected for _, expected in pairs), default=0.0)
    needed = max(FEWEST, math.ceil(total * FEWEST_EXPECTED / fewest) if fewest else FEWEST)
    return _result(pairs, freedom, (total, needed), (None, None))


def _result(
    pairs: Iterable[tuple[int, float]],
    freedom: int,
    sizes: tuple[int, int],
    sequential: tuple[float | None, int | None],
) -> Result:
    statistic = sum((count - due) ** 2 / due for count, due in pairs if due > 0)
    total, needed = sizes
    return Result(
        observations=total,
        needed=needed,
        chi_square=statistic,
        freedom=freedom,
        p=beyond(statistic, freedom),
        stake=sequential[0],
        after=sequential[1],
        detectable=math.sqrt(_found_nine_times_in_ten(freedom) / total) if total else math.inf,
    )


def beyond(statistic: float, freedom: int) -> float:
    """The probability that a chi-square variable of so many degrees of freedom is larger."""
    half, shape = statistic / 2, freedom / 2
    if half <= 0:
        return 1.0
    lead = math.exp(shape * math.log(half) - half - math.lgamma(shape))
    if half < shape + 1:
        return max(0.0, 1.0 - lead * _series(half, shape))
    return min(1.0, lead * _fraction(half, shape))


def _series(half: float, shape: float) -> float:
    """The lower incomplete gamma function without its leading factor."""
    term = total = 1.0 / shape
    step = shape
    while term > total * 1e-15:
        step += 1
        term *= half / step
        total += term
    return total


def _fraction(half: float, shape: float) -> float:
    """The upper one by its continued fraction (Lentz)."""
    b = half + 1.0 - shape
    c, d = 1.0 / _SMALLEST, 1.0 / b
    found = d
    for n in range(1, 500):
        factor = -n * (n - shape)
        b += 2.0
        d = 1.0 / _not_zero(factor * d + b)
        c = _not_zero(b + factor / c)
        found *= d * c
        if abs(d * c - 1.0) < 1e-14:
            break
    return found


def _not_zero(value: float) -> float:
    return value if abs(value) > _SMALLEST else _SMALLEST


@cache
def _found_nine_times_in_ten(freedom: int) -> float:
    """The non-centrality at which the chi-square test at ALPHA finds the bias with POWER."""
    limit = _bisected(lambda x: beyond(x, freedom) < ALPHA, 0.0, 400.0)
    return _bisected(lambda x: _power(x, freedom, limit) > POWER, 0.0, 400.0)


def _power(noncentrality: float, freedom: int, limit: float) -> float:
    weight, total = math.exp(-noncentrality / 2), 0.0
    for n in range(600):
        total += weight * beyond(limit, freedom + 2 * n)
        weight *= noncentrality / 2 / (n + 1)
    return total


def _bisected(holds: Callable[[float], bool], low: float, high: float) -> float:
    for _ in range(40):
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
