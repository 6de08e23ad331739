"""A picture whose tiles are narrower or flatter than tiles are is looked at in the shape that fits them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from vision.find import Finder
from vision.find_anywhere import ACROSS, ENLARGED, FEW, LITTLE, TILE, find_anywhere, strain
from vision.find_peaks import Peaks
from vision.photo_score import matched

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.photo import Box

    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]

DATA = Path(__file__).parent / "data"
SIDE = 600
SHORT = 40.0


def tiles(*, squeezed: float = 1.0, turn: float = 0.0, count: int = 12, back: bool = False) -> Peaks:
    """Tiles of SHORT px in rows on a picture of SIDE px, turned, then made narrower."""
    k = np.arange(count)
    centres = np.stack([80.0 + 110 * (k % 5), 90.0 + 140 * (k // 5)], axis=1)
    c, s = np.cos(turn), np.sin(turn)
    ups = np.tile((-s * TILE * SHORT / 2, c * TILE * SHORT / 2), (count, 1))
    acrosses = np.tile((c * SHORT / 2, s * SHORT / 2), (count, 1))
    narrow = np.array((1 / squeezed, 1.0))
    centres, ups, acrosses = ((a * narrow).astype(np.float32) for a in (centres, ups, acrosses))
    half = np.abs(ups) + np.abs(acrosses)
    boxes = np.hstack([centres - half, centres + half])
    return Peaks(centres, ups, acrosses, np.full(count, 0.9, np.float32), np.full(count, back), boxes)


def told(peaks: Peaks) -> float:
    return strain(peaks, peaks.scores)


@pytest.mark.parametrize("squeezed", [0.6, 1.0, 1.7])
@pytest.mark.parametrize("turn", [0.0, 0.1, np.pi / 2, np.pi, -np.pi / 2])
def test_upright_and_lying_tiles_tell_how_much_narrower_they_are(squeezed: float, turn: float) -> None:
    assert told(tiles(squeezed=squeezed, turn=turn)) == pytest.approx(squeezed, rel=0.03)


def test_slanting_tiles_backs_and_few_tiles_tell_nothing() -> None:
    assert told(tiles(squeezed=1.7, turn=np.pi / 4)) == 1.0
    assert told(tiles(squeezed=1.7, back=True)) == 1.0
    assert told(tiles(squeezed=1.7, count=FEW - 1)) == 1.0
    assert told(tiles(squeezed=1.7, count=0)) == 1.0


class Network:
    """Sees the tiles of a squeezed picture, and remembers the shapes it is shown."""

    def __init__(self, squeezed: float) -> None:
        self.squeezed = squeezed
        self.shapes: list[float] = []

    def look(self, picture: Picture, scale: float) -> Peaks:
        high, wide = picture.shape[:2]
        self.shapes.append(wide / high)
        assert scale <= ENLARGED
        truth = tiles(squeezed=self.squeezed * high / wide)
        by = np.array((high / SIDE, high / SIDE), np.float32)
        seen = Peaks(
            truth.centres * by, truth.ups * by, truth.acrosses * by, truth.scores, truth.backs,
            truth.boxes * np.tile(by, 2),
        )  # fmt: skip
        shorts = seen.shorts() * scale
        return seen.chosen((shorts > 10) & (shorts < 29))


@pytest.mark.parametrize("squeezed", [0.6, 0.8, 1.0, 1.3, 1.7])
def test_tiles_are_told_in_the_pixels_of_the_picture_that_was_given(squeezed: float) -> None:
    network = Network(squeezed)
    found = find_anywhere(np.zeros((SIDE, SIDE, 3), np.uint8), network.look)
    truth = tiles(squeezed=squeezed)
    assert network.shapes[-1] == pytest.approx(squeezed, rel=LITTLE - 1)
    order = np.lexsort(np.round(found.centres.T))
    for one, other in ((found.centres, truth.centres), (found.ups, truth.ups), (found.boxes, truth.boxes)):
        assert one[order] == pytest.approx(other[np.lexsort(np.round(truth.centres.T))], abs=0.5)


def test_a_picture_that_fits_is_looked_at_once_in_every_size() -> None:
    network = Network(1.0)
    find_anywhere(np.zeros((SIDE, SIDE, 3), np.uint8), network.look)
    assert network.shapes == [1.0] * len(ACROSS)


def test_a_picture_is_never_drawn_out_beyond_what_cameras_make() -> None:
    network = Network(2.2)
    find_anywhere(np.zeros((SIDE, SIDE, 3), np.uint8), network.look)
    assert max(network.shapes) == pytest.approx(16 / 9, rel=0.01)


def found_of(finder: Finder, name: str, wider: float, higher: float) -> tuple[int, int]:
    """Of a drawn scene's tiles that are seen for the most part: how many are found, how many there are."""
    picture = cv2.imread(str(DATA / f"drawn-{name}.jpg"))
    assert picture is not None
    size = (round(picture.shape[1] * wider), round(picture.shape[0] * higher))
    squeezed = cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(np.uint8)
    rows = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    by = np.array((wider, higher) * 2)
    boxes: list[Box] = []
    for row in rows:
        if row["visible"] > 0.75:
            x0, y0, x1, y1 = np.array(row["box"]) * by
            boxes.append((x0, y0, x1 - x0, y1 - y0))
    return len(matched(boxes, [found.box for found in finder.find(squeezed)], 0.5)), len(boxes)


@pytest.mark.parametrize(("wider", "higher"), [(9 / 16, 1.0), (3 / 4, 1.0), (1.0, 9 / 16), (1.0, 3 / 4)])
def test_tiles_of_squeezed_pictures_are_found_like_those_of_others(wider: float, higher: float) -> None:
    finder = Finder()
    names = sorted(path.stem for path in DATA.glob("standing-*.json"))
    plain = [found_of(finder, name, 1.0, 1.0) for name in names]
    these = [found_of(finder, name, wider, higher) for name in names]
    assert sum(found for found, _ in these) >= 0.85 * sum(found for found, _ in plain)
