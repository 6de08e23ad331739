"""PROTOCOL.md says what the code does: its tables and its worked examples are checked against it."""

import re

from firmware_bridge.document import DOCUMENT, TABLES, renewed
from firmware_bridge.frames import FRAME_LIMIT, PAYLOAD_LIMIT, encode_frame
from firmware_bridge.layouts import ANSWERS, COMMANDS, REPORTS
from firmware_bridge.link import HEADER, MESSAGE_LIMIT, Kind, Timing

TEXT = DOCUMENT.read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_code() -> None:
    assert renewed(TEXT) == TEXT


def test_every_table_stands_in_the_document_once() -> None:
    assert sorted(re.findall(r"<!-- table: (\S+) -->", TEXT)) == sorted(TABLES)


def test_every_message_and_kind_is_named() -> None:
    for layout in (*COMMANDS.values(), *ANSWERS.values(), *REPORTS.values()):
        assert f"| {layout.cls.__name__} |" in TEXT
    for kind in Kind:
        assert TEXT.count(f"| {kind.name} |") == 2


def test_the_worked_examples_are_right() -> None:
    examples = re.findall(r"^payload (.*)\nframe +(.*)$", TEXT, re.MULTILINE)
    assert len(examples) >= 6
    for payload, frame in examples:
        assert encode_frame(bytes.fromhex(payload)) == bytes.fromhex(frame)


def test_the_limits_and_times_in_the_text_are_those_of_the_code() -> None:
    timing = Timing()
    assert f"1 to {PAYLOAD_LIMIT} bytes" in TEXT
    assert f"at most {FRAME_LIMIT} bytes" in TEXT
    assert f"one message, 1 to {MESSAGE_LIMIT} bytes" in TEXT
    assert HEADER.size == 8
    assert "Every payload begins with eight bytes" in TEXT
    assert f"at least {1000 * timing.rto_min:g} ms and at most {1000 * timing.rto_max:g} ms" in TEXT
    assert f"nothing for {1000 * timing.heartbeat:g} ms" in TEXT
    assert f"for {timing.lost_after:g} s" in TEXT
    assert f"waits {timing.stalled_after:g} s" in TEXT
