"""A backend of pyusb over a simulated bus: what libusb is over a real one."""

import array
import errno
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Final

import usb.backend
import usb.util

from hardware_sim.usb_bus import Bus, Handle, Plugged, problem

OUT_ENDPOINT: Final = 0x01
IN_ENDPOINT: Final = 0x81
CONFIGURATION: Final = 1
GET_DESCRIPTOR: Final = 6
DEVICE_TO_HOST: Final = 0x80


class SimUsbBackend(usb.backend.IBackend):  # type: ignore[misc] # pyusb has no types
    """Devices of ``bus``: one configuration, one vendor specific interface, one pair of bulk endpoints."""

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self.bus = bus
        self.open_handles = 0

    # ---- what is there -------------------------------------------------------------------------------

    def enumerate_devices(self) -> Iterator[Plugged]:
        """Devices by address."""
        return iter(self.bus.devices())

    def get_device_descriptor(self, dev: Plugged) -> SimpleNamespace:
        """USB 2.0, table 9-8."""
        facts = dev.facts
        return SimpleNamespace(
            bLength=18,
            bDescriptorType=usb.util.DESC_TYPE_DEVICE,
            bcdUSB=0x0200,
            bDeviceClass=0,
            bDeviceSubClass=0,
            bDeviceProtocol=0,
            bMaxPacketSize0=64,
            idVendor=facts.vendor,
            idProduct=facts.product,
            bcdDevice=0x0100,
            iManufacturer=1,
            iProduct=2,
            iSerialNumber=3 if facts.serial else 0,
            bNumConfigurations=1,
            address=dev.address,
            bus=1,
            port_number=1,
            port_numbers=(1,),
            speed=usb.util.SPEED_FULL,
        )

    def get_configuration_descriptor(self, dev: Plugged, config: int) -> SimpleNamespace:
        """USB 2.0, table 9-10."""
        del dev
        _only_first(config)
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=usb.util.DESC_TYPE_CONFIG,
            wTotalLength=9 + 9 + 7 + 7,
            bNumInterfaces=1,
            bConfigurationValue=CONFIGURATION,
            iConfiguration=0,
            bmAttributes=0xC0,
            bMaxPower=50,
            extra_descriptors=[],
        )

    def get_interface_descriptor(self, dev: Plugged, intf: int, alt: int, config: int) -> SimpleNamespace:
        """USB 2.0, table 9-12."""
        del dev
        _only_first(config, intf, alt)
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=usb.util.DESC_TYPE_INTERFACE,
            bInterfaceNumber=0,
            bAlternateSetting=0,
            bNumEndpoints=2,
            bInterfaceClass=0xFF,
            bInterfaceSubClass=0,
            bInterfaceProtocol=0,
            iInterface=0,
            extra_descriptors=[],
        )

    def get_endpoint_descriptor(
        self, dev: Plugged, ep: int, intf: int, alt: int, config: int
    ) -> SimpleNamespace:
        """USB 2.0, table 9-13."""
        _only_first(config, intf, alt)
        return SimpleNamespace(
            bLength=7,
            bDescriptorType=usb.util.DESC_TYPE_ENDPOINT,
            bEndpointAddress=(OUT_ENDPOINT, IN_ENDPOINT)[ep],
            bmAttributes=usb.util.ENDPOINT_TYPE_BULK,
            wMaxPacketSize=dev.facts.packet,
            bInterval=0,
            bRefresh=0,
            bSynchAddress=0,
            extra_descriptors=[],
        )

    # ---- an opened device ----------------------------------------------------------------------------

    def open_device(self, dev: Plugged) -> Handle:
        """Open it; ENODEV when it has gone since it was listed."""
        handle = self.bus.open(dev.address)
        self.open_handles += 1
        return handle

    def close_device(self, dev_handle: Handle) -> None:
        """Close it."""
        self.open_handles -= 1
        dev_handle.close()

    def set_configuration(self, dev_handle: Handle, config_value: int) -> None:
        """There is one."""

    def get_configuration(self, dev_handle: Handle) -> int:
        """The only one."""
        del dev_handle
        return CONFIGURATION

    def set_interface_altsetting(self, dev_handle: Handle, intf: int, altsetting: int) -> None:
        """There is one."""

    def claim_interface(self, dev_handle: Handle, intf: int) -> None:
        """For this handle alone."""
        del intf
        dev_handle.claim()

    def release_interface(self, dev_handle: Handle, intf: int) -> None:
        """Give it back."""
        del intf
        dev_handle.release()

    def bulk_write(self, dev_handle: Handle, ep: int, intf: int, data: Any, timeout: int) -> int:
        """Bytes taken within ``timeout`` milliseconds."""
        del intf
        _only_endpoint(ep, OUT_ENDPOINT)
        return dev_handle.write(bytes(data), timeout)

    def bulk_read(self, dev_handle: Handle, ep: int, intf: int, buff: Any, timeout: int) -> int:
        """Bytes put into ``buff`` within ``timeout`` milliseconds."""
        del intf
        _only_endpoint(ep, IN_ENDPOINT)
        data = dev_handle.read(len(buff), timeout)
        buff[: len(data)] = array.array("B", data)
        return len(data)

    def ctrl_transfer(  # noqa: PLR0913, PLR0917 - the interface's shape
        self,
        dev_handle: Handle,
        request_type: int,
        request: int,
        value: int,
        index: int,
        data: Any,
        timeout: int,
    ) -> int:
        """Descriptors; all else is answered with a stall."""
        del index, timeout
        if (request_type, request) != (DEVICE_TO_HOST, GET_DESCRIPTOR):
            raise problem(errno.EPIPE)
        answer = dev_handle.control(value >> 8, value & 0xFF)[: len(data)]
        data[: len(answer)] = array.array("B", answer)
        return len(answer)

    def clear_halt(self, dev_handle: Handle, ep: int) -> None:
        """End a stall."""
        dev_handle.clear_halt(inward=ep == IN_ENDPOINT)

    def is_kernel_driver_active(self, dev_handle: Handle, intf: int) -> bool:
        """No system driver knows this device."""
        del dev_handle, intf
        return False


def _only_first(*numbers: int) -> None:
    """Raise the IndexError by which pyusb finds the end of a list."""
    if any(numbers):
        raise IndexError("there is one configuration with one interface")


def _only_endpoint(endpoint: int, own: int) -> None:
    if endpoint != own:
        raise problem(errno.ENOENT)
