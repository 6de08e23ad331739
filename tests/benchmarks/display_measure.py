"""Measures the display: from a settlement in the core to pixels, the first paint, the frames of an effect.

As a program it prints the table. The broker is a real mosquitto, the page runs in a real Chromium without a
graphics card; deals are played by the simulator's players before a real session with a real journal.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gzip
import itertools
import math
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "display"))
from chromium import ChromiumMissing, chromium  # type: ignore[import-not-found]
from settling import Moment, played

from controller.broker import own_broker
from controller.http import PAGE, Display, listen_on
from controller.mqtt import Publisher
from controller.public import HandState, TableSnapshot, encode
from controller.session_effects import Publish

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from playwright.async_api import Browser, Page

PREFIX: Final = "mj/v1/home/table-1"
FONTS: Final = frozenset({".woff2", ".woff", ".ttf", ".otf"})
WATCH: Final = """(() => {
  // When a part was changed and the frame with it has been handed over: two frames later at the latest.
  window.painted = {};
  const after = (name) => requestAnimationFrame(() => requestAnimationFrame(() => {
    window.painted[name] ??= performance.timeOrigin + performance.now();
  }));
  const seen = {};
  const look = () => {
    const display = document.getElementById("display");
    const view = display?.dataset.view;
    if (view !== seen.view) { seen.view = view; if (view === "settlement") after("settlement"); }
    if (document.querySelector(".dragon-tile svg") && !seen.dragon) { seen.dragon = true; after("first"); }
  };
  const start = () => new MutationObserver(look).observe(document, {
    subtree: true, childList: true, attributes: true, attributeFilter: ["data-view", "hidden"],
  });
  start();
})()"""
FRAMES: Final = """(ms) => new Promise((done) => {
  const times = [];
  const next = (now) => {
    times.push(now);
    if (now - times[0] < ms) requestAnimationFrame(next);
    else done(times);
  };
  requestAnimationFrame(next);
})"""
LATER: Final = itertools.count(1)
"""Numbers of what is published here; its boot is later than any that was played."""

FACE_DOWN: Final = HandState(
    boot=10**6,
    indicator=None,
    dragon=None,
    turn=None,
    last_discard=None,
    ponds=((), (), (), ()),
    melds=((), (), (), ()),
    concealed=(13, 13, 13, 14),
    tiles_left=83,
)
DEALING: Final = TableSnapshot(
    boot=10**6,
    phase="dealing",
    hand_no=1,
    match_no=1,
    dealer=0,
    dice=(3, 4),
    dragon=None,
    tiles_left=83,
    players=("甲", "乙", "丙", "丁"),
    rules="cixi-card",
    heartbeat=600,
)


@dataclass(frozen=True)
class Figure:
    """One row of the table; `goal` in the same unit, none where there is none."""

    what: str
    values: Sequence[float]
    unit: str
    goal: str = ""

    def line(self) -> str:
        """The row as text."""
        ordered = sorted(self.values)
        if not ordered:
            return f"| {self.what} | not measured | {self.goal} |"
        if len(ordered) == 1:
            told = f"{ordered[0]:.1f}"
        else:
            p99 = ordered[max(0, math.ceil(0.99 * len(ordered)) - 1)]
            told = f"p50 {statistics.median(ordered):.1f}, p99 {p99:.1f}, worst {ordered[-1]:.1f}"
        number = f" of {len(ordered)}" if len(ordered) > 1 else ""
        return f"| {self.what} | {told} {self.unit}{number} | {self.goal} |"


@dataclass(frozen=True)
class Table:
    """A display that follows a publisher."""

    display: Display
    publisher: Publisher
    browser: Browser

    async def page(self, *, width: int = 1920, height: int = 1080) -> Page:
        """A page in a context of its own, with nothing cached, that is watched from the first moment."""
        context = await self.browser.new_context(viewport={"width": width, "height": height})
        page = await context.new_page()
        await page.add_init_script(WATCH)
        await page.goto(self.display.address)
        return page

    def publish(self, effect: Publish) -> None:
        """As the controller's loop does."""
        (self.publisher.retain if effect.retain else self.publisher.send)(
            effect.topic, encode(effect.payload)
        )


@contextlib.asynccontextmanager
async def opened() -> AsyncIterator[Table]:
    """Broker, publisher, page server and browser for the time of the block."""
    async with own_broker() as broker, chromium() as browser:
        publisher = Publisher(url=broker.url, prefix=PREFIX)
        with listen_on("127.0.0.1", 0) as listener:
            display = Display(listener, websocket=broker.websocket, prefix=PREFIX, health=dict)
            tasks = [asyncio.create_task(display.run()), asyncio.create_task(publisher.run())]
            try:
                yield Table(display, publisher, browser)
            finally:
                display.stop()
                publisher.stop()
                await asyncio.gather(*tasks)


async def _offset(page: Page) -> float:
    """Seconds that the page's clock is ahead of ours, by the quickest of some looks."""
    looks = []
    for _ in range(20):
        began = time.time()
        there: float = await page.evaluate("() => performance.timeOrigin + performance.now()")
        ended = time.time()
        looks.append((ended - began, there / 1000 - (began + ended) / 2))
    return min(looks)[1]


