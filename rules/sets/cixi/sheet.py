"""The rule sheet of Cixi mahjong: every option with its article, and what each line is worth."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final

from rules.ruleset import Option
from rules.settlement import Line

from .options import VALUES, Options
from .patterns import PRICES, Shape, shape_values
from .words import ABOUT, MEANINGS, SWITCH

if TYPE_CHECKING:
    from collections.abc import Mapping

MEANING: Final[Mapping[str, tuple[str, str, str]]] = {
    "value_table": ("R17", "番值表", "table of values"),
    "qifeng": ("R18", "七风加在大乱之上或代替", "七风 stacks on 大乱 or replaces it"),
    "qifeng_dragon": ("R15", "七风中龙可代何牌", "what a dragon stands for in 七风"),
    "four_as_two_pairs": ("R13", "四张算两对", "four equal tiles are two pairs"),
    "paohua_discard": ("R42, R24", "抛花能否打胡", "抛花 on a discard or a robbed kong"),
    "paohua_autowin": ("R42", "抛花自摸必胡", "a 抛花 draw wins by itself"),
    "feima_when": ("§5", "何时可飞马", "when a discard is a 飞马"),
    "feima": ("§7", "飞马价", "price of a 飞马"),
    "intercept": ("R26", "拦飞马价", "price of a stopped 飞马"),
    "mirror": ("R25", "拦杠、热炮加龙", "bonus for a robbed kong or a hot discard"),
    "adjacency": ("R27", "单吊临张包三家", "near tile of a single wait pays for three"),
    "guan_fengxiang": ("R30, R34", "关风向", "a held back honour pays for three"),
    "tianhu": ("§8", "天胡", "complete as dealt"),
    "dihu": ("§6", "地胡", "on the dealer's first discard"),
    "shangtang": ("R21", "上堂", "deals kept by the dealer"),
    "tongfu": ("R23", "统付", "everybody pays the discarder's share"),
    "pure_suit_jackpot": ("§8", "无龙清一色全交", "one suit without dragons takes all"),
    "quanfeng": ("R31", "全风向何时胡", "when all honours win"),
    "shilianfeng_window": ("R32", "十连风从何时算", "which ten discards count"),
    "shilianfeng_own_claim": ("R32", "十连风能否吃碰", "whether own claims end the row"),
    "zhahu": ("R35", "炸胡", "price of a false win"),
    "kong_counts_as_claim": ("§4.4", "点杠算一摊", "an exposed kong is a claim"),
    "pass_win_lock": ("R11", "过胡锁", "a win let pass locks until the own draw"),
    "reserve": ("R36", "留牌", "tiles that are never drawn"),
    "drawn_dealer": ("§10", "荒庄后的庄", "dealer after a drawn hand"),
    "next_dealer": ("R37", "下一庄", "next dealer"),
    "indicator_place": ("R8", "翻牌处", "where the indicator is turned"),
    "cap_at_stack": ("R38", "付尽为止", "nobody pays more than he has"),
    "stake": ("§10", "底注", "stake"),
    "start_points": ("§10", "起始分", "points at the start"),
}
"""Option to its article and its meaning in Chinese and English."""


def sheet(options: Options) -> tuple[Option, ...]:
    """Every option in order, with the values that it may have; none listed means any whole number."""
    return tuple(
        Option(
            field.name,
            value := getattr(options, field.name),
            _values(field.name, value),
            *MEANING[field.name],
            meanings=_meanings(field.name, value),
            about=ABOUT[field.name],
        )
        for field in fields(Options)
    )


def _values(name: str, value: object) -> tuple[object, ...]:
    return (True, False) if isinstance(value, bool) else VALUES.get(name, ())


def _meanings(name: str, value: object) -> tuple[tuple[str, str], ...]:
    words = SWITCH if isinstance(value, bool) else MEANINGS.get(name, {})
    return tuple(words[each] for each in _values(name, value))


def prices(options: Options) -> tuple[Line, ...]:
    """What each shape and bonus adds, in dragon units."""
    table, values = PRICES[options.value_table], shape_values(options)
    shapes = [Line(shape.value[0], shape.value[1], values[shape], shape.value[2]) for shape in Shape]
    bonuses = [
        ("清一色", "one suit", table.flush, "§6"),
        ("混一色", "one suit and honours", table.half_flush, "§6"),
        ("抛花", "waits for every tile", table.paohua, "§6"),
        ("独吊/单吊", "single wait, four sets down", table.single, "§6"),
        ("杠头开花/杠上花", "on a kong's replacement", table.after_kong, "§6 R20"),
        ("地胡", "on the dealer's first discard", table.first_discard * options.dihu, "§6"),
        ("上堂", "each deal kept by the dealer", table.kept * (options.shangtang != "off"), "§6 R21"),
        ("拦杠/热炮加龙", "robbed kong or hot discard", options.mirror, "§7 R25"),
        ("拦飞马加龙", "stops a 飞马", table.intercept * (options.intercept == "formula"), "§7 R26"),
        ("关风向加龙", "held back honour", table.guan_fengxiang * options.guan_fengxiang, "§7 R30"),
    ]
    dragons = [Line("龙", "each dragon", 1, "§1"), Line("无龙", "no dragon", 2, "§1")]
    return (*dragons, *shapes, *(Line(*bonus) for bonus in bonuses if bonus[2]))
