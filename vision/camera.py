"""Pictures from a camera: one thread reads them, the newest one wins, and a dead stream is opened again.

`cv2.VideoCapture` opens a V4L2 index, an RTSP or HTTP (MJPEG) address; a folder shows its images in order of
name. Reading blocks, so it happens in one thread which is joined at the end. The thread reads as fast as
pictures come: whoever takes one gets the newest, and pictures nobody had time for are counted by gaps in
`Frame.number`.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import cv2
import numpy as np

from vision.images import Frame, Image

Source = int | str

# A stream that stops sending blocks read() for 30 s by default and never recovers; opened again it does.
STALL_MS: Final = 800
# Opening an RTSP stream takes several exchanges, opening an HTTP stream one.
OPEN_MS: Final[dict[str, int]] = {"rtsp": 3000, "rtsps": 3000}
LONGEST_WAIT: Final = 8  # times the first wait between attempts to open
PICTURE_SIZE: Final = (1920, 1080)  # asked of a V4L2 camera
FOLDER_RATE: Final = 8.0  # pictures a second of a folder ...
FOLDER_HOLD_S: Final = 1.5  # ... and how long each image is shown
IMAGE_NAMES: Final = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".webp"})


class NoPicture(Exception):
    """No picture came in time; the message says why, as far as it is known."""


class Camera:
    """An asynchronous iterator of the newest `Frame`; it ends only where a folder of images ends.

    Args:
        source: a V4L2 index (a number, also as text), an `rtsp://` or `http://` address, or a folder of
        images. retry_s: seconds before a source that can't be opened is tried again; doubles up to eightfold.
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
        self._reason = f"{source}: no picture yet"
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def pictures(self) -> int:
        """Pictures that came out of the source so far."""
        return self._taken

    async def __aenter__(self) -> Self:
        """Start reading.

        Raises:
            NoPicture: the source is a path that holds no images; a camera that is away is waited for instead.
        """
        if isinstance(self._source, str) and "://" not in self._source and not _images(Path(self._source)):
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
        await self._finished.wait()
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
            raise NoPicture(self._reason) from None
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
            if isinstance(self._source, str) and "://" not in self._source:
                self._show_folder(Path(self._source))
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
            self._reason = self._read_until_it_fails()
            if self._taken > before:  # a stream that just stalled is opened again at once ...
                wait = self._retry_s
                continue
            self._stop.wait(wait)  # ... one that gives nothing is left in peace for a while
            wait = min(2 * wait, LONGEST_WAIT * self._retry_s)

    def _read_until_it_fails(self) -> str:
        """Give every picture of the source away; returns in words why there are no more."""
        capture = _open(self._source)
        try:
            if not capture.isOpened():
                return f"{self._source}: can't be opened"
            while not self._stop.is_set():
                good, image = capture.read()
                if not good:
                    return f"{self._source}: stopped sending pictures"
                self._give(np.asarray(image, np.uint8))
            return f"{self._source}: closed"
        finally:
            capture.release()

    def _give(self, image: Image) -> None:
        frame = Frame(image, self._clock(), self._taken)
        self._taken += 1
        self._call(lambda: self._offer(frame))


def _open(source: Source) -> cv2.VideoCapture:
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)  # a stall is told by us, once
    if isinstance(source, int):
        capture = cv2.VideoCapture(source)
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, PICTURE_SIZE[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, PICTURE_SIZE[1])
        return capture
    limits = {
        cv2.CAP_PROP_OPEN_TIMEOUT_MSEC: OPEN_MS.get(source.partition("://")[0], STALL_MS),
        cv2.CAP_PROP_READ_TIMEOUT_MSEC: STALL_MS,
        cv2.CAP_PROP_N_THREADS: 1,
    }
    return cv2.VideoCapture(source, cv2.CAP_FFMPEG, [number for pair in limits.items() for number in pair])


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
