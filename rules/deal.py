"""Before and between deals: who deals, where the wall is broken, how the tiles are handed out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rules.events import Won
from rules.log import kept_of

if TYPE_CHECKING:
    from rules.ruleset import RuleSet
    from rules.state import Balances, TableState
    from rules.tiles import Seat

_BLOCK: Final = 4
"""Tiles taken at once while a deal goes round: two stacks."""


@dataclass(frozen=True, slots=True)
class WallBreak:
    """Where tiles are taken from: `passed` stacks stay at the wall's right end, the next is first."""

    owner: Seat
    passed: int

    @property
    def first(self) -> int:
        """The first stack that is taken, counted from 1 at the right end."""
        return self.passed + 1


def dice_break(dealer: Seat, dice: tuple[int, int]) -> WallBreak:
    """The break for two dice: its wall counted from the dealer, its stacks from the right end of the wall.

    Raises:
        ValueError: a die shows no 1..6.
    """
    if not all(1 <= die <= 6 for die in dice):
        raise ValueError(f"dice {dice}: expected 1..6 each")
    total = sum(dice)
    return WallBreak(dealer.after(total - 1), total)


def deal_blocks(dealer: Seat, rules: RuleSet) -> tuple[tuple[Seat, int], ...]:
    """Who takes how many tiles, in order: blocks of four, then one each, then one more for the dealer."""
    order = [dealer.after(step) for step in range(4)]
    full, rest = divmod(rules.hand_size, _BLOCK)
    rounds = [(seat, _BLOCK) for _ in range(full) for seat in order]
    singles = [(seat, rest) for seat in order if rest]
    return (*rounds, *singles, (dealer, 1))


def indicator_index(dice: tuple[int, int], rules: RuleSet) -> int:
    """Which tile of the wall is turned up, as an index into the tiles left after the deal in drawing order.

    ``head_next``: the first one; ``tail_stack``: the upper tile of the stack whose number from the tail is
    twice the dice.
    """
    return 0 if rules.indicator_place == "head_next" else -4 * sum(dice)


def first_dealer(thrower: Seat, die: int, rules: RuleSet) -> Seat:
    """The first dealer of a match after one player's throw of one die.

    Raises:
        ValueError: the die shows no number of the rule set.
    """
    if die not in rules.first_dealer:
        raise ValueError(f"die {die}: expected one of {sorted(rules.first_dealer)}")
    return thrower.after(rules.first_dealer[die])


def ranking(balances: Balances) -> tuple[int, int, int, int]:
    """The places 1 to 4 of seats 0 to 3 at the end of a match; equal points share the better place."""
    first, second, third, fourth = (1 + sum(other > points for other in balances) for points in balances)
    return first, second, third, fourth


def deals_kept(state: TableState, rules: RuleSet) -> int:
    """How many deals the next dealer will have kept by winning, after this deal that is over."""
    if rules.next_dealer(state) is not state.dealer:
        return 0
    won = isinstance(state.result, Won) and state.result.seat is state.dealer
    return kept_of(state) + won
