"""What the engine asks of Cixi mahjong: the dragon, what a win costs, who deals next."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

from rules.events import Won
from rules.settlement import Settlement, Unsettled
from rules.tiles import Seat, Tile

from .hidden import hidden_flags
from .payment import account, false_win_payments
from .price import look
from .win import Flag, Win, read_win

if TYPE_CHECKING:
    from rules.events import FalseWin
    from rules.ruleset import Answers
    from rules.state import Balances, TableState

    from .options import Options

_CYCLES: Final = (
    *(range(start, start + 9) for start in (0, 9, 18)),
    range(Tile.EAST, Tile.NORTH + 1),
    range(Tile.RED, Tile.WHITE + 1),
)


def dragon_of(indicator: Tile) -> Tile:
    """The tile after the indicator in its cycle: 1…9 of a suit, 东南西北, 中发白 (§2)."""
    cycle = next(cycle for cycle in _CYCLES if indicator in cycle)
    return Tile(cycle[(cycle.index(indicator) + 1) % len(cycle)])


def settle(
    options: Options, before: TableState, won: Won, balances: Balances | None, answers: Answers
) -> Settlement:
    """The account of a win from the state before it.

    Raises:
        Unsettled: hidden tiles decide the price and nobody has answered yet.
    """
    win = read_win(before, won, options)
    shape = look(win, options).shape if _is_full(win) else None
    scattered = shape is not None and shape.is_scattered
    hidden = hidden_flags(before, won, options, scattered=scattered)
    told = {
        flag: _ANSWERS.get(answers.get(flag.value, "")) if holds is None else holds
        for flag, holds in hidden.items()
    }
    sure = win.flags.union(flag for flag, holds in told.items() if holds)
    doubtful = [flag for flag, holds in told.items() if holds is None]
    accounts = {
        held: account(replace(win, flags=sure.union(held)), options, balances)
        for size in range(len(doubtful) + 1)
        for held in combinations(doubtful, size)
    }
    for flag in doubtful:
        if any(
            accounts[held].payments != accounts[_other(held, flag, doubtful)].payments for held in accounts
        ):
            zh, en = _QUESTIONS[flag]
            raise Unsettled(en, zh=zh, question=flag.value, candidates=tuple(_ANSWERS))
    return accounts[()]


def _is_full(win: Win) -> bool:
    return len(win.hand) + 3 * len(win.melds) == 14


def _other(held: tuple[Flag, ...], flag: Flag, doubtful: list[Flag]) -> tuple[Flag, ...]:
    """The same circumstances but for one."""
    return tuple(each for each in doubtful if (each in held) != (each is flag))


_ANSWERS: Final = {"yes": True, "no": False}
_QUESTIONS: Final = {
    Flag.GUAN_FENGXIANG: (
        "关风向：放炮的人是不是一直扣着这张风向，先打了别的牌？",
        "关风向: did the discarder hold this honour back while he threw suit tiles?",
    ),
    Flag.INTERCEPT_FEIMA: (
        "飞马：放炮的人手里剩下的一张是不是龙？",
        "飞马: was the discarder's last tile a dragon?",
    ),
}


def next_dealer(options: Options, state: TableState) -> Seat:
    """Who deals after this deal, which is over (§10)."""
    winner = state.result.seat if isinstance(state.result, Won) else None
    return next_dealer_after(options, state.dealer, winner)


def next_dealer_after(options: Options, dealer: Seat, winner: Seat | None) -> Seat:
    """Who deals next; no winner means a drawn hand."""
    if winner is None:
        return dealer if options.drawn_dealer == "stay" else dealer.next
    if options.next_dealer == "winner" or winner is dealer:
        return winner
    return dealer.next


def match_over(options: Options, balances: Balances, settlement: Settlement | None) -> bool:
    """Whether a match ends: somebody has nothing left, or a jackpot took all (§10).

    Where nobody begins with points a balance is only kept, and no match ends.
    """
    if options.start_points <= 0:
        return False
    took_all = options.cap_at_stack and settlement is not None and settlement.jackpot
    return min(balances) <= 0 or took_all


def fine(options: Options, state: TableState, false_win: FalseWin, balances: Balances | None) -> Balances:
    """What a false win costs whom.

    Raises:
        Unsettled: its dragons decide, and the hand was not told.
    """
    if options.zhahu == "formula" and not false_win.hand:
        raise Unsettled(
            "the dragons in the hand decide what the false win costs: tell its tiles",
            zh="炸胡按龙数赔：请补上亮出的手牌",
            question="false_win_hand",
            candidates=(),
        )
    dragons = false_win.hand.count(state.wild) if state.wild is not None else 0
    return false_win_payments(options, false_win.seat, dragons, balances)


def reserve(options: Options, kongs: int) -> int:
    """Tiles that are not drawn after so many kongs (R36)."""
    return max(0, options.reserve - 2 * kongs)
