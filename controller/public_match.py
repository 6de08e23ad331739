"""How a match stands: the points, hand by hand, the ranking at its end, and what was corrected."""

from typing import Literal

import msgspec

from controller.public_parts import Count, Header, Quad, Seat

MOST_HANDS = 60
"""So many hands of a match are told in its history, the last ones."""


class HandPoints(msgspec.Struct, frozen=True, kw_only=True):
    """A hand of a match that has ended: how, who won it, and the points of each seat after it."""

    hand_no: Count
    how: Literal["won", "drawn", "withheld", "abandoned"]
    winner: Seat | None
    balances: Quad


class Title(msgspec.Struct, frozen=True, kw_only=True):
    """The title that goes with a seat's points."""

    zh: str
    en: str


class Scores(Header, frozen=True, kw_only=True):
    """``state/scores``: the points each seat holds in the running match.

    ``points_zh`` and ``points_en`` are what the rule set calls points; ``titles`` one a seat, or none at all.

    ``history`` are the points after each of its hands so far, as they count now, at most ``MOST_HANDS``.
    """

    balances: Quad
    start_points: int
    history: tuple[HandPoints, ...] = ()
    points_zh: str = ""
    points_en: str = ""
    titles: tuple[Title, ...] = ()


class RankedSeat(msgspec.Struct, frozen=True, kw_only=True):
    """A seat at the end of a match: ``place`` from 1 (equal points share one), points, and what it won."""

    place: int
    seat: Seat
    player: str
    points: int
    change: int


class Ranking(Header, frozen=True, kw_only=True):
    """``state/ranking``: how the last match ended that is over, best first; nothing before the first.

    ``ended`` is "played" where its rules ended it, "ended" where a person did. ``certain`` is false where a
    hand was withheld and nobody has confirmed the points since. ``history`` are the points after each of its
    hands, at most ``MOST_HANDS``; what was moved after the last one stands in ``ranking`` alone.
    """

    match_no: Count
    hands: Count
    ended: Literal["played", "ended"]
    certain: bool
    ranking: tuple[RankedSeat, ...]
    start_points: int = 0
    history: tuple[HandPoints, ...] = ()


class CorrectionItem(msgspec.Struct, frozen=True, kw_only=True):
    """A hand whose settlement was corrected: what it is now, what it was before, and the difference."""

    deal: Count
    hand_no: Count
    edition: int
    author: str
    at: str
    payments: Quad
    superseded: Quad
    difference: Quad


class Corrections(Header, frozen=True, kw_only=True):
    """``state/corrections``: the hands of the last hand's match that were corrected, as they hold now."""

    match_no: Count
    corrections: tuple[CorrectionItem, ...]
