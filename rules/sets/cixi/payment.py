"""Who pays what for a win of Cixi mahjong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rules.settlement import Settlement
from rules.tiles import SEATS, Seat

from .price import BASE_UNIT, NO_DRAGON, QUANFENGXIANG, Price, price
from .win import Flag, How, Win

if TYPE_CHECKING:
    from rules.state import Balances

    from .options import Options

FULL_STACK: Final = 100
"""A fresh stack; what a jackpot or a stopped 飞马 costs where no stack is counted (R26, R33)."""
FLAT_FEIMA: Final = 34
FALSE_WIN: Final = 24
FALSE_WIN_BONUS: Final = 5


def account(win: Win, options: Options, balances: Balances | None) -> Settlement:
    """The settlement of a win that may be declared; without balances no amount is cut."""
    worth = price(win, options)
    unit = None if worth.total is None else BASE_UNIT + worth.total
    payer, shares = _shares(win, worth, options, balances)
    if options.cap_at_stack and balances is not None:
        shares = {seat: min(share, max(0, balances[seat])) for seat, share in shares.items()}
    payments = [-shares.get(seat, 0) for seat in SEATS]
    payments[win.seat] += sum(shares.values())
    first, second, third, fourth = payments
    return Settlement(
        winner=win.seat,
        from_seat=win.from_seat,
        how=win.how.value,
        hand=win.hand,
        melds=win.melds,
        tile=win.tile,
        lines=worth.lines,
        dragons=win.dragons,
        total=worth.total,
        unit=unit,
        point_each=None if unit is None else 2 * unit * options.stake,
        payments=(first, second, third, fourth),
        payer=payer,
        all_pay=worth.tongfu,
        jackpot=worth.is_jackpot,
    )


def _shares(
    win: Win, worth: Price, options: Options, balances: Balances | None
) -> tuple[Seat | None, dict[Seat, int]]:
    """The one who pays for all, if there is one, and what each loser owes before any cut."""
    stake = options.stake
    if win.from_seat is not None and _is_flat(win, worth, options):
        return win.from_seat, {win.from_seat: FULL_STACK * stake}
    if worth.total is None:
        return None, _jackpot_shares(win, options, balances)
    unit = (BASE_UNIT + worth.total) * stake
    if win.from_seat is not None and _pays_for_all(win, options):
        return win.from_seat, {win.from_seat: 6 * unit}
    return None, _shares_of_all(win, unit, options, tongfu=worth.tongfu)


def _shares_of_all(win: Win, unit: int, options: Options, *, tongfu: bool) -> dict[Seat, int]:
    losers = [seat for seat in SEATS if seat is not win.seat]
    if win.how is How.FEIMA and options.feima == "flat34":
        return dict.fromkeys(losers, FLAT_FEIMA * options.stake)
    if win.from_seat is None or tongfu:
        return dict.fromkeys(losers, 2 * unit)
    return {seat: unit * (2 if seat is win.from_seat else 1) for seat in losers}


def _jackpot_shares(win: Win, options: Options, balances: Balances | None) -> dict[Seat, int]:
    losers = [seat for seat in SEATS if seat is not win.seat]
    if options.cap_at_stack and balances is not None:
        return {seat: balances[seat] for seat in losers}
    return dict.fromkeys(losers, FULL_STACK * options.stake)


def false_win_payments(options: Options, offender: Seat, dragons: int, balances: Balances | None) -> Balances:
    """What a false win (炸胡) costs: the same to each of the others (R35).

    Who has too little pays all he has in three equal parts; an indivisible rest stays with him.
    """
    each = FALSE_WIN
    if options.zhahu == "formula":
        each = 2 * (BASE_UNIT + (dragons or NO_DRAGON) + FALSE_WIN_BONUS)
    each *= options.stake
    if options.cap_at_stack and balances is not None:
        each = min(each, max(0, balances[offender]) // 3)
    first, second, third, fourth = (-3 * each if seat is offender else each for seat in SEATS)
    return first, second, third, fourth


def _is_flat(win: Win, worth: Price, options: Options) -> bool:
    """Whether a stopped 飞马 is paid flat: not where the tile wins a jackpot other than 全风向."""
    stopped = Flag.INTERCEPT_FEIMA in win.flags and options.intercept == "flat100"
    return stopped and (not worth.is_jackpot or worth.lines == (QUANFENGXIANG,))


def _pays_for_all(win: Win, options: Options) -> bool:
    """Whether the one who gave the tile pays three shares."""
    reasons = {Flag.HOT_DISCARD, Flag.INTERCEPT_FEIMA}
    if options.guan_fengxiang:
        reasons.add(Flag.GUAN_FENGXIANG)
    if options.adjacency != "off":
        reasons.add(Flag.SINGLE_WAIT_ADJACENT)
    return win.how is How.ROBKONG or not reasons.isdisjoint(win.flags)
