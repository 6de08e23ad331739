"""A hostile wire: loses, damages, doubles, delays and splits what passes. Pure: time is an argument."""

import heapq
from dataclasses import dataclass
from random import Random
from typing import Final

BITS_PER_BYTE: Final = 10
"""On a serial line: start bit, eight data bits, stop bit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WireFaults:
    """How hostile a wire is. Shares (0..1) are per frame: the bytes up to and with a zero byte.

    ``loss``: the frame vanishes; ``flip``: one bit of it turns; ``insert``: 1..8 bytes of noise come before
    it; ``duplicate``: it arrives twice, the second time up to ``echo_s`` later; ``latency_s`` plus up to
    ``jitter_s`` delays it, in order; ``split``: it arrives in pieces. ``baud`` paces the bytes, 0 sends
    them at once.
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
        if roll() < faults.insert:
            frame = self._random.randbytes(self._random.randint(1, 8)) + frame
        at = max(self._free_at, now) + faults.latency_s + faults.jitter_s * roll()
        if faults.baud:
            at += len(frame) * BITS_PER_BYTE / faults.baud
        self._free_at = at - faults.latency_s
        for piece in self._pieces(frame):
            self._push(at, piece)
        if roll() < faults.duplicate:
            self._push(at + faults.echo_s * roll(), frame)

    def _flipped(self, frame: bytes) -> bytes:
        bit = self._random.randrange(8 * len(frame))
        turned = bytearray(frame)
        turned[bit // 8] ^= 1 << bit % 8
        return bytes(turned)

    def _pieces(self, frame: bytes) -> list[bytes]:
        if self._random.random() >= self.faults.split or len(frame) < 2:
            return [frame]
        cut = self._random.randrange(1, len(frame))
        return [frame[:cut], frame[cut:]]

    def _push(self, at: float, data: bytes) -> None:
        self._number += 1
        heapq.heappush(self._under_way, (at, self._number, data))
