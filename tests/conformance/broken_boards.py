"""Boards that are broken in one way each: the simulated firmware, and what is done to its frames."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from firmware_bridge.conformance.checks_frames import crc_32c, stuffed, unstuffed
from firmware_bridge.encoding import decode_from_board, decode_from_host, encode
from firmware_bridge.errors import MalformedMessage
from firmware_bridge.frames import DELIMITER, FrameDecoder, encode_frame
from firmware_bridge.link import HEADER, Kind, Timing
from firmware_bridge.messages import (
    Accepted,
    DiceCommitted,
    FromBoard,
    Notice,
    Rejected,
    Status,
)
from firmware_bridge.states import RejectReason, ResetCause, State
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.mechanics import Mechanics

SPEED: Final = 3.0
NOTHING: Final = b"\xf7" + bytes(8)
"""A report that nobody knows: takes the place of one that must not come."""


def firmware(timing: Timing | None = None) -> Firmware:
    """A simulated board that keeps to the protocol."""
    mechanics = Mechanics(Random(4), speed=SPEED)  # noqa: S311 - a game
    return Firmware(
        mechanics, Identity(uid=44), boot_id=0x1234ABCD, cause=ResetCause.POWER_ON, now=0.0, timing=timing
    )


@dataclass(frozen=True, slots=True)
class Head:
    """A frame's header and body."""

    kind: int
    session: int
    seq: int
    ack: int
    held: int
    body: bytes

    @classmethod
    def of(cls, payload: bytes) -> "Head":
        kind, session, seq, ack, held = HEADER.unpack_from(payload)
        return cls(kind, session, seq, ack, held, payload[HEADER.size :])

    @property
    def payload(self) -> bytes:
        return HEADER.pack(self.kind, self.session, self.seq, self.ack, self.held) + self.body


class Board:
    """An engine around the firmware's; frames pass :meth:`to_board` and :meth:`to_host`."""

    def __init__(self, inner: Firmware | None = None) -> None:
        self.inner = inner or firmware()
        self.now = 0.0
        self._in, self._out = FrameDecoder(), FrameDecoder()

    def receive(self, data: bytes, now: float) -> None:
        self.now = now
        for piece in self._in.pieces(data):
            if piece.payload is None:
                self.inner.receive(self.damaged(piece.stuffed) + DELIMITER, now)
                continue
            for payload in self.to_board(piece.payload):
                self.inner.receive(encode_frame(payload), now)

    def on_timer(self, now: float) -> None:
        self.now = now
        self.inner.on_timer(now)

    def next_timer(self) -> float | None:
        return self.inner.next_timer()

    def data_to_send(self, now: float) -> bytes:
        self.now = now
        payloads = self._out.feed(self.inner.data_to_send(now))
        return b"".join(self.framed(out) for payload in payloads for out in self.to_host(payload))

    def to_board(self, payload: bytes) -> Iterator[bytes]:
        yield payload

    def to_host(self, payload: bytes) -> Iterator[bytes]:
        yield payload

    def damaged(self, stuffed_bytes: bytes) -> bytes:
        return stuffed_bytes

    def framed(self, payload: bytes) -> bytes:
        return encode_frame(payload)


class MessageBoard(Board):
    """A board of which messages are changed; the link is left alone."""

    def to_board(self, payload: bytes) -> Iterator[bytes]:
        if len(payload) < HEADER.size or payload[0] != Kind.DATA:
            yield payload
            return
        head = Head.of(payload)
        yield Head(head.kind, head.session, head.seq, head.ack, head.held, self.command(head.body)).payload

    def to_host(self, payload: bytes) -> Iterator[bytes]:
        head = Head.of(payload)
        if head.kind != Kind.DATA:
            yield payload
            return
        body = self.message(decode_from_board(head.body), head.body)
        yield Head(head.kind, head.session, head.seq, head.ack, head.held, body).payload

    def command(self, data: bytes) -> bytes:
        return data

    def message(self, message: FromBoard, data: bytes) -> bytes:
        del message
        return data


# ---- frames and link -------------------------------------------------------------------------------------


class OtherCrc(Board):
    """Takes and makes CRC-32C."""

    def receive(self, data: bytes, now: float) -> None:
        for part in data.split(DELIMITER):
            body = unstuffed(part)
            if body[:-4] and body[-4:] == crc_32c(body[:-4]):
                self.inner.receive(encode_frame(body[:-4]), now)

    def framed(self, payload: bytes) -> bytes:
        return stuffed(payload + crc_32c(payload))


class SendsOtherCrc(Board):
    """Only the frames it sends have CRC-32C."""

    def framed(self, payload: bytes) -> bytes:
        return stuffed(payload + crc_32c(payload))


class NoAcks(Board):
    """Its ack stays 0."""

    def to_host(self, payload: bytes) -> Iterator[bytes]:
        head = Head.of(payload)
        yield Head(head.kind, head.session, head.seq, 0, 0, head.body).payload


class NoNoSession(Board):
    """Says nothing to frames of unknown sessions."""

    def to_host(self, payload: bytes) -> Iterator[bytes]:
        if payload[0] != Kind.NO_SESSION:
            yield payload


