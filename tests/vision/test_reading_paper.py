"""A grey back is no blank white dragon: beside other tiles' faces it is too dark for paper."""

from __future__ import annotations

import numpy as np
import pytest

from rules.tiles import Tile
from vision.reading_paper import doubt_dark_whites, paper_levels
from vision.reading_seen import Seen

PLACES = [(40 * k + 10, 20) for k in range(9)]


def quad(x: float, y: float) -> list[tuple[float, float]]:
    return [(x, y), (x + 31, y), (x + 31, y + 42), (x, y + 42)]


def table(
    levels: list[int],
) -> tuple[
    np.ndarray[tuple[int, ...], np.dtype[np.uint8]], np.ndarray[tuple[int, ...], np.dtype[np.float32]]
]:
    """Tiles of these brightnesses in a row on dark cloth, all but the last with a mark on them."""
    image = np.full((90, 400, 3), 60, np.uint8)
    for k, ((x, y), level) in enumerate(zip(PLACES, levels, strict=False)):
        image[y : y + 42, x : x + 31] = level
        if k < len(levels) - 1:
            image[y + 12 : y + 30, x + 8 : x + 23] = 20
    return image, np.array([quad(*place) for place in PLACES[: len(levels)]], np.float32)


def named(tile: Tile) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    chances = np.full(44, 0.01 / 43)
    chances[tile] = 0.99
    return chances


def doubts(
    image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
    quads: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
    names: dict[int, Tile],
    backs: frozenset[int] = frozenset(),
) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """The chances of the named tiles afterwards; the finder took `backs` for such."""
    count = len(quads)
    is_back = np.array([k in backs for k in range(count)])
    rows = np.array(list(names))
    chances = [named(tile) for tile in names.values()]
    seen = Seen(quads, np.zeros((count, 3)), is_back, rows, np.ones(len(rows), np.bool_), chances)
    doubt_dark_whites(image, seen)
    return seen.chances


def test_the_paper_of_a_tile_is_what_is_brightest_on_it() -> None:
    image, quads = table([200, 150, 110])
    assert np.allclose(paper_levels(image, quads), np.array([200, 150, 110])[:, None])


@pytest.mark.parametrize(("levels", "backs", "doubted"), [
    ([200, 205, 195, 198, 100], (), True),
    ([200, 205, 195, 198, 145], (), True),  # a light grey back
    ([200, 205, 195, 198, 190], (), False),
    ([200, 205, 195, 198, 172], (), False),  # a shadow's edge, or less light there
    ([200, 105, 205, 195, 100], (), True),  # beside another back that nobody noticed
    ([200, 205, 195, 100, 100, 100, 100, 100, 100], (3, 4, 5, 6, 7), True),  # among backs of a wall
    ([80, 82, 78, 80, 76], (), False),  # a dim room
    ([200, 205, 100], (), False),  # too few tiles to tell what paper looks like
    ([200, 100, 100], (1,), True),  # the same, but it has the colour of backs
    ([200, 100, 190], (1,), False),
])  # fmt: skip
def test_a_white_that_is_darker_than_the_paper_about_it_may_be_a_back(
    levels: list[int], backs: tuple[int, ...], *, doubted: bool
) -> None:
    image, quads = table(levels)
    first, last = doubts(image, quads, {0: Tile.M1, len(levels) - 1: Tile.WHITE}, frozenset(backs))
    assert np.allclose(first, named(Tile.M1))
    assert np.isclose(last.sum(), 1)
    if doubted:
        assert last[Tile.WHITE] == pytest.approx(last[Tile.BACK], abs=0.001)
    else:
        assert np.allclose(last, named(Tile.WHITE))


def test_a_white_of_another_colour_than_paper_may_be_a_back() -> None:
    image, quads = table([200, 205, 195, 198, 200])
    x, y = PLACES[4]
    image[y : y + 42, x : x + 31] = (160, 200, 150)
    (last,) = doubts(image, quads, {4: Tile.WHITE})
    assert last[Tile.WHITE] == pytest.approx(last[Tile.BACK], abs=0.001)


def test_what_was_not_named_white_is_left_alone() -> None:
    image, quads = table([200, 205, 195, 198, 100])
    (last,) = doubts(image, quads, {4: Tile.P1})
    assert np.allclose(last, named(Tile.P1))
