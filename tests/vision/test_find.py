"""The finder on drawn scenes: every open tile once, at any turn, fast enough, in whole-picture pixels."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from vision.find import Finder, Found, as_input
from vision.photo_score import shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.photo import Box

    Floats = NDArray[np.float32]

DATA = Path(__file__).parent / "data"
SCENES = sorted(path.stem for path in DATA.glob("drawn-*.json"))
STANDING = sorted(path.stem for path in DATA.glob("standing-*.json"))
SHORT = 36.0


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder()


def picture_of(name: str) -> NDArray[np.uint8]:
    picture = cv2.imread(str(DATA / f"{name}.jpg"))
    assert picture is not None
    return picture.astype(np.uint8)


def labels_of(name: str) -> list[tuple[str, Floats, float]]:
    rows = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return [(row["tile"], np.array(row["quad"], np.float32), row["visible"]) for row in rows]


def truth_of(name: str) -> list[tuple[str, Floats]]:
    """The tiles that lie open: fully seen, of the size of a face seen from above, off the picture's edge."""
    out = []
    for tile, quad, seen in labels_of(name):
        sides = np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1)
        if seen > 0.95 and sides.min() > 0.75 * SHORT and quad.min() > 3 and quad.max() < 445:
            out.append((tile, quad))
    return out


def overlap(a: Floats, b: Floats) -> float:
    both = cv2.intersectConvexConvex(a, b)[0]
    return both / (cv2.contourArea(a) + cv2.contourArea(b) - both)


def share_of(a: Box, b: Box) -> float:
    """Intersection over union of two boxes x0, y0, x1, y1."""
    return float(shares([sized(a)], [sized(b)])[0, 0])


def sized(box: Box) -> Box:
    x0, y0, x1, y1 = box
    return x0, y0, x1 - x0, y1 - y0


def standing_of(name: str) -> list[Box]:
    """What is seen of the tiles of a scene that are seen for the most part: boxes x0, y0, x1, y1."""
    rows = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    boxes = [row["box"] for row in rows if row["visible"] > 0.75]
    return [(a, b, c, d) for a, b, c, d in boxes if min(a, b) > 3 and max(c, d) < 445]


def test_there_are_scenes_to_look_at() -> None:
    assert len(SCENES) >= 3
    assert len(STANDING) >= 2


def test_standing_tiles_are_found_with_boxes_around_all_that_is_seen_of_them(finder: Finder) -> None:
    overlaps = []
    for name in STANDING:
        found = finder.find(picture_of(f"drawn-{name}"))
        boxes = [(x, y, x + w, y + h) for x, y, w, h in (f.box for f in found)]
        overlaps += [max((share_of(tile, box) for box in boxes), default=0.0) for tile in standing_of(name)]
    assert len(overlaps) > 20
    assert float(np.mean(np.array(overlaps) > 0.5)) >= 0.8
    assert float(np.median(overlaps)) >= 0.65


def test_tiles_of_several_sizes_in_one_picture_are_all_found(finder: Finder) -> None:
    picture = picture_of(SCENES[-1])
    small = cv2.resize(picture, None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)
    both = np.full((448, 448 + small.shape[1], 3), (60, 110, 40), np.uint8)
    both[:, :448], both[: len(small), 448:] = picture, small
    quads = [found.quad for found in finder.find(both)]
    for factor, shift in ((1.0, 0.0), (0.4, 448.0)):
        tiles = [q * np.float32(factor) + np.array((shift, 0), np.float32) for _, q in truth_of(SCENES[-1])]
        hits = sum(any(overlap(quad, tile) > 0.5 for quad in quads) for tile in tiles)
        assert hits >= 0.85 * len(tiles)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4000), (4, 4), (3, 900), (2000, 5)])
def test_the_smallest_pictures_hold_no_tile(finder: Finder, shape: tuple[int, int]) -> None:
    picture = np.full((*shape, 3), 200, np.uint8)
    assert finder.find(picture) == []
    assert finder.find(picture, 30.0) == []


def test_a_picture_of_a_hundred_megapixels_is_made_smaller_before_it_is_searched(finder: Finder) -> None:
    small = cv2.resize(picture_of(SCENES[-1]), (2000, 2000)).astype(np.uint8)
    times = []
    for picture in (small, cv2.resize(small, (10000, 10000), interpolation=cv2.INTER_NEAREST)):
        start = time.process_time()
        found = finder.find(picture.astype(np.uint8))
        times.append(time.process_time() - start)
        assert len(found) >= 0.8 * len(truth_of(SCENES[-1]))
    # 25 times as many pixels; making it smaller takes about as long as searching the small one.
    assert times[1] < 9 * times[0]


