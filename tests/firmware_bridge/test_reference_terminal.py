"""Our Board at the C board on a pseudo-terminal: a machine's round, stops, a restart in a cycle, noise."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from firmware_bridge import Board, CommandFailed, LinkLost
from firmware_bridge import messages as m
from firmware_bridge.faults import FaultCode
from firmware_bridge.states import FailCause, Key, ResetCause, State

AnyReport = TypeVar("AnyReport", bound=m.Report)


class Terminal:
    """The C board as a program, and the people at its table."""

    def __init__(self, process: asyncio.subprocess.Process, link: Path) -> None:
        self._process = process
        self.link = link

    async def play(self, line: str) -> str:
        """Play one line; what the program said before its "ok"."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line.encode() + b"\n")
        said = []
        async with asyncio.timeout(10):
            while (answer := (await self._process.stdout.readline()).decode().strip()) != "ok":
                assert answer not in {"", "no"}, line
                said.append(answer)
        return "\n".join(said)

    async def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert await asyncio.wait_for(self._process.wait(), 10) == 0
        assert not self.link.is_symlink()


@asynccontextmanager
async def terminal(program: Path, link: Path, *options: str) -> AsyncIterator[Terminal]:
    process = await asyncio.create_subprocess_exec(
        program, link, *options, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), 10) == b"ready\n"
    table = Terminal(process, link)
    try:
        yield table
    finally:
        await table.stop()


class Bench:
    """A Board and all it has heard."""

    def __init__(self, board: Board, table: Terminal) -> None:
        self.board = board
        self.table = table
        self.heard: list[m.Report] = []
        self._more = asyncio.Event()

    async def listen(self) -> None:
        async for report in self.board.reports():
            self.heard.append(report)
            self._more.set()

    async def hear(self, kind: type[AnyReport], times: int = 1) -> list[AnyReport]:
        async with asyncio.timeout(20):
            while True:
                found: list[AnyReport] = [report for report in self.heard if isinstance(report, kind)]
                if len(found) >= times:
                    return found
                self._more.clear()
                await self._more.wait()

    async def do(self, *commands: m.Command) -> None:
        for command in commands:
            await self.board.command(command)

    async def load(self, tiles: int = 136) -> None:
        await self.do(m.OpenHatch())
        await self.table.play(f"load {tiles}")

    async def until(self, state: State) -> None:
        async with asyncio.timeout(20):
            while m.StateChanged(state.region, state) not in self.heard:
                self._more.clear()
                await self._more.wait()


@asynccontextmanager
async def bench(program: Path, folder: Path, *options: str) -> AsyncIterator[Bench]:
    options = options or ("--speed", "60")
    async with (
        terminal(program, folder / "board", *options) as table,
        Board(str(folder / "board")) as board,
    ):
        here = Bench(board, table)
        listening = asyncio.create_task(here.listen())
        await board.connected()
        yield here
        listening.cancel()
        await asyncio.wait((listening,))


async def test_a_round_of_the_machine_on_a_terminal(c_terminal: Path, tmp_path: Path) -> None:
    async with bench(c_terminal, tmp_path) as here:
        await here.load()
        await here.do(m.StartCycle(), m.RaiseWalls(), m.RollDice(), m.GetStatus())
        (cycle,) = await here.hear(m.CycleDone)
        assert cycle.counts == (34, 34, 34, 34)
        assert await here.hear(m.WallsUp) == [m.WallsUp((34, 34, 34, 34))]
        (dice,) = await here.hear(m.DiceRolled)
        assert all(1 <= value <= 6 for value in dice.values)
        assert len(await here.hear(m.TileCount)) == 136
        await here.table.play("press LIFT 2")
        assert await here.hear(m.KeyPressed) == [m.KeyPressed(Key.LIFT, 2)]
        assert "table 136 below 0" in await here.table.play("state")


