"""Opening ports: addresses, who holds a port, control lines, peers that are slow, streams that have begun."""

import asyncio
import fcntl
import os
import socket
import struct
import subprocess
import sys
import termios
import time
import tty
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from random import Random

import pytest

from firmware_bridge import BadUrl, Board, LinkLost, PortUnavailable
from firmware_bridge.driver import Driver
from firmware_bridge.host import Host
from firmware_bridge.identity import SerialDevice, Turn, matches, serial_devices, serial_path
from firmware_bridge.messages import Booted, Disconnected, GetStatus, OpenHatch
from firmware_bridge.port import Callbacks, Transport, open_port
from firmware_bridge.port_address import SerialPath, SerialUsb, Tcp, UsbBulk, UsbId, parse_url
from firmware_bridge.port_holder import holders
from firmware_bridge.states import Capability, Loss, ResetCause
from hardware_sim.board import SimBoard
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.mechanics import Mechanics
from hardware_sim.wires import Wire
from hardware_sim.wires_pair import Pair

NOTHING = Callbacks(lambda _: None, lambda _: None, lambda: None)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("/dev/ttyUSB0", SerialPath("/dev/ttyUSB0")),
        ("serial:///dev/serial/by-id/usb-1a86_x", SerialPath("/dev/serial/by-id/usb-1a86_x")),
        ("serial://usb/1A86:7523", SerialUsb(UsbId(0x1A86, 0x7523))),
        ("serial://usb/0403:6001/A%2F1", SerialUsb(UsbId(0x0403, 0x6001, "A/1"))),
        ("socket://table-3.local:4000", Tcp("table-3.local", 4000)),
        ("socket://[::1]:4000", Tcp("::1", 4000)),
        ("usb://1209:0001/T7", UsbBulk(UsbId(0x1209, 1, "T7"))),
    ],
)
def test_an_address_says_where_the_board_is(url: str, address: object) -> None:
    assert parse_url(url) == address


@pytest.mark.parametrize(
    "url",
    [
        "",
        "serial://",
        "serial://usb/",
        "serial://usb/1a86",
        "usb://",
        "usb://1209",
        "usb://12:1",
        "usb://g209:0001",
    ],
)
def test_an_address_that_says_nothing_is_refused_with_what_was_expected(url: str) -> None:
    with pytest.raises(BadUrl, match="expected a path, serial://PATH, serial://usb/VID:PID"):
        parse_url(url)


def test_serial_ports_are_chosen_by_identity_alone() -> None:
    ports = [
        SerialDevice("/dev/ttyUSB1", UsbId(0x1A86, 0x7523)),
        SerialDevice("/dev/ttyUSB0", UsbId(0x1A86, 0x7523, "X")),
        SerialDevice("/dev/ttyUSB2", UsbId(0x04F9, 0x7523, "X")),
        SerialDevice("/dev/ttyS0", None),
    ]
    kind = UsbId(0x1A86, 0x7523)
    assert serial_path(UsbId(0x1A86, 0x7523, "X"), ports, Turn()) == "/dev/ttyUSB0"
    assert [serial_path(kind, ports, Turn(number, decides=True)) for number in range(3)] == [
        "/dev/ttyUSB0",
        "/dev/ttyUSB1",
        "/dev/ttyUSB0",
    ]
    with pytest.raises(PortUnavailable, match=r"2 devices .* \(?/dev/ttyUSB0, /dev/ttyUSB1; name its serial"):
        serial_path(kind, ports, Turn())
    with pytest.raises(PortUnavailable, match="there is no USB serial port 1a86:7523 Y"):
        serial_path(UsbId(0x1A86, 0x7523, "Y"), ports, Turn())
    assert not matches(kind, None)


def test_case_26_listing_the_serial_ports_of_this_computer_opens_none_of_them() -> None:
    opened: list[str] = []
    seen = [True]

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if seen[0] and event == "open" and str(arguments[0]).startswith("/dev/tty"):
            opened.append(str(arguments[0]))

    sys.addaudithook(note)
    devices = serial_devices()
    seen[0] = False
    assert opened == []
    assert devices == sorted(devices, key=lambda device: device.path)


# ---- who holds the port ------------------------------------------------------------------------------------

