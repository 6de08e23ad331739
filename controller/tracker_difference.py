"""The difference between the tiles that lie on a table and those the state says lie there. Pure.

Nothing here knows what a difference means; that is for `rules.explain`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from math import inf
from typing import Final

from controller.doubts import DoubtKind, Problem, problem, tile_at
from controller.models import TableModel
from controller.tracker_tracks import Track, Tracks
from controller.tracker_zones import Match, common_pond, own_ponds, owners, row_of, zone_match, zoned
from rules.events import Claimed, Discarded, Event, Meld, MeldKind
from rules.explain_seen import Group, Seen
from rules.log import has_won_falsely
from rules.ruleset import RuleSet
from rules.state import Hand, TableState
from rules.tiles import SEATS, Seat, Tile
from vision.zones import ZoneKind

TOUCHING_MM: Final = 4.5
"""Tiles of one set touch; sets are laid 8 mm apart."""

LOOSE_MM: Final = 15.0
"""Tiles that are laid together lie no further apart, however loosely."""

MOST_NEW: Final = 16
"""With more new discards than these, sets that were made meanwhile may have been made in any turn."""

MUCH: Final = 9
"""More changes than these are beyond what a search for the shortest account reaches."""

MOST_WORDS: Final = 6
"""So many differences are told of one table."""

_ZH: Final = {ZoneKind.POND: "牌河", ZoneKind.MELD: "副露", ZoneKind.HAND: "手牌", ZoneKind.INDICATOR: "翻牌"}
_OUT: Final = "台面"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What is on the table and not in the state, and the other way round.

    Attributes:
        seen: the difference as the rules take it; tiles that can't be read are left out.
        unsure: new tiles that can't be read.
        unread: which face the state gives to unsure tiles, where their numbers match zone by zone.
        matched: the tiles that the state knows, with its faces.
        problem: what no play can account for, None where `seen` is all.
        turned: by owner and tiles of a new set, its tile that lies sideways and the seat that points at.
        displaced: a face that lies where no tile belongs, None where there is none.
    """

    seen: Seen
    unsure: tuple[Track, ...] = ()
    unread: Mapping[int, Tile] = field(default_factory=dict)
    matched: Mapping[int, Tile] = field(default_factory=dict)
    problem: Problem | None = None
    turned: Mapping[tuple[Seat, tuple[Tile, ...]], tuple[Tile, Seat]] = field(default_factory=dict)
    displaced: Problem | None = None

    @property
    def too_much(self) -> bool:
        """Whether more has happened than anybody can tell: many discards, and sets that took some."""
        new = len(self.seen.pond_added) + sum(map(len, self.seen.common_added))
        return new > MOST_NEW and bool(self.seen.meld_added)

    @property
    def thrown_together(self) -> bool:
        """Whether tiles came into a common pond of which nobody has seen which was thrown first."""
        return any(len(set(group)) > 1 for group in self.seen.common_added)

    @property
    def much(self) -> bool:
        """Whether so many tiles are new or gone that no few plays account for them."""
        seen = self.seen
        return len(seen.pond_added) + len(seen.pond_removed) + len(seen.meld_added) > MUCH

    @property
    def only_gone(self) -> bool:
        """Whether tiles are gone and nothing else differs."""
        rest = replace(self.seen, pond_removed=(), meld_removed=(), ended=False)
        return self.changed and bool(rest == Seen())

    @property
    def only_shown(self) -> bool:
        """Whether hands are laid open, perhaps with a tile from a pond, and nothing else differs."""
        rest = replace(self.seen, shown=(), apart=None, pond_removed=(), ended=False)
        return bool(self.seen.shown) and bool(rest == Seen())

    @property
    def changed(self) -> bool:
        """Whether anything but the players' word differs."""
        return bool(replace(self.seen, ended=False) != Seen())

    def tells(self, way: Sequence[Event], witnessed: frozenset[Seat] = frozenset()) -> bool:
        """Whether every discard was seen or is told by the set that took it, and no set denies its claim.

        In a set the claimed tile lies sideways where it came from, as the claimer sees it: at his left, in
        the middle, or at his right. A set without one such tile tells nothing and denies nothing. Of the
        seats in `witnessed` a discard was seen to lie, if not what it was.
        """
        for before, after in pairwise((None, *way)):
            if not isinstance(after, Claimed):
                continue
            told = self.turned.get((after.seat, after.tiles))
            if told is None and isinstance(before, Discarded) and before.seat not in witnessed:
                return False
            if told is not None and told[0] is not after.taken:
                return False
            if told is not None and isinstance(before, Discarded) and told[1] is not after.from_seat:
                return False
        return True

    def in_words(self) -> tuple[str, str]:
        """What differs, in Chinese and English: what is gone first, and no more than people can check."""
        parts = [tile_at(seat, "牌河少了", "pond lacks", tile) for seat, tile in self.seen.pond_removed]
        parts += [tile_at(seat, "副露少了", "melds lack", tile) for seat, tile in self.seen.meld_removed]
        parts += [tile_at(seat, "牌河多了", "pond has a new", tile) for seat, tile in self.seen.pond_added]
        parts += [
            tile_at(seat, "副露多了", "melds have a new", tile)
            for seat, tiles in self.seen.meld_added
            for tile in tiles
        ]
        parts += [
            tile_at(seat, f"亮出{len(tiles)}张", f"shows {len(tiles)} tiles", None)
            for seat, tiles in self.seen.shown
        ]
        thrown = chain(*self.seen.common_added)
        parts += [tile_at(None, "牌河多了", "pond has a new", tile) for tile in thrown]
        more = len(parts) - MOST_WORDS
        if more > 0:
            parts = [*parts[:MOST_WORDS], (f"等{more}处", f"and {more} more")]
        return "、".join(zh for zh, _ in parts), ", ".join(en for _, en in parts)


