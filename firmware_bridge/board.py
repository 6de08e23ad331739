"""The board as the controller uses it: an async context manager over port and link (shell)."""

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

from firmware_bridge.messages import Booted, Command, Done, Report, Status


class Board:
    """One control board behind ``url``: a path, ``serial://PATH`` or ``socket://HOST:PORT``.

    Entering starts connecting and returns at once; it reconnects by itself as long as the context lasts.
    """

    def __init__(self, url: str, *, lost_after_s: float = 3.0, resume_within_s: float = 10.0) -> None:
        """Keep the address; nothing is opened yet. Raises BadUrl."""
        self.url = url
        self.identity: Booted | None = None
        self.status: Status | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    async def connected(self, within_s: float = 10.0) -> Booted:
        """Wait until the board has said who it is. Raises LinkLost after ``within_s`` seconds."""
        raise NotImplementedError

    def reports(self) -> AsyncIterator[Report]:
        """Reports in order, for one reader; ends when the context ends.

        ``Booted`` and ``Status`` come after every connection, ``Disconnected`` when the link goes.
        """
        raise NotImplementedError

    async def command(self, command: Command, *, within_s: float | None = None) -> Done:
        """Have the board carry out ``command``; returns when it is done.

        Raises CommandRefused (nothing moved), CommandFailed, or LinkLost (also at once while not connected).
        """
        raise NotImplementedError
