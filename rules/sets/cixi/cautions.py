"""What players are told of each other in a running hand of Cixi mahjong: who may not win it, and why (§9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rules.log import has_won_falsely
from rules.ruleset import Caution
from rules.tiles import SEATS

from .win import Flag, marks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.state import TableState
    from rules.tiles import Seat

    from .options import Options

_WORDS: Final[Mapping[Flag, tuple[str, str]]] = {
    Flag.DISCARDED_DRAGON: ("打出过龙，本局不得胡", "discarded a dragon: may not win"),
    Flag.OVER_LIMIT: ("同家吃碰第三次，本局不得胡", "third claim from one: may not win"),
    Flag.BARRED: ("裁定本局不得胡", "ruled: may not win this hand"),
}
_FALSE_WIN: Final = ("炸胡，本局不得胡", "false win: may not win this hand")


def of(options: Options, state: TableState) -> tuple[Caution, ...]:
    """The cautions of a running hand, by seat; nothing that only concealed tiles tell."""
    return tuple(caution for seat in SEATS for caution in _of_seat(options, state, seat))


def _of_seat(options: Options, state: TableState, seat: Seat) -> list[Caution]:
    if state.wild is None:
        return []
    false = has_won_falsely(state, seat)
    found = marks(state, seat, options)
    told = [Caution(seat, "false_win", *_FALSE_WIN)] if false else []
    return told + [
        Caution(seat, flag.value, *words)
        for flag, words in _WORDS.items()
        if flag in found and not (false and flag is Flag.BARRED)
    ]
