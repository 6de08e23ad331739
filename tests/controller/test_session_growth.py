"""A session that runs for weeks keeps of a hand little more than its record, and of a match nothing."""

import gc
import sys
from itertools import pairwise
from types import FunctionType, ModuleType
from typing import Any

from evening import Evening, Log

from controller.session import Session

MOST_A_HAND = 25_000
"""Bytes: half of what makes a megabyte an hour at twenty hands."""

SHARED = (type, ModuleType, FunctionType)


def kept(session: Session) -> int:
    """Bytes of everything that can be reached from a session, but for classes, functions and modules."""
    seen: set[int] = set()
    waiting: list[Any] = [session]
    total = 0
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, SHARED):
            continue
        seen.add(id(each))
        total += sys.getsizeof(each)
        waiting += gc.get_referents(each)
    return total


def test_a_hand_leaves_little_behind_in_the_session() -> None:
    evening = Evening(3)
    sizes = []
    for _ in range(5):
        evening.play(1)
        evening.log, told = Log(), len(evening.log.rows)
        assert told > 100
        gc.collect()
        sizes.append(kept(evening.session))
    grown = [after - before for before, after in pairwise(sizes[1:])]
    assert sum(grown) / len(grown) < MOST_A_HAND, sizes
