"""The dictionary: every word arrives whole, and a host learns the words it lacks."""

from dataclasses import replace

from firmware_bridge.dictionary import PAGE, TEXT_LIMIT, Reader, entries, fault_words
from firmware_bridge.fault_actions import ACTIONS
from firmware_bridge.faults import FAULTS, FaultText, UnknownFault, words
from firmware_bridge.layouts import COMMANDS, REPORTS
from firmware_bridge.messages import Booted, DictionaryEntry, Fault, GetDictionary, Missed
from firmware_bridge.states import Capability, Entry, Profile, ResetCause, Severity

NEW = FaultText(Severity.STOP_CYCLE, "第五个机头卡牌而且名字很长", "the fifth stacking head is jammed")
BOARD = Booted(1, ResetCause.POWER_ON, (1, 2), Profile.FOUR_PORT, Capability.DICTIONARY, 77, "new 1.2")


def test_every_opcode_and_every_fault_is_in_it() -> None:
    made = entries()
    assert [entry.index for entry in made] == list(range(made[0].entries))
    assert {entry.code for entry in made if entry.kind is Entry.COMMAND} == set(COMMANDS)
    assert {entry.code for entry in made if entry.kind is Entry.REPORT} == set(REPORTS)
    assert {entry.code for entry in made if entry.kind is Entry.FAULT} == {code.value for code in FAULTS}
    assert max(len(entry.text.encode()) for entry in made) <= TEXT_LIMIT


def test_words_longer_than_an_entry_come_whole() -> None:
    assert fault_words(entries([(0x0777, NEW)])) == {0x0777: NEW}


def test_entries_that_are_no_words_are_left_out() -> None:
    for text in ("", "2", "2|只有中文", "9|坏|bad", "x|坏|bad", "2||no Chinese"):
        assert fault_words([DictionaryEntry(0, 1, Entry.FAULT, 0x0777, text)]) == {}


def test_a_host_reads_page_by_page_and_once() -> None:
    reader, made, pages = Reader(), entries([(0x0777, NEW)]), 0
    while (page := reader.wanted(BOARD)) is not None:
        pages += 1
        for entry in made[page.first : page.first + page.count]:
            reader.take(entry)
    assert pages == -(-len(made) // PAGE)
    fault = Fault(UnknownFault(0x0777), Severity.STOP_CYCLE, side=1)
    told = reader.worded(Missed(3, 4, fault))
    assert isinstance(told, Missed)
    assert isinstance(told.report, Fault)
    assert words(told.report.code) == NEW
    assert reader.wanted(replace(BOARD, boot_id=2)) is None
    assert reader.wanted(replace(BOARD, firmware="new 1.3")) == GetDictionary(0, PAGE)


def test_an_interrupted_page_goes_on_where_it_ended() -> None:
    reader, made = Reader(), entries()
    assert reader.wanted(BOARD) == GetDictionary(0, PAGE)
    reader.take(made[0])
    reader.take(made[1])
    assert reader.wanted(BOARD) == GetDictionary(2, PAGE)


def test_every_fault_says_when_it_comes_and_what_the_board_does() -> None:
    assert set(ACTIONS) == set(FAULTS)
    assert all(row.when and row.action for row in ACTIONS.values())
