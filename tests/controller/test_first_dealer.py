"""One die, thrown for chair 0, names the first dealer of a match; where no die tells, people are asked."""

import pytest
from board_simulated import SimulatedBoard
from board_table import BoardTable, bring_to
from evening import Evening

from controller.journal_deals import DealRow
from controller.journal_decisions import DealerNamed
from controller.journal_replay import past_of
from controller.journal_rows import DecisionRow
from controller.machine import Stage
from controller.public import Doubts, TableSnapshot
from controller.session import Session
from controller.session_inputs import PersonAnswer
from firmware_bridge.messages import RollDice
from hardware_sim.truth import seated
from rules import sets


def with_die(die: int, seed: int = 4) -> Evening:
    """An evening whose machine and people see that die at the beginning of its first match."""
    evening = Evening(seed)
    evening.first_die = die
    evening.true_match = seated(evening.true_match, die, evening.rules)
    return evening


def table(evening: Evening) -> TableSnapshot:
    return next(
        payload for _, payload in reversed(evening.log.published) if isinstance(payload, TableSnapshot)
    )


def doubts(evening: Evening) -> Doubts:
    return next(payload for _, payload in reversed(evening.log.published) if isinstance(payload, Doubts))


def rolls(evening: Evening) -> list[int]:
    return [send.command.count for send in evening.log.sent if isinstance(send.command, RollDice)]


@pytest.mark.parametrize("die", range(1, 7))
def test_whoever_the_die_names_deals_first_and_the_deals_settle_as_the_people_do(die: int) -> None:
    evening = with_die(die)
    evening.play(2)
    evening.finish()
    assert rolls(evening) == [1, 2, 2]
    assert [row.dealer for row in evening.log.rows if isinstance(row, DealRow)] == [
        truth.dealer for truth in evening.truths
    ]
    for outcome, truth in zip(evening.log.outcomes(), evening.truths, strict=True):
        assert (outcome.how, outcome.payments) == (truth.how, truth.payments)


def test_the_die_stands_in_the_journal_and_in_the_public_state() -> None:
    evening = with_die(3)
    assert (table(evening).first_die, table(evening).dealer) == (None, None)
    evening.prepare((2, 5))
    assert (table(evening).first_die, table(evening).dealer, table(evening).dice) == (3, 2, (2, 5))
    (row,) = [row for row in evening.log.rows if isinstance(row, DecisionRow) and row.kind == "dealer"]
    assert row.body == '{"match_no":1,"die":3,"dealer":2}'
    assert past_of(evening.log.rows).named == DealerNamed(match_no=1, die=3, dealer=2)


def test_every_match_begins_with_a_die() -> None:
    evening = Evening(4, rules=sets.load("cixi-card", {"start_points": 12}))
    evening.first_die = 4
    for _ in range(8):
        evening.true_match = seated(evening.true_match, 4, evening.rules)
        evening.play(1)
    evening.finish()
    matches = evening.truths[-1].match_no
    assert matches > 1
    assert rolls(evening).count(1) == matches
    assert [row.dealer for row in evening.log.rows if isinstance(row, DealRow)] == [
        truth.dealer for truth in evening.truths
    ]


def test_a_restart_between_die_and_dice_goes_on_with_the_dealer_who_was_named() -> None:
    board_table = BoardTable(SimulatedBoard())
    board_table.run(1.0)
    bring_to(board_table, Stage.ROLLING)
    while RollDice(2) not in board_table.motions():
        board_table.step()
    before = board_table.table
    assert before.first_die is not None
    assert before.dealer == (before.first_die - 1) % 4
    board_table.pull_cable()
    past = past_of(board_table.rows)
    board_table.session = Session(board_table.rules, board_table.model, None, past)
    board_table.run(20.0)
    board_table.plug_in()
    board_table.run(5.0)
    board_table.people_go_on()
    assert (board_table.table.first_die, board_table.table.dealer) == (before.first_die, before.dealer)
    assert board_table.motions().count(RollDice(1)) == 1


def test_where_no_die_tells_people_choose_who_deals_and_a_restart_asks_them_again() -> None:
    evening = Evening(4)
    evening.reads_dice = False
    evening.prepare((2, 5))
    assert [(doubt.kind, len(doubt.candidates)) for doubt in doubts(evening).doubts] == [("dealer", 4)]
    assert table(evening).dealer is None
    evening.begin(past_of(evening.log.rows))
    (asked,) = doubts(evening).doubts
    for author in ("王阿姨", "小李"):
        evening.tell(PersonAnswer(asked.id, "choose", author, 3, asked.candidates[3]))
    assert table(evening).dealer == 3
    assert [doubt.kind for doubt in doubts(evening).doubts] == ["dice"]
    assert evening.log.texts(1) == ["deal 3"]
