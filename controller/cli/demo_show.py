"""What the demo prints: a progress line and each settlement as a small table. Pure."""

import itertools
import unicodedata
from collections.abc import Sequence

from controller.public import Settlement, TableSnapshot
from rules.deal import ranking
from rules.tiles import Tile

PHASES = {
    "idle": "等待开局 idle",
    "hatch_open": "推牌入洞 pushing tiles in",
    "shuffling": "洗牌 shuffling",
    "walls": "升牌 raising walls",
    "dealing": "抓牌 dealing",
    "playing": "打牌 playing",
    "settled": "已结算 settled",
    "drawn": "荒庄 drawn",
    "stopped": "停机 stopped",
}


def width(text: str) -> int:
    """Give the number of terminal columns a text takes (Chinese characters take two)."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def left(text: str, columns: int) -> str:
    """Fill up to the right."""
    return text + " " * (columns - width(text))


def right(text: str, columns: int) -> str:
    """Fill up to the left."""
    return " " * (columns - width(text)) + text


def name(tile: str | None) -> str:
    """Give a tile's Chinese name and its notation."""
    return f"{Tile.parse(tile).zh} {tile}" if tile else "–"


def tiles(hand: Sequence[str]) -> str:
    """Give tiles of one suit together: `233万 55筒 东东`; flowers and honours by their names.

    >>> tiles(("2m", "3m", "E", "E"))
    '23万 东东'
    """
    groups: list[str] = []
    for suit, members in itertools.groupby(hand, key=_suit):
        named = list(members)
        digits = "".join(tile[0] for tile in named) + suit
        groups.append(digits if suit in "万筒条" else "".join(Tile.parse(tile).zh for tile in named))
    return " ".join(groups)


def _suit(tile: str) -> str:
    return {"m": "万", "p": "筒", "s": "条"}.get(tile[1:], "字")


def progress(table: TableSnapshot, *, read_fps: float, doubts: int) -> str:
    """Give the one line that says how far the table is."""
    parts = [
        f"第{table.hand_no}局 hand {table.hand_no}",
        PHASES.get(table.phase, table.phase),
        f"龙 {name(table.dragon)}",
        f"余 {'–' if table.tiles_left is None else table.tiles_left} 张 left",
        f"读 {read_fps:.1f}/s",
    ]
    if doubts:
        parts.append(f"疑 {doubts} doubts")
    return " · ".join(parts)


def settlement(result: Settlement, players: Sequence[str]) -> str:
    """Give a settlement as a table of a few lines, Chinese first."""
    lines = ["", _headline(result, players)]
    if not result.drawn:
        lines.append(f"  牌 hand    {tiles(result.hand)}{_melds(result)}")
        lines += [f"    {left(f'{line.zh} {line.en}', 40)} {line.value:>4}" for line in result.lines]
        if result.point_each is not None:
            lines.append(f"    {left('一份 full share (P)', 40)} {result.point_each:>4}")
    lines.append("  " + left("", 16) + "".join(right(name, 10) for name in players))
    lines.append("  " + left("本局 this hand", 16) + "".join(right(f"{n:+d}", 10) for n in result.payments))
    lines.append("  " + left("余分 balance", 16) + "".join(right(str(n), 10) for n in result.balances))
    if result.match_over:
        places = "".join(right(str(place), 10) for place in ranking(result.balances))
        lines.append("  " + left("终局名次 place", 16) + places)
    return "\n".join(lines)


def _headline(result: Settlement, players: Sequence[str]) -> str:
    way = f"{result.how_zh} {result.how_en}".strip() or result.how
    if result.winner is None:
        return f"■ 第{result.hand_no}局 hand {result.hand_no}: {way}"
    words = f"■ 第{result.hand_no}局 hand {result.hand_no}: {players[result.winner]} {way}"
    if result.tile:
        words += f" {name(result.tile)}"
    if result.from_seat is not None:
        words += f"，{players[result.from_seat]} 放炮 discarded"
    return f"{words} · 龙 {name(result.dragon)} ×{result.dragons}"


def _melds(result: Settlement) -> str:
    return "".join(f" | {tiles(meld.tiles)}" for meld in result.melds)
