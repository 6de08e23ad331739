"""Passing messages of a table, below ``event/``: one for each thing that everybody at it has seen."""

from typing import Literal

from controller.public_parts import Count, Header, PhaseName, PublicMeld, Seat, TileText


class DealEvent(Header, frozen=True, kw_only=True):
    """``event/deal``: the dice are thrown, tiles are taken."""

    hand_no: Count
    dealer: Seat
    dice: tuple[int, int] | None


class IndicatorEvent(Header, frozen=True, kw_only=True):
    """``event/indicator``: the indicator lies open; the wild tile follows from it."""

    tile: TileText
    dragon: TileText | None


class DiscardEvent(Header, frozen=True, kw_only=True):
    """``event/discard``: a tile was read in a pond, perhaps before the table is at rest.

    The table at rest may make something else of it: ``event/revised``, and ``state/hand`` says what stands.
    """

    seat: Seat
    tile: TileText


class MeldEvent(Header, frozen=True, kw_only=True):
    """``event/meld``: a chi, peng or kong lies open."""

    seat: Seat
    meld: PublicMeld


class WinEvent(Header, frozen=True, kw_only=True):
    """``event/win``: somebody has won; the hand follows in the settlement."""

    seat: Seat
    from_seat: Seat | None


class DrawnEvent(Header, frozen=True, kw_only=True):
    """``event/drawn``: the wall ran out."""

    hand_no: Count


class FalseWinEvent(Header, frozen=True, kw_only=True):
    """``event/false_win``: a win that is none was declared; the hand goes on, the fine follows."""

    seat: Seat


class BarredEvent(Header, frozen=True, kw_only=True):
    """``event/barred``: people have found that a seat may not win this hand."""

    seat: Seat
    reason: str


class RevisedEvent(Header, frozen=True, kw_only=True):
    """``event/revised``: ``author`` has taken the last event back ("undone") or corrected the hand.

    The author is "table" where the table itself shows that it was otherwise than told.
    """

    hand_no: Count
    match_no: Count
    how: Literal["undone", "corrected"]
    author: str


class PhaseEvent(Header, frozen=True, kw_only=True):
    """``event/phase``: the table entered another phase."""

    phase: PhaseName


class AlarmEvent(Header, frozen=True, kw_only=True):
    """``event/alarm``: an alarm was raised or cleared."""

    active: bool
    code: str
