"""`longzhuo waits`: what a hand waits for."""

from __future__ import annotations

import json

import click

from controller.cli import score_words as words
from controller.cli.score_show import both
from rules.tiles import Tile, format_tiles


@click.command(name="waits")
@click.option("--rules", "name", metavar="NAME", required=True, help="The rule set, such as cixi-card.")
@click.option("--indicator", metavar="TILE", help="The tile that was turned up (翻牌).")
@click.option("--hand", metavar="TILES", required=True, help="The tiles in hand before the draw.")
@click.option("--meld", "melds", metavar="SET", multiple=True, help=f"A declared set: {words.MELD_EXAMPLE}.")
@click.option(
    "--seen", metavar="TILES", default="", help="Tiles that lie open elsewhere: ponds, others' sets."
)
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the rule set.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def waits(  # noqa: PLR0913 - one an option
    *,
    name: str,
    indicator: str | None,
    hand: str,
    melds: tuple[str, ...],
    seen: str,
    options: tuple[str, ...],
    as_json: bool,
) -> None:
    """List the tiles that complete a hand, with the copies left, and what else is to be said of the hand."""
    rules, desk = words.rules_named(name, options)
    turned, wild = words.dragon(rules, indicator)
    held, declared = words.tiles("--hand", hand), tuple(words.meld(text) for text in melds)
    known = [*held, *words.tiles("--seen", seen), *(tile for meld in declared for tile in meld.tiles)]
    known += [] if turned is None else [turned]
    for tile in known:
        if tile not in rules.copies:
            raise click.ClickException(f"{tile} is no tile of {name} that can be counted")
        if known.count(tile) > rules.copies.get(tile, 0):
            raise click.ClickException(
                f"{known.count(tile)} copies of {tile} in sight, the set has {rules.copies.get(tile, 0)}"
            )
    if any(wild in meld.tiles for meld in declared):
        raise words.refuse("--meld", f"the wild tile {wild} is in no declared set")
    try:
        found = desk.waits(held, declared, wild)
    except ValueError as error:
        raise words.refuse("--hand", error) from None
    left = {tile: rules.copies[tile] - known.count(tile) for tile in found.tiles}
    if as_json:
        _print_json(name, wild, left, {remark.key: remark.holds for remark in found.remarks})
        return
    click.echo(
        f"手牌 hand {format_tiles(sorted(held))}" + ("" if wild is None else f", 龙 dragon {both(wild)}")
    )
    for tile, copies in left.items():
        own = " 龙 dragon, 只能自摸 own draw only" if tile is wild else ""
        click.echo(f"  {both(tile)}  余 left {copies}{own}")
    click.echo(
        f"听 waits for {len(left)} kinds, 余 {sum(left.values())} tiles left"
        if left
        else "不听 waits for nothing"
    )
    for remark in found.remarks:
        click.echo(f"{remark.zh} {remark.en}: {'是 yes' if remark.holds else '否 no'}")


def _print_json(name: str, wild: Tile | None, left: dict[Tile, int], remarks: dict[str, bool]) -> None:
    waiting = [{"tile": str(tile), "left": copies} for tile, copies in left.items()]
    found = {
        "rules": name,
        "wildcard": None if wild is None else str(wild),
        "waits": waiting,
        "left": sum(left.values()),
    }
    click.echo(json.dumps({**found, **remarks}, ensure_ascii=False))


command = waits
