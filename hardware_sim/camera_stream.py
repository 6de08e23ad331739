"""An HTTP server of one motion JPEG stream that knows which picture each reader has taken."""

import asyncio
import socket
from bisect import bisect_left
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from random import Random

from hardware_sim.faults_camera import Manner

PATH = "/camera.mjpg"
BOUNDARY = b"picture"
SEND_BUFFER = 128 * 1024  # bytes; less than a picture: what is written is nearly what was read
STALLED_AFTER = 3.0  # s without taking a picture until nobody waits for a reader any more
REQUEST_TIMEOUT = 5.0  # s
MARKS_KEPT = 4096

STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=" + BOUNDARY + b"\r\n"
    b"Cache-Control: no-store\r\nConnection: close\r\n\r\n"
)
WEB_PAGE = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 40\r\nConnection: close\r\n\r\n"
    b"<html><body>Welcome</body></html>       "
)
GARBAGE_S = 0.05  # between two lots of garbage
GARBAGE_BYTES = 20_000
TRICKLE_S = 1.0  # between two bytes
NOT_SEEN = -1  # version of a picture that tells nobody anything
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """An encoded picture and the version of the scene it shows."""

    version: int
    data: bytes


@dataclass(slots=True, eq=False)
class _Reader:
    """One connection: how many pictures it has taken, and how many it had when a version first appeared."""

    writer: asyncio.StreamWriter
    last_taken_at: float
    taken: int = 0
    versions: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    next_picture: asyncio.Future[Picture] | None = None

    def note(self, version: int, now: float) -> None:
        """Count a picture that was taken whole."""
        self.last_taken_at = now
        if version == NOT_SEEN:
            return
        if not self.versions or version > self.versions[-1]:
            self.versions.append(version)
            self.before.append(self.taken)
            del self.versions[:-MARKS_KEPT], self.before[:-MARKS_KEPT]
        self.taken += 1

    def taken_since(self, version: int) -> int:
        """Return how many pictures of `version` or later were taken."""
        first = bisect_left(self.versions, version)
        return self.taken - self.before[first] if first < len(self.versions) else 0


class PictureServer:
    """Serves the newest picture to each reader; none is ever queued for one that is still busy."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.refusing = False
        self.manner = Manner.PICTURES
        self._chance = Random(1)  # noqa: S311 - garbage
        self._server: asyncio.Server | None = None
        self._readers: list[_Reader] = []
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen on the loopback; raises OSError where the port is taken."""
        listener = socket.create_server(("127.0.0.1", self.port))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self.port = listener.getsockname()[1]
        self._server = await asyncio.start_server(self._serve, sock=listener)

    async def stop(self) -> None:
        """Close the port and all connections."""
        if self._server is not None:
            self._server.close()
        self.drop(refuse=True)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def drop(self, *, refuse: bool) -> None:
        """Cut all connections; with `refuse` accept none until `refusing` is False again."""
        self.refusing = refuse
        for reader in self._readers:
            reader.writer.transport.abort()

    @property
    def pictures_taken(self) -> int:
        """How many pictures the slowest live reader has taken."""
        return min((reader.taken for reader in self._live()), default=0)

    async def taken(self, since_version: int, count: int) -> None:
        """Wait until every live reader, one at least, has taken `count` pictures of a version or later."""

        def enough() -> bool:
            live = self._live()
            return bool(live) and all(reader.taken_since(since_version) >= count for reader in live)

        while not enough():  # time alone can end the waiting for a stalled reader
            with suppress(TimeoutError):
                async with asyncio.timeout(STALLED_AFTER / 4), self._changed:
                    await self._changed.wait_for(enough)

    async def reader_waits(self) -> None:
        """Wait until a reader is ready for a picture."""
        async with self._changed:
            await self._changed.wait_for(lambda: any(reader.next_picture for reader in self._readers))

    def offer(self, picture: Picture | None) -> None:
        """Give a picture to each reader that waits for one."""
        for reader in self._readers:
            if picture is not None and reader.next_picture is not None and not reader.next_picture.done():
                reader.next_picture.set_result(picture)
                reader.next_picture = None

    def _live(self) -> list[_Reader]:
        now = asyncio.get_running_loop().time()
        return [reader for reader in self._readers if now - reader.last_taken_at < STALLED_AFTER]

    async def _serve(self, requests: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a connection is served by a task")
        self._tasks.add(task)
        try:
            if not self.refusing and self.manner is not Manner.NOTHING:
                await self._answer(requests, writer)
        except (ConnectionError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the reader went away or spoke no HTTP
        except asyncio.CancelledError:
            if self._server is None or self._server.is_serving():
                raise
        finally:
            self._tasks.discard(task)
            writer.transport.abort()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _answer(self, requests: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(REQUEST_TIMEOUT):
            head = await requests.readuntil(b"\r\n\r\n")
        words = head.split(b"\r\n", 1)[0].split()
        if len(words) < 2 or words[0] != b"GET" or words[1].split(b"?")[0] != PATH.encode():
            writer.write(NOT_FOUND)
            await writer.drain()
            return
        if self.manner is Manner.HTML:
            writer.write(WEB_PAGE)
            await writer.drain()
            return
        # The transport holds nothing back: drain() returns when the kernel, whose buffer is small, has all.
        writer.transport.set_write_buffer_limits(high=0)
        writer.write(STREAM_HEAD)
        gone = asyncio.ensure_future(requests.read(1))
        try:
            async with self._reading(writer) as reader:
                while not gone.done():
                    if self.manner is Manner.PICTURES:
                        await self._send_next(reader, gone)
                    else:
                        await self._send_rubbish(reader)
        finally:
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)

    @asynccontextmanager
    async def _reading(self, writer: asyncio.StreamWriter) -> AsyncIterator[_Reader]:
        reader = _Reader(writer, asyncio.get_running_loop().time())
        self._readers.append(reader)
        try:
            yield reader
        finally:
            self._readers.remove(reader)
            async with self._changed:
                self._changed.notify_all()

    async def _send_rubbish(self, reader: _Reader) -> None:
        """Bytes that are no picture."""
        trickles = self.manner is Manner.TRICKLE
        reader.writer.write(b"-" if trickles else self._chance.randbytes(GARBAGE_BYTES))
        await reader.writer.drain()
        await asyncio.sleep(TRICKLE_S if trickles else GARBAGE_S)

    async def _send_next(self, reader: _Reader, gone: asyncio.Future[bytes]) -> None:
        loop = asyncio.get_running_loop()
        waiting = reader.next_picture = loop.create_future()
        async with self._changed:
            self._changed.notify_all()
        await asyncio.wait((waiting, gone), return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            return
        picture = waiting.result()
        size = b"Content-Length: %d\r\n\r\n" % len(picture.data)
        head = b"--" + BOUNDARY + b"\r\nContent-Type: image/jpeg\r\n" + size
        reader.writer.write(head + picture.data + b"\r\n")
        await reader.writer.drain()
        reader.note(picture.version, loop.time())
        async with self._changed:
            self._changed.notify_all()
