"""Known tiles from photographs and a CSV that says which tile lies in which box."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click
import numpy as np

from controller.cli.printable import printable
from controller.cli.read import read_boxes
from rules.tiles import Tile
from vision.enrol_views import Known, spread
from vision.name import SQUARE, box_quads
from vision.photo import UnreadablePhoto, load_photo

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from controller.cli.read import BoxRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which photographs of the CSV: file names or patterns (all when none), one set's only, the first few."""

    files: tuple[str, ...] = ()
    tileset: str | None = None
    first: int | None = None


@dataclass(frozen=True, slots=True)
class Labelled:
    """Known tiles, and for each of them its photograph; photographs of the CSV that are not in the folder."""

    known: Known
    places: tuple[str, ...]
    absent: tuple[str, ...]


def labelled(folder: Path, labels: Path, wanted: Wanted) -> Labelled:
    """Cut the labelled tiles out of the photographs of a folder.

    Raises:
        click.ClickException: nothing to learn from, a photograph that can't be read, a box outside it, or a
            line of the CSV without a tile; one clear line.
    """
    rows = _wanted(read_boxes(labels), wanted, labels)
    here = {name: some for name, some in rows.items() if (folder / name).is_file()}
    absent = tuple(name for name in rows if name not in here)
    if not here:
        some = ", ".join(printable(name) for name in absent[:3])
        raise click.ClickException(
            f"{printable(str(folder))}: none of the {len(absent)} photographs that {labels} names lies here "
            f"({some}{', …' if len(absent) > 3 else ''})"
        )
    faces = {name: _faces(some, f"{labels}: {printable(name)}") for name, some in here.items()}
    keep = spread(np.concatenate(list(faces.values())))
    parts, places = [], []
    for name, kept in zip(
        here, np.split(keep, np.cumsum([len(f) for f in faces.values()])[:-1]), strict=True
    ):
        parts.append(_cut(folder / name, here[name], faces[name], kept))
        places += [name] * int(kept.sum())
    return Labelled(Known.joined(parts), tuple(places), absent)


def _wanted(rows: dict[str, list[BoxRow]], wanted: Wanted, labels: Path) -> dict[str, list[BoxRow]]:
    if wanted.tileset is not None:
        chosen = {name: [r for r in some if r.tileset == wanted.tileset] for name, some in rows.items()}
        rows = {name: some for name, some in chosen.items() if some}
        if not rows:
            raise click.ClickException(f"{labels}: no line of the tileset {printable(wanted.tileset)}")
    for pattern in wanted.files:
        if not any(fnmatchcase(name, pattern) for name in rows):
            raise click.ClickException(f"{labels}: names no photograph {printable(pattern)}")
    if wanted.files:
        rows = {n: some for n, some in rows.items() if any(fnmatchcase(n, p) for p in wanted.files)}
    names = sorted(rows)[: wanted.first]
    if not names:
        raise click.ClickException(f"{labels}: holds no line")
    return {name: rows[name] for name in names}


def _faces(rows: Sequence[BoxRow], where: str) -> NDArray[np.int64]:
    for row in rows:
        if row.tile is None or Tile.parse(row.tile) is Tile.UNKNOWN:
            x, y, w, h = row.box
            raise click.ClickException(f"{where}: no tile is said for the box {x:g},{y:g},{w:g},{h:g}")
    return np.array([int(Tile.parse(row.tile or "")) for row in rows], np.int64)


def _cut(path: Path, rows: Sequence[BoxRow], faces: NDArray[np.int64], kept: NDArray[np.bool_]) -> Known:
    try:
        picture = load_photo(path)
    except UnreadablePhoto as error:
        raise click.ClickException(f"{printable(path.name)}: {error}") from None
    high, wide = picture.shape[:2]
    for x, y, w, h in (row.box for row in rows):
        if x + w / 2 >= wide or y + h / 2 >= high or x + w / 2 <= 0 or y + h / 2 <= 0:
            raise click.ClickException(
                f"{printable(path.name)}: the box {x:g},{y:g},{w:g},{h:g} lies outside its {wide} x {high} px"
            )
    boxes = np.array([row.box for row in rows], np.float32)[kept]
    sides = np.sort(boxes[:, 2:], axis=1)
    square = sides[:, 1] < SQUARE * sides[:, 0]
    return Known.cut(picture, box_quads(boxes), four=square, faces=faces[kept])
