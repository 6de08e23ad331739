"""What `longzhuo enrol` tells people, in Chinese and English."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from rules.tiles import Tile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from vision.enrol import LeftOut
    from vision.enrol_guided import Row
    from vision.enrol_learn import Odd
    from vision.enrol_session import Taken

ODD_SHOWN: Final = 12
"""At most so many doubtful labels are listed."""


def asks(row: Row, *, number: int, of: int, copies: int) -> list[str]:
    """How to lay a row out."""
    head = f"第 {number}/{of} 排 row {number} of {of}: {row.zh} {row.en}"
    if row.is_backs:
        return [head, f"  {len(row.faces)} 张以上扣着排成一排 {len(row.faces)} or more face down, in a row"]
    names = " ".join(str(t) for t in row.faces)
    often = f"，{copies} 排 ({copies} such rows)" if copies > 1 and not row.faces[0].is_flower else ""
    return [head, f"  紧挨着排成一排 side by side in this order: {names}{often}"]


def taken(done: Taken) -> list[str]:
    """That a row was taken, and how its tiles look to the network as it was."""
    wide = len(done.row.faces)
    lines = [done.names[k : k + wide] for k in range(0, len(done.names), wide)]
    return [
        f"  ✓ 好 ok: {done.tiles} 张 tiles",
        *("    " + " ".join(f"{name:<4}" for name in line).rstrip() for line in lines),
    ]


def grid(faces: Iterable[Tile]) -> list[str]:
    """How many tiles of each face were learned, suit by suit; `-` where none was."""
    counts = Counter(faces)
    suits = [range(9), range(9, 18), range(18, 27), range(27, 34)]
    if any(t.is_flower for t in counts):
        suits.append(range(34, 42))
    lines = [
        " ".join(f"{Tile(k)!s:>2}×{counts[Tile(k)] or '-'!s:<3}" for k in suit).rstrip() for suit in suits
    ]
    back = counts[Tile.BACK]
    return [f"  {line}" for line in lines] + [f"  牌背 backs ×{back or '-'}"]


def checked(score: LeftOut) -> str:
    """What the check on left-out tiles says."""
    if not score.tiles:
        return (
            "留一检查 left-out check: 每种牌面只有一张，没法查 each face was shown once, nothing to check by"
        )
    before, after = (f"{n} ({100 * n / score.tiles:.1f} %)" for n in (score.before, score.after))
    return (
        f"留一检查 left-out check of {score.tiles} 张 tiles: 之前 {before} right before, 之后 {after} after"
    )


def missed(missing: Sequence[Tile]) -> list[str]:
    """Which faces were never shown."""
    if not missing:
        return []
    names = " ".join(str(t) for t in missing)
    return [
        f"没见到 {len(missing)} 种牌面 faces never shown: {names}",
        "  它们照旧认 these are named as before, without what was learned",
    ]


def doubted(odd: Sequence[Odd], places: Sequence[str]) -> list[str]:
    """Tiles that look otherwise than they were said to."""
    if not odd:
        return []
    lines = [
        f"  {place}: {o.said} 看着像 seems {o.seems} ({100 * o.probability:.0f} %)"
        for o, place in zip(odd, places, strict=True)
    ][:ODD_SHOWN]
    more = [f"  … {len(odd) - ODD_SHOWN} more"] if len(odd) > ODD_SHOWN else []
    return ["看着像别的牌，请查标签 look like other tiles, check their labels:", *lines, *more]
