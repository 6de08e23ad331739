"""The question who has how much, after a deal whose result only the people know. Pure."""

from typing import Final

from controller.doubts import SEAT_NAMES, Candidate, DoubtKind, Problem, problem
from controller.match import Match
from rules.state import Phase, TableState

AS_SHOWN: Final = Candidate("就照这样结算 (settle by these)")


def points_problem(match: Match, table: TableState) -> Problem:
    """What a settlement after a withheld deal would stand on, for people to confirm."""
    points = " ".join(map(str, match.balances))
    if table.phase is Phase.READY:
        return problem(
            DoubtKind.POINTS, zh=f"庄家待看，各家{points}", en=f"dealer to be seen, points {points}"
        )
    zh = f"庄家{SEAT_NAMES[match.dealer]}，连庄{match.kept}，各家{points}"
    en = f"dealer seat {match.dealer + 1}, kept {match.kept}, points {points}"
    return problem(DoubtKind.POINTS, zh=zh, en=en, candidates=(AS_SHOWN,))
