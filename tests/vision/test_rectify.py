"""Pixels become millimetres to within 2 mm, on the cloth and on the tiles; other pictures are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.models import load
from vision.rectify import Rectification, TableNotFound, find_markers, rectify, rectify_picture

if TYPE_CHECKING:
    from vision.images import Image, Matrix

GEOMETRY = load("longzhuo840")
SIZE = (1920, 1080)
FACE = GEOMETRY.tile.thickness
GRID = np.asarray([(x, y) for x in (-400, -200, 0, 200, 400) for y in (-400, -200, 0, 200, 400)], np.float64)


def camera(
    *, focal: float, tilt: tuple[float, float, float], off: tuple[float, float, float]
) -> Rectification:
    """A true camera: degrees of tilt about x and y and of turn, millimetres off the middle and its height."""
    rotation = np.asarray(cv2.Rodrigues(np.radians(np.asarray(tilt)))[0], np.float64)
    place = np.asarray([off[0], off[1], -off[2]])
    matrix = np.asarray([[focal, 0, (SIZE[0] - 1) / 2], [0, focal, (SIZE[1] - 1) / 2], [0, 0, 1]])
    return Rectification(matrix, rotation, -rotation @ place, 0.0, ())


def picture(true: Rectification, *, without: tuple[int, ...] = (), turned: tuple[int, ...] = ()) -> Image:
    """A green cloth with its markers as `true` sees it."""
    scale = 4
    cloth = np.full((840 * scale, 840 * scale, 3), (70, 110, 40), np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for number, (x, y) in GEOMETRY.markers.centres.items():
        if number in without:
            continue
        code = cv2.aruco.generateImageMarker(dictionary, number, 40 * scale)
        code = np.rot90(code, 1) if number in turned else code
        left, top = round((x + 400) * scale), round((y + 400) * scale)
        cloth[top - 24 : top + 184, left - 24 : left + 184] = 255
        cloth[top : top + 40 * scale, left : left + 40 * scale] = code[:, :, None]
    to_cloth: Matrix = np.asarray(
        [[1 / scale, 0, -420 + 0.5 / scale], [0, 1 / scale, -420 + 0.5 / scale], [0, 0, 1]]
    )
    return np.asarray(
        cv2.warpPerspective(cloth, true.plane(0.0) @ to_cloth, SIZE, flags=cv2.INTER_AREA), np.uint8
    )


@pytest.mark.parametrize(
    ("tilt", "off"),
    [
        ((0, 0, 0), (0, 0, 1200)),
        ((1.5, -2, 1), (15, -20, 1200)),
        ((-3, 3, -4), (-40, 30, 1230)),
        ((0.5, 1, 91), (10, -10, 1190)),
    ],
)
def test_tile_tops_are_placed_to_within_two_millimetres(
    tilt: tuple[float, float, float], off: tuple[float, float, float]
) -> None:
    true = camera(focal=1450, tilt=tilt, off=off)
    found = rectify_picture(picture(true), GEOMETRY)
    for height in (0.0, FACE):
        error = np.hypot(*(found.to_mm(true.to_px(GRID, height=height), height=height) - GRID).T)
        assert error.max() < (1.0 if height == 0 else 2.0)
    assert found.error_mm < 0.5


def test_one_covered_marker_is_not_missed() -> None:
    true = camera(focal=1450, tilt=(0.3, 2, 1), off=(5, 5, 1200))
    found = rectify_picture(picture(true, without=(2,)), GEOMETRY)
    assert found.markers == (0, 1, 3)
    assert np.hypot(*(found.to_mm(true.to_px(GRID, height=FACE), height=FACE) - GRID).T).max() < 2.5


def test_too_few_markers_are_named() -> None:
    with pytest.raises(TableNotFound, match="not seen: 1, 3"):
        rectify_picture(
            picture(camera(focal=1450, tilt=(0, 0, 0), off=(0, 0, 1200)), without=(1, 3)), GEOMETRY
        )


def test_a_turned_marker_is_named() -> None:
    with pytest.raises(TableNotFound, match="marker"):
        rectify_picture(picture(camera(focal=1450, tilt=(0, 0, 0), off=(0, 0, 1200)), turned=(1,)), GEOMETRY)


def test_a_black_picture_shows_no_table() -> None:
    with pytest.raises(TableNotFound, match="0 of the table's 4"):
        rectify_picture(np.zeros((1080, 1920, 3), np.uint8), GEOMETRY)


angles = st.floats(min_value=-5, max_value=5)


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(angles, angles, st.floats(-180, 180)),
    st.tuples(*[st.floats(-50, 50)] * 2, st.floats(1150, 1250)),
)
def test_exact_corners_give_the_plane_of_the_faces(
    tilt: tuple[float, float, float], off: tuple[float, float, float]
) -> None:
    true = camera(focal=1450, tilt=tilt, off=off)
    corners = {
        number: true.to_px([(x - 20, y - 20), (x + 20, y - 20), (x + 20, y + 20), (x - 20, y + 20)], height=0)
        for number, (x, y) in GEOMETRY.markers.centres.items()
    }
    found = rectify(corners, GEOMETRY, size=SIZE)
    pixels = true.to_px(GRID, height=FACE)
    assert np.hypot(*(found.to_mm(pixels, height=FACE) - GRID).T).max() < 1.5
    assert np.allclose(found.to_px(found.to_mm(pixels, height=FACE), height=FACE), pixels, atol=1e-6)


def test_drift_tells_how_far_the_camera_was_knocked() -> None:
    before = camera(focal=1450, tilt=(0, 0, 0), off=(0, 0, 1200))
    after = camera(focal=1450, tilt=(0, 0, 0), off=(7, 0, 1200))
    assert before.drift_mm(before, half=420) == pytest.approx(0, abs=1e-6)
    assert before.drift_mm(after, half=420) == pytest.approx(7, abs=1e-6)


def test_directions_are_clockwise_from_up() -> None:
    true = camera(focal=1450, tilt=(0, 0, 0), off=(0, 0, 1200))
    to_right = true.to_px([(0, 0), (30, 0)], height=FACE)
    assert true.angle(to_right[0], to_right[1], height=FACE) == pytest.approx(90)


def test_markers_of_another_table_are_not_ours() -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    image = np.full((400, 400, 3), 255, np.uint8)
    image[100:300, 100:300] = cv2.aruco.generateImageMarker(dictionary, 17, 200)[:, :, None]
    assert find_markers(image, GEOMETRY.markers) == {}
