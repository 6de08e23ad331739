"""A camera over real HTTP: the newest picture wins, a dead stream comes back, closing is quick."""

from __future__ import annotations

import asyncio
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import TYPE_CHECKING, Self

import cv2
import numpy as np
import pytest

from vision.camera import Camera, NoPicture

if TYPE_CHECKING:
    from pathlib import Path

    from vision.images import Frame


def picture(level: int) -> bytes:
    """A small JPEG, all of one grey."""
    return bytes(cv2.imencode(".jpg", np.full((72, 128, 3), level, np.uint8))[1])


class Stream(ThreadingHTTPServer):
    """An MJPEG server whose picture, pace and mood the test sets; ends all its threads when left."""

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.level = 100
        self.pace_s = 0.02
        self.stalled = False
        self.ended = threading.Event()
        self.visits = 0
        self._server = threading.Thread(target=self.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/camera.mjpg"

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.shutdown()
        self._server.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Stream

    def log_message(self, *_: object) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        stream = self.server
        stream.visits += 1
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        try:
            while not stream.ended.wait(stream.pace_s):
                if not stream.stalled:
                    self.wfile.write(
                        b"--frame\r\nContent-Type: image/jpeg\r\n\r\n" + picture(stream.level) + b"\r\n"
                    )
        except OSError:
            return


async def take_for_ever(camera: Camera) -> None:
    while True:
        await camera.frame(within_s=0.4)


def level(frame: Frame | None) -> int:
    assert frame is not None
    return round(float(frame.image.mean()))


async def test_pictures_come_in_order_with_growing_times() -> None:
    with Stream() as stream:
        async with Camera(stream.url) as camera:
            frames = [await camera.frame(within_s=5) for _ in range(5)]
    known = [frame for frame in frames if frame is not None]
    assert len(known) == 5
    assert known[0].image.shape == (72, 128, 3)
    assert [f.number for f in known] == sorted({f.number for f in known})
    assert all(a.at < b.at for a, b in pairwise(known))


async def test_the_newest_picture_wins_over_those_nobody_had_time_for() -> None:
    with Stream() as stream:
        async with Camera(stream.url) as camera:
            first = await camera.frame(within_s=5)
            assert level(first) == 100
            stream.level = 200
            await asyncio.sleep(0.6)
            newest = await camera.frame(within_s=5)
    assert level(newest) == 200
    assert first is not None
    assert newest is not None
    assert newest.number > first.number + 3


async def test_a_stalled_stream_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.camera_http.STALL_S", 0.8)
    with Stream() as stream:
        async with Camera(stream.url, retry_s=0.1) as camera:
            await camera.frame(within_s=5)
            stream.stalled = True
            with pytest.raises(NoPicture, match="127"):
                await take_for_ever(camera)
            async with asyncio.timeout(20):
                while stream.visits < 2:  # noqa: ASYNC110 - another thread counts
                    await asyncio.sleep(0.05)
            stream.stalled = False
            assert level(await camera.frame(within_s=5)) == 100


async def test_a_server_that_went_away_is_found_again() -> None:
    with Stream() as stream:
        port = stream.server_port
        camera = Camera(stream.url, retry_s=0.05)
        await camera.__aenter__()
        await camera.frame(within_s=5)
    try:
        with pytest.raises(NoPicture, match=r"opened|stopped"):
            await take_for_ever(camera)
        with Stream(port) as stream:
            stream.level = 50
            for _ in range(100):
                if level(await camera.frame(within_s=5)) == 50:
                    break
            else:
                pytest.fail("never saw the new server's picture")
    finally:
        await camera.__aexit__(None, None, None)


@pytest.mark.parametrize("stalled", [False, True])
async def test_closing_takes_less_than_a_second(stalled: bool) -> None:  # noqa: FBT001
    with Stream() as stream:
        async with Camera(stream.url) as camera:
            await camera.frame(within_s=5)
            stream.stalled = stalled
            await asyncio.sleep(0.05)
            start = time.monotonic()
        assert time.monotonic() - start < 1.0


async def test_nobody_answers_and_closing_is_still_quick() -> None:
    async with Camera("http://127.0.0.1:9/camera.mjpg", retry_s=30) as camera:
        with pytest.raises(NoPicture, match="127"):
            await camera.frame(within_s=0.3)
        start = time.monotonic()
    assert time.monotonic() - start < 1.0


async def test_a_folder_shows_its_images_in_order_and_ends(tmp_path: Path) -> None:
    for name, grey in (("b.png", 120), ("a.png", 60)):
        cv2.imwrite(str(tmp_path / name), np.full((40, 60, 3), grey, np.uint8))
    (tmp_path / "notes.txt").write_text("no image")
    async with Camera(str(tmp_path)) as camera:
        levels = [level(frame) async for frame in camera]
    assert sorted(set(levels)) == [60, 120]
    assert levels == sorted(levels)
    assert len(levels) > 10


async def test_a_folder_without_images_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(NoPicture, match="no images; expected"):
        async with Camera(str(tmp_path)):
            pass
