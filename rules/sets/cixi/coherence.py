"""Whether what a person says about one win of Cixi mahjong can be true together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .win import How

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.moment import Moment

_WAYS: Final[Mapping[str, tuple[How, ...]]] = {
    "after_kong": (How.SELFDRAW,),
    "dealer_first": (How.SELFDRAW,),
    "hot_discard": (How.DISCARD,),
    "single_wait_adjacent": (How.DISCARD,),
    "intercept_feima": (How.DISCARD,),
    "guan_fengxiang": (How.DISCARD,),
    "first_dealer_discard": (How.DISCARD,),
    "robbed_was_paohua": (How.ROBKONG,),
    "late_feima": (How.FEIMA,),
    "last_discard": (How.QUANFENG_SURVIVE,),
    "passed_win": (How.DISCARD, How.ROBKONG),
}
"""The ways of winning that a circumstance can go with; those that are missing go with any."""


def contradiction(moment: Moment) -> str | None:
    """Why the circumstances can't go with the way of winning, the seats and the tiles, or None."""
    for name, holds in moment.flags.items():
        ways = _WAYS.get(name)
        if holds and ways is not None and moment.how not in ways:
            return f"{name} goes with a win by {' or '.join(ways)}, not by {moment.how}"
    tests = {
        "after_kong": (_has_kong(moment), "no kong is declared"),
        "single_wait_adjacent": (len(moment.melds) == 4, "the winner has not four sets down"),
        "guan_fengxiang": (moment.tile.is_honour, f"{moment.tile} is no honour"),
        "dealer_first": (
            moment.seat is moment.dealer and not moment.melds,
            "only the dealer wins with the dealt fourteen, no set declared",
        ),
        "first_dealer_discard": (
            moment.from_seat is moment.dealer and moment.seat is not moment.dealer,
            "the dealer did not give the tile",
        ),
    }
    for name, (fits, reason) in tests.items():
        if moment.flags.get(name) and not fits:
            return f"{name}: {reason}"
    return None


def _has_kong(moment: Moment) -> bool:
    return any(meld.kind.is_kong for meld in moment.melds)
