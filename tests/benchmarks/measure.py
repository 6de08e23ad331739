"""Measures hand evaluation beside the library `mahjong` in one run; as a program it prints the table.

Every figure is processor time, the median of interleaved rounds: what else the machine does meets all alike.
Each side gets its own native input, ready made.
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


@dataclass(frozen=True)
class Row:
    """One line of the table: microseconds a hand, the peer's, and the ratio that is aimed at."""

    name: str
    micros: float
    peer: str
    peer_micros: float
    goal: float

    @property
    def ratio(self) -> float:
        """How many times the peer's time."""
        return self.micros / self.peer_micros


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
    found = _median(_work(data), rounds)
    agari, estimate = found["is_agari"], found["estimate_hand_value"]
    rows = [
        Row(f"is-win, {count} wild tiles", found[f"win{count}"], "is_agari", agari, 0.7) for count in range(5)
    ]
    rows += [
        Row(f"waits, {count} wild tiles", found[f"waits{count}"], "is_agari", agari, 1.5)
        for count in range(5)
    ]
    rows += [
        Row(
            f"full explained score, {count} wild tiles",
            found[f"score{count}"],
            "estimate_hand_value",
            estimate,
            0.5,
        )
        for count in (0, 2)
    ]
    for count in (0, 4):
        rows.append(
            Row(f"batch is-win, {count} wild tiles", found[f"batch{count}"], "is_agari", agari, 0.1 / agari)
        )
        rows.append(
            Row(f"batch waits, {count} wild tiles", found[f"bwaits{count}"], "is_agari", agari, 1 / 3 / agari)
        )
    return rows


def _work(data: Hands) -> dict[str, tuple[int, Callable[[], object]]]:
    number = len(data.natural)
    agari, counts34 = Agari(), [_counts34(hand) for hand in data.natural]
    work: dict[str, tuple[int, Callable[[], object]]] = {
        "is_agari": (number, lambda: [agari.is_agari(counts) for counts in counts34]),
    }
    for count in range(5):
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
    for count in (0, 2):
        moments = [_moment((*[WILD] * count, *hand[count:])) for hand in few]
        work[f"score{count}"] = (len(few), _scorer(moments, rules))
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
    work[f"win{count}"] = (number, lambda: [is_win(hand, 0, WILD) for hand in wild_hands])
    work[f"waits{count}"] = (number, lambda: [waits(hand, 0, WILD) for hand in before])
    work[f"batch{count}"] = (
        number * BATCH_ROUNDS,
        lambda: [batch.is_win(counts, wilds) for _ in range(BATCH_ROUNDS)],
    )
    work[f"bwaits{count}"] = (
        number * BATCH_ROUNDS,
        lambda: [batch.waits(few, few_wilds) for _ in range(BATCH_ROUNDS)],
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
    """The rows as a Markdown table."""
    lines = ["| what | µs a hand | hands a second | peer | ratio | goal |", "|---|---|---|---|---|---|"]
    for row in rows:
        cells = [
            row.name,
            f"{row.micros:.3f}",
            f"{1e6 / row.micros:,.0f}",
            f"{row.peer} {row.peer_micros:.2f} µs",
            f"{row.ratio:.3f}",
            f"{row.goal:.3f}" if row.goal < 0.1 else f"{row.goal:.1f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table(measure(number=20_000, rounds=7)) + "\n")
