"""Frames: what a receiver takes, and what it survives (sections 1 and 2)."""

import contextlib
from binascii import crc32
from collections.abc import Callable
from random import Random
from typing import Final

from firmware_bridge.conformance.bench import AT_ONCE_S, Bench
from firmware_bridge.conformance.probe import SILENT, NoSession, Probe, head
from firmware_bridge.conformance.requirement import Chapter, NotMet, expect
from firmware_bridge.conformance.trace import FROM_BOARD
from firmware_bridge.encoding import encode
from firmware_bridge.frames import DELIMITER
from firmware_bridge.link import MESSAGE_LIMIT, VERSION, Kind
from firmware_bridge.messages import Done, GetStatus, Request

FRAMES: Final = Chapter()
GARBAGE: Final = 3000
WAVE: Final = 500
PAUSE_S: Final = 0.003


def crc_32c(payload: bytes) -> bytes:
    """CRC-32C (Castagnoli), which many chips have in hardware."""
    register = 0xFFFFFFFF
    for byte in payload:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return (register ^ 0xFFFFFFFF).to_bytes(4, "little")


OTHER_CRCS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "CRC-32C (another polynomial)": crc_32c,
    "sent highest byte first": lambda payload: crc32(payload).to_bytes(4, "big"),
    "not turned over at the end": lambda payload: (crc32(payload) ^ 0xFFFFFFFF).to_bytes(4, "little"),
    "0": lambda _: bytes(4),
}
"""What makers get wrong, by name."""


def unstuffed(raw: bytes) -> bytes:
    """The bytes in a frame without its zero; as much as can be read."""
    blocks, at = [], 0
    while at < len(raw) and raw[at]:
        blocks.append(raw[at + 1 : at + raw[at]])
        at += raw[at]
    return DELIMITER.join(blocks)


def stuffed(body: bytes) -> bytes:
    """COBS of ``body`` (payload and CRC, right or wrong) and the zero."""
    return b"".join(bytes((len(part) + 1,)) + part for part in body.split(DELIMITER)) + DELIMITER


async def not_taken(bench: Bench, damaged: bytes, message: bytes, words: str) -> None:
    """``damaged`` would carry ``message`` under the next number; then it comes whole and is taken."""
    probe = bench.probe
    ack, mark = probe.last_ack, bench.mark()
    await probe.send_raw(damaged)
    await probe.run(AT_ONCE_S)
    expect(probe.last_ack == ack and not bench.said(mark), f"{words} was taken for a good frame")
    asked = await bench.start(message)
    await bench.finished(asked, 1.0)
    expect(
        isinstance(asked.ended, Done),
        f"after {words}: the same command in a good frame gives {asked.outcome}",
    )


def request(bench: Bench) -> bytes:
    """A harmless command."""
    return encode(Request(bench.next_op_id(), GetStatus()))


@FRAMES.requirement("FRAME-02", "a good frame is understood, and its answer is one", "2", fresh=False)
async def _understood(bench: Bench) -> None:
    probe = bench.probe
    heard = probe.trace.count(FROM_BOARD)
    with contextlib.suppress(NoSession):
        await probe.offer(2.0)
        return
    expect(probe.trace.count(FROM_BOARD) == heard, f"RESET is answered by no good frame; {_answer(probe)}")
    for name, crc in OTHER_CRCS.items():
        payload = head(Kind.RESET, probe.session) + bytes((*VERSION, 8))
        await probe.send_raw(DELIMITER + stuffed(payload + crc(payload)))
        came = await probe.until(lambda: probe.trace.count(FROM_BOARD) > heard, AT_ONCE_S + bench.slack)
        expect(not came, f"RESET is answered only where its CRC is {name}")
    raise NotMet("nothing comes back after RESET, whatever its CRC")


def _answer(probe: Probe) -> str:
    """What may be wrong with the frame that came last."""
    raw = probe.trace.last(FROM_BOARD)
    body = unstuffed(raw[:-1])
    for name, crc in OTHER_CRCS.items():
        if body[:-4] and body[-4:] == crc(body[:-4]):
            return f"the CRC of its frames is {name}"
    return f"the last was {raw.hex(' ')}"


@FRAMES.requirement("FRAME-03", "a frame with a wrong CRC is dropped, the next one taken", "2")
async def _wrong_crc(bench: Bench) -> None:
    message = request(bench)
    payload = _payload(bench, message)
    check = (crc32(payload) ^ 0x100).to_bytes(4, "little")
    await not_taken(bench, stuffed(payload + check), message, "a frame with one wrong bit in its CRC")


