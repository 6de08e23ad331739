"""Virtual dice that nobody can steer: commit to a seed, add bytes of the seats, roll, reveal. Pure.

The board publishes SHA-256 of a secret seed before anyone adds anything, so that it can't choose the seed to
suit the roll; the seats' bytes come before the roll, so that the seed alone does not decide it; the revealed
seed lets anybody compute the roll again with :func:`roll_values`.
"""

import hmac
import struct
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Final

SEED_SIZE: Final = 32
ENTROPY_SIZE: Final = 16
"""Bytes of the board's seed and of a seat's contribution."""

FAIR_BELOW: Final = 252
"""Bytes from here on are skipped: 252 = 42 x 6, so that each value comes from as many bytes."""


def digest_of(seed: bytes) -> bytes:
    """What the board publishes of ``seed`` (32 bytes) before the roll."""
    return sha256(seed).digest()


def roll_values(seed: bytes, roll: int, entropy: Mapping[int, bytes], count: int) -> tuple[int, ...]:
    """Values 1..6 of ``count`` dice in virtual roll number ``roll``.

    ``entropy``: 16 bytes of each seat 0..3 that has added some. Raises ValueError on bytes of another length.
    """
    if len(seed) != SEED_SIZE:
        raise ValueError(f"seed of {len(seed)} bytes, expected {SEED_SIZE}")
    parts = [entropy.get(seat, bytes(ENTROPY_SIZE)) for seat in range(4)]
    if any(len(part) != ENTROPY_SIZE for part in parts):
        raise ValueError(f"entropy of {[len(part) for part in parts]} bytes, expected {ENTROPY_SIZE} each")
    stream = _values(seed, struct.pack("<I", roll) + b"".join(parts))
    return tuple(next(stream) for _ in range(count))


def _values(seed: bytes, message: bytes) -> Iterator[int]:
    counter = 0
    while True:
        block = hmac.digest(seed, message + struct.pack("<I", counter), "sha256")
        yield from (1 + byte % 6 for byte in block if byte < FAIR_BELOW)
        counter += 1
