"""Faults as text: ``NAME[=VALUE][@WHEN][:KEY=VALUE...]``, several with commas. Pure.

WHEN is ``12.5s`` (seconds of the table since its start), ``tick40`` (the 40th turn of the firmware's loop),
or a thing that happens and its number, with ``*`` every time, and seconds after it: ``cycle1``, ``cycle*``,
``hand2+10s``. Without WHEN the fault strikes at once.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hardware_sim.faults import BadFault, Param, SimFault, Value, find, shown

START: Final = "start"
TICK: Final = "tick"

HAPPENINGS: Final = {
    "boot": "the firmware starts",
    "host": "a host has come",
    "open": "the hatch opens",
    "close": "the hatch closes",
    "cycle": "the machine begins to sort",
    "staged": "the walls are built",
    "raise": "the walls rise",
    "walls": "the walls stand",
    "roll": "the dice spin",
    "hand": "the dice lie and a hand begins",
    "key": "a key is pressed",
    "push": "people push the tiles in",
    "play": "somebody discards, claims, declares or wins",
}
"""What WHEN may name, and what it means."""

_NUMBER: Final = r"\d+(?:\.\d+)?"
_WHEN: Final = re.compile(
    r"(?:(?P<s>N)s?|(?P<what>[a-z]+)(?P<n>\d+|\*)?(?:\+(?P<after>N)s?)?)".replace("N)", f"{_NUMBER})")
)
WHEN_EXPECTED: Final = f"SECONDSs, tickN, or one of {', '.join(HAPPENINGS)} with N or *, and +SECONDSs"


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """The ``number``-th time that ``what`` happens (None: every time), and ``after`` seconds more.

    Seconds are the table's own: a table that is ``speed`` times as fast needs so much less of the clock.
    """

    what: str = START
    number: int | None = 1
    after: float = 0.0

    def __str__(self) -> str:
        if self.what == START:
            return f"{shown(self.after)}s" if self.after else ""
        number = "*" if self.number is None else str(self.number)
        return f"{self.what}{number}" + (f"+{shown(self.after)}s" if self.after else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """A fault, when it strikes, and the parameters that are not as the list says."""

    fault: SimFault
    when: When = When()
    given: tuple[tuple[str, Value], ...] = ()

    def number(self, name: str) -> float:
        """A parameter that is a number."""
        return float(self._value(name))

    def word(self, name: str) -> str:
        """A parameter that is a word."""
        return str(self._value(name))

    def has(self, name: str) -> bool:
        """Whether the fault has such a parameter."""
        return any(param.name == name for param in self.fault.params)

    def _value(self, name: str) -> Value:
        return dict(self.given).get(name, self.fault.param(name).default)

    def __str__(self) -> str:
        given = dict(self.given)
        value = given.pop(self.fault.value, None)
        when = str(self.when)
        return (
            self.fault.name
            + ("" if value is None else f"={shown(value)}")
            + (f"@{when}" if when else "")
            + "".join(f":{name}={shown(given[name])}" for name in given)
        )


def injection(name: str, when: str, values: Mapping[str, str]) -> Injection:
    """The fault ``name``, parameters as text; the key "" is the one that a value means. Raises BadFault."""
    fault = find(name)
    given: dict[str, Value] = {}
    for key, text in values.items():
        param = _param(fault, key, text)
        if param.name in given:
            raise BadFault(f"{fault.name}: {param.name} is given twice")
        given[param.name] = param.read(text)
    ordered = tuple(
        (param.name, given[param.name])
        for param in fault.params
        if param.name in given and given[param.name] != param.default
    )
    return Injection(fault=fault, when=read_when(when), given=ordered)


def _param(fault: SimFault, key: str, text: str) -> Param:
    if key:
        return fault.param(key)
    if not fault.value:
        raise BadFault(f"{fault.name}={text}: {fault.name} takes no value")
    return fault.param(fault.value)


def read_when(text: str) -> When:
    """What ``text`` says about the time; nothing: at once. Raises BadFault."""
    if not text:
        return When()
    found = _WHEN.fullmatch(text)
    when = None if found is None else _when(found)
    if when is None:
        raise BadFault(f"@{text}: expected {WHEN_EXPECTED}")
    return when


def _when(found: re.Match[str]) -> When | None:
    if found["s"]:
        return When(after=float(found["s"]))
    what, number = found["what"], found["n"] or "1"
    known = what in HAPPENINGS or (what == TICK and found["n"] not in {None, "*"})
    if not known or number == "0":
        return None
    return When(what=what, number=None if number == "*" else int(number), after=float(found["after"] or 0.0))


def parse_one(text: str) -> Injection:
    """One fault as the command line has it. Raises BadFault."""
    head, *rest = text.strip().split(":")
    head, _, when = head.partition("@")
    name, equals, value = head.partition("=")
    values = {"": value} if equals else {}
    for part in rest:
        key, equals, value = part.partition("=")
        if not (key and equals):
            raise BadFault(f"{text.strip()}: {part!r} is no KEY=VALUE")
        if key in values:
            raise BadFault(f"{text.strip()}: {key} is given twice")
        values[key] = value
    return injection(name, when, values)


def parse_words(line: str) -> Injection:
    """One fault as the control socket has it: ``jam @cycle2 side=2``, ``drop 0.1``. Raises BadFault."""
    head, *rest = line.split()
    if rest and not any("=" in word or word.startswith("@") for word in rest[:1]):
        head, rest = f"{head}={rest[0]}", rest[1:]
    when = [word for word in rest if word.startswith("@")]
    if len(when) > 1:
        raise BadFault(f"{line.strip()}: several times {' '.join(when)}; expected one")
    name, colon, inner = head.partition(":")
    keys = [word for word in rest if not word.startswith("@")]
    return parse_one(":".join([name + "".join(when), *([inner] if colon else []), *keys]))
