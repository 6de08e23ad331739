"""Bulk endpoints by pyusb, against a device in memory: what libusb and a kernel do is not tested here."""

import asyncio
import errno
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import usb.core

from firmware_bridge import BadUrl, PortUnavailable
from firmware_bridge.errors import PortBusy, PortFull
from firmware_bridge.identity import Turn
from firmware_bridge.port import QUEUE_LIMIT, Callbacks, PortSettings, open_port
from firmware_bridge.port_address import UsbId
from firmware_bridge.usb_bulk import READ_MS, UsbTransport, open_usb
from firmware_bridge.usb_find import load_backend
from hardware_sim.usb_backend import SimUsbBackend
from hardware_sim.usb_bus import Handle, UsbFacts, problem
from hardware_sim.usb_device import BoardEnd, LocalBus, UsbDevice

KIND = UsbId(0x1209, 0x4D4A)
NOTHING = Callbacks(lambda _: None, lambda _: None, lambda: None)


class Bench:
    """A device on its bus, its board's end and a host's transport."""

    def __init__(self, backend: SimUsbBackend, device: UsbDevice) -> None:
        self.backend = backend
        self.device = device
        self.at_board = bytearray()
        self.at_host = bytearray()
        self.losses: list[str] = []
        self._more = asyncio.Event()
        self.host: UsbTransport
        self.open_board()

    def open_board(self) -> None:
        callbacks = Callbacks(self._at_board, lambda _: None, lambda: None)
        self.end: BoardEnd = self.device.open(callbacks)

    async def connect(self) -> None:
        callbacks = Callbacks(self._at_host, self._lost, lambda: None)
        self.host = await open_usb(KIND, callbacks, self.backend, Turn())

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not condition():
                self._more.clear()
                await self._more.wait()

    async def until_board_has(self, size: int) -> None:
        await self.until(lambda: len(self.at_board) >= size)

    async def until_host_has(self, size: int) -> None:
        await self.until(lambda: len(self.at_host) >= size)

    async def until_lost(self) -> None:
        await self.until(lambda: bool(self.losses))

    def _at_board(self, data: bytes) -> None:
        self.at_board += data
        self._more.set()

    def _at_host(self, data: bytes) -> None:
        self.at_host += data
        self._more.set()

    def _lost(self, why: str) -> None:
        self.losses.append(why)
        self._more.set()


@asynccontextmanager
async def bench(
    backend_type: type[SimUsbBackend] = SimUsbBackend, *, packet: int = 64, whole_transfers: bool = True
) -> AsyncIterator[Bench]:
    bus = LocalBus()
    device = UsbDevice(bus, UsbFacts(serial="A1", packet=packet), whole_transfers=whole_transfers)
    device.plug_in()
    table = Bench(backend_type(bus), device)
    await table.connect()
    try:
        yield table
    finally:
        table.host.abort()
        began = time.monotonic()
        await table.host.wait_closed()
        assert time.monotonic() - began < 1.0
        assert not [thread for thread in threading.enumerate() if "USB device" in thread.name]
        assert table.backend.open_handles == 0


