"""The simulated table as a process: what a controller meets behind the serial port, and how it ends."""

import asyncio
import json
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from controller.public import DoubtItem, Doubts
from firmware_bridge.board import Board
from firmware_bridge.messages import (
    DiceRolled,
    KeyPressed,
    OpenHatch,
    RaiseWalls,
    Report,
    RollDice,
    StartCycle,
)
from firmware_bridge.states import Key
from hardware_sim.board import SimBoard
from hardware_sim.people_asked import Asked
from hardware_sim.truth import DealTruth, EventTruth, Start, TruthFile, read_truth
from hardware_sim.world import LEAST_PATIENCE_S, World
from hardware_sim.world_hands import Pace
from hardware_sim.world_table import WorldTable
from rules import sets
from rules.record import parse_event
from rules.table import replay
from vision.observations import Appeared, Settled, Vanished, decode_line

CARD = sets.load("cixi-card")


@dataclass
class Simulator:
    """A running simulator and what it has announced."""

    process: asyncio.subprocess.Process
    folder: Path
    addresses: dict[str, Any] = field(default_factory=dict)

    async def announced(self) -> None:
        await eventually(self._ready)
        assert self.addresses, "it ended instead of getting ready"

    def _ready(self) -> bool:
        file = self.folder / "sim.json"
        told = json.loads(file.read_text()) if file.exists() else {}
        self.addresses = told if told.get("pid") == self.process.pid else {}
        return bool(self.addresses) or self.process.returncode is not None

    def truth(self) -> tuple[DealTruth, ...]:
        return tuple(line for line in read_truth(self.folder / "truth.jsonl") if isinstance(line, DealTruth))

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str, float]:
        """Exit status, what it printed, and how long it took to end."""
        began = time.monotonic()
        self.process.send_signal(number)
        output, _ = await asyncio.wait_for(self.process.communicate(), 20)
        assert self.process.returncode is not None
        return self.process.returncode, output.decode(), time.monotonic() - began


@asynccontextmanager
async def simulator(folder: Path, *flags: str) -> AsyncIterator[Simulator]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "hardware_sim", "--dir", str(folder), *flags),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        running = Simulator(process, folder)
        await running.announced()
        yield running
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def host(board: Board, first: list[int] | None) -> None:
    """The least controller: the lift key opens the hatch, pressed again it shuffles, raises and rolls.

    `first`: one die is rolled before the dice of the first hand; its value is put there.
    """
    opens, found = True, first
    async for report in board.reports():
        if isinstance(report, KeyPressed) and report.key is Key.LIFT:
            if opens:
                await board.command(OpenHatch())
            else:
                for command in (StartCycle((17, 17, 17, 17)), RaiseWalls()):
                    await board.command(command)
                if first is not None:
                    await board.command(RollDice(1))
                await board.command(RollDice(2))
                first = None
            opens = not opens
        if isinstance(report, DiceRolled) and len(report.values) == 1:
            assert found is not None
            found += report.values


@asynccontextmanager
async def hosted(port: str, first: list[int] | None = None) -> AsyncIterator[None]:
    async with Board(port) as board:
        await board.connected()
        driving = asyncio.create_task(host(board, first))
        try:
            yield
        finally:
            driving.cancel()
            await asyncio.gather(driving, return_exceptions=True)


async def eventually(condition: Callable[[], bool], within_s: float = 60.0) -> None:
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - it is another process that changes
            await asyncio.sleep(0.05)


class Reader:
    """Keeps what the readings say lies on the table."""

    def __init__(self) -> None:
        self.lying: dict[int, Appeared] = {}
        self.settled = 0

    def open_tiles(self) -> list[str]:
        return sorted(tile.tile for tile in self.lying.values() if tile.tile != "back")

    async def follow(self, address: str) -> None:
        name, port = address.removeprefix("tcp://").split(":")
        stream, writer = await asyncio.open_connection(name, int(port))
        try:
            while line := await stream.readline():
                match decode_line(line):
                    case Appeared() as told:
                        self.lying[told.id] = told
                    case Vanished(id=number):
                        del self.lying[number]
                    case Settled():
                        self.settled += 1
        finally:
            writer.close()


@asynccontextmanager
async def following(address: str) -> AsyncIterator[Reader]:
    reader = Reader()
    task = asyncio.create_task(reader.follow(address))
    try:
        yield reader
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_the_people_see_one_die_before_a_match_and_seat_the_dealer(tmp_path: Path) -> None:
    die: list[int] = []
    flags = ("--no-pictures", "--speed", "50", "--hands", "1", "--seed", "5")
    async with simulator(tmp_path, *flags) as running, hosted(running.addresses["board"], die):
        await eventually(lambda: len(running.truth()) == 1)
    assert len(die) == 1
    assert running.truth()[0].dealer == (die[0] - 1) % 4


