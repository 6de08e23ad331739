"""Where annotated photographs go: a file for one, a folder for several; never over a photograph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
import cv2

from controller.cli.printable import printable
from vision.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

DRAWN: Final = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")
QUALITY: Final = {".jpg": [cv2.IMWRITE_JPEG_QUALITY, 92], ".jpeg": [cv2.IMWRITE_JPEG_QUALITY, 92]}


def targets(given: Path, photographs: Sequence[Path]) -> list[Path]:
    """The file to draw each photograph into, in their order.

    `given` is a file where there is one photograph, else a folder, which is made where there is none. No
    picture is written yet.

    Raises:
        click.ClickException: no such place, a kind of file that can't be written, or a photograph lies there.
    """
    if len(photographs) == 1 and not given.is_dir():
        if given.suffix.lower() not in DRAWN:
            raise _refuse(given, f"a name that ends in one of {', '.join(DRAWN)} was expected")
        if not given.parent.is_dir():
            raise _refuse(given, "there is no such folder")
        found = [given]
    else:
        if given.suffix.lower() in DRAWN and not given.is_dir():
            raise _refuse(given, f"a folder was expected for {len(photographs)} photographs")
        try:
            given.mkdir(exist_ok=True)
        except OSError as error:
            raise _refuse(given, f"can't be a folder: {error.strerror or error}") from None
        found = _in_folder(given, photographs)
    for target in found:
        if any(_same(target, photograph) for photograph in photographs):
            raise _refuse(target, "is a photograph that is to be read; it is not written over")
    return found


def _in_folder(folder: Path, photographs: Iterable[Path]) -> list[Path]:
    taken: set[str] = set()
    found = []
    for photograph in photographs:
        names = (f"{photograph.stem}{more}-read.jpg" for more in ("", *(f"-{k}" for k in range(2, 100_000))))
        name = next(name for name in names if name not in taken)
        taken.add(name)
        found.append(folder / name)
    return found


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def write(target: Path, picture: NDArray[np.uint8]) -> None:
    """Write a picture in the kind that the name's end says; whole or not at all.

    Raises:
        click.ClickException: it can't be written.
    """
    suffix = target.suffix.lower()
    done, data = cv2.imencode(suffix, picture, QUALITY.get(suffix, []))
    if not done:
        raise _refuse(target, "the picture can't be written in this form")
    try:
        write_whole(target, data.tobytes())
    except OSError as error:
        raise _refuse(target, f"can't be written: {error.strerror or error}") from None


def _refuse(path: Path, what: str) -> click.ClickException:
    return click.ClickException(f"--draw {printable(str(path))}: {what}")
