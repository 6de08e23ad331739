"""The rule sets: each module or package here has `PROFILES`, functions that make a `RuleSet` from options."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module

from rules.ruleset import RuleSet

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
