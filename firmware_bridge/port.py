"""Opens the port an address means, whatever carries the bytes (shell)."""

import asyncio
from dataclasses import dataclass, field

from firmware_bridge.errors import PortUnavailable
from firmware_bridge.identity import ListSerial, Turn, serial_devices, serial_path
from firmware_bridge.port_address import Address, SerialPath, SerialUsb, Tcp, UsbBulk, UsbId, parse_url
from firmware_bridge.port_serial import open_serial
from firmware_bridge.port_socket import open_socket
from firmware_bridge.port_transport import CLOSE_S, QUEUE_LIMIT, Callbacks, Port, Transport
from firmware_bridge.usb_bulk import open_usb
from firmware_bridge.usb_find import UsbBackend

__all__ = [
    "CLOSE_S",
    "QUEUE_LIMIT",
    "Address",
    "Callbacks",
    "Port",
    "PortSettings",
    "Transport",
    "open_port",
    "parse_url",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PortSettings:
    """How ports are opened: baud rate of serial ones, pyusb's backend (None: libusb), who lists serial ports.

    ``turn``: which of several devices of the same identity is tried.
    """

    baud: int = 115200
    usb_backend: UsbBackend = None
    list_serial: ListSerial = serial_devices
    turn: Turn = field(default_factory=Turn)


async def open_port(url: str | Address, callbacks: Callbacks, settings: PortSettings | None = None) -> Port:
    """Open ``url`` for this process alone. Raises BadUrl, PortUnavailable."""
    settings = settings or PortSettings()
    match parse_url(url) if isinstance(url, str) else url:
        case SerialPath(path):
            return await open_serial(path, callbacks, settings.baud)
        case SerialUsb(wanted):
            path = await asyncio.to_thread(_path, wanted, settings)
            return await open_serial(path, callbacks, settings.baud)
        case Tcp(host, port):
            return await open_socket(host, port, callbacks)
        case UsbBulk(wanted):
            return await open_usb(wanted, callbacks, settings.usb_backend, settings.turn)


def _path(wanted: UsbId, settings: PortSettings) -> str:
    try:
        devices = list(settings.list_serial())
    except Exception as error:  # noqa: BLE001 - whatever the listing library comes up with
        raise PortUnavailable(f"the serial ports can't be listed: {error}") from None
    return serial_path(wanted, devices, settings.turn)
