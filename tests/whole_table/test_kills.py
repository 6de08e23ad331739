"""However often the controller is killed: no hand is lost, every settlement is made once and right."""

from random import Random
from typing import TYPE_CHECKING

import pytest
from kills import Killed, killed_at_random

if TYPE_CHECKING:
    from conftest import StartTable


def nothing_is_lost(killed: Killed) -> None:
    assert (killed.missing, killed.doubled, killed.unsent) == (0, 0, 0), killed
    assert killed.silently_wrong == 0, killed
    assert killed.identical, killed
    assert killed.chain_breaks == 0
    assert killed.starts > killed.kills / 2


@pytest.mark.timeout(400)
async def test_a_controller_that_is_killed_at_random_moments_loses_nothing(
    simulated_table: "StartTable",
) -> None:
    async with simulated_table("--no-pictures", seed=6, speed=20.0) as table:
        killed = await killed_at_random(table, 6, Random(6))  # noqa: S311 - moments
    nothing_is_lost(killed)
    assert killed.hands > 0


@pytest.mark.long
@pytest.mark.timeout(7200)
async def test_a_controller_that_is_killed_five_hundred_times_loses_nothing(
    simulated_table: "StartTable",
) -> None:
    async with simulated_table("--no-pictures", seed=7, speed=20.0) as table:
        killed = await killed_at_random(table, 500, Random(7))  # noqa: S311 - moments
    nothing_is_lost(killed)
