"""Opens ports and carries bytes over them without ever blocking the event loop (shell).

pyserial opens and configures serial devices; reading and writing is done here, on the file descriptor,
because a full kernel buffer must make neither the loop wait nor the memory grow.
"""

import asyncio
import contextlib
import os
import socket
import termios
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import serial

from firmware_bridge.errors import BadUrl, PortFull, PortUnavailable

QUEUE_LIMIT: Final = 4096
"""Bytes that may wait in user space for a peer that does not read."""

READ_SIZE: Final = 4096
EMPTY_READS: Final = 3
"""Reads in a row that give nothing although the descriptor is readable: the device is gone."""


@dataclass(frozen=True, slots=True)
class Callbacks:
    """What a transport calls, from the event loop: bytes came, the peer is gone (why), there is room."""

    data: Callable[[bytes], None]
    lost: Callable[[str], None]
    room: Callable[[], None]


class Transport:
    """Bytes over a non-blocking file descriptor, with a bounded queue for what cannot be written yet."""

    def __init__(self, fd: int, close: Callable[[], None], callbacks: Callbacks) -> None:
        """Take over ``fd`` (``close`` closes it) and begin reading."""
        self._loop = asyncio.get_running_loop()
        self._fd = fd
        self._close = close
        self._callbacks = callbacks
        self._queue = bytearray()
        self._empty = 0
        self._open = True
        self._writing = False
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
        with contextlib.suppress(termios.error, OSError):
            termios.tcflush(self._fd, termios.TCOFLUSH)  # else closing a tty waits for its output
        with contextlib.suppress(OSError):
            self._close()

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


@dataclass(frozen=True, slots=True)
class Address:
    """Where a board is: a serial device's path, or a host and port that carry its bytes over TCP."""

    path: str | None = None
    host: str = ""
    port: int = 0


def parse_url(url: str) -> Address:
    """The address in ``url``: a path, ``serial://PATH`` or ``socket://HOST:PORT``. Raises BadUrl."""
    expected = "expected a path, serial://PATH or socket://HOST:PORT"
    scheme, mark, rest = url.partition("://")
    if not mark and url:
        return Address(url)
    if scheme == "serial" and rest:
        return Address(rest)
    if scheme == "socket":
        with contextlib.suppress(ValueError):
            parts = urlsplit(url)
            if parts.hostname and parts.port:
                return Address(None, parts.hostname, parts.port)
    raise BadUrl(f"board address {url!r}: {expected}")


async def open_port(url: str, callbacks: Callbacks, *, baud: int = 115200) -> Transport:
    """Open ``url`` for this process alone. Raises BadUrl, PortUnavailable."""
    address = parse_url(url)
    if address.path is None:
        return await _open_socket(address, callbacks)
    opening = asyncio.ensure_future(asyncio.to_thread(_open_serial, address.path, baud))
    try:
        device = await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_close_opened)
        raise
    except (OSError, ValueError) as error:  # SerialException is an OSError
        raise PortUnavailable(_why(address.path, error)) from None
    return Transport(device.fileno(), device.close, callbacks)


def _open_serial(path: str, baud: int) -> serial.Serial:
    device = serial.Serial(None, baudrate=baud, timeout=0, write_timeout=0, exclusive=True)
    # Both lines low: on many boards a rising DTR is wired to reset.
    device.dtr = False
    device.rts = False
    device.port = path
    device.open()
    return device


def _close_opened(opening: "asyncio.Future[serial.Serial]") -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


async def _open_socket(address: Address, callbacks: Callbacks) -> Transport:
    place = f"{address.host}:{address.port}"
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise PortUnavailable(f"{place}: {error.strerror or error}") from None
    family, kind, protocol, _, where = found[0]
    link = socket.socket(family, kind, protocol)
    try:
        link.settimeout(0.0)
        await loop.sock_connect(link, where)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        link.close()
        raise PortUnavailable(f"{place}: {error.strerror or error}") from None
    except asyncio.CancelledError:
        link.close()
        raise
    return Transport(link.fileno(), link.close, callbacks)


def _why(path: str, error: Exception) -> str:
    """One line for people: which port, and what is the matter."""
    if isinstance(error, ValueError):
        return f"{path}: {error}"
    if not Path(path).exists():
        return f"{path}: there is no such port"
    if "exclusively lock" in str(error):
        return f"{path}: another program holds this port"
    if isinstance(error, PermissionError) or "Permission denied" in str(error):
        return f"{path}: no permission to open this port"
    return f"{path}: {error.strerror if isinstance(error, OSError) and error.strerror else error}"
