"""Writes a file whole or not at all: whatever happens meanwhile, the old one or the new one is there."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Put a file in the place of another one, if there is one.

    The bytes are on the disk before the name changes hands. A process that is killed meanwhile leaves the old
    file, and perhaps a `.PATH.new` which the next writing replaces.

    Raises:
        OSError: the folder can't be written, or the disk is full; the old file is as it was, and nothing of
            the new one stays.
    """
    fresh = path.with_name(f".{path.name}.new")
    try:
        with fresh.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        with suppress(OSError):
            fresh.unlink()
        raise
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Make a new name outlive a power cut; not every file system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
