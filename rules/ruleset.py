"""What a rule set is: data and a few functions. The engine knows nothing else of a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.events import Claimed, FalseWin, MeldKind, Won
    from rules.settlement import Settlement
    from rules.state import Balances, TableState
    from rules.tiles import Seat, Tile

Answers = Mapping[str, str]
"""What people answered to the questions of `Unsettled`: question to candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """One game.

    `tiles` are all tiles of the wall. `claims` orders the kinds of claims by their precedence class, lowest
    number first; a kind that is missing does not exist. `wild_of` gives the wild tile to an indicator, None
    where no indicator is turned. `claims_per_opponent` bounds the sets made with discards of the same
    opponent (None: no bound). `reserve` says how many tiles are not drawn after so many kongs.
    `first_dealer` gives the dealer's place relative to the one who throws a die.

    `refuses_win(state, won)` gives the reason why this win can't be declared, or None. `win_rank` orders
    several wins on one tile (1 goes first). `may_discard(state, seat, tile)` says whether that discard is
    legal, `refuses_claim(state, claim)` gives the reason why a claim is not, or None. `settle(before, won,
    balances, answers)` makes the account of a win from the state before it and raises `Unsettled` where the
    public log does not decide it. `next_dealer` takes a state that is OVER; `match_over` takes the balances
    after a settlement. `fine(state, false_win, balances)` gives the payments for a false win; None where
    the table refuses wrong moves. `stack` are the cards that make up the points of one player at the start,
    `indicator_place` is where the indicator is turned.
    """

    name: str
    zh: str
    en: str
    tiles: tuple[Tile, ...]
    claims: Mapping[MeldKind, int]
    hand_size: int = 13
    wild_of: Callable[[Tile], Tile] | None
    claims_per_opponent: int | None
    kongs_are_claims: bool = True
    reserve: Callable[[int], int]
    start_points: int
    first_dealer: Mapping[int, int]
    refuses_win: Callable[[TableState, Won], str | None]
    win_rank: Callable[[TableState, Won], int]
    may_discard: Callable[[TableState, Seat, Tile], bool]
    refuses_claim: Callable[[TableState, Claimed], str | None]
    settle: Callable[[TableState, Won, Balances | None, Answers], Settlement]
    next_dealer: Callable[[TableState], Seat]
    match_over: Callable[[Balances, Settlement | None], bool]
    fine: Callable[[TableState, FalseWin, Balances | None], Balances] | None
    stack: Mapping[str, int] = field(default_factory=dict)
    indicator_place: str = "head_next"
    options: Mapping[str, object] = field(default_factory=dict)
    copies: Mapping[Tile, int] = field(init=False)
    """How many of each tile the wall has."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "copies", Counter(self.tiles))
