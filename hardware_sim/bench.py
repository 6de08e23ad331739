"""`python -m hardware_sim.bench LINK`: the simulated board alone, with the people's part on standard input.

LINK is a symbolic link that names the board's pseudo-terminal; ``ready`` is printed when it is there. Lines
on the standard input are answered by ``ok`` or ``no``:

    press KEY SEAT    LIFT DICE CHI PENG KONG WIN CONFIRM SERVICE
    load TILES        tiles of the table go into the open hatch
    speed N           motions that begin from now on take N times less

The end of the input ends the program.
"""

import asyncio
import sys
from pathlib import Path

import click

from firmware_bridge.states import Key
from hardware_sim.board import SimBoard

KEYS = {
    "CHI": Key.CLAIM_CHI,
    "PENG": Key.CLAIM_PENG,
    "KONG": Key.CLAIM_KONG,
    "WIN": Key.CLAIM_WIN,
    **{key.name: key for key in Key},
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("link", type=click.Path(path_type=Path))
@click.option("--seed", type=int, default=1, show_default=True, help="Decides what is left to chance.")
@click.option("--speed", type=click.FloatRange(min=0.01), default=1.0, show_default=True)
@click.option(
    "--tiles", type=click.IntRange(0, 200), default=136, show_default=True, help="Tiles on the table."
)
def command(*, link: Path, seed: int, speed: float, tiles: int) -> None:
    """Play a board until the end of the input."""
    asyncio.run(_run(SimBoard(link, seed, speed, tiles=tiles)))


async def _run(board: SimBoard) -> None:
    await board.start()
    try:
        print("ready", flush=True)  # noqa: T201 - the program's output
        lines = await _standard_input()
        while line := await lines.readline():
            print("ok" if _play(board, line.decode().split()) else "no", flush=True)  # noqa: T201 - the same
    finally:
        await board.stop()


async def _standard_input() -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    return reader


def _play(board: SimBoard, words: list[str]) -> bool:
    """Play one line; False where it can't be played."""
    try:
        match words:
            case ["press", key, seat]:
                board.press(KEYS[key], int(seat))
            case ["load", tiles]:
                board.load_tiles(int(tiles))
            case ["speed", speed]:
                board.mechanics.speed = float(speed)
            case _:
                return False
    except (KeyError, ValueError):
        return False
    return True


if __name__ == "__main__":
    command()
