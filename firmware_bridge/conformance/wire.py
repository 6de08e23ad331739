"""What the examination speaks through: bytes out, bytes in, and a clock."""

from typing import Protocol


class WireGone(Exception):
    """The port is closed or the device has gone; the text says why."""


class Wire(Protocol):
    """One end of a line to a board. Times are seconds of the wire's own clock."""

    @property
    def now(self) -> float:
        """The time."""

    @property
    def slack(self) -> float:
        """How much later than due a frame may be seen here, seconds."""

    async def send(self, data: bytes) -> None:
        """Put bytes on the wire. Raises WireGone."""

    async def receive(self, until: float) -> bytes:
        """Bytes as soon as some have come; none when it is ``until``. Raises WireGone."""
