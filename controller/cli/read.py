"""`longzhuo read`: finds and names the tiles on photographs."""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from controller.cli.photo_reader import photo_reader
from controller.cli.printable import printable
from controller.cli.read_draw import targets, write
from rules.tiles import Tile
from vision.draw import annotated
from vision.photo import SUFFIXES, UnreadablePhoto, load_photo

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vision.photo import PhotoReader, PhotoTile, Picture

COLUMNS: Final = ("file", "x", "y", "w", "h")


@dataclass(frozen=True, slots=True)
class BoxRow:
    """A line of the boxes' CSV: a box in px; the tile that is there and its set, where the CSV has them."""

    box: tuple[float, float, float, float]
    tile: str | None
    tileset: str


@dataclass(slots=True)
class Score:
    """How many tiles of one set were named rightly, and how many of the readings that stand were wrong."""

    right: int = 0
    all: int = 0
    unsure: int = 0
    wrong: int = 0


def _box_row(row: Mapping[str, str | None], where: str) -> BoxRow:
    numbers = []
    for column in COLUMNS[1:]:
        text = row[column]
        try:
            number = float(text or "")
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise click.ClickException(f"{where}: {column} is {text!r}, a number of pixels was expected")
        numbers.append(number)
    x, y, w, h = numbers
    if w <= 0 or h <= 0:
        raise click.ClickException(
            f"{where}: a box of {w:g} x {h:g} px, a width and height above 0 were expected"
        )
    tile = (row.get("tile") or "").strip() or None
    if tile is not None:
        try:
            tile = str(Tile.parse(tile))
        except ValueError as error:
            raise click.ClickException(f"{where}: {error}") from None
    return BoxRow((x, y, w, h), tile, row.get("tileset") or "")


def read_boxes(path: Path) -> dict[str, list[BoxRow]]:
    """The boxes of a CSV by file, in its order.

    Raises:
        click.ClickException: the CSV cannot be read, or a line of it makes no sense; one clear line.
    """
    out: dict[str, list[BoxRow]] = defaultdict(list)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            missing = [c for c in COLUMNS if c not in (reader.fieldnames or ())]
            if missing:
                columns = ", ".join(COLUMNS)
                raise click.ClickException(f"{path}: no column {', '.join(missing)} (expected: {columns})")
            for row in reader:
                where = f"{path}, line {reader.line_num}"
                if not row["file"]:
                    raise click.ClickException(f"{where}: the file's name is empty")
                out[row["file"]].append(_box_row(row, where))
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be opened: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise click.ClickException(f"{path}: is no CSV in UTF-8 ({error})") from None
    return out


def photographs(path: Path) -> list[tuple[str, Path]]:
    """A photograph, or the photographs of a folder by name: (name to print, path).

    Raises:
        click.ClickException: a folder without a photograph.
    """
    if not path.is_dir():
        return [(path.name, path)]
    found = sorted(p for p in path.iterdir() if p.suffix.lower() in SUFFIXES)
    if not found:
        raise click.ClickException(
            f"{path}: no photograph in this folder (expected {', '.join(sorted(SUFFIXES))})"
        )
    return [(p.name, p) for p in found]


def _chosen(paths: tuple[Path, ...], boxes: dict[str, list[BoxRow]] | None) -> Iterator[tuple[str, Path]]:
    """The photographs to read; with boxes, of a folder those that the CSV names, in its order."""
    for path in paths:
        if boxes is not None and path.is_dir():
            yield from ((name, path / name) for name in boxes)
        else:
            yield from photographs(path)


def _told_apart(chosen: list[tuple[str, Path]]) -> list[str]:
    """What each photograph is called: its name, with the folder where others are called so too."""
    places: dict[str, set[Path]] = defaultdict(set)
    for name, path in chosen:
        places[name].add(path)
    return [name if len(places[name]) == 1 else str(path) for name, path in chosen]


def _entry(tile: PhotoTile) -> dict[str, object]:
    named = tile.named
    return {
        "tile": None if named.tile is None else str(named.tile),
        "best": str(named.best),
        "confidence": round(named.confidence, 4),
        "box": [round(float(v), 2) for v in tile.box],
        "quad": [[round(float(x), 2), round(float(y), 2)] for x, y in tile.quad],
    }


