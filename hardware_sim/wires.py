"""A hostile wire: loses, damages, doubles, delays and splits what passes. Pure: time is an argument."""

import heapq
from dataclasses import dataclass
from random import Random
from typing import Final

BITS_PER_BYTE: Final = 10
"""On a serial line: start bit, eight data bits, stop bit."""

EACH: Final = -1
"""``split_at``: between all bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WireFaults:
    """How hostile a wire is. Shares (0..1) are per frame: the bytes up to and with a zero byte.

    ``loss``: the frame vanishes; ``flip``: one bit of it turns; ``insert``: 1..8 bytes of noise come before
    it; ``duplicate``: it arrives twice, the second time up to ``echo_s`` later; ``latency_s`` plus up to
    ``jitter_s`` delays it, in order; ``split``: it arrives in two pieces, ``gap_s`` apart, cut
    after byte ``split_at`` (0: anywhere; EACH: every byte arrives alone). ``baud`` paces the bytes, 0 sends
    them at once.

    ``byte_loss`` and ``byte_flip`` are shares per byte. ``garbled``: the other side has another baud rate,
    so that no byte arrives as it was sent.
    """

    loss: float = 0.0
    flip: float = 0.0
    insert: float = 0.0
    duplicate: float = 0.0
    split: float = 0.0
    latency_s: float = 0.0
    jitter_s: float = 0.0
    echo_s: float = 0.0
    baud: int = 0
    byte_loss: float = 0.0
    byte_flip: float = 0.0
    garbled: bool = False
    split_at: int = 0
    gap_s: float = 0.0


class Wire:
    """One direction of a line. ``carry`` what is sent, ``deliver`` what has arrived."""

    def __init__(self, seed: int, faults: WireFaults | None = None) -> None:
        self.faults = faults or WireFaults()
        self.cut = False
        self._random = Random(seed)  # noqa: S311 - a simulation
        self._partial = b""
        self._under_way: list[tuple[float, int, bytes]] = []
        self._number = 0
        self._free_at = 0.0

    def carry(self, data: bytes, now: float) -> None:
        """Take bytes at one end; while the wire is ``cut`` they are gone."""
        *frames, self._partial = (self._partial + data).split(b"\x00")
        for frame in frames:
            if not self.cut:
                self._carry_frame(frame + b"\x00", now)

    def noise(self, count: int, now: float) -> None:
        """``count`` bytes of noise come out between the frames, unless the wire is cut."""
        self.strange(self._random.randbytes(count), now)

    def strange(self, data: bytes, now: float) -> None:
        """Bytes that neither end has sent come out between the frames, unless the wire is cut."""
        if not self.cut:
            self._push(max(self._free_at, now), data)

    def shake_off(self) -> None:
        """Forget what is under way, and the beginning of a frame whose end has not been sent."""
        self._under_way.clear()
        self._partial = b""

    def deliver(self, now: float) -> bytes:
        """Bytes that have come out at the other end by now."""
        out = []
        while self._under_way and self._under_way[0][0] <= now:
            out.append(heapq.heappop(self._under_way)[2])
        return b"".join(out)

    def next_timer(self) -> float | None:
        """When the next bytes come out."""
        return self._under_way[0][0] if self._under_way else None

    def _carry_frame(self, frame: bytes, now: float) -> None:
        roll, faults = self._random.random, self.faults
        if roll() < faults.loss:
            return
        if roll() < faults.flip:
            frame = self._flipped(frame)
        frame = self._bytes_hit(frame)
        if roll() < faults.insert:
            frame = self._random.randbytes(self._random.randint(1, 8)) + frame
        at = max(self._free_at, now) + faults.latency_s + faults.jitter_s * roll()
        if faults.baud:
            at += len(frame) * BITS_PER_BYTE / faults.baud
        pieces = self._pieces(frame)
        for number, piece in enumerate(pieces):
            self._push(at + number * faults.gap_s, piece)
        self._free_at = at + (len(pieces) - 1) * faults.gap_s - faults.latency_s
        if roll() < faults.duplicate:
            self._push(at + faults.echo_s * roll(), frame)

    def _flipped(self, frame: bytes) -> bytes:
        bit = self._random.randrange(8 * len(frame))
        turned = bytearray(frame)
        turned[bit // 8] ^= 1 << bit % 8
        return bytes(turned)

    def _bytes_hit(self, frame: bytes) -> bytes:
        """What is left of a frame after the faults that strike single bytes."""
        faults, random = self.faults, self._random
        if faults.garbled:
            return bytes(byte ^ random.randint(1, 255) for byte in frame)
        if faults.byte_loss:
            frame = bytes(byte for byte in frame if random.random() >= faults.byte_loss)
        if faults.byte_flip:
            frame = bytes(
                byte ^ (1 << random.randrange(8)) if random.random() < faults.byte_flip else byte
                for byte in frame
            )
        return frame

    def _pieces(self, frame: bytes) -> list[bytes]:
        if self._random.random() >= self.faults.split or len(frame) < 2:
            return [frame]
        if self.faults.split_at == EACH:
            return [frame[at : at + 1] for at in range(len(frame))]
        cut = self.faults.split_at or self._random.randrange(1, len(frame))
        return [piece for piece in (frame[:cut], frame[cut:]) if piece]

    def _push(self, at: float, data: bytes) -> None:
        self._number += 1
        heapq.heappush(self._under_way, (at, self._number, data))
