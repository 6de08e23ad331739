"""What this computer says about its ports and programs; nothing is opened to find out (shell)."""

import grp
import os
import pwd
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import usb.backend.libusb1

from controller.cli import doctor_udev
from controller.cli.board_place import program_of
from firmware_bridge.identity import ListSerial, SerialDevice, serial_devices
from firmware_bridge.port_address import UsbId
from firmware_bridge.port_holder import PROC, holders
from firmware_bridge.port_serial import PSEUDOTERMINALS

INTRUDERS: Final = ("ModemManager", "brltty")
"""Programs that take serial ports uninvited."""


@dataclass(frozen=True, slots=True)
class PortFacts:
    """A port. ``names``: stable names of it; ``holders``: who has it open; ``locked``: one for itself."""

    path: str
    usb: UsbId | None = None
    words: str = ""
    names: tuple[str, ...] = ()
    exists: bool = True
    may_open: bool = True
    group: str = ""
    mode: int = 0
    holders: tuple[str, ...] = ()
    locked: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """The computer. ``rule``: path and text of the udev rule; ``intruders``: name and pid of each."""

    user: str
    ports: tuple[PortFacts, ...] = ()
    has_udev: bool = True
    rule: tuple[str, str] | None = None
    libusb: bool = True
    intruders: tuple[str, ...] = ()


def has_libusb() -> bool:
    """Whether pyusb finds libusb 1.0."""
    return usb.backend.libusb1.get_backend() is not None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where to look; tests look elsewhere."""

    list_serial: ListSerial = serial_devices
    serial_names: Path = Path("/dev/serial")
    rules: Sequence[Path] = doctor_udev.FOLDERS
    usb_devices: Path = Path("/sys/bus/usb/devices")
    usb_nodes: Path = Path("/dev/bus/usb")
    proc: Path = PROC
    libusb: Callable[[], bool] = field(default=has_libusb)

    def look(self, also: str | None = None) -> Facts:
        """Everything but the board itself; ``also``: a port that is no device the system lists."""
        ports = [self.port(device) for device in self.list_serial()]
        if also is not None and os.path.realpath(also) not in {os.path.realpath(port.path) for port in ports}:
            ports.append(self.port(SerialDevice(also, None)))
        rule = doctor_udev.installed(self.rules)
        return Facts(
            user=pwd.getpwuid(os.getuid()).pw_name,
            ports=tuple(ports),
            has_udev=any(folder.is_dir() for folder in self.rules),
            rule=None if rule is None else (str(rule[0]), rule[1]),
            libusb=self.libusb(),
            intruders=self._intruders(),
        )

    def port(self, device: SerialDevice) -> PortFacts:
        """What is known of one port."""
        return self._node(device.path, device.usb, device.words, self._names(device.path))

    def usb_port(self, wanted: UsbId) -> list[PortFacts]:
        """The USB devices of this kind, as the kernel lists them."""
        found = []
        for folder in sorted(self.usb_devices.glob("*")):
            about = {
                name: _line(folder / name) for name in ("idVendor", "idProduct", "serial", "busnum", "devnum")
            }
            if (about["idVendor"], about["idProduct"]) != (f"{wanted.vid:04x}", f"{wanted.pid:04x}"):
                continue
            if wanted.serial in (None, about["serial"]):
                node = self.usb_nodes / f"{int(about['busnum']):03}" / f"{int(about['devnum']):03}"
                usb = UsbId(wanted.vid, wanted.pid, about["serial"] or None)
                found.append(self._node(str(node), usb, _line(folder / "product"), ()))
        return found

    def _node(self, path: str, usb: UsbId | None, words: str, names: tuple[str, ...]) -> PortFacts:
        try:
            facts = os.stat(path)  # noqa: PTH116 - a device
        except OSError:
            return PortFacts(path, usb, words, names, exists=False, may_open=False)
        held = [one for one in holders(path) if one.pid != os.getpid()]
        if os.major(facts.st_rdev) in PSEUDOTERMINALS:
            held = [one for one in held if one.locks]  # the program behind a terminal has it open too
        return PortFacts(
            path,
            usb,
            words,
            names,
            may_open=os.access(path, os.R_OK | os.W_OK),
            group=_group(facts.st_gid),
            mode=facts.st_mode & 0o777,
            holders=tuple(program_of(one) for one in held),
            locked=any(one.locks for one in held),
        )

    def _names(self, path: str) -> tuple[str, ...]:
        """Names under by-id and by-path that lead to ``path``."""
        real = os.path.realpath(path)
        links = sorted(self.serial_names.glob("by-*/*"))
        return tuple(str(link) for link in links if os.path.realpath(link) == real)

    def _intruders(self) -> tuple[str, ...]:
        found = []
        for process in sorted(self.proc.glob("[0-9]*"), key=lambda one: int(one.name)):
            name = _line(process / "comm")
            if name in INTRUDERS:
                found.append(f"{name}, pid {process.name}")
        return tuple(found)


def _line(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
