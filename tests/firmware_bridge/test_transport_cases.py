"""The acceptance cases that concern ports: over a pseudo-terminal, and over USB bulk in memory."""

import asyncio
import contextlib
import errno
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest
import serial
import usb.core

from firmware_bridge import Board, LinkLost, NoValidFrame, WrongBoard
from firmware_bridge.driver import Driver
from firmware_bridge.faults import FaultCode
from firmware_bridge.identity import SerialDevice
from firmware_bridge.messages import (
    Booted,
    Disconnected,
    Fault,
    FaultCleared,
    GetStatus,
    OpenHatch,
    RaiseWalls,
    Report,
    RollDice,
    StartCycle,
)
from firmware_bridge.port import Callbacks
from firmware_bridge.port_address import UsbId
from firmware_bridge.states import Loss, Region, ResetCause, State
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.board_line import Line
from hardware_sim.board_port import Pseudoterminal
from hardware_sim.mechanics import Mechanics
from hardware_sim.usb_backend import SimUsbBackend
from hardware_sim.usb_bus import UsbFacts
from hardware_sim.usb_device import LocalBus, UsbDevice
from hardware_sim.wires import WireFaults

Heard = TypeVar("Heard", bound=Report)
KINDS = ("terminal", "usb")
LAG_BOUND_S = 0.05
QUIET_ROUNDS = 6
"""A loop that waits for a stuck peer does so in every round; a busy machine leaves a quiet one."""

numbers = count(1)


