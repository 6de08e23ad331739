"""One win as a single moment: the tiles and the circumstances, with no log around them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rules.legality import forms_set
from rules.tiles import KINDS, Tile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.events import Meld
    from rules.ruleset import RuleSet
    from rules.tiles import Seat


class NoWin(Exception):
    """The moment is no win, or none that can be; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What a person or a file says about one win.

    `how` is one of the rule set's ways of winning. `concealed` are the tiles in hand without the winning
    `tile`, which is UNKNOWN where there is none or where the hand holds it already. `from_seat` gave it.
    `flags` are circumstances under the rule set's names; names that it does not know are passed over.
    """

    how: str
    seat: Seat
    dealer: Seat
    concealed: tuple[Tile, ...]
    melds: tuple[Meld, ...] = ()
    tile: Tile = Tile.UNKNOWN
    from_seat: Seat | None = None
    indicator: Tile | None = None
    wild: Tile | None = None
    flags: Mapping[str, object] = field(default_factory=dict)

    @property
    def hand(self) -> tuple[Tile, ...]:
        """The concealed tiles with the winning one."""
        return self.concealed if self.tile is Tile.UNKNOWN else (*self.concealed, self.tile)

    @property
    def size(self) -> int:
        """Number of tiles with the winning one, where every set counts three."""
        return len(self.concealed) + (self.tile is not Tile.UNKNOWN) + 3 * len(self.melds)


NEEDS_GIVER: Final = frozenset({"discard", "robkong"})
"""The ways of winning with another player's tile."""


def impossible(moment: Moment, rules: RuleSet) -> str | None:
    """Why no such moment can be at a table, or None: tiles, copies, declared sets, seats."""
    if moment.how in NEEDS_GIVER:
        if moment.from_seat is None or moment.from_seat is moment.seat:
            return f"a win by {moment.how} needs another player who gave the tile"
        if moment.tile is Tile.UNKNOWN:
            return f"a win by {moment.how} needs the winning tile"
    wrong = _wrong_set(moment)
    return wrong or _wrong_tile(moment, rules)


def _wrong_set(moment: Moment) -> str | None:
    if len(moment.melds) > 4:
        return f"{len(moment.melds)} declared sets, a hand has at most 4"
    for meld in moment.melds:
        text = " ".join(map(str, meld.tiles))
        if moment.wild in meld.tiles:
            return f"{text}: the wild tile is in no declared set"
        if not forms_set(meld.kind, meld.tiles):
            return f"{text} is no {meld.kind}"
        if meld.taken_from is moment.seat:
            return f"{text}: nobody claims his own discard"
    return None


def _wrong_tile(moment: Moment, rules: RuleSet) -> str | None:
    held = moment.hand
    for meld in moment.melds:
        held += meld.tiles
    counts: dict[Tile, int] = {}
    for tile in held:
        counts[tile] = counts.get(tile, 0) + 1
    if moment.indicator in counts:
        counts[moment.indicator] += 1
    copies = rules.copies
    for tile, number in counts.items():
        if tile >= KINDS or tile not in copies:
            return f"{tile} can't be part of a winning hand"
        if number > copies[tile]:
            return f"{number} copies of {tile} with the indicator, the set has {copies[tile]}"
    return None
