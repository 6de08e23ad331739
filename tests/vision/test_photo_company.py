"""What looks a little like a tile is one among tiles of its size, and print or clutter by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from rules.tiles import Tile
from vision.find import Found
from vision.name import CLASSES, NOT_A_TILE, Named, box_quads
from vision.photo import PhotoReader
from vision.photo_company import ALONE, LIKELY, PLAIN, STANDS, in_company, judged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vision.photo import Box

    Floats = NDArray[np.float32]

PICTURE = np.zeros((400, 900, 3), np.uint8)
P5, M1 = Tile.parse("5p"), Tile.parse("1m")


def at(x: float, y: float = 50.0, *, wide: float = 30.0, high: float = 40.0) -> Box:
    return x, y, wide, high


def row(*boxes: Box) -> Floats:
    return np.array(boxes, np.float32).reshape(-1, 4)


def likely(*values: float) -> Floats:
    return np.array(values, np.float32)


def test_a_faint_find_is_believed_beside_a_plain_one_of_its_size() -> None:
    pair = row(at(50), at(85))
    assert in_company(pair, likely(0.9, 0.5)).tolist() == [True, True]
    assert in_company(pair, likely(PLAIN - 0.01, 0.5)).tolist() == [False, False]


@pytest.mark.parametrize(
    "other", [at(400), at(50, 300), at(85, wide=60), at(85, wide=54, high=72), at(85, high=20)]
)
def test_far_ones_and_ones_of_another_size_each_way_are_no_company(other: Box) -> None:
    assert in_company(row(at(50), other), likely(0.9, 0.5)).tolist() == [True, False]


def test_company_asks_neither_for_an_order_nor_for_a_turn_and_finds_may_overlap() -> None:
    pair = row(at(85), at(65, wide=40, high=30))
    assert in_company(pair, likely(0.5, 0.9)).tolist() == [True, True]


def test_a_plain_find_needs_no_other_and_is_not_its_own_company() -> None:
    assert in_company(row(at(50)), likely(ALONE)).tolist() == [True]
    assert in_company(row(at(50)), likely(ALONE - 0.01)).tolist() == [False]


def test_less_is_asked_of_a_find_in_company_and_a_faint_one_is_never_sure() -> None:
    between, faint = (LIKELY[0] + LIKELY[1]) / 2, STANDS - 0.01
    tiles, stand = judged(row(at(50), at(85), at(600), at(120)), likely(0.9, between, between, faint))
    assert tiles.tolist() == [True, True, False, True]
    assert stand.tolist() == [True, False, False, False]


class Sees:
    """Finds in given boxes with given scores, named 5p and 1m in turn, surely."""

    def __init__(self, boxes: Floats, scores: Floats, *, nothing: float = 0.0) -> None:
        self.boxes, self.scores, self.nothing = boxes, scores, nothing

    def find(self, _: object) -> list[Found]:
        return [
            Found(quad, float(score), is_back=False, box=at(*box[:2].tolist()))
            for box, quad, score in zip(self.boxes, box_quads(self.boxes), self.scores, strict=True)
        ]

    def look(self, _: object, quads: Floats) -> tuple[list[Named], Floats]:
        out = []
        for k in range(len(quads)):
            chances = np.zeros(CLASSES, np.float32)
            tile = (P5, M1)[k % 2]
            chances[tile], chances[NOT_A_TILE] = 1 - self.nothing, self.nothing
            out.append(Named(tile, tile, 1 - self.nothing, chances))
        return out, quads


def reader_of(sees: Sees) -> PhotoReader:
    return PhotoReader(sees, sees)  # type: ignore[arg-type]


def test_a_lone_faint_find_keeps_its_likeliest_name_but_is_not_sure_at_a_second_look_either() -> None:
    reader = reader_of(Sees(row(at(50), at(85), at(600)), likely(0.9, 0.9, 0.6)))
    tiles = reader.read(PICTURE)
    assert [(tile.named.best, tile.named.tile) for tile in tiles] == [(P5, P5), (M1, M1), (P5, None)]
    again = reader.again(PICTURE, tiles)
    assert [tile.named.tile for tile in again] == [P5, M1, None]


def test_what_the_namer_holds_for_no_tile_is_left_out_and_speaks_for_no_other() -> None:
    assert reader_of(Sees(row(at(50), at(85)), likely(0.9, 0.9), nothing=0.7)).read(PICTURE) == []


def test_a_photograph_without_finds_has_no_tiles() -> None:
    assert reader_of(Sees(row(), likely())).read(PICTURE) == []


def test_a_find_in_doubt_that_is_broader_than_high_is_also_read_from_its_side() -> None:
    class Lies(Sees):
        """A tile that lies across is named 5p from its side alone."""

        def look(self, _: object, quads: Floats) -> tuple[list[Named], Floats]:
            out = []
            for quad in quads:
                plain = 0.999 if abs(quad[1, 1] - quad[0, 1]) > abs(quad[1, 0] - quad[0, 0]) else 0.6
                chances = np.zeros(CLASSES, np.float32)
                chances[P5], chances[M1] = plain, 1 - plain
                out.append(Named(P5 if plain > 0.9 else None, P5, plain, chances))
            return out, quads

    lying = np.array([(50, 50, 40, 30)], np.float32)
    sees = Lies(lying, likely(0.9))
    broad = np.array([(50, 50), (90, 50), (90, 80), (50, 80)], np.float32)
    sees.find = lambda _: [Found(broad, 0.9, is_back=False, box=(50, 50, 40, 30))]  # type: ignore[method-assign]
    (tile,) = reader_of(sees).read(PICTURE)
    assert tile.named.tile is P5
    assert tile.quad.tolist() == broad.tolist()
