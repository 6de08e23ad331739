"""Parts of a picture are laid on one sheet, and what is found there is where it lies in the picture."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.find import Finder
from vision.find_parts import GRAIN, STEP, packed, sheet_of
from vision.find_peaks import Peaks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

DRAWN = max((Path(__file__).parent / "data").glob("drawn-*.json")).with_suffix(".jpg")
"""A drawn table of 448 x 448 px with tiles about 36 px wide."""
WIDE, HIGH = 400, 300


def one(centre: tuple[float, float], half: float = 3.0) -> Peaks:
    """An upright square find."""
    middle = np.array([centre], np.float32)
    up, across = np.array([(0, half)], np.float32), np.array([(half, 0)], np.float32)
    boxes = np.hstack([middle - half, middle + half])
    return Peaks(middle, up, across, np.ones(1, np.float32), np.zeros(1, np.bool_), boxes)


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=12))
def test_no_block_lies_on_another_or_beyond_the_sheet(blocks: list[tuple[int, int]]) -> None:
    (wide, high), places = packed(blocks)
    assert wide * GRAIN % STEP == high * GRAIN % STEP == 0
    lying = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(places, blocks, strict=True)]
    assert all(a >= 0 and b >= 0 and c <= wide and d <= high for a, b, c, d in lying)
    for p, q in combinations(lying, 2):
        assert p[2] <= q[0] or q[2] <= p[0] or p[3] <= q[1] or q[3] <= p[1]


@st.composite
def boxes(draw: st.DrawFn) -> tuple[int, int, int, int]:
    x, y = draw(st.integers(0, WIDE - 60)), draw(st.integers(0, HIGH - 60))
    return x, y, draw(st.integers(60, WIDE - x)), draw(st.integers(60, HIGH - y))


@settings(deadline=None, max_examples=60)
@given(parts=st.lists(boxes(), min_size=1, max_size=5), scale=st.floats(0.2, 1.3), data=st.data())
def test_what_lies_on_a_sheet_is_told_where_it_is_in_the_picture(
    parts: list[tuple[int, int, int, int]], scale: float, data: st.DataObject
) -> None:
    x, y, w, h = data.draw(st.sampled_from(parts))
    u, v = (data.draw(st.floats(0.4, 0.6)) for _ in range(2))
    point = np.array((x + u * w, y + v * h))
    picture = np.full((HIGH, WIDE, 3), 40, np.uint8)
    cv2.circle(
        picture, tuple(int(c) for c in np.round(point * 16 - 8)), 12 * 16, (250,) * 3, -1, cv2.LINE_AA, 4
    )
    sheet = sheet_of(picture, parts, scale)
    spots, _ = cv2.findContours(
        (sheet.picture[..., 0] > 145).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE
    )
    found = []
    for spot in spots:
        (cx, cy), radius = cv2.minEnclosingCircle(spot)
        found += sheet.whole(one((cx + 0.5, cy + 0.5), min(radius, 2.0))).centres.tolist()
    away = [float(np.hypot(*(np.array(place) - point))) for place in found]
    assert min(away) < 0.5 + 0.7 / scale


def test_what_an_edge_cuts_is_left_out_but_for_the_edges_of_the_picture() -> None:
    picture = np.zeros((HIGH, WIDE, 3), np.uint8)
    sheet = sheet_of(picture, [(100, 0, 100, HIGH)], 1.0)
    assert len(sheet.whole(one((50, 150))).centres) == 1
    assert len(sheet.whole(one((2, 150))).centres) == 0
    assert len(sheet.whole(one((98, 150))).centres) == 0
    assert len(sheet.whole(one((50, 2))).centres) == 1
    assert len(sheet.whole(one((50, HIGH - 2))).centres) == 1


def test_between_parts_nothing_is_found() -> None:
    sheet = sheet_of(np.zeros((HIGH, WIDE, 3), np.uint8), [(10, 10, 61, 61), (200, 100, 61, 61)], 1.0)
    high, wide = sheet.picture.shape[:2]
    owned = sum(
        len(sheet.whole(one((x + 0.5, y + 0.5), 0.1)).centres)
        for y in range(0, high, 3)
        for x in range(0, wide, 3)
    )
    assert owned * 9 == pytest.approx(2 * 59 * 59, rel=0.1)


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


def test_parts_give_the_tiles_that_the_whole_picture_gives(finder: Finder) -> None:
    picture = cv2.imread(str(DRAWN))
    assert picture is not None
    high, wide = picture.shape[:2]
    half = wide // 2
    parts = [(0, 0, half + 60, high), (half - 60, 0, wide - half + 60, high)]
    whole = finder.find(picture.astype(np.uint8), 36.0)
    found = finder.find_in(picture.astype(np.uint8), parts, 36.0)
    again = [any(np.hypot(*np.subtract(a.centre, b.centre)) < 5 for b in found) for a in whole]
    assert len(whole) >= 15
    assert sum(again) >= 0.95 * len(again)
    assert len(found) <= len(whole) + 2
