"""A control board's USB side, in memory: a device with a pair of bulk endpoints, and the bus it hangs on.

Hosts call from threads and wait, like libusb's: with a time limit, an error where the endpoint is stalled,
ENODEV at once where the device is gone, also for whoever waits at that moment. The board's end lives in
the event loop and is used like the end of a terminal (``firmware_bridge.port.Port``).
"""

import asyncio
import contextlib
import errno
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from firmware_bridge.errors import PortFull
from firmware_bridge.port import QUEUE_LIMIT, Callbacks
from hardware_sim.usb_bus import Handle, Plugged, UsbFacts, problem

FIFO_PACKETS: Final = 4
"""Packets from the host that the device holds while the firmware is busy."""

LANGUAGE: Final = 0x0409
STRING_DESCRIPTOR: Final = 3


class LocalBus:
    """The bus of this process. ``opened``: addresses in the order in which hosts opened them."""

    def __init__(self) -> None:
        self.opened: list[int] = []
        self._devices: dict[int, UsbDevice] = {}
        self._next = 1

    def devices(self) -> list[Plugged]:
        """What is plugged in."""
        return [Plugged(address, device.facts) for address, device in list(self._devices.items())]

    def open(self, address: int) -> Handle:
        """Open a device; ENODEV when it is no longer there."""
        device = self._devices.get(address)
        if device is None:
            raise problem(errno.ENODEV)
        self.opened.append(address)
        return _LocalHandle(device, address)

    def plug_in(self, device: "UsbDevice") -> int:
        """Give ``device`` the next address."""
        address, self._next = self._next, self._next % 127 + 1
        self._devices[address] = device
        return address

    def unplug(self, address: int) -> None:
        """The address is free."""
        self._devices.pop(address, None)


class UsbDevice:
    """One device.

    ``whole_transfers``: the firmware gets bytes only when a short or empty packet ends their transfer, and
    ends its own so; else it does neither.
    """

    def __init__(self, bus: LocalBus, facts: UsbFacts, *, whole_transfers: bool = True) -> None:
        """Make the device; it is on the bus from :meth:`plug_in` on."""
        self.facts = facts
        self.address: int | None = None
        self.packets_out = 0
        self.empty_packets_out = 0
        self._bus = bus
        self._whole_transfers = whole_transfers
        self._changed = threading.Condition()
        self._outward: deque[bytes] = deque()
        self._inward: deque[bytes] = deque()
        self._waiting = bytearray()
        self._stalled: set[bool] = set()
        self._claimed_by: object | None = None
        self._end: BoardEnd | None = None

    @property
    def is_claimed(self) -> bool:
        """True while a host has the interface."""
        return self._claimed_by is not None

    # ---- the world's hands ---------------------------------------------------------------------------

    def plug_in(self) -> None:
        """Appear on the bus, at another address than before."""
        if self.address is None:
            self.address = self._bus.plug_in(self)

    def unplug(self) -> None:
        """Vanish, also under whoever waits for a packet; the board's end is closed."""
        with self._changed:
            address, self.address = self.address, None
            self._outward.clear()
            self._inward.clear()
            self._waiting.clear()
            self._stalled.clear()
            self._claimed_by = None
            self._changed.notify_all()
        if address is not None:
            self._bus.unplug(address)
        if self._end is not None:
            self._end.abort()

    def stall(self, *, inward: bool) -> None:
        """Answer STALL on the endpoint (``inward``: board to host) until the host clears it."""
        with self._changed:
            self._stalled.add(inward)
            self._changed.notify_all()

    def open(self, callbacks: Callbacks) -> "BoardEnd":
        """The board's end (again, after a boot); called from its event loop."""
        if self._end is not None:
            self._end.abort()
        self._end = BoardEnd(self, callbacks)
        return self._end

    # ---- the board's end -----------------------------------------------------------------------------

    def put(self, data: bytes) -> None:
        """Queue ``data`` for the host, as one transfer."""
        size = self.facts.packet
        end = len(data) + 1 if self._whole_transfers else len(data)
        with self._changed:
            if self.address is not None:
                self._inward.extend(data[at : at + size] for at in range(0, end, size))
                self._changed.notify_all()

    def unsent(self) -> int:
        """Bytes that no host has read."""
        with self._changed:
            return sum(map(len, self._inward))

    def take(self) -> bytes:
        """Bytes from the host, as far as they are the firmware's by now."""
        with self._changed:
            ended = b""
            while self._outward:
                packet = self._outward.popleft()
                self._waiting += packet
                if len(packet) < self.facts.packet or not self._whole_transfers:
                    ended += bytes(self._waiting)
                    self._waiting.clear()
            self._changed.notify_all()
        return ended

    # ---- the host's side, in its threads -------------------------------------------------------------

    def claim(self, address: int, owner: object) -> None:
        """Let ``owner`` have the interface; EBUSY when another one has it."""
        with self._changed:
            self._check(address)
            if self._claimed_by not in (None, owner):
                raise problem(errno.EBUSY)
            self._claimed_by = owner

    def release(self, owner: object) -> None:
        """Take the interface back from ``owner``."""
        with self._changed:
            if self._claimed_by is owner:
                self._claimed_by = None

    def write(self, address: int, data: bytes, timeout_ms: int) -> int:
        """See :class:`Handle`."""
        size = self.facts.packet
        pieces = [data[at : at + size] for at in range(0, len(data), size)] or [b""]
        sent = 0
        until = time.monotonic() + timeout_ms / 1000
        for number, piece in enumerate(pieces):
            with self._changed:
                ready = self._wait(address, until, lambda: len(self._outward) < FIFO_PACKETS, inward=False)
                if not ready and number:
                    return sent
                if not ready:
                    raise problem(errno.ETIMEDOUT)
                self._outward.append(piece)
                self.packets_out += 1
                self.empty_packets_out += not piece
            sent += len(piece)
            if self._end is not None:
                self._end.packets_came()
        return sent

    def read(self, address: int, size: int, timeout_ms: int) -> bytes:
        """See :class:`Handle`."""
        data = bytearray()
        until = time.monotonic() + timeout_ms / 1000
        while len(data) < size:
            with self._changed:
                if not self._wait(address, until, lambda: bool(self._inward), inward=True):
                    if data:
                        break
                    raise problem(errno.ETIMEDOUT)
                if len(data) + len(self._inward[0]) > size:
                    raise problem(errno.EOVERFLOW)
                packet = self._inward.popleft()
            data += packet
            if self._end is not None:
                self._end.packet_left()
            if len(packet) < self.facts.packet:
                break
        return bytes(data)

    def clear_halt(self, address: int, *, inward: bool) -> None:
        """See :class:`Handle`."""
        with self._changed:
            self._check(address)
            self._stalled.discard(inward)

    def control(self, address: int, kind: int, index: int) -> bytes:
        """See :class:`Handle`."""
        with self._changed:
            self._check(address)
        texts = {1: self.facts.maker, 2: self.facts.name, 3: self.facts.serial}
        if kind != STRING_DESCRIPTOR or (index and not texts.get(index)):
            raise problem(errno.EPIPE)
        body = LANGUAGE.to_bytes(2, "little") if index == 0 else texts[index].encode("utf-16-le")
        return bytes((len(body) + 2, STRING_DESCRIPTOR)) + body

    # ---- inside --------------------------------------------------------------------------------------

    def _check(self, address: int) -> None:
        if self.address != address:
            raise problem(errno.ENODEV)

    def _wait(self, address: int, until: float, ready: Callable[[], bool], *, inward: bool) -> bool:
        """Wait (holding the condition) until ``ready``; False when time is up."""
        while True:
            self._check(address)
            if inward in self._stalled:
                raise problem(errno.EPIPE)
            if ready():
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            self._changed.wait(left)


