"""The simulated camera delivers the newest picture over HTTP and knows what its reader has taken."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from hardware_sim.camera import SimCamera
from hardware_sim.camera_stream import Picture, PictureServer
from hardware_sim.faults_text import parse_one
from hardware_sim.scene import Scene, SceneTile
from rules.tiles import Tile

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LIMIT = 30.0  # s; far more than anything here takes
TILE = SceneTile(0, Tile.RED, 0, 200)


class Reader:
    """A plain HTTP reader that takes pictures one by one."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def take(self) -> bytes:
        head = await self._reader.readuntil(b"\r\n\r\n")
        size = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
        data = await self._reader.readexactly(size)
        assert await self._reader.readexactly(2) == b"\r\n"
        return data

    async def take_many(self, count: int) -> list[bytes]:
        return [await self.take() for _ in range(count)]


@asynccontextmanager
async def reading(port: int, path: str = "/camera.mjpg") -> AsyncIterator[tuple[bytes, Reader]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**16)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        yield await reader.readuntil(b"\r\n\r\n"), Reader(reader)
    finally:
        writer.close()


@asynccontextmanager
async def serving() -> AsyncIterator[PictureServer]:
    server = PictureServer(0)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


def port_of(camera: SimCamera) -> int:
    return int(camera.url.split(":")[2].split("/")[0])


def red_at(data: bytes, camera: SimCamera) -> bool:
    """Whether a picture shows the red character where TILE lies."""
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == (1080, 1920, 3)
    x, y = (int(value) for value in camera.renderer.lens.pixels([(TILE.x, TILE.y, 22)])[0])
    blue, _, red = picture[y - 15 : y + 15, x - 12 : x + 12].reshape(-1, 3).astype(int).T
    return bool((red - blue > 60).mean() > 0.15)


async def test_opencv_opens_the_stream_and_sees_the_scene() -> None:
    async with asyncio.timeout(LIMIT), SimCamera(seed=1, fps=20) as camera:
        camera.show(Scene((TILE,)))

        def read() -> list[np.ndarray[tuple[int, ...], np.dtype[np.uint8]]]:
            capture = cv2.VideoCapture(camera.url)
            try:
                return [np.asarray(capture.read()[1], np.uint8) for _ in range(3)]
            finally:
                capture.release()

        pictures = await asyncio.to_thread(read)
    clean = camera.renderer.clean(Scene((TILE,)))
    for picture in pictures:
        assert picture.shape == (1080, 1920, 3)
        assert np.abs(picture.astype(int) - clean).mean() < 5


async def test_a_picture_counts_as_taken_when_the_reader_has_it() -> None:
    async with asyncio.timeout(LIMIT), SimCamera(seed=1, fps=50) as camera:
        camera.show(Scene())
        async with reading(port_of(camera)) as (_, reader):
            await reader.take()
            assert not red_at(await reader.take(), camera)
            version = camera.show(Scene((TILE,)))
            waiting = asyncio.create_task(camera.pictures(version, 6))
            shown = 0
            while not waiting.done():
                shown += red_at(await reader.take(), camera)
                await asyncio.sleep(0)
            # What the kernel holds of the next picture may be counted one early.
            assert shown >= 5


async def test_without_a_reader_nothing_is_taken() -> None:
    async with asyncio.timeout(LIMIT), SimCamera(seed=1, fps=50) as camera:
        version = camera.show(Scene())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await camera.pictures(version, 1)
        assert camera.pictures_taken == 0


async def test_a_busy_reader_gets_the_newest_picture_and_none_between() -> None:
    big = bytes(8_000_000)  # more than any buffer on the way
    async with asyncio.timeout(LIMIT), serving() as server, reading(server.port) as (_, reader):
        await server.reader_waits()
        server.offer(Picture(1, big))
        for version in (2, 3):
            server.offer(Picture(version, b"%d" % version))
        assert await reader.take() == big
        await server.reader_waits()
        server.offer(Picture(4, b"4"))
        assert await reader.take() == b"4"
        await server.taken(4, 1)
        assert server.pictures_taken == 2


async def test_the_slowest_live_reader_is_waited_for() -> None:
    async with asyncio.timeout(LIMIT), serving() as server, reading(server.port) as (_, one):
        await server.reader_waits()
        server.offer(Picture(7, b"x"))
        await one.take()
        await server.taken(7, 1)
        async with reading(server.port) as (_, _):
            assert server.pictures_taken == 0
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await server.taken(7, 1)
        await server.taken(7, 1)


async def test_a_frozen_camera_repeats_its_last_picture() -> None:
    async with asyncio.timeout(LIMIT), SimCamera(seed=1, fps=50) as camera:
        camera.show(Scene())
        async with reading(port_of(camera)) as (_, reader):
            await reader.take()
            camera.faults.strike(parse_one("camera-freeze"))
            camera.show(Scene((TILE,)))
            frozen = [await reader.take() for _ in range(4)][-2:]
            assert frozen[0] == frozen[1]
            assert not red_at(frozen[1], camera)
            camera.faults.clear()
            later = [await reader.take() for _ in range(3)]
            assert red_at(later[-1], camera)


async def test_a_dropped_reader_can_come_back_once_it_is_let_in() -> None:
    async with asyncio.timeout(LIMIT), SimCamera(seed=1, fps=50) as camera:
        async with reading(port_of(camera)) as (_, reader):
            await reader.take()
            camera.drop(refuse=True)
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await reader.take_many(10)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            async with reading(port_of(camera)):
                pass
        camera.accept()
        async with reading(port_of(camera)) as (_, reader):
            assert await reader.take()


async def test_another_path_is_answered_with_not_found() -> None:
    async with asyncio.timeout(LIMIT), serving() as server, reading(server.port, "/else") as (head, _):
        assert head.startswith(b"HTTP/1.1 404")


async def test_noise_instead_of_a_request_harms_nobody() -> None:
    async with asyncio.timeout(LIMIT), serving() as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(bytes(range(256)) * 400)
        with suppress(ConnectionError):
            assert await reader.read() == b""
        writer.close()
        async with reading(server.port) as (head, _):
            assert head.startswith(b"HTTP/1.1 200")


async def test_a_taken_port_is_an_error() -> None:
    async with serving() as server:
        with pytest.raises(OSError, match="in use"):
            await PictureServer(server.port).start()


def test_a_rate_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="fps 0"):
        SimCamera(fps=0)