def difference(
    tracks: Tracks, lying: Sequence[Track], state: TableState, rules: RuleSet, model: TableModel
) -> Difference:
    """Compare zone by zone what lies there with what the state says; `tracks` remembers what was known."""
    inside = zoned(lying)
    ponds = own_ponds(tracks, inside, state, model)
    common = common_pond(tracks, inside, state, model)
    melds = [
        zone_match(tracks, inside, (ZoneKind.MELD, seat), _meld_faces(state.hands[seat]), model)
        for seat in SEATS
    ]
    expected = () if state.indicator is None else (state.indicator,)
    centre = zone_match(tracks, inside, (ZoneKind.INDICATOR, None), expected, model)
    rows = [
        # A hand that was shown in vain may go on lying open; it says nothing any more.
        _OpenRow(() if row and has_won_falsely(state, seat) else row, state.hands[seat], model)
        for seat in SEATS
        for row in (row_of(inside, ZoneKind.HAND, seat),)
    ]
    matches = (*ponds, common, *melds, centre)
    unsure = tuple(t for match in matches for t in match.extra if not _is_face(t, in_meld=match in melds))
    seen = Seen(
        pond_added=_by_seat((seat, _faces(ponds[seat].extra)) for seat in SEATS),
        pond_removed=_by_seat((seat, ponds[seat].missing) for seat in SEATS) + owners(common.missing, state),
        meld_added=tuple(
            (seat, cluster) for seat in SEATS for cluster in _clusters(melds[seat].extra) if cluster
        ),
        shown=tuple((seat, rows[seat].faces) for seat in SEATS if rows[seat].open),
        apart=next((row.apart for row in rows if row.open and row.apart is not None), None),
        indicator=next(iter(_faces(centre.extra)), None),
        meld_removed=_by_seat((seat, melds[seat].missing) for seat in SEATS),
        common_added=_as_they_came(tracks, common.extra),
    )
    found = Difference(
        seen=seen,
        unsure=(*unsure, *(track for row in rows for track in row.unsure)),
        unread=_unread(matches),
        matched={number: tile for match in matches for number, tile in match.matched.items()},
        turned={
            (seat, tuple(sorted(track.tile for track in group))): told
            for seat in SEATS
            for group in _groups(melds[seat].extra)
            if (told := _turned(seat, group)) is not None
        },
        displaced=_displaced(inside.get((ZoneKind.OUTSIDE, None), ())),
    )
    trouble = _problem(found, state, rules, centre)
    trouble = trouble or _reread(tracks, ((None, common), *zip(SEATS, ponds, strict=True)))
    return replace(found, problem=trouble)