@FRAMES.requirement("FRAME-04", "the CRC is CRC-32 as in Ethernet, lowest byte first", "2.1")
async def _other_crcs(bench: Bench) -> None:
    for name, crc in OTHER_CRCS.items():
        payload = _payload(bench, request(bench))
        words = f"a frame whose CRC is {name}"
        await not_taken(bench, stuffed(payload + crc(payload)), request(bench), words)


def _payload(bench: Bench, message: bytes) -> bytes:
    """The payload that carries ``message`` as the next one."""
    return unstuffed(bench.probe.data_frame(message, bench.probe.next_seq)[:-1])[:-4]


@FRAMES.requirement("FRAME-05", "a frame of more than 64 bytes is dropped, the next one taken", "2")
async def _over_long(bench: Bench) -> None:
    message = request(bench)
    payload = _payload(bench, message) + bytes(range(1, 60))
    frame = stuffed(payload + crc32(payload).to_bytes(4, "little"))
    await not_taken(bench, frame, message, f"a frame of {len(frame)} bytes")


@FRAMES.requirement("FRAME-06", "a frame that breaks the COBS rule is dropped, the next one taken", "2")
async def _broken_cobs(bench: Bench) -> None:
    message = request(bench)
    frame = bytearray(bench.probe.data_frame(message, bench.probe.next_seq))
    frame[0] = len(frame) + 5
    await not_taken(bench, bytes(frame), message, "a frame that breaks the COBS rule")


@FRAMES.requirement("FRAME-07", "a frame of which the end is missing costs no other", "2")
async def _cut_off(bench: Bench) -> None:
    message = request(bench)
    frame = bench.probe.data_frame(message, bench.probe.next_seq)
    await not_taken(bench, frame[: len(frame) // 2] + DELIMITER, message, "half a frame")


@FRAMES.requirement("FRAME-08", "a frame of 64 bytes is taken", "2")
async def _longest(bench: Bench) -> None:
    message = request(bench)
    message += b"\xa5" * (MESSAGE_LIMIT - len(message))
    asked = await bench.start(message)
    await bench.finished(asked, 1.0)
    expect(isinstance(asked.ended, Done), f"a message of {MESSAGE_LIMIT} bytes gives {asked.outcome}")


@FRAMES.requirement("FRAME-09", "empty frames mean nothing", "2")
async def _empty(bench: Bench) -> None:
    await bench.probe.send_raw(DELIMITER * 40)
    await bench.well("40 empty frames")


@FRAMES.requirement("FRAME-10", "the packets and pauses in which bytes come mean nothing", "1")
async def _pieces(bench: Bench) -> None:
    probe = bench.probe
    messages = [request(bench) for _ in range(3)]
    mark = bench.mark()
    one, two, three = (probe.data_frame(message, probe.claim(message)) for message in messages)
    with probe.acting(SILENT):
        for byte in one:
            await probe.send_raw(bytes((byte,)))
            await probe.run(PAUSE_S)
    await probe.send_raw(two + three)
    wanted = [int.from_bytes(message[1:5], "little") for message in messages]
    await probe.until(lambda: _done(bench, mark) == wanted, 1.0)
    done = _done(bench, mark)
    expect(
        done == wanted,
        f"three commands, one byte by byte and two at once: expected Done {wanted}, got {done}",
    )


def _done(bench: Bench, mark: int) -> list[int]:
    return [one.message.op_id for one in bench.said(mark) if isinstance(one.message, Done)]


@FRAMES.requirement("FRAME-11", "noise of any kind is survived, and the session goes on", "1")
async def _noise(bench: Bench) -> str:
    random = Random(64)  # noqa: S311 - the same noise for every board
    probe = bench.probe
    full = bytes(random.randint(1, 255) for _ in range(GARBAGE // 3))
    waves = [
        full,
        b"AT\r\nAT+GCAP\r\n\x7e\x00\x78\xf0\x7e",
        random.randbytes(GARBAGE // 3),
        b"\x01\x00" * 100,
    ]
    for wave in waves:
        for start in range(0, len(wave), WAVE):
            await probe.send_raw(wave[start : start + WAVE])
            await probe.run(PAUSE_S)
        await probe.send_raw(DELIMITER)
    await bench.well("noise")
    return f"{sum(map(len, waves))} bytes"
