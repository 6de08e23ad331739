"""What orders leave in the journal's decisions: bodies of "players" and "standing"."""

from typing import TypeAlias

import msgspec

Quad: TypeAlias = tuple[int, int, int, int]


class PlayersNamed(msgspec.Struct, frozen=True, kw_only=True):
    """A person has said who sits on seats 0..3; it holds while the configuration names `instead_of`."""

    players: tuple[str, str, str, str]
    instead_of: tuple[str, str, str, str]
    author: str


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Where the running or coming deal stands in its match, after an order has changed that.

    `before` are the points before the running deal as they count now.
    """

    boot: int
    at: float
    match_no: int
    hand_no: int
    dealer: int
    kept: int
    balances: Quad
    seated: bool
    die: int | None
    certain: bool
    before: Quad | None = None
