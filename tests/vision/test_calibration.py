"""A calibration is kept in a file and notices a camera that moves; a bad file is one clear line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from seen_table import GEOMETRY, SIZE, camera, plan, seen

from controller import app
from controller.cli.calibrate import command
from controller.cli.doctor_camera import light, of_the_camera
from controller.cli.doctor_checks import Result
from controller.config import load_config
from vision.calibrate import Side, Wanted, calibrate
from vision.calibrate_draw import SEATS, drawn
from vision.calibration import BadCalibration, Calibration
from vision.camera_place import Place
from vision.find import Finder
from vision.images import Frame
from vision.name import Namer
from vision.observations import Drift
from vision.reading_eyes import Eyes, SightSettings
from vision.rectify import TableNotFound, rectify_picture

if TYPE_CHECKING:
    from pathlib import Path

    from vision.images import Image

BENT = (-0.1, 0.0, 0.0, 0.0, 0.0)
TRUE = camera(distortion=BENT)
KNOCKED = camera(distortion=BENT, place=(17.0, -12.0, 1200.0))
NONE: dict[int, int] = {}


@pytest.fixture(scope="module")
def known() -> Calibration:
    return calibrate([seen(plan(), TRUE)], GEOMETRY, Wanted(model="longzhuo840")).calibration


@pytest.fixture(scope="module")
def by_edges() -> Calibration:
    wanted = Wanted(model="longzhuo840", seat0=Side.BOTTOM)
    return calibrate([seen(plan(NONE), TRUE)], GEOMETRY, wanted).calibration


# ---- the file ----------------------------------------------------------------------------------------------


def test_what_is_saved_is_loaded_again(known: Calibration, tmp_path: Path) -> None:
    known.save(tmp_path / "camera.json")
    again = Calibration.load(tmp_path / "camera.json")
    assert (again.model, again.size, again.error_px) == (known.model, known.size, known.error_px)
    for name in ("camera", "rotation", "translation"):
        assert np.array_equal(getattr(again.rectification, name), getattr(known.rectification, name))
    assert again.rectification.distortion == known.rectification.distortion
    assert sorted(again.markers) == [0, 1, 2, 3]
    assert np.allclose(again.markers[2], known.markers[2])
    assert [zone.seat for zone in again.zones] == [zone.seat for zone in GEOMETRY.zones]
    assert len(again.edges) == 4
    assert again.drift_mm(known.rectification, GEOMETRY) < 1e-6


def broken(known: Calibration, tmp_path: Path, **changes: object) -> Path:
    path = tmp_path / "broken.json"
    known.save(path)
    said = json.loads(path.read_text())
    said.update(changes)
    path.write_text(json.dumps(said))
    return path


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"calibration": 2}, "calibration"),
        ({"camera": [[0, 0, 0], [0, 0, 0], [0, 0, 1]]}, "no camera matrix"),
        ({"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}, "no turn"),
        ({"translation": [0, 0, -1200]}, "below the table"),
        ({"distortion": [-3.0, 0, 0, 0, 0]}, "bends the picture onto itself"),
        ({"size": [0, 0]}, "size"),
        ({"markers": {"x": [[0, 0], [1, 0], [1, 1], [0, 1]]}}, "number"),
        ({"more": 1}, "more"),
    ],
)
def test_a_file_that_says_something_impossible_is_refused(
    known: Calibration, tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(BadCalibration, match=words) as caught:
        Calibration.load(broken(known, tmp_path, **changes))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{}", b"[camera]\nx=1\n", b"\x00\xff" * 40, b'{"calibration": 1'])
def test_garbage_is_one_clear_line(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "camera.json"
    path.write_bytes(data)
    with pytest.raises(BadCalibration, match="not a calibration") as caught:
        Calibration.load(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(BadCalibration, match="No such file"):
        Calibration.load(tmp_path / "none.json")


# ---- while running -----------------------------------------------------------------------------------------


def test_the_camera_is_found_by_markers_edges_or_one_marker_in_its_place(
    known: Calibration, by_edges: Calibration
) -> None:
    for calibration, table in ((known, plan()), (known, plan({0: 0, 1: 1})), (by_edges, plan(NONE))):
        assert calibration.drift_mm(calibration.locate(seen(table, TRUE), GEOMETRY), GEOMETRY) < 0.5
        moved = calibration.locate(seen(table, KNOCKED), GEOMETRY)
        assert calibration.drift_mm(moved, GEOMETRY) == pytest.approx(np.hypot(5.0, 3.0), abs=0.5)
    with pytest.raises(TableNotFound, match="too little"):
        known.locate(np.zeros((1080, 1920, 3), np.uint8), GEOMETRY)


def test_one_marker_in_its_place_says_that_nothing_moved(known: Calibration) -> None:
    picture = np.full((1080, 1920, 3), 90, np.uint8)
    low, high = known.markers[1].min(axis=0).astype(int) - 18, known.markers[1].max(axis=0).astype(int) + 18
    window = np.s_[low[1] : high[1], low[0] : high[0]]
    picture[window] = seen(plan(), TRUE)[window]
    assert known.locate(picture, GEOMETRY).markers == (1,)
    picture[window] = 90
    picture[low[1] : high[1], low[0] + 9 : high[0] + 9] = seen(plan(), TRUE)[window]
    with pytest.raises(TableNotFound, match="too little"):
        known.locate(picture, GEOMETRY)


def test_pictures_of_another_size_are_told(known: Calibration) -> None:
    with pytest.raises(TableNotFound, match="1280 x 720 px, the calibration is for 1920 x 1080"):
        known.locate(np.zeros((720, 1280, 3), np.uint8), GEOMETRY)


def frame(image: Image, at: float) -> Frame:
    return Frame(image, at, round(10 * at))


@pytest.mark.parametrize("calibrated", [True, False])
def test_a_camera_that_moves_is_followed_and_its_way_is_known(
    known: Calibration, *, calibrated: bool
) -> None:
    true, knocked = (TRUE, KNOCKED) if calibrated else (camera(), camera(place=(17.0, -12.0, 1200.0)))
    place = Place(GEOMETRY, camera_height=1200.0, patience_s=2.0, calibration=known if calibrated else None)
    place.look(frame(seen(plan(), true), 0.0))
    assert place.is_certain
    assert place.drift_mm == 0.0
    for at in (11.0, 11.5, 12.0):
        place.look(frame(seen(plan(), knocked), at))
    assert place.is_certain
    assert place.drift_mm == pytest.approx(np.hypot(5.0, 3.0), abs=0.6)
    for at in (23.0, 23.5, 24.0):
        place.look(frame(seen(plan(), true), at))
    assert place.drift_mm == 0.0


def test_a_camera_that_stood_elsewhere_at_its_calibration_is_told_at_once(known: Calibration) -> None:
    place = Place(GEOMETRY, camera_height=1200.0, patience_s=2.0, calibration=known)
    place.look(frame(seen(plan(), KNOCKED), 0.0))
    assert place.drift_mm > 5.0


# ---- the picture and the command ---------------------------------------------------------------------------


def test_every_zone_is_drawn_in_its_seat_s_colour(known: Calibration) -> None:
    picture = drawn(seen(plan(), TRUE), known, GEOMETRY)
    assert picture.shape == (1080, 1920, 3)
    for zone in known.zones:
        if zone.seat is None:
            continue
        on_the_line = picture[tuple(np.round(zone.outline[:, ::-1]).astype(int).T)].astype(int)
        near = np.abs(on_the_line - SEATS[zone.seat]).max(axis=1) < 60
        assert near.mean() > 0.6


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(command, [str(word) for word in words], prog_name="longzhuo calibrate")
    return result.exit_code, result.output


def test_the_command_writes_what_run_takes(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "table.png"), seen(plan(), TRUE))
    (tmp_path / "table.toml").write_text(
        f'rules = "cixi-card"\n[board]\nport = "x"\n'
        f'[camera]\nsource = "{tmp_path}"\ncalibration = "camera.json"\n'
    )
    code, said = run("--config", tmp_path / "table.toml", "--draw", tmp_path / "zones.jpg")
    assert code == 0, said
    assert "residual: 0." in said
    assert (tmp_path / "zones.jpg").stat().st_size > 50_000
    config = load_config(tmp_path / "table.toml")
    loaded = app.load_calibration(config)
    assert loaded is not None
    assert loaded.size == SIZE
    (tmp_path / "camera.json").write_text("hello")
    with pytest.raises(app.CanNotStart, match=r"camera\.calibration: .*not a calibration"):
        app.load_calibration(config)


@pytest.mark.parametrize("out", ["table/camera.json", "camera.json"])
def test_the_line_for_the_configuration_names_the_file_as_run_finds_it(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = tmp_path / "table.png"
    cv2.imwrite(str(picture), seen(plan(), TRUE))
    folder = tmp_path / "table"
    folder.mkdir()
    head = f'rules = "cixi-card"\n[board]\nport = "x"\n[camera]\nsource = "{picture}"\n'
    (folder / "table.toml").write_text(head)
    monkeypatch.chdir(tmp_path)
    code, said = run("--config", "table/table.toml", "-o", out)
    assert code == 0, said
    assert f"saved: {out}\n" in said
    (setting,) = (line.split("[camera] ")[1] for line in said.splitlines() if "[camera] " in line)
    (folder / "table.toml").write_text(f"{head}{setting}\n")
    named = load_config(folder / "table.toml").camera.calibration
    assert named is not None
    assert (tmp_path / out).samefile(named)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("black.png", "no square cloth"),
        ("one.png", "1 x 1 px"),
        ("text.png", "text.png"),
        ("none.png", "none.png: cannot be opened"),
        ("empty", "no pictures in it"),
        ("readings:x", "readings are no pictures"),
        ("two_hands.png", "not seen: 0, 3"),
        ("small_print.png", "96 %"),
    ],
)
def test_what_can_t_be_used_is_one_line_and_nothing_is_overwritten(
    name: str, words: str, tmp_path: Path
) -> None:
    pictures = {
        "black.png": np.zeros((1080, 1920, 3), np.uint8),
        "one.png": np.zeros((1, 1, 3), np.uint8),
        "two_hands.png": seen(plan({1: 1, 2: 2}), camera()),
        "small_print.png": seen(plan(printed=0.96), camera()),
    }
    if name in pictures:
        cv2.imwrite(str(tmp_path / name), pictures[name])
    (tmp_path / "text.png").write_text("this is no picture")
    (tmp_path / "empty").mkdir()
    old = tmp_path / "camera.json"
    old.write_text("the old one")
    source = name if ":" in name else tmp_path / name
    code, said = run(source, "-o", old, "--draw", tmp_path / "zones.png")
    assert code != 0
    assert words in said
    assert len(said.strip().splitlines()) == 1
    assert old.read_text() == "the old one"
    assert not (tmp_path / "zones.png").exists()


def test_a_folder_that_is_not_there_is_told_before_anything_is_read(tmp_path: Path) -> None:
    code, said = run("nowhere.png", "-o", tmp_path / "no" / "camera.json")
    assert code != 0
    assert "there is no folder" in said


@pytest.mark.parametrize("name", ["markers.pdf", "markers.png"])
def test_the_markers_are_printed_into_a_file(name: str, tmp_path: Path) -> None:
    code, said = run("--print", tmp_path / name, "--dpi", 150)
    assert code == 0
    assert name in said
    assert (tmp_path / name).read_bytes()[:4] in {b"%PDF", b"\x89PNG"}
    assert run("--print", tmp_path / "markers.doc")[0] != 0


def test_without_a_calibration_everything_is_as_before() -> None:
    picture = seen(plan(), camera())
    place = Place(GEOMETRY, camera_height=1200.0, patience_s=2.0)
    place.look(frame(picture, 0.0))
    assert place.rectification is not None
    direct = rectify_picture(picture, GEOMETRY)
    assert np.array_equal(place.rectification.rotation, direct.rotation)
    assert place.rectification.distortion == ()


def test_doctor_says_what_ails_camera_light_and_place(known: Calibration, tmp_path: Path) -> None:
    known.save(tmp_path / "camera.json")
    picture = tmp_path / "now" / "table.png"
    picture.parent.mkdir()
    config = tmp_path / "table.toml"
    config.write_text(
        f'rules = "cixi-card"\n[board]\nport = "x"\n'
        f'[camera]\nsource = "{picture.parent}"\ncalibration = "camera.json"\n'
    )

    def said(image: Image) -> dict[str, tuple[Result, str]]:
        cv2.imwrite(str(picture), image)
        return {
            check.id: (check.result, " ".join((check.en, *(word for step in check.todo for word in step))))
            for check in of_the_camera(config)
        }

    assert {result for result, _ in said(seen(plan(), TRUE)).values()} == {Result.OK}
    moved = said(seen(plan(), KNOCKED))["calibration"]
    assert moved[0] is Result.WARNING
    assert "moved 6 mm" in moved[1]
    assert "fasten" in moved[1]
    assert "longzhuo calibrate" in moved[1]
    dark = said(np.asarray(seen(plan(), TRUE) * 0.1, np.uint8))
    assert dark["light"][0] is Result.WARNING
    assert "too dark" in dark["light"][1]
    picture.unlink()
    assert of_the_camera(config)[0].result is Result.FAILED
    assert {check.result for check in of_the_camera(None)} == {Result.NOT_CHECKED}


def test_flicker_is_told() -> None:
    picture = seen(plan(), TRUE)
    assert light([picture, picture]).result is Result.OK
    check = light([picture, np.asarray(picture * 0.9, np.uint8)])
    assert check.result is Result.WARNING
    assert "50 Hz" in check.todo[0][1]


def test_the_eyes_tell_how_far_the_camera_has_moved(known: Calibration) -> None:
    eyes = Eyes(GEOMETRY, SightSettings(calibration=known), Finder(), Namer())
    pictures = [*[seen(plan(), TRUE)] * 3, *[seen(plan(), KNOCKED)] * 8]
    told = [
        observation
        for number, picture in enumerate(pictures)
        for observation in eyes.look(frame(picture, 5.0 * number))
        if isinstance(observation, Drift)
    ]
    assert [drift.mm for drift in told] == [pytest.approx(np.hypot(5.0, 3.0), abs=0.6)]
