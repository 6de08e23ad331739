"""What hidden tiles decide about a win of Cixi mahjong: read from the log where it holds them, else open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.events import Claimed, DealStarted, Discarded, Drew, KongDeclared, MeldKind
from rules.log import discards_of
from rules.state import Phase
from rules.tiles import Tile

from .win import Flag, claimed_this_turn, marks, turn_of_last_discard

if TYPE_CHECKING:
    from rules.events import Event, Won
    from rules.state import TableState
    from rules.tiles import Seat

    from .options import Options


def hidden_flags(
    state: TableState, won: Won, options: Options, *, scattered: bool
) -> dict[Flag, bool | None]:
    """Whether the circumstances that hidden tiles decide hold; None where nobody can know.

    `scattered` tells whether the winner has 大乱 or 七风. What is out of the question is missing.
    """
    if state.phase is not Phase.CLAIM or won.from_seat is None:
        return {}
    found: dict[Flag, bool | None] = {}
    if options.guan_fengxiang and scattered and won.tile.is_honour:
        found[Flag.GUAN_FENGXIANG] = _held_back(state, won.from_seat, won.tile)
    if len(state.hands[won.from_seat].melds) == 4:
        found[Flag.INTERCEPT_FEIMA] = _tried_feima(state, won, won.from_seat, options)
    return found


def _held_back(state: TableState, giver: Seat, tile: Tile) -> bool | None:
    """Whether the discarder kept the honour while he threw a suit tile (R30).

    Not if he drew it in this turn. Where his tiles are not known, any earlier suit tile counts; where his
    last draw is not known either, nobody can know.
    """
    if not any(thrown.is_suited for thrown in discards_of(state, giver)[:-1]):
        return False
    drawn = [event.tile for event in turn_of_last_discard(state, giver) if isinstance(event, Drew)]
    if tile in drawn:
        return False
    held = _held_since(state, giver, tile)
    if held is not None:
        return held
    return None if Tile.UNKNOWN in drawn else True


def _held_since(state: TableState, seat: Seat, tile: Tile) -> bool | None:
    """Whether a copy of the tile was held from a discard of a suit tile on till the last discard."""
    started = state.log[0]
    if not isinstance(started, DealStarted) or started.hands is None:
        return None
    held, since = started.hands[seat].count(tile), False
    if Tile.UNKNOWN in started.hands[seat]:
        return None
    mine = [event for event in state.log if getattr(event, "seat", None) is seat]
    last = max(place for place, event in enumerate(mine) if isinstance(event, Discarded))
    for event in mine[:last]:
        if isinstance(event, Drew) and event.tile is Tile.UNKNOWN:
            return None
        held += _gained(event, tile)
        thrown_of_suit = isinstance(event, Discarded) and event.tile.is_suited
        since = held > 0 and (since or thrown_of_suit)
    return since


def _gained(event: Event, tile: Tile) -> int:
    """How many copies of the tile the event puts into its player's hand."""
    match event:
        case Drew():
            return int(event.tile is tile)
        case Discarded():
            return -int(event.tile is tile)
        case Claimed():
            return int(event.taken is tile) - event.tiles.count(tile)
        case KongDeclared() if event.tile is tile:
            return -4 if event.kind is MeldKind.CONCEALED_KONG else -1
    return 0


def _tried_feima(state: TableState, won: Won, giver: Seat, options: Options) -> bool | None:
    """Whether the discard was the X of a 飞马: four sets down and a dragon left (§5)."""
    if marks(state, giver, options):
        return False
    if options.feima_when == "after_claim" and not claimed_this_turn(state, giver):
        return False
    left = state.hands[giver].concealed
    if Tile.UNKNOWN not in left:
        return set(left) == {state.wild}
    others = (
        won.hand if seat == won.seat else hand.concealed
        for seat, hand in enumerate(state.hands)
        if seat != giver
    )
    known = (*others, *state.ponds)
    elsewhere = sum(tile is state.wild for tiles in known for tile in tiles)
    return False if elsewhere > 3 else None
