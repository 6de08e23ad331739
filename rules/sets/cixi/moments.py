"""Single moments of Cixi mahjong: a win told with its flags, a hand that waits, with no table around them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rules.events import MeldKind
from rules.log import is_barred, kept_of
from rules.moment import NEEDS_GIVER, Moment, NoWin
from rules.ruleset import Remark, Waiting
from rules.tiles import KINDS, SEATS, Tile, parse_tiles

from .patterns import all_honours, any_tile_wins, is_complete
from .payment import account
from .price import Look, look, price, refusal
from .win import Flag, How, Win

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rules.events import Meld
    from rules.settlement import Settlement
    from rules.state import Balances, TableState
    from rules.tiles import Seat

    from .options import Options

WAYS: Final[Mapping[str, tuple[str, str]]] = {
    How.SELFDRAW.value: ("自摸", "self-draw"),
    How.DISCARD.value: ("打胡", "on a discard"),
    How.ROBKONG.value: ("抢杠", "by robbing an added kong"),
    How.FEIMA.value: ("飞马", "after the own discard: four sets down, a dragon left"),
    How.SILONG.value: ("四龙", "four dragons in hand"),
    How.SHILIANFENG.value: ("十连风", "ten own discards in a row are honours"),
    How.QUANFENG_SURVIVE.value: ("全风", "after the own discard, only honours and dragons left"),
}

_HOW: Final = {how.value: how for how in How}

FLAGS: Final[Mapping[str, tuple[str, str]]] = {
    "after_kong": ("杠头开花", "self-draw on a kong's replacement"),
    "hot_discard": ("热炮", "the discard is the first after the discarder's kong"),
    "robbed_was_paohua": ("被抢者抛花", "the robbed player waited for every tile; changes nothing"),
    "single_wait_adjacent": ("单吊临张", "near the discard by which the winner became single (R27)"),
    "last_own_discard": ("末张打出", "the winner's last own discard, a tile"),
    "intercept_feima": ("拦飞马", "the discard is the one of a 飞马"),
    "guan_fengxiang": ("关风向", "the discarder has held the honour back (R30)"),
    "first_dealer_discard": ("地胡", "on the dealer's first discard"),
    "dealer_first": ("天胡", "self-draw with the dealt fourteen"),
    "shangtang": ("上堂", "deals that the dealer has kept, a number"),
    "honour_discards": ("连打风向", "own discards in a row, tiles"),
    "claimed": ("被碰杠", "one of the ten honours was claimed"),
    "own_chi_peng": ("自己吃碰", "own chi, peng and exposed kongs, a number"),
    "last_discard": ("末张打出", "the discard before a 全风, a tile"),
    "over_limit": ("三摊", "three claims from one opponent"),
    "barred": ("不得胡", "may not win this deal"),
    "discarded_dragon": ("打出龙", "has discarded a dragon"),
    "late_feima": ("非吃碰后飞马", "the discard did not follow the claim of the fourth set"),
    "passed_win": ("过胡", "has let a win pass since the last own draw"),
}

_NEEDED: Final[Mapping[Flag, How]] = {
    Flag.AFTER_KONG: How.SELFDRAW,
    Flag.DEALER_FIRST: How.SELFDRAW,
    Flag.HOT_DISCARD: How.DISCARD,
    Flag.SINGLE_WAIT_ADJACENT: How.DISCARD,
    Flag.INTERCEPT_FEIMA: How.DISCARD,
    Flag.GUAN_FENGXIANG: How.DISCARD,
    Flag.FIRST_DEALER_DISCARD: How.DISCARD,
}
"""Flags that speak of one way of winning say nothing about the others."""


def judge(options: Options, moment: Moment, balances: Balances | None) -> Settlement:
    """The account of a win.

    Raises:
        NoWin: the rules refuse it, or the number of tiles fits no win.
        ValueError: a flag has a value that it can't have, or the way of winning is unknown.
    """
    win = win_of(moment, options)
    reason = _wrong_size(moment, win)
    if reason is not None:
        raise NoWin(reason)
    seen = look(win, options)
    win = _without_idle_honour(win, seen)
    reason = refusal(win, options, seen)
    if reason is not None:
        raise NoWin(reason)
    return account(win, options, balances, price(win, options, seen))


def known(state: TableState, seat: Seat) -> dict[str, object]:
    """What the table tells of a win that nobody has followed: deals kept, and who may not win."""
    return {"shangtang": kept_of(state), "barred": is_barred(state, seat)}


def _without_idle_honour(win: Win, seen: Look) -> Win:
    """A held back honour is paid for only where it completes 大乱 or 七风 (R30)."""
    scattered = seen.shape is not None and seen.shape.is_scattered
    if Flag.GUAN_FENGXIANG not in win.flags or (scattered and win.tile.is_honour):
        return win
    return replace(win, flags=win.flags - {Flag.GUAN_FENGXIANG})


def win_of(moment: Moment, options: Options) -> Win:
    """The win that a moment describes."""
    if moment.how not in WAYS:
        raise ValueError(f"no way of winning {moment.how!r} (there are {', '.join(WAYS)})")
    if moment.wild is None:
        raise ValueError("the dragon is not known: no indicator")
    win = Win(
        seat=moment.seat,
        dealer=moment.dealer,
        how=_way(moment, options, moment.wild),
        wild=moment.wild,
        hand=moment.hand,
        melds=moment.melds,
        tile=moment.tile,
        from_seat=moment.from_seat if moment.how in NEEDS_GIVER else None,
    )
    # Most wins have no circumstances; three sets are the fewest that can be too many from one opponent.
    return _circumstances(win, moment, options) if moment.flags or len(moment.melds) > 2 else win


def _way(moment: Moment, options: Options, wild: Tile) -> How:
    """The way of winning; a 飞马 whose discard leaves only honours and dragons is 全风 (R43)."""
    how = _HOW[moment.how]
    is_try = how is How.FEIMA and moment.concealed == (wild,) and len(moment.melds) == MELDS
    if is_try and options.quanfeng == "after_discard" and all_honours(moment.concealed, moment.melds, wild):
        return How.QUANFENG_SURVIVE
    return how


MELDS: Final = 4
"""Declared sets of a player who is single."""


def _circumstances(win: Win, moment: Moment, options: Options) -> Win:
    thrown = _tiles(moment.flags, "honour_discards")
    claims = sum(meld.taken_from is not None for meld in moment.melds)
    return replace(
        win,
        flags=_flags(moment, win.wild, options),
        kept=_number(moment.flags, "shangtang"),
        honours=_row(thrown, win.wild),
        honours_claimed=_holds(moment.flags, "claimed"),
        own_claims=max(claims, _number(moment.flags, "own_chi_peng")),
        discards=len(thrown),
    )


def _flags(moment: Moment, wild: Tile, options: Options) -> frozenset[Flag]:
    how = _HOW[moment.how]
    named = (_BY_NAME[name] for name in moment.flags if name in _BY_NAME and _holds(moment.flags, name))
    found = {flag for flag in named if _NEEDED.get(flag, how) is how}
    if moment.seat is not moment.dealer:
        found.discard(Flag.DEALER_FIRST)
    if moment.seat is moment.dealer or moment.from_seat is not moment.dealer:
        found.discard(Flag.FIRST_DEALER_DISCARD)
    if Flag.SINGLE_WAIT_ADJACENT in found and not _is_near(moment):
        found.discard(Flag.SINGLE_WAIT_ADJACENT)
    if any(wild in _tiles(moment.flags, name) for name in _THROWN):
        found.add(Flag.DISCARDED_DRAGON)
    if len(moment.melds) > 2 and _has_claimed_thrice(moment.melds, options):
        found.add(Flag.OVER_LIMIT)
    return frozenset(found)


def _is_near(moment: Moment) -> bool:
    """Whether R27 can hold: the winner is single, and the tile near his last discard where that is told."""
    thrown = _tiles(moment.flags, "last_own_discard")
    same = all(tile.suit is not None and tile.suit == moment.tile.suit for tile in thrown)
    return len(moment.melds) == MELDS and same and all(abs(tile - moment.tile) in {1, 2} for tile in thrown)


_BY_NAME: Final = {flag.value: flag for flag in Flag}
_THROWN: Final = ("honour_discards", "last_own_discard", "last_discard")
"""Flags that name own discards."""


def _has_claimed_thrice(melds: Sequence[Meld], options: Options) -> bool:
    givers = [
        meld.taken_from for meld in melds if options.kong_counts_as_claim or meld.kind is not MeldKind.KONG
    ]
    return any(givers.count(seat) > 2 for seat in SEATS)


def _wrong_size(moment: Moment, win: Win) -> str | None:
    """Why the number of tiles fits no win of this kind, or None."""
    has_tile = moment.tile is not Tile.UNKNOWN
    if has_tile and win.how in _SIZES:
        return f"{win.how} follows the own discard and has no winning tile"
    if win.how is How.SHILIANFENG and not moment.hand and not moment.melds:
        return None
    right = _SIZES.get(win.how, (14,))
    if moment.size in right:
        return None
    short = moment.size < min(right)
    word = "a tile short (小相公)" if short else "a tile too many (大相公)"
    expected = " or ".join(map(str, sorted(right)))
    return f"{moment.size} tiles with sets counted as three, expected {expected}: {word}"


_SIZES: Final[Mapping[How, tuple[int, ...]]] = {
    How.FEIMA: (13, 14),
    How.QUANFENG_SURVIVE: (13,),
    How.SHILIANFENG: (13,),
}
"""Tiles, sets counted as three, of wins by the own discard; all others have fourteen and a winning tile."""


def _row(thrown: Sequence[Tile], wild: Tile) -> tuple[Tile, ...]:
    """The last discards as far back as they are honours and no dragon."""
    length = 0
    while length < len(thrown) and thrown[-1 - length].is_honour and thrown[-1 - length] is not wild:
        length += 1
    return tuple(thrown[len(thrown) - length :])


def _holds(flags: Mapping[str, object], name: str) -> bool:
    value = flags.get(name)
    if value not in (None, True, False):
        raise ValueError(f"flag {name} = {value!r}: expected true or false")
    return bool(value)


def _number(flags: Mapping[str, object], name: str) -> int:
    value, most = flags.get(name) or 0, _MOST[name]
    if not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError(f"flag {name} = {value!r}: expected a whole number 0 to {most}")
    return int(value)


_MOST: Final[Mapping[str, int]] = {"shangtang": 1000, "own_chi_peng": MELDS}
"""A hand holds four sets; no rule ends the row of deals that a dealer keeps, but people go home."""


def _tiles(flags: Mapping[str, object], name: str) -> tuple[Tile, ...]:
    value = flags.get(name) or ()
    if value == ():
        return ()
    try:
        return parse_tiles(value if isinstance(value, str) else " ".join(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueError(f"flag {name} = {value!r}: expected tiles") from None


def waits(options: Options, concealed: Sequence[Tile], melds: Sequence[Meld], wild: Tile | None) -> Waiting:
    """The kinds that complete a hand before its draw, and whether it is 抛花.

    Raises:
        ValueError: no indicator, a wrong number of tiles, or an impossible tile.
    """
    if wild is None:
        raise ValueError("the dragon is not known: no indicator")
    size = len(concealed) + 3 * len(melds)
    if size != 13:
        raise ValueError(f"{size} tiles with sets counted as three, expected 13")
    held = tuple(concealed)
    found = tuple(
        tile
        for tile in map(Tile, range(KINDS))
        if held.count(tile) < 4 and _completes(held, tile, melds, wild, options)
    )
    everything = any_tile_wins(held, melds, wild, options)
    draw_only = everything and options.paohua_discard == "refuse"
    return Waiting(
        found,
        (
            Remark("paohua", "抛花", "wins with every tile", everything),
            Remark("own_draw_only", "只能自摸", "wins by the own draw only", draw_only),
            Remark("single", "单吊", "four sets down, one tile in hand", len(melds) == 4),
        ),
    )


def _completes(
    held: tuple[Tile, ...], tile: Tile, melds: Sequence[Meld], wild: Tile, options: Options
) -> bool:
    hand = (*held, tile)
    honours = options.quanfeng == "at_win" and all_honours(hand, melds, wild)
    return honours or is_complete(hand, melds, wild, options)