@pytest.mark.parametrize("size", [1, 63, 64, 65, 128, 200, 512, 640, 1024, 2048])
async def test_bytes_arrive_both_ways_whatever_their_number(size: int) -> None:
    data = bytes(range(256)) * (size // 256 + 1)
    async with bench() as table:
        table.host.write(data[:size])
        await table.until_board_has(size)
        table.end.write(data[:size])
        await table.until_host_has(size)
        assert bytes(table.at_board) == bytes(table.at_host) == data[:size]


@pytest.mark.parametrize(
    ("packet", "size", "empty"),
    [(64, 63, 0), (64, 64, 1), (64, 128, 1), (64, 130, 0), (512, 64, 0), (512, 512, 1)],
)
async def test_an_empty_packet_ends_a_transfer_that_fills_its_last_packet(
    packet: int, size: int, empty: int
) -> None:
    # This device hands nothing to its firmware before the transfer has ended.
    async with bench(packet=packet) as table:
        table.host.write(b"x" * size)
        await table.until_board_has(size)
        assert table.device.empty_packets_out == empty


async def test_a_board_that_ends_no_transfer_is_read_at_once_all_the_same() -> None:
    async with bench(whole_transfers=False) as table:
        began = time.monotonic()
        for number in range(5):
            table.end.write(b"y" * 64)
            await table.until_host_has(64 * (number + 1))
        assert time.monotonic() - began < 5 * READ_MS / 1000 / 2


@pytest.mark.parametrize("inward", [True, False])
async def test_a_stalled_endpoint_is_cleared_and_nothing_is_lost(*, inward: bool) -> None:
    async with bench() as table:
        for number in range(5):
            table.device.stall(inward=inward)
            table.host.write(b"to the board")
            table.end.write(b"to the host!")
            await table.until_board_has(12 * (number + 1))
            await table.until_host_has(12 * (number + 1))
        assert table.host.stalls >= 5
        assert not table.losses


async def test_an_endpoint_that_stalls_for_ever_is_a_lost_device() -> None:
    class Halted(SimUsbBackend):
        def bulk_read(self, dev_handle: Handle, ep: int, intf: int, buff: Any, timeout: int) -> int:
            del dev_handle, ep, intf, buff, timeout
            raise problem(errno.EPIPE)

    async with bench(Halted) as table:
        await table.until_lost()
        assert len(table.losses) == 1


async def test_a_device_that_takes_nothing_fills_the_queue_and_no_more() -> None:
    async with bench() as table:
        table.end.pause_reading()
        sent = 0
        while table.host.room >= 64:
            began = time.monotonic()
            table.host.write(b"z" * 64)
            assert time.monotonic() - began < 0.05
            sent += 64
            await asyncio.sleep(0)
        with pytest.raises(PortFull):
            table.host.write(b"z" * (QUEUE_LIMIT + 1))
        await asyncio.sleep(0.4)  # several transfers run into their time limit, one of them half done
        table.end.resume_reading()
        await table.until_board_has(sent)
        assert table.host.room == QUEUE_LIMIT
        assert bytes(table.at_board) == b"z" * sent


async def test_a_flood_from_the_board_waits_for_a_busy_loop() -> None:
    async with bench() as table:
        total = 0
        for _ in range(60):
            piece = b"f" * min(2000, table.end.room)
            table.end.write(piece)
            total += len(piece)
            time.sleep(0.002)  # noqa: ASYNC251 - the loop is busy
            await asyncio.sleep(0)
        await table.until_host_has(total)
        assert len(table.at_host) == total


async def test_a_device_that_is_pulled_out_is_lost_once_and_at_once() -> None:
    async with bench() as table:
        await asyncio.sleep(0.05)  # the reader waits inside the device
        began = time.monotonic()
        table.device.unplug()
        await table.until_lost()
        assert time.monotonic() - began < 0.25
        assert table.losses == ["USB device 1209:4d4a: unplugged"]
        assert not table.host.is_open
        assert table.host.room == 0


async def test_the_handle_of_a_device_that_came_back_is_dead() -> None:
    async with bench() as table:
        old = table.host
        table.device.unplug()
        await table.until_lost()
        table.device.plug_in()
        table.open_board()
        await old.wait_closed()
        await table.connect()
        assert table.device.address == 2
        table.host.write(b"again")
        await table.until_board_has(5)


async def test_a_device_in_use_is_refused_and_stays_in_use() -> None:
    async with bench() as table:
        with pytest.raises(PortBusy, match="another program holds this USB device"):
            await open_usb(KIND, NOTHING, table.backend, Turn())
        table.host.write(b"still mine")
        await table.until_board_has(10)


async def test_devices_are_told_apart_by_serial_number_and_foreign_ones_are_never_opened() -> None:
    bus = LocalBus()
    foreign = UsbDevice(bus, UsbFacts(vendor=0x04F9, product=0x0001, serial="B"))
    devices = [UsbDevice(bus, UsbFacts(serial=serial)) for serial in ("A", "B")]
    for device in (foreign, *devices):
        device.plug_in()
    backend = SimUsbBackend(bus)
    host = await open_port("usb://1209:4d4a/B", NOTHING, PortSettings(usb_backend=backend))
    assert [device.is_claimed for device in (foreign, *devices)] == [False, False, True]
    assert foreign.address not in bus.opened
    host.abort()
    await host.wait_closed()
    with pytest.raises(PortUnavailable, match="there is no USB device 1209:4d4a C"):
        await open_port("usb://1209:4d4a/C", NOTHING, PortSettings(usb_backend=backend))
    with pytest.raises(PortUnavailable, match="name its serial number, or the board's uid"):
        await open_port("usb://1209:4d4a", NOTHING, PortSettings(usb_backend=backend))
    assert backend.open_handles == 0


async def test_without_libusb_or_without_a_device_the_reason_is_one_line() -> None:
    with pytest.raises(
        PortUnavailable, match=r"libusb-1.0 is not installed|there is no USB device"
    ) as caught:
        await open_port("usb://1209:4d4a", NOTHING)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("hardware_sim.usb_remote", "expected package.module:function"),
        ("no_such_package:backend", "No module named"),
        ("hardware_sim.usb_remote:nothing", "has no attribute"),
        ("hardware_sim.usb_remote:backend", "LONGZHUO_SIM_USB"),
    ],
)
def test_a_backend_that_cannot_be_used_is_named(name: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LONGZHUO_SIM_USB", raising=False)
    with pytest.raises(BadUrl, match=why):
        load_backend(name)


async def test_pyusb_finds_what_the_device_says_about_itself() -> None:
    bus = LocalBus()
    UsbDevice(bus, UsbFacts(serial="桌1")).plug_in()
    device = usb.core.find(backend=SimUsbBackend(bus))
    assert (device.manufacturer, device.product, device.serial_number) == (
        "longzhuo",
        "simulated table",
        "桌1",
    )
    assert "Bulk" in str(device)
    usb.util.dispose_resources(device)
