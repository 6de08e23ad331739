"""What lies on a table of Cixi mahjong before anybody has chosen an option."""

from __future__ import annotations

from typing import Final

from rules.events import MeldKind
from rules.tiles import KINDS, Tile

TILES: Final = tuple(Tile(kind) for kind in range(KINDS) for _ in range(4))
CLAIMS: Final = {MeldKind.KONG: 1, MeldKind.PENG: 1, MeldKind.CHI: 2}
CARD_POINTS: Final = {"A": 1, **{str(pips): pips for pips in range(2, 11)}, "J": 15, "Q": 15, "K": 15}
"""The cards that make up a player's 100 points (§10)."""
FIRST_DEALER: Final = {1: 0, 2: 1, 3: 2, 4: 3, 5: 0, 6: 1}
"""Die of the thrower to the dealer's distance from him (R4)."""
