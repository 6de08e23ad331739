"""Who pays what for a win of Cixi mahjong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rules.settlement import Line, Settlement
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


def account(win: Win, options: Options, balances: Balances | None, worth: Price | None = None) -> Settlement:
    """The settlement of a win that may be declared; without balances no amount is cut."""
    worth = worth or price(win, options)
    unit = None if worth.total is None else BASE_UNIT + worth.total
    payer, shares = _shares(win, worth, options, balances)
    is_cut = False
    if options.cap_at_stack and balances is not None:
        owed, shares = shares, {seat: min(owed, max(0, balances[seat])) for seat, owed in shares.items()}
        is_cut = shares != owed
    payments = [0, 0, 0, 0]
    for seat, share in shares.items():
        payments[seat] = -share
    payments[win.seat] = sum(shares.values())
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
        reasons=_reasons(win, worth, options, payer, is_cut=is_cut),
    )


def _reasons(
    win: Win, worth: Price, options: Options, payer: Seat | None, *, is_cut: bool
) -> tuple[Line, ...]:
    """Why the payments are what they are: how it was won, who pays for all and for what, what was cut."""
    said = [_WON[win.how]]
    if payer is not None:
        said += [
            Line(f"包三家：{zh}", f"pays for three: {en}", 0, article, is_pattern=False)
            for zh, en, article in _reasons_to_pay_for_all(win, options)
        ]
        if _is_flat(win, worth, options):
            said.append(_FLAT)
    elif worth.is_jackpot:
        said.append(_JACKPOT)
    elif worth.tongfu:
        said.append(_TONGFU)
    else:
        said.append(_EACH if win.from_seat is None else _DOUBLE)
    if is_cut:
        said.append(_CUT)
    return tuple(said)


def _why(zh: str, en: str, article: str) -> Line:
    return Line(zh, en, 0, article, is_pattern=False)


_FLAT: Final = _why("拦飞马付一百", "a stopped 飞马 costs 100 flat", "§7 R26")
_JACKPOT: Final = _why("全交", "a jackpot: everybody pays a whole stack", "§8 R33")
_TONGFU: Final = _why("统付", "everybody pays the discarder's share", "§7 R23")
_EACH: Final = _why("三家同付", "each of three pays P", "§1")
_DOUBLE: Final = _why("放炮双倍", "the discarder pays P, the others half", "§1")
_CUT: Final = _why("付尽为止", "nobody pays more than he has", "§10 R38")
_WON: Final = {
    How.SELFDRAW: _why("自摸", "self-draw", "§1"),
    How.DISCARD: _why("打胡", "on a discard", "§1"),
    How.ROBKONG: _why("抢杠", "a robbed kong", "§7 R24"),
    How.FEIMA: _why("飞马", "nobody stopped the own discard", "§7"),
    How.SILONG: _why("四龙", "four dragons at the own turn", "§8"),
    How.SHILIANFENG: _why("十连风", "nobody claimed the tenth honour", "§8 R32"),
    How.QUANFENG_SURVIVE: _why("全风", "nobody won on the own discard", "§8 R31"),
}


def _reasons_to_pay_for_all(win: Win, options: Options) -> list[tuple[str, str, str]]:
    reasons = [
        (win.how is How.ROBKONG, "抢杠", "the robbed player", "§7 R25"),
        (Flag.HOT_DISCARD in win.flags, "热炮", "the first discard after a kong", "§7 R25"),
        (Flag.INTERCEPT_FEIMA in win.flags, "拦飞马", "the discard of a 飞马 was won", "§7 R26"),
        (
            options.guan_fengxiang and Flag.GUAN_FENGXIANG in win.flags,
            *("关风向", "held the honour back", "§7 R30"),
        ),
        (
            options.adjacency != "off" and Flag.SINGLE_WAIT_ADJACENT in win.flags,
            *("单吊临张", "near the discard that made the winner single", "§7 R27"),
        ),
    ]
    return [(zh, en, article) for holds, zh, en, article in reasons if holds]


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
    if win.from_seat is not None and _reasons_to_pay_for_all(win, options):
        return win.from_seat, {win.from_seat: 6 * unit}
    return None, _shares_of_all(win, unit, options, tongfu=worth.tongfu)


def _shares_of_all(win: Win, unit: int, options: Options, *, tongfu: bool) -> dict[Seat, int]:
    losers = _OTHERS[win.seat]
    if win.how is How.FEIMA and options.feima == "flat34":
        return dict.fromkeys(losers, FLAT_FEIMA * options.stake)
    if win.from_seat is None or tongfu:
        return dict.fromkeys(losers, 2 * unit)
    return {seat: unit * (2 if seat is win.from_seat else 1) for seat in losers}


_OTHERS: Final = tuple(tuple(other for other in SEATS if other is not seat) for seat in SEATS)


def _jackpot_shares(win: Win, options: Options, balances: Balances | None) -> dict[Seat, int]:
    losers = _OTHERS[win.seat]
    if options.cap_at_stack and balances is not None:
        return {seat: max(0, balances[seat]) for seat in losers}
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
