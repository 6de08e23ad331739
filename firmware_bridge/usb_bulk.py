"""Carries bytes over a USB device's bulk endpoints (shell).

pyusb can only wait. So each device has two threads, one that reads and one that writes, with finite
timeouts: nothing of one device waits for another one, and both end within CLOSE_S of being told to. The event
loop only puts bytes into a bounded queue and takes them from one.

Tested to the interface of pyusb (``usb.backend.IBackend``), not to libusb or a kernel.
"""

import asyncio
import contextlib
import errno
import threading
from collections.abc import Callable
from typing import Final

import usb.core

from firmware_bridge.errors import PortFull
from firmware_bridge.identity import Turn
from firmware_bridge.port_address import UsbId
from firmware_bridge.port_transport import CLOSE_S, QUEUE_LIMIT, Callbacks
from firmware_bridge.usb_find import BulkPair, UsbBackend, open_bulk, words

READ_MS: Final = 150
WRITE_MS: Final = 150
"""The longest wait for the device in one transfer."""

HELD_LIMIT: Final = 1 << 16
"""Bytes that wait for a busy event loop; beyond that the device waits too."""

WRITE_SIZE: Final = 512
"""Most bytes of one transfer; a transfer that was cut short is continued where it stopped."""

TROUBLES: Final = 8
"""Stalls or failed transfers in a row after which the device counts as lost."""

TROUBLE_S: Final = 0.01
"""Pause after a failed transfer."""

_PASSING: Final = (
    errno.EIO,
    errno.EPROTO,
    errno.EILSEQ,
    errno.EOVERFLOW,
    errno.EAGAIN,
    errno.EINTR,
    errno.ETIMEDOUT,
)
"""Errors of a bad cable or hub that may be over with the next transfer."""


class UsbTransport:
    """Bytes over an opened pair of bulk endpoints; the same from outside as a descriptor's transport."""

    def __init__(self, pair: BulkPair, callbacks: Callbacks) -> None:
        """Take over ``pair`` and begin reading."""
        self._loop = asyncio.get_running_loop()
        self._pair = pair
        self._callbacks = callbacks
        self._open = True
        self._changed = threading.Condition()
        self._stopping = False
        self._queue = bytearray()
        self._held = bytearray()
        self._unended = False
        self._closed = asyncio.Event()
        self.stalls = 0
        self._reader = threading.Thread(target=self._read, name=f"read {pair.name}", daemon=True)
        self._writer = threading.Thread(target=self._write, name=f"write {pair.name}", daemon=True)
        self._writer.start()
        self._reader.start()

    @property
    def is_open(self) -> bool:
        """False after the device went or :meth:`abort`."""
        return self._open

    @property
    def room(self) -> int:
        """Bytes :meth:`write` takes now."""
        return QUEUE_LIMIT - len(self._queue) if self._open else 0

    def write(self, data: bytes) -> None:
        """Send ``data`` when the device takes it. Raises PortFull (nothing is taken) beyond ``room``."""
        with self._changed:
            if len(data) > self.room:
                raise PortFull(f"{len(data)} bytes for a queue with room for {self.room}")
            self._queue += data
            self._changed.notify_all()

    def abort(self) -> None:
        """Close; what waits is thrown away. No callback comes after this; the threads end by themselves."""
        self._open = False
        with self._changed:
            self._stopping = True
            self._queue.clear()
            self._changed.notify_all()

    async def wait_closed(self) -> None:
        """After :meth:`abort`: wait until threads and device handle are gone, at most CLOSE_S seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self._closed.wait()
            self._reader.join(CLOSE_S)  # it has said its last word

    def leads_elsewhere(self) -> bool:
        """False: a device that is gone fails by itself."""
        return False

    # ---- in the loop, told by the threads ------------------------------------------------------------

    def _deliver(self) -> None:
        with self._changed:
            data = bytes(self._held)
            self._held.clear()
            self._changed.notify_all()
        if self._open:
            self._callbacks.data(data)

    def _drained(self) -> None:
        if self._open:
            self._callbacks.room()

    def _lose(self, why: str) -> None:
        if self._open:
            self.abort()
            self._callbacks.lost(why)

    # ---- in the threads ------------------------------------------------------------------------------

    def _read(self) -> None:
        self._until_lost(self._pair.in_endpoint, self._read_once)
        self._writer.join()
        self._pair.close()
        self._tell(self._closed.set)

    def _write(self) -> None:
        self._until_lost(self._pair.out_endpoint, self._write_once)

    def _read_once(self) -> None:
        # One packet at a time: a board that forgets the empty packet after a full one is never late.
        data = self._pair.device.read(self._pair.in_endpoint, self._pair.in_packet, READ_MS)
        if not data:
            return
        with self._changed:
            if not self._held:
                self._tell(self._deliver)
            self._held += data.tobytes()
            while len(self._held) > HELD_LIMIT and not self._stopping:
                self._changed.wait()

    def _write_once(self) -> None:
        """One transfer; one that fills its last packet is ended by an empty packet."""
        with self._changed:
            while not (self._queue or self._unended or self._stopping):
                self._changed.wait()
            if self._stopping:
                return
            piece = b"" if self._unended else bytes(self._queue[:WRITE_SIZE])
        sent = self._pair.device.write(self._pair.out_endpoint, piece, WRITE_MS)
        self._unended = 0 < sent == len(piece) and sent % self._pair.packet == 0
        with self._changed:
            was_crowded = len(self._queue) > QUEUE_LIMIT // 2
            del self._queue[:sent]
            if was_crowded and len(self._queue) <= QUEUE_LIMIT // 2:
                self._tell(self._drained)

    def _until_lost(self, endpoint: int, transfer: Callable[[], None]) -> None:
        """Repeat ``transfer`` until told to stop, or until the device fails for good."""
        troubles = 0
        while not self._stopping:
            try:
                transfer()
                troubles = 0
            except usb.core.USBTimeoutError:
                troubles = 0
            except Exception as error:  # noqa: BLE001 - the boundary: whatever pyusb and its backend raise
                troubles += 1
                if troubles >= TROUBLES or not self._passes(error, endpoint):
                    self._tell(self._lose, f"{self._pair.name}: {words(error)}")
                    return
                self._pause(TROUBLE_S)

    def _passes(self, error: Exception, endpoint: int) -> bool:
        """True when the next transfer may do better."""
        code = getattr(error, "errno", None)
        if code != errno.EPIPE:
            return code in _PASSING
        self.stalls += 1
        try:
            self._pair.device.clear_halt(endpoint)
        except Exception:  # noqa: BLE001 - the same boundary
            return False
        return True

    def _pause(self, seconds: float) -> None:
        with self._changed:
            if not self._stopping:
                self._changed.wait(seconds)

    def _tell(self, call: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended before
            self._loop.call_soon_threadsafe(call, *arguments)


async def open_usb(wanted: UsbId, callbacks: Callbacks, backend: UsbBackend, turn: Turn) -> UsbTransport:
    """Open the device that is meant for this process alone. Raises PortUnavailable."""
    opening = asyncio.ensure_future(asyncio.to_thread(open_bulk, wanted, backend, turn))
    try:
        pair = await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_close_opened)
        raise
    return UsbTransport(pair, callbacks)


def _close_opened(opening: "asyncio.Future[BulkPair]") -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()
