"""What the page asks for over HTTP to set a match up or correct a hand: `/setup.json`, `/hands.json`.

Nothing concealed enters these: options are the rule sets' own, events are those the table has shown.
"""

from typing import Literal

import msgspec

from controller.agreed import Options
from controller.public import Quad

Four = tuple[str, str, str, str]


class Words(msgspec.Struct, frozen=True):
    """Something in Chinese and English."""

    zh: str
    en: str


class Named(msgspec.Struct, frozen=True):
    """The same with its name in orders."""

    name: str
    zh: str
    en: str


class OptionSheet(msgspec.Struct, frozen=True, kw_only=True):
    """A choice of a rule set: `values` are all that it may be, none listed: any whole number.

    `meanings` are the values in words, `about` is one line of explanation, `article` where it stands in the
    rule sheet.
    """

    name: str
    zh: str
    en: str
    about: Words
    article: str
    default: bool | int | str
    values: tuple[bool | int | str, ...]
    meanings: tuple[Words, ...]


class RuleSheet(msgspec.Struct, frozen=True, kw_only=True):
    """A rule set; `tiles` is how many it is played with, `why` why not here (None: it can be played)."""

    name: str
    zh: str
    en: str
    about: Words
    tiles: int
    why: Words | None
    options: tuple[OptionSheet, ...]


class SetupSheet(msgspec.Struct, frozen=True, kw_only=True):
    """What may be chosen for the coming match and what is chosen now.

    Attributes:
        match_no: number of the coming or running match.
        hand_no: number of its hand that is played or comes next, from 1.
        rules: the rule sets.
        chosen: name of the present rule set.
        options: all its options as they are now.
        players: who sits on seats 0..3.
        why_not_setup: why nothing may be changed now, None where it may.
        why_not_start: why the next hand can't be begun now by order, None where it can.
        start: what a start would begin.
    """

    match_no: int
    hand_no: int
    rules: tuple[RuleSheet, ...]
    chosen: str
    options: Options
    players: Four
    why_not_setup: Words | None
    why_not_start: Words | None
    start: Words | None


class EventLine(msgspec.Struct, frozen=True):
    """An event of a hand: its line in the record, and in words."""

    line: str
    zh: str
    en: str


class HandItem(msgspec.Struct, frozen=True, kw_only=True):
    """A hand of the match.

    Attributes:
        deal: its number over the journal's life, which a correction names.
        hand_no: its number in the match, from 1.
        how: "playing" while it runs, else how it ended.
        winner: seat 0..3, None where nobody has won.
        from_seat: whose discard won.
        tile: the winning tile, None where it is not known.
        payments: what its settlement moves for seats 0..3.
        balances: the points after it, or now.
        edition: how often it was settled, 0 for a hand that runs.
        author: who has entered or corrected it, empty: the table.
        reason: why it was withheld (the doubt that nobody ended) or abandoned, in Chinese; else empty.
        why_not: why it can't be corrected, None where it can.
        events: all that happened in it.
    """

    deal: int
    hand_no: int
    how: Literal["playing", "won", "drawn", "withheld", "abandoned"]
    winner: int | None
    from_seat: int | None
    tile: str | None
    payments: Quad
    balances: Quad
    edition: int
    author: str
    reason: str
    why_not: Words | None
    events: tuple[EventLine, ...]


class HandsSheet(msgspec.Struct, frozen=True, kw_only=True):
    """The hands of the last match that was played, the last one first.

    `balances` are the points now. `ways` are the rule set's ways of winning, `flags` the circumstances that a
    person may tell of a win. `indicator` is that of the running hand, None where it is not known.
    """

    match_no: int
    playing: bool
    paused: bool
    locked: bool
    players: Four
    balances: Quad
    indicator: str | None
    hands: tuple[HandItem, ...]
    ways: tuple[Named, ...]
    flags: tuple[Named, ...]


class HandChange(msgspec.Struct, frozen=True, kw_only=True):
    """What an order would make of a hand: how it ended and what it moved, before and after."""

    deal: int
    hand_no: int
    was: str
    how: str
    before: Quad
    after: Quad


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """What an order would do: the points now and `after` it, and the `hands` whose settlement changes."""

    hands: tuple[HandChange, ...]
    balances: Quad
    after: Quad
