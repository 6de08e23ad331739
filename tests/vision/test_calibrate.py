"""A camera is calibrated to within 1.5 mm, by markers or by the cloth alone; what isn't good is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from seen_table import GEOMETRY, SIZE, camera, lay_tile, plan, seen, shown

import vision
from hardware_sim.camera_lens import lens_for
from hardware_sim.render import Renderer
from hardware_sim.scene import Scene, SceneTile, seat_angle, seat_point
from rules.tiles import Tile
from vision.calibrate import Calibrated, CannotCalibrate, Side, Wanted, calibrate
from vision.calibrate_checks import check, outline
from vision.calibrate_lens import lens_of
from vision.lens import Lens, camera_matrix
from vision.markers_png import raster
from vision.markers_sheet import sheet
from vision.rectify import rectify_picture
from vision.zones import ZoneKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from vision.images import Image, Points
    from vision.rectify import Rectification

WANTED = Wanted(model="longzhuo840")
BY_EDGES = Wanted(model="longzhuo840", seat0=Side.BOTTOM)
FACE = GEOMETRY.tile.thickness
NONE: dict[int, int] = {}


def worst_mm(result: Calibrated, to_mm: Callable[[Points], Points]) -> float:
    """How far the zones lie from where they are in truth, at their faces' height."""
    worst = 0.0
    for zone, drawn in zip(GEOMETRY.zones, result.calibration.zones, strict=True):
        worst = max(worst, float(np.hypot(*(to_mm(drawn.outline) - outline(zone)).T).max()))
    return worst


def from_truth(result: Calibrated, true: Rectification) -> float:
    return worst_mm(result, lambda pixels: true.to_mm(pixels, height=FACE))


# ---- how exact it is ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [2, 7])
def test_the_zones_of_a_simulated_table_are_where_they_are(seed: int) -> None:
    tiles = [
        SceneTile(i, Tile.P5, *seat_point(i % 4, 33.0 * i - 80, 184.0), seat_angle(i % 4)) for i in range(8)
    ]
    picture = Renderer(seed).picture(Scene(tiles=tuple(tiles)))
    result = calibrate([picture], GEOMETRY, WANTED)
    assert result.by == "markers"
    assert worst_mm(result, lambda pixels: lens_for(seed).millimetres(pixels, FACE)) < 1.0
    assert result.calibration.rectification.error_mm < 0.6


@pytest.mark.parametrize("k1", [-0.14, 0.0, 0.05])
def test_a_bent_picture_tells_how_much_it_is_bent(k1: float) -> None:
    true = camera(distortion=(k1, 0.0, 0.0, 0.0, 0.0) if k1 else ())
    markers = calibrate([seen(plan(), true)], GEOMETRY, WANTED)
    assert from_truth(markers, true) < 0.8
    edges = calibrate([seen(plan(NONE), true)], GEOMETRY, BY_EDGES)
    assert from_truth(edges, true) < 0.8
    for result in (markers, edges):
        told = result.calibration.rectification.distortion
        assert (told[0] if told else 0.0) == pytest.approx(k1, abs=0.012)
    if k1 == 0.0:
        assert edges.calibration.rectification.distortion == ()


def test_markers_alone_would_be_wrong_by_millimetres_under_a_wide_lens() -> None:
    true = camera(distortion=(-0.14, 0.0, 0.0, 0.0, 0.0))
    blind = rectify_picture(seen(plan(), true), GEOMETRY)
    known = calibrate([seen(plan(), true)], GEOMETRY, WANTED).calibration.rectification
    for found, low, high in ((blind, 3.0, 99.0), (known, 0.0, 0.8)):
        pixels = true.to_px(np.asarray([(200.0, 0.0), (0.0, -260.0), (380.0, 0.0)]), height=FACE)
        away = found.to_mm(pixels, height=FACE) - true.to_mm(pixels, height=FACE)
        assert low <= np.hypot(*away.T).max() < high


def test_three_markers_do_and_so_does_a_hand_over_the_cloths_edge() -> None:
    true = camera()
    picture = seen(plan({0: 0, 1: 1, 2: 2}), true)
    cv2.line(picture, (900, 1079), (940, 860), (120, 150, 200), 90)
    result = calibrate([picture], GEOMETRY, WANTED)
    assert sorted(result.calibration.markers) == [0, 1, 2]
    assert from_truth(result, true) < 0.8
    bare = seen(plan(NONE), true)
    cv2.line(bare, (900, 1079), (940, 860), (120, 150, 200), 90)
    assert from_truth(calibrate([bare], GEOMETRY, BY_EDGES), true) < 0.8


