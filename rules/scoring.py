"""Settles a won deal from what its log knows, or says what is missing; sums what false wins cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.entered import judged
from rules.events import Entered, FalseWin, Won
from rules.settlement import Line, Settlement, Unsettled
from rules.state import Balances, Phase, TableState
from rules.table import replay
from rules.tiles import Tile

if TYPE_CHECKING:
    from rules.ruleset import Answers, RuleSet

__all__ = ["Line", "Settlement", "Unsettled", "fines", "settle"]

DRAWN_TILE = "drawn_tile"
"""The question of `Unsettled` that asks which tile of the hand was drawn last."""


def settle(
    state: TableState,
    rules: RuleSet,
    balances: Balances | None = None,
    answers: Answers | None = None,
) -> Settlement:
    """The account of a deal that was won; `balances` are the points before it (None: nothing is cut).

    The log and the hand laid open decide; what the log does not hold, because it knows the tiles of hidden
    hands as UNKNOWN, is asked for where it matters. `answers` are people's answers to the questions of an
    `Unsettled` raised before.

    Raises:
        Unsettled: what is known allows several accounts.
        ValueError: the state is not that of a won deal.
    """
    won = state.result
    if state.phase is not Phase.OVER or not isinstance(won, Won):
        raise ValueError(f"only a won deal is settled; this one is in phase {state.phase}")
    before = replay(state.log[:-1], rules)
    last = state.log[-1]
    if isinstance(last, Entered):
        return judged(before, last, rules, balances)
    told = dict(answers or {})
    if won.tile is not Tile.UNKNOWN or before.phase is not Phase.TURN or before.drawn is None:
        return rules.settle(before, won, balances, told)
    candidates = sorted(set(won.hand))
    drawn = before.drawn
    if drawn is Tile.UNKNOWN:
        drawn = next((tile for tile in candidates if str(tile) == told.get(DRAWN_TILE)), drawn)
    if drawn is not Tile.UNKNOWN:
        return rules.settle(before, replace(won, tile=drawn), balances, told)
    accounts = {tile: rules.settle(before, replace(won, tile=tile), balances, told) for tile in candidates}
    if len({(account.lines, account.payments) for account in accounts.values()}) > 1:
        raise Unsettled(
            "which tile was drawn last decides the price",
            zh="最后摸进的是哪一张，决定胡多少",
            question=DRAWN_TILE,
            candidates=tuple(map(str, candidates)),
        )
    return replace(accounts[candidates[0]], tile=Tile.UNKNOWN)


def fines(state: TableState, rules: RuleSet, balances: Balances | None = None) -> Balances:
    """What the false wins of a deal cost, one after the other; `balances` are the points before the deal.

    Raises:
        Unsettled: a hand that was not told decides.
    """
    paid: Balances = (0, 0, 0, 0)
    for event in state.log:
        if isinstance(event, FalseWin) and rules.fine is not None:
            left = None if balances is None else _sum(balances, paid)
            paid = _sum(paid, rules.fine(state, event, left))
    return paid


def _sum(points: Balances, changes: Balances) -> Balances:
    first, second, third, fourth = (have + change for have, change in zip(points, changes, strict=True))
    return first, second, third, fourth
