"""Joint decoding of what lies on a table: which readings there become unsure together. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Final

from rules.tiles import Tile
from vision.joint import Chances, Limits, Reading, unsure_together
from vision.joint_doubts import too_near
from vision.zones import SEATS, Spot, ZoneKind

RELIED_ON: Final = 2.0
"""Log-odds for a face that was told when the table last settled: it was agreed on, and play went on by it."""
MOVED: Final = 2.0
"""The same for a new tile of a face that was taken away elsewhere since: it is probably the same tile."""
HAND: Final = 14
"""Tiles of a hand with the winning one; each declared set takes three off."""
ROW_MM: Final = 38.0
"""The middles of neighbours in one declared set lie no further apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """A tile on the table: its face, how it was read, where it lies, and whether it was relied on before."""

    face: Tile
    chances: Chances
    spot: Spot
    firm: bool


def unsure_on_table(
    lying: Sequence[Lying], copies: Mapping[Tile, int], gone: Sequence[Tile], doubtful: Sequence[Chances] = ()
) -> frozenset[int]:
    """The indices of tiles that become unsure.

    Args:
        lying: everything that is told, backs included, in any order.
        copies: the tiles of the set in play.
        gone: faces that were told and taken away since the table last settled.
        doubtful: (44,) probabilities of the tiles that are unsure by themselves; what they waver between
            must be far apart in the others (`joint_doubts`).
    """
    kongs = _concealed_kongs(lying)
    taken_away = Counter(gone)
    readings = [
        Reading(
            one.face,
            one.chances,
            support=RELIED_ON if one.firm else MOVED if taken_away[one.face] else 0.0,
            stands_for=2 if k in kongs else 1,
        )
        for k, one in enumerate(lying)
    ]
    too_many = unsure_together(readings, Limits(copies, _hands(lying)))
    return too_many | too_near(readings, doubtful, copies)


def _concealed_kongs(lying: Sequence[Lying]) -> set[int]:
    """The open tiles of concealed kongs, each of which stands for one that lies face down beside it."""
    found: set[int] = set()
    for seat in SEATS:
        row = _row(lying, ZoneKind.MELD, seat)
        for four in zip(row, row[1:], row[2:], row[3:], strict=False):
            faces = [lying[k].face for k in four]
            outer = faces[0] is Tile.BACK and faces[3] is Tile.BACK
            near = all(lying[b].spot.u - lying[a].spot.u < ROW_MM for a, b in pairwise(four))
            if outer and near and faces[1] is faces[2] is not Tile.BACK:
                found |= set(four[1:3])
    return found


def _hands(lying: Sequence[Lying]) -> tuple[tuple[frozenset[int], int], ...]:
    """Each seat's open hand, and how many tiles it can have beside the seat's declared sets."""
    groups = []
    for seat in SEATS:
        hand = [k for k in _row(lying, ZoneKind.HAND, seat) if lying[k].face is not Tile.BACK]
        sets = ceil(len(_row(lying, ZoneKind.MELD, seat)) / 4)
        groups.append((frozenset(hand), HAND - 3 * sets))
    return tuple(groups)


def _row(lying: Sequence[Lying], kind: ZoneKind, seat: int) -> list[int]:
    """The tiles of a seat's zone from its left to its right."""
    inside = [k for k, one in enumerate(lying) if (one.spot.kind, one.spot.seat) == (kind, seat)]
    return sorted(inside, key=lambda k: lying[k].spot.u)
