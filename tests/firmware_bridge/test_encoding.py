"""Messages become bytes and messages again, and bad bytes are told from good ones."""

from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge import faults, messages, states
from firmware_bridge.encoding import SIZES, decode_from_board, decode_from_host, encode
from firmware_bridge.errors import MalformedMessage
from firmware_bridge.faults import FAULTS, FaultCode, UnknownFault, words
from firmware_bridge.layouts import ANSWERS, COMMANDS, REPORTS, Field, Layout
from firmware_bridge.link import MESSAGE_LIMIT
from firmware_bridge.messages import (
    Counters,
    DiceRolled,
    Fault,
    Notice,
    Request,
    RollDice,
    StartCycle,
)
from firmware_bridge.states import Region, Severity, State

numbers = st.integers(0, 2**32 - 1)


def field_values(field: Field) -> st.SearchStrategy[Any]:
    if field.wire == "text":
        return st.text("abc 1.0", max_size=20)
    integer, _, count = field.wire.partition("x")
    high = 256 ** SIZES[integer] - 1 if field.high is None else field.high
    one: st.SearchStrategy[Any] = st.integers(field.low, high)
    if field.kind is bytes:
        return st.binary(min_size=int(count), max_size=int(count))
    if field.kind is bool:
        one = st.booleans()
    elif field.kind is not None and issubclass(field.kind, IntEnum):
        one = st.sampled_from(list(field.kind))
    elif field.kind is not None:
        one = one.map(field.kind)
    if field.unknown is not None:
        one = one | st.integers(0xF000, high).map(field.unknown)
    if field.absent is not None:
        one = one | st.none()
    if count == "":
        return one
    low, top = (0, field.most) if count == "*" else (int(count), int(count))
    return st.lists(one, min_size=low, max_size=top).map(tuple)


def built(layout: Layout, *first: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.tuples(*first, *map(field_values, layout.fields)).map(lambda values: layout.cls(*values))


requests = st.builds(Request, numbers, st.one_of([built(layout) for layout in COMMANDS.values()]))
answers = st.one_of([built(layout, numbers) for layout in ANSWERS.values()])
notices = st.builds(Notice, numbers, numbers, st.one_of([built(layout) for layout in REPORTS.values()]))


@given(requests)
def test_requests_come_back(request: Request) -> None:
    assert decode_from_host(encode(request)) == request


@given(answers | notices)
def test_answers_and_notices_come_back(message: Any) -> None:
    assert decode_from_board(encode(message)) == message


@given(requests | answers | notices)
def test_every_message_fits_into_a_frame(message: Any) -> None:
    assert len(encode(message)) <= MESSAGE_LIMIT


@given(requests, st.binary(max_size=5))
def test_bytes_after_the_last_field_are_a_later_version_s_business(request: Request, more: bytes) -> None:
    assert decode_from_host(encode(request) + more) == request


opcodes = st.sampled_from(sorted({*COMMANDS, *ANSWERS, *REPORTS}))
under_an_opcode = st.builds(lambda opcode, rest: bytes((opcode, *rest)), opcodes, st.binary(max_size=60))


@given(st.binary(max_size=MESSAGE_LIMIT) | under_an_opcode)
@settings(max_examples=1000)
def test_any_bytes_are_a_message_or_a_malformed_one(data: bytes) -> None:
    for decode in (decode_from_host, decode_from_board):
        try:
            message = decode(data)
        except MalformedMessage:
            continue
        assert encode(message)[0] == data[0]


@pytest.mark.parametrize(
    "wrong",
    [
        Request(1, RollDice(3)),
        Request(1, StartCycle((17, 17, 17))),  # type: ignore[arg-type]
        Request(1, StartCycle((17, 17, 17, -1))),
        Notice(1, 1, DiceRolled((0,))),
        Notice(1, 1, Fault(FaultCode.CNT_01, Severity.WARN, side=4)),
    ],
    ids=["three dice", "three sides", "negative stacks", "a die showing nothing", "a fifth side"],
)
def test_a_field_out_of_its_range_is_not_sent(wrong: Request | Notice) -> None:
    with pytest.raises(MalformedMessage, match="expected"):
        encode(wrong)


def golden(name: str) -> list[tuple[bytes, Any]]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    vocabulary = vars(messages) | vars(states) | vars(faults)
    pairs = [line.split("  ", 1) for line in lines if not line.startswith("#")]
    return [(bytes.fromhex(data), eval(text, vocabulary)) for data, text in pairs]  # noqa: S307 - our own text


def test_the_bytes_of_every_message_stay_what_they_are() -> None:
    pairs = golden("messages.txt")
    assert [encode(message) for _, message in pairs] == [data for data, _ in pairs]
    assert {data[0] for data, _ in pairs} == set(COMMANDS) | set(ANSWERS) | set(REPORTS)


def test_a_board_of_version_1_0_is_understood() -> None:
    for data, message in golden("messages_1_0.txt"):
        assert (decode_from_host if data[0] < 0x40 else decode_from_board)(data) == message


def test_a_reader_of_version_1_0_finds_its_fields_where_they_were() -> None:
    for data, message in golden("messages_1_0.txt"):
        assert encode(message).startswith(data)


def test_an_appended_field_that_is_cut_in_half_is_malformed() -> None:
    data = encode(Notice(1, 1, Counters(1, 2, 3, 4, 5, 6, jams=(7, 8, 9, 10))))
    whole = [len(data) - cut for cut in (0, 4, 8, 16)]
    for length in range(len(data) - 16, len(data) + 1):
        if length in whole:
            decode_from_board(data[:length])
        else:
            with pytest.raises(MalformedMessage, match="ends early"):
                decode_from_board(data[:length])


def test_a_fault_nobody_knows_arrives_with_its_number() -> None:
    notice = Notice(1, 1, Fault(UnknownFault(0x0B77), Severity.STOP_CYCLE, side=2))
    assert decode_from_board(encode(notice)) == notice
    assert words(UnknownFault(0x0B77)).zh == "未知故障 0x0B77"


def test_every_fault_has_words_in_both_languages() -> None:
    assert set(FAULTS) == set(FaultCode) - {FaultCode.NONE}
    assert all(text.zh and text.en for text in FAULTS.values())
    assert FaultCode.CNT_01.label == "CNT-01"


def test_every_state_belongs_to_one_region() -> None:
    assert {state.region for state in State} == set(Region)
