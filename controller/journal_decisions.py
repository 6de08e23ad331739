"""Bodies of the journal's decisions: "dealer", "dice", "players", "standing" and "said"."""

from typing import TypeAlias

import msgspec

Quad: TypeAlias = tuple[int, int, int, int]


class DealerNamed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One die, thrown for chair 0 before a match, has named its first dealer; `by` says who has read it."""

    match_no: int
    die: int
    dealer: int
    by: str = "board"


class DiceKnown(msgspec.Struct, frozen=True, kw_only=True):
    """What the two dice of a deal show.

    `by` is "board", "virtual", "camera", or the person who has answered. `values` is null where board and
    camera have read different ones (`board`, `camera`) and nobody has answered yet.
    """

    deal: int
    values: tuple[int, int] | None
    by: str
    board: tuple[int, int] | None = None
    camera: tuple[int, int] | None = None


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


class Said(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one person has said to an open doubt and nobody has confirmed; no `author`: nobody has.

    `question` are the doubt's words then, `text` those of his choice, `events` the lines of a record that it
    stands for (instead of all after the first `kept` ones), `answer` the rule set's key. The doubt was put
    `asked` times.
    """

    doubt: int
    asked: int = 1
    author: str = ""
    question: str = ""
    text: str = ""
    events: tuple[str, ...] = ()
    kept: int | None = None
    answer: str | None = None
