"""Readings of a table taken together: a fifth of a kind becomes unsure; the indicator is read strictly."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from controller.models.longzhuo840 import MODEL
from rules.tiles import Tile
from vision.joint import ONE_SET
from vision.joint_table import Lying, unsure_on_table
from vision.observations import Appeared, Observation, Vanished
from vision.steady_evidence import Agreement
from vision.steady_tracks import Look, Sighting, Tracks
from vision.zones import nearest_spot, table_point

AGREEMENT = Agreement(reads=2, spacing_s=0.1, confidence=0.95, patience_s=1.0)
P5, P6 = Tile.parse("5p"), Tile.parse("6p")
Place = tuple[float, float]
POND = [(-140.0 + 32 * k, 184.0) for k in range(9)]
INDICATOR = (86.0, -86.0)


def chances(
    face: Tile, confidence: float, instead: Tile = P6
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    made = np.full(44, 1e-6)
    made[instead] = 1 - confidence
    made[face] = confidence
    return made


@dataclass
class Eye:
    """Reads the same tiles again and again until they are told."""

    tracks: Tracks = field(default_factory=lambda: Tracks(MODEL, AGREEMENT))
    at: float = 10.0
    known: dict[int, Appeared] = field(default_factory=dict)
    changes: int = 0

    def read(
        self,
        seen: dict[Place, tuple[Tile, float]],
        *,
        times: int = 4,
        angle: float = 0.0,
        settle: bool = True,
    ) -> None:
        for _ in range(times):
            self.at += 0.2
            sightings = [Sighting(*place, angle, np.log(chances(*tile))) for place, tile in seen.items()]
            self.keep(
                self.tracks.take(self.at, sightings, covered=lambda *_: True, look=lambda _: Look.EMPTY)
            )
        if settle:
            self.keep(self.tracks.settle(self.at))

    def keep(self, told: list[Observation]) -> None:
        self.changes += len(told)
        for one in told:
            if isinstance(one, Appeared):
                self.known[one.id] = one
            if isinstance(one, Vanished):
                del self.known[one.id]

    def faces(self) -> dict[Place, str]:
        return {(round(a.x, 1), round(a.y, 1)): a.tile for a in self.known.values()}


def five(least: float = 0.96) -> dict[Place, tuple[Tile, float]]:
    seen = dict.fromkeys(POND[:4], (P5, 0.999))
    return {**seen, POND[4]: (P5, least)}


def test_a_fifth_of_a_kind_is_told_as_unsure_with_its_candidates() -> None:
    eye = Eye()
    eye.read(five())
    assert eye.faces() == {**dict.fromkeys(POND[:4], "5p"), POND[4]: "?"}
    (unsure,) = [one for one in eye.known.values() if one.tile == "?"]
    assert [face for face, _ in unsure.candidates][:2] == ["5p", "6p"]


def test_a_doubtful_fifth_is_not_told_again_and_again() -> None:
    eye = Eye()
    eye.read(five())
    changes = eye.changes
    for _ in range(3):
        eye.read(five(), times=8)
    assert eye.changes == changes


def test_what_was_one_too_many_is_told_when_another_is_gone() -> None:
    eye = Eye()
    eye.read(five())
    left = five()
    del left[POND[0]]
    eye.read(left)
    assert eye.faces() == dict.fromkeys(POND[1:5], "5p")


def test_what_was_one_too_many_is_told_when_it_turns_out_to_be_another() -> None:
    eye = Eye()
    eye.read(five())
    eye.read({**five(), POND[4]: (P6, 0.9999)}, times=40)
    assert eye.faces() == {**dict.fromkeys(POND[:4], "5p"), POND[4]: "6p"}


def test_a_tile_that_moves_is_never_one_too_many() -> None:
    eye = Eye()
    seen = dict.fromkeys(POND[:4], (P5, 0.999))
    eye.read(seen)
    moved = {place: (P5, 0.96) if place == POND[6] else (P5, 0.999) for place in (*POND[1:4], POND[6])}
    eye.read(moved)
    assert eye.faces() == dict.fromkeys((*POND[1:4], POND[6]), "5p")


@pytest.mark.parametrize("face", [Tile.parse("1m"), P5, Tile.EAST])
def test_equal_readings_are_all_unsure(face: Tile) -> None:
    eye = Eye()
    eye.read(dict.fromkeys(POND[:5], (face, 0.97)))
    assert set(eye.faces().values()) == {"?"}


def lying(face: Tile, place: Place, confidence: float = 0.999, *, firm: bool = False) -> Lying:
    return Lying(face, chances(face, confidence), nearest_spot(MODEL.zones, *place, reach=MODEL.reach), firm)


def test_what_was_relied_on_and_what_was_moved_stay_before_what_is_new() -> None:
    old = [lying(P5, place, 0.97, firm=True) for place in POND[:4]]
    assert unsure_on_table([*old, lying(P5, POND[5], 0.98)], ONE_SET, ()) == {4}
    new = [lying(P5, POND[5], 0.98), lying(P5, POND[6], 0.985)]
    assert unsure_on_table([*old[:3], *new], ONE_SET, ()) == {3}


def test_a_concealed_kong_holds_four_of_its_face() -> None:
    row = [table_point(1, 230.0 + 31.5 * k, 333.0) for k in range(4)]
    kong = [lying(face, place) for face, place in zip((Tile.BACK, P5, P5, Tile.BACK), row, strict=True)]
    assert unsure_on_table(kong, ONE_SET, ()) == frozenset()
    assert unsure_on_table([*kong, lying(P5, POND[0], 0.97)], ONE_SET, ()) == {4}


def test_an_open_hand_has_as_many_tiles_as_its_sets_leave_it() -> None:
    faces = [tile for tile in Tile if 0 <= tile < Tile.PLUM]
    hand = [
        lying(face, table_point(0, -200.0 + 32 * k, 382.0), 0.9999 - 0.03 * (k == 5))
        for k, face in enumerate(faces[:12])
    ]
    sets = [lying(faces[20], table_point(0, 200.0 + 32 * k, 333.0)) for k in range(3)]
    assert unsure_on_table(hand, ONE_SET, ()) == frozenset()
    assert unsure_on_table([*hand, *sets], ONE_SET, ()) == {5}


def test_the_indicator_needs_more_than_a_discard() -> None:
    eye = Eye()
    eye.read({POND[0]: (P5, 0.965), INDICATOR: (Tile.EAST, 0.965)}, times=12)
    assert eye.faces() == {POND[0]: "5p", INDICATOR: "?"}
    again = Eye()
    again.read({POND[0]: (P5, 0.999), INDICATOR: (Tile.EAST, 0.999)}, times=2, settle=False)
    assert again.faces() == {POND[0]: "5p"}
    again.read({POND[0]: (P5, 0.999), INDICATOR: (Tile.EAST, 0.999)}, times=1, settle=False)
    assert again.faces() == {POND[0]: "5p", INDICATOR: "E"}


def test_an_indicator_half_outside_its_zone_is_unsure() -> None:
    aside = (INDICATOR[0] + 26.0, INDICATOR[1])
    eye = Eye()
    eye.read({aside: (Tile.EAST, 0.9999)}, times=12)
    assert eye.faces() == {aside: "?"}
    eye = Eye()
    eye.read({(INDICATOR[0] + 6, INDICATOR[1] - 5): (Tile.EAST, 0.9999)}, times=12, angle=8.0)
    assert set(eye.faces().values()) == {"E"}
