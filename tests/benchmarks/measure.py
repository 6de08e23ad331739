"""Measures hand evaluation beside the library `mahjong` in one run; as a program it prints the table.

Every figure is processor time, the median of interleaved rounds: what else the machine does meets all alike.
Each side gets the same hands as its own native input, ready made: `rules.hand` the tiles of a hand, the
library's `is_agari` a list of 34 counts, `judged` a `Moment`, `estimate_hand_value` the numbers of 14 tiles
out of 136, the batch forms arrays of counts. The library knows no wild tiles: it gets the hands without them.
Before anything is measured, both sides must agree on which hands win, and must have valued each one.
"""

from __future__ import annotations

import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from mahjong.agari import Agari
from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig

from rules import batch
from rules.cases import judged
from rules.hand import is_win, waits
from rules.moment import Moment
from rules.sets import load
from rules.tiles import Seat, Tile

sys.path.insert(0, str(Path(__file__).parent))
from hands import WILD, Hands, hands

if TYPE_CHECKING:
    from collections.abc import Callable

    from rules.ruleset import RuleSet

BATCH_ROUNDS = 20
WILD_COUNTS = range(5)


@dataclass(frozen=True)
class Target:
    """What is measured beside what, and the aim: so many times the peer's time, or so many hands a second."""

    what: str
    peer: str
    times: float | None = None
    per_second: int | None = None

    def name(self, count: int) -> str:
        """The name of the measurement with so many wild tiles."""
        return f"{self.what}, {count} wild tile{'' if count == 1 else 's'}"

    def __str__(self) -> str:
        if self.per_second is not None:
            return f"at least {self.per_second:,}/s"
        return f"at most {self.times}"


IS_WIN = Target("is-win", "is_agari", times=0.7)
WAITS = Target("waits", "is_agari", times=1.5)
SCORE = Target("full explained score", "estimate_hand_value", times=0.5)
BATCH_IS_WIN = Target("batch is-win", "is_agari", per_second=10_000_000)
BATCH_WAITS = Target("batch waits", "is_agari", per_second=3_000_000)
TARGETS = (IS_WIN, WAITS, SCORE, BATCH_IS_WIN, BATCH_WAITS)


@dataclass(frozen=True)
class Row:
    """One line of the table: microseconds a hand, and the peer's."""

    name: str
    target: Target
    micros: float
    peer_micros: float

    @property
    def ratio(self) -> float:
        """How many times the peer's time."""
        return self.micros / self.peer_micros

    @property
    def share(self) -> float:
        """The time as a part of what it may be at most."""
        if self.target.per_second is not None:
            return self.micros * self.target.per_second / 1e6
        return self.ratio / (self.target.times or 1)


