"""What a won deal costs whom, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.events import Meld
    from rules.state import Balances
    from rules.tiles import Seat, Tile


class Unsettled(Exception):
    """What is known does not decide the settlement; a person must answer.

    `question` names what is missing (``"drawn_tile"`` or a name of the rule set); `candidates` are the
    possible answers as text, each a key that `settle` takes in `answers`. `zh` is the reason in Chinese.
    """

    def __init__(self, reason: str, *, question: str, candidates: tuple[str, ...], zh: str = "") -> None:
        """Keep the reason in words and the machine-readable question."""
        super().__init__(reason)
        self.reason = reason
        self.zh = zh or reason
        self.question = question
        self.candidates = candidates


@dataclass(frozen=True, slots=True)
class Line:
    """One line: a pattern or bonus, its value in units of the rule set, the article it comes from.

    `is_pattern` is False for a line that names nothing of the hand, such as the number of wild tiles.
    """

    zh: str
    en: str
    value: int
    article: str
    is_pattern: bool = True


@dataclass(frozen=True, slots=True)
class Settlement:
    """The account of one won deal.

    `how` is one of the rule set's ways of winning. `dragons` counts the wild tiles in the winner's hand.
    `total`, `unit` and `point_each` are None where a flat amount is paid. `payments` are the changes of the
    four balances. `payer` is the one player who pays for all, `all_pay` that everybody pays the same
    whoever discarded, `jackpot` that the match ends. `reasons` say why the payments are what they are.

    Raises:
        ValueError: the payments do not sum to zero.
    """

    winner: Seat
    from_seat: Seat | None
    how: str
    hand: tuple[Tile, ...]
    melds: tuple[Meld, ...]
    tile: Tile
    lines: tuple[Line, ...]
    dragons: int
    total: int | None
    unit: int | None
    point_each: int | None
    payments: Balances
    payer: Seat | None = None
    all_pay: bool = False
    jackpot: bool = False
    reasons: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        if sum(self.payments) != 0:
            raise ValueError(f"payments {self.payments} do not sum to zero")
