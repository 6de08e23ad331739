"""Deals played in memory at once: the same people and table without machine, camera and waiting."""

from collections.abc import Callable
from random import Random

from hardware_sim.layout_bodies import BODIES, walls_up
from hardware_sim.people_mishaps import Strikes, nothing
from hardware_sim.players import Temper
from hardware_sim.presets import Ponds
from hardware_sim.scene import Scene
from hardware_sim.truth import Match, first_match
from hardware_sim.world_deal import Deal, Played
from hardware_sim.world_hands import Hands, Pace
from hardware_sim.world_table import WorldTable
from rules.events import Event
from rules.ruleset import RuleSet

AT_ONCE = 1e9


def unheard(_: Event) -> None:
    """Nobody listens."""


async def play_deal(  # noqa: PLR0913 - what a deal needs
    seed: int,
    rules: RuleSet,
    *,
    match: Match | None = None,
    temper: Temper = Temper.KEEN,
    ponds: Ponds = Ponds.TIDY,
    look: Callable[[Scene], None] | None = None,
    tell: Callable[[Event], None] = unheard,
    strikes: Strikes = nothing,
) -> tuple[WorldTable, Played]:
    """Play the deal that `seed` decides; `look` sees every scene, `tell` hears every event as it happens."""
    rng = Random(seed)  # noqa: S311 - a game
    order = list(range(BODIES))
    rng.shuffle(order)
    table = WorldTable(seed, ponds=ponds)
    table.lay(walls_up(tuple(order)))
    if look is not None:
        table.watch(look)
    pace = Pace(AT_ONCE)
    hands = Hands(table, pace, rng)
    deal = Deal(table, hands, pace, rules=rules, rng=rng, temper=temper, tell=tell, strikes=strikes)
    dice = (rng.randint(1, 6), rng.randint(1, 6))
    return table, await deal.play(match or first_match(rules), dice)
