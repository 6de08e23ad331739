"""Pictures from a camera: one thread reads them, the newest one wins, and a dead stream is opened again.

`cv2.VideoCapture` opens a V4L2 index, an RTSP or HTTP (MJPEG) address; a folder shows its images in order of
name. Reading blocks, so it happens in one thread which is joined at the end. The thread reads as fast as
pictures come: whoever takes one gets the newest, and pictures nobody had time for are counted by gaps in
`Frame.number`.
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import cv2
import numpy as np

from vision.camera_source import NoPicture, Source, is_device, open_source
from vision.images import Frame, Image

__all__ = ["Camera", "NoPicture", "Source"]

log = logging.getLogger(__name__)

LONGEST_WAIT: Final = 8  # times the first wait between attempts to open
CLOSE_S: Final = 5.0  # longer than any read or open takes
FOLDER_RATE: Final = 8.0  # pictures a second of a folder ...
FOLDER_HOLD_S: Final = 1.5  # ... and how long each image is shown
IMAGE_NAMES: Final = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".webp"})


class Camera:
    """An asynchronous iterator of the newest `Frame`; it ends only where a folder of images ends.

    Args:
        source: a V4L2 index (a number, also as text), a device's path (`/dev/v4l/by-id/...` stays the same
        camera whatever is plugged in beside it), an `rtsp://` or `http://` address, or a folder of images.
        retry_s: seconds before a source that can't be opened is tried again; doubles up to eightfold.
        clock: gives `Frame.at`.
    """

    def __init__(
        self, source: Source, *, retry_s: float = 1.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._source = int(source) if isinstance(source, str) and source.isdecimal() else source
        self._retry_s = retry_s
        self._clock = clock
        self._stop = threading.Event()
        self._fresh = asyncio.Event()
        self._finished = asyncio.Event()
        self._newest: Frame | None = None
        self._taken = 0
        self._openings = 0
        self._again = threading.Event()
        self._trouble = NoPicture(f"{source}: no picture yet")
        self._silence = NoPicture(f"{source}: stopped sending pictures")
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def pictures(self) -> int:
        """Pictures that came out of the source so far."""
        return self._taken

    @property
    def is_live(self) -> bool:
        """Whether it films: the images of a folder stand still by nature."""
        return not self._is_folder

    @property
    def is_coded(self) -> bool:
        """Whether its codec may leave out what does not change from picture to picture."""
        return isinstance(self._source, str) and self._source.startswith(("rtsp://", "rtsps://", "rtmp://"))

    @property
    def _is_folder(self) -> bool:
        return isinstance(self._source, str) and "://" not in self._source and not is_device(self._source)

    def reopen(self) -> None:
        """Close the stream after the next picture and open it again."""
        self._again.set()

    async def __aenter__(self) -> Self:
        """Start reading.

        Raises:
            NoPicture: the source is a path that holds no images; a camera that is away is waited for instead.
        """
        if self._is_folder and not _images(Path(str(self._source))):
            raise NoPicture(
                f"{self._source}: no images; expected a camera's number, an address or a folder of images"
            )
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the thread and wait for it: at most as long as one read or open may take."""
        self._stop.set()
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._finished.wait()
        except TimeoutError:
            log.warning("%s: the camera's driver does not return; its thread is left behind", self._source)
            return
        self._thread.join()

    async def frame(self, *, within_s: float) -> Frame | None:
        """Wait for a picture nobody has taken yet; None when a folder's images have all been shown.

        Raises:
            NoPicture: none came within `within_s` seconds.
        """
        try:
            async with asyncio.timeout(within_s):
                await self._fresh.wait()
        except TimeoutError:
            raise NoPicture(str(self._trouble), self._trouble.trouble) from None
        newest, self._newest = self._newest, None
        if not self._ended:
            self._fresh.clear()
        return newest

    async def __aiter__(self) -> AsyncIterator[Frame]:
        while True:
            with contextlib.suppress(NoPicture):
                frame = await self.frame(within_s=60.0)
                if frame is None:
                    return
                yield frame

    def _offer(self, frame: Frame) -> None:
        self._newest = frame
        self._fresh.set()

    def _end(self) -> None:
        self._ended = True
        self._fresh.set()

    def _call(self, then: Callable[[], None]) -> None:
        """Run something in the event loop; a loop that is gone needs nothing any more."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(then)

    def _run(self) -> None:
        try:
            if self._is_folder:
                self._show_folder(Path(str(self._source)))
            else:
                self._read_for_ever()
        finally:
            self._call(self._finished.set)

    def _show_folder(self, path: Path) -> None:
        for image in _shown(_images(path), self._stop):
            self._give(image)
        self._call(self._end)

    def _read_for_ever(self) -> None:
        wait = self._retry_s
        while not self._stop.is_set():
            before = self._taken
            self._trouble = self._read_until_it_fails()
            if self._taken > before:
                wait = self._retry_s
            if self._taken > before + 1:  # a stream that just broke off is opened again at once ...
                continue
            self._stop.wait(wait)  # ... one that gives nothing is left in peace for a while
            wait = min(2 * wait, LONGEST_WAIT * self._retry_s)

    def _read_until_it_fails(self) -> NoPicture:
        """Give every picture of the source away; returns why there are no more."""
        try:
            opened = open_source(self._source, self._stop)
        except NoPicture as error:
            return error
        self._again.clear()
        self._openings += 1
        try:
            while not self._stop.is_set() and not self._again.is_set():
                self._give(opened.read())
                self._trouble = self._silence
        except NoPicture as error:
            return error
        except Exception as error:  # a driver may raise anything, and the table goes on without it
            log.debug("camera", exc_info=True)
            return NoPicture(f"{self._source}: {error or type(error).__name__}")
        else:
            return NoPicture(f"{self._source}: closed")
        finally:
            opened.close()

    def _give(self, picture: Image | bytes) -> None:
        frame = Frame(picture, self._clock(), self._taken, self._openings)
        self._taken += 1
        self._call(lambda: self._offer(frame))


def _images(path: Path) -> list[Path]:
    """The images of a folder in order of name, or the one image that `path` is."""
    candidates = sorted(path.iterdir()) if path.is_dir() else [path]
    return [name for name in candidates if name.suffix.lower() in IMAGE_NAMES and name.is_file()]


def _shown(names: list[Path], stop: threading.Event) -> Iterator[Image]:
    """Each readable image again and again for a while, at a camera's pace."""
    for name in names:
        image = cv2.imread(str(name), cv2.IMREAD_COLOR)
        if image is None:
            continue
        for _ in range(round(FOLDER_HOLD_S * FOLDER_RATE)):
            if stop.wait(1.0 / FOLDER_RATE):
                return
            yield np.asarray(image, np.uint8)
