"""The tiles of each zone, and which of them the state knows. Pure.

In a player's own pond the tiles lie in rows as he laid them; in one that all share they lie anyhow, and only
the turns have told whose each is.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from controller.models import TableModel
from controller.tracker_tracks import Track, Tracks
from rules.state import TableState
from rules.tiles import SEATS, Seat, Tile
from vision.zones import ZoneKind


@dataclass(frozen=True, slots=True)
class Match:
    """One zone: tiles that are as expected, tiles beyond that, and expected faces that nobody sees."""

    matched: Mapping[int, Tile]
    extra: tuple[Track, ...]
    missing: tuple[Tile, ...]


Faces = tuple[Tile, ...]
Zoned = Mapping[tuple[ZoneKind, int | None], Sequence[Track]]


def zoned(lying: Iterable[Track]) -> Zoned:
    """The tiles by zone and its owner."""
    found: dict[tuple[ZoneKind, int | None], list[Track]] = {}
    for track in lying:
        found.setdefault((track.spot.kind, track.spot.seat), []).append(track)
    return found


def row_of(inside: Zoned, kind: ZoneKind, seat: int | None = None) -> tuple[Track, ...]:
    """The tiles of a zone from the owner's left to his right."""
    return tuple(sorted(inside.get((kind, seat), ()), key=lambda track: track.spot.u))


def as_laid(lying: Sequence[Track], seat: Seat, model: TableModel) -> tuple[Track, ...]:
    """A pond's tiles in the order in which they were laid: row after row, left to right."""
    rows = model.pond_rows

    def place(track: Track) -> tuple[int, float]:
        spot = track.spot
        return min(range(len(rows)), key=lambda row: abs(spot.v - rows[row])), spot.u

    pond = [t for t in lying if t.spot.kind is ZoneKind.POND and t.spot.seat == seat]
    return tuple(sorted(pond, key=place))


def zone_match(
    tracks: Tracks, inside: Zoned, zone: tuple[ZoneKind, Seat | None], expected: Faces, model: TableModel
) -> Match:
    """A zone's tiles beside the expected faces; what came of it last where nothing has changed."""
    kind, seat = zone
    lying = tuple(inside.get(zone, ()))
    asked = lying, expected, tuple(map(tracks.known, lying))
    last: tuple[object, Match] | None = tracks.compared.get(zone)
    if last is not None and last[0] == asked:
        return last[1]
    pond = kind is ZoneKind.POND and seat is not None
    row = as_laid(lying, seat, model) if pond and seat is not None else row_of(inside, kind, seat)
    # Sets grow to the left: where a face lies twice, the right one is the older.
    row = row[::-1] if kind is ZoneKind.MELD else row
    match = match_zone(tracks, row, expected)
    # What is new or can't be read depends on what lay elsewhere, too.
    if not match.extra and all(track.tile is not Tile.UNKNOWN for track in lying):
        tracks.compared[zone] = asked, match
    return match


def match_zone(tracks: Tracks, inside: Sequence[Track], expected: Iterable[Tile]) -> Match:
    """Pair tiles and expected faces: known ones first, then by face, then unread ones by their place."""
    wanted = list(expected)
    matched: dict[int, Tile] = {}

    def take(track: Track, tile: Tile | None) -> None:
        if tile is not None and track.id not in matched and tile in wanted:
            wanted.remove(tile)
            matched[track.id] = tile

    for track in inside:
        if track.tile in {tracks.known(track), Tile.UNKNOWN}:
            take(track, tracks.known(track))
    new = [track for track in inside if track.id not in matched]
    if len(new) > 1 and wanted:
        new.sort(key=lambda t: tracks.face_here(t, wanted) is not t.tile)
    for track in new:
        take(track, track.tile if track.tile is not Tile.UNKNOWN else None)
    for track in inside:
        if track.tile is Tile.UNKNOWN:
            take(track, tracks.face_here(track, wanted))
    extra = tuple(track for track in inside if track.id not in matched)
    return Match(matched, extra, tuple(wanted))


