"""A board behind a pseudo-terminal, people at its table, and the command line beside them."""

import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # at_a_table beside the tests

from at_a_table import Table, table_of

from hardware_sim.board import SimBoard

GOLDEN = Path(__file__).parent
EVERYTHING = 0x07FF
"""Capabilities of the board in C: all but DEALS and DICE_SPUN."""


@pytest.fixture
async def table(c_terminal: Path, tmp_path: Path) -> AsyncIterator[Table]:
    """A table whose board can do everything, twenty times as fast as a real one."""
    numbers = ("--uid", "0x1a2b3c4d", "--boot-id", "0xdeadbeef", "--speed", "20")
    async with table_of(c_terminal, tmp_path / "board", *numbers, "--capabilities", hex(EVERYTHING)) as made:
        yield made


@pytest.fixture
async def sim(tmp_path: Path) -> AsyncIterator[SimBoard]:
    """The simulated board, not started yet."""
    made = SimBoard(tmp_path / "board", 1, 60.0)
    yield made
    await made.stop()


@pytest.fixture
def golden(pytestconfig: pytest.Config) -> Callable[[str, str], None]:
    """Compares a text with the file of this name, or writes it anew with --update."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        if pytestconfig.getoption("--update"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check
