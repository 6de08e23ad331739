"""Frames on the wire: CRC-32, COBS, and a zero byte between frames. Pure.

A frame is ``COBS(payload + CRC-32 of payload, little-endian) + 00``. COBS leaves no zero byte inside, so
whatever comes before a zero, the next frame starts clean: at most the frame that was hit is lost. Empty
frames (zeros in a row) mean nothing; a sender may put a zero before a frame to end whatever garbage stands
before it.
"""

import struct
from binascii import crc32
from dataclasses import dataclass
from typing import Final, NamedTuple

FRAME_LIMIT: Final = 64
"""Longest frame with its delimiter, bytes: 5.6 ms at 115200 baud, the longest an urgent frame waits."""

PAYLOAD_LIMIT: Final = FRAME_LIMIT - 6
"""Longest payload, bytes: a frame adds the delimiter, one COBS byte and four of CRC."""

DELIMITER: Final = b"\x00"

_CRC = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class DecoderCounts:
    """What a decoder has met: good frames, frames damaged on the way, and bytes thrown away with them."""

    frames: int = 0
    bad_frames: int = 0
    garbage_bytes: int = 0


class Piece(NamedTuple):
    """What stood before a zero: ``size`` bytes, ``stuffed`` where they are few enough for a frame.

    ``payload`` is None where they are no good frame.
    """

    payload: bytes | None
    stuffed: bytes
    size: int


def encode_frame(payload: bytes) -> bytes:
    """``payload`` (1..PAYLOAD_LIMIT bytes) as a frame. Raises ValueError when it is empty or too long."""
    if not 1 <= len(payload) <= PAYLOAD_LIMIT:
        raise ValueError(f"payload of {len(payload)} bytes, expected 1..{PAYLOAD_LIMIT}")
    body = payload + _CRC.pack(crc32(payload))
    # No run can reach COBS's block length of 254 bytes here: each block is the bytes up to the next zero.
    return b"".join(bytes((len(block) + 1,)) + block for block in body.split(DELIMITER)) + DELIMITER


class FrameDecoder:
    """Finds the payloads in a stream of bytes that may hold anything. Memory is bounded by one frame."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._overlong = 0
        self._frames = 0
        self._bad_frames = 0
        self._garbage = 0

    @property
    def counts(self) -> DecoderCounts:
        """Counts so far; a frame that has not ended yet is in none of them."""
        return DecoderCounts(self._frames, self._bad_frames, self._garbage)

    def feed(self, data: bytes) -> list[bytes]:
        """Payloads of the good frames that end in ``data``, in order; damaged ones are counted."""
        return [piece.payload for piece in self.pieces(data) if piece.payload is not None]

    def pieces(self, data: bytes) -> list[Piece]:
        """All that ends with a zero in ``data``, good frames and others, in order; empty ones left out."""
        pieces = []
        *ended, rest = data.split(DELIMITER)
        for part in ended:
            self._append(part)
            if self._buffer or self._overlong:
                pieces.append(self._finish())
        self._append(rest)
        return pieces

    def _append(self, piece: bytes) -> None:
        if self._overlong or len(self._buffer) + len(piece) >= FRAME_LIMIT:
            self._overlong += len(self._buffer) + len(piece)
            self._buffer.clear()
        else:
            self._buffer += piece

    def _finish(self) -> Piece:
        """What was collected, judged and counted."""
        stuffed = bytes(self._buffer)
        piece = Piece(_open_frame(stuffed) if stuffed else None, stuffed, self._overlong or len(stuffed))
        self._buffer.clear()
        self._overlong = 0
        if piece.payload is not None:
            self._frames += 1
        else:
            self._bad_frames += 1
            self._garbage += piece.size
        return piece


def _open_frame(stuffed: bytes) -> bytes | None:
    """Payload of a frame without its delimiter, or None when it is damaged."""
    blocks = []
    at = 0
    while at < len(stuffed):
        end = at + stuffed[at]
        if end > len(stuffed):
            return None
        blocks.append(stuffed[at + 1 : end])
        at = end
    body = DELIMITER.join(blocks)
    payload, check = body[:-4], body[-4:]
    if not payload or check != _CRC.pack(crc32(payload)):
        return None
    return payload
