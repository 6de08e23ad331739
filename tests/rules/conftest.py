"""Each random deal is played once for all tests."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the random dealer and the Cixi deals beside the tests

from random_dealer import Dealer, PlayDeal, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.ruleset import RuleSet


@pytest.fixture(scope="session")
def play_deal() -> PlayDeal:
    """A function (rules, seed) that plays one deal event by event; each deal is played once for all tests."""
    played: dict[tuple[str, int], list[Step]] = {}

    def play(rules: RuleSet, seed: int) -> Iterator[Step]:
        key = (rules.name, seed)
        if key not in played:
            played[key] = list(Dealer(rules, random.Random(seed)).play())  # noqa: S311 - repeatable, no secret
        return iter(played[key])

    return play
