"""Measures the link to the board; as a program it prints the table.

Peers are processes of their own: a bare echo by pyserial's usual way, the simulated board in Python, and the
reference board in C. Times are wall time; what a line of 115200 baud adds is computed in virtual time.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import subprocess
import sys
import tempfile
import time
import tty
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

import serial

from firmware_bridge import Board
from firmware_bridge.encoding import encode
from firmware_bridge.link import Link, Phase, Received, Role
from firmware_bridge.messages import DiceEntropy, GetStatus, Request, Stop
from firmware_bridge.reference.compiled import build_terminal, compiler
from hardware_sim.board import SimBoard
from hardware_sim.wires import Wire, WireFaults
from hardware_sim.wires_pair import Pair

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

BAUD: Final = 115200
BYTE_S: Final = 10 / BAUD
ECHO_BYTES: Final = 24
HOG_S: Final = 0.02
"""How long other work of the same event loop blocks it at a time."""

STOP: Final = encode(Request(1, Stop()))
LONGEST: Final = encode(Request(1, DiceEntropy(3, bytes(16))))
"""The longest command: what a STOP waits behind at worst."""


@dataclass(frozen=True)
class Row:
    """One line of the table: times in milliseconds."""

    name: str
    p50: float
    p99: float
    worst: float
    note: str = ""


def row(name: str, seconds: list[float], note: str = "") -> Row:
    """The row of some measured times."""
    ordered = sorted(1000 * each for each in seconds)
    return Row(name, ordered[len(ordered) // 2], ordered[int(0.99 * (len(ordered) - 1))], ordered[-1], note)


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| what | median ms | p99 ms | worst ms | |", "|---|---|---|---|---|"]
    lines += [
        f"| {row.name} | {row.p50:.2f} | {row.p99:.2f} | {row.worst:.2f} | {row.note} |" for row in rows
    ]
    return "\n".join(lines)


# ---- peers ---------------------------------------------------------------------------------------------


def echo() -> None:
    """Play the bare echo: print the port, send back what comes."""
    near, far = os.openpty()
    tty.setraw(far)
    sys.stdout.write(os.ttyname(far) + "\n")
    sys.stdout.flush()
    while near in (ready := select.select([near, sys.stdin], [], [])[0]) or not ready:
        os.write(near, os.read(near, 4096))


async def simulate(symlink: Path) -> None:
    """Play the simulated board until stdin ends."""
    sim = SimBoard(symlink, 1, 60.0)
    await sim.start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await sim.stop()


@contextlib.contextmanager
def process(*command: str | Path) -> Iterator[str]:
    """Run a peer; gives the first line it says. It ends with its stdin."""
    peer = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if peer.stdin is None or peer.stdout is None:
        raise AssertionError("pipes were asked for")
    try:
        yield peer.stdout.readline().strip()
    finally:
        peer.stdin.close()
        peer.wait(10)
        peer.stdout.close()


@dataclass(frozen=True)
class Peers:
    """Where the boards' symbolic links are, and the C board's program, None without a compiler."""

    folder: Path
    program: Path | None

    def board(self, name: str, *, in_c: bool) -> contextlib.AbstractContextManager[str]:
        """A board at ``folder / name``."""
        if in_c and self.program is not None:
            return process(self.program, self.folder / name, "--speed", "60")
        return process(sys.executable, __file__, "board", self.folder / name)


@contextlib.contextmanager
def peers() -> Iterator[Peers]:
    """A folder, and the C board compiled into it."""
    with tempfile.TemporaryDirectory() as folder:
        program = build_terminal(Path(folder)) if compiler() is not None else None
        yield Peers(Path(folder), program)


# ---- round trips ---------------------------------------------------------------------------------------


def bare_echo(rounds: int) -> Row:
    """Round trips of 24 bytes by pyserial, with nothing around them."""
    times = []
    with process(sys.executable, __file__, "echo") as name, serial.Serial(name, timeout=5) as port:
        for _ in range(rounds):
            began = time.perf_counter()
            port.write(bytes(ECHO_BYTES))
            port.read(ECHO_BYTES)
            times.append(time.perf_counter() - began)
    return row(f"bare pyserial echo, {ECHO_BYTES} bytes", times)


@contextlib.asynccontextmanager
async def connected(where: Path) -> AsyncIterator[Board]:
    """A Board that has met its board."""
    async with Board(str(where)) as board:
        await board.connected()
        yield board


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    """How long it took."""
    began = time.perf_counter()
    await work()
    return time.perf_counter() - began


async def round_trips(peers: Peers, rounds: int, *, in_c: bool) -> Row:
    """GetStatus: the command, Accepted, Status and Done, and their acknowledgements."""
    name = "the reference board in C" if in_c else "the simulated board in Python"
    with peers.board("one", in_c=in_c):
        async with connected(peers.folder / "one") as board:
            times = [await timed(lambda: board.command(GetStatus())) for _ in range(rounds)]
    return row(f"GetStatus until Done, {name}", times)


# ---- many boards ---------------------------------------------------------------------------------------


async def fleet(peers: Peers, boards: int, hertz: float, seconds: float) -> list[Row]:
    """So many boards in one process, each asked ``hertz`` times a second."""
    times: list[float] = []
    lags: list[float] = []
    async with contextlib.AsyncExitStack() as stack:
        held = []
        for number in range(boards):
            stack.enter_context(peers.board(f"fleet-{number}", in_c=True))
            held.append(await stack.enter_async_context(Board(str(peers.folder / f"fleet-{number}"))))
        for board in held:
            await board.connected(60)
        end = time.perf_counter() + seconds
        cpu, began = time.process_time(), time.perf_counter()
        await asyncio.gather(_lag(end, lags), *(_ask(board, hertz, end, times) for board in held))
        share = (time.process_time() - cpu) / (time.perf_counter() - began)
    name = f"{boards} boards at {hertz:g} Hz"
    return [
        row(f"{name}: GetStatus until Done", times, f"{share:.0%} of one core, {len(times)} commands"),
        row(f"{name}: lag of the event loop", lags),
    ]


async def _ask(board: Board, hertz: float, end: float, times: list[float]) -> None:
    await asyncio.sleep(Random(id(board)).random() / hertz)  # noqa: S311 - spreads the boards
    while (now := time.perf_counter()) < end:
        times.append(await timed(lambda: board.command(GetStatus())))
        await asyncio.sleep(max(0.0, now + 1 / hertz - time.perf_counter()))


async def _lag(end: float, lags: list[float]) -> None:
    while (before := time.perf_counter()) < end:
        await asyncio.sleep(0.005)
        lags.append(time.perf_counter() - before - 0.005)


# ---- STOP ----------------------------------------------------------------------------------------------


async def stops(peers: Peers, rounds: int) -> list[Row]:
    """STOP until Done over the pseudo-terminal: idle, behind a full queue, on a loop that others block."""
    rows = []
    with peers.board("stop", in_c=True):
        async with connected(peers.folder / "stop") as board:
            idle = []
            for _ in range(rounds):
                idle.append(await timed(lambda: board.command(Stop())))
                await asyncio.sleep(0.002)
            rows.append(row("STOP until Done, idle", idle))
            async with _beside(lambda: _load(board)):
                loaded = []
                for _ in range(rounds):
                    loaded.append(await timed(lambda: board.command(Stop())))
                    await asyncio.sleep(0.002)
            rows.append(row("STOP until Done, 32 commands under way all the time", loaded))
            async with _beside(_hog):
                hogged = []
                for _ in range(max(20, rounds // 5)):
                    hogged.append(await timed(lambda: board.command(Stop())))
                    await asyncio.sleep(0.002)
            rows.append(row(f"STOP until Done, the loop blocked {1000 * HOG_S:.0f} ms at a time", hogged))
    return rows


@contextlib.asynccontextmanager
async def _beside(work: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    task = asyncio.ensure_future(work())
    await asyncio.sleep(0.05)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _load(board: Board) -> None:
    async def go_on() -> None:
        while True:
            await board.command(GetStatus())

    async with asyncio.TaskGroup() as group:
        for _ in range(32):
            group.create_task(go_on())


async def _hog() -> None:
    while True:
        time.sleep(HOG_S)  # noqa: ASYNC251 - the loop is blocked on purpose
        await asyncio.sleep(0.001)


class _Board(Link):
    """The board's end, with the time at which something last came."""

    heard_at = 0.0

    def receive(self, data: bytes, now: float) -> None:
        self.heard_at = now
        super().receive(data, now)


