"""A simulated table and a controller as two programs, started and stopped as a user would."""

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

from controller.cli.table_folder import TableFolder

for folder in (Path(__file__).parents[1] / "controller", Path(__file__).parent):
    sys.path.insert(0, str(folder))  # controllers that are killed beside the tests, disks beside others

PROGRAM = [sys.executable, "-m", "controller"]
STOP_S = 3.0


@dataclass
class Program:
    """One running program and its output."""

    process: asyncio.subprocess.Process
    log: Path

    @classmethod
    async def start(cls, *arguments: str, log: Path) -> "Program":
        with log.open("ab") as output:
            process = await asyncio.create_subprocess_exec(
                *PROGRAM,
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
        return cls(process, log)

    async def stop(self) -> tuple[int, float]:
        """SIGTERM; gives the exit status and the seconds it took."""
        begun = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        async with asyncio.timeout(20):
            status = await self.process.wait()
        return status, time.monotonic() - begun

    async def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")


@dataclass
class Table:
    """A folder with a simulated table, its table.toml, and the controllers that ran on it."""

    folder: Path
    simulator: Program
    started: list[Program] = field(default_factory=list)

    @property
    def files(self) -> TableFolder:
        return TableFolder(self.folder)

    @property
    def config(self) -> Path:
        return self.files.config

    @property
    def journal(self) -> Path:
        return self.files.journal

    @property
    def lies_still(self) -> contextlib.AbstractContextManager[None]:
        """Nobody at the table moves, and its board says nothing, for the time of the block."""
        return _stopped(json.loads((self.files.simulator / "sim.json").read_text())["pid"])

    async def run(self) -> Program:
        program = await Program.start("run", "--config", str(self.config), log=self.files.controller_log)
        self.started.append(program)
        return program

    def count(self, query: str) -> int:
        """One number from the journal; 0 while there is none."""
        try:
            database = sqlite3.connect(f"file:{self.journal}?mode=ro", uri=True)
        except sqlite3.OperationalError:
            return 0
        with contextlib.closing(database):
            try:
                return int(database.execute(query).fetchone()[0])
            except sqlite3.OperationalError:
                return 0

    async def until(self, condition: Callable[[], bool], *, within_s: float = 90.0) -> None:
        try:
            async with asyncio.timeout(within_s):
                while not condition():
                    for program in (self.simulator, *self.started[-1:]):
                        assert program.process.returncode in {None, 0, -signal.SIGKILL}, program.said
                    await asyncio.sleep(0.05)
        except TimeoutError:
            pytest.fail(f"did not come within {within_s} s; the programs said:\n{self.said}")

    @property
    def said(self) -> str:
        return "\n".join([self.simulator.said, *(program.said for program in self.started[-1:])])

    async def until_hands(self, hands: int, *, within_s: float = 90.0) -> None:
        ended = "SELECT count(*) FROM outcomes"
        await self.until(lambda: self.count(ended) >= hands, within_s=within_s)

    async def verdict(self) -> dict[str, Any]:
        return await self.told(
            "verdict", "--truth", str(self.files.truth), "--journal", str(self.journal), "--json"
        )

    async def told(self, *arguments: str) -> dict[str, Any]:
        """What a command prints as JSON."""
        process = await asyncio.create_subprocess_exec(*PROGRAM, *arguments, stdout=asyncio.subprocess.PIPE)
        output, _ = await process.communicate()
        told: dict[str, Any] = json.loads(output)
        return told


@contextlib.contextmanager
def _stopped(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


class StartTable(Protocol):
    """`simulated_table(*flags)`: an asynchronous context manager of a `Table`."""

    def __call__(
        self, *flags: str, seed: int = 1, speed: float = 50.0
    ) -> contextlib.AbstractAsyncContextManager[Table]: ...


class RunProgram(Protocol):
    """`await run_program(*arguments)`: exit status, standard output, standard error."""

    async def __call__(self, *arguments: str) -> tuple[int, str, str]: ...


@contextlib.asynccontextmanager
async def table_in(folder: Path, *flags: str, seed: int = 1, speed: float = 50.0) -> AsyncIterator[Table]:
    """`longzhuo sim` with a table.toml for it, in a folder; everything ends with the block."""
    files = TableFolder(folder)
    arguments = ["--dir", str(files.simulator), "--write-config", str(files.config)]
    arguments += ["--http-port", "0", "--seed", str(seed), "--speed", str(speed), *flags]
    simulator = await Program.start("sim", *arguments, log=files.simulator_log)
    table = Table(folder, simulator)
    try:
        await table.until(table.config.is_file, within_s=60)
        yield table
    finally:
        for program in [*table.started, simulator]:
            if program.process.returncode is None:
                await program.stop()


@pytest.fixture
def simulated_table(tmp_path: Path) -> StartTable:
    """Start `longzhuo sim` with a table.toml for it; everything ends with the block."""

    def start(
        *flags: str, seed: int = 1, speed: float = 50.0
    ) -> contextlib.AbstractAsyncContextManager[Table]:
        return table_in(tmp_path, *flags, seed=seed, speed=speed)

    return start


@pytest.fixture
def run_program() -> RunProgram:
    """Run a command of the program to its end: exit status, standard output, standard error."""

    async def run(*arguments: str) -> tuple[int, str, str]:
        process = await asyncio.create_subprocess_exec(
            *PROGRAM,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            output, errors = await process.communicate()
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()
        return process.returncode or 0, output.decode(), errors.decode()

    return run
