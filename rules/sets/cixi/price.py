"""What a win of Cixi mahjong is worth: refusal, jackpots, lines, rank. Payments stand in `payment`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from rules.hand import count
from rules.settlement import Line
from rules.tiles import Tile

from .patterns import (
    COLOURS,
    PRICES,
    SUIT_BLOCKS,
    Colour,
    Shape,
    any_tile_wins,
    best_shape,
    blocks_of,
    shape_line,
    shapes,
)
from .win import Flag, How, Win, ten_honours

if TYPE_CHECKING:
    from rules.hand import Counted

    from .options import Options

FULL: Final = 14
"""Tiles of a hand with the winning one, where every set counts three."""
BASE_UNIT: Final = 6
"""A plain hand's unit before any dragon (§1)."""
NO_DRAGON: Final = 2
"""A hand without dragons counts as so many."""

SHILIANFENG: Final = Line("十连风", "ten honours in a row", 0, "§8 R32")
SILONG: Final = Line("四龙/四百搭", "four dragons", 0, "§8")
QUANFENG: Final = Line("全风", "all honours", 0, "§8 R31")
QUANFENGXIANG: Final = Line("全风向", "all honours", 0, "§8 R31")
TIANHU: Final = Line("天胡", "complete as dealt", 0, "§8")
PURE_CLEAR_PAIRS: Final = Line("无龙清一色清七对", "one suit, seven pairs, no dragon", 0, "§8")
PURE_CLEAR: Final = Line("无龙清一色", "one suit, no dragon", 0, "§8")


@dataclass(frozen=True, slots=True)
class Price:
    """Lines of a win and their sum in dragon units; `total` is None for a jackpot, `tongfu` means 统付."""

    lines: tuple[Line, ...]
    total: int | None
    tongfu: bool = False

    @property
    def is_jackpot(self) -> bool:
        """Whether the hand takes everything (全交)."""
        return self.total is None


class Look(NamedTuple):
    """What the tiles of a win are; the same for refusal, price and rank, so looked at once."""

    shape: Shape | None
    colour: Colour
    dragons: int
    jackpot: Line | None


def look(win: Win, options: Options) -> Look:
    """Look at the tiles of a win.

    Raises:
        ValueError: a tile is impossible, or there are more than four of a kind.
    """
    held = count(win.hand, win.wild)
    blocks = blocks_of(held, win.melds)
    shape = _shape(win, held, options)
    top = _jackpot(win, options, held.wilds, blocks) or _jackpot_of_hand(win, options, held, shape, blocks)
    return Look(shape, COLOURS[blocks], held.wilds, top)


def _shape(win: Win, held: Counted, options: Options) -> Shape | None:
    if win.how in _WITHOUT_SHAPE:
        return None
    if win.how is How.FEIMA and len(win.melds) == 4:
        pair = held if held.size == 2 else count((*win.hand, win.wild), win.wild)
        return best_shape(pair, win.melds, win.wild, options)
    if win.how is How.FEIMA or held.size + 3 * len(win.melds) != FULL:
        return None
    return best_shape(held, win.melds, win.wild, options)


def refusal(win: Win, options: Options, seen: Look | None = None) -> str | None:
    """Why the win can't be declared, or None."""
    marked = _forfeited(win)
    if marked is not None:
        return marked
    seen = seen or look(win, options)
    return None if seen.jackpot is not None else _refuse_plain(win, options, seen)


def _refuse_plain(win: Win, options: Options, seen: Look) -> str | None:
    """Why a win that is no jackpot can't be declared, or None."""
    if win.how is How.FEIMA:
        return _refuse_feima(win, options)
    if win.how is How.SELFDRAW and Flag.AFTER_CLAIM in win.flags:
        return "a win on the own turn needs a draw"
    if win.how not in _WITH_A_TILE or seen.shape is None:
        return _NOT_MET.get(win.how, "not a complete hand")
    if win.from_seat is not None and options.paohua_discard == "refuse" and _waits_for_all(win, options):
        return "a hand that every tile completes (抛花) wins by its own draw only"
    return None


def _forfeited(win: Win) -> str | None:
    """Why the player may not win at all, or not with this tile."""
    if win.flags:
        for flag, reason in _FORFEITS.items():
            if flag in win.flags:
                return reason
    if win.from_seat is not None and win.tile is win.wild:
        return "a discarded dragon cannot be won"
    return None


