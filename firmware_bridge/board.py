"""The board as the controller uses it: an async context manager over port and host (shell)."""

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Final, Self

from firmware_bridge.driver import Driver
from firmware_bridge.errors import BoardError, LinkLost, PortUnavailable
from firmware_bridge.host import Finished, Host
from firmware_bridge.link import LinkStats, Timing
from firmware_bridge.messages import Booted, Command, Done, Report, Status
from firmware_bridge.port import Callbacks, open_port, parse_url

REPORTS_KEPT: Final = 4096
"""Reports that wait for a reader; beyond that the oldest are dropped and counted."""

REOPEN_FIRST_S: Final = 0.05
REOPEN_MOST_S: Final = 1.0
"""Waits between attempts to open a port, seconds: doubled from the first to the most."""


class Board:
    """One control board behind ``url``: a path, ``serial://PATH`` or ``socket://HOST:PORT``.

    Entering starts connecting and returns at once; it reconnects by itself as long as the context lasts.
    """

    def __init__(
        self, url: str, *, baud: int = 115200, lost_after_s: float = 3.0, resume_within_s: float = 10.0
    ) -> None:
        """Keep the address; nothing is opened yet. Raises BadUrl."""
        parse_url(url)
        self.url = url
        self.identity: Booted | None = None
        self.status: Status | None = None
        self.reports_dropped = 0
        self._baud = baud
        self._host = Host(
            session=secrets.randbits(16),
            first_op_id=secrets.randbits(32),
            timing=Timing(lost_after=lost_after_s),
            resume_within_s=resume_within_s,
        )
        self._driver: Driver | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[Done]] = {}
        self._reports: deque[Report] = deque(maxlen=REPORTS_KEPT)
        self._changed = asyncio.Event()
        self._port_gone = asyncio.Event()
        self._closed = False

    @property
    def stats(self) -> LinkStats:
        """Frames sent, received, retransmitted, damaged; round trip."""
        return self._host.link.stats

    @property
    def is_connected(self) -> bool:
        """True while commands can be given."""
        return self._host.ready

    async def __aenter__(self) -> Self:
        self._driver = Driver(self._host, self._take_outcomes)
        self._task = asyncio.create_task(self._keep_open(self._driver), name=f"board {self.url}")
        self._task.add_done_callback(self._ended)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            if not self._task.cancelled():
                self._task.result()

    async def connected(self, within_s: float = 10.0) -> Booted:
        """Wait until the board has said who it is. Raises LinkLost after ``within_s`` seconds."""
        try:
            async with asyncio.timeout(within_s):
                while not (self._host.ready and self.identity):
                    await self._changed.wait()
        except TimeoutError:
            raise LinkLost(self._host.trouble) from None
        return self.identity

    async def reports(self) -> AsyncIterator[Report]:
        """Reports in order, for one reader; ends when the context ends.

        ``Booted`` and ``Status`` come after every connection, ``Disconnected`` when the link goes.
        """
        while True:
            while self._reports:
                yield self._reports.popleft()
            if self._closed:
                return
            await self._changed.wait()

    async def command(self, command: Command, *, within_s: float | None = None) -> Done:
        """Have the board carry out ``command``; returns when it is done.

        Raises CommandRefused (nothing moved), CommandFailed (also when it takes longer than ``within_s``, by
        default the command's own limit), LinkLost (also at once while not connected), WrongVersion.
        """
        if self._driver is None or self._closed:
            raise LinkLost("the board is not open")
        now = asyncio.get_running_loop().time()
        op_id = self._host.request(command, now, within_s)
        future: asyncio.Future[Done] = asyncio.get_running_loop().create_future()
        self._waiting[op_id] = future
        self._driver.pump()
        try:
            return await future
        finally:
            self._waiting.pop(op_id, None)
            self._host.forget(op_id)

    # ---- inside --------------------------------------------------------------------------------------

    async def _keep_open(self, driver: Driver) -> None:
        """Open the port, again and again, for as long as the context lasts."""
        wait = REOPEN_FIRST_S
        try:
            while True:
                callbacks = Callbacks(driver.data_came, self._port_lost, driver.pump)
                try:
                    transport = await open_port(self.url, callbacks, baud=self._baud)
                except PortUnavailable as error:
                    self._host.port_closed(str(error), asyncio.get_running_loop().time())
                else:
                    wait = REOPEN_FIRST_S
                    self._port_gone.clear()
                    self._host.port_opened(asyncio.get_running_loop().time())
                    driver.attach(transport)
                    await self._port_gone.wait()
                    self._host.port_closed(self._host.trouble, asyncio.get_running_loop().time())
                driver.detach()
                await asyncio.sleep(wait)
                wait = min(2 * wait, REOPEN_MOST_S)
        finally:
            driver.stop()

    def _port_lost(self, why: str) -> None:
        self._host.port_closed(f"{self.url}: {why}", asyncio.get_running_loop().time())
        self._port_gone.set()

    def _ended(self, _: "asyncio.Task[None]") -> None:
        """The task that keeps the port open has ended: nobody may wait for the board any longer."""
        self._closed = True
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(LinkLost("the program closes the board"))
        self._wake()

    def _take_outcomes(self) -> None:
        """Hand on what the host has found out; called after every turn of the driver."""
        for outcome in self._host.outcomes():
            if isinstance(outcome, Finished):
                self._resolve(outcome.op_id, outcome.result)
            else:
                self._keep(outcome)
        if self._host.reopen:
            self._port_gone.set()

    def _resolve(self, op_id: int, result: Done | BoardError) -> None:
        future = self._waiting.get(op_id)
        if future is None or future.done():
            return
        if isinstance(result, Done):
            future.set_result(result)
        else:
            future.set_exception(result)

    def _keep(self, report: Report) -> None:
        if isinstance(report, Booted):
            self.identity = report
        elif isinstance(report, Status):
            self.status = report
        if len(self._reports) == REPORTS_KEPT:
            self.reports_dropped += 1
        self._reports.append(report)
        self._wake()

    def _wake(self) -> None:
        """Wake everyone who waits for a change; each looks for himself."""
        self._changed.set()
        self._changed = asyncio.Event()
