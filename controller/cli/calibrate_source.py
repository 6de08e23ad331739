"""Pictures to calibrate a camera by: from the camera itself, a file, or a folder."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from vision.camera import IMAGE_NAMES, Camera, NoPicture
from vision.camera_source import is_device
from vision.images import BadPicture, Image
from vision.picture_file import UnreadablePhoto, read_picture

TAKEN: Final = 5  # pictures of a camera
WARM_UP: Final = 3  # before them, while exposure settles
WITHIN_S: Final = 8.0
MOST: Final = 60  # pictures of a folder


def pictures(source: int | str) -> Sequence[Image]:
    """All pictures of a file or folder, a few of a camera. Raises ClickException."""
    if isinstance(source, str) and source.startswith("readings:"):
        raise click.ClickException(f"{source}: readings are no pictures; name the camera itself")
    if isinstance(source, int) or "://" in source or source.isdecimal() or is_device(source):
        return asyncio.run(_taken(source))
    path = Path(source)
    return folder(path) if path.is_dir() else [_read(path)]


def folder(path: Path) -> list[Image]:
    """Every picture of a folder, in order of name. Raises ClickException."""
    if not path.is_dir():
        raise click.ClickException(f"{path}: is no folder")
    names = sorted(name for name in path.iterdir() if name.suffix.lower() in IMAGE_NAMES)
    if not names:
        raise click.ClickException(f"{path}: no pictures in it ({', '.join(sorted(IMAGE_NAMES))} expected)")
    if len(names) > MOST:
        raise click.ClickException(f"{path}: {len(names)} pictures, at most {MOST} expected")
    return [_read(name) for name in names]


def _read(path: Path) -> Image:
    try:
        return read_picture(path)
    except UnreadablePhoto as error:
        raise click.ClickException(f"{path}: {error}") from error


async def _taken(source: int | str) -> Sequence[Image]:
    """A few pictures of a camera that runs."""
    taken: list[Image] = []
    try:
        async with Camera(source) as camera:
            for number in range(WARM_UP + TAKEN):
                frame = await camera.frame(within_s=WITHIN_S)
                if frame is None:
                    break
                if number >= WARM_UP:
                    taken.append(frame.image)
    except (NoPicture, BadPicture) as error:
        raise click.ClickException(str(error)) from error
    if not taken:
        raise click.ClickException(f"{source}: no pictures came")
    return taken
