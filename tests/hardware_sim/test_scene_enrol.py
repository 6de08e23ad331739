"""A simulated set of tiles is enrolled as one at a table: every row is taken, whatever the set looks like."""

import pytest

from hardware_sim.presets import Preset, named
from hardware_sim.scene_enrol import ALL_FACES, enrolled
from rules.tiles import Tile


@pytest.mark.parametrize(
    "preset",
    [
        pytest.param(named("tidy", faces="riichi"), id="a blank white beside six honours"),
        pytest.param(named("tidy", faces="bigprint"), id="large inks that leave little paper"),
    ],
)
def test_every_row_of_a_set_is_taken_where_a_game_would_leave_tiles_out(preset: Preset) -> None:
    assert {Tile(face) for face in enrolled(preset).faces.tolist()} == {*ALL_FACES, Tile.BACK}