class Table:
    """A simulated table whose plug is a pseudo-terminal's or a USB device's."""

    def __init__(self, kind: str, folder: Path, *, uid: int = 7, faults: WireFaults | None = None) -> None:
        self.mechanics = Mechanics(Random(1), speed=60.0)  # noqa: S311 - a game
        self._line = Line(self.boot(uid), 1, faults)
        self.driver = Driver(self._line, lambda: None)
        self.symlink = folder / f"board-{uid}"
        self.bus = LocalBus()
        self.backend = SimUsbBackend(self.bus)
        self.device = UsbDevice(self.bus, UsbFacts(serial=f"T{uid}"))
        self.terminal: Pseudoterminal | None = None
        self.kind = kind
        self.url = str(self.symlink) if kind == "terminal" else f"usb://1209:4d4a/T{uid}"

    def boot(self, uid: int = 7) -> Firmware:
        now = asyncio.get_running_loop().time()
        return Firmware(
            self.mechanics, Identity(uid=uid), boot_id=next(numbers), cause=ResetCause.POWER_ON, now=now
        )

    def board(self, **settings: Any) -> Board:
        return Board(self.url, usb_backend=self.backend, **settings)

    def plug_in(self, *, noise: bytes = b"") -> None:
        """Put the plug in; with noise the board's firmware is not there yet."""
        driver = self.driver
        waking = Callbacks(lambda _: None, lambda _: None, lambda: None)
        callbacks = waking if noise else Callbacks(driver.data_came, lambda _: None, driver.pump)
        if self.kind == "usb":
            self.device.plug_in()
            end: Any = self.device.open(callbacks)
        else:
            self.terminal = Pseudoterminal()
            end = self.terminal.open(callbacks)
            self.terminal.publish(self.symlink)
        if noise:
            end.write(noise)
            self.end = end
        else:
            driver.attach(end)
            self.end = end

    def wake(self) -> None:
        """The firmware has started at last."""
        callbacks = Callbacks(self.driver.data_came, lambda _: None, self.driver.pump)
        if self.terminal is not None:
            self.end.abort()
            self.driver.attach(self.terminal.open(callbacks))
        else:
            self.driver.attach(self.device.open(callbacks))

    def unplug(self) -> None:
        if self.kind == "usb":
            self.device.unplug()
        elif self.terminal is not None:
            self.terminal.close(self.symlink)
            self.terminal = None
        self.driver.detach()

    def get_stuck(self) -> None:
        """Read no more; the kernel's buffer is exactly full when the host writes next."""
        self.end.pause_reading()
        if self.terminal is not None:
            probe = os.open(self.symlink, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            for size in (64, 1):
                with contextlib.suppress(BlockingIOError):
                    while os.write(probe, b"\x55" * size) == size:
                        pass
            os.close(probe)

    def remove(self) -> None:
        self.unplug()
        self.driver.stop()


@pytest.fixture
async def make_table(tmp_path: Path) -> AsyncIterator[Callable[..., Table]]:
    made: list[Table] = []

    def make(kind: str, **settings: Any) -> Table:
        table = Table(kind, tmp_path, **settings)
        made.append(table)
        table.plug_in()
        return table

    yield make
    for table in made:
        table.remove()
        assert table.backend.open_handles == 0


async def heard(board: Board, kind: type[Heard], within_s: float = 5.0) -> Heard:
    async with asyncio.timeout(within_s):
        async for report in board.reports():
            if isinstance(report, kind):
                return report
    raise AssertionError("the reports have ended")


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def descriptors_on(path: Path) -> int:
    return [each.readlink() for each in Path("/proc/self/fd").iterdir() if each.exists()].count(path)


async def worst_lag(seconds: float) -> float:
    worst = 0.0
    end = time.monotonic() + seconds
    while (before := time.monotonic()) < end:
        await asyncio.sleep(0.002)
        worst = max(worst, time.monotonic() - before - 0.002)
    return worst


async def work_on(board: Board) -> None:
    while True:
        await board.command(GetStatus())
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("kind", KINDS)
async def test_case_01_a_stuck_board_never_delays_the_loop_while_three_others_work_on(
    kind: str, make_table: Callable[..., Table]
) -> None:
    stuck, *others = [make_table(kind, uid=uid) for uid in range(1, 5)]
    async with asyncio.TaskGroup() as group, stuck.board(lost_after_s=60.0) as board:
        boards = [group.create_task(_run_board(other)) for other in others]
        await board.connected()
        lags = []
        for _ in range(QUIET_ROUNDS):
            stuck.get_stuck()
            pending = [asyncio.create_task(board.command(GetStatus())) for _ in range(20)]
            lags.append(await worst_lag(0.4))
            assert not any(task.done() for task in pending)
            stuck.end.resume_reading()
            await asyncio.gather(*pending)
            if lags[-1] < LAG_BOUND_S:
                break
        assert min(lags) < LAG_BOUND_S
        for task in boards:
            task.cancel()


async def _run_board(table: Table) -> None:
    async with table.board() as board:
        await board.connected()
        await work_on(board)


@pytest.mark.parametrize("kind", KINDS)
async def test_case_01_and_27_the_link_of_a_stuck_board_is_lost_in_time_and_comes_back(
    kind: str, make_table: Callable[..., Table]
) -> None:
    table = make_table(kind)
    async with table.board(lost_after_s=0.4, resume_within_s=0.5) as board:
        await board.connected()
        table.get_stuck()
        table.mechanics.speed = 1e-9
        began = time.monotonic()
        with pytest.raises(LinkLost):
            await board.command(OpenHatch())
        assert time.monotonic() - began < 4.0
        table.end.resume_reading()
        await board.connected(5)


@pytest.mark.parametrize("kind", KINDS)
async def test_case_03_closing_with_a_stuck_peer_takes_less_than_a_second(
    kind: str, make_table: Callable[..., Table]
) -> None:
    table = make_table(kind)
    async with table.board() as board:
        await board.connected()
        table.get_stuck()
        pending = [asyncio.create_task(board.command(GetStatus())) for _ in range(20)]
        await asyncio.sleep(0.3)
        began = time.monotonic()
    assert time.monotonic() - began < 1.0
    ends = await asyncio.gather(*pending, return_exceptions=True)
    assert all(isinstance(end, LinkLost) for end in ends)
    assert not [thread for thread in threading.enumerate() if "USB device" in thread.name]


@pytest.mark.parametrize("kind", KINDS)
async def test_case_04_a_port_that_is_yanked_and_plugged_in_again_under_its_name_works(
    kind: str, make_table: Callable[..., Table]
) -> None:
    table = make_table(kind)
    async with table.board() as board:
        await board.connected()
        table.unplug()
        lost = await heard(board, Disconnected)
        assert isinstance(lost, Disconnected)
        assert not board.is_connected
        with pytest.raises(LinkLost):
            await board.command(GetStatus())
        table.plug_in()
        await board.connected()
        await board.command(GetStatus())


@pytest.mark.parametrize("kind", KINDS)
async def test_case_05_a_hundred_times_unplugged_and_back_leaves_no_task_thread_or_descriptor(
    kind: str, make_table: Callable[..., Table]
) -> None:
    table = make_table(kind)
    async with table.board() as board:
        await board.connected()
        tasks, threads, descriptors = len(asyncio.all_tasks()), threading.active_count(), open_descriptors()
        for _ in range(100):
            table.unplug()
            await heard(board, Disconnected)
            table.plug_in()
            await heard(board, Booted)
        await board.command(GetStatus())
        assert open_descriptors() == descriptors
        assert threading.active_count() <= threads + 3  # of the pool that opens ports
        assert len(asyncio.all_tasks()) == tasks
        assert table.backend.open_handles == (kind == "usb")
    assert len(asyncio.all_tasks()) == tasks - 1


@pytest.mark.parametrize("kind", KINDS)
async def test_case_06_a_command_under_way_resumes_at_the_renumbered_port(
    kind: str, make_table: Callable[..., Table]
) -> None:
    table = make_table(kind)
    table.mechanics.speed = 20.0
    async with table.board() as board:
        await board.connected()
        await board.command(OpenHatch())
        table.mechanics.load(136)
        cycle = asyncio.create_task(board.command(StartCycle()))
        while State.SORTING not in table.mechanics.states.values():
            await heard(board, Report)  # type: ignore[arg-type] # any report
        table.unplug()
        await heard(board, Disconnected)
        table.plug_in()
        await asyncio.wait_for(cycle, 20)
        assert table.mechanics.counters().cycles == 1


@pytest.mark.parametrize("kind", KINDS)
async def test_case_06_a_command_whose_port_never_comes_back_fails_with_a_typed_error(
    kind: str, make_table: Callable[..., Table]
) -> None:
    table = make_table(kind)
    async with table.board(resume_within_s=0.2) as board:
        await board.connected()
        table.mechanics.speed = 1e-9
        pending = asyncio.create_task(board.command(OpenHatch()))
        await asyncio.sleep(0.05)
        table.unplug()
        with pytest.raises(LinkLost, match="did not come back in time"):
            await asyncio.wait_for(pending, 5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("delay_s", [0.0, 0.3, 1.0, pytest.param(3.0, marks=pytest.mark.long)])
async def test_case_07_noise_and_silence_before_the_firmware_starts_are_waited_out(
    kind: str, delay_s: float, make_table: Callable[..., Table]
) -> None:
    table = make_table(kind)
    async with table.board(lost_after_s=0.5) as board:
        await board.connected()
        table.unplug()
        await heard(board, Disconnected)
        noise = b"ets Jan  8 2013,rst cause:2\r\n\x00" + Random(2).randbytes(300)  # noqa: S311 - noise
        table.plug_in(noise=noise)
        await asyncio.sleep(delay_s)
        table.end.write(noise)
        await asyncio.sleep(0.05)
        assert not board.is_connected
        began = time.monotonic()
        table.wake()
        await board.connected(3)
        assert time.monotonic() - began < 2.0
        assert board.stats.bad_frames > 0 or delay_s != 0.3  # an opening throws older noise away
        await board.command(GetStatus())


@pytest.mark.parametrize("kind", KINDS)
async def test_case_08_the_same_table_is_back_within_two_seconds_of_its_node(
    kind: str, make_table: Callable[..., Table]
) -> None:
    table = make_table(kind)
    async with table.board() as board:
        await board.connected()
        table.unplug()
        await asyncio.sleep(1.5)  # the waits between attempts have grown to their longest
        began = time.monotonic()
        table.plug_in()
        await board.connected(5)
        assert time.monotonic() - began < 2.0


async def test_case_09_a_name_that_leads_elsewhere_is_followed_although_the_old_port_never_ends(
    make_table: Callable[..., Table],
) -> None:
    table = make_table("terminal")
    async with table.board(lost_after_s=60.0) as board:
        await board.connected()
        old, table.terminal = table.terminal, None
        assert old is not None
        old_name = table.symlink.readlink()
        table.driver.detach()  # silent, and still open
        began = time.monotonic()
        table.plug_in()
        await heard(board, Disconnected)
        await board.connected(5)
        assert time.monotonic() - began < 2.0
        assert descriptors_on(old_name) == 1  # the simulated board's own, none of the host's
        old.close(table.symlink)


class Listing:
    """The serial ports of a computer, as the system would list them."""

    def __init__(self) -> None:
        self.ports: dict[Path, UsbId] = {}

    def __call__(self) -> list[SerialDevice]:
        return [
            SerialDevice(str(symlink.readlink()), usb)
            for symlink, usb in self.ports.items()
            if symlink.is_symlink()
        ]


async def test_case_09_a_board_that_comes_back_as_another_tty_is_found_by_its_serial_number(
    make_table: Callable[..., Table], tmp_path: Path
) -> None:
    table = make_table("terminal", uid=7)
    (tmp_path / "foreign").symlink_to(tmp_path / "never-opened")
    listing = Listing()
    listing.ports = {
        table.symlink: UsbId(0x1A86, 0x7523, "A1"),
        tmp_path / "foreign": UsbId(0x1A86, 0x7523, "B2"),
    }
    async with Board("serial://usb/1a86:7523/A1", list_serial=listing) as board:
        await board.connected()
        before = table.symlink.readlink()
        held = os.open(before, os.O_RDWR | os.O_NOCTTY)  # the old number stays taken
        table.unplug()
        await heard(board, Disconnected)
        table.plug_in()
        assert table.symlink.readlink() != before
        await board.connected()
        os.close(held)


async def test_case_10_two_adapters_without_serial_numbers_are_told_apart_by_the_board_s_uid(
    make_table: Callable[..., Table],
) -> None:
    one, two = make_table("terminal", uid=1), make_table("terminal", uid=2)
    listing = Listing()
    listing.ports = dict.fromkeys((one.symlink, two.symlink), UsbId(0x1A86, 0x7523))
    url = "serial://usb/1a86:7523"
    async with (
        Board(url, uid=1, list_serial=listing) as first,
        Board(url, uid=2, list_serial=listing) as second,
    ):
        for _ in range(2):
            assert (await first.connected()).uid == 1
            assert (await second.connected()).uid == 2
            await first.command(OpenHatch())
            assert State.HATCH_OPEN in one.mechanics.states.values()
            assert State.HATCH_OPEN not in two.mechanics.states.values()
            for table in (one, two):
                table.unplug()
            await heard(first, Disconnected)
            await heard(second, Disconnected)
            one.symlink, two.symlink = two.symlink, one.symlink
            for table in (one, two):
                table.plug_in()
    async with Board(url, list_serial=listing) as unnamed:
        with pytest.raises(LinkLost, match="name its serial number, or the board's uid"):
            await unnamed.connected(0.2)


@pytest.mark.parametrize("expected", [None, 1])
async def test_case_10_another_table_s_board_is_refused_by_name_and_the_right_one_still_awaited(
    expected: int | None, make_table: Callable[..., Table]
) -> None:
    one, two = make_table("terminal", uid=1), make_table("terminal", uid=2)
    async with Board(str(one.symlink), uid=expected) as board:
        await board.connected()
        one.unplug()
        two.unplug()
        assert (await heard(board, Disconnected)).loss is Loss.PORT
        two.symlink, one.symlink = one.symlink, two.symlink
        two.plug_in()
        with pytest.raises(WrongBoard, match="uid 0x00000002, expected 0x00000001"):
            await board.connected(0.7)
        with pytest.raises(WrongBoard):
            await board.command(OpenHatch())
        assert two.mechanics.counters().openings == 0
        told = 1
        while (await heard(board, Disconnected)).loss is not Loss.WRONG_BOARD:
            told += 1
        assert told <= 2  # the reason, not every attempt
        two.unplug()
        one.symlink, two.symlink = two.symlink, one.symlink
        one.plug_in()
        await board.connected()
        await board.command(OpenHatch())


async def test_case_13_a_modem_probe_at_any_time_is_counted_and_harmless(
    make_table: Callable[..., Table],
) -> None:
    table = make_table("terminal")
    probe = os.open(table.symlink, os.O_RDWR | os.O_NOCTTY)
    os.write(probe, b"AT\r\nAT+GCAP\r\n")
    async with table.board() as board:
        await board.connected()
        for _ in range(5):
            os.write(probe, b"AT\r\n")
            await board.command(GetStatus())
    os.close(probe)
    assert table._line.firmware.link.stats.garbage_bytes >= len(b"AT\r\nAT+GCAP\r\n")  # noqa: SLF001


async def test_case_22_a_wrong_baud_rate_is_told_in_bytes_and_crc_errors(tmp_path: Path) -> None:
    terminal = Pseudoterminal()
    end = terminal.open(Callbacks(lambda _: None, lambda _: None, lambda: None))
    terminal.publish(tmp_path / "board")
    garbled = bytes(value & 0xF8 | 0x80 for value in Random(3).randbytes(500)) + b"\x00" * 4  # noqa: S311 - noise
    async with Board(str(tmp_path / "board"), lost_after_s=0.3) as board:
        await asyncio.sleep(0.1)
        end.write(garbled)
        with pytest.raises(NoValidFrame, match=r"no valid frame, 504 bytes, 1 CRC errors") as caught:
            await board.connected(0.45)
        assert (caught.value.received, caught.value.crc_errors) == (504, 1)
        while (await heard(board, Disconnected)).loss is not Loss.NOISE:
            pass
    terminal.close(tmp_path / "board")


async def test_case_23_two_devices_never_wait_for_each_other_and_a_waiting_read_ends_in_time(
    make_table: Callable[..., Table],
) -> None:
    silent, busy = make_table("usb", uid=1), make_table("usb", uid=2)
    silent.unplug()
    silent.device.plug_in()  # answers nothing
    async with busy.board() as working:
        await working.connected()
        async with silent.board() as board:
            began = time.monotonic()
            for _ in range(20):
                await working.command(GetStatus())
            assert time.monotonic() - began < 1.0
            assert not board.is_connected
            names = [thread.name for thread in threading.enumerate()]
            assert sum(name.startswith("read USB device") for name in names) == 2
            began = time.monotonic()
        assert time.monotonic() - began < 0.3


async def test_case_24_a_link_that_gets_worse_is_reported_while_it_still_works(
    make_table: Callable[..., Table],
) -> None:
    table = make_table("terminal", faults=WireFaults(loss=0.1, flip=0.05))
    async with asyncio.TaskGroup() as group, table.board() as board:
        await board.connected()
        work = group.create_task(work_on(board))
        fault = await heard(board, Fault, within_s=10)
        assert isinstance(fault, Fault)
        assert fault.code is FaultCode.LNK_02
        assert fault.evidence > 10
        assert board.is_connected
        assert board.bad_per_mille > 10
        table._line.to_board.faults = table._line.to_host.faults = WireFaults()  # noqa: SLF001
        cleared = await heard(board, FaultCleared, within_s=20)
        assert cleared == FaultCleared(FaultCode.LNK_02)
        work.cancel()


STRANGE = (
    usb.core.USBError("odd", None, 4711),
    usb.core.USBError("no errno"),
    OSError(errno.EIO, "input/output error"),
    ValueError("invalid handle"),
    NotImplementedError("bulk_read"),
    AttributeError("'NoneType' object has no attribute 'handle'"),
    serial.SerialException("from another library"),
    RuntimeError("out of the blue"),
)


WHERE = ("open_device", "bulk_read", "bulk_write", "enumerate_devices")


@pytest.mark.parametrize(
    ("error", "where"), [(error, WHERE[(n + m) % 4]) for n, error in enumerate(STRANGE) for m in (0, 1)]
)
async def test_case_25_whatever_a_library_raises_is_link_lost(
    error: Exception, where: str, make_table: Callable[..., Table]
) -> None:
    table = make_table("usb")
    broken = [False]
    inside = getattr(SimUsbBackend, where)

    def maybe(self: SimUsbBackend, *arguments: Any) -> Any:
        if broken[0]:
            raise error
        return inside(self, *arguments)

    table.backend = type("Broken", (SimUsbBackend,), {where: maybe})(table.bus)
    async with table.board(resume_within_s=0.3, lost_after_s=0.5) as board:
        await board.connected()
        table.mechanics.speed = 1e-9
        pending = asyncio.create_task(board.command(OpenHatch()))
        await asyncio.sleep(0.02)
        broken[0] = True
        table.unplug()
        table.plug_in()
        with pytest.raises(LinkLost):
            await asyncio.wait_for(pending, 5)
        with pytest.raises(LinkLost):
            await board.connected(0.05)
        broken[0] = False
        await board.connected()


async def test_case_25_a_listing_that_fails_is_link_lost() -> None:
    def fails() -> Iterator[SerialDevice]:
        raise RuntimeError("udev is away")

    async with Board("serial://usb/1a86:7523", list_serial=fails) as board:
        with pytest.raises(LinkLost, match="udev is away"):
            await board.connected(0.2)


async def test_case_26_devices_of_other_kinds_are_never_opened(make_table: Callable[..., Table]) -> None:
    table = make_table("usb")
    printer = UsbDevice(table.bus, UsbFacts(vendor=0x04F9, product=0x0001, serial="T7"))
    printer.plug_in()
    async with table.board() as board:
        await board.connected()
        table.unplug()
        await asyncio.sleep(0.3)
    assert printer.address not in table.bus.opened


async def test_a_command_on_every_kind_of_plug_plays_a_round(make_table: Callable[..., Table]) -> None:
    for uid, kind in enumerate(KINDS, 1):
        table = make_table(kind, uid=uid)
        async with table.board() as board:
            await board.connected()
            await board.command(OpenHatch())
            table.mechanics.load(136)
            for command in (StartCycle(), RaiseWalls(), RollDice()):
                await board.command(command)
        assert table.mechanics.states[Region.WALLS] is State.WALLS_UP
        assert len(table.mechanics.dice) == 2
