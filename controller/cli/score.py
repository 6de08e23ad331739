"""`longzhuo score`: what a hand is worth and who pays what, for one hand or a file of cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from controller.cli import score_words as words
from controller.cli.score_cases import results_of
from controller.cli.score_show import account_text, cases_text, described, explained
from rules.cases import judged, no_win
from rules.events import MeldKind
from rules.moment import NEEDS_GIVER, Moment, NoWin
from rules.tiles import Tile

if TYPE_CHECKING:
    from rules.ruleset import Desk, RuleSet


@click.command(name="score", epilog="Tiles: 1m-9m 万, 1p-9p 筒, 1s-9s 条, E S W N 东南西北, C F P 中发白.")
@click.option("--rules", "name", metavar="NAME", help="The rule set, such as cixi-card (see longzhuo rules).")
@click.option("--indicator", metavar="TILE", help="The tile that was turned up (翻牌).")
@click.option("--hand", metavar="TILES", default="", help="Tiles in hand without the winning one.")
@click.option("--win", "winning", metavar="TILE", help="The winning tile.")
@click.option("--by", "how", metavar="WAY", help="How it was won: selfdraw, discard, robkong, ...")
@click.option("--winner", metavar="SEAT", help="Who won, seat 0 to 3 in playing order.")
@click.option("--from", "giver", metavar="SEAT", help="Who gave the winning tile.")
@click.option("--dealer", metavar="SEAT", help="Who dealt.")
@click.option("--meld", "melds", metavar="SET", multiple=True, help=f"A declared set: {words.MELD_EXAMPLE}.")
@click.option(
    "--flag", "flags", metavar="NAME[=VALUE]", multiple=True, help="A circumstance: hot_discard, shangtang=2."
)
@click.option("--balances", metavar="N,N,N,N", help="Points of seats 0 to 3 before the win.")
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the rule set.")
@click.option(
    "--cases",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Score a file of cases instead.",
)
@click.option("--photo", type=click.Path(path_type=Path), metavar="FILE",
              help="Read the hand laid open on this photograph, taken from the winner's side: the winning "
              "tile apart at the right, declared sets apart, the claimed tile turned. It is scored once "
              "confirmed.")  # fmt: skip
@click.option("--enrolled", type=click.Path(path_type=Path), metavar="FILE",
              help="For --photo: the table's own set of tiles, as longzhuo enrol learned it.")  # fmt: skip
@click.option("--draw", type=click.Path(path_type=Path), metavar="FILE",
              help="For --photo: draw what was read, with its numbers, onto a copy.")  # fmt: skip
@click.option("--yes", is_flag=True, help="For --photo: ask nobody where every tile is sure.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def score(*, cases: Path | None, as_json: bool, name: str | None, **given: Any) -> None:
    """Score a hand: every line with its value and article, and who pays what and why.

    Leaves with status 1 where the hand is no win.
    """
    context = click.get_current_context()
    options = given.pop("options")
    if cases is not None:
        if any(given.values()):
            raise words.refuse("--cases", "a file is scored, so no hand can be given beside it")
        context.exit(_score_file(cases, name, options, as_json=as_json))
    if name is None:
        raise words.refuse("--rules", "missing; expected a rule set such as cixi-card (or --cases FILE)")
    rules, desk = words.rules_named(name, options)
    moment = _moment(rules, desk, given)
    if given["photo"] is not None:
        moment = _moment(rules, desk, {**given, **_from_photo(rules, given, as_json=as_json)})
    elif given["draw"] is not None or given["enrolled"] is not None or given["yes"]:
        raise words.refuse("--draw, --enrolled, --yes", "they need --photo")
    _refuse_contradictions(moment, desk)
    balances = words.balances(given["balances"])
    try:
        found = judged(moment, rules, balances)
    except NoWin as refused:
        if as_json:
            click.echo(
                json.dumps({**described(moment, rules), **no_win(None, str(refused))}, ensure_ascii=False)
            )
            context.exit(1)
        raise click.ClickException(f"不能胡 no win: {refused}") from None
    except ValueError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(json.dumps({**described(moment, rules), **explained(found)}, ensure_ascii=False))
    else:
        click.echo(account_text(found, moment, rules, balances))


def _from_photo(rules: RuleSet, given: dict[str, Any], *, as_json: bool) -> dict[str, Any]:
    from controller.cli.score_photo import Wanted, hand_from  # noqa: PLC0415 - OpenCV only where it is needed

    how = {each: given[each] for each in ("photo", "enrolled", "draw", "yes")}
    return hand_from(Wanted(**how, to_stderr=as_json), rules, given)


def _moment(rules: RuleSet, desk: Desk, given: dict[str, Any]) -> Moment:
    how = _needed(given["how"], "--by", f"one of {', '.join(desk.ways)}")
    if how not in desk.ways:
        raise words.refuse("--by", f"{how!r}, expected one of {', '.join(desk.ways)}")
    indicator, wild = words.dragon(rules, given["indicator"])
    giver = given["giver"]
    return Moment(
        how=how,
        seat=words.seat("--winner", _needed(given["winner"], "--winner", "a seat 0 to 3")),
        dealer=words.seat("--dealer", _needed(given["dealer"], "--dealer", "a seat 0 to 3")),
        concealed=words.tiles("--hand", given["hand"]),
        melds=tuple(words.meld(text) for text in given["melds"]),
        tile=Tile.UNKNOWN if given["winning"] is None else words.tile("--win", given["winning"]),
        from_seat=None if giver is None else words.seat("--from", giver),
        indicator=indicator,
        wild=wild,
        flags=words.flags(desk, given["flags"]),
    )


def _refuse_contradictions(moment: Moment, desk: Desk) -> None:
    """A file may say more than matters; a person who says what can't be has made a mistake."""
    if moment.from_seat is not None and moment.how not in NEEDS_GIVER:
        raise words.refuse("--from", f"nobody gives the tile of a win by {moment.how}")
    for meld in moment.melds:
        if meld.kind is MeldKind.CHI and meld.taken_from is not moment.seat.previous:
            raise words.refuse(
                "--meld", f"only the previous seat, {moment.seat.previous}, gives the tile of a chi"
            )
    reason = desk.contradiction(moment)
    if reason is not None:
        raise words.refuse("--flag", reason)


def _needed(text: str | None, where: str, expected: str) -> str:
    if text is None:
        raise words.refuse(where, f"missing; expected {expected}")
    return text


def _score_file(path: Path, name: str | None, options: tuple[str, ...], *, as_json: bool) -> int:
    results = results_of(path, name, options)
    if as_json:
        click.echo(json.dumps({"results": results.examples, "events": results.events}, ensure_ascii=False))
    else:
        click.echo(cases_text(results))
    for fault in results.faults:
        click.echo(f"longzhuo: {fault}", err=True)
    return 1 if results.faults else 0


command = score