def _tell(name: str, tiles: list[PhotoTile], *, as_json: bool) -> None:
    if as_json:
        click.echo(_object({"file": name, "tiles": [_entry(t) for t in tiles]}))
        return
    click.echo(f"{printable(name)}: {len(tiles)} tiles")
    for start in range(0, len(tiles), 10):
        line = (
            f"{t.named.best!s:>4}{'?' if t.named.tile is None else ' '}{100 * t.named.confidence:3.0f}%"
            for t in tiles[start : start + 10]
        )
        click.echo("  " + " ".join(line))


def _count(scores: dict[str, Score], rows: list[BoxRow], tiles: list[PhotoTile]) -> None:
    for row, tile in zip(rows, tiles, strict=True):
        if row.tile is not None:
            score = scores[row.tileset]
            right = str(tile.named.best) == row.tile
            score.all += 1
            score.right += right
            score.unsure += tile.named.tile is None
            score.wrong += tile.named.tile is not None and not right


def _summary(scores: dict[str, Score]) -> None:
    click.echo("tile set                 right of tiles       %   unsure   sure but wrong")
    for name, s in sorted(scores.items()):
        percent = 100 * s.right / s.all
        click.echo(f"{name or '-':<22} {s.right:>7} {s.all:>8} {percent:>7.1f} {s.unsure:>8} {s.wrong:>16}")


def _tiles(reader: PhotoReader, picture: Picture, rows: list[BoxRow] | None) -> list[PhotoTile]:
    if rows is None:
        return reader.read(picture)
    high, wide = picture.shape[:2]
    for row in rows:
        x, y, w, h = row.box
        if x >= wide or y >= high or x + w <= 0 or y + h <= 0:
            raise UnreadablePhoto(f"the box {x:g},{y:g},{w:g},{h:g} lies outside its {wide} x {high} px")
    return reader.name(picture, [row.box for row in rows])


@click.command(name="read")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--boxes", type=click.Path(path_type=Path), metavar="CSV",
              help="Name just these boxes, in this order: columns file,x,y,w,h (pixels); with a column tile "
              "(and tileset) the readings are compared with it.")  # fmt: skip
@click.option("--draw", type=click.Path(path_type=Path), metavar="FILE",
              help="Draw what was read onto a copy of the photograph; a folder for several.")  # fmt: skip
@click.option("--enrolled", type=click.Path(path_type=Path), metavar="FILE",
              help="The table's own set of tiles, as longzhuo enrol learned it.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON object per photograph and line.")
def read(
    paths: tuple[Path, ...], *, boxes: Path | None, draw: Path | None, enrolled: Path | None, as_json: bool
) -> None:
    """Find and name the tiles on photographs (files, or folders of them).

    A name followed by ? is the likeliest one but not sure. Photographs of the same name are told with their
    folders.
    """
    rows_of = read_boxes(boxes) if boxes is not None else None
    reader = photo_reader(enrolled)
    chosen = list(_chosen(paths, rows_of))
    drawings = None if draw is None else targets(draw, [path for _, path in chosen])
    scores: dict[str, Score] = defaultdict(Score)
    failed = False
    for number, ((name, path), called) in enumerate(zip(chosen, _told_apart(chosen), strict=True)):
        rows = None if rows_of is None else rows_of.get(name, [])
        try:
            picture = load_photo(path)
            tiles = _tiles(reader, picture, rows)
        except UnreadablePhoto as error:
            failed = True
            _fail(called, str(error), as_json=as_json)
            continue
        _tell(called, tiles, as_json=as_json)
        if drawings is not None:
            write(drawings[number], annotated(picture, tiles))
        _count(scores, rows or [], tiles if rows is not None else [])
    if scores and not as_json:
        _summary(scores)
    if failed:
        click.get_current_context().exit(1)


def _fail(name: str, text: str, *, as_json: bool) -> None:
    if as_json:
        click.echo(_object({"file": name, "error": text}))
    else:
        click.echo(f"longzhuo: {printable(name)}: {text}", err=True)


def _object(entry: dict[str, object]) -> str:
    """One line of JSON; a name in no known encoding keeps its bytes as escapes."""
    text = json.dumps(entry, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(entry)


command = read
