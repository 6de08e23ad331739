"""Virtual dice: what the board revealed decides the roll, to the byte, and every value is as likely."""

import hashlib
import hmac
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.virtual_dice import digest_of, roll_values

seeds = st.binary(min_size=32, max_size=32)
parts = st.dictionaries(st.integers(0, 3), st.binary(min_size=16, max_size=16))


def test_a_roll_worked_step_by_step() -> None:
    seed, part = bytes(range(32)), b"sixteen bytes!!!"
    message = b"\x07\0\0\0" + bytes(16) + part + bytes(32) + b"\0\0\0\0"
    block = hmac.new(seed, message, hashlib.sha256).digest()
    expected = [1 + byte % 6 for byte in block if byte < 252][:2]
    assert roll_values(seed, 7, {1: part}, 2) == tuple(expected)
    assert digest_of(seed) == hashlib.sha256(seed).digest()


@given(seeds, st.integers(0, 2**32 - 1), parts)
def test_the_first_die_is_the_same_whether_one_or_two_are_rolled(
    seed: bytes, roll: int, entropy: dict[int, bytes]
) -> None:
    one, two = (roll_values(seed, roll, entropy, count) for count in (1, 2))
    assert one == two[:1]
    assert set(two) <= set(range(1, 7))


@given(seeds, parts)
def test_a_block_that_holds_too_few_usable_bytes_is_followed_by_the_next(
    seed: bytes, entropy: dict[int, bytes]
) -> None:
    assert len(roll_values(seed, 1, entropy, 200)) == 200


def test_every_value_is_as_likely() -> None:
    seen = Counter(roll_values(bytes(32), 1, {}, 60_000))
    chi_square = sum((seen[value] - 10_000) ** 2 / 10_000 for value in range(1, 7))
    assert chi_square < 20.5  # 99.9 % of fair dice stay below


@pytest.mark.parametrize(("seed", "entropy"), [(b"short", {}), (bytes(32), {2: b"short"})])
def test_bytes_of_another_length_are_refused(seed: bytes, entropy: dict[int, bytes]) -> None:
    with pytest.raises(ValueError, match="expected"):
        roll_values(seed, 1, entropy, 2)