async def test_hands_are_played_over_the_serial_port_and_told_as_readings(tmp_path: Path) -> None:
    flags = ("--no-pictures", "--speed", "50", "--hands", "2", "--seed", "3")
    async with simulator(tmp_path, *flags) as running:
        assert running.addresses["camera"] is None
        assert running.addresses["pid"] == running.process.pid
        async with hosted(running.addresses["board"]), following(running.addresses["readings"]) as reader:
            await eventually(lambda: len(running.truth()) == 2)
            await eventually(lambda: reader.open_tiles() == open_tiles(running.truth()[-1]), within_s=5)
            await asyncio.sleep(1.0)  # people look at the finished hand before they leave
        assert reader.settled > 100
        status, output, took = await running.stop()
    assert (status, took < 3.0) == (0, True)
    assert [output.count(f"hand {number}: ") for number in (1, 2, 3)] == [1, 1, 0]
    assert "the players leave after 2 hands" in output
    assert not (tmp_path / "board").exists()
    assert not (tmp_path / "sim.json").exists()
    check_truth(tmp_path / "truth.jsonl")


def open_tiles(deal: DealTruth) -> list[str]:
    """Every face that lies open at the end of a won deal; the winning tile is one of the hand."""
    rows = [*deal.ponds, deal.hand]
    rows += [tiles for melds in deal.melds for kind, tiles, _ in melds if kind != "concealed_kong"]
    rows += [tiles[:2] for melds in deal.melds for kind, tiles, _ in melds if kind == "concealed_kong"]
    tiles = [tile for row in rows for tile in row] + [str(deal.indicator)]
    return sorted(tiles)


def check_truth(path: Path) -> None:
    lines = read_truth(path)
    assert isinstance(lines[0], Start)
    deals = [line for line in lines if isinstance(line, DealTruth)]
    for deal in deals:
        texts = tuple(line.text for line in lines if isinstance(line, EventTruth) and line.deal == deal.deal)
        assert texts == deal.events
        state = replay(tuple(map(parse_event, texts)), CARD)
        assert (str(state.indicator), str(state.wild)) == (deal.indicator, deal.wild)
        assert sum(deal.payments) == 0
        assert deal.wall_s > 0
    assert deals[1].dealer == deals[0].winner
    for before, after in pairwise(deals):
        changed = tuple(b + p for b, p in zip(before.balances, after.payments, strict=True))
        assert changed == after.balances


class PlayedOut:
    """A match of one deal that nobody wins, with the board it is played at."""

    def __init__(self, folder: Path) -> None:
        self.board = SimBoard(folder / "board", 2, speed=1e6)
        self.pressed: list[KeyPressed] = []
        self.said: list[str] = []
        self.truth = TruthFile(folder / "truth.jsonl")

    def hear(self, report: Report) -> None:
        if isinstance(report, KeyPressed):
            self.pressed.append(report)

    async def play(self, asked: Asked | None = None) -> None:
        """Play; where people are asked no controller ever opens the hatch."""
        table = WorldTable(2)
        pace = Pace(1e9)
        await self.board.start()
        self.board.watch(self.hear)
        world = World(
            seed=2,
            board=self.board,
            table=table,
            pace=pace,
            rules=CARD,
            truth=self.truth,
            say=self.said.append,
            asked=asked,
        )
        try:
            async with hosted(self.board.port.address) if asked is None else nullcontext():
                await world.play(1)
        finally:
            await self.board.stop()
            self.truth.close()


async def test_people_end_a_drawn_hand_with_the_lift_key_before_they_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware_sim.world.IDLE_DEALS", 1.0)
    played = PlayedOut(tmp_path)
    await played.play()
    assert played.said[0] == "hand 1 begins"
    assert "drawn" in played.said[1]
    assert len(played.pressed) == 3


async def test_people_do_not_press_again_while_the_display_asks_them(tmp_path: Path) -> None:
    nobody, played = "127.0.0.1:1", PlayedOut(tmp_path)
    asked = Asked(
        mqtt=f"mqtt://{nobody}",
        prefix="p",
        display=f"http://{nobody}",
        answers=tmp_path / "answers",
        seed=1,
        speed=1.0,
    )
    looking, playing = asyncio.create_task(asked.look()), asyncio.create_task(played.play(asked))
    await eventually(lambda: len(played.pressed) == 1)
    asked.hear(Doubts(doubts=(DoubtItem(id=1, kind="unsure", zh="", en="", candidates=(), at=""),)))
    await asyncio.sleep(LEAST_PATIENCE_S + 1.0)
    assert len(played.pressed) == 1
    asked.hear(Doubts(doubts=()))
    await eventually(lambda: len(played.pressed) == 2)
    for task in (playing, looking):
        task.cancel()
    await asyncio.gather(playing, looking, return_exceptions=True)