async def test_a_jam_is_told_and_cleared(c_terminal: Path, tmp_path: Path) -> None:
    async with bench(c_terminal, tmp_path, "--speed", "20") as here:
        await here.load()
        cycle = asyncio.create_task(here.board.command(m.StartCycle()))
        await here.until(State.SORTING)
        await here.table.play("fault HED-01 2")
        with pytest.raises(CommandFailed) as failed:
            await cycle
        assert (failed.value.cause, failed.value.fault) == (FailCause.FAULT, FaultCode.HED_01)
        await here.do(m.ClearJam(2), m.StartCycle(), m.RaiseWalls())
        assert await here.hear(m.WallsUp) == [m.WallsUp((34, 34, 34, 34))]


async def test_a_stop_ends_a_cycle_and_a_key_lets_it_go_on(c_terminal: Path, tmp_path: Path) -> None:
    async with bench(c_terminal, tmp_path, "--speed", "20") as here:
        await here.load()
        cycle = asyncio.create_task(here.board.command(m.StartCycle()))
        await here.until(State.SORTING)
        await here.do(m.Stop())
        with pytest.raises(CommandFailed) as failed:
            await cycle
        assert failed.value.cause is FailCause.STOPPED
        await here.table.play("press CONFIRM 1")
        await here.do(m.ClearStop(), m.StartCycle(), m.RaiseWalls())
        assert await here.hear(m.WallsUp) == [m.WallsUp((34, 34, 34, 34))]


async def test_a_firmware_that_restarts_in_a_cycle_repeats_nothing(c_terminal: Path, tmp_path: Path) -> None:
    async with bench(c_terminal, tmp_path, "--speed", "20", "--boot-id", "500") as here:
        await here.load()
        cycle = asyncio.create_task(here.board.command(m.StartCycle()))
        await here.until(State.SORTING)
        await here.table.play(f"reset {ResetCause.WATCHDOG.value}")
        with pytest.raises(LinkLost, match="restarted"):
            await cycle
        first, second = await here.hear(m.Booted, 2)
        assert (first.boot_id, second.boot_id) == (500, 501)
        assert second.cause is ResetCause.WATCHDOG
        assert (await here.hear(m.Status, 2))[-1].lower is State.LOWER_UNKNOWN
        await here.do(m.StartCycle(), m.RaiseWalls())


async def test_a_cycle_of_which_the_host_hears_nothing_goes_on(c_terminal: Path, tmp_path: Path) -> None:
    async with terminal(c_terminal, tmp_path / "board", "--speed", "60") as table:
        async with Board(str(tmp_path / "board")) as board:
            await board.connected()
            await board.command(m.OpenHatch())
            await table.play("load 136")
            cycle = asyncio.create_task(board.command(m.StartCycle()))
            await asyncio.sleep(0.2)
        with pytest.raises(LinkLost):
            await cycle
        for _ in range(400):
            if "staged 34 34 34 34" in await table.play("state"):
                break
            await asyncio.sleep(0.05)
        async with Board(str(tmp_path / "board")) as board:
            await board.connected()
            await board.command(m.RaiseWalls())


async def test_noise_before_a_host_comes_is_survived(c_terminal: Path, tmp_path: Path) -> None:
    async with terminal(c_terminal, tmp_path / "board", "--speed", "60"):
        probe = os.open(tmp_path / "board", os.O_RDWR | os.O_NOCTTY)
        os.write(probe, b"AT\r\nAT+GCAP\r\n" + bytes(range(256)) * 8)
        async with Board(str(tmp_path / "board")) as board:
            await board.connected()
            await board.command(m.OpenHatch())
            await board.command(m.GetStatus())
            assert board.status is not None
            assert board.status.hatch is State.HATCH_OPEN
        os.close(probe)


async def test_the_port_is_named_when_it_is_raw_and_unnamed_at_the_end(
    c_terminal: Path, tmp_path: Path
) -> None:
    async with terminal(c_terminal, tmp_path / "board"):
        client = os.open(tmp_path / "board", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        os.write(client, b"hello\r\n")
        await asyncio.sleep(0.05)
        with pytest.raises(BlockingIOError):
            os.read(client, 100)
        os.close(client)
    assert not os.listdir(tmp_path)  # noqa: PTH208 - the loop has nothing else to do


async def test_wrong_words_are_answered_with_the_usage(c_terminal: Path, tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        c_terminal, tmp_path / "board", "--sped", "2", stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    assert process.returncode == 2
    assert said.startswith(b"usage: pty LINK")
