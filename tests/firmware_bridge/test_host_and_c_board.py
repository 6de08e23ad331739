"""The host and the board in C, each written from the protocol's text, understand each other."""

import ctypes
from random import Random

import pytest
from talking_board import Conversation

from firmware_bridge.configuration import crc_of
from firmware_bridge.dictionary import entries
from firmware_bridge.errors import CommandRefused
from firmware_bridge.host import Finished, Host
from firmware_bridge.messages import (
    Booted,
    Config,
    DiceCommit,
    DiceCommitted,
    DiceEntropy,
    DiceReveal,
    DiceRevealed,
    DiceRolled,
    DictionaryEntry,
    Done,
    FaultRecord,
    GetConfig,
    GetDictionary,
    GetFaults,
    GetLink,
    KeyPressed,
    KeyReleased,
    Lock,
    Missed,
    RollDice,
    SetConfig,
    StartCycle,
)
from firmware_bridge.reference.compiled import CoreBoard, Settings
from firmware_bridge.states import Key, RejectReason, ResetCause
from firmware_bridge.virtual_dice import digest_of, roll_values
from hardware_sim.wires import Wire
from hardware_sim.wires_pair import Pair


@pytest.fixture
def core(c_core: ctypes.CDLL) -> CoreBoard:
    return CoreBoard(c_core, Settings())


@pytest.fixture
def talk(core: CoreBoard) -> Conversation:
    return Conversation(other=core)


def test_keys_pressed_without_a_link_come_later(talk: Conversation, core: CoreBoard) -> None:
    talk.cut()
    core.press(Key.DICE, 2, talk.now)
    core.press(Key.DICE, 2, talk.now, down=False)
    talk.mend()
    missed = [missed.report for missed in talk.of(Missed)]
    assert KeyPressed(Key.DICE, 2) in missed
    assert KeyReleased(Key.DICE, 2) in missed
    assert not talk.of(KeyPressed)


def test_a_restart_is_seen_at_once_and_nothing_is_missed_of_it(talk: Conversation, core: CoreBoard) -> None:
    talk.heard.clear()
    core.restart(99, ResetCause.WATCHDOG, talk.now)
    talk.run(0.6)
    assert [booted.boot_id for booted in talk.of(Booted)] == [99]
    assert not talk.of(Missed)


def test_anybody_can_compute_a_virtual_roll(talk: Conversation) -> None:
    for command in (DiceCommit(), DiceEntropy(1, bytes(range(16))), RollDice(2), DiceReveal()):
        assert isinstance(talk.carry_out(command), Done)
    (committed,), (rolled,), (revealed,) = talk.of(DiceCommitted), talk.of(DiceRolled), talk.of(DiceRevealed)
    assert digest_of(revealed.seed) == committed.digest
    assert roll_values(revealed.seed, committed.roll, {1: bytes(range(16))}, 2) == rolled.values


def test_a_configuration_waits_beside_the_one_in_force(talk: Conversation) -> None:
    talk.carry_out(SetConfig(108, (14, 13, 14, 13)))
    talk.carry_out(GetConfig())
    assert talk.of(Config) == [
        Config(136, (17, 17, 17, 17), 0, pending=False, crc=crc_of(136, (17, 17, 17, 17), 0)),
        Config(108, (14, 13, 14, 13), 0, pending=True, crc=crc_of(108, (14, 13, 14, 13), 0)),
    ]
    refused = talk.carry_out(SetConfig(136, (17, 17, 17, 16)))
    assert isinstance(refused, CommandRefused)
    assert refused.reason is RejectReason.BAD_CONFIG


def test_a_locked_board_begins_no_cycle(talk: Conversation) -> None:
    talk.carry_out(Lock())
    refused = talk.carry_out(StartCycle())
    assert isinstance(refused, CommandRefused)
    assert refused.reason is RejectReason.LOCKED


def test_the_fault_log_and_the_dictionary_are_read(talk: Conversation, core: CoreBoard) -> None:
    core.fault(0x0703, talk.now, side=1)
    talk.carry_out(GetFaults())
    assert [record.code for record in talk.of(FaultRecord)] == [0x0703]
    talk.carry_out(GetDictionary(0, 8))
    told, expected = talk.of(DictionaryEntry), entries()[:8]
    assert [(entry.kind, entry.code, entry.text) for entry in told] == [
        (entry.kind, entry.code, entry.text) for entry in expected
    ]


def test_however_many_programs_have_spoken_a_new_one_is_heard(core: CoreBoard) -> None:
    random = Random(4)  # noqa: S311 - as programs pick their first numbers
    now = 0.0
    for program in range(60):
        host = Host(session=100 * program, first_op_id=random.getrandbits(32))
        pair = Pair(host, core, Wire(1), Wire(2))
        pair.now = now
        host.port_opened(now)
        pair.run(0.5)
        asked = [host.request(command, pair.now) for command in (GetLink(), GetConfig(), GetLink())]
        pair.run(0.5)
        ended = {each.op_id: each.result for each in host.outcomes() if isinstance(each, Finished)}
        assert ended == {op_id: Done(op_id) for op_id in asked}, program
        now = pair.now
