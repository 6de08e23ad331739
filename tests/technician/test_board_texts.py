"""What a technician reads: wrapped lines, faults, and what rolls of dice say."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.cli.board_cycle import Sides, open_since
from controller.cli.board_dice import LEAST, Die, dice_of, shown, tail, verdict
from controller.cli.board_faults import evidence, explained, steps
from controller.cli.board_log import sentence
from controller.cli.board_plain import plain
from controller.cli.board_text import COLUMNS, rows, wrapped
from controller.cli.board_words import (
    CAPABILITIES,
    CAUSES,
    FAILURES,
    MOTORS,
    PROFILES,
    REFUSALS,
    REGIONS,
    SEVERITIES,
    STATES,
)
from controller.cli.demo_show import width
from firmware_bridge.faults import FAULTS, FaultCode, UnknownFault
from firmware_bridge.messages import Fault, KeyPressed, SideDone, StateChanged, TileCount
from firmware_bridge.states import (
    Capability,
    FailCause,
    Key,
    Motor,
    Profile,
    Region,
    RejectReason,
    ResetCause,
    Severity,
    State,
)

MIXED = st.text(alphabet="ab, .牌墙升，。", max_size=120)


@given(MIXED)
def test_wrapping_loses_nothing_and_no_line_is_too_wide(text: str) -> None:
    lines = wrapped(text, first="  1. ", rest="     ", columns=30)
    assert all(width(line) <= 30 for line in lines if " " in line.strip() or len(line.split()) > 1)
    joined = "".join(line[5:] for line in lines)
    assert joined.replace(" ", "") == text.replace(" ", "")


def test_a_table_wraps_its_last_column() -> None:
    lines = rows([("键", "x " * 60), ("另一个键", "y")])
    assert all(width(line) <= COLUMNS for line in lines)
    assert lines[-1] == "另一个键  y"


def test_everything_a_board_can_say_has_words() -> None:
    for words, kind in (
        (STATES, State),
        (REGIONS, Region),
        (REFUSALS, RejectReason),
        (FAILURES, FailCause),
        (CAUSES, ResetCause),
        (PROFILES, Profile),
        (MOTORS, Motor),
        (SEVERITIES, Severity),
    ):
        assert set(words) == set(kind)
    assert set(CAPABILITIES) == set(Capability)


@pytest.mark.parametrize("code", FAULTS, ids=lambda code: code.label)
def test_every_fault_is_explained_in_eighty_columns(code: FaultCode) -> None:
    lines = explained(Fault(code, FAULTS[code].severity, 1, 1234))
    assert all(width(line) <= COLUMNS for line in lines)
    assert lines[0].startswith(f"● {code.label}  {FAULTS[code].zh}")
    assert len(steps(code)) >= 1


def test_a_fault_that_only_a_newer_board_knows_is_shown_with_its_number() -> None:
    lines = explained(Fault(UnknownFault(0x8001), Severity.STOP_CYCLE, None, 7))
    assert lines[0] == "● 0x8001  未知故障 0x8001 unknown fault 0x8001"
    assert "停洗牌 ends the cycle" in lines[1]
    assert any("7 (the maker knows" in line for line in lines)


def test_evidence_says_what_its_number_means() -> None:
    assert evidence(FaultCode.CNT_01, 3) == "3 (tiles missing)"
    assert evidence(FaultCode.CON_01, 2) == "DICE (the key)"
    assert evidence(FaultCode.PWR_03, 0) == "–"


def test_a_bar_grows_with_its_side() -> None:
    sides = Sides()
    sides.take(TileCount(2, 17, 34))
    assert sides.bar(2) == f"第2边 side 2  {'█' * 17}{'·' * 17}  17/34"
    sides.take(TileCount(2, 34, 34))
    sides.take(SideDone(2, 34, 20100))
    assert sides.bar(2).endswith("34/34  20.1 s")
    assert sides.bar(0).endswith("   0/–")


def test_a_key_counts_from_the_moment_the_hatch_is_open_even_before_the_command_is_done() -> None:
    early, opening = KeyPressed(Key.LIFT, 0), StateChanged(Region.HATCH, State.HATCH_OPENING)
    opened, late = StateChanged(Region.HATCH, State.HATCH_OPEN), KeyPressed(Key.LIFT, 1)
    assert open_since([early, opening, opened, late]) == 3
    assert open_since([early]) == 0


def test_messages_are_plain_values() -> None:
    fault = Fault(FaultCode.CNT_01, Severity.WARN, None, 2)
    assert plain(fault) == {"code": "CNT-01", "severity": "WARN", "side": None, "evidence": 2}
    assert plain(Capability.DICE | Capability.LOCK) == ["DICE", "LOCK"]
    assert "CNT-01" in sentence(fault)


# ---- dice --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "p"), [(0.0, 1.0), (4.351, 0.5), (11.070, 0.05), (15.086, 0.01), (20.515, 0.001)]
)
def test_the_tail_of_chi_square_is_that_of_the_tables(x: float, p: float) -> None:
    assert tail(x) == pytest.approx(p, rel=2e-3)


@given(st.lists(st.integers(0, 10_000), min_size=6, max_size=6))
def test_no_counts_are_ever_called_fair(counts: list[int]) -> None:
    zh, en = verdict((Die(tuple(counts)),))
    assert "fair" not in en.replace("fair dice hardly", "").replace("fair dice do", "")
    assert "公平" not in zh.replace("公平的骰子极少", "").replace("公平的骰子有时", "")
    if sum(counts) < LEAST:
        assert "say nothing" in en


def test_a_loaded_die_is_named_and_few_rolls_are_not_enough() -> None:
    assert "biased" in verdict((Die((100, 100, 100, 100, 100, 200)),))[1]
    assert "say nothing" in verdict((Die((0, 0, 0, 0, 0, 29)),))[1]
    assert "no bias seen" in verdict((Die((100, 98, 103, 101, 99, 99)),))[1]


def test_fair_dice_are_suspected_about_as_often_as_the_bounds_say() -> None:
    random = Random(7)  # noqa: S311 - a game
    alarms = 0
    for _ in range(400):
        rolls = [(random.randint(1, 6), random.randint(1, 6)) for _ in range(120)]
        alarms += "no bias seen" not in verdict(dice_of(rolls))[1]
    assert 4 <= alarms <= 40  # 5 % of 400 are 20


def test_what_could_go_unnoticed_shrinks_with_the_rolls() -> None:
    few, many = Die((20,) * 6), Die((2000,) * 6)
    assert 1 / 6 < many.blind_spot < few.blind_spot
    assert "29 %" in verdict((few,))[1]


def test_the_table_of_dice_has_a_column_for_each() -> None:
    lines = shown(dice_of([(1, 6), (1, 5)]))
    assert lines[1].split() == ["1", "2", "100.0", "%", "0", "0.0", "%"]
    assert all(width(line) <= COLUMNS for line in lines)
