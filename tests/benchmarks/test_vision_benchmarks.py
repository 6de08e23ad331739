"""Reading of pictures: a short form of the measurement, with bounds far from the aims.

`python tests/benchmarks/vision_measure.py [--peer]` measures in full and prints the table.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from full_table import BACKS, FACES, full_table
from vision_measure import AIMS, COUNT, Figures, measure, table

from hardware_sim.scene import Pose

SLACK = 4
"""A figure may be so many times its aim before a test fails: machines are busy."""
MEMORY_MB = 500


@pytest.fixture(scope="module")
def figures() -> Figures:
    return measure(rounds=1, count=COUNT)


def test_a_full_table_has_as_many_faces_and_backs_as_it_says() -> None:
    poses = [tile.pose for tile in full_table().tiles]
    assert (poses.count(Pose.FLAT_UP), poses.count(Pose.FLAT_DOWN)) == (FACES, BACKS)


def test_no_time_is_far_from_its_aim(figures: Figures, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        sys.stdout.write("\n" + table(figures) + "\n")
    assert figures.whole < SLACK * AIMS["whole"]
    assert figures.unchanged < SLACK * AIMS["unchanged"]
    assert figures.hand < SLACK * AIMS["hand"]


def test_every_face_was_read_in_one_of_the_measured_pictures(figures: Figures) -> None:
    assert figures.tiles >= FACES


def test_reading_takes_no_more_memory_than_a_small_computer_has(figures: Figures) -> None:
    assert figures.rss < MEMORY_MB
