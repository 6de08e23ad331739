"""What was seen on a table beside what a state says: the question that `explain` answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rules.tiles import Seat, Tile

if TYPE_CHECKING:
    from collections.abc import Mapping

Placed = tuple[tuple[Seat, Tile], ...]
Groups = tuple[tuple[Seat, tuple[Tile, ...]], ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """The difference between what lies on the table and what a state says lies there.

    Attributes:
        pond_added: new tiles in ponds; those of one seat in the order in which they lie.
        pond_removed: tiles that are gone from ponds.
        meld_added: new sets, each with all its tiles; a concealed kong has tiles that are BACK. The
            fourth tile of an added kong is a group of its own, or the whole kong is given; so is a flower.
            Those of one seat in the order in which they were laid, as far as their places tell it: no rule
            asks for it, it decides between accounts that are the same in all that matters.
        shown: hands laid open, all their tiles: with the winning one, or without it where it lies elsewhere.
        apart: which tile of a shown hand is laid apart beside it; it is one of `shown`.
        indicator: the indicator, where it was turned up.
        ended: the players say that the deal is over (the table is cleared, the lift key was pressed).
        meld_removed: tiles that are gone from declared sets (a robbed kong's).
        common_added: new tiles in a pond that all share, where the turn tells whose each is: those that came
            together in a group of their own, the groups in the order in which they came.
    """

    pond_added: Placed = ()
    pond_removed: Placed = ()
    meld_added: Groups = ()
    shown: Groups = ()
    apart: Tile | None = None
    indicator: Tile | None = None
    ended: bool = False
    meld_removed: Placed = ()
    common_added: tuple[tuple[Tile, ...], ...] = ()


Group = tuple[Seat, tuple[Tile, ...]]
Ages = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Claim:
    """Where a new set may come from: the tile that was taken, who gave it, and how many tiles it had then."""

    taken: Tile
    giver: Seat
    size: int


@dataclass(frozen=True, slots=True)
class Traces:
    """What new tiles tell beside their faces.

    Attributes:
        claims: by new set (its owner and tiles as in `Seen.meld_added`) how it may have been claimed, as its
            tiles lie; a set that is missing tells nothing.
        ponds: by seat the ages of its tiles of `Seen.pond_added`, in their order.
        sets: by new set the least and the greatest age of its tiles.

    Ages are numbers that grow with the time at which tiles were seen first; what was seen first in one look
    has one age, and nobody knows its order.
    """

    claims: Mapping[Group, tuple[Claim, ...]] = field(default_factory=dict)
    ponds: Mapping[Seat, tuple[int, ...]] = field(default_factory=dict)
    sets: Mapping[Group, Ages] = field(default_factory=dict)
