"""Scenario files: which fault strikes when, as TOML; some come with the package.

    zh = "一个晚上"
    en = "an evening"

    [[fault]]
    do = "jam"          # a name of `--faults list`
    at = "cycle1+4s"    # seconds, tick, or event; without it: at once
    side = 2            # the fault's parameters

``--scenario FILE`` takes a file, or the name of one that comes with the package.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from hardware_sim.faults import BadFault, Value, shown
from hardware_sim.faults_text import Injection, injection

PLACE: Final = "scenarios"
SUFFIX: Final = ".toml"


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a file says: its name in two languages, and the faults in its order."""

    zh: str
    en: str
    faults: tuple[Injection, ...]


def shipped() -> tuple[str, ...]:
    """Names of the scenarios that come with the package."""
    files = resources.files("hardware_sim").joinpath(PLACE).iterdir()
    return tuple(sorted(file.name.removesuffix(SUFFIX) for file in files if file.name.endswith(SUFFIX)))


def load(name: str) -> Scenario:
    """The scenario in the file ``name``, or the shipped one of that name. Raises BadFault."""
    path = Path(name)
    try:
        if name in shipped():
            text = resources.files("hardware_sim").joinpath(PLACE, name + SUFFIX).read_text(encoding="utf-8")
        else:
            text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "no UTF-8 text"
        raise BadFault(
            f"--scenario {name}: {why}; expected a file, or one of {', '.join(shipped())}"
        ) from error
    try:
        told = parse(text)
    except BadFault as error:
        raise BadFault(f"{name}: {error}") from error
    if not told.faults:
        raise BadFault(f"{name}: nothing goes wrong in it; expected [[fault]] entries")
    return told


def parse(text: str) -> Scenario:
    """What the text of a file says. Raises BadFault, which names the entry."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFault(f"no TOML: {error}") from error
    strange = set(content) - {"zh", "en", "fault"}
    if strange:
        raise BadFault(f"{min(strange)}: expected only zh, en and [[fault]]")
    entries = content.get("fault", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadFault("fault: expected [[fault]] entries")
    faults = tuple(_entry(number, entry) for number, entry in enumerate(entries, start=1))
    return Scenario(_text(content, "zh"), _text(content, "en"), faults)


def _text(content: Mapping[str, Any], key: str) -> str:
    value = content.get(key, "")
    if not isinstance(value, str):
        raise BadFault(f"{key} = {value!r}: expected a text")
    return value


def _entry(number: int, entry: Mapping[str, Any]) -> Injection:
    values = {key: _written(value) for key, value in entry.items() if key not in {"do", "at"}}
    if not isinstance(entry.get("do"), str):
        raise BadFault(f'[[fault]] number {number}: expected do = "NAME"')
    try:
        return injection(entry["do"], _written(entry.get("at", "")), values)
    except BadFault as error:
        raise BadFault(f"[[fault]] number {number}: {error}") from error


def _written(value: object) -> str:
    """A TOML value as the command line would have it."""
    return shown(value) if isinstance(value, float) else str(value)


def write(scenario: Scenario) -> str:
    """The text of a file that :func:`parse` reads as ``scenario``."""
    lines = [f"zh = {_quoted(scenario.zh)}", f"en = {_quoted(scenario.en)}"]
    for fault in scenario.faults:
        lines += ["", "[[fault]]", f"do = {_quoted(fault.fault.name)}"]
        lines += [f"at = {_quoted(str(fault.when))}"] if str(fault.when) else []
        lines += [f"{name} = {_value(value)}" for name, value in fault.given]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A TOML string; its escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Value) -> str:
    return _quoted(value) if isinstance(value, str) else shown(value)
