"""`longzhuo enrol`: from labelled photographs, before a camera, and who uses the file afterwards."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from controller.cli import enrol_table
from controller.cli.enrol import command as enrol
from controller.cli.enrol_table import Manner, from_camera
from controller.cli.read import read
from controller.cli.run import command as run
from controller.config import load_config
from hardware_sim import presets
from hardware_sim.camera import SimCamera
from hardware_sim.render import Renderer
from hardware_sim.scene import Arm, Scene
from hardware_sim.scenes import laid_out, true_tiles
from rules.tiles import Tile
from vision.enrol import Enrolment
from vision.enrol_guided import rows_for
from vision.photo import load_photo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click.testing import Result

PHOTOS = os.environ.get("LONGZHUO_PHOTOS")
PLAIN = frozenset(t for t in Tile if 0 <= t < Tile.PLUM)
ROWS = rows_for(PLAIN)
PRESET = replace(presets.named("tidy", faces="latin"), size=(1280, 720))
TABLE = 'rules = "cixi-card"\n[board]\nport = "/dev/ttyUSB0"\n[camera]\nsource = "{source}"\n'


def ran(*arguments: str | Path) -> Result:
    return CliRunner().invoke(enrol, [str(a) for a in arguments])


def picture(rows: Sequence[Sequence[Tile]], path: Path, seed: int = 3) -> list[str]:
    """Draw rows of tiles, and little around them, into a file; lines of a CSV that says what lies there."""
    renderer = Renderer(seed, preset=PRESET)
    scene = laid_out(rows, seed)
    tiles = true_tiles(scene, renderer.lens)
    corners = np.concatenate([tile.quad for tile in tiles])
    x0, y0 = (corners.min(axis=0) - 30).astype(int)
    x1, y1 = (corners.max(axis=0) + 30).astype(int)
    cv2.imwrite(str(path), renderer.picture(scene)[y0:y1, x0:x1])
    lines = []
    for tile in tiles:
        (x, y), (right, below) = tile.quad.min(axis=0) - (x0, y0), tile.quad.max(axis=0) - (x0, y0)
        lines.append(f"{path.name},{x:.1f},{y:.1f},{right - x:.1f},{below - y:.1f},{tile.tile},latin")
    return lines


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two photographs of characters, twice each, and a table of labels that names one more."""
    place = tmp_path_factory.mktemp("photos")
    faces = ROWS[0].faces
    lines = ["file,x,y,w,h,tile,tileset"]
    lines += picture([faces, faces], place / "a.png")
    lines += picture([faces], place / "b.png", seed=4)
    lines.append("lost.png,1,1,30,40,1m,latin")
    (place / "labels.csv").write_text("\n".join(lines) + "\n")
    return place


# ---- photographs -------------------------------------------------------------------------------------------


def test_photographs_are_learned_and_read_with_what_was_learned(folder: Path, tmp_path: Path) -> None:
    out, drawn = tmp_path / "latin.enrolled", tmp_path / "sheet.png"
    result = ran("--photos", folder, "--labels", folder / "labels.csv", "-o", out, "--draw", drawn)
    assert result.exit_code == 0, result.output
    text = result.output
    assert "not in the folder: 1 张照片" in text
    assert "9 种牌面 faces, 27 张牌 tiles" in text
    assert "1m×3   2m×3" in text
    assert "没见到 33 种牌面 faces never shown: 1p 2p" in text
    assert "left-out check of 27 张 tiles" in text
    assert "写好了 wrote" in text
    assert Enrolment.load(out).covered == set(ROWS[0].faces)
    assert load_photo(drawn).shape[0] > 100
    again = CliRunner().invoke(
        read, [str(folder), "--boxes", str(folder / "labels.csv"), "--enrolled", str(out)]
    )
    assert "latin" in again.output.splitlines()[-1]
    assert " 27       27   100.0" in again.output.splitlines()[-1]


