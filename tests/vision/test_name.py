"""The namer: drawn tiles, the tiles' half turns, light, what is no tile, and what its answers promise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from rules.tiles import Tile
from vision.name import CLASSES, NOT_A_TILE, Named, Namer, box_quads, crop_maps, crop_quads, whiten

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]

DATA = Path(__file__).parent / "data"
SCENES = sorted(path.stem for path in DATA.glob("drawn-*.json"))


@pytest.fixture(scope="module")
def namer() -> Namer:
    return Namer()


def scene(name: str) -> tuple[Picture, list[Tile], Floats]:
    picture = cv2.imread(str(DATA / f"{name}.jpg"))
    assert picture is not None
    rows = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    quads = np.array([row["quad"] for row in rows], np.float32).reshape(-1, 4, 2)
    keep = [
        k for k, row in enumerate(rows) if row["visible"] > 0.9 and 2 < quads[k].min() < quads[k].max() < 446
    ]
    return picture.astype(np.uint8), [Tile.parse(rows[k]["tile"]) for k in keep], quads[keep]


def share_right(named: list[Named], tiles: list[Tile]) -> float:
    return sum(n.best is t for n, t in zip(named, tiles, strict=True)) / len(tiles)


def all_scenes() -> list[tuple[Picture, list[Tile], Floats]]:
    return [scene(name) for name in SCENES]


def test_drawn_suits_and_honours_never_seen_in_training_are_named(namer: Namer) -> None:
    named, tiles = [], []
    for picture, truth, quads in all_scenes():
        named += namer.name(picture, quads)
        tiles += truth
    plain = [(n, t) for n, t in zip(named, tiles, strict=True) if not t.is_flower]
    assert len(plain) > 60
    assert share_right([n for n, _ in plain], [t for _, t in plain]) >= 0.94


def test_of_a_hundred_sure_names_no_more_than_two_are_wrong(namer: Namer) -> None:
    sure = [
        name.tile is tile
        for picture, truth, quads in all_scenes()
        for name, tile in zip(namer.name(picture, quads), truth, strict=True)
        if name.tile is not None and not tile.is_flower
    ]
    assert len(sure) > 60
    assert sum(sure) >= 0.98 * len(sure)


def test_a_face_that_is_not_in_play_is_never_named() -> None:
    kinds = [tile for tile in Tile if 0 <= tile < 34 and tile.suit != "p"]
    namer = Namer(kinds=kinds)
    for picture, _, quads in all_scenes():
        for name in namer.name(picture, quads):
            assert name.best in kinds or name.best is Tile.BACK
            assert abs(float(name.probabilities.sum()) - 1) < 1e-4


def test_the_half_turn_of_a_quad_gives_the_same_name(namer: Namer) -> None:
    same = []
    for picture, _, quads in all_scenes():
        ahead, turned = namer.name(picture, quads), namer.name(picture, np.roll(quads, 2, axis=1))
        same += [a.best is b.best for a, b in zip(ahead, turned, strict=True)]
    assert sum(same) >= 0.96 * len(same)


def test_refining_brings_loose_corners_closer(namer: Namer) -> None:
    rng = np.random.default_rng(3)
    for picture, _, quads in all_scenes():
        loose = (quads + rng.normal(0, 1.8, (len(quads), 1, 2))).astype(np.float32)
        near = namer.refine(picture, loose)
        before, after = (np.abs(q - quads).mean() for q in (loose, near))
        assert after < 0.8 * before


def test_one_look_gives_the_names_and_moves_the_corners_onto_the_tiles(namer: Namer) -> None:
    rng = np.random.default_rng(8)
    for picture, _, quads in all_scenes():
        loose = (quads + rng.normal(0, 1.8, (len(quads), 1, 2))).astype(np.float32)
        named, near = namer.look(picture, loose)
        assert [n.best for n in named] == [n.best for n in namer.name(picture, loose)]
        before, after = (np.abs(q - quads).mean() for q in (loose, near))
        assert after < 0.8 * before


def test_tiles_on_a_level_picture_need_no_exact_corners(namer: Namer) -> None:
    rng = np.random.default_rng(9)
    same = []
    for picture, _, quads in all_scenes():
        exact = namer.name_refined(picture, quads)
        loose = namer.name(picture, quads + rng.normal(0, 1.5, (len(quads), 1, 2)))
        same += [a.best is b.best for a, b in zip(exact, loose, strict=True) if a.tile is not None]
    assert sum(same) >= 0.98 * len(same)


@pytest.mark.parametrize("cast", [(0.55, 0.8, 1.0), (1.0, 0.85, 0.7), (0.5, 0.5, 0.5)])
def test_a_lamps_cast_changes_few_names(namer: Namer, cast: tuple[float, float, float]) -> None:
    for picture, truth, quads in all_scenes():
        lit = (picture * np.array(cast)).astype(np.uint8)
        before, after = namer.name(picture, quads), namer.name(lit, quads)
        assert sum(a.best is b.best for a, b in zip(before, after, strict=True)) >= 0.9 * len(truth)


def test_probabilities_sum_to_one_and_confidence_is_that_of_the_best(namer: Namer) -> None:
    picture, _, quads = scene(SCENES[0])
    for name in namer.name(picture, quads):
        assert name.probabilities.shape == (CLASSES,)
        assert abs(float(name.probabilities.sum()) - 1) < 1e-4
        assert name.confidence == pytest.approx(float(name.probabilities[name.best]))
        assert name.best == int(name.probabilities[:NOT_A_TILE].argmax())


def test_bare_cloth_is_no_tile_or_unsure(namer: Namer) -> None:
    noise = np.random.default_rng(4).normal(0, 6, (200, 200, 1))
    cloth = np.clip(np.array((50, 110, 40)) + noise, 0, 255).astype(np.uint8)
    quads = box_quads(np.array([(20, 20, 39, 52), (90, 90, 39, 52)]))
    for name in namer.name(cloth, quads):
        assert name.tile is None or name.tile is Tile.BACK


def test_no_quads_give_no_names(namer: Namer) -> None:
    empty = np.zeros((50, 50, 3), np.uint8)
    assert namer.name(empty, np.zeros((0, 4, 2))) == []
    assert namer.name_boxes(empty, np.zeros((0, 4))) == []


def test_boxes_name_as_quads_do(namer: Namer) -> None:
    upright = np.zeros((120, 100, 3), np.uint8)
    picture, tiles, quads = scene(SCENES[0])
    side = np.array([(0, 0), (62, 0), (62, 83), (0, 83)], np.float32)
    matrix = cv2.getPerspectiveTransform(quads[0], side + 16)
    upright = cv2.warpPerspective(picture, matrix, (100, 120)).astype(np.uint8)
    boxed = namer.name_boxes(upright, [(16, 16, 62, 83)])[0]
    assert boxed.best is namer.name(picture, quads[:1])[0].best
    assert boxed.best is tiles[0]
    lying = np.ascontiguousarray(np.rot90(upright))
    assert namer.name_boxes(lying, [(16, 100 - 78, 83, 62)])[0].best is tiles[0]


def test_white_paper_stays_white_and_a_coloured_back_keeps_its_colour() -> None:
    paper, back = (np.full((1, 48, 48, 3), c, np.uint8) for c in ((200, 215, 225), (40, 130, 30)))
    white, green = whiten(paper)[0], whiten(back)[0]
    assert white.min() > 0.3
    assert green[1].mean() - max(green[0].mean(), green[2].mean()) > 0.3


def test_crops_reach_a_little_beyond_the_tile() -> None:
    picture = np.zeros((100, 100, 3), np.uint8)
    picture[20:80, 30:70] = 255
    crop = crop_quads(picture, box_quads(np.array([(30, 20, 40, 60)])))[0]
    assert crop[24, 24].min() == 255
    assert crop[0, 24].max() < 200
    assert crop.shape == (48, 48, 3)


def test_a_crops_corners_lie_on_those_of_its_quad_with_the_margin() -> None:
    leaning = np.array(
        [[(12, 8), (60, 20), (50, 90), (5, 70)], [(300, 40), (290, 99), (200, 80), (210, 20)]], np.float32
    )
    middles = leaning.mean(axis=1, keepdims=True)
    wider = middles + (leaning - middles) * 1.3
    maps = crop_maps(leaning, 0.3, np.array([48, 144]))
    for quad, there, side in zip(wider, maps, (48, 144), strict=True):
        edges = np.array([(0, 0), (side, 0), (side, side), (0, side)], np.float64)[:, None] - 0.5
        assert cv2.perspectiveTransform(edges, there)[:, 0] + 0.5 == pytest.approx(quad, abs=1e-3)
