"""The reader of photographs as the command line asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controller.cli.printable import printable
from vision.enrol import BadEnrolment, Enrolment
from vision.name import Namer
from vision.photo import PhotoReader

if TYPE_CHECKING:
    from pathlib import Path


def photo_reader(enrolled: Path | None) -> PhotoReader:
    """A reader, of the table's own set of tiles where one is given that was enrolled.

    Raises:
        click.ClickException: the file of the enrolment can't be used; one clear line.
    """
    if enrolled is None:
        return PhotoReader()
    try:
        return PhotoReader(namer=Namer(enrolled=Enrolment.load(enrolled)))
    except BadEnrolment as error:
        raise click.ClickException(f"--enrolled {printable(str(enrolled))}: {error}") from None
