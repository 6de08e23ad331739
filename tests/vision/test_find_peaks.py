"""The locator's map is decoded into candidates, and candidates that mean one tile become one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.find_peaks import CELL, WITH_BOX, Peaks, peaks_of, thinned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

HIGH, WIDE = 6, 9


def quiet_map() -> Floats:
    out = np.zeros((WITH_BOX, 2 * HIGH, 2 * WIDE), np.float32)
    out[:2] = -9.0
    return out


def folded(whole: Floats) -> Floats:
    """A map (WITH_BOX, 2H, 2W) as the network gives it: (4 WITH_BOX, H, W)."""
    rows = whole.reshape(WITH_BOX, HIGH, 2, WIDE, 2).transpose(0, 2, 4, 1, 3)
    return np.ascontiguousarray(rows.reshape(4 * WITH_BOX, HIGH, WIDE))


def put(whole: Floats, at: tuple[int, int], *, back: bool = False, turn: float = np.pi / 2) -> None:
    """A tile 4 x 6 positions large at a position (x, y), a quarter right of and above its middle."""
    x, y = at
    numbers = [0.25, -0.25]
    for angle, half in ((turn, 3.0), (turn - np.pi / 2, 2.0)):
        numbers += [np.cos(2 * angle), np.sin(2 * angle), np.log(half)]
    numbers += [0.0, 1.0, np.log(2.0), np.log(4.0)]
    whole[int(back), y, x] = 4.0
    whole[2:, y, x] = numbers


@given(x=st.integers(0, 2 * WIDE - 1), y=st.integers(0, 2 * HIGH - 1), back=st.booleans())
def test_a_tile_is_read_where_the_map_has_it(x: int, y: int, *, back: bool) -> None:
    whole = quiet_map()
    put(whole, (x, y), back=back)
    peaks = peaks_of(folded(whole), 0.5)
    middle = np.array([x + 0.75, y + 0.25]) * CELL
    assert peaks.centres.tolist() == [pytest.approx(middle)]
    assert peaks.backs.tolist() == [back]
    wanted = middle + np.array([(-2, -3), (2, -3), (2, 3), (-2, 3)]) * CELL
    assert peaks.quads()[0] == pytest.approx(wanted, abs=1e-3)
    around = [middle[0] - 8, middle[1] - 12, middle[0] + 8, middle[1] + 20]
    assert peaks.boxes[0].tolist() == pytest.approx(around, abs=1e-3)
    assert peaks.shorts().tolist() == pytest.approx([4 * CELL])


@given(turn=st.floats(0, np.pi))
def test_no_turn_mirrors_a_tile(turn: float) -> None:
    whole = quiet_map()
    put(whole, (8, 6), turn=turn)
    quad = peaks_of(folded(whole), 0.5).quads()[0]
    right, down = quad[1] - quad[0], quad[3] - quad[0]
    assert right[0] * down[1] - right[1] * down[0] == pytest.approx(4 * CELL * 6 * CELL, rel=1e-3)


def at(*centres: tuple[float, float], scores: tuple[float, ...]) -> Peaks:
    """Upright tiles 20 x 30 px, their boxes as large."""
    middles = np.array(centres, np.float32)
    ups, acrosses = (np.tile(np.array(a, np.float32), (len(middles), 1)) for a in ((0, 15), (10, 0)))
    half = np.array((10, 15), np.float32)
    boxes = np.hstack([middles - half, middles + half])
    return Peaks(middles, ups, acrosses, np.array(scores, np.float32), np.zeros(len(middles), bool), boxes)


def test_of_two_that_mean_one_tile_the_better_stays() -> None:
    peaks = thinned(at((50, 50), (53, 48), (71, 50), scores=(0.6, 0.9, 0.7)))
    assert peaks.centres.tolist() == [[53, 48], [71, 50]]


def test_ranks_decide_where_they_are_given() -> None:
    peaks = thinned(at((50, 50), (53, 48), scores=(0.6, 0.9)), np.array([0.5, 0.4], np.float32))
    assert peaks.centres.tolist() == [[50, 50]]


def test_boxes_that_nearly_agree_mean_one_tile() -> None:
    both = at((50, 50), (71, 50), scores=(0.6, 0.9))
    same = Peaks(both.centres, both.ups, both.acrosses, both.scores, both.backs, both.boxes[[0, 0]])
    assert len(thinned(both).scores) == 2
    assert len(thinned(same).scores) == 1


def test_nothing_stays_nothing() -> None:
    empty = peaks_of(folded(quiet_map()), 0.5)
    assert len(thinned(empty).scores) == 0
    assert thinned(empty).quads().shape == (0, 4, 2)