async def settlements(table: Table, moments: list[Moment]) -> list[float]:
    """Milliseconds from the input that settles a hand to the pixels that show it, over all in between."""
    found = []
    page = await table.page()
    for moment in moments:
        for topic, payload in moment.before.items():
            table.publisher.retain(topic, payload)
        await page.wait_for_selector("#display[data-view=table][data-link=live]", timeout=60_000)
        await page.evaluate("() => { delete window.painted.settlement; }")
        await asyncio.sleep(0.2)
        ahead = await _offset(page)
        began = time.time()
        for effect in moment.with_it:
            table.publish(effect)
        await page.wait_for_function("() => window.painted.settlement !== undefined", timeout=60_000)
        shown: float = await page.evaluate("() => window.painted.settlement")
        found.append(1000 * (moment.seconds - ahead - began) + shown)
    await page.context.close()
    return found


async def first_paints(table: Table, number: int) -> list[float]:
    """Milliseconds from the start of loading until the 龙 of the running hand is there, nothing cached."""
    found = []
    for _ in range(number):
        page = await table.page()
        await page.wait_for_function("() => window.painted.first !== undefined", timeout=60_000)
        found.append(await page.evaluate("() => window.painted.first - performance.timeOrigin"))
        await page.context.close()
    return found


async def frames(table: Table, ms: int) -> tuple[float, float]:
    """Frames a second while the indicator is turned up at 1920x1080: as the page counts, and as drawn."""
    page = await table.page()
    show(table, DEALING, FACE_DOWN)
    await page.wait_for_selector("#display[data-link=live][data-phase=dealing]", timeout=60_000)
    await asyncio.sleep(1.0)
    tracer = await page.context.new_cdp_session(page)
    traced: list[dict[str, Any]] = []
    done = asyncio.Event()
    tracer.on("Tracing.dataCollected", lambda told: traced.extend(told["value"]))
    tracer.on("Tracing.tracingComplete", lambda _: done.set())
    await tracer.send("Tracing.start", {"categories": "disabled-by-default-devtools.timeline.frame"})
    up = replace(FACE_DOWN, indicator="5m", dragon="6m", turn=0)
    show(table, replace(DEALING, phase="playing", dragon="6m"), up)
    await page.wait_for_selector(".effect", timeout=60_000)
    times: list[float] = await page.evaluate(FRAMES, ms)
    await tracer.send("Tracing.end")
    await done.wait()
    await page.context.close()
    drawn = sorted(event["ts"] / 1000 for event in traced if event.get("name") == "DrawFrame")
    return rate(times), rate([at for at in drawn if at >= drawn[-1] - ms])


def show(table: Table, snapshot: TableSnapshot, hand: HandState) -> None:
    """Publish both, after all that was published before."""
    for topic, payload in (("state/table", snapshot), ("state/hand", hand)):
        table.publish(Publish(topic, replace(payload, seq=next(LATER)), retain=True))


def rate(times: list[float]) -> float:
    """How many a second, of times in milliseconds."""
    return 1000 * (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else 0.0


def weights() -> tuple[int, int]:
    """Bytes of the page as a browser loads it: script, style and document gzipped, and the fonts."""
    files = [path for path in PAGE.rglob("*") if path.is_file() and ".LEGAL" not in path.name]
    rest = sum(len(gzip.compress(path.read_bytes(), 6)) for path in files if path.suffix not in FONTS)
    return rest, sum(path.stat().st_size for path in files if path.suffix in FONTS)


async def measured(*, settled: int, loads: int, effects: int, effect_ms: int) -> list[Figure]:
    """All of it."""
    with tempfile.TemporaryDirectory() as folder:
        moments = await asyncio.to_thread(played, settled, Path(folder) / "journal.db")
    async with opened() as table:
        to_pixels = await settlements(table, moments)
        for topic, payload in moments[-1].before.items():
            table.publisher.retain(topic, payload)
        await asyncio.sleep(0.5)
        paints = await first_paints(table, loads)
        rates = [await frames(table, effect_ms) for _ in range(effects)]
    rest, fonts = weights()
    return [
        Figure("settlement in the core to pixels", to_pixels, "ms", "p99 < 300"),
        Figure("first meaningful paint, nothing cached", paints, "ms", "< 1000"),
        Figure("turning-up, as the page counts", [page for page, _ in rates], "frames/s", ">= 30"),
        Figure("the same, as the compositor drew", [drawn for _, drawn in rates], "frames/s", ">= 30"),
        Figure("page, gzip", [rest / 1000], "kB", "<= 200"),
        Figure("its font", [fonts / 1000], "kB"),
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settlements", type=int, default=120, help="deals that are played (120)")
    parser.add_argument("--loads", type=int, default=20, help="how often the page is loaded (20)")
    parser.add_argument("--effects", type=int, default=5, help="how often the indicator is turned up (5)")
    parser.add_argument("--effect-ms", type=int, default=2300, help="how long its frames are counted (2300)")
    given = parser.parse_args()
    try:
        figures = asyncio.run(
            measured(
                settled=given.settlements,
                loads=given.loads,
                effects=given.effects,
                effect_ms=given.effect_ms,
            )
        )
    except ChromiumMissing as missing:
        raise SystemExit(str(missing)) from missing
    sys.stdout.write("| what | figure | goal |\n|---|---|---|\n")
    sys.stdout.writelines(f"{figure.line()}\n" for figure in figures)


if __name__ == "__main__":
    main()
