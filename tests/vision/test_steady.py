"""Laws of the eyes' memory: what appears was read often enough, what is hidden stays, what is told is true.

A small drawn table (480 x 270) gives the looks; the readings are the truth, spoilt as the test wants.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.models import load
from rules.tiles import Tile
from vision.observations import Appeared, Observation, Settled, Vanished
from vision.rectify import Rectification
from vision.steady import Plan, Steady
from vision.steady_cells import lay_cells
from vision.steady_evidence import NOT_A_TILE, Agreement
from vision.steady_gate import looks_of
from vision.steady_tracks import Sighting

GEOMETRY = load("longzhuo840")
SIZE = (480, 270)
CLOTH, SKIN, SLEEVE = (62, 88, 30), (140, 172, 214), (60, 56, 54)
STEP_S = 0.1
AGREEMENT = Agreement(reads=2, spacing_s=0.1, confidence=0.9, patience_s=1.0)
PLACES = {
    "pond 0": (0.0, 184.0),
    "pond 0 beside": (31.5, 184.0),
    "pond 0 left": (-31.5, 184.0),
    "pond 1": (184.0, -100.0),
    "indicator": (86.0, -86.0),
    "meld 2": (-340.0, -333.0),
    "meld 2 beside": (-308.0, -333.0),
    "open hand 3": (-382.0, 10.0),
    "loose": (-60.0, 60.0),
}
FACES = (Tile.M1, Tile.P5, Tile.S9, Tile.WHITE, Tile.BACK)


def straight_camera() -> Rectification:
    focal = 270 * 1200 / 870
    matrix = np.asarray([[focal, 0, (SIZE[0] - 1) / 2], [0, focal, (SIZE[1] - 1) / 2], [0, 0, 1]])
    return Rectification(matrix, np.eye(3), np.asarray([0.0, 0.0, 1200.0]), 0.0, ())


CAMERA = straight_camera()
NOISE = np.random.default_rng(1).integers(0, 6, (7, SIZE[1], SIZE[0], 3), np.uint8)
CELLS = lay_cells(CAMERA, GEOMETRY, size=SIZE)


@dataclass
class Table:
    """What lies there; an arm covers one place while it rests."""

    tiles: dict[str, Tile] = field(default_factory=dict)
    arm_over: str | None = None
    taken: int = 0

    def picture(self) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        image = np.full((SIZE[1], SIZE[0], 3), CLOTH, np.uint8)
        for place, tile in self.tiles.items():
            self._block(image, PLACES[place], (15.5, 20.7), (205, 210, 205))
            ink = 3.0 + 0.4 * tile
            self._block(image, PLACES[place], (ink / 2, ink), (60, 40, 30) if tile % 2 else (30, 30, 160))
        if self.arm_over is not None:
            x, y = PLACES[self.arm_over]
            self._block(image, (x, y + 120), (35, 95), SLEEVE)
            self._block(image, (x, y), (40, 40), SKIN)
        self.taken += 1
        return np.asarray(cv2.add(image, NOISE[self.taken % len(NOISE)]), np.uint8)

    @staticmethod
    def _block(
        image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]],
        middle: tuple[float, float],
        half: tuple[float, float],
        colour: tuple[int, int, int],
    ) -> None:
        corners = [
            (middle[0] + a * half[0], middle[1] + b * half[1])
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        pixels = np.round(CAMERA.to_px(corners, height=22.0) * 16).astype(np.int32)
        cv2.fillConvexPoly(image, pixels, colour, cv2.LINE_AA, 4)

    def visible(self) -> dict[str, Tile]:
        """The tiles no arm covers."""
        if self.arm_over is None:
            return self.tiles
        x, y = PLACES[self.arm_over]
        return {
            place: tile
            for place, tile in self.tiles.items()
            if abs(PLACES[place][0] - x) > 60 or not -65 < PLACES[place][1] - y < 240
        }


def sighting(place: str, tile: Tile, *, sure: float = 0.99) -> Sighting:
    chances = np.full(44, (1 - sure) / 43)
    chances[tile] = sure
    return Sighting(*PLACES[place], 0.0, np.log(chances))


@dataclass
class Watch:
    """Shows pictures to a `Steady` and keeps what it says."""

    table: Table = field(default_factory=Table)
    steady: Steady = field(default_factory=lambda: Steady(GEOMETRY, CELLS, settle_s=0.2, agreement=AGREEMENT))
    at: float = 100.0
    told: list[Observation] = field(default_factory=list)
    known: dict[int, Appeared] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    parts: int = 0

    def picture(
        self, *, blind: tuple[str, ...] = (), taken_for: dict[str, Tile] | None = None, sure: float = 0.99
    ) -> None:
        """One more picture; `blind` places are not found, `taken_for` gives faces the namer mistakes."""
        plan = self.steady.look(self.at, looks_of(self.table.picture()))
        self.parts += len(plan.parts)
        faces = {**self.table.visible(), **(taken_for or {})}
        seen = [
            sighting(place, faces[place], sure=sure)
            for place in self.table.visible()
            if place not in blind and in_a_part(plan, place)
        ]
        for observation in self.steady.take(plan, seen):
            self.keep(observation)
        self.at += STEP_S

    def pictures(self, count: int) -> None:
        for _ in range(count):
            self.picture()

    def keep(self, observation: Observation) -> None:
        """The law of ids: each appears once and vanishes at most once; times never fall."""
        if self.told:
            assert observation.at >= self.told[-1].at
        self.told.append(observation)
        if isinstance(observation, Appeared):
            assert observation.id not in self.known
            assert observation.id not in self.gone
            self.known[observation.id] = observation
        elif isinstance(observation, Vanished):
            self.gone.add(observation.id)
            del self.known[observation.id]

    def lying(self) -> dict[str, str]:
        """What is known to lie where, by place."""
        by_place = {nearest(appeared.x, appeared.y): appeared.tile for appeared in self.known.values()}
        assert len(by_place) == len(self.known)
        return by_place

    @property
    def settled(self) -> int:
        return sum(isinstance(observation, Settled) for observation in self.told)


def in_a_part(plan: Plan, place: str) -> bool:
    x, y = CAMERA.to_px([PLACES[place]], height=22.0)[0]
    return any(p.left + 9 <= x < p.right - 9 and p.top + 9 <= y < p.bottom - 9 for p in plan.parts)


def nearest(x: float, y: float) -> str:
    return min(PLACES, key=lambda place: np.hypot(PLACES[place][0] - x, PLACES[place][1] - y))


def texts(tiles: dict[str, Tile]) -> dict[str, str]:
    """What of the tiles is told: backs only in ponds and melds."""
    return {
        place: str(tile)
        for place, tile in tiles.items()
        if tile is not Tile.BACK or place.startswith(("pond", "meld"))
    }


def at_rest(tiles: dict[str, Tile] | None = None) -> Watch:
    """A table that has been looked at until nothing was new."""
    watch = Watch(Table(dict(tiles or {})))
    watch.pictures(12)
    return watch


def test_a_tile_appears_after_it_was_still_and_two_readings_agreed() -> None:
    watch = at_rest()
    put_down = watch.at
    watch.table.tiles["pond 0"] = Tile.P5
    watch.pictures(8)
    (appeared,) = [o for o in watch.told if isinstance(o, Appeared)]
    assert (appeared.tile, round(appeared.x), round(appeared.y)) == ("5p", 0, 184)
    assert appeared.at - put_down == pytest.approx(0.3)  # still for 0.2 s, read twice 0.1 s apart
    assert watch.told[-1] == Settled(at=appeared.at)


def test_an_idle_table_reads_nothing() -> None:
    watch = at_rest({"pond 0": Tile.M1, "indicator": Tile.P5})
    watch.parts = 0
    told = len(watch.told)
    watch.pictures(30)
    assert watch.parts == 0
    assert len(watch.told) == told


def test_only_the_part_that_changed_is_read() -> None:
    watch = at_rest({"pond 1": Tile.M1})
    watch.table.tiles["meld 2"] = Tile.P5
    for _ in range(8):
        plan = watch.steady.look(watch.at, looks_of(watch.table.picture()))
        assert not in_a_part(plan, "pond 1")
        for observation in watch.steady.take(plan, [sighting("meld 2", Tile.P5)] if plan.parts else []):
            watch.keep(observation)
        watch.at += STEP_S
    assert watch.lying() == {"pond 1": "1m", "meld 2": "5p"}


def test_readings_closer_together_than_the_spacing_count_once() -> None:
    watch = Watch(steady=Steady(GEOMETRY, CELLS, settle_s=0.2, agreement=replace(AGREEMENT, spacing_s=0.35)))
    watch.pictures(12)
    watch.table.tiles["pond 0"] = Tile.P5
    put_down = watch.at
    watch.pictures(12)
    (appeared,) = watch.known.values()
    assert appeared.at - put_down >= 0.2 + 0.35 - 1e-6


def test_a_moved_tile_vanishes_and_appears_under_another_id() -> None:
    watch = at_rest({"pond 0": Tile.P5})
    (before,) = watch.known
    watch.table.tiles = {"meld 2": Tile.P5}
    watch.pictures(8)
    (after,) = watch.known
    assert watch.gone == {before}
    assert after != before
    assert isinstance(watch.told[-1], Settled)


def test_a_tile_under_a_resting_arm_stays_and_the_table_does_not_settle() -> None:
    watch = at_rest({"pond 0": Tile.P5})
    settled = watch.settled
    watch.table.arm_over = "pond 0"
    watch.pictures(40)
    assert watch.lying() == {"pond 0": "5p"}
    assert watch.settled == settled
    watch.table.arm_over = None
    watch.pictures(8)
    assert watch.settled == settled + 1
    assert not watch.gone


def test_a_tile_taken_by_an_arm_vanishes_when_the_arm_is_gone() -> None:
    watch = at_rest({"pond 0": Tile.P5, "pond 1": Tile.M1})
    watch.table.arm_over = "pond 0"
    watch.pictures(5)
    del watch.table.tiles["pond 0"]
    watch.pictures(5)
    assert not watch.gone
    watch.table.arm_over = None
    watch.pictures(6)
    assert watch.lying() == {"pond 1": "1m"}


def test_a_tile_taken_from_between_two_others_vanishes() -> None:
    watch = at_rest({"pond 0": Tile.P5, "pond 0 beside": Tile.M1, "pond 0 left": Tile.S9})
    del watch.table.tiles["pond 0"]
    watch.pictures(8)
    assert watch.lying() == {"pond 0 beside": "1m", "pond 0 left": "9s"}
    assert isinstance(watch.told[-1], Settled)


def test_an_arm_that_rests_over_plain_cloth_keeps_the_table_unsettled() -> None:
    watch = at_rest()
    settled = watch.settled
    watch.table.arm_over = "pond 0"
    watch.pictures(15)
    assert watch.settled == settled


def test_a_tile_the_finder_overlooks_stays_while_its_place_looks_the_same() -> None:
    watch = at_rest({"pond 0": Tile.P5})
    watch.table.tiles["pond 0 beside"] = Tile.M1
    for _ in range(10):
        watch.picture(blind=("pond 0",))
    assert watch.lying() == {"pond 0": "5p", "pond 0 beside": "1m"}
    assert isinstance(watch.told[-1], Settled)


def test_a_single_wrong_reading_is_outvoted() -> None:
    watch = at_rest()
    watch.table.tiles["pond 0"] = Tile.P5
    watch.pictures(2)
    watch.picture(taken_for={"pond 0": Tile.M1})
    watch.pictures(15)
    assert watch.lying() == {"pond 0": "5p"}
    assert not watch.gone


def test_readings_that_stay_unsure_are_told_as_unsure_with_candidates() -> None:
    watch = at_rest()
    watch.table.tiles["pond 0"] = Tile.P5
    for _ in range(20):
        watch.picture(sure=0.6)
    (appeared,) = watch.known.values()
    assert appeared.tile == "?"
    face, chance = appeared.candidates[0]
    assert face == "5p"
    assert chance == pytest.approx(0.6, abs=0.01)
    assert isinstance(watch.told[-1], Settled)


def test_a_tile_told_as_unsure_is_read_again_until_it_is_sure() -> None:
    watch = at_rest()
    watch.table.tiles["pond 0"] = Tile.P5
    for _ in range(30):
        watch.picture(sure=0.6)
    assert watch.lying() == {"pond 0": "?"}
    watch.pictures(150)
    assert watch.lying() == {"pond 0": "5p"}
    parts = watch.parts
    watch.pictures(30)
    assert watch.parts == parts


def test_another_face_at_the_same_place_is_told_anew() -> None:
    watch = at_rest({"pond 0": Tile.P5})
    watch.table.tiles["pond 0"] = Tile.WHITE
    watch.pictures(10)
    assert watch.lying() == {"pond 0": "5p"}
    watch.pictures(30)
    assert watch.lying() == {"pond 0": "P"}
    assert len(watch.gone) == 1


def test_a_face_told_at_rest_is_not_changed_by_what_is_read_while_something_half_covers_it() -> None:
    watch = at_rest({"pond 0": Tile.P5})
    settled = watch.settled
    watch.table.tiles["pond 0"] = Tile.WHITE  # as it looks under a sleeve
    for _ in range(15):
        watch.picture(taken_for={"pond 0": Tile.M1})
    assert watch.settled == settled
    watch.table.tiles["pond 0"] = Tile.P5
    watch.pictures(6)
    assert watch.lying() == {"pond 0": "5p"}
    assert not watch.gone
    assert watch.settled == settled + 1


def test_a_tile_laid_beside_somebodys_belongings_is_read() -> None:
    watch = Watch()
    watch.table.arm_over = "pond 0"  # something that stays
    watch.pictures(60)
    watch.table.tiles["pond 1"] = Tile.M1
    watch.pictures(8)
    assert watch.lying() == {"pond 1": "1m"}
    assert isinstance(watch.told[-1], Settled)


def test_things_that_are_no_tiles_never_appear() -> None:
    watch = at_rest()
    watch.table.tiles["loose"] = Tile.M1
    plan_sightings = [
        replace(sighting("loose", Tile.M1), log_probabilities=np.log(np.eye(44)[NOT_A_TILE] + 1e-6))
    ]
    for _ in range(50):
        plan = watch.steady.look(watch.at, looks_of(watch.table.picture()))
        for observation in watch.steady.take(plan, plan_sightings):
            watch.keep(observation)
        watch.at += STEP_S
    assert not watch.known
    assert isinstance(watch.told[-1], Settled)


def test_a_knocked_camera_reads_everything_again_and_keeps_the_ids() -> None:
    watch = at_rest({"pond 0": Tile.P5, "meld 2": Tile.BACK})
    before = dict(watch.known)
    watch.steady.move(CELLS)
    watch.parts = 0
    watch.pictures(8)
    assert watch.parts > 0
    assert watch.known == before


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from(sorted(PLACES)), st.sampled_from(FACES)),
        st.tuples(st.just("take"), st.sampled_from(sorted(PLACES)), st.none()),
        st.tuples(st.just("cover"), st.sampled_from(sorted(PLACES)), st.none()),
        st.tuples(st.just("uncover"), st.none(), st.none()),
    ),
    max_size=8,
)


def do(table: Table, action: tuple[str, str | None, Tile | None]) -> None:
    match action:
        case "put", str(place), Tile() as tile:
            table.tiles.setdefault(place, tile)
        case "take", str(place), _:
            table.tiles.pop(place, None)
        case "cover", str(place), _:
            table.arm_over = place
        case _:
            table.arm_over = None


@settings(max_examples=40, deadline=None)
@given(ACTIONS, st.lists(st.integers(1, 6), min_size=8, max_size=8))
def test_whatever_happens_what_is_told_in_the_end_is_what_lies_there(
    actions: list[tuple[str, str | None, Tile | None]], pauses: list[int]
) -> None:
    watch = at_rest()
    for action, pause in zip(actions, pauses, strict=False):
        do(watch.table, action)
        watch.pictures(pause)
    watch.table.arm_over = None
    watch.pictures(15)
    assert watch.lying() == texts(watch.table.tiles)
    assert watch.settled > 0


@settings(max_examples=40, deadline=None)
@given(ACTIONS, st.lists(st.integers(1, 6), min_size=8, max_size=8))
def test_a_settled_table_was_told_truly_and_nothing_untouched_ever_vanishes(
    actions: list[tuple[str, str | None, Tile | None]], pauses: list[int]
) -> None:
    watch = at_rest({"pond 1": Tile.S9})
    (kept,) = watch.known
    for action, pause in zip(actions, pauses, strict=False):
        if "pond 1" in action and action[0] != "cover":
            continue
        do(watch.table, action)
        for _ in range(pause):
            before = len(watch.told)
            watch.picture()
            if any(isinstance(observation, Settled) for observation in watch.told[before:]):
                lying = watch.lying()
                truth = texts(watch.table.tiles)
                # Racks are always touched: a hand that is just being laid open is not waited for.
                assert lying == {
                    place: text for place, text in truth.items() if place in lying or "hand" not in place
                }
    assert kept in watch.known


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["seen", "overlooked", "mistaken"]), min_size=1, max_size=12))
def test_nothing_appears_without_two_agreeing_readings_in_a_row(readings: list[str]) -> None:
    watch = at_rest()
    watch.table.tiles["pond 0"] = Tile.P5
    watch.pictures(1)
    faces: list[str] = []
    for reading in readings:
        named = {"pond 0": Tile.P5 if reading == "seen" else Tile.M1}
        plan = watch.steady.look(watch.at, looks_of(watch.table.picture()))
        seen = [] if reading == "overlooked" else [sighting("pond 0", named["pond 0"])]
        if plan.parts and seen:
            faces.append(str(named["pond 0"]))
        before = set(watch.known)
        for observation in watch.steady.take(plan, seen if plan.parts else []):
            watch.keep(observation)
        for number in set(watch.known) - before:
            tile = watch.known[number].tile
            assert tile == "?" or faces[-2:] == [tile, tile]
        watch.at += STEP_S
