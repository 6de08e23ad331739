"""The board as the controller uses it: an async context manager over port and host (shell)."""

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from firmware_bridge.capture import capture_of
from firmware_bridge.capture_files import CaptureFiles
from firmware_bridge.capture_ring import CaptureRing
from firmware_bridge.driver import Driver
from firmware_bridge.errors import BoardError, LinkLost, PortBusy, PortHeld, PortUnavailable, WrongVersion
from firmware_bridge.host import Finished, Host
from firmware_bridge.identity import ListSerial, Turn, serial_devices
from firmware_bridge.link import LinkStats, Timing
from firmware_bridge.messages import Booted, Command, Disconnected, Done, Fault, Report, Status
from firmware_bridge.port import Callbacks, Port, PortSettings, open_port, parse_url
from firmware_bridge.quality import Quality
from firmware_bridge.states import Severity
from firmware_bridge.usb_find import UsbBackend, load_backend

REPORTS_KEPT: Final = 4096
"""Reports that wait for a reader; beyond that the oldest are dropped and counted."""

REOPEN_FIRST_S: Final = 0.05
REOPEN_MOST_S: Final = 0.5
"""Waits between attempts to open a port, seconds: doubled from the first to the most."""

WATCH_S: Final = 0.5
"""How often a port that is silent is looked after: does its name still mean the same device?"""