def test_hands_that_come_and_go_are_in_no_one_s_way() -> None:
    true = camera()
    pictures = [seen(plan(), true) for _ in range(3)]
    for picture, (x, y) in zip(pictures, GEOMETRY.markers.centres.values(), strict=False):
        at = true.to_px([(x, y)], height=0.0)[0].astype(int)
        cv2.circle(picture, (int(at[0]), int(at[1])), 70, (120, 150, 200), -1)
    result = calibrate(pictures, GEOMETRY, WANTED)
    assert sorted(result.calibration.markers) == [0, 1, 2, 3]
    assert from_truth(result, true) < 0.8


# ---- whose side is whose -----------------------------------------------------------------------------------


def test_without_markers_nobody_guesses_which_side_is_seat_0s() -> None:
    with pytest.raises(CannotCalibrate, match="--seat0"):
        calibrate([seen(plan(NONE), camera())], GEOMETRY, WANTED)


@pytest.mark.parametrize(("turn", "side"), [(0, Side.BOTTOM), (90, Side.LEFT)])
def test_the_side_told_and_the_indicator_s_place_say_whose_is_whose(turn: float, side: Side) -> None:
    true = camera(tilt=(0.0, 0.0, turn), place=(3.0, -2.0, 1200.0))
    indicator = next(zone for zone in GEOMETRY.zones if zone.kind is ZoneKind.INDICATOR)
    at = ((indicator.a_min + indicator.a_max) / 2 + 5, (indicator.b_min + indicator.b_max) / 2 - 6)
    picture = seen(lay_tile(plan(NONE), *at), true)
    result = calibrate([picture], GEOMETRY, WANTED)
    assert result.seat0_by == "indicator"
    assert from_truth(result, true) < 1.0
    told = calibrate([seen(plan(NONE), true)], GEOMETRY, Wanted(model="longzhuo840", seat0=side))
    assert told.seat0_by == "told"
    assert from_truth(told, true) < 1.0
    with pytest.raises(CannotCalibrate, match="seat 0 is said to sit"):
        calibrate([picture], GEOMETRY, Wanted(model="longzhuo840", seat0=Side((side.value + 1) % 4)))


def test_two_markers_still_say_whose_side_is_whose_by_the_edges() -> None:
    true = camera(tilt=(0.0, 0.0, 90.0), place=(3.0, -2.0, 1200.0))
    picture = seen(plan({0: 0, 2: 2}), true)
    with pytest.raises(CannotCalibrate, match=r"2 of the 4 corner markers.*not seen: 1, 3.*hands off"):
        calibrate([picture], GEOMETRY, WANTED)
    result = calibrate([picture], GEOMETRY, Wanted(model="longzhuo840", by_edges=True))
    assert (result.by, result.seat0_by) == ("edges", "markers")
    assert from_truth(result, true) < 1.0


# ---- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (lambda: plan(printed=0.96), "38.4 mm wide instead of 40.*print"),
        (lambda: plan({0: 1, 1: 0, 2: 2, 3: 3}), "swapped: 0 lies at the upper right where 1 belongs"),
        (lambda: plan({0: 0, 1: 2, 2: 1}), "swapped"),
        (lambda: plan(quarters={2: 1}), "marker 2 is turned"),
        (lambda: plan(quarters={0: 1, 2: 2}), "point in different ways"),
        (lambda: plan({0: 0, 1: 1, 2: 2, 3: 0}), "marker 0 is in the picture twice"),
    ],
)
def test_markers_that_lie_wrong_are_told(table: Callable[[], Image], words: str) -> None:
    with pytest.raises(CannotCalibrate, match=words):
        calibrate([seen(table(), camera())], GEOMETRY, WANTED)


def test_a_mirrored_picture_is_told() -> None:
    with pytest.raises(CannotCalibrate, match="mirrored"):
        calibrate([np.ascontiguousarray(seen(plan(), camera())[:, ::-1])], GEOMETRY, WANTED)


@pytest.mark.parametrize(
    ("by", "size", "words"),
    [
        (
            camera(size=(1280, 720), focal=967.0),
            (1280, 720),
            "a tile is only 25 px wide .at least 28.: set the",
        ),
        (camera(place=(0.0, 620.0, 1200.0), tilt=(-28.0, 0.0, 0.0), focal=1150.0), SIZE, "degrees aside"),
    ],
)
def test_a_camera_that_can_t_read_every_tile_is_told_what_to_do(
    by: Rectification, size: tuple[int, int], words: str
) -> None:
    wanted = Wanted(model="longzhuo840", camera_height_mm=by.camera_place[2])
    with pytest.raises(CannotCalibrate, match=words):
        calibrate([seen(plan(), by, size)], GEOMETRY, wanted)