_FORFEITS: Final = {
    Flag.BARRED: "本局不得和牌 / the player may not win this deal; declaring = 炸胡",
    Flag.PASSED_WIN: "过和，下次摸牌前不得和 / a win that was passed locks until the own next draw",
    Flag.DISCARDED_DRAGON: "打过龙，本局不得和牌 / "
    "the player has discarded a dragon: may not win; declaring = 炸胡",
    Flag.OVER_LIMIT: "吃碰同一家三次，本局不得和牌 / "
    "3 or more claims from one opponent: may not win; declaring = 炸胡",
}
"""What forfeits the win; of several the first is told."""
_NOT_MET: Final = {
    How.SHILIANFENG: "not ten own honours in a row without a claim",
    How.QUANFENG_SURVIVE: "not only honours and dragons are left",
    How.SILONG: "not four dragons in hand",
}


def _refuse_feima(win: Win, options: Options) -> str | None:
    if options.feima_when == "after_claim" and Flag.LATE_FEIMA in win.flags:
        return "飞马 needs the claim of the fourth set before the discard"
    if len(win.melds) == 4 and win.hand and set(win.hand) == {win.wild} and len(win.hand) <= 2:
        return None
    return "飞马 needs four sets down and only a dragon left"


def _waits_for_all(win: Win, options: Options) -> bool:
    return any_tile_wins(win.before, win.melds, win.wild, options)


def _jackpot(win: Win, options: Options, dragons: int, blocks: int) -> Line | None:
    """The first jackpot that needs no complete hand, in the order in which one name is shown (R43)."""
    if win.how is How.SHILIANFENG:
        return SHILIANFENG if ten_honours(win, options) else None
    if dragons == 4 and (win.how is How.SELFDRAW or win.how is How.SILONG):
        return SILONG
    if blocks & SUIT_BLOCKS:
        return None
    if win.how is How.QUANFENG_SURVIVE:
        return QUANFENG if options.quanfeng == "after_discard" else None
    at_win = options.quanfeng == "at_win" and win.how is not How.FEIMA and _is_full(win)
    return QUANFENGXIANG if at_win else None


_WITH_A_TILE: Final = frozenset({How.SELFDRAW, How.DISCARD, How.ROBKONG})
_WITHOUT_SHAPE: Final = frozenset({How.SHILIANFENG, How.QUANFENG_SURVIVE})


def _is_full(win: Win) -> bool:
    return len(win.hand) + 3 * len(win.melds) == FULL and Flag.AFTER_CLAIM not in win.flags


def _jackpot_of_hand(
    win: Win, options: Options, held: Counted, shape: Shape | None, blocks: int
) -> Line | None:
    """The first jackpot of a complete hand."""
    early = options.tianhu and Flag.DEALER_FIRST in win.flags and options.value_table == "seed"
    pure = options.pure_suit_jackpot and not held.wilds and COLOURS[blocks] is Colour.PURE
    if not (early or pure) or shape is None or win.how not in _WITH_A_TILE or Flag.AFTER_CLAIM in win.flags:
        return None
    if early:
        return TIANHU
    standard = Shape.STANDARD in shapes(held, win.melds, win.wild, options)
    return PURE_CLEAR if standard else PURE_CLEAR_PAIRS


def price(win: Win, options: Options, seen: Look | None = None) -> Price:
    """The lines of a win that `refusal` does not refuse."""
    seen = seen or look(win, options)
    if seen.jackpot is not None:
        return Price((seen.jackpot,), None)
    shape = seen.shape
    if shape is None:
        raise ValueError("not a complete hand")
    lines = (
        _dragons(seen.dragons),
        shape_line(shape, options),
        *_colour_lines(shape, seen.colour, options),
        *_bonus_lines(win, seen, options),
    )
    total = sum(each.value for each in lines)
    return Price(lines, total, tongfu=options.tongfu and _is_tongfu(win, seen, dihu=options.dihu))


@cache
def _line(zh: str, en: str, value: int, article: str) -> Line:
    """A line with a price of the table, made once: there are few, and hands share them."""
    return Line(zh, en, value, article)


@cache
def _dragons(dragons: int) -> Line:
    if dragons:
        return Line(f"龙×{dragons}", f"dragons: {dragons}", dragons, "§1", is_pattern=False)
    return Line("无龙", "no dragon counts as two", NO_DRAGON, "§1", is_pattern=False)


