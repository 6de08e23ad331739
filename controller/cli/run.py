"""`longzhuo run`: the controller of one table."""

import logging
import os
import sys
from pathlib import Path

import click

from controller import app
from controller.cli.board_place import Place, check_not_held
from controller.config import ConfigError, load_config, with_enrolment
from controller.picture_memory import keep_picture_memory


@click.command()
@click.option(
    "--config",
    "config_path",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The table's configuration (table.toml).",
)
@click.option(
    "--enrolled",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The table's own set of tiles (longzhuo enrol), instead of the configuration's.",
)
@click.option("--check", is_flag=True, help="Only check the configuration.")
@click.option("--verbose", "-v", is_flag=True, help="Say more about what happens.")
def command(*, config_path: Path, enrolled: Path | None, check: bool, verbose: bool) -> None:
    """Run the controller of one table until SIGTERM or Ctrl-C."""
    try:
        config = load_config(config_path)
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    if enrolled is not None:
        config = with_enrolment(config, enrolled)
    if check:
        try:
            app.check(config)
        except app.CanNotStart as error:
            raise click.ClickException(str(error)) from error
        click.echo(f"{config_path}: in order")
        return
    # Its cable may be pulled or not be there yet; a board that another controller drives is never to be had.
    check_not_held(Place(config.board.port, uid=config.board.uid))
    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
        stream=sys.stderr,
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    # What the camera's library prints of its own accord says nothing that CameraLost does not say in words.
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    keep_picture_memory()
    try:
        app.run(config, say=click.echo)
    except app.CanNotStart as error:
        raise click.ClickException(str(error)) from error
