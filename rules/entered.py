"""A deal whose end people have told: the win they describe as a moment, and the table after it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.events import Entered, IllegalEvent, WallExhausted, Won
from rules.moment import Moment, NoWin, impossible
from rules.state import Hand, TableState, with_hand
from rules.tiles import Tile

if TYPE_CHECKING:
    from rules.ruleset import RuleSet
    from rules.settlement import Settlement
    from rules.state import Balances


def enter(state: TableState, event: Entered, rules: RuleSet) -> TableState:
    """The table as people say it ended; the winner's tiles are what they have told.

    Raises:
        IllegalEvent: it is no win, or one that can't be.
    """
    if event.seat is None:
        return state
    judged(state, event, rules, None)
    hand = Hand(tuple(sorted(_with_tile(event))), event.melds)
    return replace(state, turn=event.seat, hands=with_hand(state, event.seat, hand))


def result_of(event: Entered) -> Won | WallExhausted:
    """How the deal ended."""
    if event.seat is None:
        return WallExhausted()
    return Won(event.seat, tuple(sorted(_with_tile(event))), event.tile, event.from_seat)


def judged(state: TableState, event: Entered, rules: RuleSet, balances: Balances | None) -> Settlement:
    """The account of an entered win, from the state before it.

    Raises:
        IllegalEvent: it is no win, or one that can't be.
    """
    if event.seat is None:
        raise IllegalEvent("a drawn hand has no account")
    if rules.desk is None:
        raise IllegalEvent(f"{rules.name} can't judge a hand that nobody has followed")
    if rules.wild_of is not None and state.indicator is None:
        raise IllegalEvent("the indicator is not known")
    flags = {**dict(event.flags), **rules.desk.known(state, event.seat)}
    moment = Moment(
        how=event.how,
        seat=event.seat,
        dealer=state.dealer,
        concealed=event.hand,
        melds=event.melds,
        tile=event.tile,
        from_seat=event.from_seat,
        indicator=state.indicator,
        wild=state.wild,
        flags=flags,
    )
    unknown = sorted(flags.keys() - rules.desk.flags.keys())
    wrong = f"no circumstance {unknown[0]!r}" if unknown else None
    wrong = wrong or rules.desk.contradiction(moment) or impossible(moment, rules)
    if wrong is not None:
        raise IllegalEvent(wrong)
    try:
        return rules.desk.judge(moment, balances)
    except (NoWin, ValueError) as reason:
        raise IllegalEvent(f"no win: {reason}") from reason


def _with_tile(event: Entered) -> tuple[Tile, ...]:
    return event.hand if event.tile is Tile.UNKNOWN else (*event.hand, event.tile)
