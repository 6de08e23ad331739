"""Who pays what for a win of Cixi mahjong."""

from __future__ import annotations

from typing import Final

from rules.settlement import Settlement
from rules.state import Balances
from rules.tiles import SEATS, Seat

from .options import Options
from .price import BASE_UNIT, QUANFENGXIANG, Price, price
from .win import Flag, How, Win

FULL_STACK: Final = 100
"""What a player owns at first, and what a jackpot or a stopped 飞马 costs where no stack is counted (R26, R33)."""
FLAT_FEIMA: Final = 34


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
    losers = [seat for seat in SEATS if seat is not win.seat]
    stake = options.stake
    stopped = Flag.INTERCEPT_FEIMA in win.flags
    if stopped and win.from_seat is not None and options.intercept == "flat100" and _flat(worth):
        return win.from_seat, {win.from_seat: FULL_STACK * stake}
    if worth.total is None:
        if options.cap_at_stack and balances is not None:
            return None, {seat: balances[seat] for seat in losers}
        return None, dict.fromkeys(losers, FULL_STACK * stake)
    unit = (BASE_UNIT + worth.total) * stake
    if win.from_seat is not None and _pays_for_all(win, options):
        return win.from_seat, {win.from_seat: 6 * unit}
    if win.how is How.FEIMA and options.feima == "flat34":
        return None, dict.fromkeys(losers, FLAT_FEIMA * stake)
    if win.from_seat is None or worth.tongfu:
        return None, dict.fromkeys(losers, 2 * unit)
    return None, {seat: unit * (2 if seat is win.from_seat else 1) for seat in losers}


def _flat(worth: Price) -> bool:
    """Whether the stopped 飞马 is paid flat: always but for jackpots other than 全风向."""
    return not worth.is_jackpot or worth.lines == (QUANFENGXIANG,)


def _pays_for_all(win: Win, options: Options) -> bool:
    """Whether the one who gave the tile pays three shares."""
    reasons = {Flag.HOT_DISCARD, Flag.INTERCEPT_FEIMA}
    if options.guan_fengxiang:
        reasons.add(Flag.GUAN_FENGXIANG)
    if options.adjacency != "off":
        reasons.add(Flag.SINGLE_WAIT_ADJACENT)
    return win.how is How.ROBKONG or not reasons.isdisjoint(win.flags)
