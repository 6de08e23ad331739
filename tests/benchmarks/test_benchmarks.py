"""Hand evaluation beside a peer library: a short form of the measurement, with bounds far from the goals.

`python tests/benchmarks/measure.py` measures in full and prints the table.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from measure import TARGETS, WILD_COUNTS, Row, Target, measure, table

SLACK = 3
"""A figure may be so many times its goal before a test fails: machines are busy, medians of three wander."""


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return measure(number=2_000, rounds=3)


def test_no_figure_is_far_from_its_goal(rows: list[Row], capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        sys.stdout.write("\n" + table(rows) + "\n")
    slow = [row.name for row in rows if row.share > SLACK]
    assert not slow


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.what)
def test_time_does_not_grow_with_the_number_of_wild_tiles(rows: list[Row], target: Target) -> None:
    times = [row.micros for row in rows if row.target is target]
    assert len(times) == len(WILD_COUNTS)
    assert max(times) < SLACK * min(times)
