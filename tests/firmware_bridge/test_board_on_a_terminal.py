"""The real Board over a real pseudo-terminal: a machine's round, a stuck board, pulled cables, noise."""

import asyncio
import os
import select
import socket
import time
import tty
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from firmware_bridge import BadUrl, Board, CommandRefused, LinkLost
from firmware_bridge.driver import Driver
from firmware_bridge.errors import PortFull
from firmware_bridge.messages import (
    Booted,
    Command,
    CycleDone,
    DiceRolled,
    Disconnected,
    GetStatus,
    KeyPressed,
    Lamps,
    OpenHatch,
    RaiseWalls,
    Report,
    RollDice,
    StartCycle,
    WallsUp,
)
from firmware_bridge.port import QUEUE_LIMIT, Callbacks, Transport, parse_url
from firmware_bridge.states import Key, Lamp, ResetCause, State
from hardware_sim.board import SimBoard
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.mechanics import Mechanics
from hardware_sim.wires import WireFaults

HOSTILE = WireFaults(loss=0.1, flip=0.1, insert=0.05, duplicate=0.05, split=0.3, jitter_s=0.002, echo_s=0.2)
LAG_BOUND_S = 2.0
"""A loop that waits for a peer that does not read stands still for ever; a busy machine for up to 0.5 s."""


class Bench:
    """A simulated board, a Board at its port, and all reports so far."""

    def __init__(self, sim: SimBoard, board: Board) -> None:
        self.sim = sim
        self.board = board
        self.heard: list[Report] = []
        self._more = asyncio.Event()

    async def listen(self) -> None:
        async for report in self.board.reports():
            self.heard.append(report)
            self._more.set()

    async def hear(self, kind: type[Report], times: int = 1) -> list[Report]:
        """Wait until so many reports of this kind have come."""
        async with asyncio.timeout(20):
            while len(found := [report for report in self.heard if isinstance(report, kind)]) < times:
                self._more.clear()
                await self._more.wait()
        return found

    async def play_round(self) -> None:
        for command in (OpenHatch(), StartCycle(), RaiseWalls(), RollDice()):
            await self.carry_out(command)

    async def carry_out(self, command: Command) -> None:
        await self.board.command(command)
        if isinstance(command, OpenHatch):
            self.sim.load_tiles(self.sim.mechanics.table)


@asynccontextmanager
async def bench(
    folder: Path, *, speed: float = 60.0, faults: WireFaults | None = None, lost_after_s: float = 3.0
) -> AsyncIterator[Bench]:
    sim = SimBoard(folder / "board", 1, speed, faults=faults)
    await sim.start()
    try:
        async with (
            asyncio.TaskGroup() as group,
            Board(str(folder / "board"), lost_after_s=lost_after_s) as board,
        ):
            table = Bench(sim, board)
            group.create_task(table.listen())
            await board.connected()
            yield table
    finally:
        await sim.stop()


