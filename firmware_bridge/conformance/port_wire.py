"""A wire over a real port, in real time (shell)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

from firmware_bridge.conformance.wire import WireGone
from firmware_bridge.port import PortSettings, open_port
from firmware_bridge.port_transport import Callbacks, Port

SLACK_S: Final = 0.2
"""Ports with a latency timer, and machines that do other things beside."""

FULL_S: Final = 3.0
"""How long a board may leave bytes unread before the wire is called gone."""


class PortWire:
    """Bytes of one open port."""

    slack: Final = SLACK_S

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._came = bytearray()
        self._more = asyncio.Event()
        self._gone: str | None = None
        self.port: Port | None = None

    @property
    def now(self) -> float:
        """The event loop's clock."""
        return self._loop.time()

    def callbacks(self) -> Callbacks:
        """What the port calls."""
        return Callbacks(self._data, self._lost, lambda: None)

    async def send(self, data: bytes) -> None:
        """Wait for room, at most FULL_S."""
        give_up_at = self.now + FULL_S
        while self.port is not None and self._gone is None and self.port.room < len(data):
            if self.now >= give_up_at:
                raise WireGone("the board does not take any bytes")
            await asyncio.sleep(0.005)
        if self.port is None or self._gone is not None:
            raise WireGone(self._gone or "the port is closed")
        self.port.write(data)

    async def receive(self, until: float) -> bytes:
        """What has come, or nothing at ``until``."""
        if not self._came and self._gone is None:
            self._more.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await self._more.wait()
        if not self._came and self._gone is not None:
            raise WireGone(self._gone)
        data = bytes(self._came)
        self._came.clear()
        return data

    def _data(self, data: bytes) -> None:
        self._came += data
        self._more.set()

    def _lost(self, why: str) -> None:
        self._gone = why
        self._more.set()


@contextlib.asynccontextmanager
async def port_wire(url: str, settings: PortSettings | None = None) -> AsyncIterator[PortWire]:
    """The board at ``url`` for this process alone. Raises BadUrl, PortUnavailable."""
    wire = PortWire()
    wire.port = await open_port(url, wire.callbacks(), settings)
    try:
        yield wire
    finally:
        wire.port.abort()
        await wire.port.wait_closed()