class OtherBoot(Board):
    """Makes up another boot_id for each ALIVE."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def to_host(self, payload: bytes) -> Iterator[bytes]:
        head = Head.of(payload)
        if head.kind == Kind.ALIVE:
            self._count += 1
            boot_id = struct.pack("<I", 0x1234ABCD + self._count)
            payload = Head(head.kind, head.session, head.seq, head.ack, head.held, boot_id).payload
        yield payload


class SlowHeart(Board):
    """ALIVE after 700 ms."""

    def __init__(self) -> None:
        super().__init__(firmware(Timing(heartbeat=0.7)))


class NoWindow(Board):
    """Takes every host to have a window of 8."""

    def to_board(self, payload: bytes) -> Iterator[bytes]:
        head = Head.of(payload) if len(payload) >= HEADER.size else None
        if head is not None and head.kind == Kind.RESET and len(head.body) >= 3:
            body = head.body[:2] + b"\x08" + head.body[3:]
            payload = Head(head.kind, head.session, head.seq, head.ack, head.held, body).payload
        yield payload


class DeafAfterNoise(Board):
    """A framing error too many, and it never listens again."""

    limit: Final = 100

    def __init__(self) -> None:
        super().__init__()
        self._bad = 0

    def damaged(self, stuffed_bytes: bytes) -> bytes:
        self._bad += 1
        return stuffed_bytes

    def to_board(self, payload: bytes) -> Iterator[bytes]:
        if self._bad < self.limit:
            yield payload


class TakesEverything(Board):
    """Does not look at the CRC."""

    def damaged(self, stuffed_bytes: bytes) -> bytes:
        body = unstuffed(stuffed_bytes)
        if len(body) > HEADER.size + 4 and len(body) < 60:
            return encode_frame(body[:-4])[:-1]
        return stuffed_bytes


class NeverLost(Board):
    """Keeps its session for ever."""

    def __init__(self) -> None:
        super().__init__(firmware(Timing(lost_after=1e6, stalled_after=1e6)))


class GivesUpEarly(Board):
    """Two seconds are enough."""

    def __init__(self) -> None:
        super().__init__(firmware(Timing(lost_after=2.0)))


class RepeatsRarely(Board):
    """Sends again after 900 ms."""

    def __init__(self) -> None:
        super().__init__(firmware(Timing(rto_min=0.9, rto_max=0.9)))


# ---- messages --------------------------------------------------------------------------------------------


class TwiceBoard(MessageBoard):
    """Executes every command, whatever its op_id."""

    def __init__(self) -> None:
        super().__init__()
        self._own = 0
        self._theirs: dict[int, int] = {}

    def command(self, data: bytes) -> bytes:
        if len(data) < 5:
            return data
        self._own += 1
        self._theirs[self._own] = int.from_bytes(data[1:5], "little")
        return data[:1] + self._own.to_bytes(4, "little") + data[5:]

    def message(self, message: FromBoard, data: bytes) -> bytes:
        if isinstance(message, Notice):
            return data
        theirs = self._theirs.get(message.op_id, 0)
        return data[:1] + theirs.to_bytes(4, "little") + data[5:]


class NumberStays(MessageBoard):
    """All reports have number 7."""

    def message(self, message: FromBoard, data: bytes) -> bytes:
        if isinstance(message, Notice):
            return encode(Notice(7, message.at_ms, message.report))
        return data


class TakesBadArguments(MessageBoard):
    """Takes GetStatus for every command it can't read."""

    def command(self, data: bytes) -> bytes:
        try:
            decode_from_host(data)
        except MalformedMessage as error:
            if len(data) >= 5 and "unknown opcode" not in str(error):
                return b"\x08" + data[1:5]
        return data


class NoAccepted(MessageBoard):
    """Done, without a word before."""

    def message(self, message: FromBoard, data: bytes) -> bytes:
        return NOTHING if isinstance(message, Accepted) else data


class RefusesStop(MessageBoard):
    """Has no Stop."""

    def command(self, data: bytes) -> bytes:
        return b"\x2f" + data[1:] if data[:1] == b"\x10" else data


class OtherDigest(MessageBoard):
    """Commits to another seed than it uses."""

    def message(self, message: FromBoard, data: bytes) -> bytes:
        if isinstance(message, Notice) and isinstance(message.report, DiceCommitted):
            return data[:-1] + bytes((data[-1] ^ 1,))
        return data


class LongLease(MessageBoard):
    """Takes 3 s for every lease."""

    def command(self, data: bytes) -> bytes:
        return data[:5] + b"\xb8\x0b" if data[:1] == b"\x24" and data[5:] == b"\xfa\x00" else data


class TakesAnyConfig(MessageBoard):
    """Does not add up."""

    def message(self, message: FromBoard, data: bytes) -> bytes:
        if isinstance(message, Rejected) and message.reason is RejectReason.BAD_CONFIG:
            return encode(Accepted(message.op_id))
        return data


class ForgetsReports(MessageBoard):
    """GetReports is Done, and nothing comes."""

    def command(self, data: bytes) -> bytes:
        return data[:5] + b"\xff\xff\xff\xff" if data[:1] == b"\x0a" and len(data) == 9 else data


class ForgetsStatus(MessageBoard):
    """Its Status says that the hatch is closed, always."""

    def message(self, message: FromBoard, data: bytes) -> bytes:
        if isinstance(message, Notice) and isinstance(message.report, Status):
            return encode(
                Notice(message.number, message.at_ms, replace(message.report, hatch=State.HATCH_CLOSED))
            )
        return data


class Mad(Board):
    """Leaves out, cuts and changes a ``share`` of its frames; their CRC is right."""

    def __init__(self, seed: int, share: float) -> None:
        super().__init__()
        self._random = Random(seed)  # noqa: S311 - the same madness every time
        self._share = share

    def to_host(self, payload: bytes) -> Iterator[bytes]:
        random = self._random
        if random.random() >= self._share:
            yield payload
            return
        changed = bytearray(payload)
        match random.randrange(4):
            case 0:
                return
            case 1:
                changed[random.randrange(len(changed))] = random.randrange(256)
            case 2:
                del changed[random.randrange(1, len(changed)) :]
            case _:
                changed[random.randrange(min(8, len(changed)))] ^= 1 << random.randrange(8)
        yield bytes(changed)