def test_some_photographs_of_a_table_of_labels_may_be_chosen(folder: Path, tmp_path: Path) -> None:
    for more, tiles in ((("--files", "b*"), 9), (("--first", "1"), 18), (("--tileset", "latin"), 27)):
        out = tmp_path / "chosen.enrolled"
        result = ran("--photos", folder, "--labels", folder / "labels.csv", "-o", out, *more)
        assert result.exit_code == 0, result.output
        assert f"9 种牌面 faces, {tiles} 张牌 tiles" in result.output


HEAD = "file,x,y,w,h,tile,tileset\n"


@pytest.mark.parametrize(
    ("text", "more", "why"),
    [
        ("file,x,y,w,h\na.png,1,1,30,40\n", (), "no tile is said for the box 1,1,30,40"),
        (HEAD + "a.png,1,1,30,40,12q,s\n", (), "line 2: "),
        (HEAD + "a.png,1,1,30,40,?,s\n", (), "no tile is said for the box"),
        (HEAD + "a.png,5000,1,30,40,1m,s\n", (), "a.png: the box 5000,1,30,40 lies outside its "),
        (HEAD + "x.png,1,1,30,40,1m,s\ny.png,1,1,30,40,1m,s\n", (), "none of the 2 photographs"),
        (HEAD + "broken.png,1,1,30,40,1m,s\n", (), "broken.png: "),
        (HEAD, (), "holds no line"),
        (HEAD + "a.png,1,1,30,40,1m,s\n", ("--tileset", "other"), "no line of the tileset other"),
        (HEAD + "a.png,1,1,30,40,1m,s\n", ("--files", "z*"), "names no photograph z*"),
    ],
)
def test_bad_labels_are_one_clear_line_and_nothing_is_written(
    folder: Path, tmp_path: Path, text: str, more: tuple[str, ...], why: str
) -> None:
    (folder / "broken.png").write_text("no picture")
    (tmp_path / "bad.csv").write_text(text)
    out = tmp_path / "out.enrolled"
    result = ran("--photos", folder, "--labels", tmp_path / "bad.csv", "-o", out, *more)
    assert result.exit_code == 1
    assert why in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "learn from what?"),
        (("--photos", "p"), "belong together"),
        (("--photos", "p", "--labels", "l", "--camera", "0"), "either photographs or a camera"),
        (("--camera", "readings:x"), "gives readings, no pictures"),
        (("--config", "none.toml"), "none.toml: "),
    ],
)
def test_what_does_not_fit_together_is_said(tmp_path: Path, arguments: tuple[str, ...], why: str) -> None:
    result = ran(*arguments, "-o", tmp_path / "out.enrolled")
    assert result.exit_code != 0
    assert why in result.stderr


def test_a_folder_that_is_not_there_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    result = ran("--camera", tmp_path, "-o", tmp_path / "none" / "out.enrolled")
    assert result.exit_code == 1
    assert "there is no such folder" in result.stderr


# ---- at the table ------------------------------------------------------------------------------------------


def test_a_folder_of_pictures_shows_row_after_row(tmp_path: Path) -> None:
    shown = [ROWS[0].faces, ROWS[2].faces, ROWS[1].faces, ROWS[2].faces, ROWS[3].faces]
    for number, faces in enumerate(shown):
        picture([faces], tmp_path / f"{number}.png")
    out, drawn = tmp_path / "latin.enrolled", tmp_path / "seen.jpg"
    (tmp_path / "table.toml").write_text(TABLE.format(source=tmp_path))
    result = ran("--config", tmp_path / "table.toml", "-o", out, "--draw", drawn, "--tileset", "latin")
    assert result.exit_code == 0, result.output
    text = result.output
    assert "第 1/5 排 row 1 of 5: 万子 characters" in text
    assert "  … 1.png: 看着是另一排：1s 2s" in text
    assert "✗ 没看到 not seen: 牌背 backs" in text
    assert "34 种牌面 faces, 34 张牌 tiles" in text
    assert "牌背 backs ×-" in text
    assert "nothing to check by" in text
    assert drawn.stat().st_size > 1000
    assert (Enrolment.load(out).covered, Enrolment.load(out).tileset) == (PLAIN, "latin")


