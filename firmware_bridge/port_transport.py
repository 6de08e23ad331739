"""Carries bytes over a file descriptor without ever blocking the event loop (shell).

A full kernel buffer must make neither the loop wait nor the memory grow: reading and writing is done here,
on the descriptor, whoever opened it.
"""

import asyncio
import contextlib
import os
import termios
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from firmware_bridge.errors import PortFull

QUEUE_LIMIT: Final = 4096
"""Bytes that may wait in user space for a peer that does not read."""

READ_SIZE: Final = 4096
EMPTY_READS: Final = 3
"""Reads in a row that give nothing although the descriptor is readable: the device is gone, or another
program reads it too."""

CLOSE_S: Final = 1.0
"""The longest wait for a port that is closing; the kernel may take longer over a device that is stuck."""


@dataclass(frozen=True, slots=True)
class Callbacks:
    """What a transport calls, from the event loop: bytes came, the peer is gone (why), there is room."""

    data: Callable[[bytes], None]
    lost: Callable[[str], None]
    room: Callable[[], None]


class Port(Protocol):
    """What carries bytes, whatever it is made of. Only used from the event loop."""

    @property
    def is_open(self) -> bool:
        """False after the peer went or :meth:`abort`."""

    @property
    def room(self) -> int:
        """Bytes :meth:`write` takes now."""

    def write(self, data: bytes) -> None:
        """Send ``data``, now or when the peer reads. Raises PortFull (nothing is taken) beyond ``room``."""

    def abort(self) -> None:
        """Close at once; what waits is thrown away. No callback comes after this."""

    async def wait_closed(self) -> None:
        """After :meth:`abort`: wait until nothing of it is left, at most CLOSE_S seconds."""

    def leads_elsewhere(self) -> bool:
        """True when the port's name no longer means what is open here."""


class Transport:
    """Bytes over a non-blocking file descriptor, with a bounded queue for what cannot be written yet.

    ``name``: the path that was opened, if any. ``slow_close``: closing may wait for the device, so that a
    thread does it.
    """

    def __init__(
        self,
        fd: int,
        close: Callable[[], None],
        callbacks: Callbacks,
        *,
        name: str | None = None,
        slow_close: bool = False,
    ) -> None:
        """Take over ``fd`` (``close`` closes it) and begin reading."""
        self._loop = asyncio.get_running_loop()
        self._fd = fd
        self._close = close
        self._callbacks = callbacks
        self._queue = bytearray()
        self._empty = 0
        self._open = True
        self._writing = False
        self._name = name
        self._slow_close = slow_close
        self._closed = asyncio.Event()
        os.set_blocking(fd, False)
        self._loop.add_reader(fd, self._readable)

    @property
    def is_open(self) -> bool:
        """False after the peer went or :meth:`abort`."""
        return self._open

    @property
    def room(self) -> int:
        """Bytes :meth:`write` takes now."""
        return QUEUE_LIMIT - len(self._queue) if self._open else 0

    def write(self, data: bytes) -> None:
        """Send ``data``, now or when the peer reads. Raises PortFull (nothing is taken) beyond ``room``."""
        if len(data) > self.room:
            raise PortFull(f"{len(data)} bytes for a queue with room for {self.room}")
        self._queue += data
        if not self._writing:
            self._flush()

    def pause_reading(self) -> None:
        """Leave bytes with the kernel until :meth:`resume_reading`."""
        self._loop.remove_reader(self._fd)

    def resume_reading(self) -> None:
        """Read again."""
        if self._open:
            self._loop.add_reader(self._fd, self._readable)

    def abort(self) -> None:
        """Close at once; what waits is thrown away. No callback comes after this."""
        if not self._open:
            return
        self._open = False
        self._queue.clear()
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        if self._slow_close:
            threading.Thread(target=self._end, name=f"close {self._name}", daemon=True).start()
        else:
            self._end()

    async def wait_closed(self) -> None:
        """After :meth:`abort`: wait until the descriptor is closed, at most CLOSE_S seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self._closed.wait()

    def leads_elsewhere(self) -> bool:
        """True when the name is gone, or another device bears it now (a link that was pointed anew)."""
        if self._name is None or not self._open:
            return False
        try:
            return os.stat(self._name).st_rdev != os.fstat(self._fd).st_rdev  # noqa: PTH116 - beside fstat
        except OSError:
            return True

    def _end(self) -> None:
        with contextlib.suppress(termios.error, OSError):
            termios.tcflush(self._fd, termios.TCOFLUSH)  # else closing a tty waits for its output
        with contextlib.suppress(termios.error, OSError):
            self._close()
        with contextlib.suppress(RuntimeError):  # the loop has ended before
            self._loop.call_soon_threadsafe(self._closed.set)

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(error.strerror or "read error")
            return
        if data:
            self._empty = 0
            self._callbacks.data(data)
            return
        self._empty += 1
        if self._empty >= EMPTY_READS:
            self._lose("end of file")

    def _flush(self) -> None:
        try:
            while self._queue:
                del self._queue[: os.write(self._fd, self._queue)]
        except (BlockingIOError, InterruptedError):
            pass
        except OSError as error:
            self._lose(error.strerror or "write error")
            return
        self._watch_writable()

    def _watch_writable(self) -> None:
        waiting = bool(self._queue)
        if waiting and not self._writing:
            self._loop.add_writer(self._fd, self._writable)
        elif self._writing and not waiting:
            self._loop.remove_writer(self._fd)
        self._writing = waiting

    def _writable(self) -> None:
        self._flush()
        if self._open:
            self._callbacks.room()

    def _lose(self, why: str) -> None:
        self.abort()
        # Not from inside write(): the caller is in the middle of its own work.
        self._loop.call_soon(self._callbacks.lost, why)
