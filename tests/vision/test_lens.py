"""A lens bends lines and unbends them again, and a plane seen through it is shown as it is."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seen_table import GEOMETRY, camera, plan, seen

from vision.lens import Lens, camera_matrix

SIZE = (1920, 1080)
GRID = np.stack(np.meshgrid(np.linspace(0, 1919, 9), np.linspace(0, 1079, 7)), axis=-1).reshape(-1, 2)
small = st.floats(-0.01, 0.01)


@settings(max_examples=40, deadline=None)
@given(st.tuples(st.floats(-0.25, 0.25), st.floats(-0.05, 0.05), small, small, st.just(0.0)))
def test_what_was_bent_is_made_straight_again(distortion: tuple[float, ...]) -> None:
    lens = Lens(camera_matrix(1480.0, SIZE), distortion)
    if lens.folds_at(SIZE):
        return
    assert np.abs(lens.straight(lens.bent(GRID)) - GRID).max() < 1e-3


def test_it_bends_as_opencv_does() -> None:
    lens = Lens(camera_matrix(1480.0, SIZE), (-0.2, 0.06, 0.003, -0.002, 0.01))
    rays = np.column_stack(((GRID - lens.camera[:2, 2]) / 1480.0, np.ones(len(GRID))))
    theirs, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), lens.camera, np.asarray(lens.distortion))
    assert np.abs(lens.bent(GRID) - theirs.reshape(-1, 2)).max() < 1e-6


def test_a_lens_that_shows_one_place_twice_is_known() -> None:
    assert Lens(camera_matrix(1480.0, SIZE), (-1.5, 0.0, 0.0, 0.0, 0.0)).folds_at(SIZE)
    assert not Lens(camera_matrix(1480.0, SIZE), (-0.2, 0.0, 0.0, 0.0, 0.0)).folds_at(SIZE)
    assert not Lens(camera_matrix(1480.0, SIZE)).folds_at(SIZE)


@pytest.mark.parametrize("distortion", [(), (-0.15, 0.0, 0.0, 0.0, 0.0)])
def test_a_marker_is_square_from_straight_above(distortion: tuple[float, ...]) -> None:
    by = camera(distortion=distortion)
    x, y = GEOMETRY.markers.centres[2]
    view = by.view(seen(plan(), by), (x - 40, y - 40), (80, 80), height=0.0)
    assert view.shape == (80, 80, 3)
    dark = view.max(axis=2) < 128
    rows, columns = np.flatnonzero(dark[:, 22:58].any(axis=1)), np.flatnonzero(dark[22:58].any(axis=0))
    for found in (rows, columns):
        inside = found[(found > 15) & (found < 65)]
        assert abs(inside.min() - 20) <= 1
        assert abs(inside.max() - 60) <= 1
