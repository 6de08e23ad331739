"""Settles a won deal from what everybody at the table knows, or says what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.events import Won
from rules.settlement import Line, Settlement, Unsettled
from rules.state import Balances, Phase, TableState, public
from rules.table import replay
from rules.tiles import Tile

if TYPE_CHECKING:
    from rules.ruleset import Answers, RuleSet

__all__ = ["Line", "Settlement", "Unsettled", "settle"]

DRAWN_TILE = "drawn_tile"
"""The question of `Unsettled` that asks which tile of the hand was drawn last."""


def settle(
    state: TableState,
    rules: RuleSet,
    balances: Balances | None = None,
    answers: Answers | None = None,
) -> Settlement:
    """The account of a deal that was won; `balances` are the points before it (None: nothing is cut).

    Only the public log and the hand laid open count, so that the same deal settles alike wherever it is
    known. `answers` are people's answers to the questions of an `Unsettled` raised before.

    Raises:
        Unsettled: what is known allows several accounts.
        ValueError: the state is not that of a won deal.
    """
    won = state.result
    if state.phase is not Phase.OVER or not isinstance(won, Won):
        raise ValueError(f"only a won deal is settled; this one is in phase {state.phase}")
    before = replay(public(state).log[:-1], rules)
    told = dict(answers or {})
    if won.tile is not Tile.UNKNOWN or before.phase is not Phase.TURN or before.drawn is None:
        return rules.settle(before, won, balances, told)
    if DRAWN_TILE in told:
        return rules.settle(before, replace(won, tile=Tile.parse(told[DRAWN_TILE])), balances, told)
    candidates = sorted(set(won.hand))
    accounts = {tile: rules.settle(before, replace(won, tile=tile), balances, told) for tile in candidates}
    if len({(account.lines, account.payments) for account in accounts.values()}) > 1:
        raise Unsettled(
            "which tile was drawn last decides the price",
            question=DRAWN_TILE,
            candidates=tuple(map(str, candidates)),
        )
    return replace(accounts[candidates[0]], tile=Tile.UNKNOWN)
