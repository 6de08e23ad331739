"""What of a deal's log still counts for Cixi mahjong, beside the tiles that lie there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.events import Barred, Claimed, Discarded, Drew, Event, FalseWin, KongDeclared, MeldKind
from rules.state import Phase
from rules.tiles import SEATS, Tile

from .win import ROW_OF_HONOURS, turn_of_last_discard

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from rules.state import TableState
    from rules.tiles import Seat

    from .options import Options


def remembered(options: Options, state: TableState) -> Hashable:
    """What a win, a claim or a discard may still depend on: `read_win`, `hidden_flags` and `rights` ask it.

    How the turns that led to the last discard and to single waits went, own honours in a row, what was
    discarded in all, and what people have ruled. Where a win that was let pass locks, everything.
    """
    if options.pass_win_lock:
        return state.log
    thrown: list[list[Tile]] = [[], [], [], []]
    rows: list[list[bool]] = [[], [], [], []]
    ended = [False] * 4
    taken: Seat | None = None
    ruled: list[Event] = []
    for event in reversed(state.log):
        match event:
            case Discarded(seat, tile):
                thrown[seat].append(tile)
                ended[seat] |= not tile.is_honour or tile is state.wild
                if not ended[seat]:
                    rows[seat].append(taken is seat)
                taken = None
            case Claimed():
                taken = event.from_seat
            case FalseWin() | Barred():
                ruled.append(event)
    single = tuple(
        _moves(turn_of_last_discard(state, seat)) if len(state.hands[seat].melds) == 4 else ()
        for seat in SEATS
    )
    return (
        _moves(_since_discard(state)),
        _offered(options, state) if state.phase is Phase.CLAIM else (),
        single,
        _rows(state, rows),
        tuple(tuple(sorted(tiles)) for tiles in thrown),
        tuple(ruled),
    )


def _offered(options: Options, state: TableState) -> Hashable:
    """What of the turn that led to the last discard counts for who wins on it: a kong, or a draw (R30)."""
    turn = turn_of_last_discard(state, state.turn)
    asked = options.guan_fengxiang and state.last_discard is not None and state.last_discard[1].is_honour
    kong = any(
        isinstance(event, KongDeclared) or (isinstance(event, Claimed) and event.kind is MeldKind.KONG)
        for event in turn
    )
    return kong, tuple(event for event in turn if isinstance(event, Drew)) if asked else ()


def _moves(turn: Sequence[Event]) -> Hashable:
    """What of a turn counts: its kinds of moves, which kong may be robbed, and its discard."""
    told: list[Hashable] = []
    for event in turn:
        match event:
            case Drew(_, tile, replacement):
                told.append(("drew", tile, replacement))
            case Claimed(_, kind, _, _, giver):
                told.append((kind, giver))
            case KongDeclared(_, kind, tile):
                told.append((kind, tile))
            case Discarded(_, tile):
                told.append(("discard", tile))
    return tuple(told)


def _since_discard(state: TableState) -> tuple[Event, ...]:
    """The events after the last discard."""
    for place in range(len(state.log) - 1, -1, -1):
        if isinstance(state.log[place], Discarded):
            return state.log[place + 1 :]
    return state.log


def _rows(state: TableState, rows: Sequence[Sequence[bool]]) -> Hashable:
    """Of each seat's honours in a row, the last one first, which were claimed.

    Nothing where the row can't become one of ten any more: too few honours are left that nobody has seen.
    """
    if not any(rows):
        return ()
    hidden = _hidden_honours(state)
    return tuple(tuple(row) if len(row) + hidden >= ROW_OF_HONOURS else () for row in rows)


def _hidden_honours(state: TableState) -> int:
    """How many honours that are no dragons may still be discarded."""
    lying = [tile for pond in state.ponds for tile in pond]
    lying += [tile for hand in state.hands for meld in hand.melds for tile in meld.tiles]
    lying += () if state.indicator is None else (state.indicator,)
    wild = state.wild
    kinds = len(_HONOURS) - (wild is not None and wild.is_honour)
    return 4 * kinds - sum(tile.is_honour and tile is not wild for tile in lying)


_HONOURS = tuple(tile for tile in Tile if tile.is_honour)
