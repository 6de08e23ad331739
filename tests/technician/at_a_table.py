"""The command line as a program, and the board in C with the people at its table."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str


async def call(*words: object, typed: str = "", environment: dict[str, str] | None = None) -> Ended:
    """Run `longzhuo WORDS`; ``typed`` is its whole input."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "controller",
        *map(str, words),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "LONGZHUO_TRACEBACK": "1", **(environment or {})},
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(typed.encode()), 90)
    finally:
        if process.returncode is None:
            process.kill()
    return Ended(process.returncode or 0, out.decode(), err.decode())


class Table:
    """The board in C as a program, and the people at its table."""

    def __init__(self, process: asyncio.subprocess.Process, port: Path) -> None:
        self._process = process
        self.port = port

    async def play(self, *lines: str) -> str:
        """Play lines of ``pty.c``; what the program said beside its "ok"."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        said = []
        for line in lines:
            self._process.stdin.write(line.encode() + b"\n")
            async with asyncio.timeout(10):
                while (answer := (await self._process.stdout.readline()).decode().strip()) != "ok":
                    assert answer not in {"", "no"}, line
                    said.append(answer)
        return "\n".join(said)

    async def becomes(self, region: int, state: int) -> None:
        """Wait until the state of a region is this one."""
        async with asyncio.timeout(20):
            while int((await self.play("state")).split()[1 + region], 16) != state:  # noqa: ASYNC110
                await asyncio.sleep(0.02)  # a program at a pipe tells nothing unasked

    async def call(self, *words: object, typed: str = "") -> Ended:
        """Run `longzhuo board --port ... WORDS`."""
        return await call("board", "--port", self.port, *words, typed=typed)


@asynccontextmanager
async def table_of(program: Path, port: Path, *options: str) -> AsyncIterator[Table]:
    process = await asyncio.create_subprocess_exec(
        program, port, *options, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), 10) == b"ready\n"
    try:
        yield Table(process, port)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        assert await asyncio.wait_for(process.wait(), 10) == 0
