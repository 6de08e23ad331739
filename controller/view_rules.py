"""What the rule set tells people of a running hand and of their points, as it is published. Pure."""

from dataclasses import dataclass
from typing import cast

from controller.doubts import Problem
from controller.public import Quad, SeatWarning, Title
from rules.log import claims_from
from rules.ruleset import RuleSet
from rules.state import TableState
from rules.tiles import SEATS, Seat

ClaimsLeft = tuple[Quad, Quad, Quad, Quad]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The words and numbers of a rule set that stand beside the state; fields as in the payloads."""

    stake: int
    points_named: tuple[str, str]
    titles: tuple[Title, ...]
    claims_left: ClaimsLeft | None
    warnings: tuple[SeatWarning, ...]


def told(rules: RuleSet, table: TableState, balances: Quad, *, playing: bool) -> Told:
    """What is told of a hand and the points after the last settlement."""
    return Told(
        stake=rules.stake,
        points_named=rules.points_named,
        titles=_titles(rules, balances),
        claims_left=_claims_left(rules, table),
        warnings=_warnings(rules, table) if playing else (),
    )


def seats_in_question(problem: Problem) -> tuple[int, ...]:
    """The seats whose play differs between the answers to a doubt or is proposed by them, rising."""
    found = {
        int(seat)
        for candidate in problem.candidates
        for event in candidate.events
        if isinstance(seat := getattr(event, "seat", None), Seat)
    }
    return tuple(sorted(found))


def _titles(rules: RuleSet, balances: Quad) -> tuple[Title, ...]:
    if not rules.levels:
        return ()
    reached = [
        [level for level in rules.levels if balance - rules.start_points >= level.least][-1:]
        or rules.levels[:1]
        for balance in balances
    ]
    return tuple(Title(zh=level.zh, en=level.en) for (level,) in reached)


def _claims_left(rules: RuleSet, table: TableState) -> ClaimsLeft | None:
    harmless = rules.harmless_claims
    if harmless is None:
        return None
    rows = tuple(
        tuple(
            0
            if seat is opponent
            else max(0, harmless - claims_from(table, seat, opponent, kongs=rules.kongs_are_claims))
            for opponent in SEATS
        )
        for seat in SEATS
    )
    return cast("ClaimsLeft", rows)


def _warnings(rules: RuleSet, table: TableState) -> tuple[SeatWarning, ...]:
    return tuple(
        SeatWarning(seat=int(caution.seat), kind=caution.key, zh=caution.zh, en=caution.en)
        for caution in rules.cautions(table)
    )
