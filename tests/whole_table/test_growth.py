"""An evening of the demo through everything that goes wrong: the page stays calm, nothing grows.

It plays twenty hands, so it stands behind --long. What a page and a session keep is bounded beside their own
tests.
"""

import asyncio
import contextlib
import json
import sqlite3
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import CDPSession, Error, Page

sys.path.insert(0, str(Path(__file__).parents[1] / "display"))
from chromium import chromium  # type: ignore[import-not-found]

WARM = 5
"""From this hand on nothing grows any more."""

MOST_MB_AN_HOUR = 1.0
LOOK_S = 1.0
SPEED = 8


async def heap(tools: CDPSession) -> float:
    """Megabytes that the page needs."""
    for _ in range(2):
        await tools.send("HeapProfiler.collectGarbage")
    told: dict[str, float] = await tools.send("Runtime.getHeapUsage")
    return told["usedSize"] / 1e6


def memory(pid: int) -> float:
    """Megabytes of a process that are its own."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1e3


def controller_of(folder: Path) -> int | None:
    """The process that runs the table of this folder; None where none does."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"run" in words and str(folder / "table.toml").encode() in words:
            return int(process.name)
    return None


def an_hour(samples: list[tuple[float, float]]) -> float:
    """Growth in an hour of play, by a line through (seconds, megabytes)."""
    return statistics.linear_regression(*zip(*samples, strict=True)).slope * 3600 / SPEED


@pytest.mark.long
@pytest.mark.timeout(5400)
async def test_twenty_hands_of_mixed_faults_leave_page_and_controller_as_they_were(tmp_path: Path) -> None:
    folder, hands = tmp_path / "demo", 20
    flags = ("--hands", str(hands), "--faults", "mixed", "--speed", str(SPEED), "--no-pictures", "--json")
    demo = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "controller", "demo", "--http-port", "0", "--dir", str(folder), *flags),
        stdout=asyncio.subprocess.PIPE,
    )
    assert demo.stdout is not None
    console: list[str] = []
    found: dict[str, list[tuple[float, float]]] = {"page": [], "controller": []}
    async with chromium() as browser:
        address = await _address(demo.stdout)
        page = await browser.new_page(viewport={"width": 1920, "height": 1080})
        page.on(
            "console", lambda said: console.append(said.text) if said.type in {"error", "warning"} else None
        )
        page.on("pageerror", lambda error: console.append(str(error)))
        await _loaded(page, address)
        tools = await page.context.new_cdp_session(page)
        saying = asyncio.create_task(demo.stdout.read())
        while (ended := hands_of(folder / "journal.db")) < hands and not saying.done():
            controller = controller_of(folder)
            if ended >= WARM and controller is not None:
                found["controller"].append((time.monotonic(), memory(controller)))
                found["page"].append((time.monotonic(), await heap(tools)))
            await asyncio.sleep(LOOK_S)
        # When the demo ends its broker goes, and every browser says so of its own accord: it goes before.
    said = (await saying).decode()
    assert await demo.wait() == 0, said
    report: dict[str, Any] = json.loads(said.splitlines()[-1])
    grown = {name: round(an_hour(samples), 3) for name, samples in found.items()}
    sys.stdout.write(f"megabytes an hour of play after hand {WARM}: {grown}; {report}\n")
    assert console == []
    assert (report["settled"] + report["drawn"] + report["withheld"], report["silently_wrong"]) == (hands, 0)
    assert max(grown.values()) < MOST_MB_AN_HOUR, grown


async def _loaded(page: Page, address: str) -> None:
    """The address is told before anybody answers there."""
    async with asyncio.timeout(60):
        while True:
            with contextlib.suppress(Error):
                await page.goto(address)
                return
            await asyncio.sleep(0.2)


async def _address(output: asyncio.StreamReader) -> str:
    async with asyncio.timeout(120):
        while True:
            line = (await output.readline()).decode()
            if "http://" in line:
                return line[line.index("http://") :].split()[0]


def hands_of(journal: Path) -> int:
    """How many hands have ended."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as database:
            return int(database.execute("SELECT count(*) FROM outcomes").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
