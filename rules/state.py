"""What is known of a table at one moment: frozen values, no rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from rules.events import DealStarted, Drew, Event, FlowerShown, Meld, WallExhausted, Won
from rules.tiles import SEATS, Seat, Tile

Balances = tuple[int, int, int, int]
"""Points of seats 0..3."""

_T = TypeVar("_T")


class Phase(StrEnum):
    """Whose move it is, and of what kind."""

    READY = "ready"
    """Nothing is dealt yet."""
    DEALT = "dealt"
    """The hands are dealt, the indicator is still to be turned."""
    TURN = "turn"
    """`turn` must discard, declare a kong or win."""
    CLAIM = "claim"
    """A discard lies open: it may be claimed or won, or the next player draws."""
    DRAW = "draw"
    """`turn` has declared a kong and draws its replacement; an added kong may be robbed."""
    OVER = "over"
    """Won, or the wall is exhausted."""


@dataclass(frozen=True, slots=True)
class Hand:
    """One player's tiles.

    `concealed` is sorted and holds UNKNOWN for every tile that is not known; `flowers` lie open beside the
    sets.
    """

    concealed: tuple[Tile, ...] = ()
    melds: tuple[Meld, ...] = ()
    flowers: tuple[Tile, ...] = ()

    @property
    def size(self) -> int:
        """Number of tiles where every set counts three: 13, or 14 when a discard is due."""
        return len(self.concealed) + 3 * len(self.melds)

    def holding(self, concealed: tuple[Tile, ...]) -> Hand:
        """The hand with other concealed tiles."""
        return Hand(concealed, self.melds, self.flowers)


@dataclass(frozen=True, slots=True)
class Wall:
    """How many tiles the wall had, how many were drawn or dealt, how many lie face up out of play."""

    total: int
    drawn: int = 0
    out: int = 0

    @property
    def left(self) -> int:
        """Tiles that are still in the wall, a reserve that is never drawn included."""
        return self.total - self.drawn - self.out

    def after_draw(self) -> Wall:
        """The wall with one tile less."""
        return Wall(self.total, self.drawn + 1, self.out)


@dataclass(frozen=True, slots=True)
class TableState:
    """A table between two events.

    `turn` is the seat to move (in CLAIM: the one who discarded). `drawn` is the tile that `turn` drew last:
    UNKNOWN where it is not known, None where he has claimed or where nobody is to discard. `kongs` counts
    the kongs of the deal. `result` is how it ended, also where people have told that. `log` holds the events
    of this deal in order.
    """

    phase: Phase
    dealer: Seat
    turn: Seat
    hands: tuple[Hand, Hand, Hand, Hand]
    ponds: tuple[tuple[Tile, ...], ...]
    wall: Wall
    indicator: Tile | None = None
    wild: Tile | None = None
    drawn: Tile | None = None
    last_discard: tuple[Seat, Tile] | None = None
    kongs: int = 0
    result: Won | WallExhausted | None = None
    log: tuple[Event, ...] = ()


def at_phase(
    state: TableState, phase: Phase, log: tuple[Event, ...], result: Won | WallExhausted | None
) -> TableState:
    """The state with these three changed; written out because every event does it."""
    return TableState(
        phase,
        state.dealer,
        state.turn,
        state.hands,
        state.ponds,
        state.wall,
        state.indicator,
        state.wild,
        state.drawn,
        state.last_discard,
        state.kongs,
        result,
        log,
    )


def with_item(items: tuple[_T, ...], index: int, item: _T) -> tuple[_T, ...]:
    """The tuple with one item replaced."""
    return (*items[:index], item, *items[index + 1 :])


def with_hand(state: TableState, seat: Seat, hand: Hand) -> tuple[Hand, Hand, Hand, Hand]:
    """The four hands with one replaced."""
    first, second, third, fourth = with_item(state.hands, seat, hand)
    return first, second, third, fourth


def public(state: TableState) -> TableState:
    """The same state as everybody at the table knows it: concealed and drawn tiles become UNKNOWN.

    What a winner has laid open stays known.
    """
    shown = state.result.seat if isinstance(state.result, Won) else None
    hands = tuple(
        hand if seat == shown else replace(hand, concealed=(Tile.UNKNOWN,) * len(hand.concealed))
        for seat, hand in zip(SEATS, state.hands, strict=True)
    )
    drawn = None if state.drawn is None else Tile.UNKNOWN
    first, second, third, fourth = hands
    return replace(
        state,
        hands=(first, second, third, fourth),
        drawn=drawn,
        log=tuple(public_event(event) for event in state.log),
    )


def public_event(event: Event) -> Event:
    """The event without the tiles that only its player knows."""
    if isinstance(event, Drew):
        return replace(event, tile=Tile.UNKNOWN)
    if isinstance(event, DealStarted):
        return replace(event, hands=None)
    if isinstance(event, FlowerShown):
        return replace(event, replacement=Tile.UNKNOWN)
    return event
