"""Whatever goes wrong at the table is put right again: the play and the places are what they should be."""

import math
from random import Random

import pytest

from hardware_sim.layout import scene_tiles
from hardware_sim.layout_bodies import face
from hardware_sim.people_mishaps import MISHAPS
from hardware_sim.scene import Pose, Scene
from hardware_sim.world_memory import play_deal
from hardware_sim.world_table import WorldTable
from rules import sets
from rules.state import TableState

CARD = sets.load("cixi-card")
FAR_MM = 12.0


async def played_with(seed: int, *names: str) -> tuple[WorldTable, TableState, list[Scene]]:
    """A deal at whose every third play these mishaps strike, and every scene of it."""
    chance = Random(seed)  # noqa: S311 - a simulation
    scenes: list[Scene] = []

    def strikes() -> frozenset[str]:
        return frozenset(names) if chance.random() < 0.3 else frozenset()

    table, played = await play_deal(seed, CARD, look=scenes.append, strikes=strikes)
    return table, played.state, scenes


@pytest.mark.parametrize("seed", range(3))
async def test_after_every_mishap_the_table_is_what_was_played(seed: int) -> None:
    table, state, _ = await played_with(seed, *MISHAPS)
    ponds = [[face(body) for body in pond] for pond in table.bodies.ponds]
    taken = state.result is not None and sum(map(len, ponds)) < sum(map(len, state.ponds))
    assert sum(map(len, state.ponds)) - sum(map(len, ponds)) == int(taken)
    assert all(list(told)[: len(pond)] == pond for told, pond in zip(state.ponds, ponds, strict=True))
    tidy = {tile.id: tile for tile in scene_tiles(table.bodies, seed=table.seed)}
    for tile in table.scene.tiles:
        assert math.hypot(tile.x - tidy[tile.id].x, tile.y - tidy[tile.id].y) < FAR_MM


def most_open(scenes: list[Scene]) -> int:
    """Most faces in one seat's hand row before the end."""
    return max(
        sum(t.pose is Pose.FLAT_UP and max(abs(t.x), abs(t.y)) > 365.0 for t in scene.tiles)
        for scene in scenes[20:-8]
    )


async def test_a_hand_that_is_no_win_lies_open_for_a_while() -> None:
    _, _, scenes = await played_with(1, "show-hand")
    _, _, none = await played_with(1)
    assert most_open(none) < 4
    assert most_open(scenes) >= 7


async def test_a_mislaid_tile_lies_far_from_its_place_and_is_put_right() -> None:
    table, _, scenes = await played_with(2, "mislay")
    tidy = {tile.id: tile for tile in scene_tiles(table.bodies, seed=table.seed)}
    pond = {body for pond in table.bodies.ponds for body in pond}
    strayed = {
        tile.id
        for scene in scenes
        for tile in scene.tiles
        if tile.id in pond
        and tile.pose is Pose.FLAT_UP
        and math.hypot(tile.x - tidy[tile.id].x, tile.y - tidy[tile.id].y) > FAR_MM
    }
    assert strayed
    assert table.scene.tiles == scene_tiles(table.bodies, seed=table.seed)


async def test_the_wild_tile_is_thrown_where_the_rules_let_it() -> None:
    thrown = 0
    for seed in range(6):
        _, state, _ = await played_with(seed, "discard-wild")
        thrown += sum(tile is state.wild for pond in state.ponds for tile in pond)
    assert thrown > 0