def _colour_lines(shape: Shape, found: Colour, options: Options) -> list[Line]:
    if found is Colour.NONE:
        return []
    prices = PRICES[options.value_table]
    if found is Colour.PURE:
        return [_line("清一色", "one suit", prices.flush, "§6 清一色")]
    if prices.half_flush and not shape.is_scattered:
        return [_line("混一色", "one suit and honours", prices.half_flush, "§6 混一色")]
    return []


def _bonus_lines(win: Win, seen: Look, options: Options) -> list[Line]:
    prices = PRICES[options.value_table]
    lines: list[Line] = []
    if win.how is How.FEIMA or _is_paohua(win, seen, options):
        lines.append(_line("抛花", "waits for every tile", prices.paohua, "§6 抛花"))
    if len(win.melds) == 4:
        lines.append(_line("独吊/单吊", "single wait, four sets down", prices.single, "§6 独吊"))
    kept = win.kept if _kept_counts(win, options) else 0
    if kept:
        lines.append(Line("上堂", "deals kept by the dealer", prices.kept * kept, "§6 R21"))
    if win.flags or win.how is How.ROBKONG:
        lines += _lines_of_flags(win, options)
    return lines


def _lines_of_flags(win: Win, options: Options) -> list[Line]:
    prices = PRICES[options.value_table]
    bonuses = [
        (_after_kong(win), "杠头开花/杠上花", "on a kong's replacement", prices.after_kong, "§6 R20"),
        (_is_dihu(win, options), "地胡", "on the dealer's first discard", prices.first_discard, "§6 地胡"),
        (_is_early(win, options), "天胡", "complete as dealt", prices.first_discard, "§8 R17"),
        (_mirrored(win, options), "拦杠/热炮加龙", "robbed kong or hot discard", options.mirror, "§7 R25"),
        (_intercepts(win, options), "拦飞马加龙", "stops a 飞马", prices.intercept, "§7 R26"),
        (_guan(win, options), "关风向加龙", "held back honour", prices.guan_fengxiang, "§7 R30"),
    ]
    return [_line(zh, en, value, article) for holds, zh, en, value, article in bonuses if holds]


def _is_paohua(win: Win, seen: Look, options: Options) -> bool:
    drawn = seen.dragons > 0 and win.how is How.SELFDRAW and win.tile is not Tile.UNKNOWN
    return drawn and _waits_for_all(win, options)


def _after_kong(win: Win) -> bool:
    return win.how is How.SELFDRAW and Flag.AFTER_KONG in win.flags


def _is_dihu(win: Win, options: Options) -> bool:
    return options.dihu and Flag.FIRST_DEALER_DISCARD in win.flags


def _is_early(win: Win, options: Options) -> bool:
    return options.tianhu and options.value_table == "program" and Flag.DEALER_FIRST in win.flags


def _kept_counts(win: Win, options: Options) -> bool:
    return options.shangtang == "any" or (options.shangtang == "dealer_only" and win.seat is win.dealer)


def _mirrored(win: Win, options: Options) -> bool:
    return options.mirror > 0 and (win.how is How.ROBKONG or Flag.HOT_DISCARD in win.flags)


def _intercepts(win: Win, options: Options) -> bool:
    return options.intercept == "formula" and Flag.INTERCEPT_FEIMA in win.flags


def _guan(win: Win, options: Options) -> bool:
    return options.guan_fengxiang and Flag.GUAN_FENGXIANG in win.flags


def _is_tongfu(win: Win, seen: Look, *, dihu: bool) -> bool:
    """Whether everybody pays the discarder's share for this hand; 地胡 among them only if `dihu`."""
    return (
        seen.shape is Shape.CLEAR_PAIRS
        or seen.shape is Shape.CLEAR_SEVEN_HONOURS
        or seen.colour is Colour.PURE
        or len(win.melds) == 4
        or (dihu and Flag.FIRST_DEALER_DISCARD in win.flags)
    )


def rank(win: Win, options: Options) -> int:
    """The place among several wins on one tile: 1 jackpots, 2 hands of the 统付 list, 3 all others (R9)."""
    seen = look(win, options)
    if seen.jackpot is not None:
        return 1
    listed = seen.shape is not None and _is_tongfu(win, seen, dihu=options.dihu and options.tongfu)
    return 2 if listed else 3
