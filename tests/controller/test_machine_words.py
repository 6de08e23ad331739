"""Whatever a board may say or refuse, people read what it means and what to do, in Chinese and English."""

from typing import get_args

import pytest

from controller.machine_advice import ADVICE, UNKNOWN_ADVICE, Steps
from controller.machine_motions import command_of
from controller.machine_stages import GOES_ON, ON_END, ON_KEY, Stage
from controller.machine_state import Machine
from controller.machine_troubles import with_troubles
from controller.machine_words import CAUSES, COMMAND_WORDS, CONDITIONS, REFUSALS, UNCLEAR_WORDS
from firmware_bridge.faults import FaultCode
from firmware_bridge.link import LostReason
from firmware_bridge.messages import Command
from firmware_bridge.states import FailCause, RejectReason, State

SHOWN_AT_ONCE = 5
"""Steps that the display has room for."""


def has_chinese(text: str) -> bool:
    return any("\u4e00" <= sign <= "\u9fff" for sign in text)


def check(steps: Steps) -> None:
    assert 1 <= len(steps) <= SHOWN_AT_ONCE
    assert len(set(steps)) == len(steps)
    for zh, en in steps:
        assert has_chinese(zh), zh
        assert en, zh
        assert not has_chinese(en), en
        assert len(zh) <= 30, zh
        assert len(en) <= 100, en


def test_every_fault_code_has_advice() -> None:
    assert set(ADVICE) == set(FaultCode) - {FaultCode.NONE}


@pytest.mark.parametrize("code", ADVICE)
def test_advice_is_a_few_short_steps_in_both_languages(code: FaultCode) -> None:
    check(ADVICE[code])


def test_a_code_that_nobody_knows_is_a_matter_for_the_technician() -> None:
    check(UNKNOWN_ADVICE)
    assert "师傅" in UNKNOWN_ADVICE[0][0]


def test_every_refusal_and_every_failure_has_words() -> None:
    assert set(REFUSALS) == set(RejectReason)
    assert set(CAUSES) == set(FailCause)
    for zh, en, steps in REFUSALS.values():
        assert has_chinese(zh)
        assert en
        check(steps)


def test_every_condition_has_advice() -> None:
    for code, told in CONDITIONS.items():
        assert told.zh, code
        check(told.steps)


def test_every_region_that_can_be_unclear_has_words() -> None:
    assert set(UNCLEAR_WORDS) == {state for state in State if state.name.endswith("_UNKNOWN")}


def test_every_command_the_machine_gives_has_a_name() -> None:
    machine = Machine(stacks=(17, 17, 17, 17))
    given = {type(command) for stage in Stage if (command := command_of(machine, stage)) is not None}
    assert given <= set(COMMAND_WORDS) <= set(get_args(Command))


def test_whatever_a_key_or_an_end_leads_to_has_a_command_or_is_a_place_to_wait() -> None:
    machine = Machine(stacks=(17, 17, 17, 17))
    following = {*ON_KEY.values(), *ON_END.values(), *GOES_ON.values()}
    waiting = {stage for stage in following if command_of(machine, stage) is None}
    assert waiting == {Stage.OPEN}


@pytest.mark.parametrize("reason", LostReason)
def test_why_a_link_was_lost_is_told_in_both_languages(reason: LostReason) -> None:
    lost = with_troubles(Machine(stacks=(17, 17, 17, 17), lost_at=0.0, lost=reason.value), 0.0).alarm
    assert lost is not None
    assert has_chinese(lost.zh.partition("：")[2])
    assert reason.value not in lost.zh
    assert lost.en.endswith(reason.value)
