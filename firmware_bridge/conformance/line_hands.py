"""Hands at a simulated table: lines to the program that plays it (shell)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Final

from firmware_bridge.states import Key

START_S: Final = 30.0
ANSWER_S: Final = 10.0
END_S: Final = 3.0
NAMES: Final = {
    Key.CLAIM_CHI: "CHI",
    Key.CLAIM_PENG: "PENG",
    Key.CLAIM_KONG: "KONG",
    Key.CLAIM_WIN: "WIN",
}


class ProgramFailed(Exception):
    """The program that plays the board does not start, or has ended; the text says what it said."""


class LineHands:
    """A program that takes ``press KEY SEAT``, ``load TILES`` and ``speed N``, and says ``ok`` or ``no``."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def press(self, key: Key, seat: int) -> None:
        """Down and up again."""
        await self._play(f"press {NAMES.get(key, key.name)} {seat}")

    async def load(self, tiles: int) -> bool:
        """Tiles of the table go into the open hatch."""
        return await self._play(f"load {tiles}")

    async def pace(self, speed: int) -> None:
        """Motions that begin from now on take so many times less."""
        await self._play(f"speed {speed}")

    async def _play(self, line: str) -> bool:
        """Play one line; False where the program says no."""
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise ProgramFailed("the program has no standard input")
        process.stdin.write(line.encode() + b"\n")
        async with asyncio.timeout(ANSWER_S):
            while (answer := (await process.stdout.readline()).decode().strip()) not in {"ok", "no"}:
                if not answer:
                    raise ProgramFailed(f"the simulated board has ended (after {line!r})")
        return answer == "ok"


@contextlib.asynccontextmanager
async def played(command: Sequence[str]) -> AsyncIterator[LineHands]:
    """Run ``command`` until the end of this context; it says ``ready`` when its port is there."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        await _ready(process)
        yield LineHands(process)
    finally:
        await _end(process)


async def _ready(process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None  # noqa: S101 - made above
    assert process.stderr is not None  # noqa: S101 - made above
    async with asyncio.timeout(START_S):
        said = await process.stdout.readline()
    if said.strip() != b"ready":
        words = (await process.stderr.read()).decode(errors="replace").strip().splitlines()
        raise ProgramFailed(f"the simulated board does not start: {words[-1] if words else said!r}")


async def _end(process: asyncio.subprocess.Process) -> None:
    """The end of its input ends the program; one that stays is ended."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(END_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
