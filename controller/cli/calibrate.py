"""`longzhuo calibrate`: finds a table in a camera's pictures and writes down where everything lies."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
import cv2
import numpy as np

from controller import models
from controller.cli import calibrate_source
from controller.cli.calibrate_words import report
from controller.config import ConfigError, load_config
from controller.models import TableModel, UnknownModel
from vision.calibrate import CannotCalibrate, Side, Wanted, calibrate
from vision.calibrate_draw import drawn
from vision.calibrate_lens import LensFound, lens_of
from vision.images import Image
from vision.markers_pdf import pdf
from vision.markers_png import png
from vision.markers_sheet import sheet
from vision.rectify import CAMERA_HEIGHT_MM
from vision.whole_file import write_whole

SIDES: Final = tuple(side.name.lower() for side in Side)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Which camera above which table.

    `out`: where the configuration wants the calibration; `folder`: the configuration's own, None without one.
    """

    source: int | str | None
    model: TableModel
    height: float
    out: Path | None
    folder: Path | None


@click.command(name="calibrate")
@click.argument("source", required=False)
@click.option(
    "--config", type=click.Path(path_type=Path), help="Take camera, height and model from table.toml."
)
@click.option(
    "-o", "out", type=click.Path(path_type=Path), metavar="FILE", help="Write the calibration here."
)
@click.option(
    "--draw", type=click.Path(path_type=Path), metavar="FILE", help="Save the picture with the zones."
)
@click.option("--print", "paper", type=click.Path(path_type=Path), metavar="FILE",
              help="Only make the sheet of corner markers: a .pdf, or a .png.")  # fmt: skip
@click.option("--dpi", type=click.IntRange(100, 1200), default=300, show_default=True, help="Of that .png.")
@click.option(
    "--seat0", type=click.Choice(SIDES), help="Side of the picture at which seat 0 sits (no markers)."
)
@click.option("--edges", is_flag=True, help="Go by the cloth's edges although there are markers.")
@click.option("--height", type=click.FloatRange(300, 5000), help="Of the lens above the cloth, mm.")
@click.option("--lens", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Pictures by this camera of the uncut sheet of markers, or of a chessboard, held "
              "differently in each.")  # fmt: skip
@click.option("--board", metavar="9x6", help="Inner corners of that chessboard.")
@click.option("--model", help="Table model, if there is no --config.")
@click.option("--json", "as_json", is_flag=True, help="Say the result as JSON.")
def command(*, paper: Path | None, dpi: int, **given: Any) -> None:
    """校准 Find the table in the camera's pictures; write down where everything lies.

    SOURCE is a camera's number or address, a picture, or a folder of pictures of one camera that did not
    move. By the corner markers (`--print` makes them), else by the edges of the cloth.
    """
    if paper is not None:
        _print_sheet(paper, _model(given["model"] or "longzhuo840"), dpi)
        return
    try:
        _calibrate(**given)
    except CannotCalibrate as error:
        raise click.ClickException(str(error)) from error


def _calibrate(
    *, out: Path | None, draw: Path | None, as_json: bool, seat0: str | None, edges: bool, **given: Any
) -> None:
    place = _place(**{name: given[name] for name in ("source", "config", "height", "model")})
    out = out or place.out
    for path in (out, draw):
        if path is not None and not path.absolute().parent.is_dir():
            raise click.ClickException(f"{path}: there is no folder {path.parent}")
    found = _lens(given["lens"], given["board"], place.model)
    pictures = _pictures(place.source)
    wanted = Wanted(
        model=place.model.name,
        camera_height_mm=place.height,
        lens=None if found is None else found.lens,
        seat0=None if seat0 is None else Side[seat0.upper()],
        by_edges=edges,
    )
    result = calibrate(pictures, place.model, wanted)
    picture = None if draw is None else _encoded(drawn(pictures[0], result.calibration, place.model), draw)
    if out is not None:
        _written(out, lambda: result.calibration.save(out))
    if draw is not None and picture is not None:
        _written(draw, lambda: write_whole(draw, picture))
    said = report(result, found, out=out, draw=draw, folder=place.folder)
    click.echo(json.dumps(said.facts, ensure_ascii=False) if as_json else "\n".join(said.lines))


def _place(*, source: str | None, config: Path | None, height: float | None, model: str | None) -> _Place:
    """What is meant, from the options and the configuration."""
    if config is None:
        return _Place(
            source=source,
            model=_model(model or "longzhuo840"),
            height=height or CAMERA_HEIGHT_MM,
            out=None,
            folder=None,
        )
    try:
        told = load_config(config)
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    camera = told.camera
    return _Place(
        source=source if source is not None else camera.source,
        model=_model(model or told.table.model),
        height=height or camera.height_mm,
        out=None if camera.calibration is None else Path(camera.calibration),
        folder=config.resolve().parent,
    )


def _model(name: str) -> TableModel:
    try:
        return models.load(name)
    except UnknownModel as error:
        raise click.ClickException(str(error)) from error


def _lens(folder: Path | None, board: str | None, model: TableModel) -> LensFound | None:
    if folder is None:
        if board is not None:
            raise click.ClickException("--board goes with --lens FOLDER")
        return None
    return lens_of(calibrate_source.folder(folder), model, board=None if board is None else _board(board))


def _board(text: str) -> tuple[int, int]:
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(part.isdecimal() and 3 <= int(part) <= 40 for part in parts):
        raise click.ClickException(f"--board: expected inner corners like 9x6, got {text!r}")
    return int(parts[0]), int(parts[1])


def _pictures(source: int | str | None) -> Sequence[Image]:
    if source is None:
        raise click.ClickException("name a camera, a picture or a folder, or --config table.toml")
    return calibrate_source.pictures(source)


def _print_sheet(path: Path, model: TableModel, dpi: int) -> None:
    shapes = sheet(model)
    match path.suffix.lower():
        case ".pdf":
            data = pdf(shapes)
        case ".png":
            data = png(shapes, dpi=dpi)
        case _:
            raise click.ClickException(f"{path}: expected a name that ends in .pdf or .png")
    _written(path, lambda: write_whole(path, data))
    click.echo(f"写好了 written: {path}\n打印 100 %（实际大小），量一量 100 毫米线。")
    click.echo("Print at 100 % (actual size) and measure the 100 mm line.")


def _encoded(picture: Image, path: Path) -> bytes:
    if path.suffix.lower() not in {".png", ".jpg", ".jpeg"}:
        raise click.ClickException(f"{path}: expected a name that ends in .png or .jpg")
    good, data = cv2.imencode(path.suffix.lower(), picture)
    if not good:
        raise click.ClickException(f"{path}: the picture can't be encoded")
    return bytes(np.asarray(data).tobytes())


def _written(path: Path, write: Any) -> None:
    try:
        write()
    except OSError as error:
        raise click.ClickException(f"{path}: {error.strerror or error}") from error
