"""`longzhuo rules`: the rule sets and their sheets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import click

from controller.cli.demo_show import left, right, width
from controller.cli.score_words import rules_named
from rules import sets

if TYPE_CHECKING:
    from rules.ruleset import Desk, Option, RuleSet

COLUMNS: Final = 80


@click.command(name="rules")
@click.argument("name", required=False)
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the rule set.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def rules(*, name: str | None, options: tuple[str, ...], as_json: bool) -> None:
    """List the rule sets, or print the sheet of one: its options with value and article, its prices."""
    if name is None:
        if options:
            raise click.UsageError("--option needs the NAME of a rule set")
        _list(as_json=as_json)
        return
    chosen, desk = rules_named(name, options)
    if as_json:
        click.echo(json.dumps(_fields(chosen, desk), ensure_ascii=False))
        return
    for line in _sheet(chosen, desk):
        click.echo(line)


def _list(*, as_json: bool) -> None:
    found = [sets.load(name) for name in sets.available()]
    if as_json:
        names = [{"name": each.name, "zh": each.zh, "en": each.en} for each in found]
        click.echo(json.dumps({"rules": names}, ensure_ascii=False))
        return
    for each in found:
        click.echo(f"{each.name:<16}{each.zh}  {each.en}")


def _fields(chosen: RuleSet, desk: Desk) -> dict[str, Any]:
    return {
        "name": chosen.name,
        "zh": chosen.zh,
        "en": chosen.en,
        "tiles": len(chosen.tiles),
        "start_points": chosen.start_points,
        "options": [
            {
                "name": option.name,
                "value": option.value,
                "values": list(option.values),
                "article": option.article,
                "zh": option.zh,
                "en": option.en,
            }
            for option in desk.sheet
        ],
        "prices": [
            {"zh": line.zh, "en": line.en, "value": line.value, "article": line.article}
            for line in desk.prices
        ],
        "ways": list(desk.ways),
        "flags": list(desk.flags),
    }


def _sheet(chosen: RuleSet, desk: Desk) -> list[str]:
    lines = [f"{chosen.zh} {chosen.en} ({chosen.name}), {len(chosen.tiles)} 张 tiles", ""]
    lines.append("选项 options")
    lines += [line for option in desk.sheet for line in _option_lines(option)]
    lines += ["", "番值 values"]
    lines += [
        f"  {left(f'{line.zh} {line.en}', 58)} {right(str(line.value), 4)}  {line.article}"
        for line in desk.prices
    ]
    lines += ["", "胡法 ways of winning (--by)"]
    lines += [line for way, meaning in desk.ways.items() for line in _meaning(way, meaning)]
    lines += ["", "情形 circumstances (--flag)"]
    lines += [line for flag, meaning in desk.flags.items() for line in _meaning(flag, meaning)]
    return lines


def _option_lines(option: Option) -> tuple[str, str]:
    others = " | ".join(_word(value) for value in option.values) or "整数 whole number"
    value = f"{option.name} = {_word(option.value)}  ({others})"
    return f"  {left(value, 64)} {option.article}", f"      {option.zh} {option.en}"


def _meaning(name: str, meaning: tuple[str, str]) -> list[str]:
    zh, en = meaning
    line = f"  {left(name, 22)}{zh} {en}"
    return [line] if width(line) <= COLUMNS else [f"  {left(name, 22)}{zh}", f"  {left('', 22)}{en}"]


def _word(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


command = rules
