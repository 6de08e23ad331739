"""Dice that a camera reads: an answer where the board has none, else a check; they outlive a start."""

import msgspec
import pytest
from board_simulated import SimulatedBoard
from board_table import BoardTable, bring_to

from controller.journal_deals import DoubtEndRow
from controller.journal_decisions import DealerNamed, DiceKnown
from controller.journal_replay import past_of
from controller.journal_rows import DecisionRow
from controller.machine import Stage
from controller.machine_seen import SEEN_S
from controller.public import Doubts
from controller.session_inputs import PersonAnswer
from firmware_bridge.messages import RollDice
from firmware_bridge.states import Capability
from vision.observations import CameraBack, CameraLost, DiceSeen, Settled

SPINS = Capability.DICE_SPUN | Capability.REPLAY
READS = Capability.DICE | Capability.REPLAY


def table_with(capabilities: Capability) -> BoardTable:
    table = BoardTable(SimulatedBoard(capabilities=capabilities))
    table.until(Stage.IDLE)
    table.tell(Settled(at=0.0))
    return table


def see(table: BoardTable, *values: int) -> None:
    table.tell(DiceSeen(at=table.now, values=values or None))


def open_doubts(table: BoardTable) -> list[str]:
    shown = table.shown["state/doubt"]
    assert isinstance(shown, Doubts)
    return [doubt.kind for doubt in shown.doubts]


def answer(table: BoardTable, text: str) -> None:
    shown = table.shown["state/doubt"]
    assert isinstance(shown, Doubts)
    (doubt,) = shown.doubts
    choice = next(k for k, words in enumerate(doubt.candidates) if words.startswith(text))
    table.tell(PersonAnswer(doubt.id, "choose", "王阿姨", choice, doubt.candidates[choice]))


def shown_dice(table: BoardTable) -> tuple[int, int] | None:
    return table.table.dice


def decided(table: BoardTable, kind: str) -> list[str]:
    return [row.body for row in table.rows if isinstance(row, DecisionRow) and row.kind == kind]


def known(table: BoardTable) -> DiceKnown:
    return msgspec.json.decode(decided(table, "dice")[-1], type=DiceKnown)


def rolls(table: BoardTable) -> list[int]:
    return [send.command.count for send in table.sent if isinstance(send.command, RollDice)]


def until_rolled(table: BoardTable, count: int) -> None:
    """The dice of this roll spin, and come to rest."""
    table.until(Stage.ROLLING)
    while rolls(table)[-1:] != [count]:
        table.step()
    see(table)
    while table.session._machine.pending is not None:  # noqa: SLF001 - the roll's own end
        table.step()


def spun_hand(table: BoardTable) -> None:
    """One die names the first dealer, two break the wall; only the camera reads them."""
    bring_to(table, Stage.ROLLING)
    until_rolled(table, 1)
    see(table, 3)
    until_rolled(table, 2)
    see(table, 2, 5)


def test_the_camera_reads_both_rolls_of_a_board_that_only_spins_and_nobody_is_asked() -> None:
    table = table_with(SPINS)
    spun_hand(table)
    assert table.stage is Stage.PLAYING
    assert rolls(table) == [1, 2]
    assert (table.table.dealer, table.table.dice) == (2, (2, 5))
    assert open_doubts(table) == []
    assert msgspec.json.decode(decided(table, "dealer")[-1], type=DealerNamed).by == "camera"
    assert known(table) == DiceKnown(deal=1, values=(2, 5), by="camera")


def test_what_lay_there_before_the_roll_is_not_its_result() -> None:
    table = table_with(SPINS)
    bring_to(table, Stage.RAISING)
    see(table, 6)
    until_rolled(table, 1)
    table.run(3.0)
    assert decided(table, "dealer") == []
    see(table, 3)
    assert msgspec.json.decode(decided(table, "dealer")[-1], type=DealerNamed).die == 3


def test_a_busy_computer_has_ten_seconds_to_read_each_roll() -> None:
    table = table_with(SPINS)
    bring_to(table, Stage.ROLLING)
    for count, values in ((1, (3,)), (2, (2, 5))):
        until_rolled(table, count)
        table.run(9.0)
        see(table, *values)
    assert open_doubts(table) == []
    assert (table.table.dealer, table.table.dice) == (2, (2, 5))


def test_a_camera_that_was_gone_while_the_dice_came_to_rest_has_its_time_when_it_is_back() -> None:
    table = table_with(SPINS)
    bring_to(table, Stage.ROLLING)
    until_rolled(table, 1)
    table.tell(CameraLost(at=table.now, reason="dark"))
    table.run(8.0)
    table.tell(CameraBack(at=table.now))
    table.run(8.0)
    see(table, 3)
    assert msgspec.json.decode(decided(table, "dealer")[-1], type=DealerNamed).die == 3
    assert open_doubts(table) == []