def _reread(tracks: Tracks, ponds: Iterable[tuple[Seat | None, Match]]) -> Problem | None:
    """One known tile is another now, and its face turns up elsewhere: it was misread, or is misread now."""
    for seat, match in ponds:
        if not match.extra:
            continue
        left = tracks.left(ZoneKind.POND, seat)
        if len(left) != 1 or left[0].tile in match.missing:
            continue
        for track in match.extra:
            if track.near(left[0]) and _is_face(track, in_meld=False):
                zh, en = tile_at(
                    seat, f"牌河的{left[0].tile.zh}变成", f"pond: {left[0].tile} is now", track.tile
                )
                return problem(DoubtKind.UNEXPLAINED, zh=zh, en=en)
    return None


def _meld_faces(hand: Hand) -> tuple[Tile, ...]:
    """What a camera sees of declared sets: a concealed kong lies back, face, face, back."""
    return tuple(tile for meld in hand.melds for tile in _visible(meld))


def _visible(meld: Meld) -> tuple[Tile, ...]:
    if meld.kind is MeldKind.CONCEALED_KONG:
        return (Tile.BACK, *meld.tiles[:2], Tile.BACK)
    return meld.tiles


def _is_face(track: Track, *, in_meld: bool) -> bool:
    """Whether the tile can be told; a tile face down can be only in a set."""
    return track.tile is not Tile.UNKNOWN and (in_meld or track.tile is not Tile.BACK)


def _faces(extra: Iterable[Track]) -> tuple[Tile, ...]:
    return tuple(track.tile for track in extra if _is_face(track, in_meld=False))


def _as_they_came(tracks: Tracks, extra: Iterable[Track]) -> tuple[tuple[Tile, ...], ...]:
    """The faces in the order of the complete looks at which they lay there first; of one look together.

    A tile that may have lain elsewhere before may belong to any look since then.
    """
    groups: list[list[Tile]] = []
    last = -inf
    for track in sorted(extra, key=tracks.earliest):
        if not _is_face(track, in_meld=False):
            continue
        if not groups or tracks.earliest(track) > last:
            groups.append([])
        groups[-1].append(track.tile)
        last = max(last, tracks.came(track))
    return tuple(map(tuple, groups))


def _by_seat(rows: Iterable[tuple[Seat, tuple[Tile, ...]]]) -> tuple[tuple[Seat, Tile], ...]:
    return tuple((seat, tile) for seat, tiles in rows for tile in tiles)


def _clusters(extra: Sequence[Track]) -> tuple[tuple[Tile, ...], ...]:
    """The new sets of a row in the order in which they were laid: from the right corner on."""
    return tuple(tuple(track.tile for track in group) for group in reversed(_groups(extra)))


def new_sets(lying: Iterable[Track], found: Difference) -> Iterator[tuple[Group, list[Track]]]:
    """The new sets with their tiles, from left to right."""
    inside = zoned(lying)
    for seat in SEATS:
        row = inside.get((ZoneKind.MELD, seat), ())
        for group in _groups([track for track in row if track.id not in found.matched]):
            yield (seat, tuple(track.tile for track in group)), group


def _turned(owner: Seat, group: Sequence[Track]) -> tuple[Tile, Seat] | None:
    """The tile of a set that lies sideways and the seat it points at; None where it can't be told."""
    lying = [place for place, track in enumerate(group) if track.sideways]
    if len(lying) != 1:
        return None
    (place,) = lying
    giver = owner.previous if place == 0 else owner.next if place == len(group) - 1 else owner.opposite
    return group[place].tile, giver