async def test_the_camera_shows_the_table_and_tiles_wait_for_its_pictures(tmp_path: Path) -> None:
    async with simulator(tmp_path, "--speed", "50", "--seed", "3") as running:
        assert running.addresses["readings"] is None
        camera: str = running.addresses["camera"]
        port = urlsplit(camera).port
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /camera.mjpg HTTP/1.1\r\nHost: table\r\n\r\n")
        async with hosted(running.addresses["board"]):
            await eventually(lambda: '"indicator ' in (tmp_path / "truth.jsonl").read_text())
            # Nobody takes pictures: the next move waits.
            await asyncio.sleep(1.0)
            assert '"discard' not in (tmp_path / "truth.jsonl").read_text()
            taking = asyncio.create_task(drain(reader))
            await eventually(lambda: '"discard' in (tmp_path / "truth.jsonl").read_text())
            taking.cancel()
            await asyncio.gather(taking, return_exceptions=True)
        writer.close()
        status, _, took = await running.stop(signal.SIGINT)
    assert (status, took < 3.0) == (0, True)


async def drain(reader: asyncio.StreamReader) -> None:
    while await reader.read(1 << 16):
        pass


async def test_people_press_again_while_no_controller_is_there(tmp_path: Path) -> None:
    def truth() -> str:
        return (tmp_path / "truth.jsonl").read_text()

    async with simulator(tmp_path, "--no-pictures", "--speed", "50") as running:
        await asyncio.sleep(2.5)
        assert '"deal' not in truth()
        async with hosted(running.addresses["board"]):
            await eventually(lambda: '"indicator ' in truth())
        assert truth().count('"text":"deal ') == 1


async def test_dice_that_a_technician_rolls_before_walls_stand_begin_no_hand(tmp_path: Path) -> None:
    def truth() -> str:
        return (tmp_path / "truth.jsonl").read_text()

    async with simulator(tmp_path, "--no-pictures", "--speed", "50") as running:
        async with Board(running.addresses["board"]) as board:
            await board.connected()
            for _ in range(3):
                await board.command(RollDice(2))
        assert '"text":"deal ' not in truth()
        async with hosted(running.addresses["board"]):
            await eventually(lambda: '"indicator ' in truth())
        assert truth().count('"text":"deal ') == 1


async def test_what_a_killed_simulator_left_is_cleaned_up(tmp_path: Path) -> None:
    (tmp_path / "board").symlink_to("/dev/pts/99999")
    (tmp_path / "sim.json").write_text('{"board": "old"}')
    async with simulator(tmp_path, "--no-pictures") as running:
        assert os.readlink(tmp_path / "board") != "/dev/pts/99999"  # noqa: PTH115 - the text of the link
        status, _, _ = await running.stop()
    assert status == 0


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--speed", "0"), "--speed"),
        (("--hands", "0"), "--hands"),
        (("--option", "mirror=7"), "--option: option mirror = 7: expected 0 or 5"),
        (("--option", "start_points=0"), "--option: cap_at_stack needs start_points above 0"),
        (("--rules", "poker"), "no rule set 'poker' (there are cixi-card"),
        (("--profile", "steam"), "--profile"),
        (("--unknown",), "--unknown"),
    ],
)
async def test_bad_flags_are_one_clear_line(tmp_path: Path, flags: tuple[str, ...], said: str) -> None:
    status, lines = await ended(tmp_path, *flags)
    assert status != 0
    assert len(lines) == 1
    assert said in lines[0]


@pytest.mark.parametrize(("flag", "more"), [("--camera-port", ()), ("--readings-port", ("--no-pictures",))])
async def test_an_occupied_port_is_one_clear_line(tmp_path: Path, flag: str, more: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, lines = await ended(tmp_path, flag, str(port), *more)
    assert status != 0
    assert len(lines) == 1
    assert f"{flag} {port}: occupied" in lines[0]


async def test_a_folder_that_cannot_be_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    status, lines = await ended(tmp_path / "file" / "below")
    assert status != 0
    assert len(lines) == 1
    assert "--dir" in lines[0]


async def ended(folder: Path, *flags: str) -> tuple[int, list[str]]:
    """Status and lines of a simulator that ends by itself."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "hardware_sim", "--dir", str(folder), *flags),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode is not None
    return process.returncode, output.decode().splitlines()
