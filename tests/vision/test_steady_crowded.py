"""Two tiles can't lie in one place: where both are seen, no name is told until one of them is gone."""

import numpy as np

from controller.models.longzhuo840 import MODEL
from rules.tiles import Tile
from vision.observations import Appeared, Observation
from vision.steady_evidence import Agreement
from vision.steady_tracks import Look, Sighting, Tracks

AGREEMENT = Agreement(reads=2, spacing_s=0.1, confidence=0.95, patience_s=1.0)
P2, P4 = Tile.P2, Tile.P4


def sighting(y: float, face: Tile, x: float = 0.0) -> Sighting:
    chances = np.full(44, 1e-6)
    chances[face] = 0.999
    return Sighting(x, y, 0.0, np.log(chances))


def told(*readings: list[Sighting]) -> list[str]:
    """The names of what appears while these sightings come one after the other."""
    tracks = Tracks(MODEL, AGREEMENT)
    observations: list[Observation] = []
    for number, seen in enumerate(readings):
        observations += tracks.take(
            0.2 * number, seen, covered=lambda *_: True, look=lambda _: Look.UNCHANGED
        )
    return [one.tile for one in observations if isinstance(one, Appeared)]


def test_halves_of_a_tile_are_told_by_no_name_while_both_are_seen() -> None:
    both = [sighting(184.0, P2), sighting(200.0, P2)]
    assert told(both, both, both) == []


def test_what_is_seen_alone_again_is_told_after_it_agreed_anew() -> None:
    both, whole = [sighting(184.0, P2), sighting(200.0, P4)], [sighting(200.0, P4)]
    assert told(both, whole) == []
    assert told(both, whole, whole) == ["4p"]


def test_where_the_crowd_stays_the_tile_is_told_as_unsure_in_the_end() -> None:
    both = [sighting(184.0, P2), sighting(200.0, P2)]
    assert set(told(*[both] * 8)) == {"?"}


def test_tiles_that_touch_are_no_crowd() -> None:
    row = [sighting(184.0, P2), sighting(184.0, P4, x=31.0), sighting(226.0, P2)]
    assert sorted(told(row, row)) == ["2p", "2p", "4p"]


def test_a_ghost_between_two_tiles_that_were_told_gets_no_name() -> None:
    row = [sighting(184.0, P2), sighting(184.0, P4, x=31.0)]
    ghost = [sighting(184.0, Tile.P9, x=15.5)]
    assert told(row, row, [*row, *ghost], [*row, *ghost], ghost, ghost) == ["2p", "4p"]
