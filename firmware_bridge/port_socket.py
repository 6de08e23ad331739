"""Opens TCP connections to boards behind a serial server or in a simulator (shell)."""

import asyncio
import os
import socket
from typing import Final

from firmware_bridge.errors import PortUnavailable
from firmware_bridge.port_transport import Callbacks, Transport

CONNECT_S: Final = 3.0
"""How long one address may take to answer."""


async def open_socket(host: str, port: int, callbacks: Callbacks) -> Transport:
    """Connect to ``host`` and ``port``: every address of the name is tried. Raises PortUnavailable."""
    loop = asyncio.get_running_loop()
    place = f"{host}:{port}"
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise PortUnavailable(f"{place}: {error.strerror or error}") from None
    failure = f"{place}: the name has no address"
    for family, kind, protocol, _, where in found:
        link = socket.socket(family, kind, protocol)
        try:
            async with asyncio.timeout(CONNECT_S):
                await _connect(loop, link, where)
        except OSError as error:
            link.close()
            # The event loop's own words about a refused connection name the address once more.
            failure = f"{place}: {os.strerror(error.errno) if error.errno else 'no answer'}"
        except BaseException:
            link.close()
            raise
        else:
            return Transport(link.fileno(), link.close, callbacks)
    raise PortUnavailable(failure)


async def _connect(
    loop: asyncio.AbstractEventLoop, link: socket.socket, where: tuple[str | int, ...] | tuple[int, bytes]
) -> None:
    link.setblocking(False)  # noqa: FBT003 - the method takes it by position only
    await loop.sock_connect(link, where)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # A host that vanishes without a word is noticed by the link; its connection is not kept for hours.
    link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
