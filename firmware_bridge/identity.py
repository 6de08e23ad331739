"""Which port is meant: devices by USB vendor, product and serial number, never by ttyUSB number (shell).

Looking is passive: names and numbers that the system keeps anyway are read, and nothing is opened. A device
of another vendor or product is never touched.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from serial.tools import list_ports

from firmware_bridge.errors import PortUnavailable
from firmware_bridge.port_address import UsbId

_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class SerialDevice:
    """A serial port of this computer. ``usb``: of the USB device behind it, None where there is none."""

    path: str
    usb: UsbId | None
    words: str = ""


ListSerial = Callable[[], Iterable[SerialDevice]]
"""Lists the serial ports that are there now."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Which of several devices that match is tried: the ``number``-th, if the board's uid ``decides``."""

    number: int = 0
    decides: bool = False


def serial_devices() -> list[SerialDevice]:
    """All serial ports of this computer, by path; nothing is opened."""
    return sorted(
        (
            SerialDevice(
                port.device,
                None if port.vid is None else UsbId(port.vid, port.pid, port.serial_number or None),
                port.description or "",
            )
            for port in list_ports.comports()
        ),
        key=lambda device: device.path,
    )


def matches(wanted: UsbId, found: UsbId | None) -> bool:
    """True when ``found`` is of the wanted kind, and has the wanted serial number if one is named."""
    return (
        found is not None
        and (found.vid, found.pid) == (wanted.vid, wanted.pid)
        and wanted.serial in (None, found.serial)
    )


def serial_path(wanted: UsbId, devices: Iterable[SerialDevice], turn: Turn) -> str:
    """Path of the serial port of the USB device that is meant. Raises PortUnavailable."""
    found = sorted(device.path for device in devices if matches(wanted, device.usb))
    return choose(wanted, found, turn, what="USB serial port")


def choose(
    wanted: UsbId,
    found: Sequence[_Found],
    turn: Turn,
    *,
    what: str,
    name: Callable[[_Found], str] = str,
) -> _Found:
    """The device to try now: the only one, or the next if the board's own number decides.

    ``name`` tells people which one is meant. Raises PortUnavailable when there is none, or several that
    nothing tells apart.
    """
    if not found:
        raise PortUnavailable(f"there is no {what} {wanted}")
    if len(found) > 1 and not turn.decides:
        raise PortUnavailable(
            f"there are {len(found)} devices for the {what} {wanted}: {', '.join(map(name, found))}; "
            "name its serial number, or the board's uid"
        )
    return found[turn.number % len(found)]