class _Line(Pair):
    """Two links over a line of 115200 baud in virtual time; the host may keep its window full."""

    def __init__(self, load: bytes | None) -> None:
        self.host, self.board = Link(Role.HOST), _Board(Role.BOARD)
        faults = WireFaults(baud=BAUD)
        super().__init__(self.host, self.board, Wire(1, faults), Wire(2, faults))
        self._load = load
        self._waiting = 0
        self._stopped = False
        self.host.connect(0.0)
        self.run(0.5)

    def step(self, at_most: float = float("inf")) -> None:
        while self._load is not None and self.host.phase is Phase.UP and self._waiting < 16:
            self.host.send(self._load)
            self._waiting += 1
        super().step(at_most)
        for event in self.board.events():
            if isinstance(event, Received):
                self._waiting -= event.message != STOP
                self._stopped = self._stopped or event.message == STOP
        self.host.events()

    def stop(self) -> float:
        """Seconds from the wish to the board."""
        began, self._stopped = self.now, False
        self.host.send(STOP, urgent=True)
        while not self._has_stopped():
            self.step(began + 1)
        return self.board.heard_at - began

    def _has_stopped(self) -> bool:
        return self._stopped


def on_the_line(rounds: int) -> list[Row]:
    """STOP from the host to the board at 115200 baud, in virtual time."""
    rows = []
    loads = {
        "idle": None,
        "behind GetStatus all the time": encode(Request(1, GetStatus())),
        "behind the longest command": LONGEST,
    }
    for name, load in loads.items():
        line, random, times = _Line(load), Random(1), []  # noqa: S311 - repeatable
        for _ in range(rounds):
            line.run(0.02 + random.random() / 20)
            times.append(line.stop())
        frame = len(STOP) + 8 + 6
        limit = (frame + (0 if load is None else 7 * (len(load) + 8 + 6))) * BYTE_S
        rows.append(
            row(
                f"STOP to the board at {BAUD} baud, {name}", times, f"limit of the line {1000 * limit:.2f} ms"
            )
        )
    return rows


# ---- all of it -----------------------------------------------------------------------------------------


async def measure(rounds: int, boards: int, seconds: float) -> list[Row]:
    """Everything; the round trips are interleaved with the bare echo around them."""
    with peers() as there:
        rows = [bare_echo(rounds)]
        rows += [await round_trips(there, rounds, in_c=in_c) for in_c in (True, False)]
        rows += await fleet(there, boards, 20.0, seconds)
        rows += await stops(there, rounds)
    return rows + on_the_line(min(rounds, 500))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["echo"]:
            echo()
        case ["board", where]:
            asyncio.run(simulate(Path(where)))
        case _:
            sys.stdout.write(table(asyncio.run(measure(rounds=2000, boards=64, seconds=10.0))) + "\n")
