"""Dice by camera: what is called sure is right, dice that lie flat are read, and what leans or moves is not.

`--long` reads 10,000 rolls; the short form reads some of the same.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from hardware_sim.camera_lens import Lens
from hardware_sim.dice_rolls import Roll, Trouble, roll_for
from vision.dice import DiceLook, read_dice

SHORT, LONG = 120, 10_000
SHARE_READ = 0.99


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    yield
    cv2.setNumThreads(before)


@dataclass(frozen=True)
class Through:
    """A lens as a view of the table: what a rectification is."""

    lens: Lens

    def to_px(self, points: npt.ArrayLike, *, height: float) -> npt.NDArray[np.float64]:
        there = np.asarray(points, np.float64)
        return self.lens.pixels(np.column_stack((there, np.full(len(there), height))))


def seen(roll: Roll) -> DiceLook:
    return read_dice(roll.picture, Through(roll.lens), origin=roll.origin)


@dataclass
class Tally:
    right: int = 0
    wrong: tuple[str, ...] = ()
    unsure: Counter[str] | None = None

    def add(self, roll: Roll, seed: int) -> None:
        look = seen(roll)
        if look.values is None:
            self.unsure = (self.unsure or Counter()) + Counter([look.why or "nothing seen"])
        elif look.values == roll.values:
            self.right += 1
        else:
            self.wrong += (f"roll {seed}: read {look.values}, lies {roll.values}",)


def read_all(numbers: range) -> tuple[Tally, Tally]:
    """What is read of dice that lie flat, and of dice that lean, lie on one another or move."""
    plain, spoilt = Tally(), Tally()
    for number in numbers:
        plain.add(roll_for(number, count=1 if number % 5 == 0 else 2), number)
        if number % 4 == 0:
            trouble = (Trouble.LEANS, Trouble.ON_THE_OTHER, Trouble.MOVES)[number // 4 % 3]
            spoilt.add(roll_for(number, trouble=trouble), number)
    return plain, spoilt


def test_sure_dice_are_right_and_dice_that_lie_flat_are_sure() -> None:
    plain, spoilt = read_all(range(SHORT))
    assert (plain.wrong, spoilt.wrong, spoilt.right) == ((), (), 0)
    # Of few rolls one or two may be among the unsure ones.
    assert plain.right >= SHARE_READ * SHORT - 2, plain.unsure


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_ten_thousand_rolls() -> None:
    plain, spoilt = read_all(range(LONG))
    assert (plain.wrong, spoilt.wrong, spoilt.right) == ((), (), 0)
    assert plain.right >= SHARE_READ * LONG, plain.unsure
