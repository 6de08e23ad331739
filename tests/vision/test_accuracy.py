"""No figure of reading falls below the accepted one of `accuracy.txt` by more than 0.3 points.

`.venv/bin/python tests/vision/accuracy.py --update` writes the file anew.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from accuracy import FILE, PLOT, Section, networks, parse, photo_sections, scene_section, text_of, worse
from accuracy_photos import read_all
from accuracy_scenes import LONG, SHORT
from reliability import plot, reliability

ROW = {"tiles": 1000.0, "right %": 99.0, "sure wrong %": 0.1}


def section(**changes: float) -> Section:
    return Section("boxes", "Photographs.", {"a set, before": {**ROW, **changes}})


def accepted() -> dict[str, Section]:
    return parse(FILE.read_text(encoding="utf-8"))


def test_the_file_speaks_of_the_networks_that_are_committed() -> None:
    assert f"Networks: {networks()}" in FILE.read_text(encoding="utf-8").splitlines()


def test_the_file_has_every_section_and_the_plot_is_there() -> None:
    keys = {"boxes", "boxes-enrolled", "found", "found-enrolled", "reliability", SHORT.key, LONG.key}
    assert set(accepted()) == keys
    assert set(accepted()[LONG.key].rows) == set(LONG.names)
    assert PLOT.read_text(encoding="utf-8").startswith("<svg")


def test_a_table_is_read_as_it_was_written() -> None:
    assert text_of(list(parse(text_of([section()])).values())) == text_of([section()])


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, ""),
        ({"right %": 98.71}, ""),
        ({"right %": 98.6}, "right % 99.00, now 98.60"),
        ({"right %": 100.0}, ""),
        ({"sure wrong %": 0.45}, "sure wrong % 0.10, now 0.45"),
        ({"sure wrong %": 0.0}, ""),
    ],
)
def test_a_figure_may_be_worse_by_three_tenths_of_a_point_and_no_more(
    changes: dict[str, float], says: str
) -> None:
    assert says in "\n".join(worse(section(**changes), section()))
    assert bool(worse(section(**changes), section())) is bool(says)


def test_a_row_that_is_gone_is_worse() -> None:
    gone = Section("boxes", "Photographs.", {"another set": ROW})
    assert len(worse(gone, section())) == 2


def test_one_tile_more_or_less_of_a_small_table_is_no_fall() -> None:
    assert not worse(section(**{"tiles": 80, "right %": 97.76}), section(tiles=80))
    assert worse(section(**{"tiles": 80, "right %": 96.4}), section(tiles=80))


def test_scenes_of_the_simulated_table_are_read_as_well_as_ever() -> None:
    assert not worse(scene_section(SHORT), accepted()[SHORT.key])


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_scenes_of_every_preset_are_read_as_well_as_ever() -> None:
    assert not worse(scene_section(LONG), accepted()[LONG.key])


@pytest.mark.timeout(1800)
def test_photographs_are_read_as_well_as_ever(photos: Path) -> None:
    known = accepted()
    assert not [
        line for each in photo_sections(read_all(photos / "dev")) for line in worse(each, known[each.key])
    ]


def test_confidences_that_hold_have_no_error_and_those_that_do_not_have_theirs() -> None:
    holds = reliability(
        [0.995] * 1000 + [0.6] * 1000, [True] * 995 + [False] * 5 + [True] * 600 + [False] * 400
    )
    assert holds.error == pytest.approx(0, abs=1e-9)
    assert holds.certain == pytest.approx(0.5)
    assert holds.certain_right == pytest.approx(0.995)
    boasts = reliability([0.9] * 10, [True] * 5 + [False] * 5)
    assert boasts.error == pytest.approx(0.4)
    assert boasts.certain == 0


def test_the_plot_has_a_mark_for_every_bin_that_has_readings() -> None:
    picture = plot([("Before", [("one", [0.3, 0.92, 0.999], [True, True, False]), ("two", [0.75], [True])])])
    marks = picture.count('fill-opacity="0.35"')
    assert marks == 3 + 1 + 2  # in the panel, and one a series in the key
