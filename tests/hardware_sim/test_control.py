"""The control socket: one line in, one line out, whatever the line is."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from firmware_bridge import Board
from firmware_bridge.messages import Disconnected, Report
from firmware_bridge.states import Region, State
from hardware_sim.board import SimBoard
from hardware_sim.board_port import UsbPort
from hardware_sim.control import LINE_LIMIT, Control, NobodyListens, ask
from hardware_sim.faults_list import parse_faults
from hardware_sim.usb_backend import SimUsbBackend


@asynccontextmanager
async def controlled(folder: Path) -> AsyncIterator[SimBoard]:
    board = SimBoard(folder / "board", 1, 60.0)
    await board.start()
    served = Control(folder, board)
    await served.start()
    try:
        yield board
    finally:
        await served.stop()
        await board.stop()


async def say(folder: Path, line: str) -> str:
    return await asyncio.to_thread(ask, folder, line)


async def test_a_fault_is_let_in_listed_and_ended(tmp_path: Path) -> None:
    async with controlled(tmp_path) as board:
        assert await say(tmp_path, "drop 0.25 dir=to_host") == "ok drop=0.25:dir=to_host"
        assert board.unit.line.to_host.faults.loss == 0.25
        assert board.unit.line.to_board.faults.loss == 0.0
        assert await say(tmp_path, "jam @cycle2 side=2") == "ok FED-01=2@cycle2"
        told = await say(tmp_path, "faults")
        assert told == "ok line drop=0.25:dir=to_host; machine none; camera none; to come FED-01=2@cycle2"
        assert await say(tmp_path, "clear") == "ok cleared drop what was to come"
        assert await say(tmp_path, "faults") == "ok line none; machine none; camera none; to come none"


async def test_the_board_is_told_of_and_its_keys_are_pressed(tmp_path: Path) -> None:
    async with controlled(tmp_path) as board:
        pressed: list[Report] = []
        board.watch(pressed.append)
        assert await say(tmp_path, "press lift 2") == "ok pressed LIFT 2"
        assert len(pressed) >= 1
        assert "power on, boots 1, link down, OPERATIONAL HATCH_CLOSED" in await say(tmp_path, "status")
        assert (await say(tmp_path, "help")).startswith("ok a fault")
        await say(tmp_path, "estop")
        assert board.mechanics.states[Region.SAFETY] is State.STOP_CHAIN_OPEN


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "error: an empty line; expected a fault"),
        ("jum", "error: no fault is called 'jum'"),
        ("jam side=9", "error: side=9: expected"),
        ("press LEFT", "error: press LEFT: expected one of LIFT, DICE"),
        ("press LIFT 7", "error: press LIFT 7: expected a seat 0..3"),
        ("clear jum", "error: no fault is called 'jum'"),
        ("drop @a @b", "error: drop @a @b: several times"),
    ],
)
async def test_a_wrong_line_is_answered_with_what_was_expected(tmp_path: Path, line: str, said: str) -> None:
    async with controlled(tmp_path):
        assert (await say(tmp_path, line)).startswith(said)


async def test_the_socket_survives_garbage(tmp_path: Path) -> None:
    garbage = (
        b"\xff\xfe\n",
        b"\x00\n",
        b"x" * (5 * LINE_LIMIT) + b"\n",
        b"{}[]=@:,,\n",
        b"@\n",
        b"=\n",
        b":\n",
    )
    async with controlled(tmp_path):
        reader, writer = await asyncio.open_unix_connection(tmp_path / "control")
        for line in garbage:
            writer.write(line)
            assert (await reader.readline()).startswith(b"error: ")
        writer.write(b"status\n")
        assert (await reader.readline()).startswith(b"ok ")
        writer.close()
        with socket.socket(socket.AF_UNIX) as half:
            half.connect(str(tmp_path / "control"))
            half.sendall(b"sta")
        assert (await say(tmp_path, "status")).startswith("ok ")


def test_a_folder_without_a_table_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(NobodyListens, match="no simulated table listens there"):
        ask(tmp_path, "help")


async def test_a_folder_may_lie_as_deep_as_it_likes(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    async with controlled(deep):
        assert (await say(deep, "status")).startswith("ok ")


async def test_the_program_talks_to_the_socket(tmp_path: Path) -> None:
    async with controlled(tmp_path):
        for line, status, said in (
            ("noise=10", 0, b"ok noise=10\n"),
            ("jum", 1, b"hardware_sim: error: no fault is called 'jum'"),
        ):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "controller", "sim", "ctl", str(tmp_path), line),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            output, _ = await process.communicate()
            assert (process.returncode, output[: len(said)]) == (status, said)


@pytest.mark.parametrize("kind", ["pty", "usb"])
@pytest.mark.parametrize("fault", ["unplug=0.2", "renumber", "reset", "power-cut=0.3"])
async def test_a_real_host_comes_back_after(tmp_path: Path, kind: str, fault: str) -> None:
    usb = UsbPort(tmp_path / "usb", "T1")
    sim = SimBoard(tmp_path / "board" if kind == "pty" else usb, 1, 60.0)
    await sim.start()
    try:
        board = Board(sim.port.address, usb_backend=SimUsbBackend(usb.bus))
        async with board, asyncio.timeout(20):
            first = await board.connected()
            for injection in parse_faults(fault):
                sim.inflict(injection)
            async for report in board.reports():
                if isinstance(report, Disconnected):
                    break
            again = await board.connected()
            assert again.uid == first.uid
            assert (again.boot_id != first.boot_id) == fault.startswith(("reset", "power-cut"))
    finally:
        await sim.stop()
