"""Writes captures into a folder, and keeps the newest of them (shell)."""

import asyncio
import contextlib
import logging
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Final

from firmware_bridge.capture import Capture, format_capture

log = logging.getLogger(__name__)

FILES_KEPT: Final = 50
"""Captures in a folder; beyond that the oldest goes. About 40 kB each."""

PAUSE_S: Final = 10.0
"""No more than one capture in so many seconds: a machine in trouble tells much at once."""

SUFFIX: Final = ".capture"


class CaptureFiles:
    """The captures of one board in ``folder``. ``trouble``: why the last one could not be written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trouble: str | None = None
        self._last_at: float | None = None
        self._numbers = count()
        self._writing: set[asyncio.Future[None]] = set()

    def is_due(self, now: float) -> bool:
        """Whether it is time for another one; asking counts as taking it."""
        if self._last_at is not None and now < self._last_at + PAUSE_S:
            return False
        self._last_at = now
        return True

    def write(self, capture: Capture) -> None:
        """Write ``capture`` beside the event loop. Errors are told in ``trouble`` and stop nothing."""
        work = asyncio.get_running_loop().run_in_executor(None, self._write, capture)
        self._writing.add(work)
        work.add_done_callback(self._writing.discard)

    async def finished(self) -> None:
        """Wait until all is written."""
        if self._writing:
            await asyncio.wait(list(self._writing))

    def _write(self, capture: Capture) -> None:
        stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
        uid = 0 if capture.board is None else capture.board.uid
        path = self.folder / f"{stamp}-{uid:08x}-{next(self._numbers):04d}{SUFFIX}"
        new = path.with_suffix(".new")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            new.write_text(format_capture(capture), encoding="utf-8")
            new.replace(path)
            self._thin_out()
        except OSError as error:
            self.trouble = f"{path}: {error.strerror or error}"
            log.warning("capture not written: %s", self.trouble)
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)
        else:
            self.trouble = None
            log.info("capture written: %s", path)

    def _thin_out(self) -> None:
        for old in sorted(self.folder.glob(f"*{SUFFIX}"))[:-FILES_KEPT]:
            with contextlib.suppress(FileNotFoundError):
                old.unlink()
