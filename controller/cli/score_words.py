"""Hands, sets, flags and options as they are written on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from rules import sets
from rules.cases import MOST_POINTS, balances_of, desk_of, set_kind
from rules.events import Meld, MeldKind
from rules.legality import forms_set
from rules.tiles import Seat, Tile, parse_tiles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rules.ruleset import Desk, RuleSet
    from rules.state import Balances

MELD_EXAMPLE: Final = '"peng 111s from 1", "chi 345m from 3" or "kong 9999p concealed"'
_KONGS: Final = {"concealed", "added"}


def refuse(where: str, what: object) -> click.ClickException:
    """The one line for a person who wrote something that can't be read."""
    return click.ClickException(f"{where}: {what}")


def rules_named(name: str, chosen: Iterable[str]) -> tuple[RuleSet, Desk]:
    """The rule set with the options written as NAME=VALUE, and what it answers about hands.

    Raises:
        click.ClickException: no such rule set or option; one line.
    """
    try:
        rules = sets.load(name, sets.options_from(chosen))
        return rules, desk_of(rules)
    except ValueError as error:
        raise refuse("--option" if name in sets.available() else "--rules", error) from None


def tiles(where: str, text: str) -> tuple[Tile, ...]:
    """Tiles such as ``345m 22s EE``; 0 or more.

    Raises:
        click.ClickException: one line.
    """
    try:
        return parse_tiles(text)
    except ValueError as error:
        raise refuse(where, error) from None


def tile(where: str, text: str) -> Tile:
    """One tile.

    Raises:
        click.ClickException: one line.
    """
    found = tiles(where, text)
    if len(found) != 1:
        raise refuse(where, f"{text!r}, expected one tile, for instance 5p")
    return found[0]


def dragon(rules: RuleSet, indicator: str | None) -> tuple[Tile | None, Tile | None]:
    """The indicator and the wild tile that it gives; none where the game turns none.

    Raises:
        click.ClickException: one line.
    """
    if rules.wild_of is None:
        return None, None
    if indicator is None:
        raise refuse("--indicator", f"missing; {rules.name} needs the tile that was turned up, such as 1m")
    turned = tile("--indicator", indicator)
    if turned not in rules.copies:
        raise refuse("--indicator", f"{turned} can't be the indicator")
    return turned, rules.wild_of(turned)


def meld(text: str) -> Meld:
    """A declared set: ``peng 111s from 1``, ``kong 9999p concealed``, ``kong 9999p added from 2``.

    Raises:
        click.ClickException: one line.
    """
    words = text.replace(",", " ").split()
    source: Seat | None = None
    if "from" in words:
        place = words.index("from")
        source = seat("--meld", words[place + 1] if place + 1 < len(words) else "")
        del words[place : place + 2]
    kinds = [word for word in words[1:] if word in _KONGS]
    rest = [word for word in words[1:] if word not in _KONGS]
    if not rest:
        raise refuse("--meld", f"{text!r}, expected for instance {MELD_EXAMPLE}")
    try:
        kind = set_kind(words[0], kinds[0] if kinds else None, is_claimed=source is not None)
    except ValueError as error:
        raise refuse("--meld", error) from None
    if source is None and kind is not MeldKind.CONCEALED_KONG:
        raise refuse("--meld", f"{text!r}, expected who gave the tile, for instance {MELD_EXAMPLE}")
    if source is not None and kind is MeldKind.CONCEALED_KONG:
        raise refuse("--meld", f"{text!r}, nobody gives a tile of a concealed kong")
    found = tuple(sorted(tiles("--meld", " ".join(rest))))
    if not forms_set(kind, found):
        raise refuse("--meld", f"{' '.join(map(str, found))} is no {kind}")
    return Meld(kind, found, source)


def seat(where: str, text: str) -> Seat:
    """A seat 0..3.

    Raises:
        click.ClickException: one line.
    """
    if text not in {"0", "1", "2", "3"}:
        raise refuse(where, f"{text!r}, expected a seat 0 to 3")
    return Seat(int(text))


def flags(desk: Desk, texts: Iterable[str]) -> dict[str, Any]:
    """Circumstances written as NAME or NAME=VALUE.

    Raises:
        click.ClickException: one line.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if name not in desk.flags:
            raise refuse("--flag", f"{name!r}, expected one of {', '.join(desk.flags)}")
        found[name] = sets.plain(value.strip()) if sign else True
    return found


def balances(text: str | None) -> Balances | None:
    """Four points, with commas or blanks between them.

    Raises:
        click.ClickException: one line.
    """
    if text is None:
        return None
    try:
        return balances_of([sets.plain(word) for word in text.replace(",", " ").split()])
    except ValueError:
        raise refuse(
            "--balances", f"{text!r}, expected four whole numbers of at most {MOST_POINTS}: 100,100,100,100"
        ) from None
