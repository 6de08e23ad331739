"""`longzhuo read --draw`: what the annotated picture shows, and where it may be written."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from controller.cli.read import read
from rules.tiles import Tile
from vision.draw import annotated
from vision.draw_sign import sign
from vision.name import CLASSES, Named
from vision.photo import PhotoTile

if TYPE_CHECKING:
    from click.testing import Result
    from numpy.typing import NDArray

TABLE = Path(__file__).parent / "data" / "drawn-5-11.jpg"
GROUND = (60, 90, 40)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(read, [str(a) for a in arguments])


def lying(best: Tile, confidence: float, x: float = 100, y: float = 80, *, sure: bool = True) -> PhotoTile:
    quad = np.array([(x, y), (x + 90, y), (x + 90, y + 120), (x, y + 120)], np.float32)
    named = Named(best if sure else None, best, confidence, np.zeros(CLASSES, np.float32))
    return PhotoTile(quad, (x, y, 90, 120), named)


def table(width: int = 400, height: int = 300) -> NDArray[np.uint8]:
    return np.full((height, width, 3), GROUND, np.uint8)


def edge(drawn: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where the left side of the tile at (100, 80) has its outline, from its top to its bottom."""
    side = drawn[95:185, 94:112]
    return np.asarray((np.abs(side.astype(int) - GROUND).max(axis=2) > 60).any(axis=1))


def inside(drawn: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return drawn[105:175, 125:165]


def test_sure_unsure_and_back_differ_in_form_not_only_in_colour() -> None:
    sure = annotated(table(), [lying(Tile.P5, 0.99)])
    unsure = annotated(table(), [lying(Tile.P5, 0.6, sure=False)])
    back = annotated(table(), [lying(Tile.BACK, 0.99)])
    assert edge(sure).all()
    assert edge(back).all()
    assert 0.2 < edge(unsure).mean() < 0.9
    assert np.array_equal(inside(sure), inside(table()))
    assert np.array_equal(inside(unsure), inside(table()))
    assert not np.array_equal(inside(back), inside(table()))


def test_the_photograph_itself_stays_as_it_is() -> None:
    picture = table()
    annotated(picture, [lying(Tile.P5, 0.99)])
    assert np.array_equal(picture, table())


def test_a_picture_of_small_tiles_is_enlarged_and_a_large_one_is_not() -> None:
    small = [PhotoTile(t.quad / np.float32(4), (25, 20, 22.5, 30), t.named) for t in [lying(Tile.P5, 0.99)]]
    assert annotated(table(100, 75), small).shape[1] > 300
    assert annotated(table(3840, 2160), [lying(Tile.P5, 0.99)]).shape[1] == 3840


@pytest.mark.parametrize(("x", "y"), [(-60.0, -70.0), (370.0, 280.0), (0.0, 0.0)])
def test_tiles_at_the_edge_and_crowded_ones_are_drawn(x: float, y: float) -> None:
    drawn = annotated(table(), [lying(Tile.P5, 0.99, x, y), lying(Tile.S1, 0.9, x + 5, y)], numbered=True)
    assert not np.array_equal(drawn[:300], table())


def test_a_photograph_without_tiles_says_so_in_its_key() -> None:
    drawn = annotated(table(), [])
    assert np.array_equal(drawn[:300], table())
    assert len(drawn) > 300


def test_every_tile_has_a_sign_of_its_own() -> None:
    signs = {sign(tile, 24).tobytes() for tile in Tile if tile is not Tile.UNKNOWN}
    assert len(signs) == len(Tile) - 1


def test_one_photograph_is_drawn_into_a_file(tmp_path: Path) -> None:
    result = run(TABLE, "--draw", tmp_path / "out.png")
    assert result.exit_code == 0, result.output
    drawn, photograph = cv2.imread(str(tmp_path / "out.png")), cv2.imread(str(TABLE))
    assert drawn is not None
    assert photograph is not None
    assert drawn.shape[1] >= photograph.shape[1]
    assert [p.name for p in tmp_path.iterdir()] == ["out.png"]


def test_several_photographs_are_drawn_into_a_folder_under_their_names(tmp_path: Path) -> None:
    for place in ("a/one.jpg", "b/one.jpg", "b/two.jpg"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        shutil.copy(TABLE, tmp_path / place)
    (tmp_path / "b" / "bad.jpg").write_bytes(b"")
    result = run(tmp_path / "a", tmp_path / "b", "--draw", tmp_path / "drawn")
    assert result.exit_code == 1
    names = sorted(p.name for p in (tmp_path / "drawn").iterdir())
    assert names == ["one-2-read.jpg", "one-read.jpg", "two-read.jpg"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("photo.jpg", "not written over"),
        ("link.jpg", "not written over"),
        ("out.txt", "ends in one of .jpg"),
        ("out", "ends in one of .jpg"),
        ("nowhere/out.png", "no such folder"),
    ],
)
def test_a_bad_place_is_one_line_before_anything_is_read(tmp_path: Path, given: str, why: str) -> None:
    shutil.copy(TABLE, tmp_path / "photo.jpg")
    (tmp_path / "link.jpg").hardlink_to(tmp_path / "photo.jpg")
    before = (tmp_path / "photo.jpg").read_bytes()
    result = run(tmp_path / "photo.jpg", "--draw", tmp_path / given)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert why in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert (tmp_path / "photo.jpg").read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.jpg", "photo.jpg"]


def test_several_photographs_do_not_go_into_one_file(tmp_path: Path) -> None:
    result = run(TABLE, TABLE, "--draw", tmp_path / "out.png")
    assert result.exit_code == 1
    assert "a folder was expected for 2 photographs" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_enrolment_that_is_none_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "set.enrolled").write_bytes(b"no enrolment")
    for name in ("set.enrolled", "missing.enrolled"):
        result = run(TABLE, "--enrolled", tmp_path / name)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"Error: --enrolled {tmp_path / name}: ")
        assert len(result.stderr.splitlines()) == 1
