"""Enrolment at the table: people lay rows of tiles before the camera, the program says what it sees."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from controller.cli import enrol_words as words
from controller.cli.printable import printable
from controller.cli.read_draw import write
from rules.tiles import Tile
from vision.camera import Camera, NoPicture
from vision.draw import annotated
from vision.enrol_guided import short_side
from vision.enrol_session import Guide, Taken, Waiting
from vision.find import Finder
from vision.images import BadPicture
from vision.name import NOT_A_TILE, SURE, Named, Namer
from vision.photo import SUFFIXES, PhotoTile, UnreadablePhoto, load_photo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from vision.enrol_guided import Look, Row

    Say = Callable[[str], object]

AGAIN_S: Final = 4.0
"""A complaint is told when it has stood so long, and not again while it is the same."""
PICTURE_S: Final = 10.0
"""A camera that gives no picture for so long has a trouble that is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a guided enrolment goes: see the options of `longzhuo enrol`."""

    copies: int = 1
    trusting: bool = False
    patience_s: float = 180.0
    draw: Path | None = None


class _Table:
    """What is told, and when; one look after another."""

    def __init__(self, rows: Sequence[Row], manner: Manner, *, looks: int, say: Say) -> None:
        self.guide = Guide(rows, copies=manner.copies, trusting=manner.trusting, looks=looks)
        self._count = len(rows)
        self._manner = manner
        self._say = say
        self._finder, self._namer = Finder(), Namer()
        self._scale: float | None = None
        self._complaint = ("", 0.0)
        self._told = ""

    def ask(self) -> None:
        row = self.guide.row
        if row is not None:
            lines = words.asks(row, number=self.guide.number, of=self._count, copies=self._manner.copies)
            self._say("\n".join(lines))

    def look(self, picture: NDArray[np.uint8], *, scaled: bool) -> Look:
        scale = self._scale if scaled else None
        seen = self.guide.look(picture, self._finder, self._namer, scale=scale)
        if len(seen.quads) >= 5:
            self._scale = short_side(seen.quads)
        return seen

    def take(self, seen: Look) -> Taken | Waiting | None:
        said = self.guide.take(seen)
        if isinstance(said, Taken):
            self._say("\n".join(words.taken(said)))
            self._complaint = ("", 0.0)
            self.ask()
        return said

    def complain(self, said: Waiting, seen: Look, *, at: float) -> None:
        """Tell what is wrong once it has been wrong for a while."""
        text = f"  … {said.zh} {said.en}"
        if text != self._complaint[0]:
            self._complaint = (text, at)
        elif at - self._complaint[1] >= AGAIN_S and text != self._told:
            self._told = text
            self.tell(text, seen)

    def tell(self, text: str, seen: Look) -> None:
        self._say(text)
        if self._manner.draw is not None:
            write(self._manner.draw, annotated(seen.picture, _marks(seen), numbered=True))

    def give_up(self) -> None:
        row = self.guide.row
        if row is not None:
            self._say(f"  ✗ 没看到 not seen: {row.zh} {row.en}")
            self.guide.skip()
            self.ask()


def _marks(seen: Look) -> list[PhotoTile]:
    out = []
    for quad, shares in zip(seen.quads, seen.probabilities, strict=True):
        best = Tile(int(shares[:NOT_A_TILE].argmax()))
        likely = float(shares[best])
        (x, y), (right, below) = quad.min(axis=0), quad.max(axis=0)
        box = (float(x), float(y), float(right - x), float(below - y))
        out.append(PhotoTile(quad, box, Named(best if likely >= SURE else None, best, likely, shares)))
    return out


async def from_camera(
    source: int | str, rows: Sequence[Row], manner: Manner, *, say: Say = click.echo
) -> Guide:
    """Go through the rows before a camera, each for as long as patience lasts; `say` gets lines for people.

    Raises:
        click.ClickException: the camera gives no pictures.
    """
    table = _Table(rows, manner, looks=2, say=say)
    table.ask()
    try:
        async with Camera(source) as camera:
            began = time.monotonic()
            while table.guide.row is not None:
                frame = await camera.frame(within_s=PICTURE_S)
                if frame is None:
                    break
                seen = await asyncio.to_thread(table.look, frame.image, scaled=True)
                said = table.take(seen)
                if isinstance(said, Taken):
                    began = time.monotonic()
                elif time.monotonic() - began > manner.patience_s:
                    table.give_up()
                    began = time.monotonic()
                elif isinstance(said, Waiting):
                    table.complain(said, seen, at=time.monotonic())
    except (NoPicture, BadPicture) as error:
        raise click.ClickException(f"no picture from the camera: {error}") from None
    return table.guide


def from_folder(folder: Path, rows: Sequence[Row], manner: Manner) -> Guide:
    """Go through the rows by the pictures of a folder in order of name: each shows the next row.

    A picture that does not show it is told, and the next picture is asked for the same row.

    Raises:
        click.ClickException: there is no picture, or one can't be read.
    """
    names = sorted(p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES)
    if not names:
        raise click.ClickException(f"{folder}: no picture in this folder")
    table = _Table(rows, manner, looks=1, say=click.echo)
    table.ask()
    for path in names:
        if table.guide.row is None:
            break
        try:
            seen = table.look(load_photo(path), scaled=False)
        except UnreadablePhoto as error:
            raise click.ClickException(f"{printable(path.name)}: {error}") from None
        said = table.take(seen)
        if isinstance(said, Waiting):
            table.tell(f"  … {printable(path.name)}: {said.zh} {said.en}", seen)
    while table.guide.row is not None:
        table.give_up()
    return table.guide
