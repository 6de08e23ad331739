"""Questions to people before a deal can be settled: who has how much, what nobody has seen. Pure."""

from typing import Final

from controller.doubts import SEAT_NAMES, Candidate, DoubtKind, Problem, problem
from controller.match import Match
from rules.settlement import Unsettled
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


def question_problem(asked: Unsettled) -> Problem:
    """What the rules have to know to settle."""
    candidates = tuple(Candidate(text, answer=text) for text in asked.candidates)
    return problem(
        DoubtKind.UNSETTLED,
        zh=asked.zh,
        en=asked.reason,
        candidates=candidates,
        question=asked.question,
    )
