"""The rule sets: each module or package here has `PROFILES`, functions that make a `RuleSet` from options."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module

from rules.ruleset import RuleSet

LONGEST_NUMBER = 18
"""Digits; more of them are no number that anybody means, and Python reads no endless ones."""

Maker = Callable[[Mapping[str, object]], RuleSet]


@cache
def _makers() -> dict[str, Maker]:
    found: dict[str, Maker] = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        found.update(import_module(module.name).PROFILES)
    return found


def available() -> tuple[str, ...]:
    """The names that `load` takes."""
    return tuple(sorted(_makers()))


def load(name: str, options: Mapping[str, object] | None = None) -> RuleSet:
    """The rule set of that name; `options` replace single defaults.

    Raises:
        ValueError: there is no such rule set or option, or the value is none of the option's.
    """
    maker = _makers().get(name)
    if maker is None:
        raise ValueError(f"no rule set {name!r} (there are {', '.join(available())})")
    return maker(options or {})


def options_from(texts: Iterable[str]) -> dict[str, object]:
    """Options written as NAME=VALUE; a number or a yes/no becomes one, the rest stays text.

    Raises:
        ValueError: a text has no ``=``, or an option is given twice.
    """
    options: dict[str, object] = {}
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign or not name:
            raise ValueError(f"{text!r}, expected NAME=VALUE, for instance start_points=100")
        if name in options:
            raise ValueError(f"{name} is given twice")
        options[name] = plain(value)
    return options


def plain(text: str) -> object:
    """A number or yes/no where the text is one, else the text."""
    words: dict[str, object] = {"true": True, "yes": True, "false": False, "no": False}
    number = text.removeprefix("-")
    is_number = number.isascii() and number.isdigit() and len(number) <= LONGEST_NUMBER
    return int(text) if is_number else words.get(text.lower(), text)