def test_open_faces_of_drawn_tables_are_found_once_and_never_taken_for_backs(finder: Finder) -> None:
    hits = []
    for name in SCENES:
        found = finder.find(picture_of(name), SHORT)
        for tile, quad in truth_of(name):
            fitting = [f for f in found if overlap(f.quad, quad) > 0.5]
            assert len(fitting) < 2
            assert tile == "back" or not any(f.is_back for f in fitting)
            if tile != "back":
                hits.append(len(fitting) == 1)
    assert len(hits) > 100
    assert sum(hits) >= 0.95 * len(hits)


def test_hardly_anything_is_found_where_no_tile_lies(finder: Finder) -> None:
    asked, false = 0, 0
    for name in SCENES:
        tiles = [quad for _, quad, _ in labels_of(name)]
        asked += len(truth_of(name))
        for found in finder.find(picture_of(name), SHORT):
            near = min(float(np.hypot(*np.subtract(found.centre, quad.mean(axis=0)))) for quad in tiles)
            false += near > 0.6 * SHORT
    assert false <= 0.03 * asked


def test_a_part_of_the_picture_gives_the_same_tiles_in_whole_picture_pixels(finder: Finder) -> None:
    picture = picture_of(SCENES[-1])
    x, y, w, h = 100, 60, 300, 320
    whole = [f for f in finder.find(picture, SHORT) if _well_inside(f, (x, y, w, h))]
    part = finder.find(picture, SHORT, roi=(x, y, w, h))
    assert whole
    again = [any(np.hypot(*np.subtract(f.centre, g.centre)) < 4 for g in part) for f in whole]
    assert sum(again) >= len(again) - 1


def _well_inside(found: Found, roi: tuple[int, int, int, int]) -> bool:
    x, y, w, h = roi
    low, high = found.quad.min(axis=0), found.quad.max(axis=0)
    return bool(low[0] > x + 10 and low[1] > y + 10 and high[0] < x + w - 10 and high[1] < y + h - 10)


@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_turning_the_picture_turns_what_is_found(finder: Finder, turn: int) -> None:
    picture = np.ascontiguousarray(np.rot90(picture_of(SCENES[0]), turn))
    asked = sum(tile != "back" for tile, _ in truth_of(SCENES[0]))
    assert len(finder.find(picture, SHORT)) >= 0.95 * asked


def test_without_a_known_size_the_tiles_are_found_all_the_same(finder: Finder) -> None:
    name = SCENES[-1]
    picture = cv2.resize(picture_of(name), None, fx=1.7, fy=1.7).astype(np.uint8)
    found = finder.find(picture)
    asked = truth_of(name)
    hits = sum(any(overlap(f.quad, q * np.float32(1.7)) > 0.5 for f in found) for _, q in asked)
    assert hits >= 0.9 * len(asked)


def test_corners_run_clockwise_and_the_long_side_is_upright(finder: Finder) -> None:
    for f in finder.find(picture_of(SCENES[-1]), SHORT):
        right, down = f.quad[1] - f.quad[0], f.quad[3] - f.quad[0]
        assert right[0] * down[1] - right[1] * down[0] > 0


def test_the_network_gets_each_channel_about_its_middle_grey() -> None:
    levels = np.repeat(np.arange(256, dtype=np.uint8), 3).reshape(16, 16, 3)
    levels[..., 1] //= 2
    np.testing.assert_allclose(as_input(levels)[0].transpose(1, 2, 0), (levels - 120.0) / 96, rtol=1e-5)


def test_a_finder_that_was_warmed_up_finds_the_same() -> None:
    picture, finder = picture_of(SCENES[0]), Finder()
    before = finder.find(picture, SHORT)
    finder.warm_up()
    after = finder.find(picture, SHORT)
    assert before
    assert [(found.score, found.quad.tolist()) for found in before] == [
        (found.score, found.quad.tolist()) for found in after
    ]


def test_without_tests_of_its_colours_all_is_found_that_is_found_with_them(finder: Finder) -> None:
    picture = picture_of(SCENES[0])
    middles = np.array([found.centre for found in finder.find_untested(picture, SHORT)])
    for found in finder.find(picture, SHORT):
        assert np.linalg.norm(middles - found.centre, axis=1).min() < 4


def test_an_empty_cloth_and_an_empty_part_give_nothing(finder: Finder) -> None:
    cloth = np.full((240, 320, 3), (60, 110, 40), np.uint8)
    assert finder.find(cloth, 39.0) == []
    assert finder.find(cloth) == []
    assert finder.find(cloth, 39.0, roi=(500, 0, 50, 50)) == []


def test_a_part_of_a_table_picture_takes_a_fraction_of_the_whole(finder: Finder) -> None:
    picture = np.zeros((1080, 1920, 3), np.uint8)

    def least(roi: tuple[int, int, int, int] | None) -> float:
        times = []
        for _ in range(4):
            start = time.perf_counter()
            finder.find(picture, 39.0, roi=roi)
            times.append(time.perf_counter() - start)
        return min(times)

    assert least((600, 300, 300, 300)) < 0.3 * least(None)
