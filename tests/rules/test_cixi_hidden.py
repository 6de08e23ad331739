"""What hidden tiles decide: read from the log where it holds them, asked for where it matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cixi_deals import BOTH, CARD, HIDDEN, PLATFORM, at, names, settled
from random_dealer import varied

from rules.events import Won
from rules.scoring import Settlement, Unsettled, settle
from rules.state import public

if TYPE_CHECKING:
    from rules.ruleset import RuleSet
    from rules.state import TableState

SCATTERED = "147m 258p 369s ESWN"


def ended(hand: str, draw: str, end: str, *, first: str = "5s", dragon: str = "1m") -> str:
    """Seat 0 (with `hand`, fourteen tiles) throws `first`, draws once and goes on as `end` says."""
    return (
        f"deal 0 hands {hand} | {HIDDEN} | {HIDDEN} | {HIDDEN}\nindicator {dragon}\ndiscard 0 {first}\n"
        f"draw 1\ndiscard 1 8m\ndraw 2\ndiscard 2 8m\ndraw 3\ndiscard 3 8m\ndraw 0 {draw}\n{end}"
    )


WON_ON_C = f"discard 0 C\nwin 2 hand {SCATTERED} C on C from 0"


def asked(record: str) -> Unsettled:
    state = public(at(record))
    with pytest.raises(Unsettled) as missing:
        settle(state, CARD)
    return missing.value


@pytest.mark.parametrize(
    ("hand", "draw", "end", "payer"),
    [
        # Held since before the suit tile: he pays for all three.
        ("C 5s 123m 456p 789s 11s 9s", "9p", WON_ON_C, 0),
        # Drawn in this turn: not held back.
        ("5s 123m 456p 789s 11s 99s", "C", WON_ON_C, None),
        # Drawn in this turn although an equal one was held.
        ("C 5s 123m 456p 789s 11s 9s", "C", WON_ON_C, None),
        # Hidden hand, known draw: any earlier suit tile counts.
        ("?" * 14, "9p", WON_ON_C, 0),
        ("?" * 14, "C", WON_ON_C, None),
        # No suit tile was thrown before.
        ("C E 123m 456p 789s 11s 9s", "9p", WON_ON_C, None),
    ],
)
def test_known_tiles_decide_whether_an_honour_was_held_back(
    hand: str, draw: str, end: str, payer: int | None
) -> None:
    # Articles: R30.
    found = settled(ended(hand, draw, end, first="E" if " E " in hand else "5s"))
    assert found.payer == payer
    assert found.payments == ((-84, 0, 84, 0) if payer == 0 else (-18, -9, 36, -9))


def test_an_honour_that_left_the_hand_in_between_was_not_held_back() -> None:
    """Held at the suit tile, thrown, drawn again a turn before, then thrown once more."""
    lap = "draw 1\ndiscard 1 6m\ndraw 2\ndiscard 2 8s\ndraw 3\ndiscard 3 8s\n"
    end = f"discard 0 C\n{lap}draw 0 C\ndiscard 0 E\n{lap.replace('8s', '7m')}draw 0 9p\n{WON_ON_C}"
    assert settled(ended("C E 5s 123m 456p 789s 11s", "9p", end)).payer is None
    kept = end.replace("discard 0 E", "discard 0 1s", 1)
    assert settled(ended("C E 5s 123m 456p 789s 11s", "9p", kept)).payer == 0


def test_a_hidden_draw_is_asked_for_in_both_languages_and_either_answer_settles() -> None:
    # Articles: R30.
    record = ended("C 5s 123m 456p 789s 11s 9s", "9p", WON_ON_C)
    question = asked(record)
    assert (question.question, question.candidates) == ("guan_fengxiang", ("yes", "no"))
    assert "关风向" in question.zh
    assert "honour" in question.reason
    state = public(at(record))
    assert settle(state, CARD, None, {"guan_fengxiang": "yes"}) == settled(record)
    assert settle(state, CARD, None, {"guan_fengxiang": "no"}).payments == (-18, -9, 36, -9)
    with pytest.raises(Unsettled):
        settle(state, CARD, None, {"guan_fengxiang": "perhaps"})


def test_nothing_is_asked_where_the_answer_changes_nothing() -> None:
    record = ended("?" * 14, "?", WON_ON_C)
    with pytest.raises(Unsettled):
        settled(record)
    nobody_has_anything = settle(at(record), CARD, (0, 0, 400, 0), {})
    assert nobody_has_anything.payments == (0, 0, 0, 0)


FOUR_SETS = (
    "discard 0 1s\nclaim 3 peng 111s took 1s from 0\ndiscard 3 N\ndraw 0\n"
    "discard 0 E\nclaim 3 peng EEE took E from 0\ndiscard 3 N\ndraw 0\ndiscard 0 S\ndraw 1\n"
    "discard 1 4p\nclaim 3 peng 444p took 4p from 1\ndiscard 3 8s\ndraw 0\ndiscard 0 P\ndraw 1\n"
    "discard 1 P\ndraw 2\ndiscard 2 7m\nclaim 3 chi 789m took 7m from 2\n"
)


def intercepted(held: str, tile: str = "5p", hand: str = "345m 67p 345s 678s 99s 5p") -> str:
    hands = f"{'?' * 14} | {HIDDEN} | {HIDDEN} | {held}"
    return (
        f"deal 0 hands {hands}\nindicator 1m\n{FOUR_SETS}discard 3 {tile}\nwin 1 hand {hand} on {tile} from 3"
    )


def test_a_known_last_tile_tells_whether_the_discard_was_a_feima() -> None:
    assert settled(intercepted("11s EE 44p 89m 2m NN8s 5p")).payer == 3
    assert settled(intercepted("11s EE 44p 89m 6m NN8s 5p")).payer is None
    assert asked(intercepted("11s EE 44p 89m 6m NN8s 5p")).question == "intercept_feima"


def test_a_feima_is_not_asked_for_where_all_dragons_lie_elsewhere() -> None:
    hand = "2222m 5p 345m 345s 678s"
    record = intercepted(HIDDEN, hand=hand)
    assert settled(record).payer is None


def test_two_open_questions_are_asked_one_after_the_other() -> None:
    record = intercepted(HIDDEN, tile="C", hand=f"{SCATTERED.replace('E', 'F')} C")
    lap = "discard 3 6m\ndraw 0\ndiscard 0 8s\ndraw 1\ndiscard 1 8s\ndraw 2\ndiscard 2 9s\ndraw 3\n"
    record = record.replace("discard 3 C", f"{lap}discard 3 C")
    assert asked(record).question == "guan_fengxiang"
    with pytest.raises(Unsettled) as missing:
        settled(record, answers={"guan_fengxiang": "yes"})
    assert missing.value.question == "intercept_feima"
    both = settled(record, answers={"guan_fengxiang": "yes", "intercept_feima": "yes"})
    assert (both.payer, both.total, both.payments) == (3, 2 + 1 + 5 + 10, (0, 144, 0, -144))


def test_a_known_draw_answers_which_tile_was_drawn() -> None:
    start = f"deal 0 hands {'?' * 14} | 2m 345m 456m 678p 789s | {HIDDEN} | {HIDDEN}\nindicator 1m\n"
    record = start + "discard 0 E\ndraw 1 W\nwin 1 hand 2m 345m 456m 678p 789s W on ?"
    assert "抛花" in names(settled(record))
    question = asked(record)
    assert question.question == "drawn_tile"
    assert "W" in question.candidates
    assert question.zh != question.reason


def test_an_unknown_hand_that_waits_for_all_is_asked_for_its_draw_on_both_tables() -> None:
    record = "deal 0\nindicator 1m\ndiscard 0 E\ndraw 1\nwin 1 hand 2m 345m 456m 678p 789s W on ?"
    for rules in (CARD, PLATFORM):
        state = at(record, rules)
        with pytest.raises(Unsettled) as missing:
            settle(state, rules)
        totals = {settle(state, rules, None, {"drawn_tile": tile}).total for tile in missing.value.candidates}
        assert totals == {1, 6}
        with pytest.raises(Unsettled):
            settle(state, rules, None, {"drawn_tile": "9p"})


def every_account(state: TableState, rules: RuleSet, told: dict[str, str]) -> list[Settlement]:
    """The account, or one for every way to answer what is asked."""
    try:
        return [settle(state, rules, None, told)]
    except Unsettled as missing:
        answered = ({**told, missing.question: candidate} for candidate in missing.candidates)
        return [account for answers in answered for account in every_account(state, rules, answers)]


@BOTH
def test_what_a_full_log_knows_is_among_the_answers_that_the_public_log_asks_for(rules: RuleSet) -> None:
    won = 0
    for seed in range(60):
        *_, (_, _, state) = varied(rules, seed).play()
        if isinstance(state.result, Won):
            won += 1
            known = settle(state, rules)
            accounts = every_account(public(state), rules, {})
            assert (known.lines, known.payments, known.payer) in [
                (account.lines, account.payments, account.payer) for account in accounts
            ]
    assert won > 20
