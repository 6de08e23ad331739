"""What the rule set tells people while they play: claims left, warnings, titles, names of points."""

import pytest

from controller.doubts import Candidate, DoubtKind, Problem
from controller.view_rules import Told, seats_in_question, told
from rules import sets
from rules.record import parse_event
from rules.ruleset import RuleSet
from rules.state import TableState
from rules.table import apply, new_table
from rules.tiles import Seat

CARD = sets.load("cixi-card")
PLATFORM = sets.load("cixi-platform")
BEGUN = ("deal 0", "indicator 4m")
TWICE = (
    "discard 0 1p",
    "claim 1 peng 111p took 1p from 0",
    "discard 1 E",
    "draw 2",
    "discard 2 S",
    "draw 3",
    "discard 3 W",
    "draw 0",
    "discard 0 2s",
    "claim 1 chi 234s took 2s from 0",
)
THRICE = (
    *TWICE,
    "discard 1 N",
    "draw 2",
    "discard 2 N",
    "draw 3",
    "discard 3 N",
    "draw 0",
    "discard 0 7p",
    "claim 1 peng 777p took 7p from 0",
)


def after(*lines: str, rules: RuleSet = CARD) -> TableState:
    state = new_table(rules)
    for line in (*BEGUN, *lines):
        state = apply(state, parse_event(line), rules)
    return state


def of(state: TableState, rules: RuleSet = CARD, balances: tuple[int, int, int, int] | None = None) -> Told:
    start = rules.start_points
    return told(rules, state, balances or (start, start, start, start), playing=True)


@pytest.mark.parametrize("rules", [CARD, PLATFORM])
def test_each_seat_is_told_how_many_claims_it_has_left_against_each_other(rules: RuleSet) -> None:
    assert of(after(rules=rules), rules).claims_left == (
        (0, 2, 2, 2),
        (2, 0, 2, 2),
        (2, 2, 0, 2),
        (2, 2, 2, 0),
    )
    left = of(after(*TWICE, rules=rules), rules).claims_left
    assert left == ((0, 2, 2, 2), (0, 0, 2, 2), (2, 2, 0, 2), (2, 2, 2, 0))


def test_a_third_claim_is_warned_of_and_never_less_than_none_are_left() -> None:
    state = of(after(*THRICE))
    assert state.claims_left is not None
    assert state.claims_left[1] == (0, 0, 2, 2)
    assert [(one.seat, one.kind) for one in state.warnings] == [(1, "over_limit")]
    assert "第三次" in state.warnings[0].zh
    assert of(after(*TWICE)).warnings == ()


def test_a_discarded_dragon_a_false_win_and_a_ruling_are_warned_of_in_words() -> None:
    state = after("discard 0 5m", "false_win 2 hand", "barred 3 because a tile too many")
    assert [(one.seat, one.kind) for one in of(state).warnings] == [
        (0, "discarded_dragon"),
        (2, "false_win"),
        (3, "barred"),
    ]
    assert all(one.zh and one.en for one in of(state).warnings)
    assert told(CARD, state, (100, 100, 100, 100), playing=False).warnings == ()


def test_titles_go_by_the_points_and_each_rule_set_names_its_own() -> None:
    state = new_table(CARD)
    titles = [title.zh for title in of(state, balances=(99, 100, 150, 320)).titles]
    assert titles == ["新秀", "好手", "高手", "宗师"]
    assert of(state).points_named == ("牌点", "card points")
    doubled = sets.load("cixi-platform", {"stake": 2})
    beans = of(new_table(doubled), doubled, (-1, 199, 200, 400))
    assert beans.points_named == ("金豆", "beans")
    assert beans.stake == 2
    assert [title.zh for title in beans.titles] == ["新秀", "好手", "高手", "名手"]


def test_a_doubt_names_the_seats_that_its_answers_are_about() -> None:
    first, second = parse_event("discard 3 5p"), parse_event("discard 1 5p")
    problem = Problem(DoubtKind.AMBIGUOUS, "?", "?", (Candidate("a", (first,)), Candidate("b", (second,))))
    assert seats_in_question(problem) == (Seat.S1, Seat.S3)
    assert seats_in_question(Problem(DoubtKind.LIFT, "?", "?")) == ()
