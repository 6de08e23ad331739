"""How the players of random deals play: what they like to keep, and how often they take a chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rules.tiles import Tile

Hand = tuple[Tile, ...]
Taste = Callable[[Tile, Hand, Tile | None], int]
"""How much a player would rather keep a tile of his hand, given the wild tile."""


def ties(tile: Tile, hand: Hand, wild: Tile | None) -> int:
    """How much a tile is worth beside the others in hand: equal ones, near ones, most if it is wild."""
    near = sum(tile.is_suited and other.suit == tile.suit and abs(other - tile) < 3 for other in hand)
    return near + 2 * hand.count(tile) + 100 * (tile is wild)


def honours_first(tile: Tile, hand: Hand, wild: Tile | None) -> int:
    return ties(tile, hand, wild) - 50 * tile.is_honour


def honours_last(tile: Tile, hand: Hand, wild: Tile | None) -> int:
    return ties(tile, hand, wild) + 50 * tile.is_honour


def one_suit(tile: Tile, hand: Hand, wild: Tile | None) -> int:
    return ties(tile, hand, wild) + 5 * sum(other.suit == tile.suit for other in hand)


def equal_tiles(tile: Tile, hand: Hand, wild: Tile | None) -> int:
    return hand.count(tile) + 100 * (tile is wild)


def apart(tile: Tile, hand: Hand, wild: Tile | None) -> int:
    return 200 * (tile is wild) - ties(tile, hand, wild)


@dataclass(frozen=True)
class Style:
    """How a player plays; all numbers are shares of the chances that he takes.

    `wins` are wins on plain discards, `draws` by the own draw, `rare` all others: robbed kongs, discards and
    draws after a kong, single waits, wins by the own discard. `care` is how often he throws what his taste
    keeps least, `wrong` how often the table rules against him.
    """

    wins: float = 0.7
    draws: float = 0.7
    rare: float = 0.7
    claims: float = 0.7
    care: float = 0.7
    wrong: float = 0.0
    taste: Taste = ties


PLAIN = Style()
QUIET = Style(wins=0.05, draws=0.3, claims=0.05)
KONGS = Style(wins=0.0, draws=0.2, rare=1.0, claims=1.0, care=1.0, taste=equal_tiles)
LURKS = Style(wins=0.0, draws=0.0, rare=1.0, care=1.0)
STYLES = (
    PLAIN,
    Style(claims=1.0, wins=0.2, rare=1.0, taste=equal_tiles),
    Style(wins=0.1, rare=1.0),
    Style(care=0.0),
    Style(wrong=0.02),
)