def own_ponds(tracks: Tracks, inside: Zoned, state: TableState, model: TableModel) -> tuple[Match, ...]:
    """The ponds of the four seats; nothing lies in them where all share one."""
    return tuple(
        zone_match(
            tracks,
            inside,
            (ZoneKind.POND, seat),
            () if model.shares_pond else state.ponds[seat],
            model,
        )
        for seat in SEATS
    )


def common_pond(tracks: Tracks, inside: Zoned, state: TableState, model: TableModel) -> Match:
    """The pond of all, whose tiles lie there in no order; empty where everybody has his own."""
    lying = sorted(inside.get((ZoneKind.POND, None), ()), key=lambda track: (tracks.came(track), track.id))
    if not model.shares_pond:
        return match_zone(tracks, lying, ())
    expected = list(chain(*state.ponds))
    replaced = [known.tile for known in tracks.left(ZoneKind.POND, None) if _is_another(known, lying)]
    for tile in replaced:
        # Where another tile lies in its place, an equal one elsewhere is not it: it was misread, or taken.
        if tile in expected:
            expected.remove(tile)
    found = match_zone(tracks, lying, expected)
    return replace(
        found, missing=(*found.missing, *(tile for tile in replaced if tile in chain(*state.ponds)))
    )


def _is_another(known: Track, lying: Sequence[Track]) -> bool:
    return any(track.near(known) and track.tile not in {known.tile, Tile.UNKNOWN} for track in lying)


def owners(missing: Sequence[Tile], state: TableState) -> tuple[tuple[Seat, Tile], ...]:
    """Whose the tiles were that are gone from a common pond: of equal ones the last discard goes first."""
    lying = [(seat, tile) for seat in SEATS for tile in state.ponds[seat]]
    lying.sort(key=lambda placed: placed != state.last_discard)
    owned = []
    for tile in missing:
        owned.append(next(placed for placed in lying if placed[1] is tile))
        lying.remove(owned[-1])
    return tuple(owned)


def misread(
    tracks: Tracks, lying: Sequence[Track], state: TableState, model: TableModel
) -> Mapping[int, Tile]:
    """The faces that the tiles in the ponds have by the state, where as many lie there as it says.

    In a common pond only one tile can be told to be another than it is read.
    """
    faces: dict[int, Tile] = {}
    if model.shares_pond:
        found = common_pond(tracks, zoned(lying), state, model)
        if len(found.extra) == len(found.missing) == 1:
            faces[found.extra[0].id] = found.missing[0]
        return faces
    for seat in SEATS:
        laid = as_laid(lying, seat, model)
        if len(laid) == len(state.ponds[seat]):
            faces |= {track.id: tile for track, tile in zip(laid, state.ponds[seat], strict=True)}
    return faces


def lies_so(lying: Sequence[Track], seat: Seat, state: TableState, model: TableModel) -> bool:
    """Whether a seat's pond lies there as it was laid; in a common pond: whether all of it is there."""
    if model.shares_pond:
        there = Counter(track.tile for track in lying if track.spot.kind is ZoneKind.POND)
        return Counter(chain(*state.ponds)) <= there
    laid, pond = as_laid(lying, seat, model), state.ponds[seat]
    return tuple(track.tile for track in laid[: len(pond)]) == pond


def thrown_last(lying: Sequence[Track], seat: Seat, tile: Tile, model: TableModel) -> Track | None:
    """The last tile of a seat's pond if it has this face; in a common pond the last one with it."""
    if model.shares_pond:
        pond = [t for t in lying if t.spot.kind is ZoneKind.POND and t.tile is tile]
        return max(pond, key=lambda track: track.id, default=None)
    laid = as_laid(lying, seat, model)
    return laid[-1] if laid and laid[-1].tile is tile else None
