"""Where the tiles lie: none is lost, none lies in another, and what nobody touches stays where it is."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from controller.models import load
from hardware_sim.layout import scene_tiles
from hardware_sim.layout_bodies import (
    BODIES,
    Slot,
    broken,
    discarded,
    heaped,
    next_tail,
    pushed_in,
    replaced,
    taken,
    walls_up,
)
from hardware_sim.layout_fit import LOOSE_ROWS, POND_ROWS, Spot, Wobble, lay_pond, overlap
from hardware_sim.players import Temper
from hardware_sim.presets import Ponds
from hardware_sim.scene import FLAT_UP, HATCH_RADIUS, STANDING, Scene, SceneTile, seat_point
from hardware_sim.world_memory import play_deal
from rules import sets
from vision.zones import ZoneKind

MODEL = load("longzhuo840")
CARD = sets.load("cixi-card")
IN_ORDER = tuple(range(BODIES))
POND_SIZE = sum(row.places for row in POND_ROWS)


def footprint(tile: SceneTile) -> Spot:
    return Spot(tile.x, tile.y, tile.angle, 31.0, 22.0 if tile.pose is STANDING else 41.5)


def overlapping(tiles: tuple[SceneTile, ...], moved: frozenset[SceneTile]) -> list[tuple[int, int]]:
    return [
        (a.id, b.id)
        for a in moved
        for b in tiles
        if (b.id > a.id or b not in moved)
        and abs(a.z - b.z) < 22.0
        and abs(a.x - b.x) < 60
        and abs(a.y - b.y) < 60
        and overlap(footprint(a), footprint(b))
        and a.id != b.id
    ]


class Watcher:
    """Looks at every scene of a deal."""

    def __init__(self) -> None:
        self.scenes: list[Scene] = []
        self.overlaps: list[tuple[int, int]] = []

    def look(self, scene: Scene) -> None:
        if not self.scenes or self.scenes[-1].tiles is not scene.tiles:
            before = frozenset(self.scenes[-1].tiles) if self.scenes else frozenset()
            self.overlaps += overlapping(scene.tiles, frozenset(scene.tiles) - before)
        self.scenes.append(scene)


@pytest.mark.parametrize(
    ("seed", "temper", "ponds"),
    [
        *((seed, Temper.KEEN, Ponds.TIDY) for seed in range(4)),
        *((seed, Temper.IDLE, Ponds.TIDY) for seed in range(2)),
        *((5, Temper.IDLE, ponds) for ponds in (Ponds.CASUAL, Ponds.MESSY, Ponds.COMMON)),
    ],
)
async def test_every_scene_of_a_deal_holds_136_bodies_none_in_another(
    seed: int, temper: Temper, ponds: Ponds
) -> None:
    watcher = Watcher()
    await play_deal(seed, CARD, temper=temper, ponds=ponds, look=watcher.look)
    assert len(watcher.scenes) > 100
    assert all(sorted(tile.id for tile in scene.tiles) == list(IN_ORDER) for scene in watcher.scenes)
    assert watcher.overlaps == []


@pytest.mark.parametrize("seed", range(3))
async def test_nothing_moves_but_what_is_moved(seed: int) -> None:
    """A tile that lay open stays to the hair where it lay, unless it leaves its pond or its row shifts."""
    watcher = Watcher()
    await play_deal(seed, CARD, look=watcher.look)
    moved_in_ponds = 0
    for before, after in zip(watcher.scenes, watcher.scenes[1:], strict=False):
        places = {tile.id: tile for tile in after.tiles}
        ponds = [tile for tile in before.tiles if kind_at(tile) is ZoneKind.POND]
        changed = [tile for tile in ponds if places[tile.id] != tile]
        assert len(changed) <= 1
        moved_in_ponds += len(changed)
    assert moved_in_ponds > 0


def kind_at(tile: SceneTile) -> ZoneKind:
    return MODEL.spot(tile.x, tile.y).kind


@pytest.mark.parametrize("seed", range(4))
async def test_open_tiles_lie_in_the_zones_of_the_table_model(seed: int) -> None:
    table, played = await play_deal(seed, CARD, temper=Temper.IDLE if seed == 0 else Temper.KEEN)
    bodies = table.bodies
    kinds = {tile.id: kind_at(tile) for tile in table.scene.tiles}
    seats = {tile.id: MODEL.spot(tile.x, tile.y).seat for tile in table.scene.tiles}
    assert bodies.indicator is not None
    assert kinds[bodies.indicator] is ZoneKind.INDICATOR
    for seat in range(4):
        rows = {
            ZoneKind.POND: bodies.ponds[seat],
            ZoneKind.MELD: tuple(body for meld in bodies.melds[seat] for body in meld.bodies),
            ZoneKind.HAND: bodies.racks[seat],
        }
        for kind, row in rows.items():
            assert {kinds[body] for body in row} <= {kind}
            assert {seats[body] for body in row} <= {seat}
    assert {kinds[body] for _, body in bodies.wall} <= {ZoneKind.WALL}
    assert len(played.state.ponds[0]) == len(bodies.ponds[0]) or played.fetched


@given(
    st.lists(
        st.builds(Wobble, st.floats(-0.9, 0.9), st.floats(-0.9, 0.9), st.floats(-2.4, 2.4)),
        max_size=POND_SIZE,
    )
)
def test_a_pond_of_any_disorder_fits_its_zone_and_nothing_overlaps(wobbles: list[Wobble]) -> None:
    spots = lay_pond(tuple(wobbles))
    assert len(spots) == len(wobbles)
    assert not any(overlap(a, b) for a, b in combinations(spots, 2))
    assert all(MODEL.spot(*seat_point(0, spot.u, spot.v)).kind is ZoneKind.POND for spot in spots)
    assert all(max(abs(u) for u, _ in spot.corners()) <= 163 for spot in spots)
    assert lay_pond(tuple(wobbles[:-1])) == spots[:-1] or not wobbles


WILD = st.builds(Wobble, st.floats(-6, 6), st.floats(-6, 6), st.floats(-18, 18))


@settings(max_examples=25, deadline=None)
@example([Wobble(0, 6, 18)] * 22)
@example([Wobble(0, -6, 18), Wobble(0, 6, -18)] * 11)
@given(st.lists(WILD, max_size=22))
def test_a_loose_pond_stays_in_its_zone_however_its_tiles_are_turned(wobbles: list[Wobble]) -> None:
    spots = lay_pond(tuple(wobbles), LOOSE_ROWS)
    assert not any(overlap(a, b) for a, b in combinations(spots, 2))
    assert all(MODEL.spot(*seat_point(0, spot.u, spot.v)).kind is ZoneKind.POND for spot in spots)
    corners = [corner for spot in spots for corner in spot.corners()]
    assert all(abs(u) <= 161 and 115 <= v <= 260 for u, v in corners)
    assert lay_pond(tuple(wobbles[:-1]), LOOSE_ROWS) == spots[:-1] or not wobbles


def test_a_loose_pond_has_gaps_and_turned_tiles() -> None:
    rng = Random(3)  # noqa: S311 - disorder on a table
    wobbles = tuple(Wobble(rng.uniform(-6, 6), rng.uniform(-6, 6), rng.uniform(-18, 18)) for _ in range(16))
    spots = lay_pond(wobbles, LOOSE_ROWS)
    assert max(abs(spot.angle) for spot in spots) > 12
    assert sum(abs(spot.angle) > 4 for spot in spots) >= 6
    # Rows reach into each other.
    lowest = max(v for spot in spots[:8] for _, v in spot.corners())
    assert lowest > min(v for spot in spots[8:] for _, v in spot.corners())


def test_a_pond_has_an_end() -> None:
    with pytest.raises(ValueError, match="at most 27"):
        lay_pond((Wobble(0, 0, 0),) * (POND_SIZE + 1))
    with pytest.raises(ValueError, match="at most 25"):
        lay_pond((Wobble(0, 0, 0),) * 26, LOOSE_ROWS)


def test_the_wall_is_taken_clockwise_from_the_break_upper_tiles_first() -> None:
    bodies = broken(walls_up(IN_ORDER), side=1, stacks=7)
    first = [slot for slot, _ in bodies.wall[:4]]
    assert first == [Slot(1, 7, 1), Slot(1, 7, 0), Slot(1, 8, 1), Slot(1, 8, 0)]
    sides = [slot.side for slot, _ in bodies.wall]
    assert [sides[0], sides[20], sides[54], sides[88]] == [1, 0, 3, 2]
    assert bodies.wall[-1][0] == Slot(1, 6, 0)


def test_replacements_come_from_the_tail_upper_tile_first() -> None:
    bodies = broken(walls_up(IN_ORDER), side=0, stacks=5)
    slots = {body: slot for slot, body in bodies.wall}
    tails = []
    for _ in range(4):
        tails.append(slots[next_tail(bodies)])
        bodies = replaced(bodies, 2)
    assert tails == [Slot(0, 4, 1), Slot(0, 4, 0), Slot(0, 3, 1), Slot(0, 3, 0)]
    assert bodies.count == BODIES


def test_the_last_tile_of_a_broken_stack_can_still_be_drawn_from_the_tail() -> None:
    bodies = broken(walls_up(IN_ORDER), side=0, stacks=5)
    bodies = taken(bodies, 0, 135)
    last = bodies.wall[0][1]
    assert replaced(bodies, 1).racks[1] == (last,)


def test_upper_tiles_lie_on_lower_ones() -> None:
    tiles = {tile.id: tile for tile in scene_tiles(walls_up(IN_ORDER), seed=3)}
    assert all(tiles[body].z == 22.0 and tiles[body + 1].z == 0.0 for body in range(0, BODIES, 2))
    assert all((tiles[b].x, tiles[b].y) == (tiles[b + 1].x, tiles[b + 1].y) for b in range(0, BODIES, 2))


@pytest.mark.parametrize("seed", range(5))
def test_a_heap_leaves_the_hatch_free_and_nothing_overlaps(seed: int) -> None:
    tiles = scene_tiles(heaped(), seed=seed)
    assert len(tiles) == BODIES
    assert overlapping(tiles, frozenset(tiles)) == []
    corners = [corner for tile in tiles for corner in footprint(tile).corners()]
    assert min((x * x + y * y) ** 0.5 for x, y in corners) > HATCH_RADIUS
    assert any(tile.pose is FLAT_UP for tile in tiles)


def test_tiles_pushed_in_are_in_the_machine_and_not_on_the_table() -> None:
    bodies = heaped()
    for start in range(0, BODIES, 34):
        bodies = pushed_in(bodies, range(start, start + 34))
        assert bodies.count == BODIES
    assert (bodies.lying(), sorted(bodies.inside)) == ((), list(IN_ORDER))


def test_walls_need_every_tile() -> None:
    with pytest.raises(ValueError, match="136"):
        walls_up(IN_ORDER[:-1])


def test_nobody_discards_what_he_does_not_hold() -> None:
    with pytest.raises(ValueError, match="does not hold"):
        discarded(heaped(), 0, 5)
