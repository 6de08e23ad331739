"""Opens what gives pictures: a V4L2 device or a film by OpenCV, a motion JPEG stream by ourselves.

Everything here blocks, for a second or two at most, and is called from the camera's own thread.
"""

import os
import re
import threading
from pathlib import Path
from typing import Final, Protocol

import cv2
import numpy as np

from vision.images import Image
from vision.observations import CameraTrouble

Source = int | str

# A stream that stops sending blocks read() for 30 s by default and never recovers; opened again it does.
STALL_S: Final = 3.0
# What gives no picture at all is known sooner.
ANSWER_S: Final = 1.2
# Opening an RTSP stream takes several exchanges, opening an HTTP stream one.
OPEN_MS: Final[dict[str, int]] = {"rtsp": 3000, "rtsps": 3000}
PICTURE_SIZE: Final = (1920, 1080)  # asked of a V4L2 camera


class NoPicture(Exception):
    """No picture came in time; the message says why, as far as it is known, `trouble` which kind it is."""

    def __init__(self, reason: str, trouble: CameraTrouble = CameraTrouble.UNPLUGGED) -> None:
        super().__init__(reason)
        self.trouble = trouble


class Opened(Protocol):
    """A source that was opened."""

    def read(self) -> Image | bytes:
        """The next picture, pixels or a JPEG. Raises NoPicture where there are no more."""

    def close(self) -> None:
        """Give the source back."""


def is_device(source: Source) -> bool:
    """Whether it is a camera of this computer: a number, or a path such as `/dev/v4l/by-id/...`."""
    return isinstance(source, int) or source.startswith("/dev/")


def open_source(source: Source, stop: threading.Event) -> Opened:
    """Open a device or an address.

    Raises:
        NoPicture: it can't be opened.
    """
    from vision.camera_http import MotionJpeg, NotMotionJpeg  # noqa: PLC0415 - it needs this module

    if isinstance(source, str) and source.startswith("http://"):
        try:
            return MotionJpeg(source, stop)
        except NotMotionJpeg:
            pass
    return Capture(source)


class Capture:
    """What OpenCV opens."""

    def __init__(self, source: Source) -> None:
        self._source = source
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)  # a stall is told by us, once
        self._capture = _device(source) if is_device(source) else _film(str(source))
        if not self._capture.isOpened():
            self._capture.release()
            raise NoPicture(f"{source}: can't be opened")

    def read(self) -> Image:
        """The next picture. Raises NoPicture."""
        good, image = self._capture.read()
        if not good:
            raise NoPicture(f"{self._source}: stopped sending pictures")
        return np.asarray(image, np.uint8)

    def close(self) -> None:
        """Give it back."""
        self._capture.release()


def _device(source: Source) -> cv2.VideoCapture:
    """A camera by number, or by a path that names it whatever its number is today."""
    os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "2")  # seconds; else read() waits for ten
    path = Path(f"/dev/video{source}") if isinstance(source, int) else Path(source)
    device = re.fullmatch(r"video(\d+)", path.resolve().name)
    if not path.exists() or device is None:
        raise NoPicture(f"{source}: no such camera ({path} is not there)")
    capture = cv2.VideoCapture(int(device[1]))
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, PICTURE_SIZE[0])
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, PICTURE_SIZE[1])
    return capture


def _film(source: str) -> cv2.VideoCapture:
    limits = {
        cv2.CAP_PROP_OPEN_TIMEOUT_MSEC: OPEN_MS.get(source.partition("://")[0], round(1000 * ANSWER_S)),
        cv2.CAP_PROP_READ_TIMEOUT_MSEC: round(1000 * STALL_S),
        cv2.CAP_PROP_N_THREADS: 1,
    }
    return cv2.VideoCapture(source, cv2.CAP_FFMPEG, [number for pair in limits.items() for number in pair])
