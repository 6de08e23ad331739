"""Frames survive every split, and whatever garbage stands before or between them."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.frames import FRAME_LIMIT, PAYLOAD_LIMIT, FrameDecoder, encode_frame

payloads = st.binary(min_size=1, max_size=PAYLOAD_LIMIT)
streams = st.lists(payloads, min_size=1, max_size=6)


@given(streams, st.integers(1, 9))
def test_payloads_come_out_as_they_went_in_however_the_stream_is_cut(sent: list[bytes], size: int) -> None:
    stream = b"".join(map(encode_frame, sent))
    decoder = FrameDecoder()
    got = [p for at in range(0, len(stream), size) for p in decoder.feed(stream[at : at + size])]
    assert got == sent
    assert decoder.counts.bad_frames == decoder.counts.garbage_bytes == 0


@given(streams)
def test_a_split_at_any_byte_changes_nothing(sent: list[bytes]) -> None:
    stream = b"".join(map(encode_frame, sent))
    for cut in range(len(stream) + 1):
        decoder = FrameDecoder()
        assert decoder.feed(stream[:cut]) + decoder.feed(stream[cut:]) == sent


@given(streams)
def test_listening_from_the_middle_loses_only_the_frame_that_was_under_way(sent: list[bytes]) -> None:
    frames = [encode_frame(payload) for payload in sent]
    stream = b"".join(frames)
    for start in range(len(stream) + 1):
        begun = sum(1 for number in range(len(frames)) if sum(map(len, frames[:number])) < start)
        got, expected = FrameDecoder().feed(stream[start:]), sent[begun:]
        assert got[len(got) - len(expected) :] == expected


@given(st.binary(max_size=300), payloads)
def test_after_any_garbage_a_zero_makes_the_next_frame_readable(garbage: bytes, payload: bytes) -> None:
    assert FrameDecoder().feed(garbage + b"\x00" + encode_frame(payload))[-1] == payload


@given(st.binary(max_size=300), payloads, payloads)
def test_garbage_without_an_end_costs_one_frame_at_most(garbage: bytes, one: bytes, two: bytes) -> None:
    assert FrameDecoder().feed(garbage + encode_frame(one) + encode_frame(two))[-1] == two


@given(payloads, st.data())
def test_a_frame_with_a_turned_bit_is_never_taken_for_another_payload(
    payload: bytes, data: st.DataObject
) -> None:
    frame = bytearray(encode_frame(payload))
    bit = data.draw(st.integers(0, 8 * len(frame) - 1))
    frame[bit // 8] ^= 1 << bit % 8
    assert FrameDecoder().feed(bytes(frame) + b"\x00") == []


@given(payloads)
def test_a_frame_is_short_and_has_its_only_zero_at_the_end(payload: bytes) -> None:
    frame = encode_frame(payload)
    assert len(frame) <= FRAME_LIMIT
    assert frame.index(0) == len(frame) - 1


def test_the_bytes_of_a_frame_worked_by_hand() -> None:
    # CRC-32 of "123456789" is 0xCBF43926: little-endian 26 39 F4 CB. No zero: one COBS block of 14.
    assert encode_frame(b"123456789").hex() == "0e" + b"123456789".hex() + "2639f4cb" + "00"
    # CRC-32 of one zero byte is 0xD202EF8D: an empty block, then a block of four.
    assert encode_frame(b"\x00").hex() == "01" + "05" + "8def02d2" + "00"


def test_a_megabyte_without_a_zero_is_counted_and_not_kept() -> None:
    decoder, noise = FrameDecoder(), b"\xff" * 1024
    tracemalloc.start()
    for _ in range(1024):
        assert decoder.feed(noise) == []
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 64 * 1024
    assert decoder.feed(b"\x00" + encode_frame(b"good")) == [b"good"]
    assert decoder.counts.bad_frames == 1
    assert decoder.counts.garbage_bytes == 1 << 20


def test_a_modem_probe_is_garbage_and_nothing_more() -> None:
    decoder = FrameDecoder()
    assert decoder.feed(b"AT\r\nAT+GCAP\r\n\x00" + encode_frame(b"x")) == [b"x"]
    assert decoder.counts.garbage_bytes == len(b"AT\r\nAT+GCAP\r\n")


def test_zeros_in_a_row_mean_nothing() -> None:
    decoder = FrameDecoder()
    assert decoder.feed(b"\x00\x00\x00" + encode_frame(b"x") + b"\x00\x00") == [b"x"]
    assert decoder.counts.bad_frames == 0
