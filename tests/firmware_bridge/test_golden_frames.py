"""Frames as they travel, in a text file that every implementation of the protocol can be tested against."""

from binascii import crc32
from collections.abc import Iterator
from enum import IntEnum, IntFlag
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.encoding import SIZES, decode_from_board, decode_from_host, encode
from firmware_bridge.frames import PAYLOAD_LIMIT, FrameDecoder, encode_frame
from firmware_bridge.layouts import ANSWERS, COMMANDS, REPORTS, Field, Layout
from firmware_bridge.link import HEADER, Kind
from firmware_bridge.messages import Message, Notice, Request

PLAIN: Final = Path(__file__).with_name("messages.txt")
GOLDEN: Final = Path(__file__).with_name("frames.txt")
HEAD: Final = """\
# Golden frames of protocol 1.1: name, payload, frame; hexadecimal, one space between them.
# frame/...: payloads that try the framing. link/...: frames of the link. message/NAME/...: a DATA frame of
# session 0x1234 with number 1 and ack 2; the message is its payload from the ninth byte on. "low" and "high"
# have the least and the greatest value in every field; "plain" is what messages.txt holds.
"""
NUMBER_MAX: Final = 2**32 - 1


def framing() -> Iterator[tuple[str, bytes]]:
    yield "frame/one-zero", b"\x00"
    yield "frame/one-byte", b"\x01"
    yield "frame/text-123456789", b"123456789"
    yield "frame/longest-zeros", bytes(PAYLOAD_LIMIT)
    yield "frame/longest-ones", b"\xff" * PAYLOAD_LIMIT
    yield "frame/zero-first", b"\x00\x11\x22"
    yield "frame/zero-last", b"\x11\x22\x00"
    yield "frame/zeros-between", b"\x11\x00\x00\x22\x00\x33"
    yield "frame/every-byte-1", bytes(range(PAYLOAD_LIMIT))
    yield "frame/every-byte-2", bytes(range(256 - PAYLOAD_LIMIT, 256))
    zero_first = (n for n in range(0x0101, 0xFFFF) if n & 0xFF and crc32(n.to_bytes(2, "big")) & 0xFF == 0)
    yield "frame/zero-in-crc", next(zero_first).to_bytes(2, "big")


def link_frames() -> Iterator[tuple[str, bytes]]:
    boot = (0xDEADBEEF).to_bytes(4, "little")
    for edge, session, seq, ack, held in (
        ("plain", 0x1234, 0, 0, 0),
        ("low", 0, 0, 0, 0),
        ("high", 0xFFFF, 0xFFFF, 0xFFFF, 0xFF),
    ):
        head = session, seq, ack, held
        yield f"link/RESET/{edge}", HEADER.pack(Kind.RESET, session, 0, 0, 0) + b"\x01\x00\x08"
        yield f"link/RESET_ACK/{edge}", HEADER.pack(Kind.RESET_ACK, session, 0, 0, 0) + boot + b"\x01\x00\x08"
        yield f"link/DATA/{edge}", HEADER.pack(Kind.DATA, *head) + encode(Request(1, COMMANDS[8].cls()))
        yield f"link/ALIVE/{edge}", HEADER.pack(Kind.ALIVE, session, 0, ack, held) + boot
        yield f"link/NO_SESSION/{edge}", HEADER.pack(Kind.NO_SESSION, session, 0, 0, 0) + boot


def messages() -> Iterator[tuple[str, bytes]]:
    table = COMMANDS | ANSWERS | REPORTS
    for line in PLAIN.read_text(encoding="utf-8").splitlines()[1:]:
        message = bytes.fromhex(line.split(" ")[0])
        yield f"message/{table[message[0]].cls.__name__}/plain", data_frame(message)
    for high in (False, True):
        edge, number = ("high", NUMBER_MAX) if high else ("low", 0)
        for layout in COMMANDS.values():
            yield named(layout, edge, Request(number, built(layout, high=high)))
        for layout in ANSWERS.values():
            yield named(layout, edge, built(layout, number, high=high))
        for layout in REPORTS.values():
            yield named(layout, edge, Notice(number, number, built(layout, high=high)))


def named(layout: Layout, edge: str, message: Message) -> tuple[str, bytes]:
    return f"message/{layout.cls.__name__}/{edge}", data_frame(encode(message))


def data_frame(message: bytes) -> bytes:
    return HEADER.pack(Kind.DATA, 0x1234, 1, 2, 0) + message


def built(layout: Layout, *first: int, high: bool) -> Any:
    return layout.cls(*first, *(extreme(field, high=high) for field in layout.fields))


def extreme(field: Field, *, high: bool) -> Any:
    if field.wire == "text":
        return "~" * (field.high or 0) if high else ""
    integer, _, count = field.wire.partition("x")
    one = extreme_number(field, SIZES[integer], high=high)
    if count == "":
        return one
    values = (one,) * (int(count) if count != "*" else (field.most or 0) if high else 0)
    return bytes(values) if field.kind is bytes else values


def extreme_number(field: Field, size: int, *, high: bool) -> Any:
    most = 256**size - 1 if field.high is None else field.high
    if field.unknown is not None and high:
        return field.unknown(most)
    if field.kind in (None, bytes):
        return most if high else field.low
    if isinstance(field.kind, type) and issubclass(field.kind, IntEnum):
        return (max if high else min)(field.kind)
    if isinstance(field.kind, type) and issubclass(field.kind, IntFlag):
        return field.kind(most if high else 0)
    return bool(high)


def golden_lines() -> list[str]:
    entries = [*framing(), *link_frames(), *messages()]
    return [f"{name} {payload.hex()} {encode_frame(payload).hex()}" for name, payload in entries]


def test_frames_stay_what_they_are(pytestconfig: pytest.Config) -> None:
    text = HEAD + "\n".join(golden_lines()) + "\n"
    if pytestconfig.getoption("--update"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert GOLDEN.read_text(encoding="utf-8") == text


def read() -> list[tuple[str, bytes, bytes]]:
    lines = [line.split(" ") for line in GOLDEN.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    return [(name, bytes.fromhex(payload), bytes.fromhex(frame)) for name, payload, frame in lines]


def test_golden_frames_are_read_back() -> None:
    decoder = FrameDecoder()
    entries = read()
    assert decoder.feed(b"".join(frame for _, _, frame in entries)) == [payload for _, payload, _ in entries]
    assert decoder.counts.bad_frames == 0


def test_golden_messages_are_read_back_and_written_alike() -> None:
    entries = [entry for entry in read() if entry[0].startswith("message/")]
    assert len(entries) == 3 * (len(COMMANDS) + len(ANSWERS) + len(REPORTS))
    for name, payload, _ in entries:
        body = payload[HEADER.size :]
        message: Message = (decode_from_host if body[0] < 0x40 else decode_from_board)(body)
        assert encode(message) == body, name
