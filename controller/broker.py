"""A mosquitto of our own: a child process on free ports, with a generated configuration.

Two listeners: MQTT over TCP on loopback for the controller, MQTT over WebSocket for the display, which may
only read. Nothing is kept on disk: the controller publishes its retained state again after every connection.
"""

import asyncio
import contextlib
import secrets
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

from controller.broker_address import BrokerAddress, parse_broker_url
from controller.broker_folder import CONFIGURATION, READERS, broker_folder
from controller.processes import Child, ChildFailed, free_port, start_child

READY_S = 10.0
"""How long a fresh mosquitto may take until its ports answer."""

MOST_PAGES = 64
"""So many displays may read at once."""

LIMITS = (
    "max_packet_size 1048576",
    "max_queued_messages 1000",
    "max_queued_bytes 8388608",
    "persistent_client_expiration 1d",
    "max_keepalive 300",
)
"""What one client may ask of the broker at most; a table says less than twenty messages a second."""

_LOOPBACK = "127.0.0.1"
_SEARCH = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin")


class BrokerMissing(Exception):
    """No mosquitto program on this machine; the text says what to install."""


class Broker:
    """One mosquitto process and its two addresses. It keeps its ports when it is started again."""

    def __init__(self, *, folder: Path, display_host: str = _LOOPBACK) -> None:
        self._program = find_mosquitto()
        self._folder = folder
        self._display_host = display_host
        self._child: Child | None = None
        self._secret = secrets.token_hex(16)
        self.port = 0
        self.websocket_port = 0

    @property
    def url(self) -> str:
        """Where the controller connects."""
        return f"mqtt://{_LOOPBACK}:{self.port}"

    @property
    def address(self) -> BrokerAddress:
        """The same, with a secret from which the controller's name there follows.

        Whoever comes under its name puts it out, and pages of strangers may come. Nobody signs in with it.
        """
        return replace(parse_broker_url(self.url), password=self._secret)

    @property
    def websocket(self) -> str:
        """Where a display on this machine connects (read only)."""
        return f"ws://{_LOOPBACK}:{self.websocket_port}"

    @property
    def pid(self) -> int:
        """The process id of the running mosquitto; 0 before the start."""
        return self._child.pid if self._child else 0

    async def start(self) -> None:
        """Start it on free ports and wait until both answer.

        Raises:
            ChildFailed: it ended at once or did not get ready in time, three times in a row.

        """
        for attempt in (1, 2, 3):
            self.port, self.websocket_port = free_port(_LOOPBACK), free_port(self._display_host)
            try:
                await self._start_on_ports()
            except ChildFailed:
                # Another program may have taken a port between the look and the start.
                if attempt == 3:
                    raise
            else:
                return

    async def keep_running(self) -> None:
        """Start it again, on the same ports, whenever it dies. Runs until cancelled."""
        pause_s = 0.2
        while self._child is not None:
            await self._child.ended()
            await asyncio.sleep(pause_s)
            try:
                await self._start_on_ports()
                pause_s = 0.2
            except ChildFailed:
                pause_s = min(pause_s * 2, 10.0)

    async def stop(self) -> None:
        """End it."""
        if self._child is not None:
            await self._child.stop(patience_s=0.5)

    async def ended(self) -> str:
        """Wait until it ends by itself; gives one paragraph saying how."""
        if self._child is None:
            return "mosquitto was not started"
        await self._child.ended()
        return self._child.obituary()

    async def _start_on_ports(self) -> None:
        self._child = await start_child(
            "mosquitto", [self._program, "-c", str(self._configure())], user="mosquitto"
        )
        try:
            await _wait_for_port(self._child, host=_LOOPBACK, port=self.port)
            await _wait_for_port(self._child, host=self._display_host, port=self.websocket_port)
        except BaseException:
            await self._child.stop(patience_s=0.5)
            raise

    def _configure(self) -> Path:
        """Write mosquitto's configuration; a WebSocket listener alone would not start, so TCP comes first."""
        readers = self._folder / READERS
        readers.write_text("topic read mj/v1/+/+/state/#\ntopic read mj/v1/+/+/event/#\n", encoding="utf-8")
        path = self._folder / CONFIGURATION
        lines = [
            "per_listener_settings true",
            "persistence false",
            "log_type error",
            "log_type warning",
            *LIMITS,
            f"listener {self.port} {_LOOPBACK}",
            "allow_anonymous true",
            f"listener {self.websocket_port} {self._display_host}",
            # Strangers may be among those who read: they get no more than there is.
            f"max_connections {MOST_PAGES}",
            "protocol websockets",
            "allow_anonymous true",
            f"acl_file {readers}",
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        # Started as root, mosquitto reads them as its own user; there is no secret in either.
        for each, mode in ((self._folder, 0o755), (readers, 0o644), (path, 0o644)):
            each.chmod(mode)
        return path


def find_mosquitto() -> str:
    """Give the path of the mosquitto program.

    Raises:
        BrokerMissing: there is none; one line says what to install.

    """
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path=":".join(_SEARCH))
    if found is None:
        raise BrokerMissing(
            "mosquitto: program not found; install it (Debian, Ubuntu: apt install mosquitto), "
            "or name a broker in table.toml: [mqtt] url and websocket"
        )
    return found


@contextlib.asynccontextmanager
async def own_broker(*, display_host: str = _LOOPBACK) -> AsyncIterator[Broker]:
    """Run a broker for the time of the block; it is started again if it dies."""
    with broker_folder() as folder:
        broker = Broker(folder=folder, display_host=display_host)
        await broker.start()
        keeper = asyncio.create_task(broker.keep_running(), name="keeps mosquitto running")
        try:
            yield broker
        finally:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
            await broker.stop()


async def _wait_for_port(child: Child, *, host: str, port: int) -> None:
    try:
        async with asyncio.timeout(READY_S):
            while not await _answers(host, port):
                if not child.alive:
                    await child.ended()
                    raise ChildFailed(child.obituary())
                await asyncio.sleep(0.02)
    except TimeoutError as error:
        raise ChildFailed(f"mosquitto did not get ready within {READY_S:.0f} s") from error


async def _answers(host: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True
