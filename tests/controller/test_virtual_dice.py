"""A board without other dice rolls virtual ones, and proves them before anybody plays on them.

The real session, the real host and the simulated board in virtual time; some of the boards cheat.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

import pytest
from board_simulated import SimulatedBoard
from board_table import BoardTable, bring_to

from controller.journal_deals import DealRow
from controller.journal_inputs import input_from
from controller.journal_replay import first_difference, replayed
from controller.journal_rows import BootRow, InputRow
from controller.machine import Stage
from controller.machine_dice import mismatch
from controller.machine_state import VirtualRoll
from controller.public import Doubts
from controller.session_inputs import Input, PersonAnswer
from firmware_bridge.messages import (
    DiceCommit,
    DiceCommitted,
    DiceReveal,
    DiceRevealed,
    DiceRolled,
    Done,
    Failed,
    Report,
    RollDice,
)
from firmware_bridge.states import Capability, ResetCause
from firmware_bridge.virtual_dice import digest_of, roll_values
from hardware_sim.mechanics import Mechanics

Kind = TypeVar("Kind")
ABLE = Capability.VIRTUAL_DICE | Capability.REPLAY | Capability.CONFIG
Out = list[tuple[float, Report | Done | Failed]]


class Cheat(Mechanics):
    """Says what suits it: other values than its seed gives."""

    def take_timed(self) -> Out:
        return [(at, self.lie(item)) for at, item in super().take_timed() if not self.hides(item)]

    def hides(self, _: Report | Done | Failed) -> bool:
        return False

    def lie(self, item: Report | Done | Failed) -> Report | Done | Failed:
        match item:
            case DiceRolled((first, *others)):
                return DiceRolled((first % 6 + 1, *others))
        return item


class LateSeed(Cheat):
    """Tells a seed that it has not committed to."""

    def lie(self, item: Report | Done | Failed) -> Report | Done | Failed:
        return replace(item, seed=bytes(32)) if isinstance(item, DiceRevealed) else item


class Silent(Cheat):
    """Keeps its seed to itself."""

    def hides(self, item: Report | Done | Failed) -> bool:
        return isinstance(item, DiceRevealed)

    def lie(self, item: Report | Done | Failed) -> Report | Done | Failed:
        return item


def table_with(mechanics: type[Mechanics] = Mechanics) -> BoardTable:
    table = BoardTable(SimulatedBoard(capabilities=ABLE, mechanics=mechanics))
    table.run(1.0)
    return table


def written(table: BoardTable) -> list[Input]:
    return [input_from(row.kind, row.body) for row in table.rows if isinstance(row, InputRow)]


def each(inputs: Iterable[Input], kind: type[Kind]) -> list[Kind]:
    return [one for one in inputs if isinstance(one, kind)]


def shown_dice(table: BoardTable) -> tuple[int, int] | None:
    return table.table.dice


def doubts(table: BoardTable) -> Doubts:
    shown = table.shown["state/doubt"]
    assert isinstance(shown, Doubts)
    return shown


def test_virtual_dice_are_committed_to_rolled_and_proved_before_the_deal_begins() -> None:
    table = table_with()
    bring_to(table, Stage.RAISING)
    table.until(Stage.CHECKING)
    assert (table.table.dealer, shown_dice(table)) == (None, None)
    table.until(Stage.PLAYING)
    once = [DiceCommit(), RollDice(1), DiceReveal()]
    assert table.motions()[-6:] == [*once, DiceCommit(), RollDice(2), DiceReveal()]
    die, dice = (one.values for one in table.heard if isinstance(one, DiceRolled))
    assert shown_dice(table) == dice
    assert table.table.first_die == die[0]
    assert (table.alarm.active, doubts(table).doubts) == (False, ())


def test_anybody_can_check_virtual_dice_in_the_journal() -> None:
    table = table_with()
    bring_to(table, Stage.PLAYING, 1.0)
    kept = written(table)
    proofs = list(
        zip(each(kept, DiceCommitted), each(kept, DiceRolled), each(kept, DiceRevealed), strict=True)
    )
    assert len(proofs) == 2
    for committed, rolled, revealed in proofs:
        assert digest_of(revealed.seed) == committed.digest
        assert roll_values(revealed.seed, committed.roll, {}, len(rolled.values)) == rolled.values
    assert proofs[1][1].values == shown_dice(table)


@pytest.mark.parametrize(("cheat", "code"), [(Cheat, "DIC-10"), (LateSeed, "DIC-10"), (Silent, "DIC-11")])
def test_on_the_dice_of_a_board_that_cheats_nobody_plays(cheat: type[Cheat], code: str) -> None:
    table = table_with(cheat)
    bring_to(table, Stage.PLAYING, 1.0)
    assert shown_dice(table) is None
    assert (table.alarm.active, table.alarm.code) == (True, code)
    assert any("用手掷骰子" in step for step in table.alarm.advice_zh)
    (doubt,) = doubts(table).doubts
    assert doubt.kind == "dealer"
    for author in ("王阿姨", "小李"):
        table.tell(PersonAnswer(doubt.id, "choose", author, 1, doubt.candidates[1]))
    assert table.table.dealer == 1
    (doubt,) = doubts(table).doubts
    assert doubt.kind == "dice"
    table.tell(PersonAnswer(doubt.id, "choose", "王阿姨", doubt.candidates.index("3 4"), "3 4"))
    table.run(60.0)
    assert shown_dice(table) == (3, 4)
    assert table.alarm.code == code


@pytest.mark.parametrize(
    ("seconds", "away_s"), [(0.0, 5.0), (1.0, 5.0), (2.5, 5.0), (1.0, 20.0), (2.5, 20.0)]
)
def test_virtual_dice_are_proved_after_a_loss_of_the_link(seconds: float, away_s: float) -> None:
    table = table_with()
    bring_to(table, Stage.ROLLING, seconds)
    table.pull_cable()
    table.run(away_s)
    table.plug_in()
    table.until(Stage.PLAYING)
    assert shown_dice(table) == table.board.mechanics.dice
    assert [command for command in table.motions() if isinstance(command, RollDice)] == [
        RollDice(1),
        RollDice(2),
    ]
    assert not table.alarm.active


def test_a_virtual_roll_that_never_reached_the_board_is_rolled_and_proved_after_a_key() -> None:
    table = table_with()
    bring_to(table, Stage.ROLLING)
    table.pull_cable()
    table.run(20.0)
    table.plug_in()
    table.until(Stage.WALLS)
    table.run(1.0)
    assert table.alarm.code == "DIC-00"
    table.people_go_on()
    assert shown_dice(table) == table.board.mechanics.dice
    assert not table.alarm.active


@pytest.mark.parametrize("stage", [Stage.COMMITTING, Stage.ROLLING, Stage.CHECKING])
def test_a_restart_of_the_board_in_a_virtual_roll_leads_to_another_one(stage: Stage) -> None:
    table = table_with()
    bring_to(table, Stage.RAISING)
    table.until(stage)
    table.board.restart(2, ResetCause.WATCHDOG, table.now)
    table.people_go_on()
    assert sum(isinstance(row, DealRow) for row in table.rows) == 1
    assert shown_dice(table) == table.board.mechanics.dice


def test_a_journal_with_virtual_dice_replays_row_for_row() -> None:
    table = table_with(Cheat)
    bring_to(table, Stage.PLAYING, 30.0)
    boots = [row for row in table.rows if isinstance(row, BootRow)]
    inputs = [row for row in table.rows if isinstance(row, InputRow)]
    assert first_difference(table.rows, replayed(boots, inputs, table.model)) is None


def test_a_seed_that_was_chosen_after_the_commitment_proves_nothing() -> None:
    """Its values follow from it, so only the commitment tells."""
    promised, chosen = bytes(32), bytes([7]) * 32
    roll = VirtualRoll(1, digest_of(promised), roll_values(chosen, 1, {}, 2))
    wrong = mismatch(roll, DiceRevealed(1, chosen), 2)
    assert wrong is not None
    assert wrong[1] == "the seed is not the one committed to"
    assert mismatch(replace(roll, digest=digest_of(chosen)), DiceRevealed(1, chosen), 2) is None