async def test_people_lay_rows_before_a_real_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enrol_table, "AGAIN_S", 0.2)
    characters, honours = ROWS[0], ROWS[3]
    swapped = list(characters.faces)
    swapped[2:4] = swapped[3], swapped[2]
    right = laid_out([characters.faces])
    x, y = right.tiles[4].x, right.tiles[4].y
    under_an_arm = Scene(right.tiles, arms=(Arm(0, x, y - 80),))
    scenes = iter([under_an_arm, right, laid_out([honours.faces]), Scene()])
    told: list[str] = []
    camera = SimCamera(seed=2, preset=PRESET)

    def say(text: str) -> None:
        told.append(text)
        if "…" in text or "✓" in text:
            camera.show(next(scenes))

    camera.show(laid_out([swapped]))
    async with camera, asyncio.timeout(100):
        guide = await from_camera(camera.url, [characters, honours], Manner(patience_s=90), say=say)
    assert guide.row is None
    assert guide.skipped == ()
    assert guide.known is not None
    assert {Tile(int(f)) for f in guide.known.faces} == {*characters.faces, *honours.faces}
    text = "\n".join(told)
    assert text.index("swapped: 3m, 4m") < text.index("tiles in a row, 9 are needed") < text.index("✓")


async def test_a_row_that_never_comes_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enrol_table, "AGAIN_S", 0.0)
    told: list[str] = []
    async with SimCamera(seed=2, preset=PRESET) as camera:
        guide = await from_camera(camera.url, [ROWS[0]], Manner(patience_s=0.5), say=told.append)
    assert guide.skipped == (ROWS[0],)
    assert guide.known is None
    assert told[-1] == "  ✗ 没看到 not seen: 万子 characters"


# ---- who uses it -------------------------------------------------------------------------------------------


def test_the_configuration_names_the_file_beside_it(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(TABLE.format(source="0") + 'enrolled = "our.enrolled"\n')
    assert load_config(config).camera.enrolled == str(tmp_path / "our.enrolled")


@pytest.mark.parametrize("option", [True, False])
def test_run_refuses_an_enrolment_it_can_not_use(tmp_path: Path, *, option: bool) -> None:
    config, bad = tmp_path / "table.toml", tmp_path / "our.enrolled"
    bad.write_text("no enrolment")
    config.write_text(TABLE.format(source="0") + ("" if option else 'enrolled = "our.enrolled"\n'))
    more = ["--enrolled", str(bad)] if option else []
    for check in (["--check"], []):
        result = CliRunner().invoke(run, ["--config", str(config), *more, *check])
        assert result.exit_code == 1
        assert result.stderr == (
            f"Error: camera.enrolled: {bad}: is no enrolment, or a damaged one (longzhuo enrol writes them)\n"
        )


@pytest.mark.skipif(PHOTOS is None, reason="did not run: LONGZHUO_PHOTOS names no folder of photographs")
@pytest.mark.timeout(400)
def test_eight_photographs_of_an_unseen_set_are_enough(tmp_path: Path) -> None:
    folder, out = Path(PHOTOS or "") / "dev", tmp_path / "blue.enrolled"
    labels = (folder / "labels.csv").read_text(encoding="utf-8").splitlines()
    result = ran("--photos", folder, "--labels", folder / "labels.csv", "--tileset", "jp-blue-table",
                 "--first", "8", "-o", out)  # fmt: skip
    assert result.exit_code == 0, result.output
    first = sorted({line.split(",")[0] for line in labels if line.startswith("jp-blue-table")})[:8]
    (tmp_path / "rest.csv").write_text(
        "\n".join(line for line in labels if line.split(",")[0] not in first) + "\n"
    )
    right = []
    for more in ([], ["--enrolled", str(out)]):
        reading = CliRunner().invoke(read, [str(folder), "--boxes", str(tmp_path / "rest.csv"), *more])
        lines = [line.split() for line in reading.stdout.splitlines()]
        right.append({w[0]: float(w[3]) for w in lines if len(w) == 6 and "-" in w[0][1:]})
    before, after = right
    assert after["jp-blue-table"] >= max(98, before["jp-blue-table"])
    for known in ("hk-green", "jp-tray"):
        assert after[known] >= before[known] - 0.3
    assert np.all([value >= 98 for value in after.values()])
