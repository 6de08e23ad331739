"""What a rule set is: data and a few functions. The engine knows nothing else of a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rules.events import Claimed, FalseWin, Meld, MeldKind, Won
    from rules.moment import Moment
    from rules.settlement import Line, Settlement
    from rules.state import Balances, TableState
    from rules.tiles import Seat, Tile

Answers = Mapping[str, str]
"""What people answered to the questions of `Unsettled`: question to candidate."""


@dataclass(frozen=True, slots=True)
class Option:
    """A choice in which tables differ: its value here, what else it may be, the article it belongs to.

    `values` are all that it may be, `meanings` those in Chinese and English; none: any whole number. `about`
    says in one line what it decides, for people who choose.
    """

    name: str
    value: object
    values: tuple[object, ...]
    article: str
    zh: str
    en: str
    meanings: tuple[tuple[str, str], ...] = ()
    about: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that is so or not so of a hand that waits; `key` names it for programs."""

    key: str
    zh: str
    en: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Waiting:
    """The kinds that complete a hand, rising, and what else is to be said of it."""

    tiles: tuple[Tile, ...]
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Caution:
    """Something that players are to be told of a seat while the hand is played; `key` names it for programs.

    It follows from what lies open and what people have ruled, never from concealed tiles.
    """

    seat: Seat
    key: str
    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class Level:
    """A title that goes with at least so many points above (below 0: under) those of the start."""

    least: int
    zh: str
    en: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What a rule set answers about single moments, away from a table.

    `ways` are the ways of winning and `flags` the circumstances that a `Moment` may have, each with its
    meaning in Chinese and English. `judge(moment, balances)` makes the account of one win and raises `NoWin`.
    `waits(concealed, melds, wild)` takes a hand before its draw and raises ValueError where it is none.
    `answer(question)` gives the computed fields of a question in words, under the names that it uses. `sheet`
    lists the options, `prices` what each pattern and bonus is worth. `contradiction(moment)` says why a
    person's words about a win can't all be true, or None; `judge` itself passes over what does not matter.
    `known(state, seat)` are the flags of a win that are told by how the deal began and by what people have
    ruled, where nobody has followed the play.
    """

    ways: Mapping[str, tuple[str, str]]
    flags: Mapping[str, tuple[str, str]]
    judge: Callable[[Moment, Balances | None], Settlement]
    waits: Callable[[Sequence[Tile], Sequence[Meld], Tile | None], Waiting]
    answer: Callable[[Mapping[str, Any]], dict[str, Any]]
    sheet: tuple[Option, ...]
    prices: tuple[Line, ...]
    contradiction: Callable[[Moment], str | None] = lambda _moment: None
    known: Callable[[TableState, Seat], Mapping[str, object]] = lambda _state, _seat: {}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """One game.

    `tiles` are all tiles of the wall. `claims` orders the kinds of claims by their precedence class, lowest
    number first; a kind that is missing does not exist. `wild_of` gives the wild tile to an indicator, None
    where no indicator is turned. `claims_per_opponent` bounds the sets made with discards of the same
    opponent (None: no bound), `harmless_claims` says how many of them cost nothing, where players are to be
    told (None: nothing to tell); `chi_by` are the players who may chi, by how many seats they sit after the
    discarder. `reserve` says how many tiles are not drawn after so many kongs.
    `first_dealer` gives the dealer's place relative to the one who throws a die.

    `refuses_win(state, won)` gives the reason why this win can't be declared, or None. `win_rank` orders
    several wins on one tile (1 goes first). `may_discard(state, seat, tile)` says whether that discard is
    legal, `refuses_claim(state, claim)` gives the reason why a claim is not, or None. `only_a_win(state)`
    gives the reason why nobody may go on by a discard, a kong, the next draw or the end of the wall, or None;
    what hidden tiles decide it leaves open. `remembers(state)` is what of the log, beside the rest of the
    state, may still make a difference to any of these: two tables that are equal but for their logs and
    remember the same are the same from now on. `settle(before, won, balances, answers)` makes the account
    of a win from the state before it and raises `Unsettled` where the public log does not decide it.
    `next_dealer` takes a state that is OVER; `match_over` takes the balances
    after a settlement. `fine(state, false_win, balances)` gives the payments for a false win; None where
    the table refuses wrong moves. `think_s` and `claim_s` are the seconds for a move and for claiming a
    discard, 0: as long as one likes. `stack` are the cards that make up the points of one player at the
    start, `indicator_place` is where the indicator is turned. `desk` answers about single moments; None where
    the rule set knows whole deals only.
    `cautions(state)` are what people are to be told of seats while they play. `stake` is what a unit of
    points is multiplied by, `points_named` what points are called (Chinese, English), `levels` the titles by
    points, rising; none: no titles. `about` says in one line, in both languages, what is special about it.
    """

    name: str
    zh: str
    en: str
    tiles: tuple[Tile, ...]
    claims: Mapping[MeldKind, int]
    hand_size: int = 13
    wild_of: Callable[[Tile], Tile] | None
    claims_per_opponent: int | None
    harmless_claims: int | None = None
    kongs_are_claims: bool = True
    chi_by: frozenset[int] = frozenset({1})
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
    only_a_win: Callable[[TableState], str | None] = lambda _state: None
    remembers: Callable[[TableState], Hashable] = lambda state: state.log
    think_s: float = 0.0
    claim_s: float = 0.0
    stack: Mapping[str, int] = field(default_factory=dict)
    indicator_place: str = "head_next"
    options: Mapping[str, object] = field(default_factory=dict)
    desk: Desk | None = None
    cautions: Callable[[TableState], tuple[Caution, ...]] = lambda _state: ()
    stake: int = 1
    points_named: tuple[str, str] = ("点数", "points")
    levels: tuple[Level, ...] = ()
    about: tuple[str, str] = ("", "")
    copies: Mapping[Tile, int] = field(init=False)
    """How many of each tile the wall has."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "copies", Counter(self.tiles))
