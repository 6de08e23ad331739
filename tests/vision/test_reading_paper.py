"""A grey back is no blank white dragon: beside other tiles it is too dark for paper."""

from __future__ import annotations

import numpy as np
import pytest

from rules.tiles import Tile
from vision.reading_paper import doubt_dark_whites, paper_levels

PLACES = [(40 * k + 10, 20) for k in range(5)]


def quad(x: float, y: float) -> list[tuple[float, float]]:
    return [(x, y), (x + 31, y), (x + 31, y + 42), (x, y + 42)]


def table(
    levels: list[int],
) -> tuple[
    np.ndarray[tuple[int, ...], np.dtype[np.uint8]], np.ndarray[tuple[int, ...], np.dtype[np.float32]]
]:
    """Tiles of these brightnesses in a row on dark cloth, all but the last with a mark on them."""
    image = np.full((90, 240, 3), 60, np.uint8)
    for k, ((x, y), level) in enumerate(zip(PLACES, levels, strict=False)):
        image[y : y + 42, x : x + 31] = level
        if k < len(levels) - 1:
            image[y + 12 : y + 30, x + 8 : x + 23] = 20
    return image, np.array([quad(*place) for place in PLACES[: len(levels)]], np.float32)


def named(tile: Tile) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    chances = np.full(44, 0.01 / 43)
    chances[tile] = 0.99
    return chances


def test_the_paper_of_a_tile_is_what_is_brightest_on_it() -> None:
    image, quads = table([200, 150, 110])
    assert np.allclose(paper_levels(image, quads), [200, 150, 110])


@pytest.mark.parametrize(("levels", "doubted"), [
    ([200, 205, 195, 198, 100], True),
    ([200, 205, 195, 198, 190], False),
    ([200, 205, 195, 198, 160], False),  # a shadow's edge, or less light there
    ([100, 205, 195, 100, 100], True),  # among other backs
    ([80, 82, 78, 80, 76], False),  # a dim room
    ([200, 205, 100], False),  # too few tiles to tell what paper looks like
])  # fmt: skip
def test_a_white_that_is_darker_than_the_paper_about_it_may_be_a_back(
    levels: list[int], *, doubted: bool
) -> None:
    image, quads = table(levels)
    last = len(levels) - 1
    chances = [named(Tile.M1), named(Tile.WHITE)]
    doubt_dark_whites(image, quads, np.array([0, last]), chances)
    assert np.allclose(chances[0], named(Tile.M1))
    assert np.isclose(chances[1].sum(), 1)
    if doubted:
        assert chances[1][Tile.WHITE] == pytest.approx(chances[1][Tile.BACK], abs=0.001)
    else:
        assert np.allclose(chances[1], named(Tile.WHITE))


def test_what_was_not_named_white_is_left_alone() -> None:
    image, quads = table([200, 205, 195, 198, 100])
    chances = [named(Tile.P1)]
    doubt_dark_whites(image, quads, np.array([4]), chances)
    assert np.allclose(chances[0], named(Tile.P1))
