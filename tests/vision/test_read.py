"""`longzhuo read`: what it prints for photographs, boxes, and bad input."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from controller.cli.read import read

if TYPE_CHECKING:
    from click.testing import Result

DATA = Path(__file__).parent / "data"
NAMES = sorted(path.stem for path in DATA.glob("drawn-*.json"))
PHOTOS = os.environ.get("LONGZHUO_PHOTOS")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(read, [str(a) for a in arguments])


def objects(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a photograph, a note, and a table of two boxes of the photograph."""
    shutil.copy(DATA / f"{NAMES[-1]}.jpg", tmp_path / "table.jpg")
    (tmp_path / "note.txt").write_text("no photograph")
    rows = json.loads((DATA / f"{NAMES[-1]}.json").read_text(encoding="utf-8"))
    quads = [row["quad"] for row in rows if row["visible"] > 0.9 and min(map(min, row["quad"])) > 5]
    lines = ["file,x,y,w,h,why"]
    for quad in quads[:2]:
        (x, y), (right, below) = map(min, zip(*quad, strict=True)), map(max, zip(*quad, strict=True))
        lines.append(f"table.jpg,{x},{y},{right - x:.2f},{below - y:.2f},kept")
    (tmp_path / "boxes.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_a_folder_gives_one_object_a_photograph(folder: Path) -> None:
    result = run(folder, "--json")
    assert result.exit_code == 0, result.output
    (line,) = objects(result)
    assert line["file"] == "table.jpg"
    tiles = line["tiles"]
    assert isinstance(tiles, list)
    assert len(tiles) > 10
    for tile in tiles:
        assert set(tile) == {"tile", "best", "confidence", "box", "quad"}
        assert tile["tile"] in {None, tile["best"]}
        assert 0 <= tile["confidence"] <= 1
        assert len(tile["box"]) == 4
        assert [len(corner) for corner in tile["quad"]] == [2, 2, 2, 2]


def test_boxes_are_named_in_the_order_of_their_table(folder: Path) -> None:
    (line,) = objects(run(folder, "--boxes", folder / "boxes.csv", "--json"))
    tiles = line["tiles"]
    assert isinstance(tiles, list)
    rows = (folder / "boxes.csv").read_text().splitlines()[1:]
    asked = [[float(v) for v in row.split(",")[1:5]] for row in rows]
    assert [t["box"] for t in tiles] == [pytest.approx(box, abs=0.01) for box in asked]


def test_without_json_people_get_a_table(folder: Path) -> None:
    result = run(folder / "table.jpg")
    assert result.exit_code == 0
    assert "table.jpg" in result.stdout
    assert "%" in result.stdout


def test_an_unreadable_file_is_an_error_line_and_the_others_are_read(folder: Path) -> None:
    (folder / "broken.jpg").write_bytes(b"\xff\xd8\xff no picture")
    (folder / "empty.png").write_bytes(b"")
    result = run(folder, "--json")
    assert result.exit_code == 1
    lines = {str(line["file"]): line for line in objects(result)}
    assert set(lines) == {"broken.jpg", "empty.png", "table.jpg"}
    assert "picture" in str(lines["broken.jpg"]["error"])
    assert "empty" in str(lines["empty.png"]["error"])
    assert "tiles" in lines["table.jpg"]


def test_photographs_of_the_same_name_are_told_with_their_folders(folder: Path) -> None:
    for name in ("monday", "tuesday"):
        (folder / name).mkdir()
        shutil.copy(folder / "table.jpg", folder / name / "table.jpg")
    (folder / "monday" / "other.png").write_bytes(b"")
    places = (folder / "monday", folder / "tuesday")
    two = [str(folder / name / "table.jpg") for name in ("monday", "tuesday")]
    assert [line["file"] for line in objects(run(*places, "--json"))] == ["other.png", *two]
    told = run(*places, "--boxes", folder / "boxes.csv").stdout.splitlines()
    assert [line for line in told if not line.startswith(" ")] == [f"{name}: 2 tiles" for name in two]
    twice = run(folder / "table.jpg", folder / "table.jpg", "--json")
    assert [line["file"] for line in objects(twice)] == ["table.jpg", "table.jpg"]


def test_a_missing_photograph_is_an_error_line(tmp_path: Path) -> None:
    result = run(tmp_path / "none.jpg", "--json")
    assert result.exit_code == 1
    (line,) = objects(result)
    assert line["file"] == "none.jpg"
    assert "No such file" in str(line["error"])


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("file,x,y,w\ntable.jpg,1,2,3\n", "no column h"),
        ("file,x,y,w,h\ntable.jpg,1,2,left,4\n", "line 2: w is 'left'"),
        ("file,x,y,w,h\ntable.jpg,1,2,nan,4\n", "line 2: w is 'nan'"),
        ("file,x,y,w,h\ntable.jpg,1,2,0,4\n", "line 2: a box of 0 x 4 px"),
        ("file,x,y,w,h\ntable.jpg,1,2,3\n", "line 2: h is None"),
        ("file,x,y,w,h\n,1,2,3,4\n", "line 2: the file's name is empty"),
        ("file,x,y,w,h,tile\ntable.jpg,1,2,3,4,12q\n", "line 2: "),
    ],
)
def test_a_bad_table_of_boxes_is_one_clear_line(folder: Path, text: str, part: str) -> None:
    (folder / "bad.csv").write_text(text)
    result = run(folder, "--boxes", folder / "bad.csv")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert part in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_boxes_of_a_photograph_that_is_not_there_are_reported(folder: Path) -> None:
    (folder / "other.csv").write_text("file,x,y,w,h\nlost.jpg,1,2,30,40\n")
    result = run(folder, "--boxes", folder / "other.csv", "--json")
    assert result.exit_code == 1
    (line,) = objects(result)
    assert line["file"] == "lost.jpg"
    assert "error" in line


def test_a_box_outside_its_photograph_is_reported(folder: Path) -> None:
    (folder / "far.csv").write_text("file,x,y,w,h\ntable.jpg,9000,2,30,40\n")
    result = run(folder, "--boxes", folder / "far.csv", "--json")
    assert result.exit_code == 1
    assert "outside" in str(objects(result)[0]["error"])


def test_a_folder_without_photographs_is_one_clear_line(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.exit_code == 1
    assert "no photograph in this folder" in result.stderr


def test_known_names_are_compared_set_by_set(folder: Path) -> None:
    rows = (folder / "boxes.csv").read_text().splitlines()[1:]
    lines = [f"{row.rsplit(',', 1)[0]},1m,drawn" for row in rows]
    (folder / "known.csv").write_text("file,x,y,w,h,tile,tileset\n" + "\n".join(lines) + "\n")
    result = run(folder, "--boxes", folder / "known.csv")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1].split()[0] == "drawn"


@pytest.mark.skipif(PHOTOS is None, reason="did not run: LONGZHUO_PHOTOS names no folder of photographs")
@pytest.mark.timeout(400)
def test_photographs_of_three_sets_are_named_as_promised() -> None:
    folder = Path(PHOTOS or "") / "dev"
    result = run(folder, "--boxes", folder / "labels.csv")
    assert result.exit_code == 0, result.stderr
    lines = [line.split() for line in result.stdout.splitlines()]
    percent = {words[0]: float(words[3]) for words in lines if len(words) == 6 and words[0].count("-") >= 1}
    assert percent["hk-green"] >= 99.5
    assert percent["jp-tray"] >= 99.5
    assert percent["jp-blue-table"] >= 92
