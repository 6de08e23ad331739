"""A settlement as text for people and as fields for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from controller.cli.demo_show import left, right
from rules.cases import account_fields, desk_of
from rules.tiles import SEATS, Tile, format_tiles

if TYPE_CHECKING:
    from controller.cli.score_cases import Results
    from rules.events import Meld
    from rules.moment import Moment
    from rules.ruleset import RuleSet
    from rules.settlement import Line, Settlement
    from rules.state import Balances

RULE: Final = "─" * 78
NAMES: Final = 58
"""Columns of the names of lines."""


def both(tile: Tile) -> str:
    """A tile's Chinese name and its notation."""
    return f"{tile.zh} {tile}"


def described(moment: Moment, rules: RuleSet) -> dict[str, Any]:
    """What was asked, as fields."""
    return {
        "rules": rules.name,
        "indicator": None if moment.indicator is None else str(moment.indicator),
        "wildcard": None if moment.wild is None else str(moment.wild),
        "winner": int(moment.seat),
        "dealer": int(moment.dealer),
        "how": moment.how,
        "discarder": None if moment.from_seat is None else int(moment.from_seat),
    }


def explained(found: Settlement) -> dict[str, Any]:
    """An account as fields, every line and reason among them."""
    return {
        **account_fields(found),
        "lines": [_line_fields(line) for line in found.lines],
        "reasons": [_line_fields(line) for line in found.reasons],
    }


def _line_fields(line: Line) -> dict[str, Any]:
    return {"zh": line.zh, "en": line.en, "value": line.value, "article": line.article}


def account_text(found: Settlement, moment: Moment, rules: RuleSet, balances: Balances | None = None) -> str:
    """The whole account in blocks, a line each, 80 columns wide."""
    blocks = (_head(moment, rules), _values(found), _reasons(found), _payments(found, moment, balances))
    title = f"{rules.zh} {rules.en} ({rules.name})"
    return "\n".join([title, *(line for block in blocks for line in (RULE, *block))])


def _head(moment: Moment, rules: RuleSet) -> list[str]:
    zh, en = desk_of(rules).ways[moment.how]
    lines = []
    if moment.indicator is not None and moment.wild is not None:
        lines.append(_row("翻牌 indicator", f"{both(moment.indicator)} → 龙 dragon {both(moment.wild)}"))
    dealer = f"座位 seat {moment.dealer}"
    lines.append(_row("庄 dealer", dealer))
    lines.append(_row("胡 wins", f"座位 seat {moment.seat}: {zh} {en}"))
    if moment.from_seat is not None:
        lines.append(_row("出自 from", f"座位 seat {moment.from_seat}"))
    hand = format_tiles(sorted(moment.concealed))
    if moment.tile is not Tile.UNKNOWN:
        hand += f" + {moment.tile}"
    if hand:
        lines.append(_row("手牌 hand", hand.strip()))
    return lines + [_row("面子 set", set_text(meld)) for meld in moment.melds]


def _row(name: str, text: str) -> str:
    return f"{left(name, 16)}{text}"


def set_text(meld: Meld) -> str:
    """A declared set with its kind and who gave the tile."""
    zh = {"chi": "吃", "peng": "碰", "kong": "点杠", "added_kong": "转弯杠", "concealed_kong": "闷杠"}
    source = "" if meld.taken_from is None else f" from {meld.taken_from}"
    return f"{zh[meld.kind]} {meld.kind} {format_tiles(meld.tiles)}{source}"


def _values(found: Settlement) -> list[str]:
    lines = [_priced(f"{line.zh} {line.en}", _worth(found, line), line.article) for line in found.lines]
    if found.total is not None:
        lines.append(
            f"合计 D = {found.total}, 基础 unit u = {found.unit}, 每份 points P = {found.point_each}"
        )
    return lines


def _priced(name: str, worth: str, article: str) -> str:
    return f"{left(name, NAMES)} {right(worth, 4)}  {article}"


def _worth(found: Settlement, line: Line) -> str:
    return "全交" if found.jackpot else str(line.value)


def _reasons(found: Settlement) -> list[str]:
    return [_priced(f"{reason.zh}  {reason.en}", "", reason.article) for reason in found.reasons]


def _payments(found: Settlement, moment: Moment, balances: Balances | None) -> list[str]:
    lines = []
    for seat in SEATS:
        paid = found.payments[seat]
        after = "" if balances is None else f"   余 left {right(str(balances[seat] + paid), 6)}"
        role = " 胡 winner" if seat is found.winner else ""
        role += " 庄 dealer" if seat is moment.dealer else ""
        role += " 出牌 gave the tile" if seat is found.from_seat else ""
        role += " 包三家 pays for all" if seat is found.payer else ""
        lines.append(f"座位 seat {seat}  {right(f'{paid:+d}' if paid else '0', 6)}{after}  {role}".rstrip())
    return lines


def cases_text(results: Results) -> str:
    """A line for every example and for every question."""
    return "\n".join(
        [
            *(_example_text(found) for found in results.examples),
            *(", ".join(f"{key} {value}" for key, value in found.items()) for found in results.events),
        ]
    )


def _example_text(found: dict[str, Any]) -> str:
    if not found["valid"]:
        return f"{found['id']}: 不能胡 no win: {found['reason']}"
    worth = "全交 jackpot" if found["jackpot"] else f"D = {found['D']}, P = {found['point_each']}"
    return f"{found['id']}: {' '.join(found['patterns'])}, {worth}, {found['payments']}"