@asynccontextmanager
async def lag_measured() -> AsyncIterator[Callable[[], float]]:
    worst = 0.0

    async def tick() -> None:
        nonlocal worst
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.005)
            worst = max(worst, time.monotonic() - before - 0.005)

    task = asyncio.create_task(tick())
    try:
        yield lambda: worst
    finally:
        task.cancel()
        await asyncio.wait([task])


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def entries(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def target(folder: Path) -> Path:
    return (folder / "board").readlink()


async def test_a_whole_round_of_the_machine(tmp_path: Path) -> None:
    async with bench(tmp_path) as table:
        table.sim.press(Key.LIFT, 2)
        await table.play_round()
        await table.board.command(Lamps(ready=Lamp.ON))
        assert await table.hear(KeyPressed) == [KeyPressed(Key.LIFT, 2)]
        assert await table.hear(WallsUp) == [WallsUp((34, 34, 34, 34))]
        (dice,) = await table.hear(DiceRolled)
        assert isinstance(dice, DiceRolled)
        assert dice.values == table.sim.dice
        assert table.sim.lamps == Lamps(ready=Lamp.ON)
        assert (table.sim.walls, table.sim.hatch) == (State.WALLS_UP, State.HATCH_CLOSED)
        assert table.board.stats.frames_sent > 0
        assert table.board.stats.bad_frames == 0


async def test_a_whole_round_over_a_hostile_line(tmp_path: Path) -> None:
    async with bench(tmp_path, faults=HOSTILE) as table:
        await table.play_round()
        assert len(await table.hear(CycleDone)) == 1
        assert len(await table.hear(DiceRolled)) == 1
        assert table.board.stats.retransmitted + table.board.stats.bad_frames > 0


async def test_a_refusal_is_an_error_of_its_own(tmp_path: Path) -> None:
    async with bench(tmp_path) as table:
        with pytest.raises(CommandRefused, match="NOT_STAGED"):
            await table.board.command(RaiseWalls())


async def test_the_simulator_s_world_can_wait_for_what_it_sees(tmp_path: Path) -> None:
    async with bench(tmp_path) as table:
        opened = asyncio.create_task(table.sim.until(lambda sim: sim.hatch is State.HATCH_OPEN))
        await asyncio.wait((opened,), timeout=0.1)
        assert not opened.done()
        await table.board.command(OpenHatch())
        await asyncio.wait_for(opened, 5)
        assert table.sim.hatch is State.HATCH_OPEN


async def test_a_board_that_stops_reading_delays_nobody_and_the_link_is_lost_in_time(tmp_path: Path) -> None:
    async with bench(tmp_path, lost_after_s=0.5) as table, bench(tmp_path / "other") as other:
        async with lag_measured() as lag:
            table.sim.pause_reading()
            table.sim.mechanics.speed = 1e-6
            stuck = [asyncio.create_task(table.board.command(GetStatus(), within_s=1.0)) for _ in range(200)]
            await other.play_round()
            results = await asyncio.gather(*stuck, return_exceptions=True)
        assert all(isinstance(result, Exception) for result in results)
        assert lag() < LAG_BOUND_S
        table.sim.resume_reading()


def fill(transport: Transport, piece: bytes) -> int:
    """Write pieces until there is no room; the bytes taken."""
    sent = 0
    while transport.room >= len(piece):
        transport.write(piece)
        sent += len(piece)
    return sent


def drain(fd: int) -> int:
    try:
        return len(os.read(fd, 1 << 16))
    except BlockingIOError:
        return 0


@pytest.mark.parametrize("size", [8, 12, 16, 24, 31, 32, 64])
async def test_a_line_that_nobody_reads_blocks_nothing_and_goes_on_when_it_is_read(size: int) -> None:
    near, far = os.openpty()
    tty.setraw(far)
    os.set_blocking(far, False)
    turns: list[int] = []
    callbacks = Callbacks(lambda _: None, lambda _: None, lambda: turns.append(1))
    transport = Transport(near, lambda: os.close(near), callbacks)
    async with lag_measured() as lag:
        sent = fill(transport, b"x" * size)
        await asyncio.sleep(0.05)
        with pytest.raises(PortFull):
            transport.write(b"x" * (QUEUE_LIMIT + 1))
        received = 0
        while received < sent:
            received += drain(far)
            await asyncio.sleep(0)
    assert received == sent
    assert lag() < LAG_BOUND_S
    assert transport.room == QUEUE_LIMIT
    before = len(turns)
    await asyncio.sleep(0.05)
    assert len(turns) == before  # drained: the loop is not called any more
    transport.abort()
    os.close(far)


async def test_closing_does_not_wait_for_a_stuck_board(tmp_path: Path) -> None:
    async with bench(tmp_path) as table:
        table.sim.pause_reading()
        pending = asyncio.create_task(table.board.command(OpenHatch()))
        await asyncio.sleep(0.05)
        began = time.monotonic()
    assert time.monotonic() - began < 1.0
    with pytest.raises(LinkLost):
        await pending


async def test_pulled_and_plugged_in_again_many_times_nothing_is_left_behind(tmp_path: Path) -> None:
    async with bench(tmp_path) as table:
        descriptors = open_descriptors()
        names = set()
        for number in range(10):
            names.add(target(tmp_path))
            table.sim.unplug()
            await table.hear(Disconnected, number + 1)
            with pytest.raises(LinkLost):
                await table.board.command(OpenHatch())
            table.sim.plug_in()
            await table.hear(Booted, number + 2)
        booted = await table.hear(Booted, 11)
        assert len({report.boot_id for report in booted if isinstance(report, Booted)}) == 1
        assert open_descriptors() == descriptors
        await table.board.command(GetStatus())


async def test_a_port_that_comes_back_under_another_name_is_found_by_its_link(tmp_path: Path) -> None:
    async with bench(tmp_path, lost_after_s=0.4) as table:
        old = target(tmp_path)
        held = os.open(old, os.O_RDWR | os.O_NOCTTY)  # keeps the old name in use
        table.sim.unplug()
        table.sim.plug_in()
        await table.hear(Booted, 2)
        os.close(held)
        assert target(tmp_path) != old
        await table.board.command(GetStatus())


async def test_a_silent_port_is_opened_anew_where_its_link_points_by_then(tmp_path: Path) -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    (tmp_path / "board").symlink_to(os.ttyname(slave))
    async with Board(str(tmp_path / "board"), lost_after_s=0.3) as board:
        with pytest.raises(LinkLost, match="does not answer"):
            await board.connected(0.5)
        sim = SimBoard(tmp_path / "board", 1)
        await sim.start()
        await board.connected()
        await sim.stop()
    os.close(slave)
    os.close(master)


async def test_a_command_under_way_when_the_cable_is_pulled_ends_well(tmp_path: Path) -> None:
    async with bench(tmp_path, speed=20.0) as table:
        await table.carry_out(OpenHatch())
        cycle = asyncio.create_task(table.board.command(StartCycle()))
        await table.sim.until(lambda sim: sim.lower is State.SORTING)
        table.sim.unplug()
        await table.hear(Disconnected)
        table.sim.plug_in()
        await asyncio.wait_for(cycle, 20)
        assert table.sim.mechanics.counters().cycles == 1


async def test_a_board_that_restarts_in_a_cycle_is_reported_and_nothing_is_repeated(tmp_path: Path) -> None:
    async with bench(tmp_path) as table:
        await table.carry_out(OpenHatch())
        cycle = asyncio.create_task(table.board.command(StartCycle()))
        await table.sim.until(lambda sim: sim.lower is State.SORTING)
        table.sim.boot(ResetCause.WATCHDOG)
        with pytest.raises(LinkLost, match="restarted"):
            await asyncio.wait_for(cycle, 10)
        first, second = await table.hear(Booted, 2)
        assert isinstance(first, Booted)
        assert isinstance(second, Booted)
        assert first.boot_id != second.boot_id
        assert second.cause is ResetCause.WATCHDOG
        await table.board.command(StartCycle())
        await table.board.command(RaiseWalls())
        assert table.sim.mechanics.counters().cycles == 1


async def test_a_table_that_loses_its_power_and_gets_it_back_is_the_same_table(tmp_path: Path) -> None:
    async with bench(tmp_path) as table:
        await table.sim.stop()
        await table.hear(Disconnected)
        await table.sim.start(ResetCause.BROWN_OUT)
        first, second = await table.hear(Booted, 2)
        assert isinstance(first, Booted)
        assert isinstance(second, Booted)
        assert first.uid == second.uid
        await table.play_round()


async def test_a_modem_probe_before_and_after_connecting_is_counted_and_harmless(tmp_path: Path) -> None:
    sim = SimBoard(tmp_path / "board", 1, 60.0)
    await sim.start()
    probe = os.open(tmp_path / "board", os.O_RDWR | os.O_NOCTTY)
    os.write(probe, b"AT\r\nAT+GCAP\r\n")
    async with Board(str(tmp_path / "board")) as board:
        await board.connected()
        os.write(probe, b"AT\r\n")
        await board.command(GetStatus())
    assert sim.stats is not None
    assert sim.stats.garbage_bytes >= len(b"AT\r\nAT+GCAP\r\n")
    os.close(probe)
    await sim.stop()


async def test_clients_come_and_go_and_the_port_stays(tmp_path: Path) -> None:
    sim = SimBoard(tmp_path / "board", 1)
    await sim.start()
    name = target(tmp_path)
    for _ in range(3):
        async with Board(str(tmp_path / "board")) as board:
            await board.connected()
    assert target(tmp_path) == name
    await sim.stop()
    assert not entries(tmp_path)


async def test_the_port_echoes_nothing(tmp_path: Path) -> None:
    sim = SimBoard(tmp_path / "board", 1)
    await sim.start()
    client = os.open(tmp_path / "board", os.O_RDWR | os.O_NOCTTY)
    os.write(client, b"hello\r\n")
    await asyncio.sleep(0.05)
    assert select.select([client], [], [], 0)[0] == []
    os.close(client)
    await sim.stop()


async def test_a_second_program_at_the_same_port_is_told_so(tmp_path: Path) -> None:
    async with bench(tmp_path), Board(str(tmp_path / "board")) as second:
        with pytest.raises(LinkLost, match="another program holds this port"):
            await second.connected(0.5)


async def test_a_board_that_is_closed_while_its_port_is_opened_leaves_nothing_behind(tmp_path: Path) -> None:
    async with bench(tmp_path):
        tasks = asyncio.all_tasks()
        async with Board(str(tmp_path / "board")):
            await asyncio.sleep(0.001)
        assert asyncio.all_tasks() == tasks


async def test_a_port_that_does_not_exist_is_named(tmp_path: Path) -> None:
    async with Board(str(tmp_path / "nowhere")) as board:
        with pytest.raises(LinkLost, match="nowhere: there is no such port"):
            await board.connected(0.3)
        sim = SimBoard(tmp_path / "nowhere", 1)
        await sim.start()
        await board.connected()
        await sim.stop()


@pytest.mark.parametrize("url", ["", "serial://", "socket://host", "socket://:1", "ftp://x", "socket://h:x"])
def test_an_address_of_no_known_kind_is_refused_in_words(url: str) -> None:
    with pytest.raises(BadUrl, match="expected a path"):
        parse_url(url)


async def test_a_board_behind_a_tcp_socket() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)  # noqa: FBT003 - the method takes it by position only
        mechanics = Mechanics(Random(1), speed=60.0)  # noqa: S311 - a game
        firmware = Firmware(mechanics, Identity(uid=7), boot_id=1, cause=ResetCause.POWER_ON, now=0.0)
        driver = Driver(firmware, lambda: None)
        async with Board(f"socket://127.0.0.1:{server.getsockname()[1]}") as board:
            connection, _ = await asyncio.get_running_loop().sock_accept(server)
            callbacks = Callbacks(driver.data_came, lambda _: None, driver.pump)
            driver.attach(Transport(connection.fileno(), connection.close, callbacks))
            assert (await board.connected()).uid == 7
            await board.command(OpenHatch())
        driver.stop()
