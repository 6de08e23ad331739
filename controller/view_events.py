"""The passing messages of a table: one for each thing that everybody at the table has seen. Pure."""

from controller.match import Match
from controller.public import (
    BarredEvent,
    DealEvent,
    DiscardEvent,
    DrawnEvent,
    FalseWinEvent,
    IndicatorEvent,
    MeldEvent,
    Payload,
    WinEvent,
)
from controller.view import public_meld, text
from rules.events import (
    Barred,
    Claimed,
    DealStarted,
    Discarded,
    Entered,
    Event,
    FalseWin,
    IndicatorTurned,
    KongDeclared,
    WallExhausted,
    Won,
)
from rules.state import TableState
from rules.tiles import Seat


def event_message(  # noqa: PLR0911 - one return a kind of event
    event: Event, after: TableState, match: Match
) -> tuple[str, Payload] | None:
    """Topic and payload of an event, with the state after it; None for draws, which are nobody's business."""
    match event:
        case DealStarted() | WallExhausted() | Entered(seat=None):
            return _ends_of_deal(event, match)
        case IndicatorTurned(tile):
            return "event/indicator", IndicatorEvent(tile=str(tile), dragon=text(after.wild))
        case Discarded(seat, tile):
            return "event/discard", DiscardEvent(seat=int(seat), tile=str(tile))
        case Claimed(seat) | KongDeclared(seat):
            return "event/meld", _meld(event, seat, after)
        case (
            Won(seat=Seat() as seat, from_seat=from_seat) | Entered(seat=Seat() as seat, from_seat=from_seat)
        ):
            source = None if from_seat is None else int(from_seat)
            return "event/win", WinEvent(seat=int(seat), from_seat=source)
        case FalseWin(seat):
            return "event/false_win", FalseWinEvent(seat=int(seat))
        case Barred(seat, reason):
            return "event/barred", BarredEvent(seat=int(seat), reason=reason)
    return None


def _ends_of_deal(event: DealStarted | WallExhausted | Entered, match: Match) -> tuple[str, Payload]:
    if not isinstance(event, DealStarted):
        return "event/drawn", DrawnEvent(hand_no=match.hand_no)
    return "event/deal", DealEvent(hand_no=match.hand_no, dealer=int(event.dealer), dice=event.dice)


def _meld(event: Claimed | KongDeclared, seat: Seat, after: TableState) -> MeldEvent:
    first = event.tiles[0] if isinstance(event, Claimed) else event.tile
    melds = [meld for meld in after.hands[seat].melds if meld.kind is event.kind and meld.tiles[0] is first]
    return MeldEvent(seat=int(seat), meld=public_meld(melds[-1]))
