"""Beginnings of Cixi deals as text, and what is asked of a deal once it is played."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rules.events import IllegalEvent
from rules.record import parse_record
from rules.scoring import Settlement, settle
from rules.sets import load
from rules.table import apply, replay

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.ruleset import RuleSet
    from rules.state import Balances, TableState

CARD = load("cixi-card")
PLATFORM = load("cixi-platform")
BOTH = pytest.mark.parametrize("rules", [CARD, PLATFORM], ids=lambda rules: rules.name)

HIDDEN = "?" * 13
START = "deal 0\nindicator 1m\n"
LAP = "discard 0 E\ndraw 1\ndiscard 1 S\ndraw 2\ndiscard 2 W\ndraw 3\ndiscard 3 N\ndraw 0\n"
PLAIN = "2m 46p 456p 789s 23s 55p"
"""Thirteen tiles with one dragon (the indicator is 1m) that wait for 5p among others."""
THREE_SETS = (
    START
    + "discard 0 1s\nclaim 3 peng 111s took 1s from 0\ndiscard 3 N\ndraw 0\n"
    + "discard 0 E\nclaim 3 peng EEE took E from 0\ndiscard 3 N\ndraw 0\ndiscard 0 S\ndraw 1\n"
    + "discard 1 4p\nclaim 3 peng 444p took 4p from 1\ndiscard 3 W\ndraw 0\ndiscard 0 W\ndraw 1\n"
)
"""Seat 3 has claimed three sets; it is seat 1's turn."""
SINGLE = THREE_SETS + "discard 1 W\ndraw 2\ndiscard 2 7m\nclaim 3 chi 789m took 7m from 2\n"
"""Seat 3 has claimed four sets and throws one of two tiles."""


def at(record: str, rules: RuleSet = CARD) -> TableState:
    return replay(parse_record(record), rules)


def settled(
    record: str,
    rules: RuleSet = CARD,
    balances: Balances | None = None,
    answers: Mapping[str, str] | None = None,
) -> Settlement:
    return settle(at(record, rules), rules, balances, answers)


def names(found: Settlement) -> set[str]:
    return {line.zh for line in found.lines if line.is_pattern}


def refused(record: str, rules: RuleSet = CARD) -> str:
    """The words in which the last event of a record is refused."""
    *before, last = parse_record(record)
    state = replay(tuple(before), rules)
    with pytest.raises(IllegalEvent) as error:
        apply(state, last, rules)
    return str(error.value)
