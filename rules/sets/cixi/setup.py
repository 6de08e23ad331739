"""What lies on a table of Cixi mahjong before anybody has chosen an option."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rules.events import MeldKind
from rules.ruleset import Level
from rules.tiles import KINDS, Tile

if TYPE_CHECKING:
    from .options import Options

TILES: Final = tuple(Tile(kind) for kind in range(KINDS) for _ in range(4))
CLAIMS: Final = {MeldKind.KONG: 1, MeldKind.PENG: 1, MeldKind.CHI: 2}
CARD_POINTS: Final = {"A": 1, **{str(pips): pips for pips in range(2, 11)}, "J": 15, "Q": 15, "K": 15}
"""The cards that make up a player's 100 points (§10)."""
FIRST_DEALER: Final = {1: 0, 2: 1, 3: 2, 4: 3, 5: 0, 6: 1}
"""Die of the thrower to the dealer's distance from him (R4)."""
CARD_NAMES: Final = ("牌点", "card points")
STAKE_NAMES: Final = ("金豆", "beans")
"""What points are called: those of the cards (§10), and the platform's (§15)."""

_TITLES: Final = (("好手", "able"), ("高手", "skilled"), ("名手", "master"), ("宗师", "grand master"))


def levels(options: Options) -> tuple[Level, ...]:
    """The titles by points (§15 names titles and no limits): one more for every step that doubles.

    A step is half the points of the start; where a match starts at nothing, a hundred stakes.
    """
    step = max(1, options.start_points // 2) if options.start_points > 0 else 100 * options.stake
    beginner = Level(-(10**9), "新秀", "newcomer")
    return (
        beginner,
        *(Level(least * step, *words) for least, words in zip((0, 1, 2, 4), _TITLES, strict=True)),
    )
