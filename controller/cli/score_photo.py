"""`longzhuo score --photo`: reads a laid-open hand, shows it, hands it on once a person has confirmed it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from controller.cli import score_words as words
from controller.cli.photo_reader import photo_reader
from controller.cli.printable import printable
from controller.cli.read_draw import targets, write
from controller.cli.score_correct import HELP, BadCorrection, corrected
from controller.cli.score_reading import (
    LETTERS,
    Read,
    Reading,
    SetRead,
    confirmed,
    faults,
    reading_of,
    set_tiles,
    unsure,
)
from rules.events import MeldKind
from rules.moment import NEEDS_GIVER
from rules.tiles import Seat, Tile, format_tiles
from vision.draw import annotated
from vision.joint import Limits, copies_left, unsure_together
from vision.joint import Reading as Chances
from vision.laid import rows_of
from vision.photo import UnreadablePhoto, load_photo

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rules.events import Meld
    from rules.ruleset import RuleSet
    from vision.photo import PhotoReader, PhotoTile, Picture

NAMES: Final = {"chi": "吃", "peng": "碰", "kong": "点杠", "added_kong": "转弯杠", "concealed_kong": "闷杠"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked: the photograph, how to read it, where to draw it, and whether nobody is to be asked."""

    photo: Path
    enrolled: Path | None
    draw: Path | None
    yes: bool
    to_stderr: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What was typed beside the photograph, as far as it bears upon the reading."""

    winner: Seat
    copies: Mapping[Tile, int]
    needs_tile: bool


def hand_from(wanted: Wanted, rules: RuleSet, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options `hand`, `winning` and `melds` as if they had been typed.

    Raises:
        click.ClickException: the photograph can't be read, what was typed contradicts it, or nobody has
            confirmed it; one line.
    """
    if given["hand"]:
        raise words.refuse("--hand", "the hand is read from the photograph, so none can be typed beside it")
    indicator, _ = words.dragon(rules, given["indicator"])
    facts = Facts(
        winner=words.seat("--winner", given["winner"] or ""),
        copies=copies_left(rules.copies, () if indicator is None else (indicator,)),
        needs_tile=given["how"] in NEEDS_GIVER,
    )
    reading = _read(wanted, facts)
    reading = _with_typed(reading, given)
    done = _settled(reading, wanted, facts)
    return {
        "hand": _plain(done.faces(done.hand)),
        "winning": None if done.win is None else str(done.tiles[done.win].tile),
        "melds": (*(_typed(each, done, facts.winner) for each in done.sets), *map(meld_text, done.typed)),
    }


def _plain(tiles: Sequence[Tile]) -> str:
    return " ".join(map(str, tiles))


def _read(wanted: Wanted, facts: Facts) -> Reading:
    target = None if wanted.draw is None else targets(wanted.draw, [wanted.photo])[0]
    reader = photo_reader(wanted.enrolled)
    try:
        picture = load_photo(wanted.photo)
    except UnreadablePhoto as error:
        raise words.refuse(f"--photo {printable(str(wanted.photo))}", error) from None
    tiles = _closely(reader, picture)
    reads = _reads(tiles, facts.copies)
    rows = rows_of([tile.quad for tile in tiles])
    reading, order = reading_of(rows, reads)
    if target is not None:
        write(target, annotated(picture, [tiles[k] for k in order], numbered=True))
    return reading


def _closely(reader: PhotoReader, picture: Picture) -> list[PhotoTile]:
    """A hand has few tiles: each is looked at twice, and one that lies across from its own upper side too."""
    tiles = reader.again(picture, reader.read(picture))
    groups = [group for row in rows_of([tile.quad for tile in tiles]) for group in row]
    turned = sorted(k for group in groups for k in group.turned)
    upright = [replace(tiles[k], quad=np.roll(tiles[k].quad, 1, axis=0)) for k in turned]
    for k, other in zip(turned, reader.again(picture, upright), strict=True):
        if other.named.confidence > tiles[k].named.confidence:
            tiles[k] = other
    return tiles


def _reads(tiles: Sequence[PhotoTile], copies: Mapping[Tile, int]) -> list[Read]:
    """The tiles' names; of more than there can be, the least certain are unsure."""
    chances = [Chances(tile.named.tile, tile.named.probabilities) for tile in tiles]
    shaky = unsure_together(chances, Limits(copies=copies))
    out = []
    for k, tile in enumerate(tiles):
        named = tile.named
        rest = np.array(named.probabilities[: Tile.BACK + 1])
        rest[named.best] = -1
        sure = named.tile is not None and k not in shaky
        out.append(Read(named.best, sure, named.confidence, Tile(int(rest.argmax()))))
    return out


def _with_typed(reading: Reading, given: Mapping[str, Any]) -> Reading:
    """The reading with the winning tile and the sets that were typed; sets say who gave their tile."""
    for text in given["melds"]:
        reading = _with_meld(reading, words.meld(text))
    if given["winning"] is None:
        return reading
    tile = words.tile("--win", given["winning"])
    if reading.win is not None:
        read = reading.tiles[reading.win]
        if read.sure and read.tile is not tile:
            raise words.refuse("--win", f"{tile}, but the tile that lies apart is {read.tile}")
        return replace(reading, tiles={**reading.tiles, reading.win: Read(tile, sure=True)})
    held = [k for k in reading.hand if reading.tiles[k].tile is tile]
    if held and reading.size == 14:
        return replace(reading, hand=tuple(k for k in reading.hand if k != held[-1]), win=held[-1])
    number = max(reading.tiles, default=0) + 1
    return replace(reading, tiles={**reading.tiles, number: Read(tile, sure=True)}, win=number)