def _median(work: dict[str, tuple[int, Callable[[], object]]], rounds: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, (number, run) in work.items():
            begun = time.process_time()
            run()
            times[name].append((time.process_time() - begun) / number * 1e6)
    return {name: statistics.median(each) for name, each in times.items()}


def measure(number: int, rounds: int) -> list[Row]:
    """Measure everything on that many hands."""
    data = hands(number)
    _check_win_tests(data)
    found = _median(_work(data), rounds)
    return [
        Row(target.name(count), target, found[target.name(count)], found[target.peer])
        for target in TARGETS
        for count in WILD_COUNTS
    ]


def _check_win_tests(data: Hands) -> None:
    """Both sides find the same wins, and all our forms find the same as each other."""
    agari = Agari()
    winning = [is_win(hand) for hand in data.natural]
    assert winning == [agari.is_agari(_counts34(hand)) for hand in data.natural]
    assert sum(winning) >= len(data.winning)
    for each in data.wild.values():
        counts, wilds = batch.count(np.array(each), WILD)
        assert batch.is_win(counts, wilds).tolist() == [is_win(hand, 0, WILD) for hand in each]
        few, few_wilds = batch.count(np.array([hand[1:] for hand in each]), WILD)
        kinds = [np.flatnonzero(row).tolist() for row in batch.waits(few, few_wilds, 0, WILD)]
        assert kinds == [list(map(int, waits(hand[1:], 0, WILD))) for hand in each]


def _check_scores(moments: list[Moment], rules: RuleSet, tiles136: list[list[int]]) -> None:
    """Every hand is valued, by both; a hand that is not raises an error here or has no value there."""
    assert all(judged(moment, rules, None).payments[moment.seat] > 0 for moment in moments)
    calculator, config = HandCalculator(), HandConfig(is_tsumo=True)
    values = [calculator.estimate_hand_value(tiles, tiles[-1], config=config) for tiles in tiles136]
    assert all(value.error is None and value.cost and value.cost["main"] > 0 for value in values)
    assert len(values) == len(moments)


def _work(data: Hands) -> dict[str, tuple[int, Callable[[], object]]]:
    number = len(data.natural)
    agari, counts34 = Agari(), [_counts34(hand) for hand in data.natural]
    work: dict[str, tuple[int, Callable[[], object]]] = {
        "is_agari": (number, lambda: [agari.is_agari(counts) for counts in counts34]),
    }
    for count in WILD_COUNTS:
        _add_wild(work, count, data.wild[count])
    # The peer remembers how it took the last 128 hands apart: more hands than that keep it from looking up.
    few = data.winning[: max(1, number // 8)]
    calculator, config = HandCalculator(), HandConfig(is_tsumo=True)
    tiles136 = [_tiles136(hand) for hand in few]
    work["estimate_hand_value"] = (
        len(few),
        lambda: [calculator.estimate_hand_value(tiles, tiles[-1], config=config) for tiles in tiles136],
    )
    rules = load("cixi-card")
    for count in WILD_COUNTS:
        moments = [_moment((*[WILD] * count, *hand[count:])) for hand in few]
        _check_scores(moments, rules, tiles136)
        work[SCORE.name(count)] = (len(few), _scorer(moments, rules))
    return work


def _scorer(moments: list[Moment], rules: RuleSet) -> Callable[[], object]:
    return lambda: [judged(moment, rules, None) for moment in moments]


def _add_wild(
    work: dict[str, tuple[int, Callable[[], object]]], count: int, wild_hands: list[tuple[Tile, ...]]
) -> None:
    number = len(wild_hands)
    before = [hand[1:] for hand in wild_hands]
    counts, wilds = batch.count(np.array(wild_hands), WILD)
    few, few_wilds = batch.count(np.array(before), WILD)
    work[IS_WIN.name(count)] = (number, lambda: [is_win(hand, 0, WILD) for hand in wild_hands])
    work[WAITS.name(count)] = (number, lambda: [waits(hand, 0, WILD) for hand in before])
    work[BATCH_IS_WIN.name(count)] = (
        number * BATCH_ROUNDS,
        lambda: [batch.is_win(counts, wilds) for _ in range(BATCH_ROUNDS)],
    )
    work[BATCH_WAITS.name(count)] = (
        number * BATCH_ROUNDS,
        lambda: [batch.waits(few, few_wilds, 0, WILD) for _ in range(BATCH_ROUNDS)],
    )


def _counts34(hand: tuple[Tile, ...]) -> list[int]:
    counts = [0] * 34
    for tile in hand:
        counts[tile] += 1
    return counts


def _tiles136(hand: tuple[Tile, ...]) -> list[int]:
    seen: dict[Tile, int] = {}
    tiles = []
    for tile in hand:
        tiles.append(4 * tile + seen.get(tile, 0))
        seen[tile] = seen.get(tile, 0) + 1
    return tiles


def _moment(hand: tuple[Tile, ...]) -> Moment:
    return Moment(
        how="selfdraw",
        seat=Seat.S1,
        dealer=Seat.S0,
        concealed=hand[:-1],
        tile=hand[-1],
        indicator=Tile.WHITE,
        wild=WILD,
    )


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table: a line a target, the speed and the ratio those of its slowest row."""
    counts = " | ".join(map(str, WILD_COUNTS))
    lines = [
        f"| µs a hand, by wild tiles | {counts} | hands a second | peer | ratio | goal |",
        "|---|" + "--:|" * len(WILD_COUNTS) + "--:|---|--:|---|",
    ]
    for target in TARGETS:
        own = [row for row in rows if row.target is target]
        slowest = max(own, key=lambda row: row.micros)
        cells = [
            target.what,
            *(f"{row.micros:.3g}" for row in own),
            f"{1e6 / slowest.micros:,.0f}",
            f"`{target.peer}` {slowest.peer_micros:.3g} µs",
            f"{slowest.ratio:.2g}",
            str(target),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table(measure(number=20_000, rounds=7)) + "\n")
