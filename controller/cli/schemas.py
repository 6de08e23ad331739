"""`longzhuo schemas`: the JSON Schemas of what a table says over MQTT."""

from __future__ import annotations

from pathlib import Path

import click

from controller.topic_schemas import files


@click.command(name="schemas")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
def command(*, folder: Path) -> None:
    """Write the JSON Schema of every topic's payload into DIR, one file a topic."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files().items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(
            f"{folder}: {error.strerror}; expected a folder that can be written"
        ) from error
    click.echo(f"{folder}: {len(files())} schemas")
