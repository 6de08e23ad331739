"""Turns the crank of a pure engine over a transport: bytes in, timer, bytes out (shell).

Both ends of the wire use it: the host over its port, the simulated board over its pseudo-terminal.
"""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from firmware_bridge.frames import FRAME_LIMIT
from firmware_bridge.port_transport import QUEUE_LIMIT, Port

ROOM_NEEDED: Final = 32 * (FRAME_LIMIT + 1)
"""Room a transport must have before the engine is asked: more than it gives in one turn."""

BLOCKED_S: Final = 0.025
"""Pause while the peer does not read; the engine's timers may all be due then."""

if ROOM_NEEDED > QUEUE_LIMIT:
    raise AssertionError("the queue must hold what an engine gives in one turn")


class Engine(Protocol):
    """A pure protocol machine; see :class:`firmware_bridge.link.Link` for the meaning of each method."""

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes."""

    def on_timer(self, now: float) -> None:
        """Let time pass."""

    def data_to_send(self, now: float) -> bytes:
        """Give bytes."""

    def next_timer(self) -> float | None:
        """When to come back."""


class Driver:
    """Runs ``engine``; ``after_turn`` is called whenever the engine may have something to tell."""

    def __init__(self, engine: Engine, after_turn: Callable[[], None]) -> None:
        self._engine = engine
        self._after_turn = after_turn
        self._loop = asyncio.get_running_loop()
        self._transport: Port | None = None
        self._timer: asyncio.TimerHandle | None = None

    def attach(self, transport: Port) -> None:
        """Begin to use ``transport``."""
        self._transport = transport
        self.pump()

    def detach(self) -> None:
        """Drop the transport, if any; time goes on."""
        if self._transport is not None:
            self._transport.abort()
            self._transport = None
        self.pump()

    def stop(self) -> None:
        """Drop the transport and turn no more."""
        if self._transport is not None:
            self._transport.abort()
            self._transport = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def data_came(self, data: bytes) -> None:
        """Bytes from the transport."""
        self._engine.receive(data, self._loop.time())
        self.pump()

    def pump(self) -> None:
        """One turn: let time pass, send what is to be sent, tell, and set the timer."""
        now = self._loop.time()
        self._engine.on_timer(now)
        blocked = self._send(now)
        self._after_turn()
        self._set_timer(now, blocked=blocked)

    def _send(self, now: float) -> bool:
        """Send; True when the transport has no room."""
        if self._transport is None:
            return False
        if self._transport.room < ROOM_NEEDED:
            return True
        data = self._engine.data_to_send(now)
        if data:
            self._transport.write(data)
        return False

    def _set_timer(self, now: float, *, blocked: bool) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        at = self._engine.next_timer()
        if at is None:
            return
        if blocked or self._transport is None:
            at = max(at, now + BLOCKED_S)
        self._timer = self._loop.call_at(at, self.pump)