HOLD = """
import serial, sys
port = serial.Serial(sys.argv[1], exclusive=sys.argv[2] == "locked")
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("how", ["locked", "open"])
async def test_case_12_a_second_program_is_told_which_program_holds_the_port(
    how: str, tmp_path: Path
) -> None:
    sim = SimBoard(tmp_path / "board", 1)
    await sim.start()
    holder = subprocess.Popen(  # noqa: ASYNC220 - it only has to be there
        [sys.executable, "-c", HOLD, str(tmp_path / "board"), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdin
        assert holder.stdout
        assert holder.stdout.readline() == "ready\n"
        found = {each.pid: each for each in holders(str(tmp_path / "board"))}
        assert found[holder.pid].locks == (how == "locked")
        assert found[holder.pid].name.startswith("python")
        async with Board(str(tmp_path / "board")) as board:
            if how == "locked":
                words = rf"another program holds this port \(python.*, pid {holder.pid}\)"
                with pytest.raises(LinkLost, match=words):
                    await board.connected(0.3)
                told = await anext(board.reports())
                assert isinstance(told, Disconnected)
                assert told.loss is Loss.HELD
            holder.stdin.close()
            holder.wait()
            await board.connected()
    await sim.stop()


async def test_case_12_two_boards_of_one_program_do_not_share_a_port(tmp_path: Path) -> None:
    sim = SimBoard(tmp_path / "board", 1)
    await sim.start()
    async with Board(str(tmp_path / "board")) as first:
        await first.connected()
        async with Board(str(tmp_path / "board")) as second:
            with pytest.raises(LinkLost, match=r"another program holds this port \(this program itself\)"):
                await second.connected(0.3)
        await first.command(GetStatus())
    await sim.stop()


async def test_what_is_no_serial_port_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(PortUnavailable, match="file: is no serial port"):
        await open_port(str(tmp_path / "file"), NOTHING)
    with pytest.raises(PortUnavailable, match="nowhere: there is no such port"):
        await open_port(str(tmp_path / "nowhere"), NOTHING)
    with pytest.raises(PortUnavailable, match=r"127.0.0.1:1: "):
        await open_port("socket://127.0.0.1:1", NOTHING)


# ---- control lines -----------------------------------------------------------------------------------------


class ModemLines:
    """DTR and RTS of a port that has none: what a driver would do, and a board that starts anew on a rise."""

    def __init__(self, rise: Callable[[], object]) -> None:
        self.lowered = 0
        self.raised = 0
        self._rise = rise
        self._real = fcntl.ioctl

    def ioctl(self, fd: int, request: int, *arguments: object) -> object:
        if request not in (termios.TIOCMBIS, termios.TIOCMBIC):
            return self._real(fd, request, *arguments)  # type: ignore[call-overload] # as it came
        (lines,) = struct.unpack("I", arguments[0])  # type: ignore[arg-type] # bytes, by these requests
        if request == termios.TIOCMBIC:
            self.lowered |= lines
        else:
            self.raised |= lines
            self._rise()
        return 0


async def test_case_11_dtr_and_rts_go_low_at_every_opening_so_that_no_board_is_reset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = SimBoard(tmp_path / "board", 1, 20.0)
    await sim.start()
    loop = asyncio.get_running_loop()
    lines = ModemLines(lambda: loop.call_soon_threadsafe(sim.boot, ResetCause.RESET_LINE))
    monkeypatch.setattr(fcntl, "ioctl", lines.ioctl)
    async with Board(str(tmp_path / "board")) as board:
        booted = await board.connected()
        for _ in range(3):
            sim.unplug()
            while board.is_connected:  # noqa: ASYNC110 - the link's own time
                await asyncio.sleep(0.01)
            sim.plug_in()
            assert await board.connected() == booted
    assert lines.lowered == termios.TIOCM_DTR | termios.TIOCM_RTS
    assert lines.raised == 0
    await sim.stop()


async def two_greetings(board: Board) -> AsyncIterator[Booted]:
    number = 0
    async for report in board.reports():
        if isinstance(report, Booted):
            yield report
            number += 1
        if number == 2:
            return


async def test_case_11_a_board_that_resets_on_opening_all_the_same_is_reported_with_its_command(
    tmp_path: Path,
) -> None:
    sim = SimBoard(tmp_path / "board", 1, 20.0)
    await sim.start()
    async with Board(str(tmp_path / "board")) as board:
        before = await board.connected()
        opening = asyncio.create_task(board.command(OpenHatch()))
        await asyncio.sleep(0.02)
        sim.unplug()
        sim.boot(ResetCause.RESET_LINE)
        sim.plug_in()
        with pytest.raises(LinkLost, match="restarted"):
            await asyncio.wait_for(opening, 5)
        booted = [report async for report in two_greetings(board)]
        assert [report.cause for report in booted] == [ResetCause.POWER_ON, ResetCause.RESET_LINE]
        assert booted[0] == before
        assert booted[1].boot_id != before.boot_id
    await sim.stop()


# ---- slow and stuck peers ----------------------------------------------------------------------------------


async def test_case_02_after_a_hundred_kilobytes_to_a_slow_reader_the_loop_rests() -> None:
    near, far = os.openpty()
    tty.setraw(far)
    os.set_blocking(far, False)
    transport = Transport(near, lambda: os.close(near), NOTHING)
    sent = received = 0
    while received < 100_000:
        while sent < 100_000 and transport.room >= 20:
            transport.write(b"q" * 20)
            sent += 20
        await asyncio.sleep(0.001)
        try:
            received += len(os.read(far, 1500))
        except BlockingIOError:
            continue
    shares = []
    for _ in range(3):
        before, began = time.process_time(), time.monotonic()
        await asyncio.sleep(0.3)
        shares.append((time.process_time() - before) / (time.monotonic() - began))
    assert min(shares) < 0.02
    transport.abort()
    os.close(far)


async def test_case_03_and_27_a_tcp_peer_that_does_not_read_delays_neither_writing_nor_closing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        port = await open_port(f"socket://127.0.0.1:{server.getsockname()[1]}", NOTHING)
        peer, _ = server.accept()
        longest, idle = 0.0, 0
        while idle < 50:
            while port.room >= 64:
                idle = 0
                began = time.monotonic()
                port.write(b"w" * 64)
                longest = max(longest, time.monotonic() - began)
            idle += 1
            await asyncio.sleep(0)
        assert longest < 0.25
        began = time.monotonic()
        port.abort()
        await port.wait_closed()
        assert time.monotonic() - began < 1.0
        peer.close()


async def test_a_tcp_board_whose_server_starts_anew_is_found_again() -> None:
    now = asyncio.get_running_loop().time()
    mechanics = Mechanics(Random(1), speed=60.0)  # noqa: S311 - a game
    firmware = Firmware(mechanics, Identity(uid=7), boot_id=1, cause=ResetCause.POWER_ON, now=now)
    driver = Driver(firmware, lambda: None)

    async def serve(server: socket.socket) -> None:
        connection, _ = await asyncio.get_running_loop().sock_accept(server)
        callbacks = Callbacks(driver.data_came, lambda _: None, driver.pump)
        driver.attach(Transport(connection.fileno(), connection.close, callbacks))

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)  # noqa: FBT003 - the method takes it by position only
        async with Board(f"socket://127.0.0.1:{server.getsockname()[1]}") as board:
            for _ in range(3):
                await serve(server)
                assert (await board.connected()).uid == 7
                await board.command(GetStatus())
                driver.detach()
                while board.is_connected:  # noqa: ASYNC110 - the link's own time
                    await asyncio.sleep(0.01)
    driver.stop()


# ---- starting anywhere -------------------------------------------------------------------------------------


class Tapped(Wire):
    """A wire that remembers what went over it."""

    def __init__(self) -> None:
        super().__init__(1)
        self.heard = bytearray()

    def carry(self, data: bytes, now: float) -> None:
        self.heard += data
        super().carry(data, now)


def pair(tap: Wire, boot_id: int, session: int) -> tuple[Pair, Host]:
    host = Host(session=session, first_op_id=1)
    firmware = Firmware(
        Mechanics(Random(5), speed=20.0),  # noqa: S311 - a game
        Identity(uid=1, capabilities=Capability.DICE),  # one that tells little: every byte of it is tried
        boot_id=boot_id,
        cause=ResetCause.POWER_ON,
        now=0.0,
    )
    host.port_opened(0.0)
    return Pair(host, firmware, Wire(2), tap), host


def test_case_15_a_host_that_comes_in_at_any_byte_of_a_running_stream_connects() -> None:
    tap = Tapped()
    talk, host = pair(tap, 1, 3)
    talk.run(1.0)
    assert host.ready
    host.request(OpenHatch(), talk.now)
    talk.run(1.0)
    stream = bytes(tap.heard)
    assert len(stream) > 200
    for offset in range(len(stream)):
        late, newcomer = pair(Wire(1), 2, 9)
        newcomer.receive(stream[offset:], 0.0)
        late.run(0.5)
        assert newcomer.ready, f"from byte {offset}"
        assert newcomer.identity is not None
        assert newcomer.identity.boot_id == 2
