"""What can happen at a table: frozen events. The log of a deal is a tuple of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rules.tiles import Seat, Tile


class IllegalEvent(Exception):
    """The event can't happen in this state; the message says why. Nothing was changed."""


class MeldKind(StrEnum):
    """How a set was declared."""

    CHI = "chi"
    """A run with the previous player's discard (吃)."""
    PENG = "peng"
    """A triplet with a discard (碰)."""
    KONG = "kong"
    """Four equal tiles with a discard (点杠)."""
    ADDED_KONG = "added_kong"
    """The fourth tile laid to an own peng (转弯杠)."""
    CONCEALED_KONG = "concealed_kong"
    """Four equal tiles of the own hand (闷杠)."""

    @property
    def is_kong(self) -> bool:
        """Whether four tiles form the set, so that a replacement is drawn."""
        return self in {MeldKind.KONG, MeldKind.ADDED_KONG, MeldKind.CONCEALED_KONG}


@dataclass(frozen=True, slots=True)
class Meld:
    """A declared set; `tiles` is sorted and has 3 or 4 tiles, `taken_from` gave the claimed tile."""

    kind: MeldKind
    tiles: tuple[Tile, ...]
    taken_from: Seat | None = None


@dataclass(frozen=True, slots=True)
class DealStarted:
    """The tiles are dealt.

    `kept` counts the deals this dealer has kept by winning, without a break. `hands` holds the dealt tiles
    of seats 0..3 where they are known (the dealer's last tile is the one he took last), otherwise None.
    """

    dealer: Seat
    dice: tuple[int, int] | None = None
    kept: int = 0
    hands: tuple[tuple[Tile, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class IndicatorTurned:
    """The tile that decides the wild tile lies face up."""

    tile: Tile


@dataclass(frozen=True, slots=True)
class Drew:
    """A tile was drawn; from the tail of the wall where it replaces a kong's fourth tile."""

    seat: Seat
    tile: Tile = Tile.UNKNOWN
    replacement: bool = False


@dataclass(frozen=True, slots=True)
class FlowerShown:
    """A flower was laid open and `replacement` taken from the tail of the wall for it."""

    seat: Seat
    tile: Tile
    replacement: Tile = Tile.UNKNOWN


@dataclass(frozen=True, slots=True)
class Discarded:
    """A tile was laid into the own pond."""

    seat: Seat
    tile: Tile


@dataclass(frozen=True, slots=True)
class Claimed:
    """The last discard was taken for a set: `tiles` is the whole set, sorted; `taken` is the claimed tile."""

    seat: Seat
    kind: MeldKind
    tiles: tuple[Tile, ...]
    taken: Tile
    from_seat: Seat


@dataclass(frozen=True, slots=True)
class KongDeclared:
    """A kong was declared on the own turn; `kind` is ADDED_KONG or CONCEALED_KONG."""

    seat: Seat
    kind: MeldKind
    tile: Tile


@dataclass(frozen=True, slots=True)
class Won:
    """A hand was laid open as a win.

    `hand` holds the concealed tiles including the winning one. `tile` is the winning tile, UNKNOWN where a
    drawn one is not told apart or where the win follows the own discard and so needs none. `from_seat` gave
    the tile by a discard or a robbed kong; None for all other wins.
    """

    seat: Seat
    hand: tuple[Tile, ...]
    tile: Tile = Tile.UNKNOWN
    from_seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class WallExhausted:
    """Nobody wants the last discard and no tile is left to draw (荒庄)."""


@dataclass(frozen=True, slots=True)
class FalseWin:
    """A win was declared that is none (炸胡), and a person has confirmed it; the deal goes on.

    `hand` holds the tiles that were laid open, empty where they are not known.
    """

    seat: Seat
    hand: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class Barred:
    """A person has found that a player may not win this deal, for instance with a tile too many."""

    seat: Seat
    reason: str


Flag = tuple[str, bool | int | str]
"""A circumstance of a win under the rule set's name, and its value."""


@dataclass(frozen=True, slots=True)
class Entered:
    """People have told how the deal ended, because nobody had followed it to its end; no `seat`: drawn.

    `how` is one of the rule set's ways of winning. `hand` holds the winner's concealed tiles without the
    winning `tile`, which is UNKNOWN where there is none; `from_seat` gave it. Of what was told of the deal
    before, only the dealer, the indicator and what people have ruled counts.
    """

    seat: Seat | None
    how: str = ""
    hand: tuple[Tile, ...] = ()
    melds: tuple[Meld, ...] = ()
    tile: Tile = Tile.UNKNOWN
    from_seat: Seat | None = None
    flags: tuple[Flag, ...] = ()


Event = (
    DealStarted
    | IndicatorTurned
    | Drew
    | FlowerShown
    | Discarded
    | Claimed
    | KongDeclared
    | Won
    | WallExhausted
    | FalseWin
    | Barred
    | Entered
)
