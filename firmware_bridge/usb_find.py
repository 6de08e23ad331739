"""Finds and opens USB devices with a pair of bulk endpoints, by pyusb (shell).

Everything here may wait for the device and is called in a thread.
"""

import errno
import importlib
from dataclasses import dataclass
from typing import Any, Final

import usb.core
import usb.util

from firmware_bridge.errors import BadUrl, PortBusy, PortUnavailable
from firmware_bridge.identity import Turn, choose
from firmware_bridge.port_address import UsbId

UsbBackend = Any
"""A ``usb.backend.IBackend``, or anything that behaves like one; None: libusb."""

VENDOR_SPECIFIC: Final = 0xFF

_WORDS: Final = {
    errno.EACCES: "no permission to open this USB device",
    errno.EPERM: "no permission to open this USB device",
    errno.EBUSY: "another program holds this USB device",
    errno.ENODEV: "unplugged",
    errno.ENOENT: "unplugged",
    errno.ENXIO: "unplugged",
    errno.ESHUTDOWN: "unplugged",
}


@dataclass(frozen=True, slots=True)
class BulkPair:
    """An opened device and its pair of endpoints. ``packet``: the OUT endpoint's packet size, bytes."""

    device: Any
    interface: int
    out_endpoint: int
    in_endpoint: int
    packet: int
    in_packet: int
    name: str

    def close(self) -> None:
        """Give interface and device back; errors of a device that is gone are none."""
        try:
            usb.util.dispose_resources(self.device)
        except Exception:  # noqa: BLE001 - there is nothing left to close
            return


def load_backend(name: str) -> UsbBackend:
    """The backend that ``package.module:function`` gives. Raises BadUrl."""
    module, mark, function = name.partition(":")
    if not (module and mark and function):
        raise BadUrl(f"USB backend {name!r}: expected package.module:function")
    try:
        backend: UsbBackend = getattr(importlib.import_module(module), function)()
    except Exception as error:  # noqa: BLE001 - whatever a module does when it is imported
        raise BadUrl(f"USB backend {name!r}: {type(error).__name__}: {error}") from None
    if backend is None:
        raise BadUrl(f"USB backend {name!r}: finds its library nowhere")
    return backend


def open_bulk(wanted: UsbId, backend: UsbBackend, turn: Turn) -> BulkPair:
    """Find the device that is meant, claim its bulk interface. Raises PortUnavailable."""
    try:
        device = choose(wanted, _matching(wanted, backend), turn, what="USB device", name=_place)
    except usb.core.NoBackendError:
        raise PortUnavailable(f"USB device {wanted}: libusb-1.0 is not installed") from None
    except PortUnavailable:
        raise
    except Exception as error:  # noqa: BLE001 - whatever pyusb or its backend come up with
        raise PortUnavailable(f"USB device {wanted}: {words(error)}") from None
    try:
        return _claim(wanted, device)
    except PortUnavailable:
        usb.util.dispose_resources(device)
        raise
    except Exception as error:  # noqa: BLE001 - whatever pyusb or its backend come up with
        usb.util.dispose_resources(device)
        kind = PortBusy if getattr(error, "errno", None) == errno.EBUSY else PortUnavailable
        raise kind(f"USB device {wanted}: {words(error)}") from None


def words(error: Exception) -> str:
    """What an error of pyusb means, for people."""
    code = getattr(error, "errno", None)
    return _WORDS.get(code or 0, "") or str(error) or type(error).__name__


def _matching(wanted: UsbId, backend: UsbBackend) -> list[Any]:
    """Devices of the wanted kind, by bus and address; only of these the serial number is asked."""
    of_kind = usb.core.find(find_all=True, backend=backend, idVendor=wanted.vid, idProduct=wanted.pid)
    found = [device for device in of_kind if wanted.serial in (None, _serial_number(device))]
    return sorted(found, key=lambda device: (device.bus or 0, device.address or 0))


def _place(device: Any) -> str:
    return f"bus {device.bus} device {device.address}"  # str(device) would open it and ask


def _serial_number(device: Any) -> str | None:
    """Ask the device; a device that may not be asked, or has just gone, has none."""
    try:
        number: str | None = device.serial_number
    except (usb.core.USBError, ValueError):
        number = None
    usb.util.dispose_resources(device)
    return number


def _claim(wanted: UsbId, device: Any) -> BulkPair:
    try:
        configuration = device.get_active_configuration()
    except usb.core.USBError as error:
        if error.errno in _WORDS:
            raise
        device.set_configuration()  # never when one is set: some devices start anew then
        configuration = device.get_active_configuration()
    interface, outward, inward = _bulk_interface(wanted, configuration)
    number = interface.bInterfaceNumber
    if _kernel_driver(device, number):
        raise PortUnavailable(f"USB device {wanted}: a driver of the system has it; use its serial port")
    usb.util.claim_interface(device, number)
    return BulkPair(
        device,
        number,
        outward.bEndpointAddress,
        inward.bEndpointAddress,
        outward.wMaxPacketSize,
        inward.wMaxPacketSize,
        f"USB device {wanted}",
    )


def _bulk_interface(wanted: UsbId, configuration: Any) -> tuple[Any, Any, Any]:
    """The interface with a bulk pair, a vendor specific one first."""
    interfaces = sorted(configuration, key=lambda one: one.bInterfaceClass != VENDOR_SPECIFIC)
    for interface in interfaces:
        bulk = [
            endpoint
            for endpoint in interface
            if usb.util.endpoint_type(endpoint.bmAttributes) == usb.util.ENDPOINT_TYPE_BULK
        ]
        pair = [
            next((end for end in bulk if usb.util.endpoint_direction(end.bEndpointAddress) == way), None)
            for way in (usb.util.ENDPOINT_OUT, usb.util.ENDPOINT_IN)
        ]
        if None not in pair:
            return interface, pair[0], pair[1]
    raise PortUnavailable(f"USB device {wanted}: has no pair of bulk endpoints")


def _kernel_driver(device: Any, interface: int) -> bool:
    try:
        return bool(device.is_kernel_driver_active(interface))
    except (usb.core.USBError, NotImplementedError):
        return False  # not every system and backend can tell
