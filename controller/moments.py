"""Pictures of the moment: what lies open, cut out, in a folder beside the journal, bounded in size and days.

They are evidence for people and nothing is decided by them: where one can't be taken or kept, the game goes
on without.
"""

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import cv2

from controller.journal_deals import DoubtRow, EventRow, OutcomeRow
from controller.journal_rows import Row
from controller.models import TableModel
from controller.moments_parts import Area, parts, upright
from vision.images import Image

log = logging.getLogger(__name__)

QUALITY: Final = 85
WAITING: Final = 8
"""So many moments may wait for their pictures; more are not taken."""

DAY_S: Final = 86400.0


class Views(Protocol):
    """Eyes that can show parts of their last picture, seen from straight above, one pixel a millimetre."""

    async def views(self, areas: Mapping[str, Area], *, height: float) -> Mapping[str, Image]:
        """The parts by name; none where there is no picture, or nobody knows where the table lies in it."""
        ...


@dataclass(frozen=True, slots=True)
class Moment:
    """What is to be kept: the name its files begin with, the seats whose hand lies open, and the doubt."""

    name: str
    shown: tuple[int, ...] = ()
    doubt: int | None = None


def moment_of(row: Row, shown: tuple[int, ...]) -> Moment | None:
    """What is kept when this is written; `shown` are the seats whose hand lies open."""
    match row:
        case DoubtRow():
            return Moment(f"deal-{row.deal}-doubt-{row.doubt}", shown, row.doubt)
        case OutcomeRow(how="won", edition=1):
            return Moment(f"deal-{row.deal}-won", shown)
        case EventRow() if row.text.startswith("indicator "):
            return Moment(f"deal-{row.deal}-indicator-{row.n}")
    return None


class Moments:
    """The folder and its bounds."""

    def __init__(self, folder: Path, model: TableModel, *, most_bytes: int, keep_days: float) -> None:
        self._folder = folder
        self._model = model
        self._most_bytes = most_bytes
        self._keep_s = keep_days * DAY_S
        self._waiting: asyncio.Queue[Moment] = asyncio.Queue(WAITING)

    def want(self, moment: Moment) -> None:
        """Take pictures soon; where too many wait already, not of this."""
        if not self._waiting.full():
            self._waiting.put_nowait(moment)

    async def next(self) -> Moment:
        """The next one that waits."""
        return await self._waiting.get()

    async def keep(self, moment: Moment, eyes: Views) -> tuple[str, ...]:
        """Cut the parts out and write them; the names of the files, none where it can't be done."""
        areas = parts(self._model, moment.shown)
        try:
            views = await eyes.views(areas, height=self._model.tile.thickness)
            return await asyncio.to_thread(self._write, moment.name, views)
        except (OSError, cv2.error) as error:
            log.warning("pictures of the moment: %s", error)
            return ()

    def _write(self, name: str, views: Mapping[str, Image]) -> tuple[str, ...]:
        self._folder.mkdir(parents=True, exist_ok=True)
        names = []
        for part, image in views.items():
            done, coded = cv2.imencode(".jpg", upright(part, image), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
            if done:
                path = self._folder / f"{name}-{part}.jpg"
                path.write_bytes(coded.tobytes())
                names.append(path.name)
        self.prune(time.time())
        return tuple(names)

    def prune(self, now: float) -> None:
        """Delete what is too old, then the oldest until the rest is small enough."""
        files = [(path.stat().st_mtime, path.stat().st_size, path) for path in self._folder.glob("*.jpg")]
        files.sort(reverse=True)
        kept = 0
        for written, size, path in files:
            kept += size
            if kept > self._most_bytes or written < now - self._keep_s:
                path.unlink(missing_ok=True)