def test_a_camera_that_goes_and_comes_all_the_time_holds_nobody_up_for_longer_than_half_a_minute() -> None:
    table = table_with(SPINS)
    bring_to(table, Stage.ROLLING)
    until_rolled(table, 1)
    rested = table.now
    while not open_doubts(table) and table.now < rested + 60.0:
        table.tell(CameraLost(at=table.now, reason="dark"))
        table.run(3.0)
        table.tell(CameraBack(at=table.now))
        table.run(3.0)
    assert open_doubts(table) == ["dealer"]
    assert table.now <= rested + 36.0


@pytest.mark.parametrize("values", [(), (2,)])
def test_where_the_camera_is_not_sure_or_sees_another_number_of_dice_people_are_asked(
    values: tuple[int, ...],
) -> None:
    table = table_with(SPINS)
    bring_to(table, Stage.ROLLING)
    until_rolled(table, 1)
    see(table, 4)
    until_rolled(table, 2)
    see(table, *values)
    table.run(SEEN_S + 1.0)
    assert table.stage is Stage.PLAYING
    assert table.table.dice is None
    assert open_doubts(table) == ["dice"]


def test_dice_that_are_read_late_end_the_question_by_themselves() -> None:
    table = table_with(SPINS)
    bring_to(table, Stage.ROLLING)
    until_rolled(table, 1)
    see(table, 4)
    until_rolled(table, 2)
    table.run(SEEN_S + 1.0)
    assert open_doubts(table) == ["dice"]
    see(table, 1, 6)
    assert table.table.dice == (1, 6)
    assert open_doubts(table) == []
    (end,) = [row for row in table.rows if isinstance(row, DoubtEndRow)]
    assert (end.how, end.author) == ("explained", "camera")


def test_without_a_camera_people_are_asked_at_once() -> None:
    table = table_with(SPINS)
    table.tell(CameraLost(at=0.0, reason="cable"))
    bring_to(table, Stage.ROLLING)
    while table.session._machine.pending is not None:  # noqa: SLF001 - the roll's own end
        table.step()
    table.run(0.2)
    assert table.stage is Stage.PLAYING
    assert open_doubts(table) == ["dealer"]


def board_hand(table: BoardTable) -> tuple[int, ...]:
    """A hand with dice that the board reads; what it said."""
    bring_to(table, Stage.PLAYING)
    dice = table.table.dice
    assert dice is not None
    return tuple(sorted(dice))


def test_a_camera_that_sees_what_the_board_says_changes_nothing() -> None:
    table = table_with(READS)
    said = board_hand(table)
    see(table, *said)
    assert open_doubts(table) == []
    assert known(table).by == "board"


def test_where_board_and_camera_differ_neither_is_taken_and_people_look() -> None:
    table = table_with(READS)
    said = board_hand(table)
    other = (1, 1) if said != (1, 1) else (2, 2)
    see(table, *other)
    assert shown_dice(table) is None
    assert open_doubts(table) == ["dice_differ"]
    shown = table.shown["state/doubt"]
    assert isinstance(shown, Doubts)
    first_two = {tuple(map(int, words.split())) for words in shown.doubts[0].candidates[:2]}
    assert first_two == {said, other}
    answer(table, f"{other[0]} {other[1]}")
    assert shown_dice(table) == other
    assert open_doubts(table) == []
    assert known(table).by == "王阿姨"


def test_dice_that_are_thrown_again_during_a_hand_say_nothing_about_it() -> None:
    table = table_with(READS)
    said = board_hand(table)
    see(table)
    see(table, *((1, 1) if said != (1, 1) else (2, 2)))
    assert open_doubts(table) == []
    assert table.table.dice is not None


@pytest.mark.parametrize("answered", [True, False])
def test_dice_survive_a_start_of_the_controller(answered: bool) -> None:  # noqa: FBT001 - a case
    table = table_with(READS)
    said = board_hand(table)
    other = (1, 1) if said != (1, 1) else (2, 2)
    see(table, *other)
    if answered:
        answer(table, f"{other[0]} {other[1]}")
    again = BoardTable(SimulatedBoard(capabilities=READS), past_of(table.rows))
    again.run(0.5)
    assert again.table.dice == (other if answered else None)
    assert open_doubts(again) == ([] if answered else ["dice_differ"])
    if not answered:
        answer(again, f"{said[0]} {said[1]}")
        assert again.table.dice == said


def test_the_camera_answers_a_question_that_was_open_when_the_controller_stopped() -> None:
    table = table_with(SPINS)
    bring_to(table, Stage.ROLLING)
    until_rolled(table, 1)
    see(table, 4)
    until_rolled(table, 2)
    table.run(SEEN_S + 1.0)
    again = BoardTable(SimulatedBoard(capabilities=SPINS), past_of(table.rows))
    again.run(1.0)
    assert open_doubts(again) == ["dice"]
    see(again, 3, 3)
    assert again.table.dice == (3, 3)
    assert open_doubts(again) == []
