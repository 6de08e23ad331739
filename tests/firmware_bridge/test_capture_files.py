"""A Board writes its last frames into a folder when the link goes or a fault stops the machine."""

import asyncio
import resource
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from talking_board import EVERYTHING, TalkingBoard

from firmware_bridge import Board
from firmware_bridge.capture import Capture, parse_capture
from firmware_bridge.capture_files import FILES_KEPT, PAUSE_S, CaptureFiles
from firmware_bridge.capture_replay import replay
from firmware_bridge.driver import Driver
from firmware_bridge.faults import FaultCode
from firmware_bridge.messages import Disconnected, Fault, GetStatus, Report
from firmware_bridge.port import Callbacks, Transport
from firmware_bridge.states import Capability, Severity

FAULT = Fault(FaultCode.CNT_01, Severity.STOP_CYCLE, evidence=2)


class Bench:
    """A talking board behind a socket, and the Board at it."""

    def __init__(self, talking: TalkingBoard, driver: Driver, board: Board) -> None:
        self.talking = talking
        self.driver = driver
        self.board = board

    async def hear(self, kind: type[Report]) -> None:
        async with asyncio.timeout(5):
            async for report in self.board.reports():
                if isinstance(report, kind):
                    return


@asynccontextmanager
async def bench(folder: Path) -> AsyncIterator[Bench]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)  # noqa: FBT003 - the method takes it by position only
        talking = TalkingBoard(capabilities=EVERYTHING & ~Capability.DICTIONARY)
        driver = Driver(talking, lambda: None)
        async with Board(f"socket://127.0.0.1:{server.getsockname()[1]}", captures=folder) as board:
            connection, _ = await asyncio.get_running_loop().sock_accept(server)
            callbacks = Callbacks(driver.data_came, lambda _: None, driver.pump)
            driver.attach(Transport(connection.fileno(), connection.close, callbacks))
            await board.connected()
            yield Bench(talking, driver, board)
        driver.stop()


def only_capture(folder: Path) -> Capture:
    (path,) = folder.glob("*.capture")
    return parse_capture(path.read_text(encoding="utf-8"))


def texts(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())]


async def test_a_fault_that_stops_the_machine_leaves_a_capture_that_plays_it_again(tmp_path: Path) -> None:
    folder = tmp_path / "captures"
    async with bench(folder) as table:
        table.talking.report(Fault(FaultCode.PWR_05, Severity.WARN))
        table.talking.report(FAULT)
        table.driver.pump()
        await table.hear(Fault)
        await table.hear(Fault)
    capture = only_capture(folder)
    assert capture.about["why"] == "fault CNT-01"
    assert FAULT in [each.report for each in replay(capture)]


async def test_a_lost_link_leaves_a_capture_once_in_ten_seconds(tmp_path: Path) -> None:
    async with bench(tmp_path) as table:
        table.driver.detach()
        await table.hear(Disconnected)
    capture = only_capture(tmp_path)
    assert "socket" in capture.about["port"]
    assert any(isinstance(each.report, Disconnected) for each in replay(capture))


async def test_a_folder_that_can_not_be_written_is_told_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    async with bench(tmp_path / "file") as table:
        table.talking.report(FAULT)
        table.driver.pump()
        await table.hear(Fault)
        assert table.board.captures is not None
        await table.board.captures.finished()
        assert table.board.captures.trouble is not None
        assert str(tmp_path / "file") in table.board.captures.trouble
        await table.board.command(GetStatus())


async def test_a_full_disk_is_told_and_leaves_no_half_of_a_capture(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = CaptureFiles(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, limits[1]))
    try:
        files.write(Capture((), about={"why": "a long story " * 100}))
        await files.finished()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert texts(tmp_path) == []
    assert files.trouble is not None
    assert f"capture not written: {files.trouble}" in caplog.text


def test_captures_are_not_written_faster_than_every_ten_seconds(tmp_path: Path) -> None:
    files = CaptureFiles(tmp_path)
    assert [files.is_due(at) for at in (0.0, PAUSE_S - 1, PAUSE_S, PAUSE_S + 1)] == [True, False, True, False]


@pytest.mark.parametrize("written", [FILES_KEPT + 7])
async def test_a_folder_keeps_the_newest(tmp_path: Path, written: int) -> None:
    files = CaptureFiles(tmp_path)
    for number in range(written):
        files.write(Capture((), about={"number": str(number)}))
        await files.finished()
    kept = [parse_capture(text).about["number"] for text in texts(tmp_path)]
    assert kept == [str(number) for number in range(written - FILES_KEPT, written)]