class Board:
    """One control board behind ``url``.

    ``url`` is a path, ``serial://PATH``, ``serial://usb/VID:PID[/SERIAL]``, ``socket://HOST:PORT`` or
    ``usb://VID:PID[/SERIAL]`` (bulk endpoints). Entering starts connecting and returns at once; it reconnects
    by itself as long as the context lasts, to the device of the same identity whatever its name is by then.
    """

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        url: str,
        *,
        baud: int = 115200,
        lost_after_s: float = 3.0,
        resume_within_s: float = 10.0,
        uid: int | None = None,
        usb_backend: str | UsbBackend = None,
        list_serial: ListSerial = serial_devices,
        history: bool = False,
        captures: Path | None = None,
    ) -> None:
        """Keep the address; nothing is opened yet. Raises BadUrl.

        ``uid``: the number of the only board that is accepted, as it tells it; another one is left alone
        (WrongBoard) and looked past. Without it the first board that answers is the one, until the context
        ends. ``usb_backend``: a backend of pyusb, or ``package.module:function`` that makes one; by default
        libusb. ``history``: what the board still keeps of the time before comes first, as Missed.
        ``captures``: a folder where the last frames are written to when the link is lost, or a fault has
        stopped the machine.
        """
        self._address = parse_url(url)
        self.url = url
        self.identity: Booted | None = None
        self.status: Status | None = None
        self.reports_dropped = 0
        self._settings = PortSettings(
            baud=baud,
            usb_backend=load_backend(usb_backend) if isinstance(usb_backend, str) else usb_backend,
            list_serial=list_serial,
        )
        self._host = Host(
            session=secrets.randbits(16),
            first_op_id=secrets.randbits(32),
            timing=Timing(lost_after=lost_after_s),
            resume_within_s=resume_within_s,
            uid=uid,
            history=history,
        )
        self._quality = Quality()
        self._captures = None if captures is None else CaptureFiles(captures)
        self._turn = 0
        self._met = False
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
    def frames(self) -> CaptureRing:
        """The last frames of the link in both directions."""
        return self._host.link.ring

    @property
    def bad_per_mille(self) -> int:
        """Frames of a thousand that were sent again or came damaged, of about the last thousand.

        More than 10 are reported as the fault LNK-02, before the link fails.
        """
        return self._quality.per_mille

    @property
    def captures(self) -> CaptureFiles | None:
        """Where captures go, and why the last one could not be written."""
        return self._captures

    @property
    def is_connected(self) -> bool:
        """True while commands can be given."""
        return self._host.ready

    @property
    def read_only(self) -> WrongVersion | None:
        """Why the board can only be asked for its status and stopped, in words; None where it can be used."""
        return self._host.read_only

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
            if self._captures is not None:
                await self._captures.finished()
            if not self._task.cancelled():
                self._task.result()

    async def connected(self, within_s: float = 10.0) -> Booted:
        """Wait until the board has said who it is.

        Raises LinkLost after ``within_s`` seconds: NoValidFrame or WrongBoard where that is the reason.
        """
        try:
            async with asyncio.timeout(within_s):
                while not (self._host.ready and self.identity):
                    if self._closed:
                        raise self._host.lost()
                    await self._changed.wait()
        except TimeoutError:
            raise self._host.lost() from None
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
        default the command's own limit), LinkLost (also at once while not connected), WrongVersion,
        NotSupported.
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
                self._met = False
                port = await self._opened(driver)
                if port is not None:
                    await self._stay(port, driver)
                driver.pump()
                if self._met:
                    wait = REOPEN_FIRST_S
                else:
                    self._turn += 1
                await asyncio.sleep(wait)
                wait = min(2 * wait, REOPEN_MOST_S)
        finally:
            driver.stop()

    async def _opened(self, driver: Driver) -> Port | None:
        """One attempt: the port, or None and the host knows why not."""
        # A name that fits several devices is no trouble where the board's own number tells them apart.
        turn = Turn(self._turn, decides=self._host.uid is not None)
        callbacks = Callbacks(driver.data_came, self._port_lost, driver.pump)
        try:
            return await open_port(self._address, callbacks, replace(self._settings, turn=turn))
        except PortUnavailable as error:
            why = PortHeld(str(error)) if isinstance(error, PortBusy) else str(error)
            self._host.port_closed(why, asyncio.get_running_loop().time())
            return None

    async def _stay(self, port: Port, driver: Driver) -> None:
        """Use ``port`` until it or the link over it is gone, then leave nothing of it behind."""
        self._port_gone.clear()
        self._quality.begin(self.stats)
        self._host.port_opened(asyncio.get_running_loop().time())
        try:
            driver.attach(port)
            await self._until_gone(port)
        finally:
            self._host.port_closed(None, asyncio.get_running_loop().time())
            driver.detach()
            await port.wait_closed()

    async def _until_gone(self, port: Port) -> None:
        frames = -1
        while not self._port_gone.is_set():
            try:
                async with asyncio.timeout(WATCH_S):
                    await self._port_gone.wait()
            except TimeoutError:
                before, frames = frames, self.stats.frames_received
                if frames != before:
                    self._judge()
                elif port.leads_elsewhere():
                    # Only a silent one is given up: two adapters may claim a name, and one of them works.
                    self._port_lost("its name means another device by now, or none")

    def _judge(self) -> None:
        """Warn of a bad link before it fails."""
        finding = self._quality.look(self.stats) if self.is_connected else None
        if finding is not None:
            self._keep(finding)

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
            self._met = True
        elif isinstance(report, Status):
            self.status = report
        self._capture(report)
        if len(self._reports) == REPORTS_KEPT:
            self.reports_dropped += 1
        self._reports.append(report)
        self._wake()

    def _capture(self, report: Report) -> None:
        """Keep the last frames of a link that is lost, or before a fault that stops the machine."""
        match report:
            case Fault(severity=Severity.STOP_CYCLE | Severity.PROTECTIVE_STOP, code=code):
                why = f"fault {code.label}"
            case Disconnected(reason) if self.identity is not None:
                why = reason
            case _:
                return
        if self._captures is not None and self._captures.is_due(asyncio.get_running_loop().time()):
            link = self._host.link
            about = {"why": why, "port": self.url}
            lost_after_s = link.timing.lost_after
            self._captures.write(capture_of(link.ring, self.identity, lost_after_s=lost_after_s, about=about))

    def _wake(self) -> None:
        """Wake everyone who waits for a change; each looks for himself."""
        self._changed.set()
        self._changed = asyncio.Event()
