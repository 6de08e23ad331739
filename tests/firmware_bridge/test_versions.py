"""Old boards, new boards, boards that can less: a host asks for what there is and says the rest in words."""

from dataclasses import fields
from typing import Any

import pytest
from talking_board import EVERYTHING, Conversation, TalkingBoard

from firmware_bridge.abilities import check_supported
from firmware_bridge.errors import NotSupported, WrongVersion
from firmware_bridge.faults import FaultText, UnknownFault, words
from firmware_bridge.layouts import COMMANDS, Layout
from firmware_bridge.messages import (
    Booted,
    Command,
    DiceCommit,
    Done,
    Fault,
    GetDictionary,
    GetStatus,
    Home,
    KeyPressed,
    OpenHatch,
    StartCycle,
    Status,
    Stop,
)
from firmware_bridge.states import Capability, Key, Lamp, Motor, Profile, ResetCause, Severity


def board(minor: int, capabilities: Capability = EVERYTHING) -> Booted:
    return Booted(1, ResetCause.POWER_ON, (1, minor), Profile.FOUR_PORT, capabilities, 1, "maker 1")


def plain(layout: Layout) -> Command:
    """A command of this kind with some allowed values."""
    some: dict[str, Any] = {"motor": Motor.DRUM, "ready": Lamp.OFF, "entropy": bytes(16), "ms": 300}
    some |= {"tiles": 136, "stacks": (17, 17, 17, 17), "dealt": 0, "forward": True}
    names = [one.name for one in fields(layout.cls)]
    command: Command = layout.cls(
        **{name: some.get(name, 1) for name in names if name not in {"seats", "buzz"}}
    )
    return command


@pytest.mark.parametrize("layout", COMMANDS.values(), ids=lambda layout: layout.cls.__name__)
def test_no_new_command_goes_to_an_old_board(layout: Layout) -> None:
    if layout.since == 0:
        check_supported(plain(layout), board(0))
    else:
        with pytest.raises(NotSupported, match=r"came with protocol 1\.1, this board speaks 1\.0"):
            check_supported(plain(layout), board(0))
    check_supported(plain(layout), board(1))
    check_supported(plain(layout), board(2))


@pytest.mark.parametrize(
    "layout", [layout for layout in COMMANDS.values() if layout.needs], ids=lambda layout: layout.cls.__name__
)
def test_what_a_board_cannot_do_is_not_asked(layout: Layout) -> None:
    with pytest.raises(NotSupported, match="needs a board with"):
        check_supported(plain(layout), board(1, EVERYTHING & ~layout.needs))


def test_a_cycle_as_the_board_is_set_is_new() -> None:
    check_supported(StartCycle((0, 0, 0, 0)), board(1))
    with pytest.raises(NotSupported, match="stacks of 0"):
        check_supported(StartCycle((0, 0, 0, 0)), board(0))


def test_an_old_board_is_used_for_what_it_can_do_and_hears_nothing_new() -> None:
    talk = Conversation(TalkingBoard(protocol=(1, 0), capabilities=Capability(0x0F)))
    with pytest.raises(NotSupported):
        talk.host.request(Home(), talk.now)
    with pytest.raises(NotSupported):
        talk.host.request(DiceCommit(), talk.now)
    op_id = talk.host.request(OpenHatch(), talk.now)
    talk.run(0.5)
    assert talk.finished == {op_id: Done(op_id)}
    assert [request.command for request in talk.board.asked] == [OpenHatch()]


def test_a_newer_minor_version_works() -> None:
    talk = Conversation(TalkingBoard(protocol=(1, 7), capabilities=Capability(0xFFFF)))
    talk.host.request(Home(), talk.now)
    talk.run(0.5)
    assert talk.board.commands() == [Home()]


def test_a_board_of_another_major_version_can_be_read_and_stopped_and_nothing_else() -> None:
    talk = Conversation(TalkingBoard(protocol=(2, 0)))
    assert talk.of(Status)
    assert talk.host.read_only is not None
    assert "升级本程序" in talk.host.read_only.zh
    talk.board.report(KeyPressed(Key.LIFT, 1))
    talk.run(0.5)
    assert not talk.of(KeyPressed)
    with pytest.raises(WrongVersion, match=r"protocol 2\.0, this program 1\.1: update this program"):
        talk.host.request(OpenHatch(), talk.now)
    talk.host.request(GetStatus(), talk.now)
    talk.host.request(Stop(), talk.now)
    talk.run(0.5)
    assert sorted(map(str, talk.board.commands())) == ["GetStatus()", "Stop()"]
    assert [request.command for request in talk.board.asked] == talk.board.commands()


# ---- words that only the board knows -------------------------------------------------------------------

NEW = FaultText(Severity.STOP_CYCLE, "第五个机头卡牌而且名字很长", "the fifth stacking head is jammed")
FAULT = Fault(UnknownFault(0x8001), Severity.STOP_CYCLE, side=3)


def test_an_unknown_fault_is_told_at_once_and_again_with_the_board_s_words() -> None:
    talk = Conversation(TalkingBoard(faults=(FAULT,), words={0x8001: NEW}))
    first, second = talk.of(Fault)
    assert first == second == FAULT
    assert words(first.code).zh == "未知故障 0x8001"
    assert words(second.code) == NEW


def test_the_dictionary_is_read_once_for_a_board() -> None:
    talk = Conversation(TalkingBoard(words={0x8001: NEW}))
    pages = sum(isinstance(request.command, GetDictionary) for request in talk.board.asked)
    talk.cut()
    talk.mend(TalkingBoard(boot_id=2, words={0x8001: NEW}, faults=(FAULT,)))
    assert pages > 10
    assert not talk.board.asked
    (fault,) = talk.of(Fault)
    assert words(fault.code) == NEW


def test_a_board_without_a_dictionary_still_has_its_faults_shown() -> None:
    talk = Conversation(TalkingBoard(faults=(FAULT,), capabilities=EVERYTHING & ~Capability.DICTIONARY))
    assert not talk.board.asked
    assert talk.of(Fault) == [FAULT]


def test_somebody_who_asks_for_the_dictionary_himself_gets_it() -> None:
    talk = Conversation()
    talk.host.request(GetDictionary(0, 3), talk.now)
    talk.run(0.5)
    assert [entry.index for entry in talk.heard if hasattr(entry, "index")] == [0, 1, 2]
