"""Which body is where: the 136 tiles as things that are moved about and never lost.

A body is a number 0..135; its face is `face(body)`. Every function takes where the bodies are and returns
where they are afterwards; `count` of the result never changes. Nothing here knows rules or millimetres.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeVar

from rules.tiles import Tile

Row = TypeVar("Row")

BODIES: Final = 136
SLOTS_PER_SIDE: Final = 34
STACKS_PER_SIDE: Final = 17
FACES: Final = tuple(Tile(body // 4) for body in range(BODIES))
CLOCKWISE: Final = (0, 3, 2, 1)
"""The sides in the order in which a wall is taken down: clockwise, each from its owner's right end."""


def face(body: int) -> Tile:
    """The tile a body shows: four bodies of each of the 34 kinds."""
    return FACES[body]


class Slot(NamedTuple):
    """A place in the walls: stack 0 is at the owner's right end, layer 1 lies on layer 0."""

    side: int
    stack: int
    layer: int


def slot_at(position: int) -> Slot:
    """The slot at `position` 0..135 clockwise from the right end of seat 0's wall, upper tile first."""
    around, within = divmod(position, SLOTS_PER_SIDE)
    stack, lower = divmod(within, 2)
    return Slot(CLOCKWISE[around], stack, 1 - lower)


@dataclass(frozen=True, slots=True)
class LaidMeld:
    """A meld on the table, left to right as its owner sees it."""

    bodies: tuple[int, ...]
    turned: int | None = None
    face_down: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Bodies:
    """Where each body is.

    `wall`: (slot, body) in the order in which they will be drawn; `apart`: the winning tile, laid a little
    away from the hand of the seat `shown`.
    """

    heap: tuple[int, ...] = ()
    inside: tuple[int, ...] = ()
    wall: tuple[tuple[Slot, int], ...] = ()
    racks: tuple[tuple[int, ...], ...] = ((), (), (), ())
    ponds: tuple[tuple[int, ...], ...] = ((), (), (), ())
    melds: tuple[tuple[LaidMeld, ...], ...] = ((), (), (), ())
    indicator: int | None = None
    shown: int | None = None
    apart: int | None = None

    def lying(self) -> tuple[int, ...]:
        """Every body that is on the table."""
        rows: Iterable[tuple[int, ...]] = (
            self.heap,
            tuple(body for _, body in self.wall),
            *self.racks,
            *self.ponds,
            *(meld.bodies for melds in self.melds for meld in melds),
            () if self.indicator is None else (self.indicator,),
            () if self.apart is None else (self.apart,),
        )
        return tuple(body for row in rows for body in row)

    @property
    def count(self) -> int:
        """Bodies on the table and in the machine."""
        return len(self.lying()) + len(self.inside)


def heaped() -> Bodies:
    """All tiles lie about on the table, before the first hand."""
    return Bodies(heap=tuple(range(BODIES)))


