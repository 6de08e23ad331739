"""What a simulated USB bus is to those who use it: devices that are listed, opened and asked."""

import errno
import os
from dataclasses import dataclass
from typing import Protocol

import usb.core


@dataclass(frozen=True, slots=True, kw_only=True)
class UsbFacts:
    """What the device says about itself. ``packet``: size of the bulk endpoints' packets, bytes."""

    vendor: int = 0x1209
    product: int = 0x4D4A
    serial: str = ""
    maker: str = "longzhuo"
    name: str = "simulated table"
    packet: int = 64


@dataclass(frozen=True, slots=True)
class Plugged:
    """A device on the bus. ``address``: another one after every plugging in."""

    address: int
    facts: UsbFacts


class Handle(Protocol):
    """A device that a host has opened. All methods raise ``usb.core.USBError``, times are milliseconds."""

    def claim(self) -> None:
        """Take the interface for this handle alone."""

    def release(self) -> None:
        """Give the interface back."""

    def write(self, data: bytes, timeout_ms: int) -> int:
        """Send packets; the bytes taken in time. No bytes: an empty packet."""

    def read(self, size: int, timeout_ms: int) -> bytes:
        """Packets up to a short one or ``size`` bytes, or what came in time."""

    def clear_halt(self, *, inward: bool) -> None:
        """End the stall of an endpoint."""

    def control(self, kind: int, index: int) -> bytes:
        """A descriptor of ``kind`` (3: string)."""

    def close(self) -> None:
        """Give everything back."""


class Bus(Protocol):
    """What a host sees: the devices that are plugged in."""

    def devices(self) -> list[Plugged]:
        """List them; nothing is opened."""

    def open(self, address: int) -> Handle:
        """Open one."""


def problem(code: int) -> usb.core.USBError:
    """The error pyusb raises for ``code``."""
    kind = usb.core.USBTimeoutError if code == errno.ETIMEDOUT else usb.core.USBError
    return kind(os.strerror(code), None, code)
