"""A photograph shows one set: of five equal names the least certain is unsure and keeps its face."""

import numpy as np

from rules.tiles import Tile
from vision.find import Found
from vision.name import Named
from vision.photo import PhotoReader

P5 = Tile.parse("5p")
Quads = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
SQUARE = np.array([(0, 0), (30, 0), (30, 40), (0, 40)], np.float32)


class FiveFinds:
    """A finder that sees five tiles in a row."""

    def find(self, _: object) -> list[Found]:
        places = [40.0 * k for k in range(5)]
        return [
            Found(SQUARE + np.array((x, 0), np.float32), 1.0, is_back=False, box=(x, 0.0, 30.0, 40.0))
            for x in places
        ]


class FiveNames:
    """A namer that calls them all 5p, one less certainly."""

    def look(self, _: object, quads: Quads) -> tuple[list[Named], Quads]:
        return [self._named(0.93 if k == 2 else 0.999) for k in range(len(quads))], quads

    @staticmethod
    def _named(confidence: float) -> Named:
        chances = np.full(44, (1 - confidence) / 43, np.float32)
        chances[P5] = confidence
        return Named(P5, P5, confidence, chances)


def test_a_photograph_holds_no_five_of_a_kind() -> None:
    reader = PhotoReader(FiveFinds(), FiveNames())  # type: ignore[arg-type]
    tiles = reader.read(np.zeros((60, 220, 3), np.uint8))
    assert [tile.named.tile for tile in tiles] == [P5, P5, None, P5, P5]
    assert {tile.named.best for tile in tiles} == {P5}
