"""Readings as a server tells them: JSON lines over TCP on a loopback port (shell).

Every client first hears of everything that is known to lie on the table, then of every change.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Final

from hardware_sim.scene import Dice
from vision.observations import Appeared, DiceSeen, Observation, Settled, Vanished, encode_line

MOST_UNREAD: Final = 1 << 24
"""Bytes that wait for a client who does not read before it is cut off."""


class ReadingsServer:
    """Tells clients, and remembers for those to come, what lies there and whether the table is at rest."""

    def __init__(self) -> None:
        """Nobody can connect yet."""
        self.told: dict[int, Appeared] = {}
        self.settled = False
        self.refuses = False
        """Whether everybody who comes is sent away."""
        self._dice_told: DiceSeen | None = None
        self._clients: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def start(self, port: int = 0) -> int:
        """Listen on this port of the loopback address, or on a free one; return it.

        Raises:
            OSError: the port is occupied.
        """
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        bound: tuple[str, int] = self._server.sockets[0].getsockname()
        return bound[1]

    async def stop(self) -> None:
        """Close the port and every connection."""
        if self._server is not None:
            self._server.close()
        self.hang_up()
        await asyncio.sleep(0)

    def hang_up(self) -> None:
        """Break every connection."""
        for client in tuple(self._clients):
            client.transport.abort()

    def tell(self, observations: Sequence[Observation]) -> None:
        """Tell all clients, in this order."""
        for observation in observations:
            match observation:
                case Appeared(id=number):
                    self.told[number] = observation
                case Vanished(id=number):
                    self.told.pop(number, None)
                case DiceSeen():
                    self._dice_told = observation
            self.settled = isinstance(observation, Settled)
        if not observations or not self._clients:
            return
        data = b"".join(encode_line(observation) for observation in observations)
        for client in tuple(self._clients):
            client.write(data)
            if client.transport.get_write_buffer_size() > MOST_UNREAD:
                client.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refuses:
            writer.transport.abort()
            return
        for known in (*self.told.values(), *(() if self._dice_told is None else (self._dice_told,))):
            writer.write(encode_line(known))
        if self.settled:
            writer.write(encode_line(Settled(at=time.monotonic())))
        self._clients.add(writer)
        try:
            while await reader.read(1024):
                pass
        except OSError:
            pass
        finally:
            self._clients.discard(writer)
            writer.close()


def dice_seen(dice: Dice, now: float) -> DiceSeen:
    """What a camera says of the dice under the dome."""
    readable = bool(dice.values) and not dice.moving and not dice.leans
    return DiceSeen(at=now, values=tuple(sorted(dice.values)) if readable else None)