def pushed_in(bodies: Bodies, gone: Iterable[int]) -> Bodies:
    """These bodies fall through the hatch; melds and the tiles of an open hand go together."""
    away = set(gone)

    def keep(row: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(body for body in row if body not in away)

    return replace(
        bodies,
        heap=keep(bodies.heap),
        inside=(*bodies.inside, *(body for body in bodies.lying() if body in away)),
        wall=tuple(pair for pair in bodies.wall if pair[1] not in away),
        racks=tuple(keep(rack) for rack in bodies.racks),
        ponds=tuple(keep(pond) for pond in bodies.ponds),
        melds=tuple(tuple(m for m in melds if not away.issuperset(m.bodies)) for melds in bodies.melds),
        indicator=None if bodies.indicator in away else bodies.indicator,
        apart=None if bodies.apart in away else bodies.apart,
    )


def walls_up(order: tuple[int, ...]) -> Bodies:
    """The machine has built the walls: `order[p]` lies in `slot_at(p)`."""
    if sorted(order) != list(range(BODIES)):
        raise ValueError(f"the walls are built of all {BODIES} tiles")
    return Bodies(wall=tuple((slot_at(position), body) for position, body in enumerate(order)))


def broken(bodies: Bodies, *, side: int, stacks: int) -> Bodies:
    """The break: `stacks` stacks are passed at the right end of this side's wall; the rest comes first."""
    start = CLOCKWISE.index(side) * SLOTS_PER_SIDE + 2 * stacks
    return replace(bodies, wall=bodies.wall[start:] + bodies.wall[:start])


def taken(bodies: Bodies, seat: int, number: int = 1) -> Bodies:
    """`seat` takes the next `number` tiles from the head of the wall."""
    rack = (*bodies.racks[seat], *(body for _, body in bodies.wall[:number]))
    return replace(bodies, wall=bodies.wall[number:], racks=_set(bodies.racks, seat, rack))


def replaced(bodies: Bodies, seat: int) -> Bodies:
    """`seat` takes a kong's replacement from the tail of the wall, the upper tile of the last stack first."""
    last = next_tail(bodies)
    wall = tuple(pair for pair in bodies.wall if pair[1] != last)
    return replace(bodies, wall=wall, racks=_set(bodies.racks, seat, (*bodies.racks[seat], last)))


def next_tail(bodies: Bodies) -> int:
    """The body that a kong's replacement draw takes."""
    end = bodies.wall[-1][0]
    stack = [pair for pair in bodies.wall[-2:] if (pair[0].side, pair[0].stack) == (end.side, end.stack)]
    return stack[0][1]


def indicator_laid(bodies: Bodies, at: int = 0) -> Bodies:
    """The tile at place `at` of the wall (0: the next one) is turned up and laid in its place."""
    _, body = bodies.wall[at]
    return replace(bodies, wall=tuple(pair for pair in bodies.wall if pair[1] != body), indicator=body)


def sorted_rack(bodies: Bodies, seat: int, order: tuple[int, ...]) -> Bodies:
    """The player has put his tiles in another order."""
    if sorted(order) != sorted(bodies.racks[seat]):
        raise ValueError("a rack is put in order, not changed")
    return replace(bodies, racks=_set(bodies.racks, seat, order))


def discarded(bodies: Bodies, seat: int, body: int) -> Bodies:
    """A tile goes from the rack to the pond."""
    bodies = _from_rack(bodies, seat, (body,))
    return replace(bodies, ponds=_set(bodies.ponds, seat, (*bodies.ponds[seat], body)))


def claimed(bodies: Bodies, seat: int, own: tuple[int, ...], from_seat: int) -> Bodies:
    """The last tile of `from_seat`'s pond and the claimer's own tiles become a meld, the claimed one turned.

    It lies where it came from: left from the previous player, in the middle from opposite, right from the
    next.
    """
    taken_tile = bodies.ponds[from_seat][-1]
    place = {3: 0, 2: 1, 1: len(own)}[(from_seat - seat) % 4]
    laid = LaidMeld((*own[:place], taken_tile, *own[place:]), turned=taken_tile)
    bodies = _from_rack(bodies, seat, own)
    bodies = replace(bodies, ponds=_set(bodies.ponds, from_seat, bodies.ponds[from_seat][:-1]))
    return replace(bodies, melds=_set(bodies.melds, seat, (*bodies.melds[seat], laid)))


def kong_concealed(bodies: Bodies, seat: int, own: tuple[int, int, int, int]) -> Bodies:
    """Four tiles of the rack are laid down as back, face, face, back."""
    laid = LaidMeld(own, face_down=(own[0], own[3]))
    bodies = _from_rack(bodies, seat, own)
    return replace(bodies, melds=_set(bodies.melds, seat, (*bodies.melds[seat], laid)))


def kong_added(bodies: Bodies, seat: int, body: int) -> Bodies:
    """The fourth tile is laid beside the three of the peng, at their left end."""
    bodies = _from_rack(bodies, seat, (body,))
    kind = face(body)
    melds = tuple(
        replace(meld, bodies=(body, *meld.bodies)) if all(face(b) == kind for b in meld.bodies) else meld
        for meld in bodies.melds[seat]
    )
    return replace(bodies, melds=_set(bodies.melds, seat, melds))


def hand_shown(bodies: Bodies, seat: int, order: tuple[int, ...], *, apart: int | None = None) -> Bodies:
    """The winner lays his hand open in this order; a tile of his own hand (the drawn one) may lie apart."""
    rack = tuple(body for body in order if body != apart)
    bodies = sorted_rack(bodies, seat, (*rack, *(() if apart is None else (apart,))))
    return replace(bodies, racks=_set(bodies.racks, seat, rack), shown=seat, apart=apart)


def won_body(bodies: Bodies, from_seat: int, tile: Tile) -> int:
    """What is won with: a robbed kong's fourth (none of its kind is in a pond then) or the last discard."""
    kongs = (meld for meld in bodies.melds[from_seat] if [face(body) for body in meld.bodies] == [tile] * 4)
    kong = next(kongs, None)
    return bodies.ponds[from_seat][-1] if kong is None else kong.bodies[0]


def winning_tile_fetched(bodies: Bodies, from_seat: int, tile: Tile) -> Bodies:
    """The winner takes the tile he wins with and lays it apart beside his open hand."""
    won = won_body(bodies, from_seat, tile)
    pond = tuple(body for body in bodies.ponds[from_seat] if body != won)
    melds = tuple(
        replace(meld, bodies=tuple(body for body in meld.bodies if body != won))
        for meld in bodies.melds[from_seat]
    )
    return replace(
        bodies,
        ponds=_set(bodies.ponds, from_seat, pond),
        melds=_set(bodies.melds, from_seat, melds),
        apart=won,
    )


def _from_rack(bodies: Bodies, seat: int, own: tuple[int, ...]) -> Bodies:
    rack = bodies.racks[seat]
    if not set(own) <= set(rack):
        raise ValueError(f"seat {seat} does not hold {sorted(set(own) - set(rack))}")
    return replace(bodies, racks=_set(bodies.racks, seat, tuple(body for body in rack if body not in own)))


def _set(rows: tuple[Row, ...], seat: int, row: Row) -> tuple[Row, ...]:
    return (*rows[:seat], row, *rows[seat + 1 :])