def _groups(extra: Sequence[Track]) -> list[list[Track]]:
    """The tiles of new sets: neighbours that touch belong together; three tiles are one set in any case."""
    groups: list[list[Track]] = []
    reach = LOOSE_MM if len(extra) == 3 else TOUCHING_MM
    for track in sorted(extra, key=lambda track: track.spot.u):
        if track.tile is Tile.UNKNOWN:
            continue
        if groups and _gap(groups[-1][-1], track) <= reach:
            groups[-1].append(track)
        else:
            groups.append([track])
    return groups


def _gap(left: Track, right: Track) -> float:
    """Millimetres between two neighbours of a row."""
    return right.spot.u - left.spot.u - (left.across + right.across) / 2


class _OpenRow:
    """The faces in a seat's hand row. A rack's standing tiles show none, so faces mean a hand laid open.

    A few faces are a tile that fell over, or the beginning of a hand that is being laid open: not yet a row.
    """

    def __init__(self, row: Sequence[Track], hand: Hand, model: TableModel) -> None:
        faces = [track for track in row if _is_face(track, in_meld=False)]
        self.open = 2 * len(faces) >= max(1, len(hand.concealed))
        self.faces = tuple(track.tile for track in faces)
        self.unsure = tuple(t for t in row if t not in faces) if self.open else ()
        self.apart: Tile | None = None
        if self.open and len(row) > 1 and _gap(row[-2], row[-1]) >= model.apart - NEARLY_MM:
            self.apart = row[-1].tile


NEARLY_MM: Final = 4.0
"""A gap may be read this much too small."""


def _unread(matches: Iterable[Match]) -> dict[int, Tile]:
    faces: dict[int, Tile] = {}
    for match in matches:
        unsure = [track for track in match.extra if track.tile is Tile.UNKNOWN]
        if len(unsure) == len(match.missing):
            faces |= {track.id: tile for track, tile in zip(unsure, match.missing, strict=True)}
    return faces


def _displaced(outside: Iterable[Track]) -> Problem | None:
    for track in outside:
        if _is_face(track, in_meld=False):
            zh, en = tile_at(None, _OUT, f"at ({track.x:.0f}, {track.y:.0f}) mm", track.tile)
            return problem(DoubtKind.DISPLACED, zh=zh, en=en)
    return None


def _problem(found: Difference, state: TableState, rules: RuleSet, centre: Match) -> Problem | None:
    """What keeps the rules from being asked: unread tiles, too many copies, a changed indicator."""
    if found.unsure:
        places = [
            tile_at(track.spot.seat, _ZH.get(track.spot.kind, _OUT), f"{track.spot.kind}", None)
            for track in found.unsure
        ]
        return problem(
            DoubtKind.UNSURE, zh="、".join(zh for zh, _ in places), en=", ".join(en for _, en in places)
        )
    many = _too_many(found, state, rules)
    if many is not None:
        return problem(DoubtKind.COPIES, zh=many.zh, en=str(many))
    if len(centre.extra) > 1 or (centre.extra and state.indicator is not None):
        return problem(DoubtKind.DISPLACED, zh="翻牌处多了牌", en="more than one tile at the indicator")
    if centre.missing:
        zh, en = tile_at(None, "翻牌", "indicator", centre.missing[0])
        return problem(DoubtKind.VANISHED, zh=zh, en=en)
    return None


def _too_many(found: Difference, state: TableState, rules: RuleSet) -> Tile | None:
    """A face of which more tiles lie there than the set has."""
    counts = Counter(found.matched.values())
    counts.update(tile for _, tile in found.seen.pond_added)
    counts.update(chain(*found.seen.common_added))
    for _, tiles in (*found.seen.meld_added, *found.seen.shown):
        counts.update(tiles)
    if found.seen.indicator is not None:
        counts[found.seen.indicator] += 1
    for hand in state.hands:
        hidden = [meld.tiles[0] for meld in hand.melds if meld.kind is MeldKind.CONCEALED_KONG]
        counts.update(tile for tile in hidden for _ in range(2))
    copies = rules.copies
    for tile, number in counts.items():
        if tile not in {Tile.BACK, Tile.UNKNOWN} and number > copies.get(tile, 0):
            return tile
    return None
