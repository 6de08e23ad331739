"""Turns that nobody has seen: what the table tells of them beside its faces. Pure.

After a camera or a controller was away, many tiles are new in one look. Their places tell their order in each
pond, how a set lies tells who gave what for it, and the looks at which they came tell what was before what.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Final

from controller.models import TableModel
from controller.tracker_difference import Difference, new_sets
from controller.tracker_steps import was_thrown
from controller.tracker_tracks import Track, Tracks
from controller.tracker_zones import as_laid
from rules.explain_seen import Claim, Group, Seen, Traces
from rules.explain_turns import Turns, explain_turns
from rules.ruleset import RuleSet
from rules.state import TableState
from rules.tiles import SEATS, Seat, Tile

HOLE: Final = 0.7
"""So many widths of a tile between neighbours of a pond: one that was not found lies between them."""


@dataclass(frozen=True, slots=True)
class _Pond:
    """What is new in a pond, if its tile that lay last is still there (`gone` is None) or was taken."""

    new: tuple[Track, ...]
    gone: Tile | None = None


def turns(tracks: Tracks, state: TableState, found: Difference, rules: RuleSet, model: TableModel) -> Turns:
    """All accounts of the table that differ in something that matters; none where tiles seem to lack.

    None either where a fourth tile was taken back and thrown: that is no kong's that was robbed.

    Where a set does not tell who gave what for it, the turns alone do: that is for people to confirm.
    """
    lying = tracks.lying()
    ponds = [_readings(as_laid(lying, seat, model), state, seat) for seat in SEATS]
    if was_thrown(tracks, found):
        return Turns()
    if found.problem is not None or any(_has_hole(as_laid(lying, seat, model), model) for seat in SEATS):
        return Turns()
    sets = _sets(tracks, lying, found)
    told: list[Turns] = []
    for reading in product(*ponds):
        traces = replace(sets, ponds={s: tuple(map(tracks.came, reading[s].new)) for s in SEATS})
        told.append(explain_turns(state, _seen(found.seen, reading), traces, rules))
    ways = tuple(dict.fromkeys(way for one in told for way in one.ways))
    silent = any(
        _is_claimed(tiles) and (seat, tiles) not in sets.claims for seat, tiles in found.seen.meld_added
    )
    return Turns(ways, complete=not silent and all(one.complete for one in told))


def _is_claimed(tiles: Sequence[Tile]) -> bool:
    return len(tiles) > 2 and Tile.BACK not in tiles


def _readings(laid: Sequence[Track], state: TableState, seat: Seat) -> tuple[_Pond, ...]:
    """How a pond may have become what it is: with the tile that lay last, or, if it may be gone, without."""
    pond = state.ponds[seat]
    found = []
    if _begins(laid, pond):
        found.append(_Pond(tuple(laid[len(pond) :])))
    if state.last_discard is not None and state.last_discard[0] is seat and _begins(laid, pond[:-1]):
        found.append(_Pond(tuple(laid[len(pond) - 1 :]), state.last_discard[1]))
    return tuple(found)


def _begins(laid: Sequence[Track], pond: Sequence[Tile]) -> bool:
    """Whether a pond's tiles begin with those that are known; one that can't be read now is what it was."""
    known = zip(laid, pond, strict=False)
    return len(laid) >= len(pond) and all(track.tile in {tile, Tile.UNKNOWN} for track, tile in known)


def _seen(seen: Seen, reading: Sequence[_Pond]) -> Seen:
    return replace(
        seen,
        pond_added=tuple((seat, track.tile) for seat in SEATS for track in reading[seat].new),
        pond_removed=tuple((seat, gone) for seat in SEATS if (gone := reading[seat].gone) is not None),
    )


def _has_hole(laid: Sequence[Track], model: TableModel) -> bool:
    """Whether a tile seems to lack between two neighbours of a row."""
    width = model.tile.width
    return any(
        abs(one.spot.v - other.spot.v) < model.tile.length / 2
        and other.spot.u - one.spot.u - (one.across + other.across) / 2 > HOLE * width
        for one, other in pairwise(laid)
    )


def _sets(tracks: Tracks, lying: Sequence[Track], found: Difference) -> Traces:
    """How each new set may have been claimed, and when its tiles came."""
    claims: dict[Group, tuple[Claim, ...]] = {}
    ages: dict[Group, list[int]] = {}
    seen: Counter[Group] = Counter()
    for group, laid in new_sets(lying, found):
        seen[group] += 1
        ages.setdefault(group, []).extend(tracks.came(track) for track in laid)
        told = tuple(_claims(group[0], laid))
        if told:
            claims[group] = told
    # Of two sets that are alike nobody knows which is which.
    alone = {group: told for group, told in claims.items() if seen[group] == 1}
    return Traces(claims=alone, sets={group: (min(came), max(came)) for group, came in ages.items()})


def _claims(owner: Seat, laid: Sequence[Track]) -> Iterator[Claim]:
    """What the tile that lies across tells: its place is where it came from.

    A fourth tile may have been laid to a set of three later, at its left end.
    """
    across = [place for place, track in enumerate(laid) if track.sideways]
    if len(across) != 1:
        return
    (place,) = across
    yield Claim(laid[place].tile, _giver(owner, place, len(laid)), len(laid))
    if len(laid) == 4 and place > 0:
        yield Claim(laid[place].tile, _giver(owner, place - 1, 3), 3)


def _giver(owner: Seat, place: int, size: int) -> Seat:
    if place == 0:
        return owner.previous
    return owner.next if place == size - 1 else owner.opposite