def _with_meld(reading: Reading, meld: Meld) -> Reading:
    for place, each in enumerate(reading.sets):
        if each.giver is None and each.kong is None and set_tiles(reading.faces(each.tiles)) == meld.tiles:
            kong = meld.kind if meld.kind.is_kong else None
            said = replace(each, kong=kong, giver=meld.taken_from)
            return replace(reading, sets=(*reading.sets[:place], said, *reading.sets[place + 1 :]))
    return replace(reading, typed=(*reading.typed, meld))


def _settled(reading: Reading, wanted: Wanted, facts: Facts) -> Reading:
    """The reading once it is certain, or a person has said that it is right."""

    def say(text: str) -> None:
        click.echo(text, err=wanted.to_stderr)

    say(shown(reading, facts.winner))
    wrong = faults(reading, facts.copies, needs_tile=facts.needs_tile)
    if wanted.yes or not sys.stdin.isatty():
        open_points = [*unsure(reading), *wrong]
        if wanted.yes and not open_points:
            return reading
        raise _not_confirmed(reading, wanted, facts, open_points)
    say(HELP)
    while True:
        for point in [*unsure(reading), *wrong]:
            say(f"  ! {point}")
        line = click.prompt("对吗 right?", default="", show_default=False, err=wanted.to_stderr).strip()
        if line.lower() == "q":
            raise click.ClickException("没有算分 nothing was scored")
        if not line:
            done = confirmed(reading)
            wrong = faults(done, facts.copies, needs_tile=facts.needs_tile)
            if not wrong:
                return done
            continue
        try:
            reading = corrected(reading, line)
        except BadCorrection as error:
            say(f"  ! {error}")
            continue
        say(shown(reading, facts.winner))
        wrong = faults(reading, facts.copies, needs_tile=facts.needs_tile)


def _not_confirmed(
    reading: Reading, wanted: Wanted, facts: Facts, open_points: list[str]
) -> click.ClickException:
    """The line for one who can't be asked: what is open, and how to go on."""
    where = f"--photo {printable(str(wanted.photo))}"
    if not open_points:
        return words.refuse(where, "没有算分 nothing was scored: all is sure; confirm it with --yes")
    typed = [f'--hand "{_plain(reading.faces(reading.hand))}"']
    if reading.win is not None:
        typed.append(f"--win {reading.tiles[reading.win].tile}")
    typed += [f'--meld "{_typed(each, reading, facts.winner)}"' for each in reading.sets]
    typed += [f'--meld "{meld_text(each)}"' for each in reading.typed]
    return words.refuse(
        where,
        f"没有算分 nothing was scored: {'; '.join(open_points)}. Confirm it at a terminal, or type the hand "
        f"in place of --photo: {' '.join(typed)}",
    )


def _giver(each: SetRead, names: tuple[Tile, ...], winner: Seat) -> Seat | None:
    back = each.back(names)
    return each.giver if each.giver is not None or back is None else Seat((winner - back) % 4)


def _typed(each: SetRead, reading: Reading, winner: Seat) -> str:
    """A set as it is typed; ? where something about it is open."""
    names = reading.faces(each.tiles)
    kind, giver = each.kind(names), _giver(each, names, winner)
    tiles = set_tiles(names)
    if kind is MeldKind.CONCEALED_KONG:
        return f"kong {format_tiles(tiles)} concealed"
    word = {MeldKind.KONG: "kong", MeldKind.ADDED_KONG: "kong", None: "?"}.get(kind, str(kind))
    added = " added" if kind is MeldKind.ADDED_KONG else ""
    return f"{word} {format_tiles(tiles)}{added} from {'?' if giver is None else int(giver)}"


def meld_text(meld: Meld) -> str:
    """A set as it is typed."""
    word = "kong" if meld.kind.is_kong else str(meld.kind)
    added = " added" if meld.kind is MeldKind.ADDED_KONG else ""
    source = " concealed" if meld.taken_from is None else f" from {int(meld.taken_from)}"
    return f"{word} {format_tiles(meld.tiles)}{added}{source}"


def shown(reading: Reading, winner: Seat) -> str:
    """The reading as lines: every tile with its number; one that is not sure with what it may be."""
    lines = [f"手牌 hand    {_row(reading, reading.hand)}"]
    if reading.win is not None:
        lines.append(f"胡牌 winning {_row(reading, (reading.win,))}")
    for letter, each in zip(LETTERS, reading.sets, strict=False):
        names = reading.faces(each.tiles)
        kind, giver = each.kind(names), _giver(each, names, winner)
        what = "?" if kind is None else f"{NAMES[kind]} {kind}"
        source = "" if giver is None else f", 座位 from seat {int(giver)}"
        lines.append(f"面子 set {letter}   {_row(reading, each.tiles)}   {what}{source}")
    lines += [f"面子 set     {meld_text(each)} (--meld)" for each in reading.typed]
    if reading.out:
        lines.append(f"其他 other   {_row(reading, reading.out)}")
    return "\n".join(lines)


def _row(reading: Reading, numbers: Sequence[int]) -> str:
    return "  ".join(f"{k}:{_name(reading.tiles[k])}" for k in numbers) or "-"


def _name(read: Read) -> str:
    if read.sure:
        return str(read.tile)
    other = "" if read.instead is None else f", {read.instead}?"
    return f"{read.tile}?({100 * read.confidence:.0f}%{other})"
