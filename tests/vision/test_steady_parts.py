"""Part of a tile has another size than a tile, and may look like another face: by itself it gets no name.

Nor does what looks like a back at times, as bare cloth may.
"""

import numpy as np

from controller.models.longzhuo840 import MODEL
from rules.tiles import Tile
from vision.observations import Appeared, Observation
from vision.reading_seen import Seen
from vision.steady_evidence import Agreement
from vision.steady_tracks import Look, Sighting, Tracks

AGREEMENT = Agreement(reads=2, spacing_s=0.1, confidence=0.95, patience_s=1.0)
Y = 184.0


def test_what_has_not_the_size_of_a_tile_comes_to_the_memory_as_a_part() -> None:
    chances = [np.full(44, 1 / 44)] * 2
    seen = Seen(
        quads=np.zeros((3, 4, 2), np.float32),
        poses=np.array([(0.0, 0.0, 0.0), (10.0, Y, 0.0), (50.0, Y, 1.0)]),
        is_back=np.zeros(3, np.bool_),
        rows=np.array([2, 1]),
        is_whole=np.array([True, False]),
        chances=chances,
    )
    assert [(one.x, one.is_whole) for one in seen.sightings()] == [(50.0, True), (10.0, False)]


def whole(face: Tile = Tile.P7) -> Sighting:
    return Sighting(0.0, Y, 0.0, _log(face))


def part(face: Tile = Tile.P4, off: float = 8.0) -> Sighting:
    return Sighting(0.0, Y - off, 0.0, _log(face), is_whole=False)


def _log(face: Tile) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    chances = np.full(44, 1e-6)
    chances[face] = 0.999
    return np.asarray(np.log(chances), np.float64)


def told(*sightings: Sighting | None) -> list[Appeared]:
    """What appears while these come one after the other."""
    tracks = Tracks(MODEL, AGREEMENT)
    observations: list[Observation] = []
    for number, sighting in enumerate(sightings):
        observations += tracks.take(
            0.2 * number,
            [sighting] if sighting else [],
            covered=lambda *_: True,
            look=lambda _: Look.UNCHANGED,
        )
    return [one for one in observations if isinstance(one, Appeared)]


def names(*sightings: Sighting | None) -> list[str]:
    return [one.tile for one in told(*sightings)]


def test_what_is_only_seen_in_part_is_told_as_unsure_in_the_end() -> None:
    assert names(*[part()] * 5) == []
    assert set(names(*[part()] * 8)) == {"?"}


def test_a_tile_that_is_seen_in_part_in_between_keeps_its_name_and_its_place() -> None:
    for seen in ((whole(), part(), part(), whole()), (part(), part(), whole(), whole(), whole())):
        (one,) = told(*seen)
        assert (one.tile, one.y) == ("7p", Y)


def test_parts_do_not_count_as_readings_that_agree() -> None:
    assert names(whole(), part(Tile.P7), part(Tile.P7)) == []
    assert names(part(Tile.P7, off=1.0), whole()) == []
    assert names(part(Tile.P7, off=1.0), whole(), whole()) == ["7p"]


def test_a_tile_that_was_told_keeps_its_name_when_it_is_seen_in_part_later() -> None:
    assert names(whole(), whole(), *[part()] * 3) == ["7p"]


def test_a_back_that_is_not_found_every_time_must_be_found_the_more_often() -> None:
    back = whole(Tile.BACK)
    assert names(back, back) == ["back"]
    assert names(back, None, back, back) == []
    assert names(back, None, back, back, back) == ["back"]
    assert names(whole(), None, whole()) == ["7p"]
