"""Cixi mahjong (慈溪麻将): `cixi-card` (points by playing cards) and `cixi-platform` (stakes)."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from rules.events import MeldKind, Won
from rules.ruleset import Answers, RuleSet
from rules.settlement import Settlement, Unsettled
from rules.tiles import KINDS, Seat, Tile

from .options import CARD, PLATFORM, Options, with_options
from .patterns import all_honours, best_shape, is_complete
from .payment import account
from .price import rank, refusal
from .win import Flag, Win, doubtful_flags, read_win

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rules.state import Balances, TableState

__all__ = ["PROFILES"]

TILES: Final = tuple(Tile(kind) for kind in range(KINDS) for _ in range(4))
CLAIMS: Final = {MeldKind.KONG: 1, MeldKind.PENG: 1, MeldKind.CHI: 2}
FIRST_DEALER: Final = {1: 0, 2: 1, 3: 2, 4: 3, 5: 0, 6: 1}
"""Die of the thrower to the dealer's distance from him (R4)."""

_CYCLES: Final = (
    *(range(start, start + 9) for start in (0, 9, 18)),
    range(Tile.EAST, Tile.NORTH + 1),
    range(Tile.RED, Tile.WHITE + 1),
)


def dragon_of(indicator: Tile) -> Tile:
    """The tile after the indicator in its cycle: 1…9 of a suit, 东南西北, 中发白 (§2)."""
    cycle = next(cycle for cycle in _CYCLES if indicator in cycle)
    return Tile(cycle[(cycle.index(indicator) + 1) % len(cycle)])


def _refuses(options: Options, state: TableState, won: Won) -> str | None:
    try:
        if _is_hopeless(options, state, won):
            return "not a complete hand"
        return refusal(read_win(state, won, options), options)
    except ValueError as error:
        return str(error)


def _is_hopeless(options: Options, state: TableState, won: Won) -> bool:
    """Whether the tiles alone rule the win out: most hands that are tried, so the log need not be read."""
    melds, wild = state.hands[won.seat].melds, state.wild
    if wild is None or len(won.hand) + 3 * len(melds) != 14:
        return False
    if won.hand.count(wild) == 4 or all_honours(won.hand, melds, wild):
        return False
    return not is_complete(won.hand, melds, wild, options)


def _rank(options: Options, state: TableState, won: Won) -> int:
    return rank(read_win(state, won, options), options)


def _may_discard(options: Options, state: TableState, _seat: Seat, tile: Tile) -> bool:
    # Only a table that can refuse (no false wins) keeps a player from throwing a dragon (§2).
    return options.zhahu != "off" or tile is not state.wild


def _settle(
    options: Options, before: TableState, won: Won, balances: Balances | None, answers: Answers
) -> Settlement:
    win = read_win(before, won, options)
    shape = best_shape(won.hand, win.melds, win.wild, options) if _is_full(win) else None
    scattered = shape is not None and shape.is_scattered
    for flag in doubtful_flags(before, won, options, scattered=scattered):
        win = _answered(win, flag, options, balances, answers)
    return account(win, options, balances)


def _is_full(win: Win) -> bool:
    return len(win.hand) + 3 * len(win.melds) == 14


def _answered(win: Win, flag: Flag, options: Options, balances: Balances | None, answers: Answers) -> Win:
    """The win with the flag set as people answered; asked only if the answer changes the account."""
    holds = replace(win, flags=win.flags | {flag})
    answer = answers.get(flag.value)
    if answer is None:
        if account(holds, options, balances).payments == account(win, options, balances).payments:
            return win
        raise Unsettled(_QUESTIONS[flag], question=flag.value, candidates=("yes", "no"))
    return holds if answer == "yes" else win


_QUESTIONS: Final = {
    Flag.GUAN_FENGXIANG: "关风向: did the discarder hold this honour back while he threw suit tiles?",
    Flag.INTERCEPT_FEIMA: "飞马: was the discarder's last tile a dragon?",
}


def _next_dealer(options: Options, state: TableState) -> Seat:
    if isinstance(state.result, Won):
        winner = state.result.seat
        if options.next_dealer == "winner" or winner is state.dealer:
            return winner
        return state.dealer.next
    return state.dealer if options.drawn_dealer == "stay" else state.dealer.next


def _match_over(options: Options, balances: Balances, settlement: Settlement | None) -> bool:
    if not options.cap_at_stack:
        return False
    return min(balances) <= 0 or (settlement is not None and settlement.jackpot)


def _reserve(options: Options, kongs: int) -> int:
    return max(0, options.reserve - 2 * kongs)


def _make(name: str, zh: str, en: str, defaults: Options, chosen: Mapping[str, object]) -> RuleSet:
    options = with_options(defaults, chosen)
    return RuleSet(
        name=name,
        zh=zh,
        en=en,
        tiles=TILES,
        claims=CLAIMS,
        wild_of=dragon_of,
        # A table that books false wins marks the player instead of refusing the third claim.
        claims_per_opponent=2 if options.zhahu == "off" else None,
        reserve=partial(_reserve, options),
        start_points=options.start_points,
        first_dealer=FIRST_DEALER,
        refuses_win=partial(_refuses, options),
        win_rank=partial(_rank, options),
        may_discard=partial(_may_discard, options),
        settle=partial(_settle, options),
        next_dealer=partial(_next_dealer, options),
        match_over=partial(_match_over, options),
        options=asdict(options),
    )


PROFILES: Final[Mapping[str, Callable[[Mapping[str, object]], RuleSet]]] = {
    "cixi-card": partial(_make, "cixi-card", "慈溪麻将 (牌分)", "Cixi mahjong, points by cards", CARD),
    "cixi-platform": partial(_make, "cixi-platform", "慈溪麻将 (底注)", "Cixi mahjong, stakes", PLATFORM),
}