def test_zones_that_the_picture_cuts_off_are_named() -> None:
    with pytest.raises(CannotCalibrate, match="cuts off hand of seat 2: hang the camera higher"):
        check(camera(place=(0.0, 35.0, 1200.0), tilt=(0.0, 0.0, 0.0)), GEOMETRY, SIZE)


def twins() -> Image:
    """A second table stands beside the first."""
    picture = seen(plan(NONE), camera(focal=700.0, place=(0.0, 0.0, 1200.0), tilt=(0.0, 0.0, 0.0)))
    picture[:, 80:640] = picture[:, 680:1240].copy()
    return picture


def cluttered() -> Image:
    chance = np.random.default_rng(0)
    return np.asarray(chance.integers(0, 255, (27, 48, 3)).repeat(40, axis=0).repeat(40, axis=1), np.uint8)


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (np.zeros((1080, 1920, 3), np.uint8), "no square cloth"),
        (np.full((1080, 1920, 3), 255, np.uint8), "no square cloth"),
        (np.full((9, 9, 3), 90, np.uint8), "no square cloth"),
        (cluttered(), "no square cloth"),
        (twins(), "two tables"),
    ],
)
def test_a_picture_without_one_table_is_refused(picture: Image, words: str) -> None:
    with pytest.raises(CannotCalibrate, match=words):
        calibrate([picture], GEOMETRY, BY_EDGES)


def test_pictures_of_two_cameras_are_refused() -> None:
    with pytest.raises(CannotCalibrate, match="differ in size"):
        calibrate([np.zeros((40, 40, 3), np.uint8), np.zeros((40, 60, 3), np.uint8)], GEOMETRY, WANTED)


# ---- a lens by itself --------------------------------------------------------------------------------------


def sheets(count: int) -> list[Image]:
    """The uncut sheet of markers, held before a lens in several ways."""
    page = raster(sheet(GEOMETRY), dpi=102)
    lens = Lens(camera_matrix(1000.0, (1280, 720)), (-0.2, 0.05, 0.0, 0.0, 0.0))
    scale = 25.4 / 102  # mm a pixel of the page
    pictures = []
    for i in range(count):
        turn = np.asarray(cv2.Rodrigues(np.asarray([0.35 * np.cos(i), 0.35 * np.sin(2.1 * i), 0.5 * i]))[0])
        middle = np.asarray([150.0 * np.cos(1.3 * i), 75.0 * np.sin(1.3 * i), 420.0])
        to_page = np.asarray([[scale, 0, -105], [0, scale, -148], [0, 0, 1]])
        to_px = lens.camera @ np.column_stack((turn[:, :2], middle)) @ to_page
        pictures.append(shown(page, to_px, lens, (1280, 720)))
    return pictures


def test_the_sheet_of_markers_tells_the_lens() -> None:
    found = lens_of(sheets(8), GEOMETRY)
    assert found.error_px < 0.5
    assert found.lens.camera[0, 0] == pytest.approx(1000.0, rel=0.01)
    assert found.lens.distortion[0] == pytest.approx(-0.2, abs=0.02)


def test_too_few_pictures_of_the_sheet_are_told() -> None:
    with pytest.raises(CannotCalibrate, match=r"2 of 2 pictures.*5 are needed"):
        lens_of(sheets(2), GEOMETRY)


def test_with_a_known_lens_the_height_is_measured() -> None:
    true = camera(place=(5.0, 5.0, 1260.0), focal=1500.0)
    result = calibrate([seen(plan(), true)], GEOMETRY, Wanted(model="longzhuo840", lens=Lens(true.camera)))
    assert result.calibration.rectification.camera_place[2] == pytest.approx(1260.0, abs=4.0)


# ---- the guide ---------------------------------------------------------------------------------------------


def test_the_guide_s_figures_follow_from_its_formulas() -> None:
    guide = Path(vision.__file__).with_name("CAMERA.md").read_text(encoding="utf-8")
    widths = re.findall(r"^\| \d+ x (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", guide, re.MULTILINE)
    assert len(widths) >= 5
    for rows, *told in widths:
        assert [int(px) for px in told] == [round(31 * int(rows) / shown_mm) for shown_mm in (880, 960, 1100)]
    heights = [int(h) for h in re.findall(r"(\d+) mm", re.findall(r"^\| 传感器.*$", guide, re.MULTILINE)[0])]
    lenses = re.findall(r"^\| 1/.*?\| ([\d.]+) mm \|(.*)\|$", guide, re.MULTILINE)
    assert len(lenses) >= 3
    for high, told in lenses:
        focal = [float(f) for f in re.findall(r"[\d.]+", told)]
        assert focal == pytest.approx([float(high) * h / 880 for h in heights], abs=0.06)
