"""A house rule is followed by the tracker as it is: no rule of the game stands in it."""

from dataclasses import replace
from pathlib import Path

import pytest
from evening import Evening
from test_doubts import Eyes
from test_second_thoughts import acts, meld

from rules import sets
from rules.ruleset import RuleSet

PLAIN = sets.load("cixi-card")
CHI_FROM_ANYONE = replace(PLAIN, name="chi-from-anyone", chi_by=frozenset({1, 2, 3}))
NO_PENG = replace(PLAIN, name="no-peng", claims={k: v for k, v in PLAIN.claims.items() if k != "peng"})


def begun(rules: RuleSet) -> Eyes:
    evening = Evening(0, rules=rules)
    evening.prepare((3, 4))
    eyes = Eyes(evening)
    eyes.lay("1m", 86.0, -86.0)
    eyes.look()
    return eyes


def chi_of_the_opposite(eyes: Eyes) -> None:
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    meld(eyes, 2, "4p 5p 6p", turned=1)
    eyes.look(6.0)


def test_where_everybody_may_chi_the_opposite_player_s_chi_is_followed() -> None:
    eyes = begun(CHI_FROM_ANYONE)
    chi_of_the_opposite(eyes)
    assert acts(eyes) == ["discard 0 5p", "claim 2 chi 456p took 5p from 0"]
    eyes.discard(2, "E")
    eyes.look()
    assert acts(eyes)[-1] == "discard 2 E"
    assert eyes.doubts() == []


def test_where_only_the_next_player_may_chi_people_are_asked() -> None:
    eyes = begun(PLAIN)
    chi_of_the_opposite(eyes)
    assert acts(eyes) == ["discard 0 5p"]
    assert eyes.doubts() == ["unexplained"]


@pytest.mark.parametrize(("rules", "told"), [(PLAIN, 2), (NO_PENG, 1)], ids=["with peng", "without"])
def test_a_game_without_peng_knows_none(rules: RuleSet, told: int) -> None:
    eyes = begun(rules)
    number = eyes.discard(0, "5p")
    eyes.look()
    eyes.take(number)
    meld(eyes, 2, "5p 5p 5p", turned=1)
    eyes.look(6.0)
    assert len(acts(eyes)) == told


def test_the_contract_names_every_module_of_the_tracker() -> None:
    root = Path(__file__).parents[2]
    contract = (root / "pyproject.toml").read_text(encoding="utf-8")
    contract = contract[contract.index("The tracker holds no rule of the game") :].split("[[tool")[0]
    modules = sorted((root / "controller").glob("tracker*.py"))
    assert modules
    for module in modules:
        assert f'"controller.{module.stem}"' in contract