class BoardEnd:
    """The board's end of the bulk pair, in the event loop."""

    def __init__(self, device: UsbDevice, callbacks: Callbacks) -> None:
        self._loop = asyncio.get_running_loop()
        self._device = device
        self._callbacks = callbacks
        self._open = True
        self._paused = False

    @property
    def is_open(self) -> bool:
        """False after :meth:`abort`."""
        return self._open

    @property
    def room(self) -> int:
        """Bytes :meth:`write` takes now."""
        return max(0, QUEUE_LIMIT - self._device.unsent()) if self._open else 0

    def write(self, data: bytes) -> None:
        """Leave ``data`` for the host. Raises PortFull beyond ``room``."""
        if len(data) > self.room:
            raise PortFull(f"{len(data)} bytes for a queue with room for {self.room}")
        if data:
            self._device.put(data)

    def pause_reading(self) -> None:
        """Take no packets: the host's transfers run into their time limit."""
        self._paused = True

    def resume_reading(self) -> None:
        """Take packets again."""
        self._paused = False
        self._take()

    def abort(self) -> None:
        """Be closed; no callback comes after this."""
        self._open = False

    async def wait_closed(self) -> None:
        """Nothing is left already."""

    def leads_elsewhere(self) -> bool:
        """Never."""
        return False

    def packets_came(self) -> None:
        """Told from a host's thread."""
        self._tell(self._take)

    def packet_left(self) -> None:
        """Told from a host's thread."""
        self._tell(self._drained)

    def _take(self) -> None:
        if self._open and not self._paused:
            data = self._device.take()
            if data:
                self._callbacks.data(data)

    def _drained(self) -> None:
        if self._open and self._device.unsent() == 0:
            self._callbacks.room()

    def _tell(self, call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the board's loop has ended
            self._loop.call_soon_threadsafe(call)


class _LocalHandle:
    """A device of this process, opened."""

    def __init__(self, device: UsbDevice, address: int) -> None:
        self._device = device
        self._address = address

    def claim(self) -> None:
        self._device.claim(self._address, self)

    def release(self) -> None:
        self._device.release(self)

    def write(self, data: bytes, timeout_ms: int) -> int:
        return self._device.write(self._address, data, timeout_ms)

    def read(self, size: int, timeout_ms: int) -> bytes:
        return self._device.read(self._address, size, timeout_ms)

    def clear_halt(self, *, inward: bool) -> None:
        self._device.clear_halt(self._address, inward=inward)

    def control(self, kind: int, index: int) -> bytes:
        return self._device.control(self._address, kind, index)

    def close(self) -> None:
        self.release()
