"""Files of worked cases: each example judged, each question answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from controller.cli.score_words import refuse
from controller.whole_text import TooLong, whole_text
from rules import sets
from rules.cases import desk_of, example, no_win

if TYPE_CHECKING:
    from pathlib import Path

    from rules.ruleset import RuleSet

MOST_BYTES: Final = 64_000_000
"""No file of cases is longer."""


@dataclass(slots=True)
class Results:
    """The computed fields of every example and of every entry of `events`, in the file's order.

    `faults` names what could not be read; such an entry has an ``error`` beside ``valid`` or ``kind``.
    """

    examples: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def results_of(path: Path, name: str | None, options: tuple[str, ...]) -> Results:
    """Judge a whole file; `name` is the rule set of entries that name none.

    Raises:
        click.ClickException: the file can't be read or holds no cases; one line.
    """
    content = _content(path)
    try:
        chosen = sets.options_from(options)
    except ValueError as error:
        raise refuse("--option", error) from None
    results = Results()
    for number, case in enumerate(_entries(content, "examples", path)):
        where = f"{path}: example {case.get('id', number)}"
        try:
            results.examples.append(example(case, _rules(case, name, chosen)))
        except ValueError as error:
            results.faults.append(f"{where}: {error}")
            results.examples.append({**no_win(case.get("id"), str(error)), "error": str(error)})
    for number, question in enumerate(_entries(content, "events", path)):
        try:
            results.events.append(desk_of(_rules(question, name, chosen)).answer(question))
        except ValueError as error:
            results.faults.append(f"{path}: event {number}: {error}")
            results.events.append({"kind": question.get("kind"), "error": str(error)})
    return results


def _content(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(whole_text(path, most=MOST_BYTES))
    except TooLong as error:
        raise refuse(str(path), error.strerror or "") from None
    except OSError as error:
        raise refuse(str(path), f"cannot be opened: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise refuse(str(path), f"is no JSON in UTF-8 ({error})") from None
    if isinstance(content, list):
        content = {"examples": content}
    if not isinstance(content, Mapping) or not {"examples", "events"} & content.keys():
        raise refuse(str(path), 'expected an object with "examples" or "events"')
    return content


def _entries(content: Mapping[str, Any], name: str, path: Path) -> list[Mapping[str, Any]]:
    entries = content.get(name, [])
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise refuse(str(path), f"{name}: expected a list of objects")
    return entries


def _rules(case: Mapping[str, Any], name: str | None, chosen: Mapping[str, object]) -> RuleSet:
    """The rule set of a case: of its profile, or the one named for all."""
    given = case.get("options") or {}
    if not isinstance(given, Mapping):
        raise ValueError(f"options: {given!r}, expected an object")  # noqa: TRY004 - bad data, no wrong call
    profile = case.get("profile", name)
    if profile is None:
        # Questions of the table alone have the same answer in every profile.
        return sets.load(sets.available()[0], {**chosen, **given})
    known = [rules for rules in sets.available() if rules == profile or rules.endswith(f"-{profile}")]
    if len(known) != 1:
        raise ValueError(f"profile: {profile!r}, expected one of {', '.join(sets.available())}")
    return sets.load(known[0], {**chosen, **given})
