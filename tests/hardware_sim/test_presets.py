"""Presets of the simulated camera differ as their names say; sets of tiles differ from each other."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from hardware_sim import presets
from hardware_sim.__main__ import command
from hardware_sim.camera_lens import Bend, bend_of, lens_for, top_quad
from hardware_sim.faces import face_texture
from hardware_sim.faces_style import STYLES
from hardware_sim.lamp import lamp_for
from hardware_sim.parts import CannotStart
from hardware_sim.presets import Light, Ponds, UnknownPreset, named
from hardware_sim.render import Renderer
from hardware_sim.scene import MARKER_CENTRES, Scene, SceneTile
from rules.tiles import Tile

FACES = [tile for tile in Tile if 0 <= tile <= Tile.BACK]
SEED = 4
TILES = tuple(
    SceneTile(i, face, -70.0 + 35 * i, 190.0)
    for i, face in enumerate((Tile.M5, Tile.P8, Tile.S1, Tile.RED, Tile.WHITE))
)


def small_faces(style: str) -> dict[Tile, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    """Every face as a camera sees it: about 30 x 40 px."""
    textures = {tile: face_texture(tile, 0, STYLES[style], 1.0)[..., :3] for tile in FACES}
    return {tile: cv2.blur(texture, (2, 2)).astype(np.float32) for tile, texture in textures.items()}


@pytest.fixture(scope="module")
def sets() -> dict[str, dict[Tile, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]]:
    return {style: small_faces(style) for style in STYLES}


def test_there_are_four_sets_and_more_beside_the_classic_one() -> None:
    assert len(STYLES) >= 5
    assert next(iter(STYLES)) == "classic"


@pytest.mark.parametrize("style", STYLES)
def test_every_face_of_a_set_differs_from_every_other(
    style: str, sets: dict[str, dict[Tile, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]]
) -> None:
    faces = sets[style]
    for one, other in combinations(FACES, 2):
        apart = np.abs(faces[one] - faces[other]).max(axis=2)
        assert (apart > 30).sum() > 25, (one, other)


def test_a_face_looks_otherwise_in_every_set(
    sets: dict[str, dict[Tile, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]],
) -> None:
    for tile in FACES:
        for one, other in combinations(STYLES, 2):
            assert np.abs(sets[one][tile] - sets[other][tile]).mean() > 3, (tile, one, other)


def test_only_the_riichi_set_has_a_blank_white_dragon() -> None:
    inner = {
        style: face_texture(Tile.WHITE, 0, STYLES[style])[12:-12, 12:-12, :3].std(axis=(0, 1)).max()
        for style in STYLES
    }
    assert {style for style, spread in inner.items() if spread < 3} == {"riichi"}


def test_the_two_backs_of_a_set_are_told_apart() -> None:
    for style in STYLES.values():
        one, two = (face_texture(Tile.BACK, k, style)[..., :3].mean(axis=(0, 1)) for k in (0, 1))
        assert np.abs(one - two).max() > 25


def test_the_default_is_the_tidy_classic_table() -> None:
    assert presets.DEFAULT is presets.ALL["tidy"]
    assert presets.DEFAULT.faces == "classic"
    one, other = (Renderer(SEED, **given).clean(Scene(TILES)) for given in ({}, {"preset": presets.DEFAULT}))
    assert np.array_equal(one, other)


def test_there_is_everything_a_reader_is_to_be_tried_on() -> None:
    kinds = presets.ALL.values()
    assert {preset.ponds for preset in kinds} == set(Ponds)
    assert {preset.light for preset in kinds} == set(Light)
    assert len({preset.lamp for preset in kinds}) >= 4
    assert {preset.size for preset in kinds} == {(1280, 720), (1920, 1080), (3840, 2160)}
    assert any(preset.defocus for preset in kinds)
    assert any(preset.distortion for preset in kinds)


def test_a_wrong_name_is_answered_with_the_right_ones() -> None:
    with pytest.raises(UnknownPreset, match=r"--camera-preset fog: unknown; expected one of tidy, casual"):
        named("fog")
    with pytest.raises(UnknownPreset, match=r"--faces dots: unknown; expected one of classic, engraved"):
        named("dim", faces="dots")
    result = CliRunner().invoke(command, ["--dir", "unused", "--camera-preset", "fog"])
    assert isinstance(result.exception, CannotStart)
    assert "expected one of tidy" in str(result.exception)


class Drawn:
    """One table of a preset with five tiles on it."""

    def __init__(self, name: str, faces: str = "classic") -> None:
        self.renderer = Renderer(SEED, preset=named(name, faces=faces))
        self.clean = self.renderer.clean(Scene(TILES)).astype(np.float32)
        self.picture = self.renderer.picture(Scene(TILES)).astype(np.float32)

    def tops(self) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        """The pixels of the upper sides of the tiles, (5, 60, 44, 3)."""
        target = np.array([(0, 0), (44, 0), (44, 60), (0, 60)], np.float32)
        quads = [top_quad(self.renderer.lens, tile).astype(np.float32) for tile in TILES]
        return np.stack(
            [cv2.warpPerspective(self.clean, cv2.getPerspectiveTransform(q, target), (44, 60)) for q in quads]
        )

    @property
    def noise(self) -> float:
        return float((self.picture - self.clean).std())

    @property
    def sharpness(self) -> float:
        """How steep edges on the tiles are, beside how light they are."""
        tops = self.tops()
        return float(np.abs(np.diff(tops, axis=2)).mean() / tops.mean())


@pytest.fixture(scope="module")
def tables() -> dict[str, Drawn]:
    return {name: Drawn(name) for name in ("tidy", "dim", "defocus", "bulb", "window")}


def test_dim_is_dark_and_noisy(tables: dict[str, Drawn]) -> None:
    assert tables["dim"].clean.mean() < 0.6 * tables["tidy"].clean.mean()
    assert tables["dim"].noise > 1.7 * tables["tidy"].noise


def test_defocus_softens_edges_and_leaves_them_readable(tables: dict[str, Drawn]) -> None:
    assert 0.35 < tables["defocus"].sharpness / tables["tidy"].sharpness < 0.9


def test_lamps_have_their_own_colour_and_shadows(tables: dict[str, Drawn]) -> None:
    bulb, window = tables["bulb"], tables["window"]

    def blueness(drawn: Drawn) -> float:
        blue, _, red = drawn.tops().mean(axis=(0, 1, 2))
        return float(blue / red)

    assert blueness(bulb) < blueness(tables["tidy"]) < blueness(window)
    assert bulb.renderer.lamp.darkness > window.renderer.lamp.darkness
    assert bulb.renderer.lamp.softness < window.renderer.lamp.softness


def test_glare_washes_out_some_tiles_and_leaves_most_to_be_read() -> None:
    lamps = [lamp_for(seed, named("glare")).shine for seed in range(2)]
    usual = [lamp_for(seed).shine for seed in range(2)]
    for glare, plain in zip(lamps, usual, strict=True):
        assert (glare > 90).mean() > (plain > 90).mean()
        assert (glare > 90).mean() < 0.1
        assert 100 < glare.max() < 190


@pytest.mark.parametrize("name", ["720p", "barrel", "4k"])
def test_a_picture_has_its_presets_size_and_shows_the_markers_where_the_lens_says(name: str) -> None:
    preset = named(name)
    renderer = Renderer(SEED, preset=preset)
    picture = renderer.picture(Scene())
    assert (picture.shape[1], picture.shape[0]) == preset.size
    kinds = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    corners, ids, _ = cv2.aruco.ArucoDetector(kinds).detectMarkers(picture)
    centres = {int(i): quad[0].mean(axis=0) for i, quad in zip(np.ravel(ids), corners, strict=True)}
    assert sorted(centres) == [0, 1, 2, 3]
    for number, (x, y) in enumerate(MARKER_CENTRES):
        true = renderer.lens.bend(renderer.lens.pixels([(x, y, 0)]))[0]
        assert np.hypot(*(centres[number] - true)) < 0.6 * max(1.0, renderer.lens.scale)


def test_what_is_bent_can_be_straightened() -> None:
    lens = lens_for(SEED, (320, 180), -0.08)
    bend = bend_of(lens)
    assert bend is not None
    columns, rows = straightened(bend)
    there = lens.bend(np.stack((columns, rows), axis=1))
    y, x = np.mgrid[0:180, 0:320]
    assert np.abs(there - np.stack((x.ravel(), y.ravel()), axis=1)).max() < 0.01
    assert bend_of(lens_for(SEED)) is None


def straightened(bend: Bend) -> Bend:
    return bend[0].ravel(), bend[1].ravel()


def test_a_smaller_or_larger_picture_shows_the_same_table() -> None:
    usual = lens_for(SEED)
    for size in ((1280, 720), (3840, 2160)):
        lens = lens_for(SEED, size)
        places = [(x, y, h) for x in (-300, 200) for y in (-200, 350) for h in (0, 22)]
        assert np.allclose(lens.pixels(places) / lens.scale, usual.pixels(places))


def test_the_simulator_and_the_training_know_nothing_of_each_other() -> None:
    root = Path(__file__).parents[2]
    simulator, training = list(root.glob("hardware_sim/**/*.py")), list(root.glob("vision/**/*.py"))
    assert len(simulator) > 50
    assert len(training) > 20
    imports = re.compile(r"^\s*(?:from|import) (hardware_sim|vision\.training)\b", re.MULTILINE)
    for path in simulator:
        assert "vision.training" not in imports.findall(path.read_text(encoding="utf-8")), path
    for path in training:
        assert "hardware_sim" not in imports.findall(path.read_text(encoding="utf-8")), path
