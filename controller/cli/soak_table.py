"""One table of a soak run: a simulated table and a controller, started, followed, killed and ended."""

import asyncio
import contextlib
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from controller.broker import Broker
from controller.cli.simulated import (
    exact_timings_for,
    simulator,
    table_toml,
    timings_for,
    wait_for_addresses,
)
from controller.cli.table_folder import TableFolder, verdict_of
from controller.processes import Child, start_child

READY_S: Final = 120.0
STALLED_S: Final = 180.0
"""A table at which no deal begins or ends for so long (s of the wall clock) is given up ..."""
STALLED_PEOPLE_S: Final = 1800.0
"""... or for so long of the people's time, where that is more."""
KILLED_IN: Final = 0.16
"""Share of the hands in which the controller is killed, where power fails: at any moment of the hand ..."""
KILLED_AT_START: Final = 0.1
"""... and share of the controllers started after that which are killed while they start."""
HAND_S: Final = 300.0
"""What the first hand takes (s of the people's time), roughly."""
DEAD_S: Final = (0.5, 8.0)
"""A killed controller is started again after so long (s of the people's time). What the start itself takes
is the clock's, and the people hold still meanwhile: their time is faster, a start is not."""
LAST_LOOK_S: Final = 20.0
"""So long (s of the people's time) the controller may look at the last deal."""
POWER: Final = frozenset({"power", "mixed"})


class SoakFailed(Exception):
    """A part of a soak run ended by itself or stands still; one paragraph says which and how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What one table is to play."""

    seed: int
    hands: int
    faults: str
    pixels: bool
    speed: float
    rules: str
    ponds: str = "own"


