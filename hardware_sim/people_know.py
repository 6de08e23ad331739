"""What the people at a simulated table know of the deal they play, and what they answer to a doubt. Pure.

They look at the doubt's words and choices as anybody would, and choose what has happened.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from controller.doubts import SEAT_NAMES, event_in_words
from controller.public import DoubtItem
from hardware_sim.truth import DealTruth
from rules.events import Event
from rules.record import format_meld
from rules.state import Balances, TableState
from rules.tiles import Tile, format_tiles

NOT_SO: Final = re.compile(r"没有：([^；]*)；")
CORRECTED: Final = re.compile(r"^[^:：]*\(correct\):\s*")
POINTS: Final = re.compile(r"dealer seat (\d), kept (\d+), points (-?\d+) (-?\d+) (-?\d+) (-?\d+)")
ABANDON: Final = "(abandon the hand)"
GO_ON: Final = "(play on)"
AS_SHOWN: Final = "(settle by these)"
AS_TOLD: Final = "(as it was told)"
AS_IT_STANDS: Final = "，就这样结算 (settle as it stands)"


@dataclass(frozen=True, slots=True)
class Agreed:
    """After a hand that nobody could settle: how often the dealer has stayed, and who has how much."""

    kept: int
    balances: Balances


@dataclass(slots=True)
class Deal:
    """The running deal as the people know it, or the last one while no other has begun.

    `agreed` is what they have settled upon after a hand that was withheld. `over` is its line of the truth
    when it has ended, `state` the table then, with every tile known.
    """

    number: int = 0
    dealer: int = 0
    dice: tuple[int, int] = (0, 0)
    events: list[Event] = field(default_factory=list)
    agreed: Agreed | None = None
    over: DealTruth | None = None
    state: TableState | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """Everything that has happened, in order, in the words in which doubts tell it."""
        return tuple(words for event in self.events if (words := event_in_words(event)))


def right_choices(item: DoubtItem, deal: Deal) -> tuple[int, ...]:
    """The numbers of the choices that say what has happened, the one that says most first."""
    words = deal.words
    weighed = [(-_weight(text, item, deal, words), number) for number, text in enumerate(item.candidates)]
    return tuple(number for weight, number in sorted(weighed) if weight < 0)


def _weight(text: str, item: DoubtItem, deal: Deal, words: tuple[str, ...]) -> int:
    """How much of what has happened a choice tells; 0 if it tells anything else."""
    if text.endswith((ABANDON, GO_ON)):
        return int(text.endswith(GO_ON) and deal.over is None)
    if text.endswith(AS_SHOWN):
        told = POINTS.search(item.en)
        kept = deal.over is None or (told is not None and int(told[2]) == deal.over.kept)
        return int(told is not None and int(told[1]) - 1 == deal.dealer and kept)
    if text.endswith(AS_TOLD):
        denied = NOT_SO.search(item.candidates[0])
        return int(denied is not None and all(part in words for part in denied[1].split("，")))
    match item.kind:
        case "dice" | "dice_differ":
            return int(text.split() == [str(value) for value in sorted(deal.dice)])
        case "dealer":
            return int(text.startswith(f"{SEAT_NAMES[deal.dealer]}坐庄"))
    return _plays(text, words)


def _plays(text: str, words: tuple[str, ...]) -> int:
    """How many of the plays of a choice have happened, in this order; 0 where one has not.

    The same plays may have happened before: those that came one right after the other say more.
    """
    text = CORRECTED.sub("", text.removesuffix(AS_IT_STANDS))
    denied = NOT_SO.search(text)
    if denied is not None and any(part in words for part in denied[1].split("，")):
        return 0
    parts = [part for part in NOT_SO.sub("", text).split("，") if part]
    told = iter(words)
    if not all(part in told for part in parts):
        return 0
    runs = (words[place : place + len(parts)] for place in range(len(words)))
    in_turn = len(parts) > 1 and tuple(parts) in runs
    return len(parts) + (denied is not None) + in_turn


def agreed_on(item: DoubtItem) -> Agreed | None:
    """What holds from now on where people say that a hand is to be settled by these points."""
    told = POINTS.search(item.en)
    if told is None:
        return None
    a, b, c, d = map(int, told.groups()[2:])
    return Agreed(int(told[2]), (a, b, c, d))


def how_it_ended(deal: Deal) -> dict[str, Any] | None:
    """The order that enters the deal's end by hand; None while it is not over.

    Nothing is entered where the price depends on more than the tiles and who gave the last one.
    """
    if deal.over is None or deal.state is None:
        return None
    if deal.over.winner is None:
        return {"verb": "enter", "indicator": deal.over.indicator or ""}
    if deal.over.tile is None or any(" replacement" in text for text in deal.over.events[-3:]):
        return None
    hand = [Tile.parse(text) for text in deal.over.hand]
    hand.remove(Tile.parse(deal.over.tile))
    order = {
        "verb": "enter",
        "winner": deal.over.winner,
        "hand": format_tiles(tuple(hand)),
        "melds": [format_meld(meld) for meld in deal.state.hands[deal.over.winner].melds],
        "tile": deal.over.tile,
        "indicator": deal.over.indicator or "",
    }
    return order if deal.over.from_seat is None else order | {"from_seat": deal.over.from_seat}
