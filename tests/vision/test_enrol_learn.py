"""What an enrolment learns of pictures of tiles, and that it is never worse than the network alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hardware_sim import presets
from hardware_sim.render import Renderer
from hardware_sim.scenes import laid_out, true_tiles
from rules.tiles import Tile
from vision.enrol import Mix
from vision.enrol_learn import Trial, WorseEnrolment, learn
from vision.enrol_views import MOST_TILES, Known, spread, views_of
from vision.name import Namer, network_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]

CHARACTERS = tuple(Tile(k) for k in range(9))
BAMBOOS = tuple(Tile(k) for k in range(18, 27))
STYLE = "latin"


@cache
def table(seed: int) -> tuple[Picture, Floats, NDArray[np.int64]]:
    """A picture of rows of characters and bamboos, two of each; the quads (36, 4, 2) and faces (36,)."""
    renderer = Renderer(seed, preset=presets.named("tidy", faces=STYLE))
    scene = laid_out((CHARACTERS, BAMBOOS, CHARACTERS, BAMBOOS), seed)
    tiles = true_tiles(scene, renderer.lens)
    quads = np.array([t.quad for t in tiles], np.float32)
    return renderer.picture(scene), quads, np.array([int(t.tile) for t in tiles])


@cache
def known(count: int = 36) -> Known:
    """The first so many tiles of one table."""
    picture, quads, faces = table(1)
    return Known.cut(picture, quads[:count], four=np.zeros(count, np.bool_), faces=faces[:count])


def read(namer: Namer) -> tuple[int, float]:
    """How many of the 36 tiles of another table are named rightly, and the sum of confidences."""
    picture, quads, faces = table(2)
    named = namer.name(picture, quads)
    right = sum(n.best == face for n, face in zip(named, faces, strict=True))
    return right, sum(n.confidence for n in named)


def test_views_are_of_the_tile_as_read_in_both_turns_and_a_little_changed() -> None:
    nine = known(9)
    views = views_of(nine, Namer())
    assert int(views.plain.sum()) == 18
    assert set(views.tiles) == set(range(9))
    assert (views.faces == nine.faces[views.tiles]).all()
    assert np.linalg.norm(views.embeddings, axis=1) == pytest.approx(1, abs=1e-3)
    four = views_of(replace(nine, four=np.ones(9, np.bool_)), Namer())
    assert int(four.plain.sum()) == 36


def test_of_a_face_shown_very_often_only_some_tiles_are_looked_at_from_first_to_last() -> None:
    faces = np.array([3] * 100 + [4] * 5)
    keep = spread(faces)
    assert int(keep[:100].sum()) == MOST_TILES
    assert keep[0]
    assert keep[99]
    assert keep[100:].all()


def test_what_was_learned_names_another_table_of_that_set_at_least_as_well_as_before() -> None:
    learned = learn(known(), tileset=STYLE, made="2026-01-31")
    enrolled = learned.enrolment
    assert enrolled.left_out.tiles == 36
    assert enrolled.left_out.after >= enrolled.left_out.before
    assert enrolled.covered == {*CHARACTERS, *BAMBOOS}
    assert Tile.P1 in learned.missing
    assert not learned.odd
    before, after = read(Namer()), read(Namer(enrolled=enrolled))
    assert after[0] == 36 >= before[0]
    assert after[1] >= before[1]


def test_a_set_learned_twice_gives_the_same_bytes(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("twice")
    for name in ("one", "other"):
        learn(known(9), made="2026-01-31").enrolment.save(folder / name)
    assert (folder / "one").read_bytes() == (folder / "other").read_bytes()


def test_wrong_labels_are_refused_or_listed() -> None:
    one = known().faces.copy()
    one[4] = int(Tile.M9)
    learned = learn(replace(known(), faces=one))
    (odd,) = [o for o in learned.odd if o.tile == 4]
    assert (odd.said, odd.seems) == (Tile.M9, Tile.M5)
    shifted = np.concatenate([known().faces[:18], np.roll(known().faces[18:], 4)])
    with pytest.raises(WorseEnrolment, match="of 36 tiles left out"):
        learn(replace(known(), faces=shifted))


def test_faces_seen_once_can_not_be_checked_and_are_learned_all_the_same() -> None:
    learned = learn(known(9), kinds=CHARACTERS, network=network_bytes())
    assert learned.enrolment.left_out.tiles == 0
    assert learned.missing == ()


def test_where_the_network_surely_takes_tiles_for_others_it_what_was_learned_counts_more() -> None:
    # Bamboos shown as the characters' faces, as a set would look that the network does not know.
    strange = replace(known(18), faces=np.concatenate([known(18).faces[9:], known(18).faces[:9]]))
    learned = learn(strange).enrolment
    picture, quads, faces = table(1)
    named = Namer(enrolled=learned).name_refined(picture, quads[:9])
    before = Namer().name_refined(picture, quads[:9])
    assert sum(n.best == face + 18 for n, face in zip(named, faces[:9], strict=True)) >= 7
    assert not any(n.best == face + 18 for n, face in zip(before, faces[:9], strict=True))


def test_a_network_that_is_wrong_and_very_sure_counts_less() -> None:
    strange = np.concatenate([known(18).faces[9:], known(18).faces[:9]])
    views = views_of(replace(known(18), faces=strange), Namer())
    levels = np.full(44, 0.5, np.float32)
    mix = Mix(floor=0.5)
    assert Trial(views, strange).balanced(mix, levels).net == mix.net
    surer = Trial(replace(views, logits=8 * views.logits), strange)
    assert surer.balanced(mix, levels).net < mix.net
