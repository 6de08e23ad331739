"""Where a board is: the addresses people write. Pure.

A path, ``serial://PATH``, ``serial://usb/VID:PID[/SERIAL]``, ``socket://HOST:PORT`` or
``usb://VID:PID[/SERIAL]``. VID and PID are four hexadecimal digits each; SERIAL is the serial number that the
USB device tells, percent-encoded where it holds other than plain characters.
"""

import contextlib
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from firmware_bridge.errors import BadUrl

EXPECTED: Final = "expected a path, serial://PATH, serial://usb/VID:PID[/SERIAL], socket://HOST:PORT or usb://VID:PID[/SERIAL]"

_USB: Final = re.compile(r"(?P<vid>[0-9a-fA-F]{4}):(?P<pid>[0-9a-fA-F]{4})(?:/(?P<serial>[^/]+))?")


@dataclass(frozen=True, slots=True)
class UsbId:
    """What a USB device says about itself; ``serial``: its serial number, None: any or none."""

    vid: int
    pid: int
    serial: str | None = None

    def __str__(self) -> str:
        return f"{self.vid:04x}:{self.pid:04x}" + (f" {self.serial}" if self.serial else "")


@dataclass(frozen=True, slots=True)
class SerialPath:
    """A serial device's path, or a symbolic link to one; looked at anew whenever it is opened."""

    path: str


@dataclass(frozen=True, slots=True)
class SerialUsb:
    """The serial port of a USB device, whatever its name is today."""

    usb: UsbId


@dataclass(frozen=True, slots=True)
class Tcp:
    """A host and port that carry the board's bytes."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class UsbBulk:
    """A USB device with a pair of bulk endpoints."""

    usb: UsbId


Address = SerialPath | SerialUsb | Tcp | UsbBulk


def parse_url(url: str) -> Address:
    """The address in ``url``. Raises BadUrl."""
    scheme, mark, rest = url.partition("://")
    address: Address | None = None
    if not mark:
        address = SerialPath(url) if url else None
    elif scheme == "serial" and rest.startswith("usb/"):
        usb = _usb(rest.removeprefix("usb/"))
        address = SerialUsb(usb) if usb else None
    elif scheme == "serial" and rest:
        address = SerialPath(rest)
    elif scheme == "usb":
        usb = _usb(rest)
        address = UsbBulk(usb) if usb else None
    elif scheme == "socket":
        address = _tcp(url)
    if address is None:
        raise BadUrl(f"board address {url!r}: {EXPECTED}")
    return address


def _usb(text: str) -> UsbId | None:
    found = _USB.fullmatch(text)
    if found is None:
        return None
    serial = found["serial"]
    return UsbId(int(found["vid"], 16), int(found["pid"], 16), unquote(serial) if serial else None)


def _tcp(url: str) -> Tcp | None:
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        if parts.hostname and parts.port:
            return Tcp(parts.hostname, parts.port)
    return None
