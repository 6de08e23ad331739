"""Every fault a camera has, over the real stream: noticed, said which one it is, and gone by itself.

The bound of two seconds on noticing is the clock of `test_camera_health` and `test_camera_place`; here, on a
machine that may be busy, it is three times that.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from controller.models import load
from hardware_sim.camera import SimCamera
from hardware_sim.faults_text import parse_one
from hardware_sim.scene import Scene, SceneTile, seat_angle, seat_point
from rules.tiles import Tile
from vision.camera import Camera, NoPicture
from vision.observations import (
    Appeared,
    CameraBack,
    CameraLost,
    CameraTrouble,
    Observation,
    Settled,
    Vanished,
)
from vision.reading import PictureSight, SightSettings, open_sight

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

GEOMETRY = load("longzhuo840")
SETTINGS = SightSettings(settle_s=0.15, reads=2, spacing_s=0.1, retry_s=0.3)
NOTICED_S: Final = 3 * 2.0
LIMIT_S: Final = 40.0
TILES = tuple(
    SceneTile(number, tile, *seat_point(0, -80.0 + 33 * number, 184.0), seat_angle(0))
    for number, tile in enumerate((Tile.P5, Tile.RED))
)
IN_PICTURES: Final = {
    "camera-freeze": CameraTrouble.FROZEN,
    "camera-black": CameraTrouble.BLACK,
    "camera-overexposed": CameraTrouble.OVEREXPOSED,
    "camera-move=30": CameraTrouble.MOVED,
    "camera-move=1500": CameraTrouble.MOVED,  # the table is out of sight
    "camera-size=720": CameraTrouble.SIZE_CHANGED,
}
ON_THE_WIRE: Final = {
    "camera-unplug": CameraTrouble.UNPLUGGED,
    "camera-restart": CameraTrouble.STREAM_RESTARTED,
    "camera-half": CameraTrouble.UNPLUGGED,
    "camera-garbage": CameraTrouble.UNPLUGGED,
    "camera-trickle": CameraTrouble.UNPLUGGED,
    "camera-html": CameraTrouble.WRONG_DEVICE,
}


class Watcher:
    """Keeps what a sight says."""

    def __init__(self, sight: PictureSight) -> None:
        self._observations = aiter(sight)
        self.told: list[Observation] = []
        self.known: dict[int, str] = {}

    async def until(self, is_it: Callable[[Observation], bool], *, within_s: float = LIMIT_S) -> Observation:
        async with asyncio.timeout(within_s):
            while True:
                one = await anext(self._observations)
                self.told.append(one)
                if isinstance(one, Appeared):
                    self.known[one.id] = one.tile
                elif isinstance(one, Vanished):
                    del self.known[one.id]
                if is_it(one):
                    return one


def kind(wanted: type[Observation]) -> Callable[[Observation], bool]:
    return lambda one: isinstance(one, wanted)


def lost_by(trouble: CameraTrouble) -> Callable[[Observation], bool]:
    return lambda one: isinstance(one, CameraLost) and one.trouble is trouble


@asynccontextmanager
async def watching() -> AsyncIterator[tuple[SimCamera, Watcher]]:
    async with SimCamera(seed=1, fps=8) as camera:
        camera.show(Scene(tiles=TILES))
        sight = open_sight(camera.url, GEOMETRY, SETTINGS)
        assert isinstance(sight, PictureSight)
        async with sight:
            watcher = Watcher(sight)
            await watcher.until(kind(Settled))
            assert sorted(watcher.known.values()) == ["5p", "C"]
            yield camera, watcher


async def suffers(camera: SimCamera, watcher: Watcher, fault: str, trouble: CameraTrouble) -> None:
    """The fault is noticed in time; while it lasts nothing else is told; afterwards all is as before."""
    known = dict(watcher.known)
    watcher.told.clear()
    camera.faults.strike(parse_one(fault))
    await watcher.until(lost_by(trouble), within_s=NOTICED_S)
    assert not {type(one) for one in watcher.told} & {Appeared, Vanished}, fault
    camera.faults.clear()
    await watcher.until(kind(Settled))
    assert not isinstance(watcher.told[-2], CameraLost)
    assert watcher.known == known, fault


@pytest.mark.timeout(240)
async def test_each_fault_is_noticed_named_and_gone_by_itself() -> None:
    async def all_of(faults: dict[str, CameraTrouble]) -> list[str]:
        gone = []
        async with watching() as (camera, watcher):
            for fault, trouble in faults.items():
                await suffers(camera, watcher, fault, trouble)
                gone.append(fault)
        return gone

    gone = await asyncio.gather(all_of(IN_PICTURES), all_of(ON_THE_WIRE))
    assert list(gone) == [list(IN_PICTURES), list(ON_THE_WIRE)]


async def test_another_camera_on_the_same_plug_is_the_wrong_device() -> None:
    async with watching() as (camera, watcher):
        known = dict(watcher.known)
        camera.faults.strike(parse_one("camera-unplug"))
        await watcher.until(lost_by(CameraTrouble.UNPLUGGED), within_s=NOTICED_S)
        camera.faults.strike(parse_one("camera-other"))
        camera.faults.clear("camera-unplug")
        await watcher.until(lost_by(CameraTrouble.WRONG_DEVICE), within_s=NOTICED_S)
        camera.faults.clear()
        await watcher.until(kind(CameraBack))
        assert watcher.known == known


# ---- sources that never were a camera ------------------------------------------------------------------

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=x\r\n\r\n"


async def web_page(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html></html>")


async def nothing_there(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")


async def no_words_of_http(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"\x00\xff220 welcome to another service\r\n\r\n" * 100)


async def locked(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\n\r\n')


async def garbage_for_ever(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD)
    while True:
        writer.write(bytes(range(256)) * 100)
        await writer.drain()
        await asyncio.sleep(0.01)


async def half_pictures(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD)
    while True:
        writer.write(b"--x\r\nContent-Length: 1000\r\n\r\n" + b"\xff\xd8" + bytes(998) + b"\r\n")
        await writer.drain()
        await asyncio.sleep(0.05)


async def a_byte_a_second(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for byte in HEAD:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(1.0)


async def silence(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


@asynccontextmanager
async def answering(talk: Talk) -> AsyncIterator[int]:
    """A server that talks so to everybody; its port."""
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await reader.readuntil(b"\r\n\r\n")
            await talk(reader, writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()
            tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def threads() -> set[str]:
    return {thread.name for thread in threading.enumerate() if thread.name == "camera"}


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture(autouse=True)
async def nothing_is_left() -> AsyncIterator[None]:
    """No thread and no descriptor stays behind."""
    before = descriptors()
    yield
    assert not threads()
    for _ in range(100):  # the test's own servers hang up when the loop comes to it
        if descriptors() <= before:
            return
        await asyncio.sleep(0.02)
    pytest.fail(f"{descriptors() - before} descriptors are left open")


async def refused_by(source: str, *, within_s: float = 0.4) -> NoPicture:
    """What a camera of this source says; closing it takes no longer than a read."""
    async with Camera(source, retry_s=0.2) as camera:
        with pytest.raises(NoPicture) as refusal:
            await camera.frame(within_s=within_s)
        left = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - left < 3.0
    assert "\n" not in str(refusal.value)
    assert source in str(refusal.value)
    return refusal.value


@pytest.mark.parametrize(
    ("talk", "trouble", "words"),
    [
        (web_page, CameraTrouble.WRONG_DEVICE, "answers text/html; expected the motion JPEG stream"),
        (nothing_there, CameraTrouble.WRONG_DEVICE, "answers 404 Not Found; expected"),
        (no_words_of_http, CameraTrouble.WRONG_DEVICE, "no answer of HTTP"),
        (locked, CameraTrouble.UNPLUGGED, "wants a user and a password"),
        (garbage_for_ever, CameraTrouble.UNPLUGGED, "sends bytes but no picture"),
        (half_pictures, CameraTrouble.UNPLUGGED, "sends damaged pictures"),
        (a_byte_a_second, CameraTrouble.UNPLUGGED, "gives no answer"),
        (silence, CameraTrouble.UNPLUGGED, "gives no answer"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
async def test_what_is_no_camera_is_refused_in_one_line_and_left_alone(
    talk: Talk, trouble: CameraTrouble, words: str
) -> None:
    async with answering(talk) as port:
        slow = talk in {garbage_for_ever, half_pictures, a_byte_a_second, silence}
        refusal = await refused_by(f"http://127.0.0.1:{port}/camera.mjpg", within_s=1.6 if slow else 0.4)
    assert (refusal.trouble, words in str(refusal)) == (trouble, True), refusal


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("63", "no such camera (/dev/video63 is not there)"),
        ("/dev/v4l/by-id/nobody", "no such camera"),
        ("rtsp://127.0.0.1:9/stream", "can't be opened"),
        ("http://127.0.0.1:9/camera.mjpg", "can't be opened: Connection refused"),
        ("http://127.0.0.1:notaport/", "can't be opened"),
        ("http://[::bad", "http://[::bad: can't be opened"),
    ],
)
async def test_a_source_that_is_not_there_is_said_in_one_line(source: str, words: str) -> None:
    assert words in str(await refused_by(source))
