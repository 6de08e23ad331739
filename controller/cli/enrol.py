"""`longzhuo enrol`: learns a table's own set of tiles, from labelled photographs or at the table."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from controller.cli import enrol_words as words
from controller.cli.enrol_photos import Wanted, labelled
from controller.cli.enrol_table import Manner, from_camera, from_folder
from controller.cli.printable import printable
from controller.cli.read_draw import write
from controller.config import ConfigError, load_config
from rules import sets
from rules.tiles import Tile
from vision.enrol import BadEnrolment
from vision.enrol_guided import rows_for
from vision.enrol_learn import learn
from vision.enrol_sheet import sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.enrol_learn import Learned
    from vision.enrol_views import Known


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is to be learned: tiles, where each was seen, and the faces the set has, where that is known."""

    known: Known
    places: Sequence[str]
    kinds: frozenset[Tile] | None


@click.command(name="enrol")
@click.option("--photos", type=click.Path(path_type=Path), metavar="DIR", help="Learn from photographs here.")
@click.option("--labels", type=click.Path(path_type=Path), metavar="CSV",
              help="What lies on them: columns file,x,y,w,h (pixels),tile, and perhaps tileset.")  # fmt: skip
@click.option("--files", multiple=True, metavar="PATTERN", help="Only these photographs (may be repeated).")
@click.option("--first", type=click.IntRange(min=1), metavar="N", help="Only the first N of them by name.")
@click.option("--tileset", metavar="NAME",
              help="What the set is called; of the CSV only the lines of this set.")  # fmt: skip
@click.option("--config", "config", type=click.Path(path_type=Path), metavar="FILE",
              help="Learn at this table: its camera, the faces of its rules.")  # fmt: skip
@click.option("--camera", metavar="SOURCE", help="Learn before this camera: number, address, or a folder of "
              "pictures, one a row.")  # fmt: skip
@click.option("--flowers", is_flag=True, help="The set has the eight flowers.")
@click.option("--copies", type=click.IntRange(1, 4), default=1, metavar="N", show_default=True,
              help="So many rows of each kind; with 2 the check has left-out tiles.")  # fmt: skip
@click.option("--trust-order", "trusting", is_flag=True,
              help="Believe the order laid out even where tiles look otherwise.")  # fmt: skip
@click.option("--patience", "patience_s", type=click.FloatRange(min=1), default=180.0, metavar="S",
              show_default=True, help="Seconds to wait for a row until it is left out.")  # fmt: skip
@click.option("--draw", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Save a picture of what was learned, or of a row that is not right.")  # fmt: skip
@click.option("-o", "--output", "output", required=True, type=click.Path(path_type=Path, dir_okay=False),
              metavar="FILE", help="Where the enrolment is written to.")  # fmt: skip
def command(*, output: Path, draw: Path | None, tileset: str | None, **given: Any) -> None:
    """学牌 Learn a table's own set of tiles.

    Either from photographs (--photos and --labels), or at the table (--config or --camera): rows of tiles are
    laid out in the order shown, and the program says what it sees. The file is used by --enrolled of read and
    run, and by `enrolled` in [camera] of a table.toml.
    """
    _writable(output, "-o")
    if draw is not None:
        _writable(draw, "--draw")
    started = time.monotonic()
    if given["photos"] is not None or given["labels"] is not None:
        seen = _from_photos(tileset=tileset, **given)
        began = started
    else:
        seen = _at_the_table(draw=draw, **given)
        began = time.monotonic()
    _learn(seen, output, draw, name=tileset or "", began=began)


def _writable(path: Path, option: str) -> None:
    if not path.parent.is_dir():
        raise click.ClickException(f"{option} {printable(str(path))}: there is no such folder")


def _from_photos(
    *, photos: Path | None, labels: Path | None, tileset: str | None, flowers: bool, **given: Any
) -> _Seen:
    if photos is None or labels is None:
        raise click.UsageError("--photos DIR and --labels CSV belong together")
    if given["config"] is not None or given["camera"] is not None:
        raise click.UsageError("either photographs or a camera: --photos, or --config, or --camera")
    wanted = Wanted(files=given["files"], tileset=tileset, first=given["first"])
    found = labelled(photos, labels, wanted)
    if found.absent:
        click.echo(
            f"不在文件夹里 not in the folder: {len(found.absent)} 张照片 photographs of the CSV", err=True
        )
    kinds = frozenset(t for t in Tile if 0 <= t < Tile.BACK) if flowers else None
    return _Seen(found.known, found.places, kinds)


def _at_the_table(*, config: Path | None, camera: str | None, draw: Path | None, **given: Any) -> _Seen:
    source, kinds = _place(config, camera, flowers=given["flowers"])
    manner = Manner(
        copies=given["copies"], trusting=given["trusting"], patience_s=given["patience_s"], draw=draw
    )
    rows = rows_for(kinds)
    folder = None if isinstance(source, int) or "://" in source else Path(source)
    if folder is not None and folder.is_dir():
        guide = from_folder(folder, rows, manner)
    else:
        guide = asyncio.run(from_camera(source, rows, manner))
    if guide.known is None:
        raise click.ClickException("一排也没看到 no row was seen: nothing is written")
    return _Seen(guide.known, ["摆的牌 laid out"] * len(guide.known.faces), kinds)


def _place(config: Path | None, camera: str | None, *, flowers: bool) -> tuple[int | str, frozenset[Tile]]:
    """The source of pictures, and the faces to ask for."""
    kinds = frozenset(t for t in Tile if 0 <= t < (Tile.BACK if flowers else Tile.PLUM))
    source: int | str | None = camera
    if config is not None:
        try:
            table = load_config(config)
            kinds = frozenset(sets.load(table.rules, table.options).tiles) | (kinds if flowers else set())
        except (ConfigError, ValueError, FileNotFoundError) as error:
            raise click.ClickException(str(error)) from error
        source = camera if camera is not None else table.camera.source
    if source is None:
        raise click.UsageError(
            "learn from what? --photos DIR --labels CSV, or --config table.toml, or --camera SOURCE"
        )
    if isinstance(source, str) and source.startswith("readings:"):
        raise click.ClickException(f"{source}: gives readings, no pictures; a camera is needed")
    return source, kinds


def _learn(seen: _Seen, output: Path, draw: Path | None, *, name: str, began: float) -> None:
    today = datetime.now().astimezone().date().isoformat()
    try:
        learned = learn(seen.known, kinds=seen.kinds, tileset=name, made=today)
    except BadEnrolment as error:
        raise click.ClickException(str(error)) from error
    _tell(learned, seen)
    if draw is not None:
        write(draw, sheet(seen.known))
    try:
        learned.enrolment.save(output)
    except OSError as error:
        raise click.ClickException(
            f"-o {printable(str(output))}: can't be written: {error.strerror or error} (the old one is kept)"
        ) from error
    took = time.monotonic() - began
    click.echo(f"写好了 wrote {printable(str(output))} ({output.stat().st_size / 1000:.0f} kB, {took:.1f} s)")


def _tell(learned: Learned, seen: _Seen) -> None:
    faces = [Tile(int(k)) for k in seen.known.faces]
    lines = [f"学到 learned {len(set(faces))} 种牌面 faces, {len(faces)} 张牌 tiles:", *words.grid(faces)]
    lines += words.missed(learned.missing)
    lines += words.doubted(learned.odd, [printable(seen.places[o.tile]) for o in learned.odd])
    lines.append(words.checked(learned.enrolment.left_out))
    click.echo("\n".join(lines))