@dataclass(slots=True)
class SoakTable:
    """One table in its folder; `hear` is told whenever a deal has ended.

    `port` is its display's; `environment` is added to that of its programs.
    """

    wish: Wish
    files: TableFolder
    port: int
    broker: Broker
    hear: Callable[[], None]
    environment: Mapping[str, str] = field(default_factory=dict)
    restarts: int = 0
    crashes: list[str] = field(default_factory=list)
    hands: int = 0
    _over: asyncio.Event = field(default_factory=asyncio.Event)
    _moved_at: float = 0.0
    _begun_at: float = 0.0
    _power_fails: asyncio.Event = field(default_factory=asyncio.Event)
    _chance: Random = field(init=False)

    def __post_init__(self) -> None:
        """Chance is the seed's."""
        self._chance = Random(f"{self.wish.seed} power")  # noqa: S311 - a simulation

    @property
    def id(self) -> str:
        """Its id, the last level of its prefix."""
        return f"soak-{self.wish.seed}"

    async def play(self) -> None:
        """Play all hands; every process has ended when this returns.

        Raises:
            SoakFailed: the simulated table ended by itself, or nothing happens any more.
        """
        self.files.simulator.mkdir(parents=True)
        port = self.port
        async with contextlib.AsyncExitStack() as stack:
            table = await stack.enter_async_context(self._simulator(port))
            config = await self._configured(port)
            ended = asyncio.create_task(table.ended(), name="the simulated table")
            driving = asyncio.create_task(self._drive(config, table), name="the controller")
            stack.push_async_callback(_cancelled, ended, driving)
            over = asyncio.create_task(self._until_over(), name="the hands")
            stack.push_async_callback(_cancelled, over)
            await asyncio.wait({ended, driving, over}, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                raise SoakFailed(table.obituary())
            for task in (driving, over):
                if task.done():
                    task.result()

    @contextlib.asynccontextmanager
    async def _simulator(self, port: int) -> AsyncIterator[Child]:
        wish = self.wish
        flags = ["--dir", str(self.files.simulator), "--seed", str(wish.seed), "--speed", str(wish.speed)]
        flags += ["--rules", wish.rules]
        flags += ["--camera-preset", "common"] if wish.ponds == "common" else []
        flags += [] if wish.pixels else ["--no-pictures", "--no-wait", "--noise", "measured"]
        flags += ["--display", f"http://127.0.0.1:{port}", "--mqtt", self.broker.url]
        flags += ["--prefix", f"mj/v1/home/{self.id}"]
        pixels = "-pixels" if wish.pixels else ""
        flags += [] if wish.faults == "none" else ["--faults", f"soak-{wish.faults}{pixels}"]
        child = await start_child(
            "simulated table",
            simulator(*flags),
            on_line=self._listen,
            log=self.files.simulator_log,
            environment=self.environment,
        )
        try:
            yield child
        finally:
            await child.stop()

    def _listen(self, line: str) -> None:
        words = line.split()
        if words[:1] != ["hand"] or len(words) < 3:
            return
        self._moved_at = asyncio.get_running_loop().time()
        number = int(words[1].rstrip(":"))
        if words[2] != "begins":
            self.hands = number
            self.hear()
        elif number > self.wish.hands:
            self._over.set()
        else:
            self._may_fail()

    async def _configured(self, port: int) -> Path:
        """Write the table.toml a user would write, when the table has said where it is."""
        async with asyncio.timeout(READY_S):
            addresses = await wait_for_addresses(self.files.simulator)
        speed = self.wish.speed
        text = table_toml(
            addresses,
            rules=self.wish.rules,
            timings=timings_for(speed, pictures=True) if self.wish.pixels else exact_timings_for(speed),
            http_port=port,
            journal=self.files.journal,
            mqtt_url=self.broker.url,
            websocket=self.broker.websocket,
            table=self.id,
        )
        self.files.config.write_text(text, encoding="utf-8")
        return self.files.config

    async def _drive(self, config: Path, table: Child) -> None:
        """Keep a controller running; where power fails, kill it now and then."""
        rng = self._chance
        argv = [sys.executable, "-m", "controller", "run", "--config", str(config)]

        def hear(line: str) -> None:
            if line.endswith(": connected"):
                table.signal(signal.SIGUSR2)

        while True:
            controller = await start_child(
                "controller",
                argv,
                on_line=hear,
                log=self.files.controller_log,
                environment=self.environment,
            )
            try:
                killed = await self._lives(controller, rng)
            except asyncio.CancelledError:
                await controller.stop()
                raise
            if not killed:
                self.crashes.append(controller.obituary())
                if len(self.crashes) > MOST_CRASHES:
                    raise SoakFailed(controller.obituary())
            self.restarts += 1
            await asyncio.sleep(rng.uniform(*DEAD_S) / self.wish.speed)
            table.signal(signal.SIGUSR1)

    async def _lives(self, controller: Child, rng: Random) -> bool:
        """Let a controller run until it ends, or until power fails: then it is killed, and this is True."""
        ended = asyncio.create_task(controller.ended())
        failing = asyncio.create_task(self._power_fails.wait())
        try:
            starts = self.restarts > 0 and self.wish.faults in POWER and rng.random() < KILLED_AT_START
            longest = LEAST_LIFE_S + rng.random() if starts else None
            await asyncio.wait({ended, failing}, timeout=longest, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                return False
            self._power_fails.clear()
            controller.process.kill()
            await ended
            return True
        finally:
            await _cancelled(ended, failing)

    def _may_fail(self) -> None:
        """A hand begins, in which power may fail."""
        loop = asyncio.get_running_loop()
        took, self._begun_at = loop.time() - self._begun_at, loop.time()
        if self.wish.faults in POWER and self._chance.random() < KILLED_IN:
            took = took if self.hands else HAND_S / self.wish.speed
            loop.call_later(self._chance.uniform(0.0, took), self._power_fails.set)

    async def _until_over(self) -> None:
        """Wait for the last deal, and for what the controller makes of it."""
        loop = asyncio.get_running_loop()
        self._moved_at = loop.time()
        patience = max(STALLED_S, STALLED_PEOPLE_S / self.wish.speed)
        while not self._over.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), 1.0)
            if loop.time() - self._moved_at > patience:
                raise SoakFailed(f"seed {self.wish.seed}: after hand {self.hands} nothing happened any more")
        until = loop.time() + LAST_LOOK_S / self.wish.speed + 1.0
        while loop.time() < until and self._open_deals() > 1:  # noqa: ASYNC110 - a file rings no bell
            await asyncio.sleep(0.1)

    def _open_deals(self) -> int:
        """Deals of the journal without an outcome; the next one may have begun already."""
        query = "SELECT count(*) FROM deals WHERE deal NOT IN (SELECT deal FROM outcomes)"
        try:
            with contextlib.closing(
                sqlite3.connect(f"file:{self.files.journal}?mode=ro", uri=True)
            ) as database:
                return int(database.execute(query).fetchone()[0])
        except sqlite3.Error:
            return 0


MOST_CRASHES: Final = 3
LEAST_LIFE_S: Final = 0.5
"""A controller that is killed while it starts has lived so long (s of the wall clock)."""


async def _cancelled(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def judged(table: SoakTable, keep: Path, *, ended_early: bool) -> dict[str, Any]:
    """Have the verdict's program judge a table; gives its JSON object.

    `ended_early`: people have ended the run while its last deal was perhaps not settled yet.

    Raises:
        ChildFailed: it could not say.
    """
    more = ["--keep", str(keep), "--answers", str(table.files.answers)]
    more += ["--ended-early"] if ended_early else []
    return await verdict_of("hardware_sim.soak_verdict", table.files, *more, environment=table.environment)
